// Messages of stencils.
#pragma once

#include "base/message.hpp"

namespace quern::ops::message {

using base::Message;

inline constexpr Message<1> kNoFields{"ops::{} failed: there is no field", "pass at least one field"};
inline constexpr Message<2> kBadGrid{"ops::{} failed: a grid of shape {} does not have one to three axes",
                                     "reshape the field, or pass one position with select()"};
inline constexpr Message<2> kLargeGrid{"ops::{} failed: a grid of shape {} has an extent of 2^30 or more",
                                       "divide the grid into regions with slice()"};
inline constexpr Message<3> kFieldsDiffer{"ops::{} failed: the fields have shapes {} and {}",
                                          "make the shapes equal"};
inline constexpr Message<3> kFieldCounts{
    "ops::{} failed: there are {} fields for the input and {} for the result",
    "pass the same number of fields"};
inline constexpr Message<2> kFieldsOverlap{"ops::{} failed: field {} of the result is also an input",
                                           "pass another tensor, or use Stencil::run"};
inline constexpr Message<2> kFieldTypes{
    "ops::{} failed: field {} has different types in the input and the result", "use the same type"};
inline constexpr Message<3> kBadBoundaries{"ops::{} failed: {} boundaries were given for a grid of shape {}",
                                           "pass one boundary, or one for each axis"};
inline constexpr Message<3> kBadRadius{"ops::{} failed: {} radii were given for a grid of shape {}",
                                       "pass one radius, or one for each axis"};
inline constexpr Message<2> kRadiusRange{"ops::{} failed: the radius {} is not between 0 and 64"};
inline constexpr Message<4> kBadRegion{
    "ops::{} failed: positions {} to {} are not a region of a grid of shape {}",
    "pass one position for each axis, inside of the grid"};
inline constexpr Message<1> kBadSteps{"ops::Stencil::run failed: {} time steps were requested",
                                      "pass 0 or more"};
inline constexpr Message<2> kManySteps{
    "ops::Stencil::run failed: {} steps per launch need more shared memory than the device has ({} bytes)",
    "use fewer steps per launch, or 0 for the best number"};

}  // namespace quern::ops::message
