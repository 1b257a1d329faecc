# Toolchain file: WebAssembly with Debian's clang, libc++ and wasi-libc. Neither threads nor exceptions exist there.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
find_program(QUERN_WASM_CLANG NAMES clang++-22 clang++-21 clang++-20 clang++-19 REQUIRED)
set(CMAKE_CXX_COMPILER "${QUERN_WASM_CLANG}")
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_FLAGS_INIT -Wno-deprecated)  # the name of the target, under which Debian installs its libraries
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
string(REGEX REPLACE "clang\\+\\+(-[0-9]+)?$" "llvm-ar\\1" QUERN_WASM_AR "${QUERN_WASM_CLANG}")
string(REGEX REPLACE "clang\\+\\+(-[0-9]+)?$" "llvm-ranlib\\1" QUERN_WASM_RANLIB "${QUERN_WASM_CLANG}")
set(CMAKE_AR "${QUERN_WASM_AR}" CACHE FILEPATH "")
set(CMAKE_RANLIB "${QUERN_WASM_RANLIB}" CACHE FILEPATH "")
