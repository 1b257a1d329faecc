// A fake libcuda.so.1, for tests of the driver's host code on machines without a GPU. See fake_cuda.hpp. It
// is a separate shared library and never part of Quern.
#include "cuda/fake_cuda.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/cuda/api.hpp"

namespace quern::test {

namespace {

using namespace quern::cuda;  // NOLINT(google-build-using-namespace): the types of the interface

constexpr int32_t kInvalidValue = 1, kInvalidImage = 200, kInvalidContext = 201, kInvalidHandle = 400;

struct Region {
  size_t bytes = 0;
  bool is_host = false;
  bool is_lent = false;  // imported host memory
  int descriptor = -1;   // of shared memory, which is mapped
};

// In an IpcHandle.
struct Shared {
  Address address;
  size_t bytes;
  int process, descriptor;
};

bool shares_memory() { return std::getenv("FAKE_CUDA_SHARED") != nullptr; }

struct Handle {
  std::string kind, name;
  uint64_t recorded = 0;             // events: when
  std::vector<FakeLaunch> launches;  // graphs
};

class Fake final : public FakeCuda {
 public:
  void reset() override {
    free_regions();
    handles.clear();
    calls_.clear();
    hidden.clear();
    attributes.clear();
    launched.clear();
    encoded.clear();
    kernels.clear();
    functions.clear();
    variables.clear();
    function_.clear();
    devices = 1;
    clock = 0;
    code_ = 0;
    total_ = nth_ = 0;
    fired_ = is_dead_ = is_busy = has_all_kernels = false;
    free_bytes = size_t{1} << 34;
  }
  void set_devices(int count) override { devices = count; }
  void set_attribute(int number, int value) override { attributes[number] = value; }
  void hide(const std::string& function) override { hidden.insert(function); }
  void fail(const std::string& function, uint64_t nth, int32_t code) override {
    function_ = function;
    nth_ = nth + (function.empty() ? total_ : calls_[function]);
    code_ = code;
    fired_ = false;
  }
  void declare_kernel(const std::string& name, const std::vector<size_t>& parameters) override {
    kernels[name] = parameters;
  }
  void run_kernel(const std::string& name, void (*function)(const FakeLaunch& launch)) override {
    functions[name] = function;
  }
  void declare_all_kernels() override { has_all_kernels = true; }
  void declare_variable(const std::string& name, size_t bytes) override { variables[name] = bytes; }
  void set_free_memory(size_t bytes) override { free_bytes = bytes; }
  void set_busy(bool busy) override { is_busy = busy; }
  uint64_t count(const std::string& function) const override {
    const auto found = calls_.find(function);
    return found == calls_.end() ? 0 : found->second;
  }
  bool has_failed() const override { return fired_; }
  uint64_t alive() const override { return regions.size() + handles.size(); }
  const std::vector<FakeLaunch>& launches() const override { return launched; }
  const std::vector<FakeTensorMap>& tensor_maps() const override { return encoded; }
  std::vector<std::pair<int, uint64_t>> load_options() const override { return loaded_with; }

  // Every entry point begins here: it is counted, and may be set to fail. A fault that a kernel could cause
  // is sticky, as in CUDA.
  int32_t enter(const char* function, bool needs_context) {
    const uint64_t own = calls_[function]++, all = total_++;
    if (is_dead_ && needs_context) return code_;  // calls that need no context still work
    const bool is_it =
        code_ != 0 && !fired_ && (function_.empty() ? all == nth_ : function_ == function && own == nth_);
    if (is_it) {
      fired_ = true;
      is_dead_ = code_ >= 700 && code_ != 701 && code_ < 720;
      return code_;
    }
    return needs_context && current == nullptr ? kInvalidContext : 0;
  }

