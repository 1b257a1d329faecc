// Programs and kernels.
#include "driver/null/device.hpp"

namespace quern::null {

// A real driver translates code.module with src/target if the device takes text, or passes code.bytes on, and
// creates the variables with their initial values. The native compiler's full output goes into a kCompile
// error.
Result<std::unique_ptr<driver::Module>> NullDevice::load(const driver::Code&) { return not_here("compiler"); }

// A real driver looks up the native kernel by KernelInfo::entry and sets info, max_threads, registers and
// local_bytes. Kernels of code with is_raw are looked up by name alone.
Result<std::unique_ptr<driver::Kernel>> NullDevice::kernel(driver::Module&, std::string_view) {
  return not_here("kernels");
}

}  // namespace quern::null
