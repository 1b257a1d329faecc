// Checks whether the cpu device supports a kernel by compiling it to machine code.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "lang/ir/ir.hpp"
#include "runtime/device.hpp"

namespace quern::tool {

class DeviceCheck {
 public:
  static base::Result<std::unique_ptr<DeviceCheck>> open(const std::string& device);

  // Compiles for blocks of one and of several dimensions, whose code differs. Thread-safe.
  base::Result<> compile(const ir::Module& module, const ir::Function& kernel, const std::string& file);

 private:
  std::shared_ptr<runtime::Device> device_;
};

}  // namespace quern::tool
