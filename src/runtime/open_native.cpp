// Devices on native handles that another library owns.
#include <utility>

#include "driver/interface/interop.hpp"
#include "runtime/decorate.hpp"
#include "runtime/messages.hpp"
#include "runtime/registry.hpp"
#include "runtime/select.hpp"

namespace quern::runtime {

namespace {

struct DriverName {
  std::string_view operator()(const std::monostate&) const { return {}; }
  std::string_view operator()(const interop::cuda::Device&) const { return "cuda"; }
  std::string_view operator()(const interop::hip::Device&) const { return "hip"; }
  std::string_view operator()(const interop::vulkan::Device&) const { return "vulkan"; }
  std::string_view operator()(const interop::opencl::Device&) const { return "opencl"; }
  std::string_view operator()(const interop::opengl::Device& d) const { return d.is_es ? "gles" : "opengl"; }
};

}  // namespace

Result<std::shared_ptr<Device>> open_native(const driver::AnyDevice& handle, driver::KeepAlive keep_alive) {
  const std::string_view name = std::visit(DriverName(), handle);
  QUERN_TRY_ASSIGN(driver::Driver* const driver, Registry::instance().start(name));
  auto* const interop = dynamic_cast<driver::InteropDriver*>(driver);
  if (interop == nullptr) return driver::no_interop(message::kOpenNative(name).text);
  QUERN_TRY_ASSIGN(auto native, interop->open_native(handle, std::move(keep_alive)));
  QUERN_TRY_ASSIGN(auto decorated, decorate(std::move(native), std::nullopt, true));
  return Device::adopt(std::move(decorated));
}

}  // namespace quern::runtime
