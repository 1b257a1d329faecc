// Programs and kernels.
#include "driver/null/device.hpp"

namespace quern::null {

// A real driver translates code.module with src/target where the device takes text, or hands code.bytes on,
// and makes the variables with their initial values. What the native compiler says goes into the error,
// whole, as kCompile.
Result<std::unique_ptr<driver::Module>> NullDevice::load(const driver::Code&) { return not_here("compiler"); }

// A real driver finds the native kernel by KernelInfo::entry and sets info, max_threads, registers and
// local_bytes. Kernels of code with is_raw are found by their names alone.
Result<std::unique_ptr<driver::Kernel>> NullDevice::kernel(driver::Module&, std::string_view) {
  return not_here("kernels");
}

}  // namespace quern::null
