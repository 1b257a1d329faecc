# The library as programs link it, from the objects of the layers: libquern.so (quern::quern) and libquern.a
# (quern::quern_static), and their installation and packaging.
include(GNUInstallDirs)

# Common settings of both kinds of library: `layers` are the layers whose objects they contain.
function(quern_library_target target kind layers)
  set(objects)
  foreach(layer IN LISTS layers)
    get_target_property(type ${layer} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:${layer}>)
    endif()
  endforeach()
  add_library(${target} ${kind} ${objects})
  add_library(quern::${target} ALIAS ${target})
  target_include_directories(${target} INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_compile_features(${target} INTERFACE cxx_std_20)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME quern LINKER_LANGUAGE CXX ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:quern_flags> Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

# quern_libraries(<layer>...): the targets quern (shared) and quern_static, if QUERN_SHARED and QUERN_STATIC
# enable them.
function(quern_libraries)
  if(NOT QUERN_SHARED AND NOT QUERN_STATIC)
    message(FATAL_ERROR "No library to build: set QUERN_SHARED or QUERN_STATIC to ON")
  endif()
  set(made)
  if(QUERN_SHARED)
    quern_library_target(quern SHARED "${ARGN}")
    set_target_properties(quern PROPERTIES
      VERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} SOVERSION ${PROJECT_VERSION_MAJOR})
    if(NOT APPLE AND NOT QUERN_SANITIZE)
      set(map "${PROJECT_SOURCE_DIR}/cmake/quern.map")
      target_link_options(quern PRIVATE -Wl,--no-undefined "-Wl,--version-script=${map}")
      set_target_properties(quern PROPERTIES LINK_DEPENDS "${map}")
    endif()
    list(APPEND made quern)
  endif()
  if(QUERN_STATIC)
    quern_library_target(quern_static STATIC "${ARGN}")
    target_compile_definitions(quern_static INTERFACE QUERN_STATIC)
    list(APPEND made quern_static)
    if(NOT QUERN_SHARED)
      add_library(quern::quern ALIAS quern_static)
    endif()
  endif()
  set(QUERN_LIBRARIES ${made} PARENT_SCOPE)
endfunction()

# quern_extra_library(<name> LAYER <layer>): lib<layer>.a as quern::<name>, for programs that link it in
# addition to quern. It uses only quern's public API and works with the shared and the static library.
function(quern_extra_library name)
  cmake_parse_arguments(ARG "" "LAYER" "" ${ARGN})
  set(target ${ARG_LAYER}_library)
  add_library(${target} STATIC $<TARGET_OBJECTS:${ARG_LAYER}>)
  add_library(quern::${name} ALIAS ${target})
  list(GET QUERN_LIBRARIES 0 first)
  target_link_libraries(${target} PUBLIC ${first})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${ARG_LAYER} EXPORT_NAME ${name} LINKER_LANGUAGE CXX
    ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  set(QUERN_LIBRARIES ${QUERN_LIBRARIES} ${target} PARENT_SCOPE)
endfunction()

