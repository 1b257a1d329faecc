# Turns folders into targets. Sources are globbed, so a new file joins its layer automatically; a missing or
# empty folder gives an empty target, not a configure error.

# quern_precompile(<target> [FROM <other>] [HEADERS <header>...]): precompiles the standard headers that most
# files include, or reuses those of <other>, which must have the same flags. For programs only: GCC's code for
# std::string is larger with precompiled headers, and it reports false out-of-bounds accesses inside the
# standard headers. Sources must not rely on precompiled headers: clang-tidy reads them without.
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

# quern_unity(<target>): with QUERN_UNITY, compiles the sources of the target in units of twelve, in which each header is
# parsed once. CMake compiles a file that has its own options (quern_small) separately. Sources must not rely on it. Names
# in anonymous namespaces must be unique within a layer (scripts/unity_names.py checks it), or the file is listed in
# quern_separate(). Two warnings are disabled: names of other files are not shadowed, and classes of an included source
# may use its anonymous namespace.
function(quern_unity target)
  if(QUERN_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()

# quern_separate(<pattern>...): compiles these files separately. For files that have names of other files in their
# anonymous namespaces. Called by layer.cmake and driver.cmake; patterns are relative to their folder.
function(quern_separate)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set_source_files_properties(${files} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# quern_layer(<name> FOLDERS <dir>... [USES <layer>...]): a static library from the sources below the folders.
# A layer without sources becomes an interface library; QUERN_LINK_SCOPE_<name> is the scope for linking it. A file
# layer.cmake in a folder sets options of the layer ${layer} and of single files. Sources that match QUERN_LAYER_WITHOUT
# are left out.
function(quern_layer name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;USES" ${ARGN})
  set(sources)
  foreach(folder IN LISTS ARG_FOLDERS)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS
      "${PROJECT_SOURCE_DIR}/${folder}/*.cpp" "${PROJECT_SOURCE_DIR}/${folder}/*.hpp")
    list(APPEND sources ${found})
  endforeach()
  if(QUERN_LAYER_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "${QUERN_LAYER_WITHOUT}")
  endif()
  set(units ${sources})
  list(FILTER units INCLUDE REGEX "\\.cpp$")
  if(units)
    add_library(${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:quern_flags>)
    quern_unity(${name})
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_compile_features(${name} ${scope} cxx_std_20)
  target_link_libraries(${name} ${scope} ${ARG_USES})
  set(QUERN_LINK_SCOPE_${name} ${scope} PARENT_SCOPE)
  set(layer ${name})
  foreach(folder IN LISTS ARG_FOLDERS)
    include("${PROJECT_SOURCE_DIR}/${folder}/layer.cmake" OPTIONAL)
  endforeach()
endfunction()

# quern_small(<pattern>... [EXCEPT <file>...]): optimizes files for size, in release builds. For code that runs rarely.
# Called by layer.cmake and driver.cmake; patterns are relative to their folder.
function(quern_small)
  cmake_parse_arguments(ARG "" "" "EXCEPT" ${ARGN})
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
  file(GLOB files CONFIGURE_DEPENDS ${ARG_UNPARSED_ARGUMENTS})
  foreach(file IN LISTS ARG_EXCEPT)
    list(REMOVE_ITEM files "${CMAKE_CURRENT_LIST_DIR}/${file}")
  endforeach()
  set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Os>")
endfunction()

# quern_driver(<name> [USES <layer>...] [ELF]): the folder src/driver/<name>, if the option QUERN_DRIVER_<NAME>
# enables it. QUERN_DRIVERS lists the layers of the enabled drivers. ELF: it reads ELF objects or starts embedded programs, so it
# is not built for macOS by default.
function(quern_driver name)
  cmake_parse_arguments(ARG "ELF" "" "USES" ${ARGN})
  string(TOUPPER ${name} upper)
  set(default ON)
  if(ARG_ELF AND APPLE)
    set(default OFF)
  endif()
  option(QUERN_DRIVER_${upper} "Build the driver ${name}" ${default})
  if(QUERN_DRIVER_${upper})
    if(NOT TARGET quern_${name})  # QUERN_PREBUILT may have it
      quern_layer(quern_${name} FOLDERS src/driver/${name} USES quern_driver quern_lang ${ARG_USES})
    endif()
    set(QUERN_DRIVERS ${QUERN_DRIVERS} quern_${name} PARENT_SCOPE)
  endif()
endfunction()

# quern_driver_entry(<driver> [NAME <name>] [HEADER <file>] [MAKE <function>] [FOREIGN] [CHANGES_ENVIRONMENT]): a row of the
# table of drivers. Defaults: the driver's name, driver.hpp and <driver>::make_driver. FOREIGN: the driver loads a
# third-party library. CHANGES_ENVIRONMENT: that library calls setenv() while it starts.
function(quern_driver_entry driver)
  cmake_parse_arguments(ARG "FOREIGN;CHANGES_ENVIRONMENT" "NAME;HEADER;MAKE" "" ${ARGN})
  foreach(default "NAME=${driver}" "HEADER=driver.hpp" "MAKE=${driver}::make_driver")
    string(REGEX MATCH "^([A-Z]+)=(.*)$" unused "${default}")
    if(NOT ARG_${CMAKE_MATCH_1})
      set(ARG_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  string(TOUPPER ${driver} upper)
  set(flags "")
  if(ARG_FOREIGN)
    string(APPEND flags ", .is_foreign = true")
  endif()
  if(ARG_CHANGES_ENVIRONMENT)
    string(APPEND flags ", .changes_environment = true")
  endif()
  if(QUERN_DRIVER_${upper})
    set(include "#include \"driver/${driver}/${ARG_HEADER}\"\n")
    string(REPLACE "${include}" "" QUERN_DRIVER_HEADERS "${QUERN_DRIVER_HEADERS}")  # each once
    string(APPEND QUERN_DRIVER_HEADERS "${include}")
    set(how ".make = ${ARG_MAKE}")
  else()
    set(how ".why_not = \"configure with -DQUERN_DRIVER_${upper}=ON\"")
  endif()
  string(APPEND QUERN_DRIVER_ROWS "    {.name = \"${ARG_NAME}\", .folder = \"${driver}\", ${how}${flags}},\n")
  set(QUERN_DRIVER_HEADERS "${QUERN_DRIVER_HEADERS}" PARENT_SCOPE)
  set(QUERN_DRIVER_ROWS "${QUERN_DRIVER_ROWS}" PARENT_SCOPE)
endfunction()

# quern_driver_table(<target>): adds the table of drivers (src/runtime/builtin_drivers.hpp) to the target.
function(quern_driver_table target)
  set(file "${PROJECT_BINARY_DIR}/generated/builtin_drivers.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/builtin_drivers.cpp.in" "${file}" @ONLY)
  # A separate object: a program with another table (QUERN_PREBUILT) does not link this one.
  set_source_files_properties("${file}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE "${file}")
endfunction()

# Adds an executable; shared by the tool, the tests and the other programs.
function(quern_executable target)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE quern_flags ${ARG_USES})
  target_include_directories(${target} PRIVATE
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests")
endfunction()

# quern_embed_program(<name> SOURCE <file> LAYER <layer> FILE <file> DEFINE <macro>): a small program embedded
# in a layer. FILE, a source of the layer, gets its path as the macro. It links only the C library; its few
# kilobytes are not padded to pages.
function(quern_embed_program name)
  cmake_parse_arguments(ARG "" "SOURCE;LAYER;FILE;DEFINE" "" ${ARGN})
  get_target_property(is_prebuilt ${ARG_LAYER} IMPORTED)
  if(is_prebuilt)
    return()
  endif()
  add_executable(${name} "${PROJECT_SOURCE_DIR}/${ARG_SOURCE}")
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
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

# quern_tests(FOLDER <dir> USES <layer>... [OBJECTS <area>...]): each folder <dir>/<area> becomes the executable and the test test_<area>.
# An area with the name of a layer sees that layer and the layers below it; the others see all listed layers.
# <dir>/support holds helpers that every area above base links; <dir>/install holds programs that use an installation, <dir>/headers
# programs that are compiled only. Tests see QUERN_SOURCE_DIR. A file test.cmake in a folder adds to the test ${test}. The areas
# of OBJECTS are also object libraries quern_test_<area>, which a build with QUERN_PREBUILT links.
function(quern_tests)
  cmake_parse_arguments(ARG "" "FOLDER" "USES;OBJECTS" ${ARGN})
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
    if(EXISTS "${PROJECT_SOURCE_DIR}/src/driver/${area}/driver.cmake" AND NOT TARGET quern_${area})
      continue()  # the driver is not built
    endif()
    set(test test_${area})
    set(uses ${ARG_USES})
    if(TARGET quern_${area})
      set(uses quern_${area})
    endif()
    if(TARGET quern_test_support AND NOT area STREQUAL "base")
      list(PREPEND uses quern_test_support)
    endif()
    set(sources ${sources_${area}})
    if(area IN_LIST ARG_OBJECTS)
      add_library(quern_test_${area} OBJECT ${sources})
      quern_unity(quern_test_${area})
      target_link_libraries(quern_test_${area} PUBLIC ${uses} GTest::gtest GTest::gtest_main Threads::Threads)
      list(PREPEND uses quern_test_${area})
      set(sources)
    endif()
    quern_executable(${test} SOURCES ${sources} USES ${uses})
    # Compiles in three quarters of the time; tests spend theirs in the library.
    target_compile_options(${test} PRIVATE $<$<CONFIG:Release>:-O1>)
    target_link_libraries(${test} PRIVATE GTest::gtest GTest::gtest_main Threads::Threads)
    quern_unity(${test})
    if(area IN_LIST ARG_OBJECTS)
      # Reusing precompiled headers would make it depend on another test.
    elseif(first_test)
      quern_precompile(${test} FROM ${first_test})
    else()
      quern_precompile(${test} HEADERS <gtest/gtest.h>)
      set(first_test ${test})
    endif()
    target_compile_definitions(${test} PRIVATE QUERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    foreach(library IN LISTS QUERN_TEST_LIBRARIES_OF_${area})
      string(TOUPPER ${library} upper)
      target_compile_definitions(${test} PRIVATE QUERN_${upper}="$<TARGET_FILE:${library}>")
      add_dependencies(${test} ${library})
    endforeach()
    add_test(NAME ${test} COMMAND ${test} --gtest_brief=1)
    set_tests_properties(${test} PROPERTIES TIMEOUT 900)
    include("${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/${area}/test.cmake" OPTIONAL)
  endforeach()
endfunction()

# quern_test_library(<name> SOURCE <file>... AREAS <area>... [USES <layer>...] [IF <bool>] [DEVICE <driver>]): a shared library that
# tests load at run time instead of a vendor's. The tests of the areas get its path as QUERN_<NAME>. tests/*/library.cmake
# call it. IF: whether the library can be built; its sources belong to no test in any case. DEVICE: the contract tests run on
# the driver's device in this library.
function(quern_test_library name)
  cmake_parse_arguments(ARG "" "IF;DEVICE" "SOURCE;AREAS;USES" ${ARGN})
  list(TRANSFORM ARG_SOURCE PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE source)
  set(QUERN_TEST_LIBRARIES ${QUERN_TEST_LIBRARIES} ${source} PARENT_SCOPE)
  if(QUERN_TESTS STREQUAL "OFF" OR NOT PROJECT_IS_TOP_LEVEL OR (DEFINED ARG_IF AND NOT ARG_IF))
    return()
  endif()
  add_library(${name} MODULE ${source})
  target_link_libraries(${name} PRIVATE quern_flags ${ARG_USES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests")
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  if(ARG_DEVICE)
    string(TOUPPER ${ARG_DEVICE} upper)
    set_property(GLOBAL APPEND PROPERTY QUERN_TEST_DEVICES "QUERN_${upper}_LIBRARY=$<TARGET_FILE:${name}>")
  endif()
  foreach(area IN LISTS ARG_AREAS)
    set(QUERN_TEST_LIBRARIES_OF_${area} ${QUERN_TEST_LIBRARIES_OF_${area}} ${name} PARENT_SCOPE)
  endforeach()
endfunction()

# quern_with_webgpu(<test>): the test loads the WebGPU library that scripts/setup.sh has fetched. QUERN_WEBGPU_LIBRARY in the
# environment has priority.
function(quern_with_webgpu test)
  find_file(QUERN_WGPU_NATIVE libwgpu_native.so PATHS "${PROJECT_SOURCE_DIR}/build/tools" NO_DEFAULT_PATH)
  if(QUERN_WGPU_NATIVE AND "$ENV{QUERN_WEBGPU_LIBRARY}" STREQUAL "")
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "QUERN_WEBGPU_LIBRARY=${QUERN_WGPU_NATIVE}")
  endif()
endfunction()

# quern_plain_cpu(<target>): Mesa's software drivers get the processor's name from tests/support/host_cpu.cpp.
function(quern_plain_cpu target)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(symbol _ZN4llvm3sys14getHostCPUNameEv)
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/host_cpu.cpp")
    target_link_options(${target} PRIVATE LINKER:--export-dynamic-symbol=${symbol})
  endif()
endfunction()

# quern_suite(FOLDER <dir> USES <layer>...): the program bin/quern_suite, which runs every case on a device, and the tests that
# <dir>/devices.cmake lists. It needs no GoogleTest.
function(quern_suite)
  cmake_parse_arguments(ARG "" "FOLDER" "USES" ${ARGN})
  if(QUERN_TESTS STREQUAL "OFF" OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp")
  quern_executable(quern_suite USES ${ARG_USES}
    SOURCES ${sources} "${PROJECT_SOURCE_DIR}/tests/support/case_file.cpp"
            "${PROJECT_SOURCE_DIR}/tests/support/host_cpu.cpp")
  target_compile_definitions(quern_suite PRIVATE QUERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  quern_unity(quern_suite)
  quern_plain_cpu(quern_suite)
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/pocl")
  include("${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/devices.cmake")
endfunction()

# quern_suite_test(<name> [ON <device>] [ARGUMENTS <argument>...] [ENVIRONMENT <NAME=value>...] [SKIP <regex>]): the test
# suite_<name>, which runs the suite on the device (default: <name>). It is skipped where the driver's library is not
# installed.
function(quern_suite_test name)
  cmake_parse_arguments(ARG "" "ON;SKIP" "ARGUMENTS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_ON)
    set(ARG_ON ${name})
  endif()
  set(test suite_${name})
  add_test(NAME ${test} COMMAND quern_suite --on ${ARG_ON} ${ARG_ARGUMENTS})
  set_tests_properties(${test} PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77 COST 50)  # long tests start first
  if(ARG_SKIP)
    set_tests_properties(${test} PROPERTIES SKIP_REGULAR_EXPRESSION "${ARG_SKIP}")
  endif()
  set_property(TEST ${test} PROPERTY ENVIRONMENT "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache"
    "POCL_CACHE_DIR=${CMAKE_BINARY_DIR}/pocl" MESA_SHADER_CACHE_DISABLE=true ${ARG_ENVIRONMENT})
endfunction()

# quern_inject(FOLDER <dir> USES <layer>...): the program bin/quern_inject, which makes every call of a device
# fail in turn; the test `inject`, which covers as many calls as its time allows; and `inject_all`, which
# covers all calls of a few programs.
function(quern_inject)
  cmake_parse_arguments(ARG "" "FOLDER" "USES" ${ARGN})
  if(QUERN_TESTS STREQUAL "OFF" OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/inject/*.cpp")
  quern_executable(quern_inject USES ${ARG_USES}
    SOURCES ${sources} "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/session/scenarios.cpp"
            "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/session/data_scenarios.cpp"
            "${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/support/devices.cpp")
  quern_plain_cpu(quern_inject)
  add_test(NAME inject COMMAND quern_inject --seconds 1)
  add_test(NAME inject_all COMMAND quern_inject --all --on sim --on cpu --scenario chain --scenario graph --scenario checkpoint)
  set_tests_properties(inject inject_all PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77 ENVIRONMENT
    "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache;POCL_CACHE_DIR=${CMAKE_BINARY_DIR}/pocl;MESA_SHADER_CACHE_DISABLE=true")
endfunction()

# quern_validate(FOLDER <dir> USES <layer>...): the program bin/quern_validate, which passes emitted code to the
# same validators as the tests.
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

# quern_programs(<label> FOLDER <dir> ENABLED <bool> USES <layer>...): each <dir>/*.cpp becomes one
# executable, <label>_<file>, and the target <label> builds all of them. Shared helpers are in headers;
# sources in <dir>/<file> belong to that executable only. Those named loops*.cpp are its references: compiled
# for this processor, with OpenMP.
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
    if(loops)  # clang, used for debug builds, does not support -march=native everywhere
      set_source_files_properties(${loops} PROPERTIES COMPILE_OPTIONS "-O3;$<$<CONFIG:Release>:-march=native>;-fopenmp")
      target_link_options(${label}_${stem} PRIVATE -fopenmp)
    endif()
    target_compile_definitions(${label}_${stem} PRIVATE QUERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    if(stem MATCHES "^(vulkan|webgpu|cpu)$")
      quern_plain_cpu(${label}_${stem})
    endif()
    if(label STREQUAL "fuzz")
      target_link_options(${label}_${stem} PRIVATE -fsanitize=fuzzer)
    endif()
    add_dependencies(${label} ${label}_${stem})
  endforeach()
endfunction()
