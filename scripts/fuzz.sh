#!/usr/bin/env bash
# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/fuzz.sh smoke | DURATION
#
# Fuzzes every target that `go test -list` finds, so that a new one needs no entry anywhere.
# DURATION (30s, 10m) is for each target; smoke shares SMOKE_SECONDS among them all.
# A target that reports no execution fails the run, and so does a run with no target: go test
# itself exits 0 when a -fuzz pattern matches nothing.
set -euo pipefail
cd "${FUZZ_ROOT:-$(dirname "${BASH_SOURCE[0]}")/..}"

SMOKE_SECONDS=${SMOKE_SECONDS:-90}
mode=${1:?usage: scripts/fuzz.sh smoke | DURATION}
export CGO_ENABLED=0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# go test -list prints a package's targets, then a line "ok  PACKAGE  TIME" (or "?" without tests).
if ! go test -list '^Fuzz' ./... >"$work/list"; then
  grep -v '^Fuzz' "$work/list" >&2
  exit 1
fi
awk '/^Fuzz/ { names[n++] = $1 }
     /^(ok|\?)/ { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }' "$work/list" >"$work/targets"
total=$(wc -l <"$work/targets")
if ((total == 0)); then
  echo "fuzz: no target found in ./..., so nothing was fuzzed" >&2
  exit 1
fi

each=$mode
if [[ $mode == smoke ]]; then
  seconds=$((SMOKE_SECONDS / total))
  each=$((seconds < 1 ? 1 : seconds > 5 ? 5 : seconds))s
fi
echo "== fuzz: $total targets, $each each"

while read -r package target; do
  log="$work/log"
  if ! go test -run '^$' -fuzz "^$target\$" -fuzztime "$each" -fuzzminimizetime 5s "$package" >"$log" 2>&1 </dev/null; then
    cat "$log"
    echo "fuzz: $package $target failed; the input, where one was found, is under that package's testdata/fuzz" >&2
    exit 1
  fi
  execs=$(sed -n 's/^fuzz: elapsed: .* execs: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  if ((${execs:-0} == 0)); then
    cat "$log"
    echo "fuzz: $package $target reports no execution, so it checked nothing" >&2
    exit 1
  fi
  printf 'fuzz: %-60s %9d executions\n' "${package##*/}.$target" "$execs"
done <"$work/targets"
