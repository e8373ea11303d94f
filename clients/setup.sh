#!/usr/bin/env bash
# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the TypeScript client is built and tested with: the compiler and the frameworks
# that it has wrappers for, at the versions of its lock file; and the example that uses it. Does
# nothing, fast, when it is there.
set -euo pipefail
cd "$(dirname "$0")/.."

for folder in clients/typescript examples/langchain-js; do
  # npm ci is repeated only when the lock file changed, or an earlier run was interrupted.
  stamp=$folder/node_modules/.lock-installed
  cmp -s "$folder/package-lock.json" "$stamp" && continue
  echo "clients setup: npm ci in $folder"
  rm -f "$stamp"
  (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error)
  cp "$folder/package-lock.json" "$stamp"
done
