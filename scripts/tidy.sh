#!/usr/bin/env bash
# Runs clang-tidy over the sources of src/, tools/ and bench/ that changed, JOBS files at a time. Tests are not checked.
# usage: scripts/tidy.sh [--all | FILE...]
#   TIDY_BASE=REF  the commit to compare with; default: where HEAD left origin/main, or else the last commit that is older
#                  than four hours. A changed header is checked through one source that includes it.
#   ANALYZE=1      runs the static analyzer too, over all files; it takes three times as long
# Sources are read in the units that are compiled (QUERN_UNITY), a sixth of the time of reading each alone; the other sources
# of a unit are checked too. A unit that passed is not checked again until a source of it, a header of the project or the
# settings change, also in another clone: the results are in QUERN_TIDY_CACHE (default: ~/.cache/quern-tidy).
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/tidy
cmake --preset tidy >/dev/null
passed=${QUERN_TIDY_CACHE:-${XDG_CACHE_HOME:-${HOME:-$build}/.cache}/quern-tidy}
mkdir -p "$passed"
find "$passed" -type f -mtime +30 -delete

folders=()
for folder in src include tools bench; do
  [ ! -d "$folder" ] || folders+=("$folder")
done

# These two are valid for WebAssembly only.
portable() { grep -vE '^src/web/(exports|webgpu_table)\.cpp$' || true; }

all_files() { find "${folders[@]}" -type f -name '*.cpp' | portable | sort; }

base_commit() {
  local base
  base=${TIDY_BASE:-$(git merge-base HEAD origin/main 2>/dev/null || true)}
  [ -n "$base" ] && [ "$(git rev-parse "$base")" != "$(git rev-parse HEAD)" ] ||
    base=$(git rev-list -1 --before='4 hours ago' HEAD)
  echo "$base"
}

# changed_files COMMIT : sources whose code differs from it, and for each such header one source that includes it
changed_files() {
  local file stem
  scripts/code_changed.py "$1" "${folders[@]}" | while read -r file; do
    case $file in
      *.cpp) echo "$file" ;;
      *.hpp)
        stem=${file%.hpp}.cpp
        [ -e "$stem" ] || stem=$(grep -rlF --include='*.cpp' "${file#*/}\"" "${folders[@]}" | head -1 || true)
        [ -z "$stem" ] || echo "$stem"
        ;;
    esac
  done | portable | sort -u
}

base=
if [ $# -gt 0 ] && [ "$1" != --all ]; then
  files=("$@")
elif [ $# -gt 0 ] || [ "${ANALYZE:-0}" != 0 ] || ! base=$(base_commit) || [ -z "$base" ]; then
  mapfile -t files < <(all_files)
else
  mapfile -t files < <(changed_files "$base")
  echo "tidy: ${#files[@]} files changed since $(git log -1 --format='%h of %cs' "$base"); --all checks all"
  [ ${#files[@]} -gt 0 ] || exit 0
fi

checks=-clang-analyzer-*
[ "${ANALYZE:-0}" = 0 ] || checks=
shared=$({
  clang-tidy --version
  echo "$checks"
  cat .clang-tidy
  find "${folders[@]}" -type f -name '*.hpp' -print0 | sort -z | xargs -0 cat
} | sha256sum | cut -c1-32)
root=$PWD
export build passed shared checks root

# Units include sources that a build would write. They are not checked: empty files are enough.
ninja -C "$build" -t targets all | sed -n 's/^\(generated\/[a-z_]*\.cpp\): .*/\1/p' | while read -r file; do
  mkdir -p "$build/generated"
  [ -e "$build/$file" ] || : >"$build/$file"
done

mapfile -t units < <(scripts/tidy_units.py "$build" . "${files[@]}")

look() {
  local mark
  mark=$passed/$({
    echo "$shared" "${1#"$root"/}"
    sed "s,$root/,," "$1"
    case $1 in */Unity/*) sed -n 's/^#include "\(.*\)"$/\1/p' "$1" | xargs cat ;; esac
  } | sha256sum | cut -c1-32)
  [ ! -e "$mark" ] || return 0
  local output
  # -Wno-unknown-warning-option: the compile commands are for the compiler that builds, which may be GCC.
  if output=$(clang-tidy --quiet --checks="$checks" --header-filter='/(src|include|tools|bench)/.*\.[ch]pp$' -p "$build" --extra-arg=-Wno-unknown-warning-option "$1" 2>&1); then
    touch "$mark"
  else
    grep -vE '^[0-9]+ warnings? generated|^Suppressed|^Use -' <<<"$output" || true
    return 1
  fi
}
export -f look

# shellcheck disable=SC2016  # $1 is for the inner shell
if ! printf '%s\0' "${units[@]}" | xargs -0 -n 1 -P "${JOBS:-2}" bash -c 'look "$1"' tidy; then
  echo "tidy: see above"
  exit 1
fi
echo "tidy: ${#files[@]} files are clean"
