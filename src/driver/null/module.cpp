// Modules, kernels and launches.
#include <algorithm>

#include "driver/null/device.hpp"
#include "driver/null/messages.hpp"

namespace quern::null {

using base::Error;
using base::ErrorKind;

namespace {

class NullModule final : public driver::Module {
 public:
  driver::Code code;
};

class NullKernel final : public driver::Kernel {
 public:
  NullFunction function = nullptr;
};

}  // namespace

// A real driver passes code.bytes to the native compiler and returns its complete output as kCompile, and
// creates the variables with their initial values. It returns kUnsupported, with the reason, for code that
// the device cannot run.
Result<std::unique_ptr<driver::Module>> NullDevice::load(const driver::Code& code) {
  if (code.kind != driver::CodeKind::kHostFunction)
    return Error(ErrorKind::unsupported, message::kOnlyInline(driver::name(code.kind), info_.id()));
  if (code.host.run == nullptr || code.host.waits)
    return Error(ErrorKind::unsupported, message::kSynchronizes(code.name, info_.id()));
  auto module = std::make_unique<NullModule>();
  module->code = code;
  return module;
}

// A real driver finds the native kernel by KernelInfo::entry, and sets max_threads, registers and
// local_bytes. Kernels of code with is_raw are found by name alone.
Result<std::unique_ptr<driver::Kernel>> NullDevice::kernel(driver::Module& module, std::string_view name) {
  const driver::Code& code = static_cast<NullModule&>(module).code;
  const auto found = std::find_if(code.kernels.begin(), code.kernels.end(),
                                  [&](const driver::KernelInfo& k) { return k.name == name; });
  if (found == code.kernels.end())
    return Error(ErrorKind::not_found, message::kUnknownKernelIn(name, code.name));
  auto kernel = std::make_unique<NullKernel>();
  kernel->info = *found;
  kernel->function = code.host.run;
  return kernel;
}

// Arguments are copied before the call returns: addresses for places, bytes for values. The layer above has
// validated them and the size of the launch.
Result<> NullDevice::launch(driver::Stream&, driver::Kernel& kernel, const driver::Launch& launch) {
  const size_t count = launch.arguments.size();
  std::vector<uint64_t> addresses(count);
  std::vector<void*> arguments(count);
  for (size_t i = 0; i < count; ++i) {
    const driver::Argument& a = launch.arguments[i];
    if (a.place.buffer != nullptr) addresses[i] = a.place.buffer->address + a.place.offset;
    arguments[i] = kernel.info.params[i].is_pointer ? &addresses[i] : const_cast<void*>(a.value);
  }
  const uint32_t grid[] = {launch.grid.x, launch.grid.y, launch.grid.z};
  const uint32_t block[] = {launch.block.x, launch.block.y, launch.block.z};
  const NullFunction function = static_cast<NullKernel&>(kernel).function;
  return check(api_.nullRun(handle_, function, arguments.data(), grid, block), "nullRun");
}

}  // namespace quern::null
