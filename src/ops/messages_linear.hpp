// Messages of linear algebra.
#pragma once

#include "base/message.hpp"

namespace quern::ops::message {

using base::Message;

inline constexpr Message<3> kVectorsDiffer{"ops::{} failed: the vectors have shapes {} and {}",
                                           "pass vectors with one axis and equal extents"};
inline constexpr Message<4> kBadVectorResult{
    "ops::{} failed: the result has shape {} and elements of type {} instead of {}",
    "pass an operand with one element of that type"};
inline constexpr Message<4> kBadMatrixVector{
    "ops::{} failed: a matrix of shape {} cannot be multiplied by {} to {}",
    "pass m×n and n for m; a.transpose() is the transpose"};

}  // namespace quern::ops::message
