// Texts of the errors that the drivers opengl and gles report.
#pragma once

#include "base/message.hpp"

namespace quern::opengl::message {

using base::Message;

// Drivers and devices
inline constexpr std::string_view kInstall =
    "install your GPU's driver; for the CPU: libegl1 and libgl1-mesa-dri";
inline constexpr Message<1> kOldEgl{"loading EGL failed: {} is older than EGL 1.5",
                                    "install your GPU's driver; for the CPU: libegl1 and libgl1-mesa-dri"};
inline constexpr Message<0> kNoDisplay{"EGL found no device and no surfaceless display",
                                       "install your GPU's driver; for the CPU: libegl1 and libgl1-mesa-dri"};
inline constexpr Message<1> kNoFunction{"loading OpenGL failed: the driver has no function '{}'"};
inline constexpr Message<1> kUnsupportedApi{"EGL does not support {}"};
inline constexpr Message<2> kNoContext{"creating an EGL context for {} failed: {}",
                                       "update your GPU's driver: it is too old, or has no compute shaders"};
inline constexpr Message<1> kNoSurfaceless{"using an EGL context without a surface failed: {}"};
inline constexpr Message<0> kNoContextThread{"starting a thread for the OpenGL context failed"};
inline constexpr Message<0> kOpenNull{"opening a device on an EGLContext failed: a handle is null"};
inline constexpr Message<2> kPatience{"opening {} failed: option 'patience' is '{}'",
                                      "use a number of seconds"};
inline constexpr Message<0> kWebGl{"WebGL 2 has no compute shaders and no storage buffers",
                                   "use WebGPU in a browser: `quern emit --target wgsl`"};

// Compilation
inline constexpr Message<3> kCompileFailed{"compiling {} for {} failed:\n{}"};
inline constexpr Message<0> kUserGlsl{"loading GLSL failed: the argument bindings of user code are not known",
                                      "load the kernel as CUDA C++"};

// Memory and streams
inline constexpr Message<0> kMapFailed{"mapping a buffer failed: glMapBufferRange returned null"};
inline constexpr Message<0> kFenceFailed{"creating a fence failed: glFenceSync returned null"};
inline constexpr Message<0> kAdoptOffset{"adopting memory failed: the offset in a GL buffer is not 0",
                                         "adopt the whole buffer and use Buffer::slice"};
inline constexpr Message<3> kAdoptSize{
    "adopting memory failed: GL buffer {} has {} bytes in Quern's context, but {} are needed",
    "create the buffer in a context that shares objects with "
    "interop::get<interop::opengl::Device>(device).context"};

}  // namespace quern::opengl::message
