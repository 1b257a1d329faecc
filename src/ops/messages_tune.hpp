// Messages of the tuning of operations.
#pragma once

#include "base/message.hpp"

namespace quern::ops::message {

inline constexpr Message<2> kNotTunable{"tuning of ops::{} failed: the operation has no variants",
                                        "use one of {}"};
inline constexpr Message<3> kNotAProblem{"tuning of ops::{} failed: the shape {} does not describe a problem",
                                         "pass {}, with extents of at least 1"};
inline constexpr Message<3> kNotTunableType{"tuning of ops::{} failed: the type {} is not supported",
                                            "use {}"};

}  // namespace quern::ops::message
