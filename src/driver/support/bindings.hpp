// The buffer bindings of a kernel, for devices that bind buffers by number (target/target.hpp): those of its
// pointer parameters, then those of its program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/interface/driver.hpp"

namespace quern::driver {

struct Binding {
  uint32_t set = 0;
  uint32_t number = 0;   // within the descriptor set
  uint32_t element = 0;  // index in an array of buffers
  bool is_uniform = false;
  int32_t parameter = -1;
  Buffer* own = nullptr;  // if it is not a parameter; null: the argument block

  bool is_block() const { return parameter < 0 && own == nullptr; }
  Place place(const Launch& launch) const {
    return parameter < 0 ? Place{own, 0} : launch.arguments[static_cast<size_t>(parameter)].place;
  }
};

class Bindings {
 public:
  void add_parameters(const KernelInfo& kernel);  // all pointers, in set 0
  void add_own(Buffer* own, uint32_t set = 0);    // as the next binding of the set
  void add(const Binding& binding) { all_.push_back(binding); }

  // Fails if the kernel needs more than `most` bindings, the device's limit.
  Result<> check(const KernelInfo& kernel, const DeviceInfo& device, uint32_t most) const;

  // A pointer in the argument block: the number of a buffer and the offset in it. Each buffer has exactly one
  // number, so that pointers into it can be compared.
  uint64_t pointer(const Launch& launch, Place place) const;

  const std::vector<Binding>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  uint32_t size() const { return static_cast<uint32_t>(all_.size()); }
  uint32_t sets() const;

 private:
  std::vector<Binding> all_;
};

}  // namespace quern::driver
