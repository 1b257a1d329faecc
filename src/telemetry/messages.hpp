// Texts of the errors that sources of telemetry report.
#pragma once

#include "base/message.hpp"

namespace quern::telemetry::message {

using base::Message;

// Files of the kernel
inline constexpr Message<1> kNoPciAddress{
    "finding the files of the kernel's driver failed: the driver '{}' reports no PCI address of the device"};
inline constexpr Message<1> kNoFolder{"no folder '{}'"};
inline constexpr Message<2> kNotANumber{"reading '{}' failed: '{}' is not a number"};

// Libraries of vendors
inline constexpr Message<0> kReinstallLibrary{
    "update or reinstall this library (other devices and values do not need it)"};
inline constexpr Message<1> kNvmlInit{"nvmlInit_v2 failed: {}",
                                      "check with 'nvidia-smi' that the driver works"};
inline constexpr Message<1> kRocmInit{"rsmi_init failed: {}", "check with 'rocm-smi' that the driver works"};
inline constexpr Message<1> kRocmCount{"rsmi_num_monitor_devices failed: {}"};
inline constexpr Message<1> kSysmanInit{"zesInit failed: error {}",
                                        "check that the user is in the group 'render'"};
inline constexpr Message<4> kNoDeviceByUuid{"finding '{}' (PCI address '{}', UUID '{}') failed: {}"};
inline constexpr Message<3> kNoDeviceByPci{
    "finding '{}' (PCI address '{}') failed: none of {} has this address"};

}  // namespace quern::telemetry::message
