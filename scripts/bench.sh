#!/usr/bin/env bash
# Runs every benchmark in a folder, one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?the folder with the benchmarks}
found=0
for program in "$folder"/bench_*; do
  [ -x "$program" ] || continue
  found=1
  echo "== $(basename "$program")"
  "$program"
done
[ "$found" = 1 ] || echo "bench: there are no benchmarks yet"
