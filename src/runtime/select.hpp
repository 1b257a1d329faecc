// Which device: the one that a request asks for, or another one where its policy allows that.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/interface/interop.hpp"
#include "runtime/device.hpp"
#include "runtime/score.hpp"

namespace quern::runtime {

// Whether kernels in the kernel language run there; some devices take only inline kernels or raw code.
bool takes_kernels(const driver::DeviceInfo& info);

// All devices of all drivers, the best first.
std::vector<Candidate> candidates();

// What becomes of a request that cannot be met. QUERN_STRICT=1 makes each of them kRequire.
enum class Policy : uint8_t {
  kRequire,  // an error
  kPrefer,   // the best other device that meets its conditions (`accepts`, has=…)
  kAllow,    // then any device at all
};

// "": the best; "cuda": the best of that driver; "cuda:1"; "2": as `quern devices` counts; "gpu", "discrete",
// "integrated", "virtual"; a part of a device's name. Behind commas: has=fp64+warps, policy=prefer, and
// options of the driver (sim,seed=7).
struct Request {
  std::string text;
  std::function<bool(const driver::DeviceInfo&)> accepts;  // absent: any
  bool is_free = false;                                    // QUERN_DEVICE and QUERN_SIM have no say
  Policy policy = Policy::kRequire;
};

// How a device came to be chosen.
struct Selection {
  std::string requested;              // "best", "cuda"
  std::vector<std::string> detected;  // ids of what was looked at
  std::string id, name;               // of the device
  std::string why;                    // one clause
  std::string fallback_reason;        // why it is not what was asked for; empty: it is

  // "requested cuda, detected cuda:0 cpu:0, selected cuda:0 (NVIDIA H200): …"
  std::string to_string() const;
};

// The first one of a process is logged (info), and each that is not what was asked for (warning).
Result<std::shared_ptr<Device>> open(const Request& request, Selection* selection = nullptr);

// Opens a device on a native device or context that another library created.
Result<std::shared_ptr<Device>> open_native(const driver::AnyDevice& handle, driver::KeepAlive keep_alive);

// The driver's device below it, decorated as the environment asks; `with_faults`: with those of QUERN_FAULTS.
Result<std::unique_ptr<driver::Device>> open_below(const Request& request, bool with_faults = true,
                                                   Selection* selection = nullptr);

}  // namespace quern::runtime
