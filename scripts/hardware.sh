#!/usr/bin/env bash
# Runs tests and benchmarks that need a GPU: scripts/hardware.sh BIN OUT [PART]...
#   BIN   directory of the programs (build/release/bin); they may have been built on another machine
#   OUT   directory for the output, one file per program, and summary.txt
# Parts (default: all, in this order): answers, cache, rates, faults, long, sanitizers.
# Each program is limited to ten minutes; all together take up to an hour. Only `rates` measures time and runs one
# program at a time; the other parts run several concurrently. Exit code 1 if a program failed, 2 for wrong usage.
set -uo pipefail
export QUERN_TEST_ALL=1
cd "$(dirname "$0")/.." || exit

bin=${1:?usage: scripts/hardware.sh BIN OUT [PART]...}
out=${2:?usage: scripts/hardware.sh BIN OUT [PART]...}
shift 2
[ $# -gt 0 ] || set -- answers cache rates faults long sanitizers
mkdir -p "$out"
bin=$(cd "$bin" && pwd) && out=$(cd "$out" && pwd) && cd "$bin/.." || exit  # tests find their source lines from here
: >"$out/summary.txt"
jobs=$(($( (nproc || sysctl -n hw.ncpu) 2>/dev/null) / 2))  # macOS has no nproc
[ "$jobs" -ge 1 ] || jobs=1

command -v timeout >/dev/null || timeout() { perl -e 'alarm shift; exec @ARGV or die' "$@"; }  # macOS has none

# run NAME LIMIT COMMAND... : writes the output to OUT/NAME.txt and the result to the summary
run() {
  local name=$1 limit=$2 start=$SECONDS code
  shift 2
  is_built "$@" || { printf '%-28s %-7s\n' "$name" "not built" | tee -a "$out/summary.txt" && return; }
  timeout "$limit" "$@" >"$out/$name.txt" 2>&1
  code=$?
  printf '%-28s %-7s %4d s  %s\n' "$name" "$(case $code in 0) echo ok ;; 77) echo skipped ;; *) echo "exit $code" ;; esac)" $((SECONDS - start)) \
    "$(grep -v '^[[:space:]]*$' "$out/$name.txt" | tail -n 1 | cut -c1-140)" | tee -a "$out/summary.txt"
}

# is_built COMMAND... : whether the program of BIN that the command names exists; on macOS not all are built
is_built() {
  local word
  for word in "$@"; do
    [[ $word != "$bin"/* ]] || { [ -x "$word" ]; return; }
  done
}

# start NAME LIMIT COMMAND... : the same in the background, when fewer than $jobs are running
start() {
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n 2>/dev/null || sleep 1; done  # bash 3 of macOS has no wait -n
  run "$@" &
}

# The first device of each driver that is not a CPU, for example "opencl:1".
devices() {
  "$bin/quern" devices --json 2>/dev/null |
    awk -F'"' '$2 == "id" { id = $4 } $2 == "kind" && $4 != "cpu" && $4 != "simulated" { print id }' |
    grep -E '^(cuda|hip|level_zero|metal|opencl|vulkan|webgpu|opengl|gles):' | sort -u -t: -k1,1
}

has() { grep -q "^$1:" <<<"$found"; }
number() { sed -n "s/^$1://p" <<<"$found"; }

answers() {
  local device part parts=5
  for device in cuda hip level_zero metal opencl vulkan webgpu opengl; do
    ! has "$device" || start "test_$device" 300 "$bin/test_$device"
  done
  start test_api 300 "$bin/test_api"
  start test_session 580 "$bin/test_session"
  start test_profile 200 "$bin/test_profile"
  for ((part = 0; part < parts; ++part)); do
    start "test_ring_$part" 500 env GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$part "$bin/test_ring"
  done
  for device in $found; do
    start "suite_${device%:*}" 500 "$bin/quern_suite" --on "$device" --random 2000 --seconds 60
  done
  if has vulkan; then
    start suite_vulkan_validated 500 env QUERN_VALIDATE=1 "$bin/quern_suite" --on vulkan --random 200 --seconds 60
    start suite_vulkan_bound 500 env QUERN_VULKAN_BINDINGS=1 "$bin/quern_suite" --on vulkan --random 500 --seconds 60
    start suite_vulkan_words 500 env QUERN_VULKAN_BINDINGS=1 QUERN_VULKAN_WORDS=1 "$bin/quern_suite" --on vulkan
  fi
  wait
}

# Results from code that another process has cached must be identical.
cache() {
  local device turn
  for turn in cold warm; do
    for device in $found; do
      start "suite_${device%:*}_$turn" 300 env QUERN_CACHE="$out/cache" "$bin/quern_suite" --on "$device" --part 1/4
    done
    wait
  done
  rm -rf "$out/cache"
}

rates() {
  local program device turn
  for program in launch copy stream pipeline pool; do run "bench_$program" 120 "$bin/bench_$program" "$first"; done
  for device in vulkan webgpu opencl; do
    ! has "$device" || run "bench_stream_$device" 120 "$bin/bench_stream" "$device:$(number "$device")"
  done
  ! has cuda || for turn in 1 2 3; do run "bench_start_$turn" 120 "$bin/bench_start"; done
  for device in cuda vulkan webgpu opencl; do
    ! has "$device" || run "bench_$device" 200 "$bin/bench_$device" "$(number "$device")"
  done
  for turn in 1 2 3 4 5; do run "bench_ring_flow_$turn" 60 "$bin/bench_ring" --on "$first" --only flow; done
  for program in calls send mixed steps idle; do
    run "bench_ring_$program" 100 "$bin/bench_ring" --on "$first" --only $program
  done
  run bench_cpu 200 "$bin/bench_cpu" --rounds 2
}

# Makes every call of a device fail once, in every program.
faults() {
  local device
  for device in $found; do
    [ "${device%:*}" = gles ] || start "inject_${device%:*}" 580 "$bin/quern_inject" --on "$device" --all --markdown \
      --limit 300 --results "$out/inject_${device%:*}.results"
  done
  wait
}

long() {
  start ring_billion 580 env RING_STRESS_MESSAGES=1000000000 "$bin/test_ring" --gtest_filter='Stress.ChecksumsOfMillions*'
  start ring_orders 580 env RING_STRESS_SECONDS=240 "$bin/test_ring" --gtest_filter='RandomOrders.*'
  local device
  for device in $found; do
    start "random_${device%:*}" 580 "$bin/quern_suite" --on "$device" --filter no_case_has_this_name --random 20000 --seconds 500
  done
  wait
}

sanitizers() {
  has cuda || return 0
  local sanitizer part
  sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  [ -x "$sanitizer" ] || { echo "hardware: SKIPPED memcheck and racecheck: compute-sanitizer is not installed" >&2; return 0; }
  for part in 1 2 3 4; do
    start "memcheck_$part" 580 "$sanitizer" --error-exitcode 9 "$bin/quern_suite" --on cuda --part "$part/4"
    start "racecheck_$part" 580 "$sanitizer" --tool racecheck --error-exitcode 9 "$bin/quern_suite" --on cuda --part "$part/4"
  done
  wait
}

found=$(devices)
first=$(for driver in cuda hip level_zero metal vulkan webgpu opencl opengl; do grep "^$driver:" <<<"$found"; done | head -n 1)
[ -n "$first" ] || {
  echo "hardware: no GPU found; run \`$bin/quern backends\` to see why" >&2
  exit 2
}
echo "hardware: $(tr '\n' ' ' <<<"$found")"
for part in "$@"; do
  case $part in
    answers | cache | rates | faults | long | sanitizers) echo "== $part" | tee -a "$out/summary.txt" && "$part" ;;
    *) echo "hardware: '$part' is not a part; the parts are answers, cache, rates, faults, long and sanitizers" >&2 && exit 2 ;;
  esac
done
! grep -qE '^[^ ]+ +exit ' "$out/summary.txt"
