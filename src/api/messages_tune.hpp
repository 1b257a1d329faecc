// Texts of the autotuner: errors, and the reasons in its results.
#pragma once

#include "base/message.hpp"

namespace quern::detail::message {

using base::Message;

inline constexpr Message<2> kNoVariantParameter{"reading a variant failed: '{}' is not a parameter of {}",
                                                "use a name that the request lists"};
inline constexpr Message<1> kTuneNeedsVariants{"tuning '{}' failed: no variant was given",
                                               "list the variants, the default one first"};
inline constexpr Message<1> kTuneNeedsRun{"tuning '{}' failed: TuneRequest::run is empty",
                                          "pass a function that submits the work of a variant"};
inline constexpr Message<1> kTuneNeedsCheck{
    "tuning '{}' failed: results cannot be compared",
    "list the memory that the variants write in TuneRequest::outputs, or pass TuneRequest::check"};

// Why a variant is not chosen.
inline constexpr Message<2> kTooManyBlockThreads{"it has {} threads per block, and the limit is {}"};
inline constexpr Message<2> kTooMuchShared{
    "it needs {} bytes of shared memory per block, and the limit is {}"};
inline constexpr Message<2> kLowOccupancy{"its occupancy is {} %, and that of another variant {} %"};
inline constexpr Message<1> kWroteNothing{"output {} was not written"};
inline constexpr Message<3> kWrongResult{"output {} differs: relative difference {}, tolerance {}"};
inline constexpr Message<1> kTooLong{"a run took longer than the limit of {} s"};
inline constexpr Message<0> kEndedBefore{"the program ended while it ran, in an earlier tuning"};
inline constexpr Message<0> kUnknownException{"it threw an unknown exception"};
inline constexpr Message<0> kTimeIsOver{"the time for tuning was over"};
inline constexpr Message<0> kTuningCancelled{"the tuning was cancelled"};
inline constexpr Message<1> kDeviceIsLost{"the device was lost while the variant {} ran"};
inline constexpr Message<1> kDeviceIsBusy{"the device is busy: the variant {} did not end"};

// Why a variant is chosen.
inline constexpr Message<0> kTuningIsOff{"QUERN_TUNE is off"};
inline constexpr Message<0> kNothingStored{"no result is stored for this device and request"};
inline constexpr Message<1> kNothingMeasured{"no variant could be measured: {}"};
inline constexpr Message<2> kFasterThanDefault{"{} times as fast as the default variant, {}"};
inline constexpr Message<1> kDefaultIsFastest{
    "the default variant: no other one is reliably more than {} % faster"};
inline constexpr Message<1> kDefaultFailed{"the fastest variant, because the default one failed: {}"};

}  // namespace quern::detail::message
