#!/usr/bin/env bash
# Checks that the required tools are installed. Usage: scripts/setup.sh [build] [demo] [test] [lint] [fuzz] [docs] [web]
# [browsers] (default: build test)
# If all tools are found, it installs nothing and needs no network. Missing tools are installed with apt on
# Debian and Ubuntu and with Homebrew on macOS; on other systems they are listed.
# QUERN_NO_INSTALL=1 disables installation.
set -euo pipefail

compiles() {  # compiles FLAGS... : whether the C++ compiler accepts the program on standard input
  ${CXX:-c++} -std=c++20 -x c++ "$@" - >/dev/null 2>&1
}

have_compiler() {
  printf '#include <version>\n#include <sys/stat.h>\n#if !defined(__cpp_lib_to_chars) && !defined(__APPLE__)\n#error\n#endif\nint main() {}\n' |
    compiles -o /dev/null
}

have_cmake() {
  command -v cmake >/dev/null || return 1
  local version
  version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
  [ "${version%%.*}" -gt 3 ] || { [ "${version%%.*}" -eq 3 ] && [ "${version#*.}" -ge 22 ]; }
}

is_macos() { [ "$(uname -s)" = Darwin ]; }

have_ninja() { command -v ninja >/dev/null || command -v ninja-build >/dev/null; }

have_pkg_config() { command -v pkg-config >/dev/null; }

have_gtest() { printf '#include <gtest/gtest.h>\n' | compiles -E || { is_macos && [ -d "$(brew --prefix googletest 2>/dev/null)/include" ]; }; }

# LLVM 15 or newer, as a library: the cpu device loads it at run time.
have_llvm() {
  local version library
  for version in 20 19 18 17 16 15; do
    for library in "libLLVM-$version.so.1" "libLLVM-$version.so" "libLLVM.so.$version.1"; do
      ! compgen -G "/usr/lib*/$library" >/dev/null || return 0
      ! compgen -G "/usr/lib/*/$library" >/dev/null || return 0
      ! compgen -G "/usr/local/lib*/$library" >/dev/null || return 0
    done
  done
  return 1
}

# have_library NAME : whether the loader finds it. Without a pipe, because grep would close it early.
have_library() { grep -q "$1" <<<"$(ldconfig -p 2>/dev/null)"; }

have_opencl() { have_library 'libOpenCL\.so\.1' && ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1; }

have_vulkan() {
  local folder
  have_library 'libvulkan\.so\.1' || return 1
  for folder in /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d; do
    ! compgen -G "$folder/*.json" >/dev/null || return 0
  done
  return 1
}

have_opengl() { have_library 'libEGL\.so\.1'; }

scripts=$(cd "$(dirname "$0")" && pwd)

have_wgpu_native() { [ -n "${QUERN_WEBGPU_LIBRARY:-}" ] || [ -e "$scripts/../build/tools/libwgpu_native.so" ]; }

have_wgpu_fetcher() { have_wgpu_native || python3 -m pip --version >/dev/null 2>&1; }

have_vulkan_validation() { compgen -G "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json" >/dev/null; }

have_hiprtc() { have_library 'libamdhip64\.so' || compgen -G "/opt/rocm*/lib/libhiprtc.so*" >/dev/null; }

# Packages exist for x86_64 only.
have_level_zero() {
  [ "$(uname -m)" != x86_64 ] || { have_library 'libze_loader\.so\.1' && [ -e /usr/include/level_zero/ze_api.h ]; }
}
have_vulkan_headers() { [ -e /usr/include/vulkan/vulkan_core.h ]; }

have_glslang() { command -v glslangValidator >/dev/null; }

have_spirv_tools() { command -v spirv-val >/dev/null; }

have_format() { command -v clang-format >/dev/null || command -v clang-format-14 >/dev/null; }

have_tidy() { command -v clang-tidy >/dev/null; }

have_fuzzer() {
  command -v clang++ >/dev/null &&
    printf 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n' |
    CXX=clang++ compiles -fsanitize=fuzzer,address,undefined -o /dev/null
}

