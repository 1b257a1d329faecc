#!/usr/bin/env bash
# Runs all benchmarks of a directory in sequence: scripts/bench.sh build/release/bin
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?usage: scripts/bench.sh DIRECTORY}
found=0
for program in "$folder"/bench_*; do
  [ -x "$program" ] || continue
  found=1
  echo "== $(basename "$program")"
  "$program"
done
[ "$found" = 1 ] || echo "bench: no benchmarks in $folder"
