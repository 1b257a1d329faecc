#!/usr/bin/env bash
# Measures start-up cost: a program that links the shared library and opens nothing, `quern devices`, and the size of the
# stripped library. Usage: scripts/startup.sh [build directory]. Times are the best of several runs.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/linked.cpp" <<'CPP'
#include "quern/quern.hpp"
int main(int count, char**) { return count > 99 ? static_cast<int>(quern::devices().size()) : 0; }
CPP
"${CXX:-c++}" -std=c++20 -O2 -Iinclude "$work/linked.cpp" -o "$work/linked" -L"$build/lib" -lquern -Wl,-rpath,"$build/lib"
"${CXX:-c++}" -std=c++20 -O2 -x c++ - -o "$work/bare" <<<'#include <string>
int main(int count, char** v) { return count > 99 ? static_cast<int>(std::string(v[0]).size()) : 0; }'

# The best wall time and the best CPU time of RUNS runs. On a busy machine only the CPU time is meaningful.
best_ms() {  # RUNS COMMAND...
  local runs=$1 wall=999999 cpu=999999 line
  shift
  for ((i = 0; i < runs; i++)); do
    line=$({ TIMEFORMAT='%R %U %S'; time "$@" >/dev/null 2>&1; } 2>&1 | tail -1)
    read -r wall cpu < <(awk -v w="$wall" -v c="$cpu" '{ r = $1 * 1000; u = ($2 + $3) * 1000
      print (r < w ? r : w), (u < c ? u : c) }' <<<"$line")
  done
  echo "$wall $cpu"
}

row() {  # WHAT LIMIT RUNS COMMAND...
  local what=$1 limit=$2 wall cpu
  shift 2
  read -r wall cpu < <(best_ms "$@")
  printf '%-44s %8s ms %8s ms   %s\n' "$what" "$wall" "$cpu" "$limit"
}

library=$(realpath "$build/lib/libquern.so")
cp "$library" "$work/libquern.so" && strip "$work/libquern.so"
printf '%-44s %11s %11s   %s\n' measurement 'wall' 'CPU' 'limit'
row 'a C++ program without the library' '' 20 "$work/bare"
row 'a program that links it and opens nothing' '5 ms' 20 "$work/linked"
row 'quern devices' '1000 ms' 5 "$build/bin/quern" devices
printf '%-44s %8s KB %24s\n' 'libquern.so, stripped' "$(($(stat -c %s "$work/libquern.so") / 1024))" '6144 KB'
