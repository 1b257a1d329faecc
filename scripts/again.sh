#!/usr/bin/env bash
# Runs a command, and once more when it fails: scripts/again.sh COMMAND [ARGUMENT]...
# Both runs are shown. 77, "skipped", is final.
set -uo pipefail
"$@"
code=$?
[ $code -ne 0 ] && [ $code -ne 77 ] || exit $code
echo "again.sh: that run ended with $code; this is the second and last"
exec "$@"
