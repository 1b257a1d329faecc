#!/usr/bin/env bash
# A short tour of the quern command: scripts/demo.sh build/release/bin/quern
# Prints each command before its output. Stops at the first command with an unexpected result.
set -euo pipefail
cd "$(dirname "$0")/.."

quern=${1:-build/release/bin/quern}
if [ ! -x "$quern" ]; then
  echo "demo: $quern does not exist; run 'make build' first" >&2
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

# For commands that must report an error in a kernel.
finds() {
  print_command "$@"
  if "$quern" "$@"; then
    echo "demo: the command did not report the expected error" >&2
    exit 1
  fi
}

say "Five kernels on every device of this machine, checked on the host and timed."
works demo

say "Which kernels of these CUDA files are supported?"
works check examples

say "The typed, structured IR of a kernel."
works emit examples/saxpy.cu:saxpy --target ir

say "Run it on the simulator, which checks every access: y = 3 x + y with x = 0, 1, 2, … and y = 1."
works run examples/saxpy.cu:saxpy 1000 3 'f32[1000]=iota' 'f32[1000]=1' --on sim --print 'y[0:5]'

say "Shared memory and barriers: a tiled matrix product, 20×28 times 28×24."
works run examples/matmul.cu:matmul 20 24 28 'f32[560]=iota' 'f32[672]=1' 'f32[480]=0' \
  --grid 2,2 --block 16,16 --on sim --print 'c[0:4]'

say "Warp shuffles and atomics: the sum of 0, 1, … 999 is 499500."
works run examples/reduce.cu:reduce 1000 'f32[1000]=iota' 'f32[1]=0' --grid 2 --block 256 --on sim --print 'total[0:1]'

say "A histogram with a race. Hardware silently loses counts; the simulator reports both threads."
finds run examples/histogram.cu:histogram 100 'i32[100]=rand:3' 'i32[8]=0' --on sim

say "The same with atomicAdd."
works run examples/histogram.cu:histogram_atomic 100 'i32[100]=rand:3' 'i32[8]=0' --on sim --print 'bins[0:8]'
