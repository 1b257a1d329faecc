#!/usr/bin/env bash
# Lists the tests that the last ctest run skipped, and why: scripts/skipped.sh BUILD. Skipped tests count as passed, so they
# must be visible.
set -euo pipefail

log=${1:?usage: scripts/skipped.sh BUILD}/Testing/Temporary/LastTest.log
[ -r "$log" ] || { echo "skipped: $log does not exist; run ctest first" >&2; exit 2; }

reasons=$(awk '/: Skipped$/ { getline; print $0 == "" ? "no reason given" : $0 }' "$log" | sort | uniq -c | sort -rn)
if [ -z "$reasons" ]; then
  echo "No tests were skipped."
else
  echo "Skipped tests, with count and reason:"
  echo "$reasons"
fi
