#!/usr/bin/env bash
# A short tour of the quern command: scripts/demo.sh build/release/bin/quern
# Prints each command before its output. Stops at the first command that does not end as the tour says it does.
set -euo pipefail
cd "$(dirname "$0")/.."

quern=${1:-build/release/bin/quern}
if [ ! -x "$quern" ]; then
  echo "demo: $quern is not built; run 'make build' first" >&2
  exit 1
fi

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' plain=$'\e[0m'; fi

say() { printf '\n# %s\n' "$*"; }

print_command() {
  printf '%s$ quern' "$bold"
  printf ' %s' "$@"
  printf '%s\n' "$plain"
}

works() {
  print_command "$@"
  "$quern" "$@"
}

# For commands that must find something wrong.
finds() {
  print_command "$@"
  if "$quern" "$@"; then
    echo "demo: that was expected to find a mistake" >&2
    exit 1
  fi
}

say "The same five kernels on every device that is here, checked on the host and timed."
works demo

say "Which kernels in these CUDA files can run, and where?"
works check examples

say "One kernel on its way down: the typed, structured IR."
works emit examples/saxpy.cu:saxpy --target ir

say "Run it on the simulator, which checks every access. y = 3 x + y with x = 0, 1, 2, … and y = 1:"
works run examples/saxpy.cu:saxpy 1000 3 'f32[1000]=iota' 'f32[1000]=1' --on sim --print 'y[0:5]'

say "Shared memory and barriers: a tiled matrix product, 20×28 times 28×24."
works run examples/matmul.cu:matmul 20 24 28 'f32[560]=iota' 'f32[672]=1' 'f32[480]=0' \
  --grid 2,2 --block 16,16 --on sim --print 'c[0:4]'

say "Warp shuffles and atomics: the sum of 0, 1, … 999 is 499500."
works run examples/reduce.cu:reduce 1000 'f32[1000]=iota' 'f32[1]=0' --grid 2 --block 256 --on sim --print 'total[0:1]'

say "A histogram with a race. Hardware would lose counts and say nothing; the simulator names both threads."
finds run examples/histogram.cu:histogram 100 'i32[100]=rand:3' 'i32[8]=0' --on sim

say "The same with atomicAdd."
works run examples/histogram.cu:histogram_atomic 100 'i32[100]=rand:3' 'i32[8]=0' --on sim --print 'bins[0:8]'
