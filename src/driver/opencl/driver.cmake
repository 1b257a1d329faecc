quern_driver(opencl USES quern_target ELF)
quern_driver_entry(opencl FOREIGN CHANGES_ENVIRONMENT)  # PoCL calls setenv()
quern_small(driver.cpp)
if(QUERN_DRIVER_OPENCL)
  quern_embed_program(opencl_compiler SOURCE tools/opencl_compiler/main.cpp
    LAYER quern_opencl FILE src/driver/opencl/compiler_image.cpp DEFINE QUERN_OPENCL_COMPILER)
endif()
quern_separate(interop.cpp)
