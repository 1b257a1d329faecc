// One run of a scenario with an injected fault, and its outcome.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "session/scenarios.hpp"

namespace quern::inject {

// How the device is opened, and which error is injected.
struct Mode {
  std::string_view name;
  base::ErrorKind effect = base::ErrorKind::device_lost;
  bool is_session = false;         // a loss must not be visible
  bool always_checkpoint = false;  // a session that makes a checkpoint at every wait
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
  std::string left;                     // objects that were not destroyed; empty: none
};

constexpr uint64_t kNever = ~uint64_t{0};

// Call number `number` of the driver's device fails.
Outcome run(const std::string& driver, const Subject& subject, const Mode& mode, uint64_t number);

enum class Verdict { kUntouched, kRecovered, kDocumented, kWrong };
// Compares with the run without a fault. `why` receives the reason of a failure.
Verdict classify(const Outcome& calm, const Outcome& outcome, const Mode& mode, std::string& why);

}  // namespace quern::inject
