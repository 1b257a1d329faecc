// Texts that the interface to JavaScript reports. Errors of a launch have the runtime's texts.
#pragma once

#include "base/message.hpp"

namespace quern::web::message {

using base::Message;

inline constexpr Message<1> kUnknownCall{"there is no call '{}'"};
inline constexpr Message<2> kUnknownObject{"there is no {} {}"};
inline constexpr Message<1> kUnknownDriver{"opening a device failed: there is no driver '{}' in a browser",
                                           "use webgpu or sim"};
inline constexpr Message<2> kUnknownTarget{"emitting code failed: there is no target '{}'",
                                           "the targets are {}"};
inline constexpr Message<1> kDoesNotCompile{"compiling the kernels failed: {}"};
inline constexpr Message<0> kNoKernel{"compiling the kernels failed: the text has no kernel",
                                      "declare one: __global__ void name(…)"};
inline constexpr Message<2> kTranslatedText{"reading the compiled kernels failed: line {}: {}"};
inline constexpr Message<2> kFailed{"{} failed: {}"};
inline constexpr Message<1> kFeatureMissing{"the device has no {}"};
inline constexpr Message<0> kComputedInSoftware{"computed in software"};
inline constexpr Message<1> kInSoftware{"{} in software"};
inline constexpr Message<1> kLaunchesKernels{
    "kernel '{}' launches kernels, which is not supported in a browser", "launch them from JavaScript"};
inline constexpr Message<2> kSourceTooLong{"compiling the kernels failed: the text has {}, the limit is {}"};

}  // namespace quern::web::message
