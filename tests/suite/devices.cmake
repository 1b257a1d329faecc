# The devices on which the suite runs as a test.
find_file(QUERN_VALIDATION_LAYER VkLayer_khronos_validation.json
  PATHS /usr/share/vulkan/explicit_layer.d /etc/vulkan/explicit_layer.d NO_DEFAULT_PATH)
set(validated)
if(QUERN_VALIDATION_LAYER)  # what it finds makes a case fail
  set(validated QUERN_VALIDATE=1)
else()
  message(STATUS "Vulkan's validation layer is not installed (vulkan-validationlayers): the suite runs without it")
endif()

set(many --random 100000 --seconds 15)
set(few --random 60)  # a fixed set: software drivers have known faults (docs/decisions.md)
# Every third case, where all cases would take minutes: devices whose compilers are slow, and other forms of code for a
# device that runs all cases. The thirds differ, so that each case runs on several of these devices. `make status` runs all
# cases on all devices.
set(first_third --part 1/3 --random 20)
set(second_third --part 2/3 --random 20)
set(last_third --part 3/3 --random 20)

quern_suite_test(sim ARGUMENTS ${many})
quern_suite_test(std.gpu ARGUMENTS ${many})
quern_suite_test(cpu ARGUMENTS ${many})
quern_suite_test(opencl ON opencl,code=text ARGUMENTS ${first_third})  # suite_opencl_il runs SPIR-V
# Mesa's software driver supports 64-bit atomics, but reports them only with this variable.
quern_suite_test(opengl ARGUMENTS ${second_third} ENVIRONMENT MESA_EXTENSION_OVERRIDE=+GL_NV_shader_atomic_int64)
# Without double precision in hardware: Mesa compiles each of these cases for half a minute.
quern_suite_test(gles ARGUMENTS ${last_third} --except math_double)
quern_suite_test(vulkan ARGUMENTS ${few} ENVIRONMENT ${validated})
# As on devices that have no addresses, and on those that also store no numbers below 32 bits.
quern_suite_test(vulkan_bound ON vulkan ARGUMENTS ${first_third} ENVIRONMENT QUERN_VULKAN_BINDINGS=1 ${validated})
quern_suite_test(vulkan_words ON vulkan ARGUMENTS ${second_third}
  ENVIRONMENT QUERN_VULKAN_BINDINGS=1 QUERN_VULKAN_WORDS=1 ${validated})
if(TARGET odd_opencl)  # SPIR-V of the Kernel model on an OpenCL that accepts it, or is made to accept it by llvm-spirv-15
  quern_suite_test(opencl_il ON opencl,code=il ARGUMENTS ${last_third} SKIP "does not accept SPIR-V"
    ENVIRONMENT QUERN_OPENCL_LIBRARY=$<TARGET_FILE:odd_opencl> QUERN_ODD_OPENCL=il)
endif()
if(TARGET level_zero_device)  # no other implementation of Level Zero runs on a processor
  quern_suite_test(level_zero ARGUMENTS ${few} ENVIRONMENT QUERN_LEVEL_ZERO_LIBRARY=$<TARGET_FILE:level_zero_device>)
  find_library(QUERN_LEVEL_ZERO_LOADER NAMES libze_loader.so.1 ze_loader)
  if(QUERN_LEVEL_ZERO_LOADER)  # under the system's loader and its validation layer, which fails wrong calls
    quern_suite_test(level_zero_validated ON level_zero ENVIRONMENT QUERN_LEVEL_ZERO_LIBRARY=${QUERN_LEVEL_ZERO_LOADER}
      ZE_ENABLE_ALT_DRIVERS=$<TARGET_FILE:level_zero_device> ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1)
  endif()
endif()
if(TARGET metal_device)  # Metal exists on macOS only; this device compiles its text with clang, a process for each kernel
  find_program(QUERN_CLANGXX clang++)
  if(QUERN_CLANGXX)
    quern_suite_test(metal ARGUMENTS ${second_third} ENVIRONMENT QUERN_METAL_LIBRARY=$<TARGET_FILE:metal_device>)
    # As on devices without SIMD-groups: the cases whose text then differs.
    quern_suite_test(metal_memory_warps ON metal,warps=memory ENVIRONMENT QUERN_METAL_LIBRARY=$<TARGET_FILE:metal_device>
      ARGUMENTS --filter warp --filter cooperative_groups --filter cub_ --filter wmma)
  else()
    message(STATUS "clang++ is not installed: the suite does not run on Metal's test device")
  endif()
endif()
# Double precision in software: Mesa compiles each of these cases for half a minute and more.
quern_suite_test(webgpu ARGUMENTS ${last_third} --except math_double --except curand --except complex_std --except recursion)
quern_with_webgpu(suite_webgpu)
if("$ENV{CI}" STREQUAL "true")  # a library that could not be fetched is an error there
  set_tests_properties(suite_webgpu PROPERTIES SKIP_RETURN_CODE 255)
endif()
