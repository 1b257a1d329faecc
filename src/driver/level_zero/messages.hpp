// Texts of the errors that the Level Zero driver reports.
#pragma once

#include "base/message.hpp"

namespace quern::level_zero::message {

using base::Message;

// Drivers and devices
inline constexpr Message<0> kNoDriver{
    "the Level Zero loader found no driver",
    "install the GPU's Level Zero driver (intel-level-zero-gpu or libze-intel-gpu1)"};
inline constexpr Message<1> kNoPermission{"starting Level Zero failed: no permission for {}",
                                          "add the user to the group 'render', and log in again"};
inline constexpr Message<0> kNoDevice{"the Level Zero driver found no device",
                                      "check with 'lspci' that the GPU is present, and update its driver"};
inline constexpr Message<1> kNotGpu{"{} is not a GPU and cannot run kernels",
                                    "use another device: 'quern devices' lists them"};
inline constexpr Message<3> kSubgroupSize{"opening {} failed: it has no subgroups of {} threads",
                                          "use one of {}"};
inline constexpr Message<1> kNoComputeGroup{"opening {} failed: it has no command queue group for compute",
                                            "use another device: 'quern devices' lists them"};

// Compilation
inline constexpr Message<3> kCompileFailed{"compiling {} for {} failed: {}"};
inline constexpr Message<1> kUnknownParameters{
    "loading {} failed: Level Zero does not report the parameters of kernels",
    "load the kernels as CUDA C++, or load the module with OpenCL"};

// Memory and graphs
inline constexpr Message<0> kGraphFill{
    "updating a graph failed: the device does not support the changed fill",
    "align the destination of the fill to its width, or record the graph again"};

}  // namespace quern::level_zero::message
