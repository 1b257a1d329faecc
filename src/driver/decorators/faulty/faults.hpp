// Faults planned by the number of a call: "launch:3=lost,allocate:0=memory" loses the device at the fourth
// launch and lets the first allocation fail. Calls are counted from 0, each kind for itself; `any` counts all
// of them together, so that a test can walk every path of a scenario: any:0, any:1, … until it passes
// untouched.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "driver/decorators/forward/call.hpp"

namespace quern::faulty {

using forward::Call;

struct Fault {
  std::optional<Call> call;  // absent: any
  uint64_t number = 0;
  base::ErrorKind kind = base::ErrorKind::kDeviceLost;  // a loss lasts: every later call fails so too
};

// The plan and the counts. Shared by the device and the test that looks at them; any thread may call.
class Faults {
 public:
  explicit Faults(std::vector<Fault> plan) : plan_(std::move(plan)) {}

  // CALL:NUMBER=EFFECT, separated by commas. What is not understood is named, with the allowed words.
  static base::Result<std::shared_ptr<Faults>> parse(std::string_view text);

  // Counts the call, and fails when a fault is planned for it.
  base::Result<> pass(Call call);
  // Fails when the device was lost meanwhile: what is waited for then never comes.
  base::Result<> stands() const;

  uint64_t count(Call call) const { return counts_[static_cast<size_t>(call)]; }
  uint64_t count() const { return total_; }  // of all kinds
  uint64_t fired() const { return fired_; }  // planned faults that have happened
  bool is_lost() const { return lost_; }

 private:
  std::vector<Fault> plan_;
  std::array<std::atomic<uint64_t>, forward::kCallCount> counts_{};
  std::atomic<uint64_t> total_{0};
  std::atomic<uint64_t> fired_{0};
  std::atomic<bool> lost_{false};
};

}  // namespace quern::faulty
