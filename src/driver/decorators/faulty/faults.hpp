// Fault injection by call number: "launch:3=lost,allocate:0=memory" loses the device at the fourth launch and
// makes the first allocation fail. Calls are numbered from 0, separately for each kind; `any` counts all
// calls together, so that a test can cover every path of a scenario: any:0, any:1, … until no fault fires.
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
  base::ErrorKind kind = base::ErrorKind::device_lost;  // after a loss, every later call fails too
};

// The plan and the counters, shared by the device and the test. Thread-safe.
class Faults {
 public:
  explicit Faults(std::vector<Fault> plan) : plan_(std::move(plan)) {}

  // Parses CALL:NUMBER=EFFECT, separated by commas. The error names the invalid part and the allowed words.
  static base::Result<std::shared_ptr<Faults>> parse(std::string_view text);

  // Counts the call. Fails if a fault is planned for it.
  base::Result<> pass(Call call);
  // Fails if the device was lost meanwhile: work that is waited for then never completes.
  base::Result<> stands() const;

  uint64_t count(Call call) const { return counts_[static_cast<size_t>(call)]; }
  uint64_t count() const { return total_; }  // calls of all kinds
  uint64_t fired() const { return fired_; }  // planned faults that have fired
  bool is_lost() const { return lost_; }

 private:
  std::vector<Fault> plan_;
  std::array<std::atomic<uint64_t>, forward::kCallCount> counts_{};
  std::atomic<uint64_t> total_{0};
  std::atomic<uint64_t> fired_{0};
  std::atomic<bool> lost_{false};
};

}  // namespace quern::faulty
