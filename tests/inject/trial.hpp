// One run of a scenario on a device that fails as planned, and what became of it.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "session/scenarios.hpp"

namespace quern::inject {

// How the device is had, and what fails.
struct Mode {
  std::string_view name;
  base::ErrorKind effect = base::ErrorKind::kDeviceLost;
  bool is_session = false;         // a loss must not be seen
  bool always_checkpoint = false;  // a session that makes one whenever somebody waits
};
const std::vector<Mode>& modes();

// A scenario for a device, or one for a session.
struct Subject {
  std::string name;
  std::vector<double> (*run)(const Device& device) = nullptr;
  std::vector<double> (*run_session)(Session& session) = nullptr;

  bool takes(const Mode& mode) const { return run != nullptr || mode.is_session; }
};
std::vector<Subject> subjects();

struct Outcome {
  std::vector<double> seen;
  bool has_error = false;
  ErrorKind error = ErrorKind::internal;
  std::string text;                     // of the error
  uint64_t fired = 0, calls = 0;        // faults; calls of the device
  std::vector<std::string> violations;  // of the rules of the driver interface
  std::string left;                     // objects that nobody gave back; empty: none
};

constexpr uint64_t kNever = ~uint64_t{0};

// The `number`-th call of the driver's device fails.
Outcome run(const std::string& driver, const Subject& subject, const Mode& mode, uint64_t number);

enum class Verdict { kUntouched, kRecovered, kDocumented, kWrong };
// Beside the run that nothing disturbed. `why` tells what is wrong.
Verdict classify(const Outcome& calm, const Outcome& outcome, const Mode& mode, std::string& why);

}  // namespace quern::inject
