#include "quern/device.hpp"

#include <algorithm>
#include <limits>

#include "api/messages.hpp"
#include "api/public_info.hpp"
#include "api/state.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "runtime/select.hpp"

namespace quern {

namespace {

driver::CodeKind code_kind(SourceKind source_kind) {
  switch (source_kind) {
    case SourceKind::portable: return driver::CodeKind::kIr;
    case SourceKind::native_cuda: return driver::CodeKind::kCudaCpp;
    case SourceKind::ptx: return driver::CodeKind::kPtx;
    case SourceKind::cubin: return driver::CodeKind::kCubin;
    case SourceKind::hip: return driver::CodeKind::kHipCpp;
    case SourceKind::opencl_c: return driver::CodeKind::kOpenclC;
    case SourceKind::spirv: return driver::CodeKind::kSpirv;
    case SourceKind::glsl: return driver::CodeKind::kGlsl;
    case SourceKind::msl: return driver::CodeKind::kMsl;
    case SourceKind::wgsl: return driver::CodeKind::kWgsl;
  }
  return driver::CodeKind::kIr;
}

// The compilers of vendors read headers themselves.
bool includes_by_itself(SourceKind source_kind) {
  return source_kind == SourceKind::native_cuda || source_kind == SourceKind::hip ||
         source_kind == SourceKind::opencl_c || source_kind == SourceKind::glsl ||
         source_kind == SourceKind::msl;
}

void apply(const ModuleOptions& options, runtime::Source& source) {
  if (!options.may_include && includes_by_itself(options.source_kind))
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kMayInclude()));
  source.may_include = options.may_include;
  source.quotes_includes = options.quotes_includes;
  source.defines = options.defines;
  source.include_dirs = options.include_dirs;
  if (options.math != Math::exact) source.math = options.math;
  source.max_registers = options.max_registers;
  source.debug = options.debug;
  source.check = options.check;
  if (options.source_kind != SourceKind::portable) source.raw = code_kind(options.source_kind);
}

detail::DeviceState& require(const std::shared_ptr<detail::DeviceState>& state) {
  return *detail::require_open(state);
}

}  // namespace

namespace detail {

const std::shared_ptr<DeviceState>& require_open(const std::shared_ptr<DeviceState>& state) {
  if (state == nullptr) {
    raise(base::Error(base::ErrorKind::invalid_use, detail::message::kNotOpen()));
  }
  return state;
}

runtime::Request native_request(const DeviceRequest& request) {
  return {request.device, request.accepts, false, request.policy};
}

// The score is known for listed devices; that of an open one is computed. The properties of replaced devices
// remain, because callers may refer to them.
const DeviceInfo& DeviceState::info() {
  const driver::DeviceInfo& native = device->info();
  const Described* const known = described.load(std::memory_order_acquire);
  if (known != nullptr && known->native == &native) return known->info;
  const std::lock_guard lock(mutex);
  all_described.push_front({&native, native});
  all_described.front().info.score = runtime::score(native);
  described.store(&all_described.front(), std::memory_order_release);
  return all_described.front().info;
}

DeviceState::~DeviceState() {
  if (device == nullptr || !base::log_enabled(base::LogLevel::kInfo)) return;
  const auto left = device->buffers();
  if (left.empty()) return;
  base::log(base::LogLevel::kInfo, "%s was closed with %s still allocated: %s", device->label().c_str(),
            base::format_plural(left.size(), "buffer").c_str(), runtime::to_string(left, 16).c_str());
}

Device public_device(std::shared_ptr<runtime::Device> device) {
  auto state = std::make_shared<DeviceState>();
  state->device = std::move(device);
  state->stream = StreamState::of_device(state);
  return Device(std::move(state));
}

}  // namespace detail

std::string_view to_string(Feature feature) { return driver::name(feature); }

