// Texts of the errors that several drivers, and the parts shared by drivers, report.
#pragma once

#include "base/message.hpp"
#include "driver/interface/messages.hpp"

namespace quern::driver::message {

// Opening a device
inline constexpr Message<3> kUnknownIndex{"opening {}:{} failed: the driver has {}",
                                          "list the devices with `quern devices`"};
inline constexpr Message<4> kUnknownOption{"opening {} failed: it does not accept option '{}'",
                                           "correct or remove the option; {} has {}"};
inline constexpr Message<1> kMisnamedProcessor{
    "{} compiles for this processor by its name, but the system does not offer all of its instructions "
    "(SVE): kernels would crash",
    "use the device 'cpu'"};

// Errors of a device
inline constexpr Message<2> kCallFailed{"{} failed with {}"};
inline constexpr Message<2> kLost{"{} was lost: {}"};

// Kernels and memory
inline constexpr Message<2> kUnsupportedCode{"loading code failed: {} does not accept {} code"};
inline constexpr Message<1> kUnknownKernel{"there is no kernel '{}'"};
inline constexpr Message<1> kUseOneOf{"use one of {}"};
inline constexpr Message<1> kDidYouMean{"did you mean '{}'?"};
inline constexpr Message<1> kNotSpirv{"loading {} failed: it is not a SPIR-V module"};
inline constexpr Message<4> kTooManyBindings{
    "kernel '{}' needs {} buffers including its variables, but {} binds at most {}"};
inline constexpr Message<2> kAllocationTooLarge{"cannot allocate {}: the device's limit is {}"};
inline constexpr Message<1> kNoSharedMemory{
    "allocating memory failed: {} has no memory that it shares with the host"};

}  // namespace quern::driver::message
