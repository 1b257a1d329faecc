#include "quern/device.hpp"

#include <algorithm>
#include <limits>
#include <thread>

#include "api/public_info.hpp"
#include "api/state.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "driver/support/persistent_kernels.hpp"
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
    detail::raise(
        base::Error(base::ErrorKind::kInvalidUse,
                    "compiling failed: may_include = false requires SourceKind::portable; the device's "
                    "own compiler reads the headers of other languages"));
  source.may_include = options.may_include;
  source.quotes_includes = options.quotes_includes;
  source.defines = options.defines;
  source.include_dirs = options.include_dirs;
  if (options.math != Math::exact) source.math = static_cast<driver::Math>(options.math);
  source.max_registers = options.max_registers;
  source.debug = options.debug;
  source.check = options.check;
  if (options.source_kind != SourceKind::portable) source.raw = code_kind(options.source_kind);
}

detail::DeviceState& require(const std::shared_ptr<detail::DeviceState>& state) {
  if (state == nullptr) {
    detail::raise(base::Error(base::ErrorKind::kInvalidUse, "using a device failed: it is not open")
                      .add_hint("open it with quern::open()"));
  }
  return *state;
}

// The public features are those of the driver interface, in the same order.
constexpr bool matches(Feature feature, std::size_t index) {
  return static_cast<std::size_t>(feature) == index;
}
constexpr std::size_t index_of_text(std::string_view text) {
  std::size_t at = 0;
#define X(id, name, meaning)   \
  if (text == name) return at; \
  ++at;
  QUERN_FEATURES(X)
#undef X
  return at;
}
constexpr bool is_same_feature(Feature feature, std::string_view name) {
  return matches(feature, index_of_text(name));
}
static_assert(
    is_same_feature(Feature::fp16, "fp16") && is_same_feature(Feature::bf16, "bf16") &&
    is_same_feature(Feature::fp64, "fp64") && is_same_feature(Feature::int8, "int8") &&
    is_same_feature(Feature::int16, "int16") && is_same_feature(Feature::int64, "int64") &&
    is_same_feature(Feature::atomics16, "atomics16") && is_same_feature(Feature::atomics64, "atomics64") &&
    is_same_feature(Feature::atomics_f16, "atomics_f16") &&
    is_same_feature(Feature::atomics_f32, "atomics_f32") &&
    is_same_feature(Feature::atomics_f64, "atomics_f64") &&
    is_same_feature(Feature::system_scope, "system_scope") && is_same_feature(Feature::warps, "warps") &&
    is_same_feature(Feature::divergent_barriers, "divergent_barriers") &&
    is_same_feature(Feature::grid_barrier, "grid_barrier") &&
    is_same_feature(Feature::clusters, "clusters") && is_same_feature(Feature::addresses, "addresses") &&
    is_same_feature(Feature::generic_pointers, "generic_pointers") &&
    is_same_feature(Feature::dynamic_shared, "dynamic_shared") &&
    is_same_feature(Feature::variables, "variables") && is_same_feature(Feature::print, "print") &&
    is_same_feature(Feature::assert, "assert") && is_same_feature(Feature::clock, "clock") &&
    is_same_feature(Feature::shared_memory, "shared_memory") &&
    is_same_feature(Feature::managed_memory, "managed_memory") &&
    is_same_feature(Feature::mapped_memory, "mapped_memory") &&
    is_same_feature(Feature::timestamps, "timestamps") && is_same_feature(Feature::graphs, "graphs") &&
    is_same_feature(Feature::persistent, "persistent"));
static_assert(static_cast<std::size_t>(Feature::persistent) + 1 == driver::kFeatureCount);

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
  for (driver::Feature f : in.features.list()) out.features.push_back(static_cast<Feature>(f));
  out.details = in.details;
  out.score = runtime::score(in);
  return out;
}

