# What the tool found of software devices is not what the test finds.
set_tests_properties(${test} PROPERTIES
  ENVIRONMENT "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache;GTEST_FILTER=-*MpiRanks*:MpiKill*:MpiTransport*")
quern_plain_cpu(${test})
# The same program as the ranks of an MPI job.
foreach(implementation openmpi mpich)
  string(REPLACE "mpicc" "mpirun" launcher "${QUERN_MPICC_${implementation}}")
  if(TARGET quern_mpi_${implementation})
    add_dependencies(${test} quern_mpi_${implementation})
  endif()
  foreach(job "2 run" "4 run" "3 kill")
    separate_arguments(job)
    list(GET job 0 count)
    list(GET job 1 what)
    set(name comm_${implementation}_${count}_${what})
    add_test(NAME ${name} COMMAND "${PROJECT_SOURCE_DIR}/tests/comm/ranks.sh" ${implementation} "${launcher}" ${count} ${what}
      $<TARGET_FILE:${test}>)
    set_tests_properties(${name} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77 PROCESSORS 2
      ENVIRONMENT "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache")
  endforeach()
  # Transports on fake libraries for CUDA and NCCL.
  foreach(job "2 run MpiTransports.*-*EachCall*" "2 errors MpiTransports.EachCall*" "4 run MpiTransports.*-*EachCall*" "2 run MpiTransportReasons.*" "2 kill MpiTransportKill.Ipc" "3 kill MpiTransportKill.Nccl")
    separate_arguments(job)
    list(GET job 0 count)
    list(GET job 1 what)
    list(GET job 2 filter)
    string(REGEX REPLACE "[^A-Za-z]" "" label "${filter}")
    string(TOLOWER "${label}" label)
    set(name comm_${implementation}_${count}_${what}_${label})
    add_test(NAME ${name} COMMAND "${PROJECT_SOURCE_DIR}/tests/comm/ranks.sh" ${implementation} "${launcher}" ${count} ${what}
      $<TARGET_FILE:${test}> ${filter})
    set_tests_properties(${name} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77 PROCESSORS 2
      ENVIRONMENT "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache")
  endforeach()
  # A few kills at random points; the script takes a larger number.
  set(name comm_${implementation}_kills)
  set(kills 3)
  if(implementation STREQUAL "mpich")
    set(kills 2)
  endif()
  add_test(NAME ${name} COMMAND "${PROJECT_SOURCE_DIR}/tests/comm/kills.sh" ${implementation} "${launcher}" 3
    $<TARGET_FILE:${test}> ${kills})
  set_tests_properties(${name} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77 PROCESSORS 2
    ENVIRONMENT "QUERN_CACHE=${CMAKE_BINARY_DIR}/cache")
endforeach()
