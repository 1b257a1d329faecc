// Messages of device groups and distributed arrays.
#pragma once

#include "base/message.hpp"

namespace quern::comm::message {

using base::Message;

// Groups.
inline constexpr Message<0> kEmptyGroup{"DeviceGroup failed: the list of devices is empty"};
inline constexpr Message<1> kClosedMember{"DeviceGroup failed: the device of member {} is not open",
                                          "open it with quern::open"};
inline constexpr Message<0> kNoGpus{"DeviceGroup::gpus failed: this machine has no GPU with a driver",
                                    "use DeviceGroup::all, or name the devices with DeviceGroup::open"};
inline constexpr Message<2> kNoMember{"DeviceGroup failed: member {} does not exist in a group of {}"};
inline constexpr Message<2> kWeightCount{
    "DeviceGroup::with_weights failed: {} weights were given for {} members", "pass one for each member"};
inline constexpr Message<2> kBadWeight{"Split failed: the weight of member {} is {}",
                                       "use finite weights of at least 0"};
inline constexpr Message<0> kNoWeight{"Split failed: the sum of the weights is not positive and finite",
                                      "give at least one member a positive weight"};
inline constexpr Message<1> kNobodyLeft{
    "DeviceGroup::without failed: without member {}, no member with a weight remains"};
inline constexpr Message<4> kMemberFailed{"{} failed on member {} ({}): {}"};
inline constexpr Message<5> kMemberFailedAfter{"{} failed on member {} ({}) after the {}: {}"};
inline constexpr Message<1> kBadRounds{"DeviceGroup::measured failed: the number of rounds is {}",
                                       "measure at least once"};

// Operations, as kMemberFailed names them.
inline constexpr Message<1> kLaunchOf{"launch of '{}'"};

// Distributed arrays.
inline constexpr Message<1> kNoRows{"Distributed failed: the shape {} has no axis",
                                    "give it at least one axis, whose positions are divided"};
inline constexpr Message<3> kSplitTotal{
    "Distributed failed: the split has {} members and {} rows, which does not match {}",
    "divide the rows of the array between the members of the group"};
inline constexpr Message<3> kHostCount{"Distributed::{} failed: the array has {} bytes, the host memory {}",
                                       "pass as many elements as the array has"};
inline constexpr Message<0> kNoBackup{"Distributed::restore failed: the array has no copy on the host",
                                      "set host_backed, and call scatter or backup before"};
inline constexpr Message<0> kNotBacked{"Distributed::backup failed: the array is not host_backed",
                                       "set DistributedOptions::host_backed"};
inline constexpr Message<1> kRowsLost{
    "redistribution failed: rows {} are lost with their device, and the array has no copy on the host",
    "set DistributedOptions::host_backed, and call scatter or backup before a loss"};
inline constexpr Message<2> kKernelCount{
    "GroupKernel failed: member {} does not exist in a kernel of {} members",
    "get the kernel from a module of this group"};
inline constexpr Message<1> kOtherGroup{
    "DeviceGroup::launch failed: argument {} is an array of another group", "redistribute it to this group"};
inline constexpr Message<3> kOtherSplit{
    "DeviceGroup::launch failed: argument {} is divided as {}, and the launch as {}",
    "redistribute the array to the group, and launch over its rows"};
inline constexpr Message<1> kArraysDiffer{
    "distributed::{} failed: the arrays are divided differently, or have different rows",
    "redistribute them to the same group"};
inline constexpr Message<1> kShapesOfArrays{"distributed::{} failed: the arrays have different shapes"};

// Algorithms.
inline constexpr Message<2> kSmallHalo{
    "distributed::run failed: the stencil reads {} rows away, and an array has a halo of {}",
    "raise DistributedOptions::halo"};
inline constexpr Message<0> kHalosDiffer{"distributed::run failed: the arrays have halos of different sizes",
                                         "give all fields the same halo"};
inline constexpr Message<0> kPlaceBoundary{
    "distributed::run failed: a boundary that is a function of the place is not supported",
    "use Boundary::constant or another kind"};
inline constexpr Message<1> kPlaceUpdate{
    "distributed::run failed: the update uses {}, which refers to the part of a member",
    "pass positions as a field"};
inline constexpr Message<1> kStepCount{"distributed::run failed: the number of steps is {}",
                                       "use at least 0"};
inline constexpr Message<1> kOneAxis{"distributed::{} failed: the array must have one axis"};
inline constexpr Message<3> kBadProduct{
    "distributed::matmul failed: the product of matrices of shapes {} and {} does not have the shape {}"};

}  // namespace quern::comm::message
