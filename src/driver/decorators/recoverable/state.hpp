// The state of each object of a recoverable device: enough to create it again on another device. The log
// shares the state with the objects, so that work on a destroyed object can still be replayed.
#pragma once

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/decorators/recoverable/exclusive_access.hpp"
#include "driver/interface/driver.hpp"

namespace quern::recoverable {

using driver::Result;

struct ModuleState;

// Host pages that a device imports.
class Pages {
 public:
  explicit Pages(uint64_t least)
      : size_((least + kPage) / kPage * kPage),
        data_(static_cast<std::byte*>(std::aligned_alloc(kPage, size_)), &std::free) {}

  std::byte* data() const { return data_.get(); }
  uint64_t size() const { return size_; }

 private:
  static constexpr uint64_t kPage = 4096;
  uint64_t size_;
  std::unique_ptr<std::byte, void (*)(void*)> data_;
};

struct BufferState {
  uint64_t bytes = 0;
  driver::MemoryKind kind = driver::MemoryKind::device;
  ModuleState* module = nullptr;  // of a variable, which it outlives
  std::string variable;

  std::unique_ptr<driver::Buffer> owned;  // null: a variable, or destroyed
  driver::Place at;                       // on the current device
  bool is_wanted = true;                  // the user still holds it; else only the log does

  // Contents at the last checkpoint; empty: undefined (for a variable: its initial value).
  std::vector<std::byte> shadow;
  bool is_written = false;  // since then

  std::unique_ptr<Pages> host_backed;  // not null: host memory
  std::shared_ptr<driver::ExclusiveAccess>
      exclusive_access;  // by a persistent kernel; guarded by the core's mutex

  driver::Place place(uint64_t offset) const { return {at.buffer, at.offset + offset}; }
};

struct ModuleState {
  driver::Code code;
  std::string driver, device, code_version;  // for which the code was compiled
  std::unique_ptr<driver::Module> inner;
  std::map<std::string, std::shared_ptr<BufferState>, std::less<>> variables;
  bool is_wanted = true;
  // A kernel of it was launched as a persistent kernel: its owner replaces it if it cannot be recovered.
  std::atomic<bool> stays{false};

  void made_for(const driver::DeviceInfo& info) {
    driver = info.driver;
    device = info.name;
    code_version = info.code_version;
  }
};

struct KernelState {
  std::shared_ptr<ModuleState> module;
  std::string name;
  std::unique_ptr<driver::Kernel> inner;
  driver::KernelInfo info;
  bool is_wanted = true;
};

struct StreamState {
  uint64_t id = 0;
  driver::StreamOptions options;
  std::unique_ptr<driver::Stream> inner;
  std::optional<base::Error> fault;  // of a kernel; returned by the next wait
  uint64_t generation = 0;  // a persistent stream is valid only on the device on which it was created
  bool is_wanted = true;
};

struct EventState {
  uint64_t id = 0;
  std::unique_ptr<driver::Event> inner;
  bool is_wanted = true;
};

}  // namespace quern::recoverable
