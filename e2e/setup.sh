#!/usr/bin/env bash
# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the end-to-end tests measure the gate against: published MCP servers, clients and
# the official conformance suite (npm, versions pinned in npm/package-lock.json), the Go SDK's
# conformance server, a second Go SDK's server, and PostgreSQL and Chromium where they are missing.
# It also installs the coding agents that the tests in agents/ drive: two of them, or with the word
# "agents" all, which takes a gigabyte more.
# Safe to run again at any time; takes about two seconds when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")"

say() { printf 'e2e setup: %s\n' "$*"; }
die() { printf 'e2e setup: %s\n' "$*" >&2; exit 1; }

command -v npm >/dev/null || die "npm is missing: install Node.js with npm (any version; the suite's own Node comes from npm)"
command -v go >/dev/null || die "go is missing: install the Go version that go.mod names"

# npm ci is repeated only when the lock file changed, or an earlier run was interrupted.
install() {
  local folder=$1 stamp=$1/node_modules/.lock-installed
  if ! cmp -s "$folder/package-lock.json" "$stamp"; then
    say "npm ci in $folder"
    rm -f "$stamp"
    # npm itself may run on a Node older than the packages ask for; they run on the pinned one.
    (cd "$folder" && npm ci --omit=dev --no-audit --no-fund --loglevel=error "${@:2}")
    cp "$folder/package-lock.json" "$stamp"
  fi
}
install npm
# Agents run as they are packed: a script of theirs has nothing to do here.
install agents/npm --ignore-scripts
# Not `npm ci`: it fails for optional packages of other platforms that a registry does not have.
more=agents/npm/more
if [ "${1:-}" = agents ] && ! cmp -s $more/package-lock.json $more/node_modules/.lock-installed; then
  say "npm install in $more"
  (cd $more && npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)
  cp $more/package-lock.json $more/node_modules/.lock-installed
fi
node=npm/node_modules/.bin/node
[ -x "$node" ] || node=$(command -v node || true)
major=$("$node" -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
[ "$major" -ge 22 ] || die "Node 22 or newer is needed: npm brings it for Linux on x64 and arm64, elsewhere put it on PATH"

mkdir -p .bin
# The conformance server and client are part of the Go SDK's own module, at the version in the product's go.mod.
(cd .. && go build -o e2e/.bin/everything-server github.com/modelcontextprotocol/go-sdk/conformance/everything-server)
(cd .. && go build -o e2e/.bin/everything-client github.com/modelcontextprotocol/go-sdk/conformance/everything-client)
(cd mcpgo && go build -o ../.bin/mcpgo-server .)

have_postgres() { command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }
if ! have_postgres; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing PostgreSQL"
    # The tests make clusters of their own; the system one is not wanted.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] ||
      echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null
  else
    die "PostgreSQL's initdb is missing: install the package 'postgresql' (Debian, Ubuntu), or put initdb, postgres and psql of any release since 13 on PATH"
  fi
fi
have_postgres || die "PostgreSQL was installed but initdb is not where it was looked for: put it on PATH"
# The console's tests drive a real browser, in both of its languages.
have_browser() { command -v chromium >/dev/null && fc-list :lang=zh family 2>/dev/null | grep -q .; }
if ! have_browser; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing Chromium and fonts"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fontconfig fonts-noto-cjk >/dev/null
  else
    die "Chromium or a Chinese font is missing: install the packages 'chromium' and 'fonts-noto-cjk' (Debian), or put chromium on PATH and a font that has Chinese where fontconfig finds it"
  fi
fi
have_browser || die "Chromium was installed but is not on PATH, or fontconfig finds no Chinese font"
say "ready (Node $("$node" -v), $(ls .bin | tr '\n' ' '))"
