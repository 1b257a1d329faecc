#include "driver/webgpu/adapter.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "driver/support/identity.hpp"
#include "driver/support/known_defects.hpp"
#include "driver/support/language_limits.hpp"
#include "driver/webgpu/messages.hpp"
#include "target/descriptor.hpp"

namespace quern::webgpu {

using base::Error;
using base::ErrorKind;
using driver::Feature;

namespace {

// Extensions of wgpu-native and of Dawn, by their numbers.
enum NativeNumber : uint32_t {
  kWgpuImmediates = 0x30001,
  kWgpuSubgroups = 0x30021,
  kWgpuInstanceExtras = 0x30004,
  kDawnSynchronization = 0x50004,  // of calls from several threads
};
enum WgpuBackends : uint64_t { kAllBackends = 0, kPrimaryBackends = 0x2d };  // the latter: not OpenGL

struct EnumerateOptions {
  const Chain* next = nullptr;
  uint64_t backends = kAllBackends;
};

struct InstanceExtras {
  Chain chain{nullptr, kWgpuInstanceExtras};
  uint64_t backends = kAllBackends;
  uint64_t rest[24] = {};  // defaults
};

Handle create_instance(const Api& api, uint64_t backends) {
  const auto& at = api.layout->instance;
  constexpr uint32_t kTimedWait = 1;
  struct {
    const Chain* next = nullptr;
    size_t timed_waits = 64;
  } limits;
  InstanceExtras extras;
  extras.backends = backends;
  Record descriptor(at.bytes);
  descriptor.put(at.timed_wait_enable, uint32_t{1}).put(at.timed_wait_count, size_t{64});
  if (api.is_wgpu()) {
    descriptor.put<const Chain*>(0, &extras.chain);
  } else {
    descriptor.put(at.feature_count, size_t{1}).put(at.features, &kTimedWait).put(at.limits, &limits);
  }
  return api.CreateInstance(descriptor.data());
}

struct Request {
  uint32_t level, power, fallback, backend;
};

Handle request_adapter(const Instance& instance, const Request& request, std::string& problem) {
  const Api& api = instance.api;
  const auto& at = api.layout->adapter_options;
  Record options(at.bytes);
  options.put(at.level, request.level)
      .put(at.power, request.power)
      .put(at.fallback, request.fallback)
      .put(at.backend, request.backend)
      .put(at.compatibility, uint32_t{request.level == kCompatibility ? 1u : 0u});
  const auto answer = instance.ask(callback_address(&Answer::on_handle), [&](const CallbackInfo& info) {
    return api.InstanceRequestAdapter(instance.handle, options.data(), info);
  });
  if (answer->has_succeeded()) return answer->handle;
  problem = answer->problem();
  return nullptr;
}

using AdapterHandle = std::shared_ptr<Opaque>;

std::vector<AdapterHandle> owned(const std::shared_ptr<Instance>& instance,
                                 const std::vector<Handle>& handles) {
  std::vector<AdapterHandle> out;
  for (const Handle handle : handles)
    out.emplace_back(handle, [instance](Handle h) { instance->api.AdapterRelease(h); });
  return out;
}

std::vector<AdapterHandle> list_adapters(const std::shared_ptr<Instance>& instance, std::string& problem) {
  const Api& api = instance->api;
  std::vector<Handle> out;
  if (api.InstanceEnumerateAdapters != nullptr) {
    const EnumerateOptions options;
    out.resize(api.InstanceEnumerateAdapters(instance->handle, &options, nullptr));
    out.resize(std::min(out.size(), api.InstanceEnumerateAdapters(instance->handle, &options, out.data())));
    return owned(instance, out);
  }
  constexpr uint32_t kLowPower = 1, kHighPerformance = 2;
  constexpr Request kRequests[] = {{kCore, kHighPerformance, 0, kAnyBackend},
                                   {kCore, kLowPower, 0, kAnyBackend},
                                   {kCore, 0, 1, kAnyBackend},
                                   {kCompatibility, 0, 0, kOpenGlEs}};
  for (const Request& request : kRequests) {
    if (request.level == kCompatibility && !out.empty()) break;
    if (const Handle one = request_adapter(*instance, request, problem)) out.push_back(one);
  }
  return owned(instance, out);
}

Limits limits_of(const Layout& layout, const Record& from) {
  const auto& at = layout.limits;
  const auto word = [&](size_t member) { return from.get<uint32_t>(member); };
  Limits l;
  l.storage_buffers = word(at.storage_buffers);
  l.uniform_size = from.get<uint64_t>(at.uniform_size);
  l.storage_size = from.get<uint64_t>(at.storage_size);
  l.buffer_size = from.get<uint64_t>(at.buffer_size);
  l.workgroup_bytes = word(at.workgroup_bytes);
  l.workgroup_threads = word(at.workgroup_threads);
  l.workgroup = from.get<driver::Dim3>(at.workgroup_size);
  l.workgroups = word(at.workgroups);
  l.immediates = word(at.immediates);
  return l;
}

Abilities abilities_of(const Api& api, Handle adapter, const Limits& limits) {
  Abilities a;
  const auto has = [&](uint32_t feature) { return api.AdapterHasFeature(adapter, feature) != 0; };
  const auto request = [&](uint32_t feature) {
    const bool is_there = has(feature);
    if (is_there) a.requested.push_back(feature);
    return is_there;
  };
  a.has_timestamps = request(api.layout->feature.timestamps);
  a.has_f16 = has(api.layout->feature.f16);
  a.enables_subgroups = !api.is_wgpu() && has(api.layout->feature.subgroups);
  a.has_subgroups = request(api.is_wgpu() ? uint32_t{kWgpuSubgroups} : api.layout->feature.subgroups);
  a.has_immediates = api.is_wgpu() && api.ComputePassEncoderSetImmediates != nullptr &&
                     limits.immediates != 0 && request(kWgpuImmediates);
  if (!api.is_wgpu()) (void)request(kDawnSynchronization);
  return a;
}

driver::DeviceKind kind_of(uint32_t type) {
  using enum driver::DeviceKind;
  constexpr driver::DeviceKind kKinds[] = {other, discrete, integrated, cpu};
  return type < std::size(kKinds) ? kKinds[type] : other;
}

std::string_view backend_name(uint32_t backend) {
  constexpr std::string_view kNames[] = {"",      "null",   "WebGPU", "D3D11",    "D3D12",
                                         "Metal", "Vulkan", "OpenGL", "OpenGL ES"};
  return backend < std::size(kNames) ? kNames[backend] : "unknown";
}

driver::Limits device_limits(const Limits& has) {
  driver::Limits l;
  const uint64_t exchange = 8 * uint64_t{l.block_threads} + 16;  // workgroup memory that warps may need
  constexpr uint64_t kMostBytes = 0x7ffffffc;                    // distances are i32
  l.block_threads = has.workgroup_threads;
  l.block = has.workgroup;
  l.grid = {UINT32_MAX, has.workgroups, has.workgroups};  // wider ones run in several dispatches
  l.shared_bytes =
      has.workgroup_bytes > 2 * exchange ? has.workgroup_bytes - exchange : has.workgroup_bytes / 2;
  l.buffer_bytes = std::min({has.storage_size, has.buffer_size, kMostBytes}) / 4 * 4;
  l.argument_bytes = std::min<uint64_t>(has.uniform_size - 64, 4096);
  return driver::within_language(l);
}

bool has_warps(const Abilities& a) { return a.subgroup_min == 32 && a.subgroup_max == 32; }

void describe(Adapter& adapter, const AdapterInfo& from) {
  constexpr uint32_t kWarp = 32;
  const Api& api = adapter.instance->api;
  driver::DeviceInfo& info = adapter.info;
  info.name = string_of(from.device);
  if (info.name.empty()) info.name = string_of(from.description);
  if (info.name.empty()) info.name = string_of(from.vendor);
  info.driver = "webgpu";
  info.kind = kind_of(from.type);
  info.vendor = from.vendor_id != 0 ? driver::vendor_of(from.vendor_id) : string_of(from.vendor);
  info.driver_version = string_of(from.description);
  info.api_version = "WebGPU over " + std::string(backend_name(from.backend));
  info.features = driver::kMadeByEmitters;
  info.features.add(Feature::system_scope);  // no memory is shared: only the device looks
  if (adapter.abilities.has_timestamps) info.features.add(Feature::timestamps);
  info.native.add(Feature::dynamic_shared);
  if (has_warps(adapter.abilities)) info.native.add(Feature::warps);
  info.limits = device_limits(adapter.limits);
  info.limits.warp_size = has_warps(adapter.abilities) ? kWarp : std::max(adapter.abilities.subgroup_min, 1u);
  if (driver::has_defect(info, driver::Defect::kLoopLimit)) info.limits.loop_rounds = driver::kMesaLoopRounds;
  info.code = {driver::CodeKind::kWgsl};
  const Abilities& has = adapter.abilities;
  info.details = {{"library", api.describe()},
                  {"storage buffers",
                   std::to_string(adapter.limits.storage_buffers) + " for each kernel; more share bindings"},
                  {"subgroups", has.subgroup_max == 0 ? "size not reported"
                                : has_warps(has)      ? "warps of 32"
                                                      : "of " + std::to_string(has.subgroup_min) + " to " +
                                                       std::to_string(has.subgroup_max)},
                  {"arguments", has.has_immediates ? "immediates up to " +
                                                         std::to_string(adapter.limits.immediates) + " bytes"
                                                   : "a uniform buffer"},
                  {"shader-f16", has.has_f16 ? "present; half is computed in float" : "absent"},
                  {"timestamps", has.has_timestamps ? "of compute passes" : "absent"}};
  target::add_software_features(info);
}

Result<Adapter> ask(const std::shared_ptr<Instance>& instance, AdapterHandle owned_handle) {
  const Api& api = instance->api;
  Adapter adapter;
  adapter.instance = instance;
  adapter.handle = std::move(owned_handle);
  const Handle handle = adapter.handle.get();
  adapter.limits_record = Record(api.layout->limits.bytes);
  if (api.AdapterGetLimits(handle, adapter.limits_record.data()) != kSuccess)
    return failed("wgpuAdapterGetLimits", kUnknown, "the adapter reports no limits");
  adapter.limits_record.put<void*>(0, nullptr);
  adapter.limits = limits_of(*api.layout, adapter.limits_record);
  adapter.abilities = abilities_of(api, handle, adapter.limits);
  AdapterInfo info;
  SubgroupProperties subgroups;
  const bool is_chained = api.layout->subgroup_tail == kAbsent;
  if (is_chained && adapter.abilities.enables_subgroups) info.next = &subgroups.chain;
  if (api.AdapterGetInfo(handle, &info) != kSuccess)
    return failed("wgpuAdapterGetInfo", kUnknown, "the adapter reports no name");
  adapter.abilities.subgroup_min = is_chained ? subgroups.min : info.tail[api.layout->subgroup_tail];
  adapter.abilities.subgroup_max = is_chained ? subgroups.max : info.tail[api.layout->subgroup_tail + 1];
  describe(adapter, info);
  info.next = nullptr;
  api.AdapterInfoFreeMembers(info);
  return adapter;
}

bool is_same(const driver::DeviceInfo& a, const driver::DeviceInfo& b) {
  return a.name == b.name && a.vendor == b.vendor && a.driver_version == b.driver_version &&
         a.api_version == b.api_version;
}

void take(void* user, uint32_t value, Handle handle, Text message) {
  const std::unique_ptr<std::shared_ptr<Answer>> answer(static_cast<std::shared_ptr<Answer>*>(user));
  Answer& to = **answer;
  to.value = value;
  to.handle = handle;
  to.message = string_of(message);
  to.is_done = true;
}

}  // namespace

void Answer::on_handle(uint32_t status, Handle handle, Text message, void* answer, void*) {
  take(answer, status, handle, message);
}
void Answer::on_error(uint32_t, uint32_t type, Text message, void* answer, void*) {
  take(answer, type, nullptr, message);
}

Instance::~Instance() {
  if (handle != nullptr) api.InstanceRelease(handle);
}

bool Instance::wait_for(Future future) const {
  FutureWait wait{future, 0};
  return !api.is_wgpu() && api.InstanceWaitAny(handle, 1, &wait, UINT64_MAX) == kSuccess;
}

Result<std::shared_ptr<Instance>> Instance::create(Api api) {
  auto instance = std::make_shared<Instance>(std::move(api));
  std::string problem;
  for (const uint64_t backends : {kPrimaryBackends, kAllBackends}) {
    if (instance->handle != nullptr) instance->api.InstanceRelease(instance->handle);
    instance->handle = create_instance(instance->api, backends);
    if (instance->handle == nullptr)
      return failed("wgpuCreateInstance", kUnknown, "'" + instance->api.library + "' returned no instance");
    if (!instance->api.is_wgpu()) break;
    if (!list_adapters(instance, problem).empty()) break;
  }
  return instance;
}

Result<std::vector<Adapter>> find_adapters(const std::shared_ptr<Instance>& instance) {
  std::string problem;
  std::vector<Adapter> out;
  for (AdapterHandle& handle : list_adapters(instance, problem)) {
    QUERN_TRY_ASSIGN(Adapter one, ask(instance, std::move(handle)));
    const bool is_listed =
        !instance->api.is_wgpu() &&
        std::any_of(out.begin(), out.end(), [&](const Adapter& a) { return is_same(a.info, one.info); });
    if (!is_listed) out.push_back(std::move(one));
  }
  if (!out.empty()) return out;
  return Error(ErrorKind::not_found,
               message::kNoAdapter(instance->api.describe(), problem.empty() ? "" : " (" + problem + ")"));
}

Result<Adapter> find_again(const Adapter& adapter) {
  if (adapter.instance->api.is_wgpu()) return adapter;
  QUERN_TRY_ASSIGN(std::vector<Adapter> all, find_adapters(adapter.instance));
  for (Adapter& one : all) {
    if (is_same(one.info, adapter.info)) {
      one.info.index = adapter.info.index;
      return std::move(one);
    }
  }
  return Error(ErrorKind::device_lost, message::kAdapterGone(adapter.info.name));
}

}  // namespace quern::webgpu
