// A program before it is code for one device: its IR and the options of its compilation.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"
#include "lang/pass/check_bounds.hpp"
#include "lang/pass/split_grid.hpp"

namespace quern::target {

struct PortableProgram {
  std::string name;                          // in messages: "nbody.cu"
  std::shared_ptr<const ir::Module> module;  // prepared
  driver::Math math = driver::Math::exact;
  uint32_t max_registers = 0;                     // see driver::Code
  bool debug = false;                             // see driver::Code
  std::vector<pass::CheckedKernel> checked = {};  // kernels with the parameters of check mode
  std::optional<driver::HostFunction> host = {};  // the body of an inline kernel in this process
  std::vector<pass::SplitKernel> split = {};      // kernels with the parameters of a split kernel
};

// Whether the device runs the bodies of inline kernels, and nothing else.
bool takes_only_host_functions(const driver::DeviceInfo& device);

// The program as code for the device, in the first kind that the device lists. The code can be compiled for
// other devices again (Code::remake), and portable_form returns `program`. Fails with ErrorKind::unsupported
// where the device cannot run it.
base::Result<driver::Code> compile_for(const driver::DeviceInfo& device,
                                       std::shared_ptr<const PortableProgram> program);

// The program that compile_for made the code from; null: the code runs on one kind of device only.
std::shared_ptr<const PortableProgram> portable_form(const driver::Code& code);

}  // namespace quern::target