  template <typename T>
  T make(const char* kind, const std::string& name = {}) {
    auto handle = std::make_unique<Handle>();
    handle->kind = kind;
    handle->name = name;
    Handle* const raw = handle.get();
    handles.emplace(raw, std::move(handle));
    return reinterpret_cast<T>(raw);
  }
  template <typename T>
  Handle* find(T handle, const char* kind) {
    const auto found = handles.find(reinterpret_cast<Handle*>(handle));
    return found != handles.end() && found->second->kind == kind ? found->first : nullptr;
  }
  template <typename T>
  int32_t drop(T handle, const char* kind) {
    Handle* const found = find(handle, kind);
    if (found == nullptr) return kInvalidHandle;
    handles.erase(found);
    return 0;
  }
  int32_t drop_named(const std::string& kind, const std::string& name) {
    for (const auto& [raw, handle] : handles) {
      if (handle->kind != kind || handle->name != name) continue;
      handles.erase(raw);
      return 0;
    }
    return kInvalidHandle;
  }
  int32_t allocate(Address* to, size_t bytes, bool is_host) {
    if (bytes == 0) return kInvalidValue;
    if (bytes > free_bytes) return kOutOfMemory;
    void* const memory = std::calloc(1, bytes);
    *to = reinterpret_cast<Address>(memory);
    regions[*to] = {bytes, is_host, false};
    return 0;
  }
  // Memory that other processes can map.
  int32_t allocate_shared(Address* to, size_t bytes) {
    if (bytes == 0) return kInvalidValue;
    if (bytes > free_bytes) return kOutOfMemory;
    const int descriptor = ::memfd_create("fake_cuda", MFD_CLOEXEC);
    if (descriptor < 0 || ::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) return kOutOfMemory;
    return map(to, bytes, descriptor);
  }
  int32_t map(Address* to, size_t bytes, int descriptor) {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) return kOutOfMemory;
    *to = reinterpret_cast<Address>(memory);
    regions[*to] = {bytes, false, false, descriptor};
    return 0;
  }
  static void free_memory(Address address, const Region& region) {
    if (region.is_lent) return;
    if (region.descriptor < 0) return std::free(reinterpret_cast<void*>(address));
    ::munmap(reinterpret_cast<void*>(address), region.bytes);
    ::close(region.descriptor);
  }
  int32_t import_host_memory(void* memory, size_t bytes) {
    regions[reinterpret_cast<Address>(memory)] = {bytes, true, true};
    return 0;
  }
  void free_regions() {
    for (const auto& [address, region] : regions) free_memory(address, region);
    regions.clear();
  }
  int32_t release(Address address) {
    const auto found = regions.find(address);
    if (found == regions.end()) return kInvalidValue;
    free_memory(address, found->second);
    regions.erase(found);
    return 0;
  }
  const Region* region_of(Address address, size_t bytes) const {
    auto at = regions.upper_bound(address);
    if (at == regions.begin()) return nullptr;
    --at;
    return address + bytes <= at->first + at->second.bytes ? &at->second : nullptr;
  }

  // The context is destroyed with everything in it; a sticky error is cleared.
  int32_t reset_context() {
    free_regions();
    handles.clear();
    is_dead_ = false;
    return 0;
  }

  // Launches since the start of a capture were only captured.
  void take_captured(Handle* graph) {
    const auto first = launched.begin() + static_cast<std::ptrdiff_t>(captured_from);
    graph->launches.assign(first, launched.end());
    launched.erase(first, launched.end());
  }

  std::recursive_mutex mutex;
  size_t captured_from = 0;
  std::map<Address, Region> regions;
  std::map<Handle*, std::unique_ptr<Handle>> handles;
  std::map<std::string, std::vector<size_t>> kernels;
  std::map<std::string, void (*)(const FakeLaunch&)> functions;
  std::map<std::string, size_t> variables;
  std::map<int, int> attributes;
  std::set<std::string> hidden;
  std::vector<FakeLaunch> launched;
  std::vector<FakeTensorMap> encoded;
  std::vector<std::pair<int, uint64_t>> loaded_with;
  int devices = std::getenv("FAKE_CUDA_DEVICES") != nullptr ? std::atoi(std::getenv("FAKE_CUDA_DEVICES")) : 1;
  bool is_busy = false, has_all_kernels = false;
  uint64_t clock = 0;
  size_t free_bytes = size_t{1} << 34;
  static thread_local Context current;

