#!/usr/bin/env bash
# What the last run of ctest left out, and why: scripts/skipped.sh BUILD. A test that a machine cannot run counts as
# passed, so this says it aloud.
set -euo pipefail

log=${1:?the folder that was built in}/Testing/Temporary/LastTest.log
[ -r "$log" ] || { echo "skipped: $log is not there; run ctest first" >&2; exit 2; }

reasons=$(awk '/: Skipped$/ { getline; print $0 == "" ? "no reason is told" : $0 }' "$log" | sort | uniq -c | sort -rn)
if [ -z "$reasons" ]; then
  echo "No test was left out."
else
  echo "Tests that were left out, how many and why:"
  echo "$reasons"
fi
