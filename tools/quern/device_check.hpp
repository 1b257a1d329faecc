// Whether the device cpu really takes a kernel: it is compiled for it, down to machine code.
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

  // For blocks of one dimension and of several, whose code differs. Any thread may call.
  base::Result<> compile(const ir::Module& module, const ir::Function& kernel, const std::string& file);

 private:
  std::shared_ptr<runtime::Device> device_;
};

}  // namespace quern::tool