# Theme and highlighter are Python modules of the interpreter that runs MkDocs.
have_mkdocs() { command -v mkdocs >/dev/null; }
have_mkdocs_theme() {
  have_mkdocs || return 1
  local python
  python=$(sed -n '1s/^#! *//p' "$(command -v mkdocs)")
  ${python:-python3} -c 'import sys, pygments, mkdocs.utils as u; sys.exit("material" not in u.get_theme_names())' 2>/dev/null
}

have_doxygen() { command -v doxygen >/dev/null; }

# The toolchain of cmake/wasm.cmake.
wasm_versions="22 21 20 19"
wasm_compiler=""
for version in $wasm_versions; do
  wasm_compiler+="${wasm_compiler:+,}clang-$version&lld-$version&llvm-$version&libc++-$version-dev-wasm32&libc++abi-$version-dev-wasm32&libclang-rt-$version-dev-wasm32&wasi-libc"
done
have_wasm_compiler() {
  local version
  for version in $wasm_versions; do
    ! printf '#include <string>\nint main() { return static_cast<int>(std::string("a").size()); }\n' |
      CXX=clang++-$version compiles --target=wasm32-wasi -fno-exceptions -o /dev/null || return 0
  done
  return 1
}

have_node() { command -v node >/dev/null; }

have_chromium() { command -v chromium >/dev/null && command -v chromedriver >/dev/null; }

have_firefox() { command -v firefox-esr >/dev/null; }

have_wasm_opt() { command -v wasm-opt >/dev/null; }

have_openmpi() { { command -v mpicc.openmpi && command -v mpirun.openmpi; } >/dev/null || [ -x /usr/lib64/openmpi/bin/mpicc ]; }

have_mpich() { { command -v mpicc.mpich && command -v mpirun.mpich; } >/dev/null || [ -x /usr/lib64/mpich/bin/mpicc ]; }

have_spin() { command -v spin >/dev/null && command -v cc >/dev/null; }

llvm_versions="14 15 16 17 18 19 20"

have_kernel_translator() {
  local version
  for version in $llvm_versions; do
    ! command -v "llvm-spirv-$version" >/dev/null || return 0
  done
  return 1
}

have_clang() { command -v clang >/dev/null && command -v clang++ >/dev/null; }

have_opencl_spirv() {
  local version
  for version in $llvm_versions; do
    ! { command -v "clang-$version" && command -v "llvm-spirv-$version"; } >/dev/null || return 0
  done
  return 1
}

# One line per tool: the function that finds it | its description | its Debian and Ubuntu packages.
# Package names change between releases. "a,b" is the first of both that the release has; "a&b" is both together.
opencl_device="have_opencl|an OpenCL device, if only the processor|ocl-icd-libopencl1 pocl-opencl-icd"
vulkan_device="have_vulkan|a Vulkan device, if only the processor|libvulkan1 mesa-vulkan-drivers"
opengl_device="have_opengl|OpenGL and OpenGL ES without a window, if only on the processor|libegl1 libgl1-mesa-dri"
llvm_library="have_llvm|LLVM 15 or newer (the library, for kernels on the processor)|libllvm20,libllvm19,libllvm18,libllvm17t64,libllvm17,libllvm16,libllvm15"
llvm_spirv="llvm-spirv-15,llvm-spirv-14,llvm-spirv-19,llvm-spirv-18,llvm-spirv-17,llvm-spirv-16"
opencl_c="clang-14&llvm-spirv-14,clang-15&llvm-spirv-15,clang-19&llvm-spirv-19,clang-18&llvm-spirv-18,clang-17&llvm-spirv-17"

