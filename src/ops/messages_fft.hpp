// Messages of Fourier transforms.
#pragma once

#include "base/message.hpp"

namespace quern::ops::message {

using base::Message;

inline constexpr Message<3> kBadFftTypes{"ops::{} failed: the input has elements of type {}, the result {}",
                                         "use std::complex<float> or std::complex<double>; float or double "
                                         "for the input of rfft and the result of irfft"};
inline constexpr Message<3> kBadFftAxes{"ops::{} failed: the axes {} were given for a tensor of shape {}",
                                        "pass different axes of the tensor, or none for the last axis"};
inline constexpr Message<5> kBadHalf{
    "ops::{} failed: the real tensor has shape {} and the complex one {}",
    "make the extents equal, except {} / 2 + 1 = {} along the last transformed axis of the complex tensor"};
inline constexpr Message<3> kLargeFft{"ops::{} failed: {} elements of axis {} are too many",
                                      "transform at most 2^30 elements along an axis"};

}  // namespace quern::ops::message
