#!/usr/bin/env bash
# Installs a build to a temporary folder and uses it like an external program.
# Usage: run.sh BUILD_FOLDER COMPILER   Exit code 77: the compiler is not installed, nothing was tested.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=$(cd "$here/../.." && pwd)
build=$1
compiler=$2

command -v "$compiler" >/dev/null || {
  echo "SKIPPED: $compiler is not installed, so nothing was compiled with it"
  exit 77
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
strict=(-std=c++20 -Wall -Wextra -Wpedantic -Werror)
failures=0
passed=0

check() {  # check WHAT COMMAND... : the command must succeed
  local what=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    passed=$((passed + 1))
    echo "ok: $what$(awk 'END { if (NR == 1 && length($0) < 60) print " (" $0 ")" }' "$work/output")"
  else
    failures=$((failures + 1))
    echo "FAILED: $what"
    head -c 4000 "$work/output"
  fi
}

# ---- The installation.

check "cmake --install" cmake --install "$build" --prefix "$prefix"
libdir=$(dirname "$(find "$prefix" -name 'libquern.so' | head -1)")
include=$prefix/include
export PKG_CONFIG_PATH=$libdir/pkgconfig
export LD_LIBRARY_PATH=$libdir
[ -d "$libdir" ] || {
  echo "FAILED: no shared library was installed"
  exit 1
}

has_soname() { readelf -d "$libdir/libquern.so" | grep -q 'SONAME.*\[libquern\.so\.0\]'; }
# Limits in KiB: code for x86_64 is a tenth larger than for aarch64, and GCC 13 and later inline more.
is_small() {
  local most=7168
  [ "$(uname -m)" != x86_64 ] || most=7936
  [ "$(c++ -dumpversion | cut -d. -f1)" -lt 13 ] || most=$((most + 1280))
  most=$((most << 10))
  strip -o "$work/stripped.so" "$libdir/libquern.so"
  local size
  size=$(stat -c %s "$work/stripped.so")
  echo "stripped: $size bytes"
  [ "$size" -le "$most" ]
}
# All exported symbols are our own, and internal ones are hidden.
shows_only_ours() {
  nm -DC --defined-only "$libdir/libquern.so" | cut -c20- >"$work/symbols"
  [ -s "$work/symbols" ] || return 1
  grep -vE '^((typeinfo|typeinfo name|vtable|TLS (init|wrapper) function) for )?quern::' "$work/symbols" && return 1
  grep -E '^quern::(base|lang|ir|pass|sema|sim|native|driver|runtime)::' "$work/symbols" && return 1
  grep -q '^quern::open' "$work/symbols"
}
needs_nothing_special() {
  ! readelf -d "$libdir/libquern.so" | grep NEEDED | grep -vE 'lib(stdc\+\+|m|gcc_s|c|dl|pthread)\.so|ld-linux'
}
check "the library's files" test -f "$libdir/libquern.so.0.1" -a -f "$libdir/libquern.a" -a \
  -f "$libdir/pkgconfig/quern.pc"
check "SONAME" has_soname
check "size of the stripped library" is_small
check "symbols" shows_only_ours
check "libraries it needs" needs_nothing_special
check "the licence" test -f "$prefix/share/doc/quern/LICENSE"
check "the tool" "$prefix/bin/quern" --version
check "docs and examples" test -f "$prefix/share/doc/quern/docs/language.md" -a -f "$prefix/share/doc/quern/examples/nbody.cpp"
check "the manual page" grep -q '^.TH QUERN 1' "$prefix/share/man/man1/quern.1"
check "shell completions" test -s "$prefix/share/bash-completion/completions/quern" -a \
  -s "$prefix/share/zsh/site-functions/_quern" -a -s "$prefix/share/fish/vendor_completions.d/quern.fish"

# ---- Headers and programs.

headers() { (cd "$1" && find . -name '*.hpp' | sort); }
check "all headers are installed" diff <(headers "$sources/include") <(headers "$include")  # tests/headers compiles them

check "find_package: configure" cmake -S "$here/outside" -B "$work/outside" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="${strict[*]:1}"
check "find_package: build" cmake --build "$work/outside"
for program in outside outside_static; do
  for device in sim native; do
    check "$program on $device" "$work/outside/$program" $device
  done
done

# shellcheck disable=SC2046  # the flags are words
check "pkg-config" "$compiler" "${strict[@]}" -O1 "$here/outside/main.cpp" "$here/outside/second.cpp" \
  -o "$work/plain" $(pkg-config --cflags --libs quern)
check "the program made with pkg-config" "$work/plain" native

first_program() {
  [ "$(wc -l <"$sources/examples/first.cpp")" -le 15 ] || return 1
  local seconds
  TIMEFORMAT='%U'
  # shellcheck disable=SC2046
  seconds=$({ time "$compiler" "${strict[@]}" "$sources/examples/first.cpp" -o "$work/first" \
    $(pkg-config --cflags --libs quern) >&3 2>&3; } 3>"$work/messages" 2>&1) || return 1
  cat "$work/messages"
  echo "compiled in $seconds s of CPU time"
  [ ! -s "$work/messages" ] && QUERN_DEVICE=native "$work/first" | grep -q 'says 5'
}
check "the first program" first_program

# shellcheck disable=SC2046
check "a program with an actor" "$compiler" "${strict[@]}" "$here/ring.cpp" -o "$work/ring" \
  $(pkg-config --cflags --libs quern_ring)
says_seven() { "$work/ring" | grep -x 'driven: 7'; }
check "it counts" says_seven

# shellcheck disable=SC2046
check "a program with an operation" "$compiler" "${strict[@]}" "$here/ops.cpp" -o "$work/ops" \
  $(pkg-config --cflags --libs quern_ops)
says_sum() { "$work/ops" | grep -x 'sum: 7'; }
check "it adds" says_sum

# shellcheck disable=SC2046
check "a program with ranks" "$compiler" "${strict[@]}" "$here/comm.cpp" -o "$work/comm" \
  $(pkg-config --cflags --libs quern_comm)
says_ranks() { "$work/comm" | grep -x 'sum: 3'; }
check "they add" says_ranks

# ---- The installed examples: each builds from its own sources and runs in its folder.

examples=$prefix/share/doc/quern/examples
example() {  # example NAME SOURCE... : builds it and runs it on the simulator
  local name=$1
  shift
  # shellcheck disable=SC2046
  (cd "$examples" && "$compiler" "${strict[@]}" -O1 "$@" -o "$work/example" $(pkg-config --cflags --libs quern_comm)) || return 1
  case $name in
    group) "$work/example" sim cpu ;;
    first) QUERN_DEVICE=sim "$work/example" ;;
    nbody) "$work/example" sim 100 10 ;;
    kmeans) "$work/example" sim 500 ;;
    heat) "$work/example" sim 16 5 ;;
    cg) "$work/example" sim 6 ;;
    blur) "$work/example" sim ;;
    counters) "$work/example" sim 400 ;;
    store) (cd "$examples/ring" && "$work/example" sim 40) ;;
    pipeline) (cd "$examples/ring" && "$work/example" sim 20) ;;
    wave) (cd "$examples/ring" && "$work/example" --on sim --size 24x16 --check --script 'impulse 12 8 3; steps 2') ;;
  esac
}
check "example nbody" example nbody nbody.cpp
check "example ring/store" example store ring/store.cpp
if [ "$compiler" = g++ ]; then  # the others once: they compile slowly
  for source in "$examples"/*.cpp; do
    name=$(basename "$source" .cpp)
    [ "$name" = nbody ] || check "example $name" example "$name" "$name.cpp"
  done
  check "example ring/counters" example counters ring/counters.cpp
  check "example ring/pipeline" example pipeline ring/pipeline.cpp
  check "example ring/wave" example wave ring/wave.cpp "$examples"/ring/wave/*.cpp
fi

# The shortest of many starts: the machine may be busy.
starts_quickly() {
  local best=1000000 begin end i
  for i in {1..40}; do
    begin=${EPOCHREALTIME/[.,]/}
    "$@" >/dev/null || return 1
    end=${EPOCHREALTIME/[.,]/}
    [ $((end - begin)) -ge $best ] || best=$((end - begin))
  done
  echo "$best µs"
  [ $best -lt 5000 ]
}
# shellcheck disable=SC2046
check "an empty program" "$compiler" "${strict[@]}" "$here/empty.cpp" -o "$work/empty" $(pkg-config --cflags --libs quern)
check "it starts within 5 ms" starts_quickly "$work/empty"
check "so does the tool" starts_quickly "$prefix/bin/quern" --version

# With an older C++ standard, the first error says so.
older_language() {
  "$compiler" -std=c++17 -I"$include" -fsyntax-only "$here/empty.cpp" >"$work/errors" 2>&1 && return 1
  grep -m 1 'error:' "$work/errors" | grep -qF 'Quern needs C++20: compile with -std=c++20'
}
check "C++17 is rejected" older_language

# ---- As part of another project, and as a package.

subproject() {
  cmake -S "$here/outside" -B "$work/sub" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DQUERN_SOURCES="$sources" "$@" &&
    ninja -C "$work/sub" -t targets all >"$work/targets" && grep -q '^outside:' "$work/targets" &&
    ! grep -qE '^(quern_tool|test_base|bin/quern)' "$work/targets"
}
check "add_subdirectory" subproject
check "without the shared library" subproject -DQUERN_SHARED=OFF
check "without drivers" subproject -DQUERN_SHARED=ON -DQUERN_DRIVER_SIM=OFF -DQUERN_DRIVER_NATIVE=OFF -DQUERN_DRIVER_CPU=OFF

package() {
  (cd "$work" && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/deb") &&
    dpkg-deb -x "$work"/deb/quern_*.deb "$work/root" && "$work/root/usr/bin/quern" --version &&
    dpkg-deb -f "$work"/deb/quern_*.deb Depends | grep libstdc++ || return 1
  local lib
  lib=$(dirname "$(find "$work/root" -name 'libquern.so')")
  # shellcheck disable=SC2046
  "$compiler" "${strict[@]}" "$here/empty.cpp" -o "$work/packed" \
    $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs quern) && LD_LIBRARY_PATH=$lib "$work/packed"
}
if command -v dpkg-deb >/dev/null; then
  check "the Debian package" package
else
  echo "SKIPPED: dpkg-deb is not installed, so no package was created"
fi

echo "install, $compiler: $passed passed, $failures failed"
[ "$failures" -eq 0 ]