# Optional tools: the tests or devices that use them are skipped if they are missing.
optional() {
  ! is_macos || return 0
  case $1 in
    demo)
      echo "$opencl_device"
      echo "$vulkan_device"
      echo "$opengl_device"
      ;;
    test)
      echo "have_glslang|glslangValidator, for programs in GLSL|glslang-tools"
      echo "$vulkan_device"
      echo "$opengl_device"
      echo "have_wgpu_fetcher|pip, which fetches wgpu-native for the tests on WebGPU|python3-pip"
      echo "have_vulkan_validation|Vulkan's validation layer|vulkan-validationlayers"
      echo "have_hiprtc|hiprtc, which compiles emitted HIP|libamdhip64-5,libamdhip64-6,libamdhip64-7"
      echo "have_vulkan_headers|Vulkan's header, which our declarations are compared with|libvulkan-dev"
      echo "have_level_zero|Level Zero's loader, validation layer and headers|libze1&libze-dev"
      echo "have_openmpi|Open MPI, which runs the tests of ranks in processes|libopenmpi-dev&openmpi-bin"
      echo "have_mpich|MPICH, likewise|libmpich-dev&mpich"
      echo "have_spin|Spin, which checks the models of the ring's protocol|spin"
      echo "have_kernel_translator|llvm-spirv, which validates SPIR-V for OpenCL|$llvm_spirv"
      echo "have_clang|clang, which validates emitted OpenCL C and Metal|clang"
      echo "have_opencl_spirv|clang and llvm-spirv of the same version, for programs in OpenCL C|$opencl_c"
      ;;
    docs) echo "have_doxygen|Doxygen, which generates the API reference|doxygen" ;;
    web) echo "have_wasm_opt|wasm-opt, which makes quern.wasm smaller|binaryen" ;;
  esac
}

required_on_macos() {
  case $1 in
    build)
      echo "have_compiler|a C++20 compiler (Apple clang of Xcode 16.3 or newer: xcode-select --install)|"
      echo "have_cmake|CMake 3.22 or newer|cmake"
      echo "have_ninja|Ninja|ninja"
      ;;
    test) echo "have_gtest|GoogleTest|googletest" ;;
    demo) ;;
    *) return 1 ;;
  esac
}

required() {
  ! is_macos || { required_on_macos "$1"; return; }
  case $1 in
    build)
      echo "have_compiler|a C++20 compiler (g++ 12 or clang 14, or newer)|g++"
      echo "have_cmake|CMake 3.22 or newer|cmake"
      echo "have_ninja|Ninja|ninja-build"
      echo "$llvm_library"
      ;;
    test)
      echo "have_gtest|GoogleTest|libgtest-dev"
      echo "have_pkg_config|pkg-config, which a program finds the installed library with|pkg-config"
      echo "$opencl_device"
      echo "have_glslang|glslangValidator, which validates emitted GLSL|glslang-tools"
      echo "have_spirv_tools|spirv-val, which validates emitted SPIR-V|spirv-tools"
      echo "$llvm_library"
      ;;
    demo) ;;
    lint)
      echo "have_format|clang-format|clang-format"
      echo "have_tidy|clang-tidy|clang-tidy"
      ;;
    docs)
      echo "have_mkdocs|MkDocs, which builds the documentation site|mkdocs"
      echo "have_mkdocs_theme|the MkDocs theme 'material' and Pygments|mkdocs-material python3-pygments"
      echo "have_doxygen|Doxygen, which generates the API reference|doxygen"
      ;;
    web)
      echo "have_cmake|CMake 3.22 or newer|cmake"
      echo "have_ninja|Ninja|ninja-build"
      echo "have_wasm_compiler|clang 19 or newer with libc++ and a C library for WebAssembly|$wasm_compiler"
      ;;
    browsers)
      echo "have_node|Node.js, which runs quern.wasm without a browser|nodejs"
      echo "have_chromium|Chromium and chromedriver, which run the tests of build/web|chromium chromium-driver"
      echo "have_firefox|Firefox, likewise|firefox-esr"
      ;;
    fuzz) echo "have_fuzzer|clang with libFuzzer and the sanitizers|clang libclang-rt-dev" ;;
    *) return 1 ;;
  esac
}

missing_tools=()
missing_packages=()

# find_missing LIST GROUP... : the tools in LIST (required or optional) of these groups that are not found
find_missing() {
  missing_tools=()
  missing_packages=()
  local list=$1 group check what packages
  shift
  for group in "$@"; do
    while IFS='|' read -r check what packages; do
      [[ " ${missing_tools[*]-} " != *" $what "* ]] || continue
      "$check" && continue
      missing_tools+=("$what")
      # shellcheck disable=SC2206  # a field may hold several packages
      missing_packages+=($packages)
    done < <("$list" "$group")
  done
}

