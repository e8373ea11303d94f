# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# Reads `go test -bench` output and prints, for each benchmark with sub-benchmarks, every one's time
# as a ratio to the group's baseline: the sub-benchmark whose name holds "baseline", else the first.

# One result: "BenchmarkGroup/case-2   1000   1234 ns/op   ...". Custom metrics are left to Go's output.
/^Benchmark.*\/.* ns\/op/ {
  name = $1
  sub(/-[0-9]+$/, "", name)
  slash = index(name, "/")
  group = substr(name, 10, slash - 10)
  item = substr(name, slash + 1)
  for (i = 3; i <= NF; i++) if ($i == "ns/op") time = $(i - 1)
  if (!(group in count)) order[++groups] = group
  n = ++count[group]
  items[group, n] = item
  times[group, n] = time + 0
  if (item ~ /baseline/ && !(group in base)) base[group] = n
}

function human(ns) {
  if (ns < 1e3) return sprintf("%.1f ns", ns)
  if (ns < 1e6) return sprintf("%.2f us", ns / 1e3)
  if (ns < 1e9) return sprintf("%.2f ms", ns / 1e6)
  return sprintf("%.2f s", ns / 1e9)
}

END {
  for (g = 1; g <= groups; g++) {
    group = order[g]
    if (count[group] < 2) continue
    b = (group in base) ? base[group] : 1
    if (times[group, b] == 0) continue
    printf "\n%s, against %s\n", group, items[group, b]
    for (n = 1; n <= count[group]; n++)
      printf "  %-48s %12s  %8.2fx\n", items[group, n], human(times[group, n]), times[group, n] / times[group, b]
  }
}
