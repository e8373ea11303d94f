# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# Everything starts from a fresh clone: `make run` to try it, `make test` to check it.
# Each target says what it does and stops at the first failure.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

# The version comes from git; a tarball without git builds as "devel".
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -s -w -X main.version=$(VERSION)
# -trimpath keeps the builder's folders out of the binary. The version above already names the
# commit, so Go need not ask git, which refuses in a checkout that another user owns.
GOBUILD := CGO_ENABLED=0 go build -trimpath -buildvcs=false

DATA ?= .data/orders
ARGS ?=
BENCH ?= .
BENCHTIME ?= 1s
FUZZTIME ?= 1m

# The race detector needs cgo, and with it the C form of PostgreSQL's parser is compiled although
# nothing calls it: unoptimised, that takes seconds instead of minutes. It is slow, too, so packages that start no goroutine and share nothing
# are left out by name; a new package is raced until it is added here.
NO_RACE := /(contrib|e2e|effect|examples)(/|$$)|/internal/(arch|canon|redact|schema)$$

# Nor do stories of the command line share what others do not: they are commands one after another, or
# processes that are ended, and the slowest by far with the detector. `make unit` and `make e2e` run them
# all without; those in which a gate serves several at once are raced.
RACE_SKIP := ^TestScripts$$|^TestAtMostOnce$$/^killed_at|^TestResumeThroughAnyDoor$$
RACED_STORIES := ^TestScripts$$/^(acceptance|approvals|mcp|notify|watch)$$

GOLANGCI_VERSION := $(shell awk '$$1 == "github.com/golangci/golangci-lint/v2" { print $$2 }' tools/go.mod)
GOLANGCI := bin/tools/golangci-lint-$(GOLANGCI_VERSION)

# Modules with Go code below this one have requirements of their own, and are checked one by one.
# Recursive on purpose (=): only the targets that use it search the tree.
NESTED = $(shell find . -mindepth 2 -name node_modules -prune -o -name testdata -prune -o -name go.mod -printf '%h\n' | \
	sort | while read -r dir; do find "$$dir" -name node_modules -prune -o -name '*.go' -print -quit | grep -q . && echo "$$dir"; done)

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build ./bin/toolverdict and the example's server
	@echo "== build: bin/toolverdict $(VERSION), bin/orders-server"
	@mkdir -p bin
	@$(GOBUILD) -ldflags '$(LDFLAGS)' -o bin/toolverdict ./cmd/toolverdict
	@$(GOBUILD) -o bin/orders-server ./examples/orders/server

.PHONY: run
run: build ## serve the orders example (DATA=folder, ARGS=more flags)
	@echo "== run: the orders example, data in $(DATA)"
	@exec ./bin/toolverdict serve --config examples/orders/toolverdict.yaml --data '$(DATA)' $(ARGS)

.PHONY: test
test: setup build vet unit race e2e clients fuzz-smoke ## run every test there is, services included
	@echo "== test: all passed"

.PHONY: setup
setup: ## install or name what the tests need from outside
	@scripts/setup.sh

.PHONY: vet
vet: ## compile everything without cgo, then go vet
	@echo "== vet: compile everything without cgo, go vet"
	@CGO_ENABLED=0 go build ./...
	@CGO_ENABLED=0 go vet ./...
	@CGO_ENABLED=0 go vet -tags e2e ./e2e/...
	@CGO_ENABLED=0 go vet -tags e2e,agents ./e2e/agents/...
	@for module in $(NESTED); do \
		echo "== vet: module $$module"; CGO_ENABLED=0 go -C "$$module" vet ./...; \
	done

.PHONY: unit
unit: ## go test ./...: complete for what needs no service
	@echo "== unit: go test ./..."
	@CGO_ENABLED=0 go test ./...
	@for module in $(NESTED); do \
		echo "== unit: module $$module"; CGO_ENABLED=0 go -C "$$module" test ./...; \
	done

