#!/usr/bin/env bash
# Runs a command, and a second time if it fails: scripts/again.sh COMMAND [ARGUMENT]...
# Shows the output of both runs. Exit code 77 ("skipped") is final.
set -uo pipefail
"$@"
code=$?
[ $code -ne 0 ] && [ $code -ne 77 ] || exit $code
echo "again.sh: the first run failed with exit code $code; running it a second and last time"
exec "$@"
