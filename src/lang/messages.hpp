// Diagnostics of the choice of kernels.
#pragma once

#include "base/message.hpp"

namespace quern::lang::message {

using base::Message;

inline constexpr Message<2> kNoSuchKernel{"there is no kernel '{}' in {}"};
inline constexpr Message<1> kNoInstanceCompiles{"none of the template arguments that were tried compile ({})",
                                                "name an instance"};
inline constexpr Message<0> kTemplateNotLaunched{"a template that is not launched in this file",
                                                 "name an instance"};
inline constexpr Message<0> kKernelNotPrepared{"it cannot be prepared for a device"};

}  // namespace quern::lang::message
