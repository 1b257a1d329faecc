// Adapters: what a library of WebGPU finds on this machine.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "driver/interface/driver.hpp"
#include "driver/webgpu/api.hpp"

namespace quern::webgpu {

/// Limits that the driver uses, whatever the layout is.
struct Limits {
  uint32_t storage_buffers = 0;
  uint64_t uniform_size = 0, storage_size = 0, buffer_size = 0;
  uint32_t workgroup_bytes = 0, workgroup_threads = 0, workgroups = 0, immediates = 0;
  driver::Dim3 workgroup;
};

/// Features that the driver uses. Those with a number are requested.
struct Abilities {
  bool has_timestamps = false;
  bool has_f16 = false;
  bool has_subgroups = false;
  uint32_t subgroup_min = 0, subgroup_max = 0;  // 0: no subgroups, or their size is not known
  bool enables_subgroups = false;               // the text says `enable subgroups;`
  bool has_immediates = false;
  std::vector<uint32_t> requested;
};

/// The answer to an asynchronous request.
struct Answer {
  std::atomic<bool> is_done{false};
  uint32_t value = 0;  // the status, or the type of an error that a scope has caught
  Handle handle = nullptr;
  std::string message;

  bool has_succeeded() const { return is_done && value == kSuccess; }
  std::string problem() const { return is_done ? message : "the library did not answer"; }
  static void on_handle(uint32_t status, Handle handle, Text message, void* answer, void*);
  static void on_error(uint32_t status, uint32_t type, Text message, void* answer, void*);
};

struct Instance {
  explicit Instance(Api a) : api(std::move(a)) {}
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// `api`: from Api::load(), or any other table with one of the layouts.
  static Result<std::shared_ptr<Instance>> create(Api api);

  /// Calls `request` with a CallbackInfo and waits for the callback. The callback owns a reference to the
  /// answer, since a library that fails to wait may call it later.
  template <typename Request>
  std::shared_ptr<const Answer> ask(void* callback, const Request& request) const {
    auto answer = std::make_shared<Answer>();
    CallbackInfo info;
    info.callback = callback;
    info.first = new std::shared_ptr<Answer>(answer);
    const Future future = request(info);
    if (!answer->is_done) (void)wait_for(future);
    return answer;
  }
  /// Whether the library says that the callback was called. wgpu-native calls it in the request.
  bool wait_for(Future future) const;

  const Api api;
  Handle handle = nullptr;
};

struct Adapter {
  std::shared_ptr<Instance> instance;
  std::shared_ptr<Opaque> handle;
  Record limits_record{0};
  Limits limits;
  Abilities abilities;
  driver::DeviceInfo info;
};

/// All adapters of the instance. Each one is listed once, even if several requests return it.
Result<std::vector<Adapter>> find_adapters(const std::shared_ptr<Instance>& instance);
/// The same adapter again: some libraries accept one device for each adapter object.
Result<Adapter> find_again(const Adapter& adapter);

}  // namespace quern::webgpu
