#!/usr/bin/env bash
# Checks that every #include points to a lower layer, and that no file is too long.
# A layer's list contains the folders below src/ that it may include from, besides its own and the standard library.
set -euo pipefail
cd "$(dirname "$0")/.."

failures=0
complain() {
  echo "layers: $1"
  failures=$((failures + 1))
}

# Prints "file:line:path" of each quoted include below the folder.
quoted_includes() {
  grep -rnE --include='*.cpp' --include='*.hpp' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$1" |
    sed -nE 's/^([^:]+:[0-9]+):[^"]*"([^"]+)".*/\1 \2/p' || true
}

# allow FOLDER ALLOWED... : FOLDER (below src/) includes only from itself and from ALLOWED, which are folders or files.
allow() {
  local folder=$1 place path ok prefix
  shift
  [ -d "src/$folder" ] || return 0
  while read -r place path; do
    [ -n "$place" ] || continue
    ok=no
    for prefix in "$folder" "$@"; do
      [[ $path != "$prefix"/* && $path != "$prefix" ]] || ok=yes
    done
    [ "$ok" = yes ] || complain "$place includes \"$path\"; src/$folder may include only from: src/$folder $*"
  done < <(quoted_includes "src/$folder" | grep "${suffix:-}" || true)
}

# allow_headers FOLDER ALLOWED... : the same for the headers of FOLDER alone.
allow_headers() { suffix='\.hpp:' allow "$@"; }

# forbid FOLDER REASON HEADER... : standard or system headers that must not be included there.
forbid() {
  local folder=$1 reason=$2 header place
  shift 2
  [ -d "$folder" ] || return 0
  for header in "$@"; do
    while IFS= read -r place; do
      [ -z "$place" ] || complain "$(cut -d: -f1,2 <<<"$place") includes <$header>; $reason"
    done < <(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<$header>" "$folder" || true)
  done
}

allow base quern/types
allow lang base
allow lang/tree lang/ir lang/text base
allow lang/constant lang/sema lang/tree lang/ir base
allow lang/parse lang/sema lang/constant lang/tree lang/builtin lang/ir lang/text base
allow lang/sema lang/parse lang/constant lang/tree lang/builtin lang/ir lang/text base
# Semantic analysis parses declarations on demand, in its sources. Its headers do not depend on the parser.
allow_headers lang/sema lang/constant lang/tree lang/ir lang/text base
allow spirv lang base
allow spirv/grammar
allow spirv/writer spirv/grammar
allow spirv/reflect spirv/grammar base
allow target driver/interface spirv lang base
# Of the public headers, lower layers include only plain data (quern/types, quern/interop) and the kernel
# language on the host (quern/kernel).
allow driver/interface quern/types quern/interop lang base
allow driver/support driver/interface quern/kernel quern/types quern/interop lang base
allow driver/decorators driver/interface driver/support quern/types target lang base
for driver in src/driver/*/; do  # a driver does not include another driver
  driver=$(basename "$driver")
  case $driver in interface | support | decorators) continue ;; esac
  allow "driver/$driver" driver/interface driver/support quern/kernel quern/types quern/interop lang spirv target base
done
allow telemetry quern/types base
allow runtime quern/kernel quern/types quern/interop telemetry driver target lang base
allow api quern runtime telemetry driver target lang base
allow ring quern base/message.hpp  # a header without a source file: ring links the public interface alone
allow ops quern base/message.hpp   # the same
allow comm quern base/message.hpp  # the same
allow web quern/types runtime driver target spirv lang base

# Plain data includes no other public header.
for folder in types interop; do
  while read -r place path; do
    case $path in
      quern/types/* | quern/interop/* | quern/export.hpp) ;;
      *) complain "$place includes \"$path\"; headers of plain data include only quern/types, quern/interop and quern/export.hpp" ;;
    esac
  done < <(quoted_includes "include/quern/$folder")
done

forbid src/lang "the language must also run in a browser: no threads, file system or processes" \
  thread mutex shared_mutex condition_variable future filesystem fstream unistd.h pthread.h dlfcn.h 'sys/[a-z]+\.h'
while read -r place path; do
  case $path in
    base/file.hpp | base/shared_library.hpp | base/progress.hpp | base/terminal.hpp)
      complain "$place includes \"$path\"; the language reads files through its own interface" ;;
  esac
done < <([ ! -d src/lang ] || quoted_includes src/lang)

kMostLines=800
while IFS= read -r file; do
  lines=$(wc -l <"$file")
  [ "$lines" -le $kMostLines ] || complain "$file has $lines lines; the limit is $kMostLines"
  [[ $file != *.hpp ]] || grep -q '^#pragma once' "$file" || complain "$file has no #pragma once"
done < <(find src include tools -type f \( -name '*.cpp' -o -name '*.hpp' \) 2>/dev/null | sort)

[ "$failures" -eq 0 ] || exit 1
echo "layers: all includes point to lower layers"