.PHONY: race
race: ## go test -race where goroutines share something
	@echo "== race: go test -race"
	@CGO_ENABLED=1 CGO_CFLAGS='-O0 -g0' go test -race -timeout 15m -skip '$(RACE_SKIP)' $$(go list ./... | grep -Ev '$(NO_RACE)')
	@CGO_ENABLED=1 CGO_CFLAGS='-O0 -g0' go test -race -timeout 15m -run '$(RACED_STORIES)' ./cmd/toolverdict

.PHONY: e2e
e2e: build ## the real gate against real clients, servers and databases
	@echo "== e2e: go test -tags e2e ./e2e/..."
	@CGO_ENABLED=0 go test -tags e2e -count 1 -timeout 20m $$(go list -tags e2e ./e2e/... | grep -v /doors$$)
	@echo "== e2e: 200 gates are killed at random"
	@CGO_ENABLED=0 go test -count 1 -run 'TestAtMostOnce/killed_at_random' ./cmd/toolverdict -kills 200

.PHONY: clients
clients: build ## the clients in other languages against a real gate
	@echo "== clients: TypeScript"
	@npm --prefix clients/typescript test --silent
	@echo "== clients: Python"
	@cd clients/python && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=src python3 -W error -m unittest discover -s tests
	@echo "== clients: the table of all doors"
	@CGO_ENABLED=0 go test -tags clients -count 1 -run TestClients ./e2e/doors

.PHONY: agents
agents: ## every real coding agent against a scripted model; installs them first
	@e2e/setup.sh agents
	@echo "== agents: go test -tags e2e,agents ./e2e/agents"
	@CGO_ENABLED=0 go test -tags e2e,agents -count 1 -timeout 40m ./e2e/agents/...

.PHONY: screenshots
screenshots: build ## what the docs show of the console, as the tests see it
	@echo "== screenshots: docs/images"
	@CGO_ENABLED=0 go test -tags e2e -count 1 -run 'HeldCallFinishes|ActivityTells|OverviewShows|AChangedToolIsReviewed|ThePolicyIsSeen|WhatTheDocsShow' ./e2e/console
	@mkdir -p docs/images
	@for name in inbox card activity overview tool-review policy; do cp e2e/console/.shots/$$name.png docs/images/console-$$name.png; done
	@for name in inbox card similar activity; do for end in .png .zh-CN.png; do \
		cp e2e/console/.shots/docs-$$name$$end docs/images/approvals-$$name$$end; \
	done; done

.PHONY: fuzz-smoke
fuzz-smoke: ## every fuzz target for a few seconds, two minutes in all
	@scripts/fuzz.sh smoke

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME each, such as FUZZTIME=10m
	@scripts/fuzz.sh '$(FUZZTIME)'

.PHONY: bench
bench: ## every benchmark, then each one's ratio to its baseline
	@scripts/bench.sh '$(BENCH)' '$(BENCHTIME)'

# The database of known vulnerabilities is on the network, so govulncheck is not a part of lint;
# CONTRIBUTING.md says how to run it.
.PHONY: lint
lint: $(GOLANGCI) ## gofmt, go mod tidy, shell syntax, golangci-lint
	@echo "== lint: gofmt"
	@unformatted=$$(find . -name '*.go' -not -path '*/node_modules/*' -not -path '*/testdata/*' -not -path './bin/*' -exec gofmt -l {} +); \
		if [[ -n "$$unformatted" ]]; then echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	@echo "== lint: go mod tidy -diff"
	@for module in . $(NESTED); do go -C "$$module" mod tidy -diff; done
	@echo "== lint: shell syntax"
	@for script in .ci/run $$(find . -name '*.sh' -not -path '*/node_modules/*'); do bash -n "$$script"; done
	@echo "== lint: golangci-lint $(GOLANGCI_VERSION)"
	@$(GOLANGCI) config verify
	@CGO_ENABLED=0 $(GOLANGCI) run ./...

# Built once for each version: compiling it takes minutes.
$(GOLANGCI): tools/go.mod tools/go.sum
	@echo "== lint: building golangci-lint $(GOLANGCI_VERSION) (once)"
	@mkdir -p bin/tools
	@CGO_ENABLED=0 go -C tools build -trimpath -buildvcs=false -o '../$@' github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch '$@'

.PHONY: clean
clean: ## remove what make built, not the data folders
	@rm -rf bin
