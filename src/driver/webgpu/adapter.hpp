// Adapters: what a library of WebGPU finds on this machine.
#pragma once

#include <memory>
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
  uint32_t subgroup_min = 0, subgroup_max = 0;  // 0: no subgroups, or their size is not known
  bool enables_subgroups = false;               // the text says `enable subgroups;`
  bool has_immediates = false;
  std::vector<uint32_t> requested;
};

struct Instance {
  explicit Instance(Api a) : api(std::move(a)) {}
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// `api`: from Api::load(), or any other table with one of the layouts.
  static Result<std::shared_ptr<Instance>> create(Api api);

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
