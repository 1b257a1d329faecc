#!/usr/bin/env bash
# Runs a command without address space randomization, if the system allows it: the thread sanitizer of older compilers
# cannot place its shadow memory with the randomization of newer kernels.
set -euo pipefail
if command -v setarch >/dev/null && setarch "$(uname -m)" -R true 2>/dev/null; then
  exec setarch "$(uname -m)" -R "$@"
fi
exec "$@"
