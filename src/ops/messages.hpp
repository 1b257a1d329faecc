// Messages of operations.
#pragma once

#include "base/message.hpp"

namespace quern::ops::message {

using base::Message;

// Shapes and views.
inline constexpr Message<1> kTooManyAxes{"Shape failed: {} extents were given, and a shape has at most 8"};
inline constexpr Message<2> kNegativeExtent{"Shape failed: axis {} has the extent {}",
                                            "use extents of at least 0"};
inline constexpr Message<0> kTooManyElements{"Shape failed: the shape has more than 2^63 - 1 elements"};
inline constexpr Message<2> kShortMemory{"Tensor failed: a tensor of shape {} does not fit into {} elements",
                                         "pass a larger buffer, or a smaller shape"};
inline constexpr Message<2> kNoAxis{"view failed: axis {} does not exist in a tensor of shape {}"};
inline constexpr Message<4> kBadSlice{
    "slice failed: positions {} to {} of axis {} are not in a tensor of shape {}"};
inline constexpr Message<1> kNoTranspose{"transpose failed: a tensor of shape {} has fewer than two axes"};
inline constexpr Message<2> kBadReshape{"reshape failed: a tensor of shape {} cannot have the shape {}",
                                        "choose a shape with the same number of elements"};
inline constexpr Message<2> kStridedReshape{
    "reshape failed: the strides of a tensor of shape {} do not allow the shape {} without a copy",
    "copy it to a contiguous tensor with ops::copy first"};
inline constexpr Message<2> kBadBroadcast{"broadcast failed: a tensor of shape {} does not broadcast to {}",
                                          "make the extents equal or 1, from the last axis on"};
inline constexpr Message<2> kWrongCount{"copy failed: the tensor has {} elements, the host memory {}",
                                        "pass as many elements as the tensor has"};

// Operations.
inline constexpr Message<1> kReadOnly{"ops::{} failed: the operand for the result is read-only",
                                      "pass a tensor, buffer or slice of non-const elements"};
inline constexpr Message<3> kShapesDiffer{"ops::{} failed: the input has shape {} and the result {}",
                                          "make the shapes equal"};
inline constexpr Message<3> kBadReduction{
    "ops::{} failed: a tensor of shape {} cannot be reduced to {}",
    "give each axis of the result the same extent or 1, or no axes for one value"};
inline constexpr Message<2> kNoElement{"ops::{} failed: a tensor of shape {} has no element to choose",
                                       "check the size before the call"};
inline constexpr Message<2> kNotIndices{"ops::{} failed: positions cannot be stored as {}",
                                        "use a tensor of int32_t, uint32_t, int64_t or uint64_t"};
inline constexpr Message<2> kNotOneAxis{"ops::{} failed: a tensor of shape {} does not have one axis",
                                        "reshape it, or pass one row with select()"};
inline constexpr Message<2> kValuesDiffer{"ops::sort failed: the keys have shape {} and the values {}",
                                          "make the shapes equal"};
inline constexpr Message<1> kTooManyForSort{"ops::sort failed: {} keys are more than 2^32 - 1",
                                            "sort parts and merge them"};
inline constexpr Message<3> kTypesDiffer{"ops::{} failed: the input has elements of type {}, the result {}",
                                         "use the same type, or convert with ops::copy"};
inline constexpr Message<2> kNoComplex{"ops::{} failed: elements of type {} are not supported here",
                                       "use an element type that is neither complex nor an 8-bit float"};
inline constexpr Message<3> kBadCount{"ops::{} failed: the count has type {} and shape {}",
                                      "pass an operand with one int64_t"};
inline constexpr Message<2> kBadCounts{"ops::histogram failed: the counts have shape {} and type {}",
                                       "pass one axis with at least one 32-bit integer"};
inline constexpr Message<3> kBadRange{"ops::histogram failed: {} to {} cannot be divided into {} bins",
                                      "choose an upper bound above the lower one, or fewer bins"};
inline constexpr Message<4> kBadGather{
    "ops::{} failed: the input has shape {}, the indices {}, and the result {}",
    "pass one index for each row, and rows of the same shape"};
inline constexpr Message<3> kBadProduct{
    "ops::matmul failed: matrices of shape {} and {} cannot be multiplied to {}",
    "pass m×k and k×n for m×n, with a leading axis for batches"};
inline constexpr Message<2> kBadBias{"ops::matmul failed: the bias has shape {} and the result {}",
                                     "pass one axis with an element for each column"};
inline constexpr Message<0> kPlainProduct{"ops::matmul failed: products of integers are not scaled",
                                          "use alpha = 1, beta = 0 or 1, and no activation"};
inline constexpr Message<1> kNoProduct{
    "ops::matmul failed: elements of type {} are not supported",
    "use double, float, half or bfloat16; 8-bit elements have another result: "
    "int32_t for int8_t; float, half or bfloat16 for 8-bit floats"};

}  // namespace quern::ops::message
