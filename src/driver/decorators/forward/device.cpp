#include "driver/decorators/forward/device.hpp"

#include "base/text.hpp"
#include "driver/decorators/messages.hpp"

namespace quern::forward {

using base::Error;
using base::ErrorKind;

Device::Device(std::unique_ptr<driver::Device> inner, std::shared_ptr<Watcher> watcher)
    : owned_(std::move(inner)), inner_(*owned_), watcher_(std::move(watcher)) {}

Device::Device(driver::Device& inner, std::shared_ptr<Watcher> watcher)
    : inner_(inner), watcher_(std::move(watcher)) {}

template <typename T, typename WrapperType>
Result<std::unique_ptr<T>> Device::wrap(Result<std::unique_ptr<T>> made) {
  if (!made.ok()) return made;
  if (*made == nullptr) return Error(ErrorKind::internal, decorators::message::kNoObject(info().driver));
  auto wrapper = std::make_unique<WrapperType>(std::move(*made), watcher_);
  wrapper->id = next_id_++;
  return std::unique_ptr<T>(std::move(wrapper));
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, driver::MemoryKind kind) {
  return wrap(inner_.allocate(bytes, kind));
}

Result<std::unique_ptr<driver::Buffer>> Device::import_host_memory(std::byte* host, uint64_t bytes) {
  return wrap(inner_.import_host_memory(host, bytes));
}

Result<std::unique_ptr<driver::Buffer>> Device::admit_buffer(const MakeBuffer& make) { return wrap(make()); }
Result<std::unique_ptr<driver::Stream>> Device::admit_stream(const MakeStream& make) { return wrap(make()); }

Result<std::unique_ptr<driver::Module>> Device::load(const driver::Code& code) {
  return wrap<driver::Module, WrappedModule>(inner_.load(code));
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Module& module, std::string_view name) {
  return wrap(inner_.kernel(inner_of(module), name));
}

Result<std::unique_ptr<driver::Stream>> Device::create_stream(const driver::StreamOptions& options) {
  return wrap(inner_.create_stream(options));
}

Result<> Device::upload(driver::Stream& stream, driver::Place to, const void* from, uint64_t bytes) {
  return inner_.upload(inner_of(stream), inner_of(to), from, bytes);
}

Result<> Device::download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) {
  return inner_.download(inner_of(stream), to, inner_of(from), bytes);
}

Result<> Device::copy(driver::Stream& stream, driver::Place to, driver::Place from, uint64_t bytes) {
  return inner_.copy(inner_of(stream), inner_of(to), inner_of(from), bytes);
}

Result<> Device::launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) {
  std::vector<driver::Argument> arguments(launch.arguments.begin(), launch.arguments.end());
  for (driver::Argument& a : arguments) a.place = inner_of(a.place);
  driver::Launch below = launch;
  below.arguments = arguments;
  return inner_.launch(inner_of(stream), inner_of(kernel), below);
}

Result<std::unique_ptr<driver::Event>> Device::create_event() { return wrap(inner_.create_event()); }

Result<> Device::record(driver::Stream& stream, driver::Event& event) {
  return inner_.record(inner_of(stream), inner_of(event));
}

Result<> Device::wait(driver::Stream& stream, driver::Event& event) {
  return inner_.wait(inner_of(stream), inner_of(event));
}

Result<bool> Device::reached(driver::Event& event) { return inner_.reached(inner_of(event)); }
Result<> Device::wait(driver::Event& event) { return inner_.wait(inner_of(event)); }
Result<> Device::synchronize(driver::Stream& stream) { return inner_.synchronize(inner_of(stream)); }
Result<uint64_t> Device::time(driver::Event& event) { return inner_.time(inner_of(event)); }

// The watcher is notified first; then the wrapped device destroys its object.
void Device::destroy(std::unique_ptr<driver::Object> object) {
  auto* wrapper = dynamic_cast<Wrapper*>(object.get());
  if (wrapper == nullptr) return;
  std::unique_ptr<driver::Object> below = wrapper->take();
  object.reset();
  if (below != nullptr) inner_.destroy(std::move(below));
}

Result<> Device::fill(driver::Stream& stream, driver::Place to, uint64_t value, uint32_t width,
                      uint64_t bytes) {
  return inner_.fill(inner_of(stream), inner_of(to), value, width, bytes);
}

Result<driver::Place> Device::variable(driver::Module& module, std::string_view name) {
  QUERN_TRY_ASSIGN(const driver::Place place, inner_.variable(inner_of(module), name));
  if (place.buffer == nullptr)
    return Error(ErrorKind::internal, decorators::message::kNoObject(info().driver));
  auto& buffer = static_cast<WrappedModule&>(module).variable(*place.buffer, [&] {
    auto wrapper = std::make_unique<Wrapped<driver::Buffer>>(*place.buffer, watcher_);
    wrapper->id = next_id_++;
    return wrapper;
  });
  return driver::Place{&buffer, place.offset};
}

Result<bool> Device::prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) {
  return inner_.prepare(inner_of(kernel), block, shared_bytes);
}

Result<driver::Code> Device::binary(driver::Module& module) { return inner_.binary(inner_of(module)); }

Result<> Device::call(driver::Stream& stream, std::function<void()> function) {
  return inner_.call(inner_of(stream), std::move(function));
}

std::vector<std::string> Device::kernel_names(driver::Module& module) {
  return inner_.kernel_names(inner_of(module));
}

std::string Device::take_output(driver::Stream& stream) { return inner_.take_output(inner_of(stream)); }

std::vector<driver::Finding> Device::take_findings(driver::Stream& stream) {
  return inner_.take_findings(inner_of(stream));
}

}  // namespace quern::forward