can_install() { [ -z "${QUERN_NO_INSTALL:-}" ] && command -v apt-get >/dev/null && [ -f /etc/debian_version ]; }

# Never fails: tests report what they skip, and the demo lists the devices it finds.
install_optional() {
  find_missing optional "$@"
  [ ${#missing_tools[@]} -gt 0 ] || return 0
  echo "setup: optional tools that were not found:"
  name_missing
  if can_install && { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }; then
    install_missing || echo "setup: installing the optional tools failed"
    find_missing optional "$@"
    [ ${#missing_tools[@]} -gt 0 ] || return 0
  fi
  echo "setup: SKIPPED: tests and devices that use these:"
  name_missing
}

# Libraries that are no Debian packages.
fetch_libraries() {
  [[ " $* " == *" test "* ]] || return 0
  ! is_macos || return 0
  ! have_wgpu_native || return 0
  if [ -n "${QUERN_NO_INSTALL:-}" ] || ! "$scripts/fetch_wgpu_native.sh"; then
    echo "setup: SKIPPED: tests on WebGPU: wgpu-native is not there (scripts/fetch_wgpu_native.sh)"
  fi
}

name_missing() {
  local what
  for what in "${missing_tools[@]}"; do echo "  - $what"; done
}

give_up() {
  echo "setup: please install the tools above, then run this again" >&2
  exit 1
}

has_package() { grep -q '^Package:' <<<"$(apt-cache show "$1" 2>/dev/null)"; }

# available CHOICES : the packages of the first of the comma-separated choices that this release has completely
available() {
  local choice package complete
  for choice in ${1//,/ }; do
    complete=1
    for package in ${choice//&/ }; do has_package "$package" || complete=; done
    if [ -n "$complete" ]; then
      echo "${choice//&/ }"
      return
    fi
  done
  return 1
}

install_missing() {
  local -a as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "setup: not root, and there is no sudo; as root: apt-get install ${missing_packages[*]}" >&2
      exit 1
    }
    as_root=(sudo)
  fi
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y)
  echo "setup: ${apt[*]} update"
  "${apt[@]}" update
  local choices packages
  local -a known=()
  for choices in "${missing_packages[@]}"; do
    if packages=$(available "$choices"); then
      # shellcheck disable=SC2206  # a choice may consist of several packages
      known+=($packages)
    else
      echo "setup: $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release) has none of these packages: ${choices//,/, }"
    fi
  done
  [ ${#known[@]} -gt 0 ] || return 0
  echo "setup: ${apt[*]} install --no-install-recommends ${known[*]}"
  "${apt[@]}" install --no-install-recommends "${known[@]}"
}

main() {
  local group
  [ $# -gt 0 ] || set -- build test
  for group in "$@"; do
    required "$group" >/dev/null || {
      echo "setup: '$group' is not one of build, demo, test, lint, fuzz, docs, web and browsers" >&2
      exit 2
    }
  done

  find_missing required "$@"
  if [ ${#missing_tools[@]} -eq 0 ]; then
    echo "setup: everything for '$*' is installed"
    install_optional "$@"
    fetch_libraries "$@"
    return
  fi
  echo "setup: not found:"
  name_missing
  if [ -n "${QUERN_NO_INSTALL:-}" ]; then
    echo "setup: QUERN_NO_INSTALL is set, so nothing is installed"
    give_up
  fi
  if is_macos && command -v brew >/dev/null && [ ${#missing_packages[@]} -gt 0 ]; then
    echo "setup: brew install ${missing_packages[*]}"
    brew install "${missing_packages[@]}"
  elif ! command -v apt-get >/dev/null || [ ! -f /etc/debian_version ]; then
    echo "setup: this is not Debian or Ubuntu, so nothing is installed"
    ! is_macos || echo "setup: with Homebrew: brew install cmake ninja googletest"
    give_up
  else
    install_missing
  fi
  find_missing required "$@"
  if [ ${#missing_tools[@]} -eq 0 ]; then
    install_optional "$@"
    fetch_libraries "$@"
    return
  fi
  echo "setup: these are still not found after the installation:"
  name_missing
  give_up
}

main "$@"
