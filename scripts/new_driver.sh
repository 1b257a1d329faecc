#!/usr/bin/env bash
# Creates a driver from the template src/driver/null, registers it, builds it and runs the contract tests on it.
# If a step fails, the tree is as it was before. docs/driver.md describes the next steps.
#
# usage: scripts/new_driver.sh [--no-build] [--prebuilt BUILD] NAME
#   NAME              lower-case letters, digits and underscores: metal, my_gpu
#   --no-build        only create the files
#   --prebuilt BUILD  link the layers of this build folder instead of compiling them; it must be up to date
# exit code: 0 the driver passes, 1 a step failed, 2 wrong arguments
set -euo pipefail
cd "$(dirname "$0")/.."

wrong() {
  printf 'new_driver: %s\n' "$1" >&2
  [ -z "${2:-}" ] || printf '  hint: %s\n' "$2" >&2
  exit 2
}

name= build=yes prebuilt=
while [ $# -gt 0 ]; do
  case $1 in
    --no-build) build=no ;;
    --prebuilt)
      [ $# -gt 1 ] || wrong "--prebuilt failed: no build folder is given"
      prebuilt=$2
      shift
      ;;
    -h | --help)
      sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' scripts/new_driver.sh
      exit 0
      ;;
    -*) wrong "unknown option '$1'" "scripts/new_driver.sh --help lists the options" ;;
    *)
      [ -z "$name" ] || wrong "two names are given: '$name' and '$1'"
      name=$1
      ;;
  esac
  shift
done

# ---- The name
[ -n "$name" ] || wrong "no name is given" "scripts/new_driver.sh my_gpu"
[[ $name =~ ^[a-z][a-z0-9]*(_[a-z0-9]+)*$ ]] ||
  wrong "'$name' is not a name for a driver" "use lower-case letters, digits and single underscores: my_gpu"
[ ${#name} -le 24 ] || wrong "'$name' has ${#name} characters; the limit is 24"
[ ! -e "src/driver/$name" ] || wrong "src/driver/$name exists" "choose another name, or remove that folder first"
if grep -qE "NAME $name[ )]" src/driver/*/driver.cmake; then
  wrong "$(grep -lE "NAME $name[ )]" src/driver/*/driver.cmake) registers a driver '$name'" "choose another name"
fi
if grep -rqE "namespace quern::$name( |::|\$)|^namespace $name " src include; then
  wrong "the namespace quern::$name is in use" "choose another name"
fi
if grep -qE "quern_(layer|extra_library)\(quern_$name |add_(library|executable)\(quern_$name " CMakeLists.txt cmake/*.cmake; then
  wrong "quern_$name is a target of the build" "choose another name"
fi
if [[ " alignas alignof and asm auto bool break case catch char class concept const continue default delete do double else enum explicit
  export extern false float for friend goto if inline int long mutable namespace new noexcept not operator or private protected public
  register requires return short signed sizeof static struct switch template this throw true try typedef typeid typename union unsigned
  using virtual void volatile while xor std quern test tool tests suite flags static " == *[[:space:]]"$name"[[:space:]]* ]]; then
  wrong "'$name' is a reserved word" "choose another name"
fi
if [ -n "$prebuilt" ]; then
  [ -f "$prebuilt/layers.cmake" ] || wrong "'$prebuilt' is not a build folder with tests" "build the target test_contract there first"
  prebuilt=$(cd "$prebuilt" && pwd)
fi

# ---- All or nothing
page=docs/architecture.md
new=$(mktemp -d src/driver/.new.XXXXXX)
backup=$(mktemp)
cp "$page" "$backup"
is_done=no
cleanup() {
  if [ "$is_done" = no ]; then
    rm -rf "src/driver/$name"
    cmp -s "$backup" "$page" || cp "$backup" "$page"
    echo "new_driver: failed; the tree is as it was before" >&2
  fi
  rm -rf "$new" "$backup"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

# ---- The files. "null" in names: null → my_gpu, Null → MyGpu, NULL → MY_GPU, and nullCopy → myGpuCopy.
upper=${name^^}
camel=
for word in ${name//_/ }; do camel+=${word^}; done
lower=${camel,}
for file in src/driver/null/*.?pp; do
  sed -E "s/null([A-Z])/$lower\1/g; s/null(ptr)?/\x01\1/g; s/\x01ptr/nullptr/g; s/\x01/$name/g; s/Null/$camel/g; s/NULL/$upper/g" \
    "$file" >"$new/$(basename "$file")"
done
sed -i "s/the template for new drivers/a new driver, made from the template/; s/ of the template\b/ of this driver/" "$new"/*
printf 'quern_driver(%s)\nquern_driver_entry(%s)\n' "$name" "$name" >"$new/driver.cmake"
if command -v clang-format >/dev/null; then
  clang-format -i "$new"/*.?pp
else
  echo "new_driver: clang-format is not installed: run 'make format' later"
fi
chmod 755 "$new"
mv "$new" "src/driver/$name"
sed -i "s#^| template | .*#&\n| $name | \`src/driver/$name/\` | made from the template: describe its API and its requirements here |#" "$page"
grep -q "src/driver/$name/" "$page" || {
  echo "new_driver: $page has no row for the template" >&2
  exit 1
}
scripts/check_layers.sh
scripts/interface_table.py >/dev/null

# ---- Build and test
if [ "$build" = yes ]; then
  if [ -n "$prebuilt" ]; then
    folder=build/new_driver
    cached() { sed -nE "s/^$1:[A-Z]+=//p" "$prebuilt/CMakeCache.txt"; }
    options=()
    while read -r option; do options+=("-D$option"); done < <(grep -E '^QUERN_(DRIVER_[A-Z0-9_]+|SANITIZE|WERROR):' "$prebuilt/CMakeCache.txt")
    cmake -S . -B "$folder" -G "$(cached CMAKE_GENERATOR)" "-DCMAKE_BUILD_TYPE=$(cached CMAKE_BUILD_TYPE)" \
      "-DCMAKE_CXX_COMPILER=$(cached CMAKE_CXX_COMPILER)" "-DCMAKE_CXX_FLAGS=$(cached CMAKE_CXX_FLAGS)" \
      "${options[@]}" "-DQUERN_PREBUILT=$prebuilt"
  else
    folder=build/release
    cmake --preset release
  fi
  cmake --build "$folder" --parallel "${JOBS:-$(nproc 2>/dev/null || echo 2)}" --target test_contract
  QUERN_DRIVERS=$name "$folder/bin/test_contract" --gtest_brief=1 "--gtest_filter=*/${name}_*"
fi
is_done=yes

echo
echo "src/driver/$name is registered$([ "$build" = no ] || echo ' and passes the contract tests')."
cat <<TEXT
next:
  - describe the device in src/driver/$name/device.cpp, list the native functions in api.hpp, and delete library.cpp
  - docs/driver.md has the rules; after each step: QUERN_DRIVERS=$name ${folder:-build/release}/bin/test_contract
  - complete its row in $page
to remove it: rm -r src/driver/$name && sed -i '\#src/driver/$name/#d' $page
TEXT
