// The drivers this library was built with, and their status on this machine. Nothing is searched before the
// first query; then all drivers are started in parallel, each once. A driver without a remembered success is
// tried in a child process first, so that a library that crashes or hangs while loading cannot affect the
// program. The result is remembered (probe_memory.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/driver.hpp"

namespace quern::runtime {

// The status of a driver: each step includes the previous ones.
enum class Step : uint8_t { kNotBuilt, kBuilt, kFound, kLoads, kOpens, kVerified };
std::string_view name(Step step);

struct DriverState {
  std::string name;
  Step step = Step::kNotBuilt;
  std::string says;                  // its own description, once loaded
  std::optional<base::Error> error;  // why it did not get further, with a hint
  std::vector<driver::DeviceInfo> devices;
};

class Registry {
 public:
  static Registry& instance();

  // Whether QUERN_DRIVERS contains only known drivers.
  static base::Result<> check_allowed();
  // Starts drivers that are not started yet and waits for all. QUERN_DRIVERS=cpu,sim restricts them.
  std::vector<DriverState> drivers();
  // One driver; an unknown name is an error that lists the known ones.
  base::Result<DriverState> driver(std::string_view name);
  base::Result<driver::Driver*> start(std::string_view name);
  bool has(std::string_view name);

  // Tries drivers again, regardless of remembered results. Call it before any is started.
  void forget();

  // Adds a driver, for tests. `probe_seconds` not 0: it is first tried in a child process, with this timeout.
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