# Headers, libraries, CMake package, pkg-config files, license, docs, examples, manual page and shell completions.
function(quern_install)
  install(TARGETS ${QUERN_LIBRARIES} EXPORT quern
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/quern" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.hpp" PATTERN library EXCLUDE)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/lang/builtin/library"
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/quern/kernel FILES_MATCHING PATTERN "*.cuh")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR})

  include(CMakePackageConfigHelpers)
  set(package "${CMAKE_INSTALL_LIBDIR}/cmake/quern")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/quern-config.cmake.in"
    "${PROJECT_BINARY_DIR}/quern-config.cmake" INSTALL_DESTINATION ${package})
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/quern-config-version.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/quern-config.cmake" "${PROJECT_BINARY_DIR}/quern-config-version.cmake"
    DESTINATION ${package})
  install(EXPORT quern FILE quern-targets.cmake NAMESPACE quern:: DESTINATION ${package})

  # A static-only library always needs its flag and its libraries, a shared one only with pkg-config --static.
  set(QUERN_PC_CFLAGS "")
  set(QUERN_PC_LIBS "")
  if(NOT QUERN_SHARED)
    set(QUERN_PC_CFLAGS " -DQUERN_STATIC")
    set(QUERN_PC_LIBS " -lstdc++ -lm -ldl -pthread")
  endif()
  # The prefix is relative to the file, so that an installation can be moved.
  file(RELATIVE_PATH QUERN_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" QUERN_PC_PREFIX "${QUERN_PC_PREFIX}")
  foreach(name quern quern_ring quern_ops quern_comm)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endforeach()
  quern_install_documents()
endfunction()

# The docs and the examples; with the tool, also its manual page and shell completions, which it prints
# itself.
function(quern_install_documents)
  install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION ${CMAKE_INSTALL_DOCDIR})
  if(NOT TARGET quern_tool OR CMAKE_CROSSCOMPILING)  # a cross-compiled tool does not run here
    return()
  endif()
  set(generated "${PROJECT_BINARY_DIR}/share")
  foreach(text "quern.1: man" "quern.bash: completion bash" "_quern: completion zsh" "quern.fish: completion fish")
    string(REGEX MATCH "^(.*): (.*)$" unused "${text}")
    install(CODE "
      file(MAKE_DIRECTORY \"${generated}\")
      separate_arguments(words UNIX_COMMAND \"${CMAKE_MATCH_2}\")
      execute_process(COMMAND \"$<TARGET_FILE:quern_tool>\" \${words}
        OUTPUT_FILE \"${generated}/${CMAKE_MATCH_1}\" COMMAND_ERROR_IS_FATAL ANY)")
  endforeach()
  install(FILES "${generated}/quern.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES "${generated}/quern.bash" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME quern)
  install(FILES "${generated}/_quern" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES "${generated}/quern.fish" DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endfunction()

# quern_install_tests(<compiler>...): uses an installation of this build like an external program, once per
# compiler.
function(quern_install_tests)
  if(NOT QUERN_INSTALL OR NOT QUERN_SHARED OR NOT QUERN_STATIC OR NOT QUERN_TOOL OR QUERN_SANITIZE)
    return()
  endif()
  foreach(compiler IN LISTS ARGN)
    get_filename_component(name "${compiler}" NAME)
    string(REPLACE "+" "x" name "${name}")
    add_test(NAME install_${name}
      COMMAND "${PROJECT_SOURCE_DIR}/tests/install/run.sh" "${PROJECT_BINARY_DIR}" "${compiler}")
    set_tests_properties(install_${name} PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

# quern_header_tests(<compiler>...): compiles small programs with the public headers, once per compiler.
function(quern_header_tests)
  foreach(compiler IN LISTS ARGN)
    string(REPLACE "+" "x" name "${compiler}")
    add_test(NAME headers_${name} COMMAND "${PROJECT_SOURCE_DIR}/tests/headers/run.sh" "${compiler}")
    set_tests_properties(headers_${name} PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

# `cpack` in the build folder (make package) creates a .deb, or an archive if Debian's tools are missing.
macro(quern_package)
  set(CPACK_PACKAGE_NAME quern)
  set(CPACK_PACKAGE_VENDOR "Quern authors")
  set(CPACK_PACKAGE_CONTACT "Quern authors <quern@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
  set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # packaging uses the existing build
  set(CPACK_STRIP_FILES ON)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  find_program(QUERN_DPKG_DEB dpkg-deb)
  find_program(QUERN_DPKG_SHLIBDEPS dpkg-shlibdeps)
  mark_as_advanced(QUERN_DPKG_DEB QUERN_DPKG_SHLIBDEPS)
  if(QUERN_DPKG_DEB)
    set(CPACK_GENERATOR DEB)
  else()
    set(CPACK_GENERATOR TGZ)
  endif()
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION libs)
  if(QUERN_DPKG_SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  else()
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libgcc-s1, libstdc++6")
  endif()
  # Without the components for MPI implementations, which the package would depend on.
  set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};quern;Unspecified;/")
  include(CPack)
endmacro()
