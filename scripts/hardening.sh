#!/usr/bin/env bash
# Checks how built files are protected, as checksec does: scripts/hardening.sh FILE...
# Each FILE is a shared library or a program. Exit code: 0 all checks pass, 1 some fail, 77 readelf is missing.
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: scripts/hardening.sh FILE..." >&2; exit 2; }
command -v readelf >/dev/null || { echo "hardening: SKIPPED: readelf (binutils) is not installed" >&2; exit 77; }

failed=0
check() {  # check NAME CONDITION...
  local name=$1
  shift
  if "$@"; then
    printf '  ok    %s\n' "$name"
  else
    printf '  FAIL  %s\n' "$name"
    failed=1
  fi
}
has() { grep -Eq "$2" <<<"$1"; }
lacks() { ! grep -Eq "$2" <<<"$1"; }

for file in "$@"; do
  echo "$file"
  header=$(readelf -hW "$file")
  segments=$(readelf -lW "$file")
  dynamic=$(readelf -dW "$file")
  symbols=$(readelf -W --dyn-syms "$file")
  check "position independent" has "$header" 'Type: +DYN'
  check "relocations read-only (-z relro)" has "$segments" '^ +GNU_RELRO '
  check "immediate binding (-z now)" has "$dynamic" 'BIND_NOW|FLAGS_1.*NOW'
  check "stack not executable" has "$segments" '^ +GNU_STACK .* RW +0x'
  check "no segment writable and executable" lacks "$segments" '^ +LOAD .* RWE '
  check "no relocations in code" lacks "$dynamic" 'TEXTREL'
  check "no search path for libraries" lacks "$dynamic" '\((RPATH|RUNPATH)\)'
  check "stack protector" has "$symbols" '__stack_chk_fail'
  check "fortified functions (_FORTIFY_SOURCE)" has "$symbols" '__[a-z]+_chk(@|$| )'
done
exit "$failed"
