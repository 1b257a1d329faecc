// Selects a device: the requested one, or another one if the policy allows it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/interface/interop.hpp"
#include "runtime/device.hpp"
#include "runtime/score.hpp"

namespace quern::runtime {

// Whether the device runs kernels in the kernel language; some devices accept only inline kernels or raw
// code.
bool takes_kernels(const driver::DeviceInfo& info);

// All devices of all drivers, best first.
std::vector<driver::DeviceInfo> candidates();

// "": the best; "cuda": the best of that driver; "cuda:1"; "2": as numbered by `quern devices`; "gpu",
// "discrete", "integrated", "virtual"; part of a device's name. Options after commas: has=fp64+warps,
// fp64=native (not computed in software), policy=prefer, and options of the driver (sim,seed=7).
struct Request {
  std::string text;
  std::function<bool(const driver::DeviceInfo&)> accepts;  // absent: any
  bool is_free = false;                                    // ignores QUERN_DEVICE and QUERN_SIM
  Policy policy = Policy::require;
};

// The description of the requested device, which is not opened. Ignores the policy, QUERN_DEVICE and
// QUERN_SIM.
Result<driver::DeviceInfo> find(const Request& request);

// How a device was selected.
struct Selection {
  std::string requested;              // "best", "cuda"
  std::vector<std::string> detected;  // ids of the considered devices
  std::string id, name;               // of the device
  std::string why;                    // one clause
  std::string fallback_reason;        // why it is not the requested device; empty: it is

  // "requested cuda, detected cuda:0 cpu:0, selected cuda:0 (NVIDIA H200): …"
  std::string to_string() const;
};

// The first selection of a process is logged (info), and each that is not the requested device (warning).
Result<std::shared_ptr<Device>> open(const Request& request, Selection* selection = nullptr);

// Opens a device on a native device or context that another library created.
Result<std::shared_ptr<Device>> open_native(const driver::AnyDevice& handle, driver::KeepAlive keep_alive);

// The driver's device, with the decorators that the environment requests; `with_faults`: with those of
// QUERN_FAULTS.
Result<std::unique_ptr<driver::Device>> open_below(const Request& request, bool with_faults = true,
                                                   Selection* selection = nullptr);

}  // namespace quern::runtime
