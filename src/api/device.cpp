#include "quern/device.hpp"

#include <limits>

#include "api/public_info.hpp"
#include "api/state.hpp"
#include "base/text.hpp"
#include "runtime/select.hpp"

namespace quern {

namespace {

DeviceKind public_kind(driver::DeviceKind kind) {
  switch (kind) {
    case driver::DeviceKind::kDiscrete: return DeviceKind::discrete;
    case driver::DeviceKind::kIntegrated: return DeviceKind::integrated;
    case driver::DeviceKind::kVirtual: return DeviceKind::virtual_gpu;
    case driver::DeviceKind::kCpu: return DeviceKind::cpu;
    case driver::DeviceKind::kSimulated: return DeviceKind::simulated;
    case driver::DeviceKind::kOther: return DeviceKind::other;
  }
  return DeviceKind::other;
}

driver::CodeKind code_kind(Language language) {
  switch (language) {
    case Language::kernel: return driver::CodeKind::kIr;
    case Language::cuda: return driver::CodeKind::kCudaCpp;
    case Language::ptx: return driver::CodeKind::kPtx;
    case Language::cubin: return driver::CodeKind::kCubin;
    case Language::hip: return driver::CodeKind::kHipCpp;
    case Language::opencl_c: return driver::CodeKind::kOpenclC;
    case Language::spirv: return driver::CodeKind::kSpirv;
    case Language::glsl: return driver::CodeKind::kGlsl;
    case Language::msl: return driver::CodeKind::kMsl;
    case Language::wgsl: return driver::CodeKind::kWgsl;
  }
  return driver::CodeKind::kIr;
}

void apply(const ModuleOptions& options, runtime::Source& source) {
  source.defines = options.defines;
  source.include_dirs = options.include_dirs;
  if (options.math != Math::exact) source.math = static_cast<driver::Math>(options.math);
  source.max_registers = options.max_registers;
  source.debug = options.debug;
  source.check = options.check;
  if (options.language != Language::kernel) source.raw = code_kind(options.language);
}

detail::DeviceState& require(const std::shared_ptr<detail::DeviceState>& state) {
  if (state == nullptr) {
    detail::raise(base::Error(base::ErrorKind::kInvalidUse, "the program uses a device that is not open")
                      .add_hint("quern::open() opens one"));
  }
  return *state;
}

}  // namespace

namespace detail {

DeviceInfo public_info(const driver::DeviceInfo& in) {
  DeviceInfo out;
  out.name = in.name;
  out.driver = in.driver;
  out.index = in.index;
  out.kind = public_kind(in.kind);
  out.vendor = in.vendor;
  out.driver_version = in.driver_version;
  out.api_version = in.api_version;
  out.uuid = in.uuid;
  out.pci = in.pci;
  out.memory_bytes = in.memory_bytes;
  out.compute_units = in.compute_units;
  out.warp_size = in.limits.warp;
  out.clock_mhz = in.clock_mhz;
  out.max_block_threads = in.limits.block_threads;
  out.max_block = {in.limits.block.x, in.limits.block.y, in.limits.block.z};
  out.max_grid = {in.limits.grid.x, in.limits.grid.y, in.limits.grid.z};
  out.max_cluster_blocks = in.limits.cluster_blocks;
  out.shared_bytes = in.limits.shared_bytes;
  for (driver::Feature f : in.features.list()) out.features.emplace_back(driver::name(f));
  out.details = in.details;
  out.score = runtime::score(in);
  return out;
}

std::function<bool(const driver::DeviceInfo&)> predicate(std::function<bool(const DeviceInfo&)> accepts) {
  if (!accepts) return {};
  return
      [accepts = std::move(accepts)](const driver::DeviceInfo& info) { return accepts(public_info(info)); };
}

Device public_device(std::shared_ptr<runtime::Device> device) {
  auto state = std::make_shared<DeviceState>();
  state->device = std::move(device);
  state->stream = StreamState::of_device(state);
  return Device(std::move(state));
}

}  // namespace detail

using detail::public_info;

bool DeviceInfo::has(std::string_view feature) const {
  for (const std::string& f : features) {
    if (f == feature) return true;
  }
  return false;
}

std::string Device::name() const { return require(state_).device->info().name; }
std::string Device::driver() const { return require(state_).device->info().driver; }
std::uint64_t Device::free_bytes() const { return require(state_).device->native().free_memory(); }
DeviceInfo Device::info() const { return public_info(require(state_).device->info()); }

std::shared_ptr<runtime::Memory> Device::allocate_bytes(std::size_t count, std::size_t element, Memory kind,
                                                        std::string_view label) const {
  runtime::Device& device = *require(state_).device;
  if (count > std::numeric_limits<std::uint64_t>::max() / element / 2) {
    detail::raise(base::Error(base::ErrorKind::kOutOfMemory,
                              base::format("a buffer of %zu elements of %zu bytes is larger than any memory",
                                           count, element)),
                  &device);
  }
  driver::MemoryKind native = driver::MemoryKind::kDevice;
  if (kind == Memory::pinned) native = driver::MemoryKind::kPinned;
  if (kind == Memory::shared) native = driver::MemoryKind::kShared;
  if (kind == Memory::managed) native = driver::MemoryKind::kManaged;
  if (kind == Memory::mapped) native = driver::MemoryKind::kMapped;
  return detail::unwrap(device.allocate(std::uint64_t{count} * element, native, label), &device);
}

Module Device::load(const std::string& path, const ModuleOptions& options) const {
  const auto& device = require(state_).device;
  runtime::Source source = detail::unwrap(runtime::read_source(path), device.get());
  apply(options, source);
  return Module(detail::unwrap(runtime::Program::load(device, std::move(source)), device.get()));
}

Module Device::compile(std::string text, const ModuleOptions& options) const {
  const auto& device = require(state_).device;
  runtime::Source source;
  source.name = options.name;
  source.text = std::move(text);
  apply(options, source);
  return Module(detail::unwrap(runtime::Program::load(device, std::move(source)), device.get()));
}

const Stream& Device::stream() const { return require(state_).stream; }

Stream Device::create_stream(int priority) const {
  detail::DeviceState& state = require(state_);
  auto stream = std::make_shared<detail::StreamState>();
  stream->device = state_;
  stream->native = detail::unwrap(runtime::Stream::create(*state.device, {priority}), state.device.get());
  return Stream(std::move(stream));
}

Stream Device::create_endless_stream() const {
  detail::DeviceState& state = require(state_);
  auto stream = std::make_shared<detail::StreamState>();
  stream->device = state_;
  stream->native = detail::unwrap(runtime::Stream::create(*state.device, {}, true), state.device.get());
  return Stream(std::move(stream));
}

void Device::synchronize() const {
  runtime::Device& device = *require(state_).device;
  detail::unwrap(device.synchronize(), &device);
}

Device open(std::string_view which, const std::function<bool(const DeviceInfo&)>& accepts) {
  runtime::Request request;
  request.text = which;
  request.accepts = detail::predicate(accepts);
  return detail::public_device(detail::unwrap(runtime::open(request)));
}

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> out;
  for (const runtime::Candidate& c : runtime::candidates()) out.push_back(public_info(c.info));
  return out;
}

}  // namespace quern
