#!/usr/bin/env bash
# Runs a command with a fixed address layout where the system lets us: the thread sanitizer of older compilers cannot
# place its shadow memory under the layouts that newer kernels draw.
set -euo pipefail
if command -v setarch >/dev/null && setarch "$(uname -m)" -R true 2>/dev/null; then
  exec setarch "$(uname -m)" -R "$@"
fi
exec "$@"
