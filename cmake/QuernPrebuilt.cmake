# Builds the drivers that another build does not have, and test_contract with them. All other layers come from the build folder
# QUERN_PREBUILT, which must be of the same sources and have the same options. scripts/new_driver.sh --prebuilt uses it.
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
include("${QUERN_PREBUILT}/layers.cmake")
include(QuernFlags)
include(QuernLayer)

file(GLOB quern_drivers CONFIGURE_DEPENDS src/driver/*/driver.cmake)
foreach(driver IN LISTS quern_drivers)
  include(${driver})
endforeach()

# The program's own table of drivers replaces the one in quern_runtime: the linker takes nothing from an archive that it has.
add_executable(test_contract)
quern_driver_table(test_contract)
target_include_directories(test_contract PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(test_contract PRIVATE quern_test_contract quern_flags quern_comm quern_ops quern_ring quern_api quern_runtime ${QUERN_DRIVERS})
quern_plain_cpu(test_contract)