 private:
  std::map<std::string, uint64_t> calls_;
  std::string function_;
  uint64_t total_ = 0, nth_ = 0;
  int32_t code_ = 0;
  bool fired_ = false, is_dead_ = false;
};

thread_local Context Fake::current = nullptr;

Fake& fake() {
  static Fake* const kFake = new Fake();
  return *kFake;
}

template <typename T>
T* memory(Address address) {
  return reinterpret_cast<T*>(address);
}

template <typename T>
void fill_with(Address to, T value, size_t count) {
  std::fill_n(memory<T>(to), count, value);
}

constexpr std::pair<int, int> kAttributes[] = {
    {1, 1024},     {2, 1024},  {3, 1024},      {4, 64},     {5, 2147483647}, {6, 65535},
    {7, 65535},    {8, 49152}, {9, 65536},     {10, 32},    {12, 65536},     {13, 1980000},
    {16, 132},     {18, 0},    {19, 1},        {20, 0},     {31, 1},         {32, 1},
    {36, 3201000}, {37, 6144}, {38, 62914560}, {39, 2048},  {40, 3},         {41, 1},
    {75, 9},       {76, 0},    {81, 233472},   {82, 65536}, {83, 1},         {88, 0},
    {89, 1},       {95, 1},    {97, 232448},   {106, 32},   {115, 1},        {120, 1}};

// clang-format off
#define FAKE(function, needs_context, ...)                                  \
  Fake& f = fake();                                                         \
  const std::lock_guard lock(f.mutex);                                      \
  if (const int32_t code = f.enter(function, needs_context); code != 0) return code; \
  __VA_ARGS__

int32_t init(uint32_t) { FAKE("cuInit", false, return f.devices == 0 ? 100 : 0;) }
int32_t driver_version(int* v) { FAKE("cuDriverGetVersion", false, *v = 13000; return 0;) }
int32_t device_count(int* n) { FAKE("cuDeviceGetCount", false, *n = f.devices; return 0;) }
int32_t device_get(DeviceId* d, int i) { FAKE("cuDeviceGet", false, *d = i; return i < f.devices ? 0 : 101;) }
int32_t device_name(char* to, int n, DeviceId) { FAKE("cuDeviceGetName", false, std::strncpy(to, "stand-in, computes nothing", static_cast<size_t>(n)); return 0;) }
int32_t device_memory(size_t* b, DeviceId) { FAKE("cuDeviceTotalMem", false, *b = size_t{1} << 34; return 0;) }
int32_t device_attribute(int* v, int a, DeviceId) {
  FAKE("cuDeviceGetAttribute", false,)
  *v = 0;
  for (const auto& [number, value] : kAttributes) if (number == a) *v = value;
  if (const auto own = f.attributes.find(a); own != f.attributes.end()) *v = own->second;
  return 0;
}
int32_t device_pci(char* to, int n, DeviceId d) { FAKE("cuDeviceGetPCIBusId", false, std::strncpy(to, d == 0 ? "0000:1B:00.0" : "0000:1C:00.0", static_cast<size_t>(n)); return 0;) }
int32_t device_uuid(void* to, DeviceId d) { FAKE("cuDeviceGetUuid", false, const char* const own = std::getenv("FAKE_CUDA_HARDWARE"); std::memset(to, 0x11 * (d + 1) + (own != nullptr ? *own - '0' : 0), 16); return 0;) }
int32_t context_retain(Context* c, DeviceId d) { FAKE("cuDevicePrimaryCtxRetain", false, *c = reinterpret_cast<Context>(static_cast<intptr_t>(d + 1)); return 0;) }
int32_t context_reset(DeviceId) {
  Fake& f = fake();
  const std::lock_guard lock(f.mutex);
  (void)f.enter("cuDevicePrimaryCtxReset", false);  // works in a corrupted context
  return f.reset_context();
}
int32_t peer_reaches(int* yes, DeviceId, DeviceId) { FAKE("cuDeviceCanAccessPeer", false, *yes = 1; return 0;) }
int32_t peer_allow(Context, uint32_t) { FAKE("cuCtxEnablePeerAccess", true, return 0;) }
int32_t peer_copy(Address to, uintptr_t, Address from, uintptr_t, size_t n, StreamId) {
  FAKE("cuMemcpyPeerAsync", true, if (f.region_of(to, n) == nullptr || f.region_of(from, n) == nullptr) return kInvalidValue; std::memcpy(memory<void>(to), memory<void>(from), n); return 0;)
}
int32_t pool_allow(PoolId, const PoolAccess*, size_t) { FAKE("cuMemPoolSetAccess", true, return 0;) }
int32_t context_use(Context c) { FAKE("cuCtxSetCurrent", false, Fake::current = c; return 0;) }
int32_t memory_info(size_t* free, size_t* all) { FAKE("cuMemGetInfo", true, *free = f.free_bytes; *all = size_t{1} << 34; return 0;) }
int32_t allocate(Address* a, size_t n) { FAKE("cuMemAlloc", true, return shares_memory() ? f.allocate_shared(a, n) : f.allocate(a, n, false);) }
int32_t free(Address a) { FAKE("cuMemFree", true, return f.release(a);) }
int32_t allocate_host(void** m, size_t n, uint32_t) { FAKE("cuMemHostAlloc", true, Address a = 0; const int32_t c = f.allocate(&a, n, true); *m = memory<void>(a); return c;) }
int32_t free_host(void* m) { FAKE("cuMemFreeHost", true, return f.release(reinterpret_cast<Address>(m));) }
int32_t host_address(Address* a, void* m, uint32_t) { FAKE("cuMemHostGetDevicePointer", true, *a = reinterpret_cast<Address>(m); return 0;) }
int32_t host_register(void* m, size_t n, uint32_t) { FAKE("cuMemHostRegister", true, return f.import_host_memory(m, n);) }
int32_t host_forget(void* m) { FAKE("cuMemHostUnregister", true, return f.regions.erase(reinterpret_cast<Address>(m)) == 1 ? 0 : kInvalidValue;) }
int32_t allocate_managed(Address* a, size_t n, uint32_t) { FAKE("cuMemAllocManaged", true, return f.allocate(a, n, false);) }
int32_t pointer_attribute(void* to, int what, Address a) {
  FAKE("cuPointerGetAttribute", true,)
  const Region* const r = f.region_of(a, 1);
  if (r == nullptr || (what != kPointerMemoryType && what != kPointerOrdinal)) return kInvalidValue;
  *static_cast<int*>(to) = what == kPointerOrdinal ? 0 : r->is_host ? 1 : 2;
  return 0;
}
int32_t upload(Address to, const void* from, size_t n, StreamId s) {
  FAKE("cuMemcpyHtoDAsync", true, if (f.region_of(to, n) == nullptr || f.find(s, "stream") == nullptr) return kInvalidValue; std::memcpy(memory<void>(to), from, n); return 0;)
}
int32_t download(void* to, Address from, size_t n, StreamId s) {
  FAKE("cuMemcpyDtoHAsync", true, if (f.region_of(from, n) == nullptr || f.find(s, "stream") == nullptr) return kInvalidValue; std::memcpy(to, memory<void>(from), n); return 0;)
}
int32_t copy(Address to, Address from, size_t n, StreamId) {
  FAKE("cuMemcpyDtoDAsync", true, if (f.region_of(to, n) == nullptr || f.region_of(from, n) == nullptr) return kInvalidValue; std::memcpy(memory<void>(to), memory<void>(from), n); return 0;)
}
int32_t fill8(Address to, uint8_t v, size_t n, StreamId) { FAKE("cuMemsetD8Async", true, if (f.region_of(to, n) == nullptr) return kInvalidValue; fill_with(to, v, n); return 0;) }
int32_t fill16(Address to, uint16_t v, size_t n, StreamId) { FAKE("cuMemsetD16Async", true, if (f.region_of(to, n * 2) == nullptr) return kInvalidValue; fill_with(to, v, n); return 0;) }
int32_t fill32(Address to, uint32_t v, size_t n, StreamId) { FAKE("cuMemsetD32Async", true, if (f.region_of(to, n * 4) == nullptr) return kInvalidValue; fill_with(to, v, n); return 0;) }
int32_t fill_rows(Address to, size_t pitch, uint32_t v, size_t width, size_t height, StreamId) {
  FAKE("cuMemsetD2D32Async", true, for (size_t y = 0; y < height; ++y) fill_with(to + y * pitch, v, width); return 0;)
}
int32_t module_load(ModuleId* m, const void* image, uint32_t count, int* options, void** values) {
  FAKE("cuModuleLoadDataEx", true,)
  f.loaded_with.clear();
  for (uint32_t i = 0; i < count; ++i) {
    const bool is_log = options[i] >= 3 && options[i] <= 6;
    if (!is_log) f.loaded_with.emplace_back(options[i], reinterpret_cast<uint64_t>(values[i]));
  }
  const auto* const text = static_cast<const char*>(image);
  const bool is_cubin = std::memcmp(text, "\x7f" "ELF", 4) == 0;
  if (!is_cubin && std::strstr(text, ".version") == nullptr) return kInvalidImage;
  *m = f.make<ModuleId>("module");
  return 0;
}
int32_t module_unload(ModuleId m) { FAKE("cuModuleUnload", true, return f.drop(m, "module");) }
int32_t module_function(FunctionId* to, ModuleId m, const char* name) {
  FAKE("cuModuleGetFunction", true,)
  if (f.find(m, "module") == nullptr) return kInvalidHandle;
  if (f.has_all_kernels) f.kernels.try_emplace(name);
  const auto found = f.kernels.find(name);
  if (found == f.kernels.end()) return kNotFound;
  *to = reinterpret_cast<FunctionId>(const_cast<std::string*>(&found->first));  // NOLINT
  return 0;
}
int32_t module_global(Address* a, size_t* bytes, ModuleId, const char* name) {
  FAKE("cuModuleGetGlobal", true,)
  const auto found = f.variables.find(name);
  if (found == f.variables.end()) return kNotFound;
  *bytes = found->second;
  return f.allocate(a, found->second, false);
}
int32_t function_attribute(int* v, int what, FunctionId) { FAKE("cuFuncGetAttribute", true, *v = what == kFunctionMaxThreads ? 1024 : what == kFunctionRegisters ? 24 : 0; return 0;) }
int32_t function_set(FunctionId, int, int) { FAKE("cuFuncSetAttribute", true, return 0;) }
int32_t function_parameter(FunctionId k, size_t i, size_t* offset, size_t* size) {
  FAKE("cuFuncGetParamInfo", true,)
  const auto& sizes = f.kernels.at(*reinterpret_cast<std::string*>(k));
  if (i >= sizes.size()) return kInvalidValue;
  *offset = 8 * i;
  *size = sizes[i];
  return 0;
}
int32_t write_down(Fake& f, FunctionId k, const uint32_t (&s)[7], void** arguments, bool is_cooperative) {
  const std::string& name = *reinterpret_cast<std::string*>(k);
  FakeLaunch l{name, {s[0], s[1], s[2]}, {s[3], s[4], s[5]}, s[6], is_cooperative, {1, 1, 1}, {}};
  const auto& sizes = f.kernels.at(name);
  for (size_t i = 0; i < sizes.size(); ++i) {
    uint64_t value = 0;
    std::memcpy(&value, arguments[i], std::min<size_t>(sizes[i], 8));
    l.arguments.push_back(value);
  }
  f.launched.push_back(std::move(l));
  if (const auto own = f.functions.find(name); own != f.functions.end()) own->second(f.launched.back());
  return 0;
}
int32_t launch(FunctionId k, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, StreamId s, void** arguments, void**) {
  FAKE("cuLaunchKernel", true, if (f.find(s, "stream") == nullptr) return kInvalidHandle; return write_down(f, k, {gx, gy, gz, bx, by, bz, shared}, arguments, false);)
}
int32_t launch_cooperative(FunctionId k, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, StreamId s, void** arguments) {
  FAKE("cuLaunchCooperativeKernel", true, if (f.find(s, "stream") == nullptr) return kInvalidHandle; if (gx > 264) return kTooLarge; return write_down(f, k, {gx, gy, gz, bx, by, bz, shared}, arguments, true);)
}
int32_t launch_with(const LaunchConfig* c, FunctionId k, void** arguments, void**) {
  FAKE("cuLaunchKernelEx", true, if (f.find(c->stream, "stream") == nullptr) return kInvalidHandle;)
  bool is_cooperative = false;
  uint32_t cluster[3] = {1, 1, 1};
  for (uint32_t i = 0; i < c->attribute_count; ++i) {
    if (c->attributes[i].id == kAttributeCooperative) is_cooperative = c->attributes[i].value[0] != 0;
    if (c->attributes[i].id == kAttributeCluster) std::copy_n(c->attributes[i].value, 3, cluster);
  }
  (void)write_down(f, k, {c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared_bytes}, arguments, is_cooperative);
  std::copy_n(cluster, 3, f.launched.back().cluster);
  return 0;
}
int32_t occupancy(int* n, FunctionId, int, size_t) { FAKE("cuOccupancyMaxActiveBlocksPerMultiprocessor", true, *n = 2; return 0;) }
int32_t stream_priorities(int* least, int* greatest) { FAKE("cuCtxGetStreamPriorityRange", true, *least = 0; *greatest = -5; return 0;) }
int32_t stream_create(StreamId* s, uint32_t, int priority) { FAKE("cuStreamCreateWithPriority", true, *s = f.make<StreamId>("stream", std::to_string(priority)); return 0;) }
int32_t stream_destroy(StreamId s) { FAKE("cuStreamDestroy", true, return f.drop(s, "stream");) }
int32_t stream_wait(StreamId s, EventId e, uint32_t) { FAKE("cuStreamWaitEvent", true, return f.find(s, "stream") != nullptr && f.find(e, "event") != nullptr ? 0 : kInvalidHandle;) }
int32_t stream_query(StreamId s) { FAKE("cuStreamQuery", true, if (f.find(s, "stream") == nullptr) return kInvalidHandle; return f.is_busy ? kNotReady : 0;) }
int32_t stream_synchronize(StreamId s) { FAKE("cuStreamSynchronize", true, return f.find(s, "stream") != nullptr ? 0 : kInvalidHandle;) }
int32_t stream_call(StreamId, HostFunction function, void* data) { FAKE("cuLaunchHostFunc", true, function(data); return 0;) }
int32_t event_create(EventId* e, uint32_t) { FAKE("cuEventCreate", true, *e = f.make<EventId>("event"); return 0;) }
int32_t event_destroy(EventId e) { FAKE("cuEventDestroy", true, return f.drop(e, "event");) }
int32_t event_record(EventId e, StreamId s) {
  FAKE("cuEventRecord", true,)
  Handle* const event = f.find(e, "event");
  if (event == nullptr || f.find(s, "stream") == nullptr) return kInvalidHandle;
  event->recorded = ++f.clock;
  return 0;
}
int32_t event_query(EventId e) { FAKE("cuEventQuery", true, if (f.find(e, "event") == nullptr) return kInvalidHandle; return f.is_busy ? kNotReady : 0;) }
int32_t event_synchronize(EventId e) { FAKE("cuEventSynchronize", true, if (f.find(e, "event") == nullptr) return kInvalidHandle; return f.is_busy ? kNotReady : 0;) }
// One millisecond from one record to the next, so that times are ordered.
int32_t event_elapsed(float* ms, EventId from, EventId to) {
  FAKE("cuEventElapsedTime", true,)
  const Handle *const a = f.find(from, "event"), *const b = f.find(to, "event");
  if (a == nullptr || b == nullptr || a->recorded == 0 || b->recorded == 0) return kInvalidHandle;
  *ms = static_cast<float>(static_cast<int64_t>(b->recorded - a->recorded));
  return 0;
}
int32_t error_name(int32_t code, const char** text) {
  const std::pair<int32_t, const char*> names[] = {{2, "CUDA_ERROR_OUT_OF_MEMORY"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {710, "CUDA_ERROR_ASSERT"}};
  for (const auto& [number, name] : names) if (number == code) { *text = name; return 0; }
  return kInvalidValue;
}
int32_t pool_create(PoolId* p, const PoolProperties*) { FAKE("cuMemPoolCreate", true, *p = f.make<PoolId>("pool"); return 0;) }
int32_t pool_destroy(PoolId p) { FAKE("cuMemPoolDestroy", true, return f.drop(p, "pool");) }
int32_t pool_set(PoolId, int, void*) { FAKE("cuMemPoolSetAttribute", true, return 0;) }
int32_t pool_get(PoolId, int what, void* v) { FAKE("cuMemPoolGetAttribute", true, *static_cast<uint64_t*>(v) = what == kPoolReserved ? 3000 : 1000; return 0;) }
int32_t pool_trim(PoolId, size_t) { FAKE("cuMemPoolTrimTo", true, return 0;) }
int32_t pool_allocate(Address* a, size_t n, PoolId, StreamId) { FAKE("cuMemAllocFromPoolAsync", true, return f.allocate(a, n, false);) }
int32_t pool_free(Address a, StreamId) { FAKE("cuMemFreeAsync", true, return f.release(a);) }
int32_t occupancy_best(int* grid, int* block, FunctionId, void*, size_t, int) { FAKE("cuOccupancyMaxPotentialBlockSize", true, *grid = 264; *block = 512; return 0;) }
// Only launches are captured.
int32_t capture_begin(StreamId s, int) { FAKE("cuStreamBeginCapture", true, f.captured_from = f.launched.size(); return f.find(s, "stream") != nullptr ? 0 : kInvalidHandle;) }
int32_t capture_end(StreamId s, GraphId* g) { FAKE("cuStreamEndCapture", true, if (f.find(s, "stream") == nullptr) return kInvalidHandle; *g = f.make<GraphId>("graph"); f.take_captured(reinterpret_cast<Handle*>(*g)); return 0;) }
int32_t graph_destroy(GraphId g) { FAKE("cuGraphDestroy", true, return f.drop(g, "graph");) }
int32_t graph_make(RunnableId* r, GraphId g, uint64_t) { FAKE("cuGraphInstantiateWithFlags", true, if (f.find(g, "graph") == nullptr) return kInvalidHandle; *r = f.make<RunnableId>("runnable"); reinterpret_cast<Handle*>(*r)->launches = reinterpret_cast<Handle*>(g)->launches; return 0;) }
int32_t graph_update(RunnableId r, GraphId g, void**, int*) { FAKE("cuGraphExecUpdate", true, reinterpret_cast<Handle*>(r)->launches = reinterpret_cast<Handle*>(g)->launches; return 0;) }
int32_t graph_run(RunnableId r, StreamId s) { FAKE("cuGraphLaunch", true, if (f.find(r, "runnable") == nullptr || f.find(s, "stream") == nullptr) return kInvalidHandle; const auto& all = reinterpret_cast<Handle*>(r)->launches; f.launched.insert(f.launched.end(), all.begin(), all.end()); return 0;) }
int32_t graph_end(RunnableId r) { FAKE("cuGraphExecDestroy", true, return f.drop(r, "runnable");) }
// An encoded map begins with the address, and the number of the map follows.
int32_t encode_tiled(void* to, int element, uint32_t rank, Address at, const uint64_t* sizes, const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides, int interleave, int swizzle, int promotion, int fill) {
  FAKE("cuTensorMapEncodeTiled", true,)
  if (reinterpret_cast<uintptr_t>(to) % 64 != 0 || rank == 0 || f.region_of(at, 1) == nullptr) return kInvalidValue;
  f.encoded.push_back({element, at, {sizes, sizes + rank}, {strides, strides + rank - 1}, {box, box + rank}, {element_strides, element_strides + rank}, interleave, swizzle, promotion, fill});
  const uint64_t words[16] = {at, f.encoded.size()};
  std::memcpy(to, words, sizeof words);
  return 0;
}
// Within a process, opening a handle returns the same address and makes a handle to close.
int32_t ipc_get(IpcHandle* h, Address a) {
  FAKE("cuIpcGetMemHandle", true,)
  const auto found = f.regions.find(a);
  if (found == f.regions.end()) return kInvalidValue;
  const Shared shared{a, found->second.bytes, ::getpid(), found->second.descriptor};
  std::memcpy(h->bytes, &shared, sizeof shared);
  return 0;
}
int32_t ipc_open(Address* a, IpcHandle h, uint32_t) {
  FAKE("cuIpcOpenMemHandle", true,)
  Shared shared;
  std::memcpy(&shared, h.bytes, sizeof shared);
  *a = shared.address;
  if (shared.process != ::getpid()) {
    const std::string path = "/proc/" + std::to_string(shared.process) + "/fd/" + std::to_string(shared.descriptor);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return kInvalidValue;
    if (const int32_t code = f.map(a, shared.bytes, descriptor); code != 0) return code;
  }
  if (f.region_of(*a, 1) == nullptr) return kInvalidValue;
  (void)f.make<StreamId>(shared.process == ::getpid() ? "ipc" : "mapped", std::to_string(*a));
  return 0;
}
int32_t ipc_close(Address a) {
  FAKE("cuIpcCloseMemHandle", true,)
  if (f.drop_named("mapped", std::to_string(a)) == 0) return f.release(a);
  return f.drop_named("ipc", std::to_string(a));
}
int32_t physical_granularity(size_t* n, const PhysicalProperties*, int) { FAKE("cuMemGetAllocationGranularity", true, *n = 4096; return 0;) }
int32_t physical_create(uint64_t* h, size_t n, const PhysicalProperties* p, uint64_t) { FAKE("cuMemCreate", true, if (n % 4096 != 0 || p->handles != 1) return kInvalidValue; *h = reinterpret_cast<uint64_t>(f.make<StreamId>("physical")); return 0;) }
int32_t physical_release(uint64_t h) { FAKE("cuMemRelease", true, return f.drop(memory<Handle>(h), "physical");) }
int32_t physical_export(void* to, uint64_t h, int type, uint64_t) { FAKE("cuMemExportToShareableHandle", true, if (type != 1 || f.find(memory<Handle>(h), "physical") == nullptr) return kInvalidValue; *static_cast<int*>(to) = ::dup(0); return 0;) }
int32_t physical_import(uint64_t* h, void*, int type) { FAKE("cuMemImportFromShareableHandle", true, if (type != 1) return kInvalidValue; *h = reinterpret_cast<uint64_t>(f.make<StreamId>("physical")); return 0;) }
int32_t range_reserve(Address* a, size_t n, size_t, Address, uint64_t) { FAKE("cuMemAddressReserve", true, return f.allocate(a, n, false);) }
int32_t range_free(Address a, size_t) { FAKE("cuMemAddressFree", true, return f.release(a);) }
int32_t range_map(Address a, size_t n, size_t, uint64_t h, uint64_t) { FAKE("cuMemMap", true, return f.region_of(a, n) != nullptr && f.find(memory<Handle>(h), "physical") != nullptr ? 0 : kInvalidValue;) }
int32_t range_unmap(Address a, size_t n) { FAKE("cuMemUnmap", true, return f.region_of(a, n) != nullptr ? 0 : kInvalidValue;) }
int32_t range_allow(Address a, size_t n, const PoolAccess*, size_t) { FAKE("cuMemSetAccess", true, return f.region_of(a, n) != nullptr ? 0 : kInvalidValue;) }
int32_t external_import(ExternalId* e, const ExternalMemory* m) { FAKE("cuImportExternalMemory", true, if (m->type != 1 || m->descriptor < 0) return kInvalidValue; ::close(m->descriptor); *e = f.make<ExternalId>("external"); return 0;) }
int32_t external_map(Address* a, ExternalId e, const ExternalRange* r) { FAKE("cuExternalMemoryGetMappedBuffer", true, if (f.find(e, "external") == nullptr) return kInvalidHandle; return f.allocate(a, r->bytes, false);) }
int32_t external_destroy(ExternalId e) { FAKE("cuDestroyExternalMemory", true, return f.drop(e, "external");) }
// clang-format on

}  // namespace
}  // namespace quern::test

extern "C" {

[[gnu::visibility("default")]] quern::test::FakeCuda* fake_cuda() { return &quern::test::fake(); }

[[gnu::visibility("default")]] int32_t cuGetProcAddress(const char* name, void** function, int, uint64_t) {
  *function = nullptr;
  if (quern::test::fake().hidden.contains(name)) return 500;
#define X(field, cuda, version, hip, parameters) \
  if (std::strcmp(name, cuda) == 0) *function = reinterpret_cast<void*>(&quern::test::field);
  QUERN_CUDA_SYMBOLS(X)
  QUERN_CUDA_NEWER_SYMBOLS(X)
#undef X
  return *function != nullptr ? 0 : 500;
}

}  // extern "C"
