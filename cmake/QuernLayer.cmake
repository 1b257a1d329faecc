# Turns folders into targets. Sources are globbed, so a new file joins its layer by being there; a folder that is
# missing or still empty gives an empty target, never a configure error.

# quern_precompile(<target> [FROM <other>] [HEADERS <header>...]): precompiles the standard headers that most files include,
# or reuses what <other>, which has the same flags, precompiled. For programs only: GCC's code for std::string is larger
# with precompiled headers, and it reports accesses out of bounds inside of the standard headers. Sources must not rely on
# precompiled headers: clang-tidy reads them without.
function(quern_precompile target)
  cmake_parse_arguments(ARG "" "FROM" "HEADERS" ${ARGN})
  if(NOT QUERN_PCH)
    return()
  endif()
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>)
  if(ARG_FROM)
    target_precompile_headers(${target} REUSE_FROM ${ARG_FROM})
  else()
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <bit> <chrono> <cstdint> <cstring> <functional>
      <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <unordered_map> <unordered_set>
      <utility> <vector> ${ARG_HEADERS})
  endif()
endfunction()

# quern_layer(<name> FOLDERS <dir>... [USES <layer>...]): a static library from the sources below the folders.
# A layer without sources becomes an interface library; QUERN_LINK_SCOPE_<name> tells which scope it links with.
function(quern_layer name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;USES" ${ARGN})
  set(sources)
  foreach(folder IN LISTS ARG_FOLDERS)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS
      "${PROJECT_SOURCE_DIR}/${folder}/*.cpp" "${PROJECT_SOURCE_DIR}/${folder}/*.hpp")
    list(APPEND sources ${found})
  endforeach()
  set(units ${sources})
  list(FILTER units INCLUDE REGEX "\\.cpp$")
  if(units)
    add_library(${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:quern_flags>)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_compile_features(${name} ${scope} cxx_std_20)
  target_link_libraries(${name} ${scope} ${ARG_USES})
  set(QUERN_LINK_SCOPE_${name} ${scope} PARENT_SCOPE)
endfunction()

# quern_driver(<name> [USES <layer>...]): the folder src/driver/<name>, when the option QUERN_DRIVER_<NAME> wants it. The
# layers of those that were taken in are listed in QUERN_DRIVERS.
function(quern_driver name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  string(TOUPPER ${name} upper)
  option(QUERN_DRIVER_${upper} "Build the driver ${name}" ON)
  if(QUERN_DRIVER_${upper})
    quern_layer(quern_${name} FOLDERS src/driver/${name} USES quern_driver quern_lang ${ARG_USES})
    set(QUERN_DRIVERS ${QUERN_DRIVERS} quern_${name} PARENT_SCOPE)
  endif()
endfunction()

# quern_choose_drivers(<target>): tells the code which drivers there are.
function(quern_choose_drivers target)
  foreach(layer IN LISTS QUERN_DRIVERS)
    string(REGEX REPLACE "^quern_" "" name ${layer})
    string(TOUPPER ${name} upper)
    target_compile_definitions(${target} PRIVATE QUERN_DRIVER_${upper})
  endforeach()
endfunction()

# Adds an executable; the shared body of the tool, the tests and the other programs.
function(quern_executable target)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE quern_flags ${ARG_USES})
  target_include_directories(${target} PRIVATE
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests")
endfunction()

# quern_embed_program(<name> SOURCE <file> LAYER <layer> FILE <file> DEFINE <macro>): a small program that a layer contains.
# FILE, a source of the layer, sees its path as the macro. It links the C library alone; its few kilobytes are not padded
# to pages.
function(quern_embed_program name)
  cmake_parse_arguments(ARG "" "SOURCE;LAYER;FILE;DEFINE" "" ${ARGN})
  add_executable(${name} "${PROJECT_SOURCE_DIR}/${ARG_SOURCE}")
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_compile_options(${name} PRIVATE -Os -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffunction-sections
    -fno-asynchronous-unwind-tables -fno-stack-protector)
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
  target_link_options(${name} PRIVATE -s -Wl,--gc-sections,--as-needed -Wl,-z,noseparate-code,-z,norelro)
  set(folder "${PROJECT_BINARY_DIR}/generated")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${folder}")
  set_source_files_properties("${PROJECT_SOURCE_DIR}/${ARG_FILE}" PROPERTIES
    COMPILE_DEFINITIONS "${ARG_DEFINE}=\"${folder}/${name}\"" OBJECT_DEPENDS "${folder}/${name}")
  add_dependencies(${ARG_LAYER} ${name})
endfunction()

# quern_tool(<name> FOLDER <dir> USES <layer>...): the executable bin/<name>, as the target <name>_tool.
function(quern_tool name)
  cmake_parse_arguments(ARG "" "FOLDER" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp" "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.hpp")
  set(units ${sources})
  list(FILTER units INCLUDE REGEX "\\.cpp$")
  if(NOT units)
    return()
  endif()
  quern_executable(${name}_tool SOURCES ${sources} USES ${ARG_USES})
  target_include_directories(${name}_tool PRIVATE "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}")
  set_target_properties(${name}_tool PROPERTIES OUTPUT_NAME ${name})
  quern_precompile(${name}_tool)
  target_compile_definitions(${name}_tool PRIVATE QUERN_VERSION="${PROJECT_VERSION}")
  include(GNUInstallDirs)
  install(TARGETS ${name}_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# quern_tests(FOLDER <dir> USES <layer>...): each folder <dir>/<area> becomes the executable and the test test_<area>.
# An area that has the name of a layer sees that layer and what is below it; the others see all that is listed.
# <dir>/support holds helpers that every area above base links; <dir>/install holds programs that use an installation, <dir>/headers
# programs that are compiled only. Tests see QUERN_SOURCE_DIR; the area `cli` also sees
# QUERN_TOOL, the path of the command-line tool.
function(quern_tests)
  cmake_parse_arguments(ARG "" "FOLDER" "USES" ${ARGN})
  if(QUERN_TESTS STREQUAL "OFF" OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    if(QUERN_TESTS STREQUAL "AUTO")
      message(STATUS "GoogleTest is not installed: the tests are not built (Debian and Ubuntu: libgtest-dev)")
      return()
    endif()
    message(FATAL_ERROR "The tests need GoogleTest (Debian and Ubuntu: libgtest-dev); or set QUERN_TESTS=OFF")
  endif()
  find_package(Threads REQUIRED)

  file(GLOB_RECURSE support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/support/*.cpp")
  if(support)
    add_library(quern_test_support STATIC ${support})
    target_link_libraries(quern_test_support PUBLIC quern_flags ${ARG_USES} GTest::gtest)
    target_include_directories(quern_test_support PUBLIC "${PROJECT_SOURCE_DIR}/tests")
    target_compile_definitions(quern_test_support PRIVATE QUERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endif()

  file(GLOB_RECURSE all CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp")
  set(areas)
  list(REMOVE_ITEM all ${QUERN_TEST_LIBRARIES})
  foreach(source IN LISTS all)
    file(RELATIVE_PATH relative "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}" "${source}")
    if(relative MATCHES "^([a-z0-9_]+)/")
      list(APPEND areas ${CMAKE_MATCH_1})
      list(APPEND sources_${CMAKE_MATCH_1} "${source}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES areas)
  list(REMOVE_ITEM areas support suite install headers validate inject)

  set(first_test)
  foreach(area IN LISTS areas)
    set(test test_${area})
    set(uses ${ARG_USES})
    if(TARGET quern_${area})
      set(uses quern_${area})
    endif()
    if(TARGET quern_test_support AND NOT area STREQUAL "base")
      list(PREPEND uses quern_test_support)
    endif()
    quern_executable(${test} SOURCES ${sources_${area}} USES ${uses})
    target_link_libraries(${test} PRIVATE GTest::gtest GTest::gtest_main Threads::Threads)
    if(first_test)
      quern_precompile(${test} FROM ${first_test})
    else()
      quern_precompile(${test} HEADERS <gtest/gtest.h>)
      set(first_test ${test})
    endif()
    target_compile_definitions(${test} PRIVATE QUERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    if(area STREQUAL "cli" AND TARGET quern_tool)
      target_compile_definitions(${test} PRIVATE QUERN_TOOL="$<TARGET_FILE:quern_tool>")
      add_dependencies(${test} quern_tool)
    endif()
    if(area STREQUAL "target_wgsl")  # it makes random programs as the suite does
      target_sources(${test} PRIVATE "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/suite/random_program.cpp")
    endif()
    foreach(library IN LISTS QUERN_TEST_LIBRARIES_OF_${area})
      string(TOUPPER ${library} upper)
      target_compile_definitions(${test} PRIVATE QUERN_${upper}="$<TARGET_FILE:${library}>")
      add_dependencies(${test} ${library})
    endforeach()
    if(area MATCHES "^(api|vulkan|webgpu|opengl|ring|target_wgsl|session|profile|loss)$")
      quern_plain_cpu(${test})
    endif()
    add_test(NAME ${test} COMMAND ${test} --gtest_brief=1)
    set_tests_properties(${test} PROPERTIES TIMEOUT 900)
    if(area MATCHES "^(webgpu|target_wgsl)$")
      quern_with_webgpu(${test})
    endif()
    if(area STREQUAL "ring")  # what the tool found of software devices is not what the test finds
      set_tests_properties(${test} PROPERTIES ENVIRONMENT "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache")
    endif()
  endforeach()
endfunction()

# quern_with_webgpu(<test>): the test uses the WebGPU library that scripts/setup.sh has fetched, unless one is named already.
function(quern_with_webgpu test)
  find_file(QUERN_WGPU_NATIVE libwgpu_native.so PATHS "${PROJECT_SOURCE_DIR}/build/tools" NO_DEFAULT_PATH)
  if(QUERN_WGPU_NATIVE AND "$ENV{QUERN_WEBGPU_LIBRARY}" STREQUAL "")
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
      "QUERN_WEBGPU_LIBRARY=${QUERN_WGPU_NATIVE};QUERN_WGPU_LIBRARY=${QUERN_WGPU_NATIVE}")
  endif()
endfunction()

# quern_test_library(<name> SOURCE <file> AREAS <area>... [USES <layer>...]): a shared library that tests load at run
# time, instead of a vendor's. The tests of the areas know its path as QUERN_<NAME>.
function(quern_test_library name)
  cmake_parse_arguments(ARG "" "SOURCE" "AREAS;USES" ${ARGN})
  set(source "${PROJECT_SOURCE_DIR}/${ARG_SOURCE}")
  set(QUERN_TEST_LIBRARIES ${QUERN_TEST_LIBRARIES} "${source}" PARENT_SCOPE)
  if(QUERN_TESTS STREQUAL "OFF" OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  add_library(${name} MODULE "${source}")
  target_link_libraries(${name} PRIVATE quern_flags ${ARG_USES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  foreach(area IN LISTS ARG_AREAS)
    set(QUERN_TEST_LIBRARIES_OF_${area} ${QUERN_TEST_LIBRARIES_OF_${area}} ${name} PARENT_SCOPE)
  endforeach()
endfunction()

# quern_plain_cpu(<target>): Mesa's software drivers find the processor's name in tests/support/host_cpu.cpp.
function(quern_plain_cpu target)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(symbol _ZN4llvm3sys14getHostCPUNameEv)
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/host_cpu.cpp")
    target_link_options(${target} PRIVATE LINKER:--export-dynamic-symbol=${symbol})
  endif()
endfunction()

# quern_suite(FOLDER <dir> USES <layer>...): the program bin/quern_suite, which runs every case on a device, and one test
# suite_<driver> for each driver that needs no hardware; a driver whose library is not installed is skipped. It needs no
# GoogleTest.
function(quern_suite)
  cmake_parse_arguments(ARG "" "FOLDER" "DEVICES;USES" ${ARGN})
  if(QUERN_TESTS STREQUAL "OFF" OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp")
  quern_executable(quern_suite USES ${ARG_USES}
    SOURCES ${sources} "${PROJECT_SOURCE_DIR}/tests/support/case_file.cpp"
            "${PROJECT_SOURCE_DIR}/tests/support/host_cpu.cpp")
  target_compile_definitions(quern_suite PRIVATE QUERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  quern_plain_cpu(quern_suite)
  find_file(QUERN_VALIDATION_LAYER VkLayer_khronos_validation.json
    PATHS /usr/share/vulkan/explicit_layer.d /etc/vulkan/explicit_layer.d NO_DEFAULT_PATH)
  if(NOT QUERN_VALIDATION_LAYER)
    message(STATUS "Vulkan's validation layer is not installed (vulkan-validationlayers): the suite runs without it")
  endif()
  foreach(device IN LISTS ARG_DEVICES)
    set(on ${device})
    set(more)
    if(device STREQUAL "vulkan_bound")  # as on devices that have no addresses
      set(on vulkan)
      set(more ";QUERN_VULKAN_BINDINGS=1")
    endif()
    if(device STREQUAL "vulkan_words")  # and that store no numbers below 32 bits
      set(on vulkan)
      set(more ";QUERN_VULKAN_BINDINGS=1;QUERN_VULKAN_WORDS=1")
    endif()
    if(on STREQUAL "vulkan" AND QUERN_VALIDATION_LAYER)  # what it finds makes a case fail
      string(APPEND more ";QUERN_VALIDATE=1")
    endif()
    if(on STREQUAL "opengl")  # Mesa's software driver does 64-bit atomics, and says so only when it is told to
      set(more ";MESA_EXTENSION_OVERRIDE=+GL_NV_shader_atomic_int64")
    endif()
    # Drivers that compile slowly share the work among processes.
    set(parts 1)
    if(device STREQUAL "opencl")
      set(parts 1/2 2/2)
    endif()
    foreach(part IN LISTS parts)
      set(name suite_${device})
      set(only)
      if(part MATCHES "^([0-9]+)/")
        string(APPEND name _${CMAKE_MATCH_1})
        set(only --part ${part})
      endif()
      set(random --random 100000 --seconds 15)
      if(on MATCHES "^(opencl|vulkan|opengl|gles|webgpu)$")
        set(random --random 60)  # a fixed set: software drivers have known faults (docs/decisions.md)
      endif()
      if(device STREQUAL "opencl")  # suite_opencl_il runs SPIR-V
        set(on opencl,code=text)
      endif()
      add_test(NAME ${name} COMMAND quern_suite --on ${on} ${only} ${random})
      set_tests_properties(${name} PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77
        ENVIRONMENT
          "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache;POCL_CACHE_DIR=${CMAKE_BINARY_DIR}/pocl;MESA_SHADER_CACHE_DISABLE=true${more}")
      if(on STREQUAL "webgpu")
        quern_with_webgpu(${name})
      endif()
    endforeach()
  endforeach()
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/pocl")
endfunction()

# quern_inject(FOLDER <dir> USES <layer>...): the program bin/quern_inject, which lets every call of a device fail in turn,
# the test `inject`, which takes as many of them as it has time for, and `inject_all`, which takes all of a few programs.
function(quern_inject)
  cmake_parse_arguments(ARG "" "FOLDER" "USES" ${ARGN})
  if(QUERN_TESTS STREQUAL "OFF" OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/inject/*.cpp")
  quern_executable(quern_inject USES ${ARG_USES}
    SOURCES ${sources} "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/session/scenarios.cpp"
            "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/session/data_scenarios.cpp")
  quern_plain_cpu(quern_inject)
  add_test(NAME inject COMMAND quern_inject --seconds 1)
  add_test(NAME inject_all COMMAND quern_inject --all --on sim --on cpu --scenario chain --scenario graph --scenario checkpoint)
  set_tests_properties(inject inject_all PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77 ENVIRONMENT
    "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache;POCL_CACHE_DIR=${CMAKE_BINARY_DIR}/pocl;MESA_SHADER_CACHE_DISABLE=true")
endfunction()

# quern_validate(FOLDER <dir> USES <layer>...): the program bin/quern_validate, which puts emitted code before the compilers that
# the tests put it before.
function(quern_validate)
  cmake_parse_arguments(ARG "" "FOLDER" "USES" ${ARGN})
  if(QUERN_TESTS STREQUAL "OFF" OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  quern_executable(quern_validate USES ${ARG_USES}
    SOURCES "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/validate/main.cpp"
            "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/target_cstyle/validator.cpp"
            "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/target_ptx/assembler.cpp"
            "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/target_spirv/emitted.cpp"
            "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/target_wgsl/webgpu_device.cpp")
  target_include_directories(quern_validate PRIVATE "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}")
  target_compile_definitions(quern_validate PRIVATE QUERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  quern_plain_cpu(quern_validate)
endfunction()

# quern_programs(<label> FOLDER <dir> ENABLED <bool> USES <layer>...): each <dir>/*.cpp becomes one executable,
# <label>_<file>, and the target <label> builds them all. Helpers shared by them live in headers; sources in
# <dir>/<file> belong to that one alone, and those named loops*.cpp there are what it compares with: compiled for this very
# processor, with OpenMP.
function(quern_programs label)
  cmake_parse_arguments(ARG "" "FOLDER;ENABLED" "USES" ${ARGN})
  if(NOT ARG_ENABLED)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp")
  if(NOT TARGET ${label})  # a label may cover several folders
    add_custom_target(${label})
  endif()
  foreach(source IN LISTS sources)
    get_filename_component(stem "${source}" NAME_WE)
    string(REGEX REPLACE "^(bench|fuzz)_" "" stem "${stem}")
    file(GLOB own CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/${stem}/*.cpp")
    quern_executable(${label}_${stem} SOURCES "${source}" ${own} USES ${ARG_USES})
    target_include_directories(${label}_${stem} PRIVATE "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}")
    set(loops ${own})
    list(FILTER loops INCLUDE REGEX "/loops[^/]*\\.cpp$")
    if(loops)  # clang, which looks at debug builds, does not know -march=native everywhere
      set_source_files_properties(${loops} PROPERTIES COMPILE_OPTIONS "-O3;$<$<CONFIG:Release>:-march=native>;-fopenmp")
      target_link_options(${label}_${stem} PRIVATE -fopenmp)
    endif()
    target_compile_definitions(${label}_${stem} PRIVATE QUERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    if(stem MATCHES "^(vulkan|cpu)$")
      quern_plain_cpu(${label}_${stem})
    endif()
    if(label STREQUAL "fuzz")
      target_link_options(${label}_${stem} PRIVATE -fsanitize=fuzzer)
    endif()
    add_dependencies(${label} ${label}_${stem})
  endforeach()
endfunction()
