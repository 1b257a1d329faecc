// Messages of runs, segments, searches, top-k, random numbers and concatenation.
#pragma once

#include "base/message.hpp"

namespace quern::ops::message {

using base::Message;

inline constexpr Message<4> kBadOffsets{
    "ops::segmented_reduce failed: {} segments of shape {} cannot have offsets of shape {} and type {}",
    "pass one offset for each segment and one more, as 32-bit or 64-bit integers"};
inline constexpr Message<4> kBadEdges{
    "ops::histogram failed: {} bins of elements of type {} cannot have edges of shape {} and type {}",
    "pass one edge for each bin and one more, with the type of the elements"};
inline constexpr Message<3> kBadTopK{
    "ops::top_k failed: rows of shape {} cannot have values of shape {} and indices of shape {}",
    "give values and indices the shape of the input, with a last axis that is not longer"};
inline constexpr Message<3> kBadInterval{"ops::{} failed: there are no numbers from {} to {}",
                                         "choose a finite upper end above the lower one"};
inline constexpr Message<2> kBadDistribution{
    "ops::random_normal failed: a mean of {} and a standard deviation of {} are not supported",
    "choose finite numbers, and a deviation of at least 0"};
inline constexpr Message<3> kBadConcatenation{
    "ops::concatenate failed: operands of shape {} cannot be joined along axis {} to {}",
    "make all other extents equal, and the extent of the result the sum of the operands' extents"};

}  // namespace quern::ops::message
