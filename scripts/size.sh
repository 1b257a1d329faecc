#!/usr/bin/env bash
# Prints how many bytes the front end and the IR add to a stripped program: scripts/size.sh [build directory]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/without.cpp" <<'CPP'
#include <cstdio>
#include <string>
int main(int, char** v) { std::printf("%zu\n", std::string(v[0]).size()); }
CPP
cat >"$work/with.cpp" <<'CPP'
#include <cstdio>
#include "lang/compile.hpp"
int main(int, char** v) { std::printf("%zu\n", quern::lang::compile("a.cu", v[0]).kernels.size()); }
CPP
for program in without with; do
  "${CXX:-c++}" -std=c++20 -O2 -Isrc -Iinclude "$work/$program.cpp" -o "$work/$program" \
    -L"$build" -lquern_lang -lquern_base -ldl -pthread -Wl,--gc-sections -s
done
without=$(stat -c %s "$work/without") with=$(stat -c %s "$work/with")
echo "the front end and the IR add $((with - without)) bytes to a stripped program of $without bytes"
