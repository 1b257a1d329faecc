#!/usr/bin/env bash
# Compiles small programs with the public headers and checks the compiler's messages. Nothing is linked or
# run.
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

# ---- Examples that the build leaves out because running them needs a GPU and PyTorch.

check "examples/pytorch compiles" compile "$sources/examples/pytorch/quern_torch.cpp"

# ---- Names of the kernel language that host headers declare too.

if command -v python3 >/dev/null; then
  check "the list of names is up to date" env -C "$sources" scripts/kernel_names.py --check
else
  echo "SKIPPED: python3 is not installed, so the list of names was not compared with the library"
fi

# Declares every name as host headers may: as functions with common signatures, which make an unhidden call
# ambiguous, or as variables, which make any use ambiguous. The host's own headers are included first, because
# they cannot be compiled after this. A using-directive makes the names visible in the global namespace, where
# the C library declares some of them already.
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

# ---- Warnings, with the headers included by -I and not as system headers.

strict=(-Wconversion -Wsign-conversion -Wold-style-cast -Wshadow -Wextra-semi -Wundef -Wnon-virtual-dtor)
if "$compiler" --version | grep -qi clang; then
  is_clang=1
else
  is_clang=0
  strict+=(-Wuseless-cast)
fi
headers=$(cd "$include" && find quern -name '*.hpp' | sort)
if [ $is_clang = 1 ]; then  # with GCC each header is compiled alone
  printf '#include <%s>\n' $headers >"$work/all.cpp"
  check "no warnings in all headers" compile "${strict[@]}" "$work/all.cpp"
else
  for header in $headers; do
    echo "#include <$header>" >"$work/alone.cpp"
    check "no warnings in $header" compile "${strict[@]}" "$work/alone.cpp"
  done
fi
check "no warnings in a program" compile "${strict[@]}" "$here/strict.cpp"

# ---- Errors: exactly one, whose line states what is wrong.

fails_with() {  # fails_with FILE CASE TEXT
  "$compiler" -std=c++20 -I"$include" -DCASE="$2" -fsyntax-only "$here/$1" >"$work/errors" 2>&1 && return 1
  cat "$work/errors"
  [ "$(grep -c 'error:' "$work/errors")" -eq 1 ] && grep 'error:' "$work/errors" | sed 's,\\,,g' | grep -qF "$3"
}
check "the main header alone" compile -DCASE=0 "$here/plain.cpp"
check "a misspelt feature" fails_with plain.cpp 1 "fp46"
check "a feature as a text" fails_with plain.cpp 2 "Feature"
check "valid launches" compile -DCASE=0 "$here/wrong_launch.cpp"
check "valid calls" compile -DCASE=0 "$here/host_function.cpp"
if [ $is_clang = 1 ]; then
  launch_errors=(
    "argument_matches<2, const quern::Buffer<float>, float>" "argument_count_matches<4, 3>" "argument_count_matches<4, 5>"
    "argument_matches<4, quern::Slice<const float>, float *>" "argument_matches<3, float *, const float *>"
    "argument_matches<3, quern::Buffer<double>, const float *>" "argument_matches<1, char[5], int>"
    "argument_matches<3, quern::Buffer<int>, const float *>" "argument_matches<2, quern::Buffer<double>, float *>"
    "argument_matches<4, const quern::Buffer<float>, float *>")
  helper_error="is_in_quern_code<'h', 'e', 'l', 'p', 'e', 'r'>"
  type_error="is_in_quern_code<'H', 'o', 's', 't', 'T', 'y', 'p', 'e'>"
else
  launch_errors=(
    "argument 2 of saxpy is const quern::Buffer<float>, parameter 'a' is float"
    "saxpy takes 4 arguments (int n, float a, const float* x, float* y), 3 are given"
    "saxpy takes 4 arguments (int n, float a, const float* x, float* y), 5 are given"
    "argument 4 of saxpy is quern::Slice<const float>, parameter 'y' is float*"
    "argument 3 of saxpy is float*, parameter 'x' is const float*"
    "argument 3 of saxpy is quern::Buffer<double>, parameter 'x' is const float*"
    "argument 1 of saxpy is char [5], parameter 'n' is int"
    "argument 3 of saxpy is quern::Buffer<int>, parameter 'x' is const float*"
    "argument 2 of scale is quern::Buffer<double>, parameter 'x' is T*"
    "argument 4 of saxpy is const quern::Buffer<float>, parameter 'y' is float*")
  helper_error="kernel wrong calls the host function 'helper': declare it in QUERN_CODE(...) before the kernel"
  type_error="kernel wrong calls the host function 'HostType'"
fi
for i in "${!launch_errors[@]}"; do
  check "wrong launch $((i + 1))" fails_with wrong_launch.cpp $((i + 1)) "${launch_errors[$i]}"
done
check "an upload to a const buffer" fails_with wrong_launch.cpp 11 "const quern::Buffer<float>"
check "a fill of a const buffer" fails_with wrong_launch.cpp 12 "no matching"
check "a writable slice of a const buffer" fails_with wrong_launch.cpp 13 "no matching"
for i in 1 2 3; do check "a host function in a kernel, $i" fails_with host_function.cpp $i "$helper_error"; done
check "a type of the host in a kernel" fails_with host_function.cpp 4 "$type_error"
check "the check of calls can be turned off" compile -DCASE=1 -DQUERN_NO_CALL_CHECK "$here/host_function.cpp"

echo "headers, $compiler: $passed passed, $failures failed"
[ "$failures" -eq 0 ]
