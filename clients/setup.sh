#!/usr/bin/env bash
# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the TypeScript client is built and tested with: the compiler and the frameworks
# that it has wrappers for, at the versions of its lock file; and the example that uses it. Does
# nothing, fast, when it is there.
set -euo pipefail
cd "$(dirname "$0")/.."

install() {
  # npm ci is repeated only when the lock file changed, or an earlier run was interrupted.
  local stamp=$1/node_modules/.lock-installed
  if cmp -s "$1/package-lock.json" "$stamp"; then return; fi
  echo "clients setup: npm ci in $1"
  rm -f "$stamp"
  (cd "$1" && npm ci --prefer-offline --no-audit --no-fund --loglevel=error)
  cp "$1/package-lock.json" "$stamp"
}

install examples/langchain-js &
example=$!
install clients/typescript
wait "$example"
