#!/usr/bin/env bash
# Runs every fuzz target of a directory for a number of seconds each: scripts/fuzz.sh build/fuzz/bin 600
# Found inputs are kept in build/corpus/<target>; seeds come from fuzz/corpus/<target> if it exists.
# A crash writes its input to build/crashes/ and fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?usage: scripts/fuzz.sh DIRECTORY [SECONDS]}
seconds=${2:-60}
found=0
for target in "$folder"/fuzz_*; do
  [ -x "$target" ] || continue
  found=1
  name=$(basename "$target")
  corpus=build/corpus/$name
  mkdir -p "$corpus" build/crashes
  seeds=()
  [ ! -d "fuzz/corpus/${name#fuzz_}" ] || seeds=("fuzz/corpus/${name#fuzz_}")
  options=()
  [ ! -f "fuzz/${name#fuzz_}.dict" ] || options=("-dict=fuzz/${name#fuzz_}.dict")
  echo "fuzz: $name for $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="build/crashes/$name-" "${options[@]}" "$corpus" "${seeds[@]}"
done
[ "$found" = 1 ] || echo "fuzz: no fuzz targets in $folder"
