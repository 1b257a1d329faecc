#!/usr/bin/env bash
# Fetches the library of wgpu-native from the Python package wgpu: scripts/fetch_wgpu_native.sh [FOLDER [ARCHITECTURE]]
# (default: build/tools and this machine's). Nothing is installed. A library that is there is kept. The checksums of
# the packages are fixed.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/build/tools}
architecture=${2:-$(uname -m)}
version=0.32.0
declare -A checksums=(
  [aarch64]=00454ba1bc794d38c8365f4ad29f381b88ce0a7f115133bfaa6f1dfad7eb2764
  [x86_64]=6499a31b5a29a10b4f1089fea4a0806411f42605fa86b6c0b543a07ca0de8568
)

fail() {
  echo "fetch_wgpu_native: $1" >&2
  echo "hint: $2" >&2
  exit 1
}

[ ! -e "$folder/libwgpu_native.so" ] || exit 0
checksum=${checksums[$architecture]:-}
[ -n "$checksum" ] || fail "no checksum is known for $architecture" "set QUERN_WEBGPU_LIBRARY to a library of WebGPU"
python3 -m pip --version >/dev/null 2>&1 || fail "python3 has no pip" "install python3-pip"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "wgpu==$version --hash=sha256:$checksum" >"$work/packages"
echo "fetch_wgpu_native: pip download wgpu==$version ($architecture)"
python3 -m pip download -q --no-deps --require-hashes --only-binary :all: --platform "manylinux_2_28_$architecture" \
  --retries 5 -d "$work" -r "$work/packages" ||
  fail "pip download of wgpu $version failed" "set QUERN_WEBGPU_LIBRARY to a library of WebGPU, or check the network"
python3 -m zipfile -e "$work"/*.whl "$work/content"
mkdir -p "$folder"
cp "$work/content/wgpu/resources/libwgpu_native-release.so" "$folder/libwgpu_native.so.$$"
mv "$folder/libwgpu_native.so.$$" "$folder/libwgpu_native.so"  # no other process sees half of it
