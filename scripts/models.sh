#!/usr/bin/env bash
# Checks the models of the ring protocol (models/*.pml) with Spin. Each model must hold in every interleaving, and Spin must
# find an error in each of its variants BROKEN_…. Usage: scripts/models.sh [FILE.pml]...
# Exit code 0: as expected, 1: not as expected, 77: Spin is not installed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
for tool in spin cc; do
  command -v "$tool" >/dev/null || {
    echo "models: SKIPPED: $tool is not installed (Debian and Ubuntu: apt-get install spin gcc)"
    exit 77
  }
done
[ $# -gt 0 ] || set -- "$root"/models/*.pml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# check MODEL [VARIANT] : returns whether the checker found an error. Exits if the check could not be completed.
check() {
  local model=$1 variant=${2:-}
  (
    cd "$folder"
    rm -f pan* _spin* ./*.trail
    spin ${variant:+-D"$variant"} -a "$model" >spin.log 2>&1 && cc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=2048 -o pan pan.c &&
      ./pan -m100000 >pan.log 2>&1
  ) || {
    echo "models: $model ${variant} could not be checked:"
    cat "$folder"/spin.log "$folder"/pan.log 2>/dev/null || true
    exit 1
  }
  if grep -q 'max search depth too small\|Search not completed\|memory limit' "$folder/pan.log" &&
    ! grep -q 'errors: [1-9]' "$folder/pan.log"; then
    echo "models: $model ${variant} is too large to be checked completely"
    exit 1
  fi
  grep -q 'errors: [1-9]' "$folder/pan.log"
}

failures=0
for model in "$@"; do
  model=$(realpath "$model")
  name=$(basename "$model")
  if check "$model"; then
    echo "models: $name is WRONG: $(sed -n 's/^pan:1: //p' "$folder/pan.log" | head -1)"
    failures=$((failures + 1))
  else
    echo "models: $name holds in $(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$folder/pan.log") states (all of them)"
  fi
  for variant in $(grep -oE '^#if(n?def) BROKEN_[A-Z_]+' "$model" | awk '{print $2}' | sort -u); do
    if check "$model" "$variant"; then
      echo "models: $name $variant is rejected, as expected: $(sed -n 's/^pan:1: //p' "$folder/pan.log" | head -1)"
    else
      echo "models: $name $variant is NOT rejected"
      failures=$((failures + 1))
    fi
  done
done
[ "$failures" -eq 0 ] || exit 1
