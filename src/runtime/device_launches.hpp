// Launches from kernels (lang/ir/launch_record.hpp): the runtime waits for the kernel, reads the records, and
// runs the launches one after the other, each with its own launches.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lang/ir/launch_record.hpp"
#include "runtime/module.hpp"
#include "runtime/stream.hpp"

namespace quern::runtime {

// The kernels that the kernels of a module launch. Owned by the module.
struct LaunchTable {
  struct Child {
    std::string name;
    std::shared_ptr<Kernel> kernel;  // null: `error` is the reason
    std::optional<base::Error> error;
  };
  // Held during a launch of a kernel that launches kernels, which share the records. Locked before the
  // module's mutex and those of streams.
  std::mutex mutex;
  std::map<uint32_t, Child> children;  // by ir::launch_number
  std::vector<driver::VariableInfo> variables;
};

// The launches of one kernel and of those that it launches. The table's mutex is held.
class DeviceLaunches {
 public:
  DeviceLaunches(Stream& stream, LaunchTable& table) : stream_(stream), table_(table) {}

  Result<> clear(Kernel& kernel);  // before the kernel is launched
  // Waits for the kernel, runs its launches, and returns when all work that they submitted was submitted.
  Result<> run(Kernel& kernel, const ArgumentBinder& bound, uint32_t depth = 1);
  uint64_t count() const { return count_; }  // of all launches

 private:
  struct Record {
    const uint32_t* words = nullptr;
    bool is_tail() const;
  };
  struct Target {
    driver::Place place;
    uint64_t room = 0;
  };
  Result<std::vector<uint32_t>> take_records(Kernel& kernel);
  Result<> launch(Kernel& parent, const ArgumentBinder& bound, const Record& record, uint32_t depth);
  Result<> launch_child(Kernel& parent, const ArgumentBinder& bound, const Record& record, Kernel& child,
                        uint32_t depth);
  Result<> bind(Kernel& parent, const ArgumentBinder& bound, const Record& record, Kernel& child,
                ArgumentBinder& binder);
  std::optional<Target> find(Kernel& parent, const ArgumentBinder& bound, const uint32_t* words);
  std::optional<Target> find_address(Kernel& parent, uint64_t address);
  std::optional<Target> find_variable(Kernel& parent, uint32_t number);

  Stream& stream_;
  LaunchTable& table_;
  uint64_t count_ = 0;
};

}  // namespace quern::runtime
