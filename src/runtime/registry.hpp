// The drivers this library was built with, and how far each gets on this machine. Nothing is looked for
// before somebody asks; then all drivers are started in parallel, each once. One that was not seen to start
// before is tried in a child process first, so that a library that crashes or hangs while it loads cannot
// take the program with it; what became of it is remembered (probe_memory.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/driver.hpp"

namespace quern::runtime {

// How far a driver gets: each step includes the ones before.
enum class Step : uint8_t { kNotBuilt, kBuilt, kFound, kLoads, kOpens, kVerified };
std::string_view name(Step step);

struct DriverState {
  std::string name;
  Step step = Step::kNotBuilt;
  std::string says;                  // about itself, when it loads
  std::optional<base::Error> error;  // why it stops where it stops, with the fix
  std::vector<driver::DeviceInfo> devices;
};

class Registry {
 public:
  static Registry& instance();

  // Whether QUERN_DRIVERS names drivers that there are.
  static base::Result<> check_allowed();
  // Starts what was not started yet and waits for all. QUERN_DRIVERS=cpu,sim restricts which are looked at.
  std::vector<DriverState> drivers();
  // One driver; an unknown name is an error that lists the known ones.
  base::Result<DriverState> driver(std::string_view name);
  base::Result<driver::Driver*> start(std::string_view name);
  bool has(std::string_view name);

  // Tries drivers anew, whatever is remembered of them. To be called before any is started.
  void forget();

  /// Adds a driver, for tests. If `probe_seconds` is not 0, a child process tries the driver first and has
  /// that many seconds. A driver that changes the environment starts alone.
  void add(std::unique_ptr<driver::Driver> driver, double probe_seconds = 0,
           bool changes_environment = false);

 private:
  Registry();
  ~Registry();
  struct Entry;
  Entry* find(std::string_view name);
  void run(Entry& entry);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quern::runtime
