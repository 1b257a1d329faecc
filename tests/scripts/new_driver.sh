#!/usr/bin/env bash
# Runs scripts/new_driver.sh in a copy of the tree: tests/scripts/new_driver.sh SOURCE BUILD
# The copy links the layers of BUILD, so only the new driver is compiled.
set -euo pipefail

source=${1:?usage: tests/scripts/new_driver.sh SOURCE BUILD}
build=${2:?usage: tests/scripts/new_driver.sh SOURCE BUILD}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "new_driver test: $1" >&2
  exit 1
}

tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C "$scratch" -xf -
cd "$scratch"
export QUERN_CACHE=$scratch/cache
state() { find . -path ./build -prune -o -path ./cache -prune -o -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum; }
before=$(state)

# Bad names: refused with exit code 2 and the reason; nothing is created.
refuses() {  # NAME REASON
  local code=0
  scripts/new_driver.sh --no-build "$1" >out 2>&1 || code=$?
  [ "$code" -eq 2 ] || fail "'$1' ended with $code instead of 2: $(cat out)"
  grep -qF -- "$2" out || fail "'$1' is refused without '$2': $(cat out)"
  rm out
  [ "$(state)" = "$before" ] || fail "refusing '$1' changed the tree"
}
refuses "" "no name is given"
refuses "My_Gpu" "'My_Gpu' is not a name for a driver"
refuses "../gpu" "'../gpu' is not a name for a driver"
refuses "gpu_" "'gpu_' is not a name for a driver"
refuses "a2345678901234567890123456" "has 26 characters"
refuses "cpu" "src/driver/cpu exists"
refuses "interface" "src/driver/interface exists"
refuses "gles" "registers a driver 'gles'"
refuses "runtime" "namespace quern::runtime is in use"
refuses "while" "'while' is a reserved word"
refuses "--nonsense" "unknown option '--nonsense'"

# A failing step: the tree is as it was before.
printf 'int x = ;\n' >src/driver/null/broken.cpp
broken=$(state)
code=0
scripts/new_driver.sh --prebuilt "$build" demo >out 2>&1 || code=$?
[ "$code" -eq 1 ] || fail "a driver that does not compile ended with $code instead of 1: $(tail -n 5 out)"
grep -q 'the tree is as it was before' out || fail "the failure is not reported: $(tail -n 5 out)"
rm out
[ "$(state)" = "$broken" ] || fail "a failure left something behind: $(find src/driver -newer src/driver/null/broken.cpp)"
rm src/driver/null/broken.cpp

# A good name: built, registered, tested.
scripts/new_driver.sh --prebuilt "$build" my_demo >out 2>&1 || fail "my_demo failed: $(tail -n 40 out)"
grep -q '\[  PASSED  \]' out || fail "no contract test ran: $(tail -n 20 out)"
passed=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) tests?\..*/\1/p' out)
[ "$passed" -ge 40 ] || fail "only $passed contract tests passed: $(tail -n 20 out)"
grep -q '.name = "my_demo", .folder = "my_demo", .make = my_demo::make_driver' build/new_driver/generated/builtin_drivers.cpp ||
  fail "my_demo is not in the table of drivers"
! grep -rnE 'null[^p]|Null|NULL' src/driver/my_demo || fail "names of the template are left"
grep -q 'src/driver/my_demo/' docs/architecture.md || fail "docs/architecture.md does not list my_demo"
refuses_again=0
scripts/new_driver.sh --no-build my_demo >/dev/null 2>&1 || refuses_again=$?
[ "$refuses_again" -eq 2 ] || fail "an existing driver was not refused"

# The removal hint removes everything.
removal=$(sed -n 's/^to remove it: //p' out)
rm out
bash -c "$removal"
[ "$(state)" = "$before" ] || fail "the removal hint leaves something behind"
echo "new_driver: $passed contract tests pass on a new driver"
