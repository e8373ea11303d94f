#!/usr/bin/env bash
# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/fuzz.sh smoke | DURATION
#
# Fuzzes every target that the test binaries list, so that a new one needs no entry anywhere.
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

# Only packages whose tests hold a target are compiled, once each, with the fuzzer's instrumentation.
go list -f '{{range .TestGoFiles}}{{$.ImportPath}} {{$.Dir}} {{.}}
{{end}}{{range .XTestGoFiles}}{{$.ImportPath}} {{$.Dir}} {{.}}
{{end}}' ./... | while read -r package dir file; do
  if [[ -n $file ]] && grep -q '^func Fuzz' "$dir/$file"; then echo "$package $dir"; fi
done | sort -u >"$work/packages"

while read -r package dir; do
  binary="$work/${package//\//_}.test"
  echo "fuzz: building $package"
  go test -c -fuzz . -o "$binary" "$package"
  # Listed in the package's folder, where its tests expect to run.
  (cd "$dir" && "$binary" -test.list '^Fuzz') | sed -n "s|^Fuzz.*|$package $dir $binary &|p" >>"$work/targets"
done <"$work/packages"

total=0
if [[ -f $work/targets ]]; then total=$(wc -l <"$work/targets"); fi
if ((total == 0)); then
  echo "fuzz: no target found in ./..., so nothing was fuzzed" >&2
  exit 1
fi

# A long run keeps the inputs it found, where go test -fuzz keeps them; a smoke run starts from the
# committed corpus, as it would on any other machine.
each=$mode
found="$(go env GOCACHE)/fuzz"
if [[ $mode == smoke ]]; then
  seconds=$((SMOKE_SECONDS / total))
  each=$((seconds < 1 ? 1 : seconds > 5 ? 5 : seconds))s
  found="$work/found"
fi
echo "== fuzz: $total targets, $each each"

while read -r package dir binary target; do
  log="$work/log"
  # A target with a large corpus may need all of a short time to read it: then it gets more.
  for limit in "$each" 5s 20s 90s; do
    # Go's fuzzer reports its own time limit as a failure where a worker is busy at that moment: no
    # input was found then, and none is written.
    if ! (cd "$dir" && "$binary" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$limit" \
      -test.fuzzminimizetime 5s -test.fuzzcachedir "$found/$package") >"$log" 2>&1 </dev/null &&
      { ! grep -q '^    context deadline exceeded$' "$log" || grep -q 'Failing input' "$log"; }; then
      cat "$log"
      echo "fuzz: $package $target failed; the input, where one was found, is under its testdata/fuzz" >&2
      exit 1
    fi
    execs=$(sed -n 's/^fuzz: elapsed: .* execs: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    if ((${execs:-0} > 0)); then break; fi
  done
  if ((${execs:-0} == 0)); then
    cat "$log"
    echo "fuzz: $package $target reports no execution, so it checked nothing" >&2
    exit 1
  fi
  printf 'fuzz: %-60s %9d executions\n' "${package##*/}.$target" "$execs"
done <"$work/targets"
