# The build for browsers (preset `web`): the layers below the runtime that need no operating system, the drivers
# sim and webgpu, and the interface to JavaScript in src/web. The result is the folder build/web.
#
# What a browser does not have is left out here. src/web/platform.cpp defines the few functions of those files
# that are still called.
set(without
  # files, environment variables, processes, terminals, threads
  base/environment base/fiber base/file base/fork base/log base/npy base/output_file base/private_folder base/processor_name
  base/program_path base/progress base/shared_library base/signal_text base/store base/store_entry base/table base/terminal
  base/terminal_filter base/try_in_child base/variables
  base/result  # throws
  driver/interface/interop driver/support/kernel_host driver/support/manifests driver/support/staging_copier
  driver/webgpu/load
  target/llvm)  # no browser runs it
list(TRANSFORM without PREPEND "^${PROJECT_SOURCE_DIR}/src/")
list(JOIN without "[./]|" QUERN_LAYER_WITHOUT)
string(APPEND QUERN_LAYER_WITHOUT "[./]")

add_compile_options(-fno-exceptions)
# <mutex> and <condition_variable> for a single thread.
include_directories(BEFORE SYSTEM "${PROJECT_SOURCE_DIR}/src/web/single_thread")

quern_layer(quern_base   FOLDERS src/base)
quern_layer(quern_lang   FOLDERS src/lang       USES quern_base)
include(src/lang/builtin/embed.cmake)
# QUERN_TRY uses __COUNTER__, which -Wpedantic reports. Interface options come after it.
target_compile_options(quern_lang INTERFACE -Wno-unknown-warning-option -Wno-c2y-extensions)
quern_layer(quern_spirv  FOLDERS src/spirv      USES quern_lang)
quern_layer(quern_driver FOLDERS src/driver/interface src/driver/support USES quern_lang)
quern_layer(quern_target FOLDERS src/target     USES quern_driver quern_spirv quern_lang)
include(src/driver/sim/driver.cmake)
include(src/driver/webgpu/driver.cmake)

# Initial and largest size of the memory, and the size of the stack, in bytes. The largest size bounds what a text can
# cost; beyond it, the instance traps.
set(memory 33554432)
set(most_memory 1073741824)
set(stack 4194304)
file(GLOB sources CONFIGURE_DEPENDS src/web/*.cpp src/web/*.hpp)
# Of the runtime, the checks of a launch need no threads.
add_executable(quern_wasm ${sources} src/runtime/launch_check.cpp)
target_include_directories(quern_wasm PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(quern_wasm PRIVATE quern_flags quern_sim quern_webgpu quern_target quern_driver quern_lang quern_base)
target_link_options(quern_wasm PRIVATE -mexec-model=reactor
  LINKER:--export-table,--initial-memory=${memory},--max-memory=${most_memory},-z,stack-size=${stack},--stack-first
  LINKER:--strip-all)
set_target_properties(quern_wasm PROPERTIES OUTPUT_NAME quern.wasm SUFFIX "")

# build/web: what a server needs. The module is made smaller if Binaryen is installed.
set(QUERN_WEB_FOLDER "${PROJECT_SOURCE_DIR}/build/web" CACHE PATH "The folder for quern.js and quern.wasm")
find_program(QUERN_WASM_OPT wasm-opt)
mark_as_advanced(QUERN_WASM_OPT)
set(shrink COMMAND "${CMAKE_COMMAND}" -E copy $<TARGET_FILE:quern_wasm> "${QUERN_WEB_FOLDER}/quern.wasm")
if(QUERN_WASM_OPT)
  set(shrink COMMAND "${QUERN_WASM_OPT}" -O2 --enable-bulk-memory --enable-sign-ext --enable-mutable-globals
    --enable-nontrapping-float-to-int --enable-reference-types --enable-multivalue
    $<TARGET_FILE:quern_wasm> -o "${QUERN_WEB_FOLDER}/quern.wasm")
endif()
file(GLOB scripts CONFIGURE_DEPENDS web/*.js web/*.ts)
file(GLOB_RECURSE pages CONFIGURE_DEPENDS web/playground/*)
add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/web.stamp"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${QUERN_WEB_FOLDER}"
  ${shrink}
  COMMAND "${CMAKE_COMMAND}" -E copy ${scripts} "${QUERN_WEB_FOLDER}"
  COMMAND "${CMAKE_COMMAND}" "-DFROM=${PROJECT_SOURCE_DIR}/web/playground" "-DTO=${QUERN_WEB_FOLDER}/playground"
          -P "${PROJECT_SOURCE_DIR}/cmake/copy_folder.cmake"
  COMMAND "${CMAKE_COMMAND}" -E touch "${PROJECT_BINARY_DIR}/web.stamp"
  DEPENDS quern_wasm ${scripts} ${pages}
  COMMENT "Writing ${QUERN_WEB_FOLDER}"
  VERBATIM)
add_custom_target(web ALL DEPENDS "${PROJECT_BINARY_DIR}/web.stamp")