std::string Device::name() const { return require(state_).device->info().name; }
std::string Device::driver() const { return require(state_).device->info().driver; }
std::uint64_t Device::free_bytes() const { return require(state_).device->native().free_memory(); }
const DeviceInfo& Device::info() const& { return require(state_).info(); }

Telemetry Device::telemetry() const {
  detail::DeviceState& state = require(state_);
  {
    const std::lock_guard lock(state.mutex);
    if (state.monitor == nullptr) state.monitor = std::make_unique<telemetry::Monitor>(state.device->info());
  }
  return state.monitor->read();
}

detail::OwnedMemory Device::allocate_bytes(std::size_t count, std::size_t element, MemoryKind kind,
                                           std::string_view label, detail::Bytes& bytes) const {
  runtime::Device& device = *require(state_).device;
  if (count > std::numeric_limits<std::uint64_t>::max() / element / 2) {
    detail::raise(base::Error(base::ErrorKind::out_of_memory,
                              detail::message::kAddressSpace(std::to_string(count), std::to_string(element))),
                  &device);
  }
  auto memory = detail::unwrap(device.allocate(std::uint64_t{count} * element, kind, label), &device);
  bytes = {memory.get(), 0, memory->bytes(), memory->number()};
  return detail::OwnedMemory(memory.release());
}

MemoryStatistics Device::memory() const { return require(state_).device->memory(); }
std::vector<MemoryUse> Device::buffers() const { return require(state_).device->buffers(); }
void Device::trim() const { require(state_).device->trim(); }

std::uint64_t Device::limit_memory(std::uint64_t bytes) const {
  return require(state_).device->set_memory_limit(bytes);
}

Subscription Device::watch_memory(std::function<void(const MemoryEvent&)> callback) const {
  return Subscription(
      require(state_).device->listen([callback = std::move(callback)](const runtime::Memory& m, bool is_new) {
        try {
          callback({is_new, {m.number(), m.bytes(), m.label()}});
        } catch (...) {  // the device's lock is held, and the buffer stays valid
          base::log(base::LogLevel::kError, "a memory callback threw an exception");
        }
      }));
}

Module Device::load(const std::string& path, const ModuleOptions& options) const {
  const auto& device = require(state_).device;
  runtime::Source source = detail::unwrap(runtime::read_source(path), device.get());
  apply(options, source);
  return Module(detail::unwrap(runtime::Module::load(device, std::move(source)), device.get()));
}

Module Device::compile(std::string text, const ModuleOptions& options) const {
  const auto& device = require(state_).device;
  runtime::Source source;
  source.name = options.name;
  source.text = std::move(text);
  apply(options, source);
  return Module(detail::unwrap(runtime::Module::load(device, std::move(source)), device.get()));
}

const Stream& Device::stream() const { return require(state_).stream; }

Stream Device::create_stream(int priority) const {
  detail::DeviceState& state = require(state_);
  auto stream = std::make_shared<detail::StreamState>();
  stream->device = state_;
  stream->native = detail::unwrap(runtime::Stream::create(*state.device, {priority}), state.device.get());
  return Stream(std::move(stream));
}

Subscription Device::on_output(std::function<void(std::string_view)> callback) const {
  return Subscription(require(state_).device->redirect_output(std::move(callback)));
}

void Device::synchronize() const {
  runtime::Device& device = *require(state_).device;
  detail::unwrap(device.synchronize(), &device);
}

std::string Device::fallback_reason() const { return require(state_).device->fallback_reason(); }

Device open(const DeviceRequest& request) {
  return detail::public_device(detail::unwrap(runtime::open(detail::native_request(request))));
}

Device open(std::string_view which, const std::function<bool(const DeviceInfo&)>& accepts) {
  return open(DeviceRequest{std::string(which), accepts});
}

std::vector<DeviceInfo> devices() {
  const std::vector<driver::DeviceInfo> all = runtime::candidates();
  return {all.begin(), all.end()};
}

}  // namespace quern
