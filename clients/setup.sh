#!/usr/bin/env bash
# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the TypeScript client is built and tested with: the compiler and the frameworks
# that it has wrappers for, at the versions of its lock file. Does nothing, fast, when it is there.
set -euo pipefail
cd "$(dirname "$0")/typescript"

# npm ci is repeated only when the lock file changed, or an earlier run was interrupted.
stamp=node_modules/.lock-installed
cmp -s package-lock.json "$stamp" && exit 0
echo "clients setup: npm ci"
rm -f "$stamp"
npm ci --no-audit --no-fund --loglevel=error
cp package-lock.json "$stamp"
