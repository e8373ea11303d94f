#!/usr/bin/env bash
# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/bench.sh PATTERN BENCHTIME
#
# Runs the benchmarks that match PATTERN and prints Go's own output, kept in bin/bench.txt, then a
# table of ratios: machines differ, ratios taken in one run travel better (see scripts/ratios.awk).
# With the pattern "." it also measures other policy engines on the same rules (contrib/enginebench)
# and whole MCP calls through the gate (e2e/bench).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pattern=${1:?usage: scripts/bench.sh PATTERN BENCHTIME}
benchtime=${2:?usage: scripts/bench.sh PATTERN BENCHTIME}
export CGO_ENABLED=0
mkdir -p bin

# took says how long the part before it took.
last=0
took() {
  echo "== bench: that took $((SECONDS - last)) s"
  last=$SECONDS
}

echo "== bench: in process"
# One package at a time (-p 1): two benchmarks side by side would measure each other.
go test -p 1 -run '^$' -bench "$pattern" -benchmem -benchtime "$benchtime" ./... |
  grep --line-buffered -v 'no test files' | tee bin/bench.txt
took

echo "== bench: ratios"
awk -f scripts/ratios.awk bin/bench.txt

if [[ $pattern == . ]]; then
  echo "== bench: other policy engines on the same rules and calls"
  go -C contrib/enginebench run ./compare
  took
  echo "== bench: MCP calls end to end, against one direct hop"
  go run ./e2e/bench
  took
fi
