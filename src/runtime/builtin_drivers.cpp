#include "runtime/builtin_drivers.hpp"

#ifdef QUERN_DRIVER_CPU
#include "driver/cpu/driver.hpp"
#endif
#ifdef QUERN_DRIVER_CUDA
#include "driver/cuda/driver.hpp"
#endif
#ifdef QUERN_DRIVER_HIP
#include "driver/hip/driver.hpp"
#endif
#ifdef QUERN_DRIVER_NATIVE
#include "driver/native/driver.hpp"
#endif
#ifdef QUERN_DRIVER_OPENCL
#include "driver/opencl/driver.hpp"
#endif
#ifdef QUERN_DRIVER_OPENGL
#include "driver/opengl/driver.hpp"
#endif
#ifdef QUERN_DRIVER_SIM
#include "driver/sim/driver.hpp"
#endif
#ifdef QUERN_DRIVER_VULKAN
#include "driver/vulkan/driver.hpp"
#endif
#ifdef QUERN_DRIVER_WEBGPU
#include "driver/webgpu/driver.hpp"
#endif

namespace quern::runtime {

namespace {

constexpr BuiltinDriver kDrivers[] = {
#ifdef QUERN_DRIVER_CPU
    {"cpu", cpu::make_driver, "", false},
#else
    {"cpu", nullptr, "configure with -DQUERN_DRIVER_CPU=ON", false},
#endif
#ifdef QUERN_DRIVER_CUDA
    {"cuda", cuda::make_driver, "", true},
#else
    {"cuda", nullptr, "configure with -DQUERN_DRIVER_CUDA=ON", true},
#endif
#ifdef QUERN_DRIVER_HIP
    {"hip", hip::make_driver, "", true},
#else
    {"hip", nullptr, "configure with -DQUERN_DRIVER_HIP=ON", true},
#endif
#ifdef QUERN_DRIVER_NATIVE
    {"native", native::make_driver, "", false},
#else
    {"native", nullptr, "configure with -DQUERN_DRIVER_NATIVE=ON", false},
#endif
#ifdef QUERN_DRIVER_OPENCL
    {"opencl", opencl::make_driver, "", true},
#else
    {"opencl", nullptr, "configure with -DQUERN_DRIVER_OPENCL=ON", true},
#endif
#ifdef QUERN_DRIVER_OPENGL
    {"opengl", opengl::make_driver, "", true},
    {"gles", opengl::make_es_driver, "", true},
    {"webgl2", opengl::make_webgl_driver, "", false},
#else
    {"opengl", nullptr, "configure with -DQUERN_DRIVER_OPENGL=ON", true},
    {"gles", nullptr, "configure with -DQUERN_DRIVER_OPENGL=ON", true},
    {"webgl2", nullptr, "configure with -DQUERN_DRIVER_OPENGL=ON", false},
#endif
#ifdef QUERN_DRIVER_SIM
    {"sim", sim::make_driver, "", false},
    {"std.gpu", sim::make_spirv_driver, "", false},
#else
    {"sim", nullptr, "configure with -DQUERN_DRIVER_SIM=ON", false},
    {"std.gpu", nullptr, "configure with -DQUERN_DRIVER_SIM=ON", false},
#endif
#ifdef QUERN_DRIVER_VULKAN
    {"vulkan", vulkan::make_driver, "", true},
#else
    {"vulkan", nullptr, "configure with -DQUERN_DRIVER_VULKAN=ON", true},
#endif
#ifdef QUERN_DRIVER_WEBGPU
    {"webgpu", webgpu::make_driver, "", true},
#else
    {"webgpu", nullptr, "configure with -DQUERN_DRIVER_WEBGPU=ON", true},
#endif
};

}  // namespace

std::span<const BuiltinDriver> builtin_drivers() { return kDrivers; }

}  // namespace quern::runtime
