#!/usr/bin/env bash
# Runs test_comm as the ranks of an MPI job.
# Usage: ranks.sh IMPLEMENTATION MPIRUN COUNT run|errors|kill PROGRAM [FILTER]
#   run    the tests of MPI ranks; all must succeed
#   errors the same, but a rank may end without MPI_Finalize: it is not called after an error of MPI or a time-out
#   kill   the last rank ends by SIGKILL; all others must report an error in time
#   FILTER selects other tests.
# Exit code 77: the implementation is not installed, nothing was tested.
set -uo pipefail
implementation=$1 launcher=$2 count=$3 what=$4 program=$5 filter=${6:-}

command -v "$launcher" >/dev/null || {
  echo "SKIPPED: $implementation is not installed, so there are no ranks"
  exit 77
}

options=(-n "$count")
case $implementation in
  openmpi)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options+=(--oversubscribe --bind-to none)
    [ "$what" != kill ] || options+=(--enable-recovery)
    ;;
  mpich) [ "$what" != kill ] || options+=(-disable-auto-cleanup) ;;
esac

export QUERN_TEST_RANKS=$count
if [ "$what" = run ]; then
  exec timeout 100 "$launcher" "${options[@]}" "$program" --gtest_brief=1 --gtest_filter="${filter:-*MpiRanks*}"
fi

if [ "$what" = errors ]; then
  output=$(timeout 100 "$launcher" "${options[@]}" "$program" --gtest_brief=1 --gtest_color=no --gtest_filter="$filter" 2>&1)
  echo "$output"
  passed=$(grep -c 'PASSED  ]' <<<"$output")
  [ "$passed" -eq "$count" ] && ! grep -q 'FAILED  ]' <<<"$output" && exit 0
  echo "FAILED: the tests passed on $passed of $count ranks"
  exit 1
fi

# Launchers end the whole job when a rank dies, MPICH's with SIGUSR1. The shell hides it from them, as a failed network would.
output=$(timeout 60 "$launcher" "${options[@]}" sh -c 'trap "" USR1; "$@"; exit 0' sh \
  "$program" --gtest_brief=1 --gtest_filter="${filter:-MpiKill*}" 2>&1)
echo "$output"
reports=$(grep -c 'a survivor has an error' <<<"$output")
[ "$reports" -eq $((count - 1)) ] || {
  echo "FAILED: $reports of $((count - 1)) survivors report an error"
  exit 1
}
