#!/usr/bin/env bash
# Kills random ranks of MPI jobs at random points, and checks that all others get an error within 10 s.
# Jobs in turn: collectives, checkpoints, actors of other ranks, checkpoints. After a job with checkpoints, one of 2 ranks
# restores the last one and checks it.
# Usage: kills.sh IMPLEMENTATION MPIRUN COUNT PROGRAM KILLS [FIRST_SEED]
# Exit code 77: the implementation is not installed, nothing was tested.
set -uo pipefail
implementation=$1 launcher=$2 count=$3 program=$4 kills=$5 first=${6:-1}

command -v "$launcher" >/dev/null || {
  echo "SKIPPED: $implementation is not installed, so there are no ranks"
  exit 77
}
case $implementation in
  openmpi)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options=(--oversubscribe --bind-to none)
    keep=(--enable-recovery)
    ;;
  *)
    # UCX ends a process that reads the memory of one that has died (docs/distributed.md).
    export UCX_TLS=${UCX_TLS:-posix,self}
    options=()
    keep=(-disable-auto-cleanup)
    ;;
esac

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export QUERN_TEST_FOLDER=$folder/saved QUERN_TEST_SEED QUERN_TEST_STEP

# Launchers end the whole job when a rank dies, MPICH's with SIGUSR1. The shell hides it from them.
killed_job() {
  timeout 60 "$launcher" "${options[@]}" "${keep[@]}" -n "$count" sh -c 'trap "" USR1; "$@"; exit 0' sh \
    "$program" --gtest_brief=1 --gtest_filter="MpiKills.$1" 2>&1
}

failures=0 reports=0
for ((seed = first; seed < first + kills; ++seed)); do
  QUERN_TEST_SEED=$seed
  case $((seed % 4)) in
    0 | 2) what=DuringACheckpoint ;;
    3) what=ActorsOfOtherRanks ;;
    *) what=AtAnyCollective ;;
  esac
  output=$(killed_job $what)
  survivors=$(grep -c 'a survivor has an error' <<<"$output")
  reports=$((reports + survivors))
  if [ "$survivors" -ne $((count - 1)) ]; then
    echo "FAILED: $survivors of $((count - 1)) survivors report an error with seed $seed ($what): $output"
    failures=$((failures + 1))
  fi
  [ $what = DuringACheckpoint ] || continue
  QUERN_TEST_STEP=$(grep -o 'confirmed [0-9]*' <<<"$output" | awk '$2 > most { most = $2 } END { print most + 0 }')
  output=$(timeout 60 "$launcher" "${options[@]}" -n 2 "$program" --gtest_brief=1 \
    --gtest_filter=MpiKills.RestartAfterwards 2>&1) || {
    echo "FAILED: no restart from step $QUERN_TEST_STEP with seed $seed: $output"
    failures=$((failures + 1))
  }
  rm -rf "$folder/saved"
done
echo "$kills kills of ranks of $implementation: $reports survivors got an error in time, $failures failures"
[ $failures -eq 0 ]
