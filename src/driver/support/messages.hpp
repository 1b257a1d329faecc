// Texts of the errors that parts shared by drivers report.
#pragma once

#include "base/message.hpp"

namespace quern::driver::message {

using base::Message;

// Opening a device
inline constexpr Message<4> kUnknownIndex{"{} has {}", "there is no {}:{}"};
inline constexpr Message<3> kUnknownOption{"{} does not accept option '{}'", "it has {}"};
inline constexpr Message<1> kMisnamedProcessor{
    "{} compiles for this processor by its name, but the system does not offer all of its instructions "
    "(SVE): kernels would crash",
    "use the device 'cpu'"};

// Kernels and memory
inline constexpr Message<1> kUnknownKernel{"there is no kernel '{}'"};
inline constexpr Message<1> kNotSpirv{"{} is not a SPIR-V module"};
inline constexpr Message<4> kTooManyBindings{
    "kernel '{}' needs {} buffers including its variables, but {} binds at most {}"};
inline constexpr Message<2> kAllocationTooLarge{"cannot allocate {}: the device's limit is {}"};

}  // namespace quern::driver::message
