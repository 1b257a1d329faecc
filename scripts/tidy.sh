#!/usr/bin/env bash
# Runs clang-tidy on src/, tools/ and bench/, JOBS files at a time. Tests are checked by the compilers only.
# ANALYZE=1 also runs the static analyzer, which takes three times as long.
# Arguments are files to check instead. A file that passed is not checked again until it, a header of the project, or the
# settings change.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/tidy
cmake --preset tidy >/dev/null
passed=$build/passed
mkdir -p "$passed"

folders=()
for folder in src include tools bench; do
  [ ! -d "$folder" ] || folders+=("$folder")
done
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(find "${folders[@]}" -type f -name '*.cpp' | sort)
fi

checks=-clang-analyzer-*
[ "${ANALYZE:-0}" = 0 ] || checks=
shared=$({
  clang-tidy --version
  echo "$checks"
  cat .clang-tidy
  find "${folders[@]}" -type f -name '*.hpp' -print0 | sort -z | xargs -0 cat
} | sha256sum | cut -c1-32)
export build passed shared checks

check() {
  local mark
  mark=$passed/$({ echo "$shared" "$1"; cat "$1"; } | sha256sum | cut -c1-32)
  [ ! -e "$mark" ] || return 0
  local output
  # -Wno-unknown-warning-option: the compile commands may be for GCC.
  if output=$(clang-tidy --quiet --checks="$checks" -p "$build" --extra-arg=-Wno-unknown-warning-option "$1" 2>&1); then
    touch "$mark"
  else
    grep -vE '^[0-9]+ warnings? generated|^Suppressed|^Use -' <<<"$output" || true
    return 1
  fi
}
export -f check

# shellcheck disable=SC2016  # $1 is for the inner shell
if ! printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "${JOBS:-2}" bash -c 'check "$1"' tidy; then
  echo "tidy: clang-tidy reported problems (see above)"
  exit 1
fi
echo "tidy: ${#files[@]} files are clean"
