// Messages of operations for neural networks.
#pragma once

#include "base/message.hpp"

namespace quern::ops::message {

using base::Message;

inline constexpr Message<2> kNotReal{"ops::{} failed: elements of type {} are not supported here",
                                     "use double, float, half or bfloat16"};
inline constexpr Message<3> kNoSuchAxis{"ops::{} failed: axis {} does not exist in a tensor of shape {}"};
inline constexpr Message<4> kWrongElement{"ops::{} failed: the operand '{}' has elements of type {}",
                                          "use {}"};
inline constexpr Message<4> kWrongShape{"ops::{} failed: the operand '{}' has shape {}",
                                        "pass a tensor of shape {}"};
inline constexpr Message<2> kWrongRank{"ops::{} failed: a tensor of shape {} has the wrong number of axes",
                                       "pass the axes that the documentation of the operation lists"};

inline constexpr Message<2> kBadRotation{
    "ops::rotary failed: {} dimensions of a tensor of shape {} cannot be rotated",
    "pass an even number, at most the extent of the last axis, which is even"};
inline constexpr Message<3> kBadEmbedding{
    "ops::embedding failed: the table has shape {}, the indices {}, and the result {}",
    "pass a table with two axes, and a result with the axes of the indices and one for a row of the table"};
inline constexpr Message<3> kBadAttention{
    "ops::attention failed: the queries have shape {}, the keys {}, and the values {}",
    "pass batch×heads×tokens×elements, and a number of heads that is a multiple of that of keys and values"};
inline constexpr Message<1> kLargeHead{"ops::attention failed: a head of {} elements is not supported",
                                       "use at most 256 elements"};
inline constexpr Message<3> kUnalignedRows{
    "ops::{} failed: the rows of the operand '{}' of shape {} are not contiguous words of 4 bytes",
    "pass a matrix whose rows are contiguous, begin at a multiple of 4 bytes, and are a multiple of 4 bytes "
    "long"};
inline constexpr Message<5> kBadQuantized{
    "ops::{} failed: {} columns do not fit the packed matrix of shape {} and the scales of shape {}",
    "pass rows×packed_bytes() and rows×groups, and groups of a multiple of {} columns"};
inline constexpr Message<3> kBadConvolution{
    "ops::conv2d failed: images of shape {} cannot be convolved with filters of shape {} in {} groups",
    "pass images×channels×height×width, filters×(channels / groups)×height×width that fit into the padded "
    "image, and "
    "strides and dilations of at least 1"};
inline constexpr Message<4> kBadPool{
    "ops::{} failed: windows of {}×{} do not fit images of shape {}",
    "pass images×channels×height×width, a window and stride of at least 1, and less padding than the window"};

}  // namespace quern::ops::message
