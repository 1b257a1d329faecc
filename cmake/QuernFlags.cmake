# Compiler settings that every target of this project shares, as one interface library: quern_flags.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER AND NOT QUERN_NO_CCACHE)
  find_program(QUERN_CCACHE ccache)
  mark_as_advanced(QUERN_CCACHE)
  if(QUERN_CCACHE)
    # Precompiled headers are hashed by their contents; GCC tells ccache which one it uses.
    # Paths below the sources are hashed relative to them, so that another clone finds the objects.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=true "${QUERN_CCACHE}")
  endif()
endif()

if(TARGET quern_flags)  # of QUERN_PREBUILT
  return()
endif()
add_library(quern_flags INTERFACE)
if(QUERN_PCH AND QUERN_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(quern_flags INTERFACE -fpch-preprocess)
endif()

target_compile_options(quern_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wformat=2
  -Wimplicit-fallthrough -Wundef -Wvla
  # In a unit of several files, names of the other files are not shadowed, and a class of an included source may
  # use its anonymous namespace.
  $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-shadow>
  $<$<AND:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>
  $<$<BOOL:${QUERN_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op>
  $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wunreachable-code-return>)

# Floating point follows the source exactly: the simulator and the constant folder must agree on every
# machine.
target_compile_options(quern_flags INTERFACE -ffp-contract=off)

# Apple's library declares std::stop_token only with this macro.
if(CMAKE_CXX_COMPILER_ID STREQUAL "AppleClang")
  target_compile_definitions(quern_flags INTERFACE _LIBCPP_ENABLE_EXPERIMENTAL)
endif()

# Unreferenced functions are removed from shipped binaries.
if(APPLE)
  target_link_options(quern_flags INTERFACE $<$<CONFIG:Release>:-Wl,-dead_strip>)
else()
  target_compile_options(quern_flags INTERFACE $<$<CONFIG:Release>:-ffunction-sections -fdata-sections>)
  target_link_options(quern_flags INTERFACE $<$<CONFIG:Release>:-Wl,--gc-sections>)
endif()

# Hardening of shipped binaries (scripts/hardening.sh checks it): stack canaries, fortified C library
# functions, read-only relocations, position-independent executables.
if(NOT APPLE AND NOT QUERN_SANITIZE AND NOT QUERN_FUZZ AND NOT CMAKE_SYSTEM_NAME STREQUAL "WASI")
  include(CheckPIESupported)
  check_pie_supported()
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -Werror")
  check_cxx_source_compiles("#include <cstdio>\nint main() { return std::puts(\"\"); }" QUERN_HAS_FORTIFY_3)
  unset(CMAKE_REQUIRED_FLAGS)
  set(fortify 2)
  if(QUERN_HAS_FORTIFY_3)
    set(fortify 3)
  endif()
  target_compile_options(quern_flags INTERFACE
    $<$<CONFIG:Release>:-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${fortify}>)
  target_link_options(quern_flags INTERFACE "$<$<CONFIG:Release>:LINKER:-z,relro,-z,now,-z,noexecstack>")
endif()

if(QUERN_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "QUERN_FUZZ needs clang; configure with -DCMAKE_CXX_COMPILER=clang++ (or the preset 'fuzz')")
  endif()
  set(QUERN_SANITIZE "address,undefined")
  target_compile_options(quern_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(QUERN_SANITIZE)
  target_compile_options(quern_flags INTERFACE
    -fsanitize=${QUERN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  # Every program: also one that is not instrumented loads instrumented libraries.
  add_link_options(-fsanitize=${QUERN_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers GCC's flow-based warnings see paths that do not exist; the normal builds keep them as
    # errors.
    target_compile_options(quern_flags INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds
      -Wno-restrict -Wno-nonnull
      -Wno-tsan)  # the thread sanitizer ignores fences: false positives are possible, false negatives are not
  endif()
endif()
