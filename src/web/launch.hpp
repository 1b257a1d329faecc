// The arguments of a launch as JSON, checked as the runtime does.
#pragma once

#include "runtime/launch_check.hpp"
#include "web/session.hpp"

namespace quern::web {

/// Translates arguments: {"value": "3.5"} is a number as text, {"data": address, "bytes": size} a struct,
/// {"buffer": number} memory, and null a null pointer.
class Arguments {
 public:
  Arguments(const Kernel& kernel, const std::map<uint32_t, Buffer>& buffers, const driver::DeviceInfo& device)
      : kernel_(kernel), buffers_(buffers), device_(device) {}

  Result<std::span<const driver::Argument>> bind(const base::JsonValue& list);

 private:
  Result<> bind_one(size_t index, const base::JsonValue& given);

  const Kernel& kernel_;
  const std::map<uint32_t, Buffer>& buffers_;
  const driver::DeviceInfo& device_;
  std::vector<driver::Argument> arguments_;
  std::vector<uint64_t> numbers_;
};

}  // namespace quern::web
