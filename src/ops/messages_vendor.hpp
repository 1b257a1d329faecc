// Messages of vendors' libraries.
#pragma once

#include "base/message.hpp"

namespace quern::ops::message {

inline constexpr Message<0> kLibrariesAreOff{
    "vendors' libraries are not used: QUERN_VENDOR_LIBRARIES is off"};
inline constexpr Message<3> kLibraryCallFailed{"{} failed: {} returned the error {}"};
inline constexpr Message<2> kNotForLibrary{
    "ops::{} with {} failed: the library has no call for these operands"};
// Hints: how to install a library.
inline constexpr const char* kInstallCublas = "install the CUDA toolkit, or its package libcublas";
inline constexpr const char* kInstallCufft = "install the CUDA toolkit, or its package libcufft";
inline constexpr const char* kInstallRocblas = "install ROCm, or its package rocblas";
inline constexpr const char* kInstallOpenblas = "install the package libopenblas0-pthread";
inline constexpr const char* kInstallBlis = "install the package libblis4-pthread";

}  // namespace quern::ops::message