runtime::Request native_request(const DeviceRequest& request) {
  runtime::Request out;
  out.text = request.device;
  out.policy = static_cast<runtime::Policy>(request.policy);
  if (request.accepts)
    out.accepts = [accepts = request.accepts](const driver::DeviceInfo& i) {
      return accepts(public_info(i));
    };
  return out;
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

using detail::public_info;

bool DeviceInfo::has(Feature feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

std::string_view to_string(Feature feature) { return driver::name(static_cast<driver::Feature>(feature)); }

std::string Device::name() const { return require(state_).device->info().name; }
std::string Device::driver() const { return require(state_).device->info().driver; }
std::uint64_t Device::free_bytes() const { return require(state_).device->native().free_memory(); }
DeviceInfo Device::info() const { return public_info(require(state_).device->info()); }

detail::OwnedMemory Device::allocate_bytes(std::size_t count, std::size_t element, MemoryKind kind,
                                           std::string_view label, detail::Bytes& bytes) const {
  runtime::Device& device = *require(state_).device;
  if (count > std::numeric_limits<std::uint64_t>::max() / element / 2) {
    detail::raise(
        base::Error(
            base::ErrorKind::kOutOfMemory,
            base::format("allocating a buffer failed: %zu elements of %zu bytes exceed the address space",
                         count, element)),
        &device);
  }
  driver::MemoryKind native = driver::MemoryKind::kDevice;
  if (kind == MemoryKind::pinned) native = driver::MemoryKind::kPinned;
  if (kind == MemoryKind::shared) native = driver::MemoryKind::kShared;
  if (kind == MemoryKind::managed) native = driver::MemoryKind::kManaged;
  if (kind == MemoryKind::mapped) native = driver::MemoryKind::kMapped;
  if (kind == MemoryKind::host_backed) native = driver::MemoryKind::kHostBacked;
  auto memory = detail::unwrap(device.allocate(std::uint64_t{count} * element, native, label), &device);
  bytes = {memory.get(), 0, memory->bytes(), memory->number()};
  return detail::OwnedMemory(memory.release());
}

MemoryStatistics Device::memory() const {
  const runtime::MemoryStatistics s = require(state_).device->memory();
  return {s.in_use, s.peak,      s.buffers,      s.allocations, s.reserved,
          s.pool,   s.pool_idle, s.largest_free, s.limit,       s.fragmentation};
}

std::vector<MemoryUse> Device::buffers() const {
  std::vector<MemoryUse> out;
  for (runtime::MemoryUse& u : require(state_).device->buffers())
    out.push_back({u.number, u.bytes, std::move(u.label)});
  return out;
}

void Device::trim() const { require(state_).device->trim(); }

std::uint64_t Device::limit_memory(std::uint64_t bytes) const {
  return require(state_).device->set_memory_limit(bytes);
}

std::shared_ptr<void> Device::watch_memory(std::function<void(const MemoryEvent&)> callback) const {
  return require(state_).device->listen(
      [callback = std::move(callback)](const runtime::Memory& m, bool is_new) {
        try {
          callback({is_new, {m.number(), m.bytes(), m.label()}});
        } catch (...) {  // the device's lock is held, and the buffer stays valid
          base::log(base::LogLevel::kError, "a memory callback threw an exception");
        }
      });
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

Stream Device::create_persistent_stream() const {
  detail::DeviceState& state = require(state_);
  auto stream = std::make_shared<detail::StreamState>();
  stream->device = state_;
  stream->native = detail::unwrap(runtime::Stream::create(*state.device, {}, true), state.device.get());
  return Stream(std::move(stream));
}

std::shared_ptr<void> Device::register_persistent_kernel(std::function<void()> suspend,
                                                         std::function<void()> resume) const {
  (void)require(state_);
  return driver::PersistentKernels::of_process().add(std::move(suspend), std::move(resume));
}

bool Device::survives_device_loss() const {
  const recoverable::Device* const recoverable = require(state_).device->recoverable();
  return recoverable != nullptr && recoverable->survives_device_loss();
}

std::uint64_t Device::losses() const {
  const recoverable::Device* const recoverable = require(state_).device->recoverable();
  return recoverable != nullptr ? recoverable->generation() : 0;
}

std::shared_ptr<ExclusiveAccess> Device::exclusive_access(std::span<const Argument> buffers) const {
  auto native = std::make_shared<driver::ExclusiveAccess>();
  std::vector<runtime::MemoryPtr> memories;
  for (const Argument& a : buffers) {
    if (a.kind() == Argument::Kind::memory && a.memory().memory != nullptr)
      memories.push_back(runtime::MemoryPtr::share(*detail::range(a.memory()).memory));
  }
  recoverable::Device* const device = require(state_).device->recoverable();
  if (device == nullptr) memories.clear();  // no kernel runs any more
  for (const auto& memory : memories) device->exclusive_access(*memory->place(0).buffer, native);
  return std::make_shared<ExclusiveAccess>(native, [keeps = state_, device, memories = std::move(memories)] {
    for (const auto& memory : memories) device->exclusive_access(*memory->place(0).buffer, nullptr);
  });
}

ExclusiveAccess::~ExclusiveAccess() { release_(); }
void ExclusiveAccess::open(bool is_open) const { native_->is_open.store(is_open); }
bool ExclusiveAccess::take_touched() const { return native_->was_touched.exchange(false); }

void ExclusiveAccess::keep(const std::function<void()>& work) const {
  native_->user.store(std::this_thread::get_id());
  try {
    work();
  } catch (...) {
    native_->user.store({});
    throw;
  }
  native_->user.store({});
}

void Device::on_output(std::function<void(std::string_view)> callback) const {
  require(state_).device->output().set_callback(std::move(callback));
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
  std::vector<DeviceInfo> out;
  for (const runtime::Candidate& c : runtime::candidates()) {
    DeviceInfo& info = out.emplace_back(public_info(c.info));
    info.score = c.score;
    info.same_as = c.same_as;
    info.also_as = c.also_as;
  }
  return out;
}

}  // namespace quern
