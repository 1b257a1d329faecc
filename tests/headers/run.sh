#!/usr/bin/env bash
# Compiles small programs with the public headers and looks at what the compiler says. Nothing is linked or run.
# Usage: run.sh COMPILER   Exit code 77: the compiler is not installed, nothing was tested.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=$(cd "$here/../.." && pwd)
include=$sources/include
compiler=$1

command -v "$compiler" >/dev/null || {
  echo "SKIPPED: $compiler is not installed, so nothing was compiled with it"
  exit 77
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
passed=0

check() {  # check WHAT COMMAND... : the command must succeed
  local what=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    passed=$((passed + 1))
    echo "ok: $what"
  else
    failures=$((failures + 1))
    echo "FAILED: $what"
    head -c 4000 "$work/output"
  fi
}
compile() { "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I"$include" "$@"; }

# ---- Names of the kernel language that the host's headers declare too.

if command -v python3 >/dev/null; then
  check "the list of names is up to date" env -C "$sources" scripts/kernel_names.py --check
else
  echo "SKIPPED: python3 is not installed, so the list of names was not compared with the library"
fi

# Declares every name as a host's headers may: as functions of the commonest signatures, which make an unhidden call
# ambiguous, or as variables, which make any mention ambiguous. The host's own headers come first, since they do not
# survive this. A using-directive shows the names in the global namespace, where the C library has some of them already.
write_names() {  # write_names functions|variables
  mkdir -p "$work/$1"
  {
    grep -rhoE '^#include <[a-z_0-9]+>' "$include/quern" | sort -u
    grep -oE 'quern_names_::\w+' "$include/quern/kernel/using.hpp" | sed 's/.*:://' | grep -vxE 'printf|assert|__assert_fail' |
      awk -v kind="$1" '
        BEGIN { print "namespace hostile { struct Other {};" }
        kind == "variables" { print "extern Other " $1 ";" }
        kind == "functions" {
          count = split("float;double;int;unsigned;float, float;double, double;int, int;float, float, float", list, ";")
          for (i = 1; i <= count; ++i) print "Other " $1 "(" list[i] ");"
        }
        # Looked up where it is written, never called.
        { uses = uses ($1 ~ /Idx$|Dim$|^warpSize$/ ? "(void)" $1 ";" : "(void)[](auto v) { return " $1 "(v); };") " " }
        END { print "}\nusing namespace hostile;\n#define QUERN_ALL_NAMES " uses }'
  } >"$work/$1/names.hpp"
  [ "$(wc -l <"$work/$1/names.hpp")" -gt 1000 ]
}
for kind in functions variables; do
  check "names.hpp with $kind" write_names $kind
  check "$kind with our names before Quern's headers" compile -DBEFORE -I"$work/$kind" "$here/names.cpp"
  check "$kind with our names after Quern's headers" compile -I"$work/$kind" "$here/names.cpp"
done

echo "headers, $compiler: $passed passed, $failures failed"
[ "$failures" -eq 0 ]
