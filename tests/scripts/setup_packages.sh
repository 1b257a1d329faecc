#!/usr/bin/env bash
# Checks which packages scripts/setup.sh asks for on a machine that has nothing: apt and the tools are stand-ins.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -f /etc/debian_version ] || { echo "SKIPPED: setup.sh installs packages on Debian and Ubuntu only"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for tool in bash sed grep dirname env cat; do ln -s "$(command -v $tool)" "$folder/$tool"; done
stand_in() { printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$folder/$1"; chmod +x "$folder/$1"; }
stand_in id 'echo 0'
# A release that has GCC 14, LLVM 19 and no package of clang 14 or 15.
stand_in apt-cache 'case $2 in *-1[458]|*-2[0-9]|libllvm20|libllvm15) ;; ?*) echo "Package: $2" ;; esac'
stand_in apt-get "[[ \" \$* \" != *' install '* ]] || echo \"\$*\" >>$folder/installed"

PATH=$folder scripts/setup.sh build test >"$folder/output" 2>&1 || true  # the stand-ins install nothing
for package in g++ cmake ninja-build libgtest-dev; do
  grep -qF " $package" "$folder/installed" || { cat "$folder/output"; echo "setup.sh does not install '$package'"; exit 1; }
done
! grep -q 'has none of these packages' "$folder/output" || { cat "$folder/output"; exit 1; }
echo "setup.sh installs: $(cat "$folder/installed")"
