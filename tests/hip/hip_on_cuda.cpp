// A fake libamdhip64.so: maps HIP's functions to CUDA's and hiprtc's to NVRTC's, so that the HIP driver and
// the HIP code of kernels run on a machine with an NVIDIA GPU. A shared library for tests, never part of
// Quern: it does not run on AMD hardware, and its device name says so.
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/shared_library.hpp"
#include "driver/cuda/compiler.hpp"
#include "driver/cuda/vendor.hpp"

namespace {

using namespace quern::cuda;  // NOLINT(google-build-using-namespace): the types of the interface

constexpr int32_t kNoDevice = 100;
constexpr int kWallClockRate = 10017;  // an attribute that CUDA does not have

// CUDA's functions; without them each call returns that there is no device.
const Api& cu() {
  static const Api kApi = [] {
    auto api = load_api(cuda_vendor());
    if (api.ok()) return *api;
    Api none;
    none.init = [](uint32_t) { return kNoDevice; };
    return none;
  }();
  return kApi;
}

int attribute(int number) {
  int value = 0;
  (void)cu().device_attribute(&value, number, 0);
  return value;
}

// Functions of HIP C++ that CUDA C++ does not have.
constexpr const char* kPrelude = R"(
#define may_alias
#define __builtin_trap __trap
#define __builtin_amdgcn_wave_barrier __syncwarp
#define __lane_id hip_lane_id
static __device__ __forceinline__ unsigned int __lane_id() {
  unsigned int lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
static __device__ __forceinline__ long long wall_clock64() {
  long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
// Threads of a wavefront run in lockstep, those of a warp of this GPU only where they synchronize: by the mask
// parameter of the text's functions. Elsewhere it is 0.
static const unsigned int mask = 0;
#define __ballot(yes) (unsigned long long)__ballot_sync(mask != 0 ? mask : __activemask(), yes)
#define __shfl(value, lane, width) __shfl_sync(mask != 0 ? mask : __activemask(), value, lane, width)
#line 1
)";

struct Program {
  std::string text, name, log, code;
};

}  // namespace

#define HIP extern "C" [[gnu::visibility("default")]] int32_t

// clang-format off
HIP hipInit(uint32_t a) { return cu().init(a); }
HIP hipDriverGetVersion(int* a) { return cu().driver_version(a); }
HIP hipGetDeviceCount(int* a) { return cu().device_count(a); }
HIP hipDeviceGet(DeviceId* a, int b) { return cu().device_get(a, b); }
HIP hipDeviceTotalMem(size_t* a, DeviceId b) { return cu().device_memory(a, b); }
HIP hipDeviceGetPCIBusId(char* a, int b, DeviceId c) { return cu().device_pci(a, b, c); }
HIP hipDevicePrimaryCtxRetain(Context* a, DeviceId b) { return cu().context_retain(a, b); }
HIP hipCtxSetCurrent(Context a) { return cu().context_use(a); }
HIP hipMemGetInfo(size_t* a, size_t* b) { return cu().memory_info(a, b); }
HIP hipMalloc(Address* a, size_t b) { return cu().allocate(a, b); }
HIP hipFree(Address a) { return cu().free(a); }
HIP hipHostMalloc(void** a, size_t b, uint32_t c) { return cu().allocate_host(a, b, c); }
HIP hipHostFree(void* a) { return cu().free_host(a); }
HIP hipHostRegister(void* a, size_t b, uint32_t c) { return cu().host_register(a, b, c); }
HIP hipHostUnregister(void* a) { return cu().host_forget(a); }
HIP hipHostGetDevicePointer(Address* a, void* b, uint32_t c) { return cu().host_address(a, b, c); }
HIP hipMallocManaged(Address* a, size_t b, uint32_t c) { return cu().allocate_managed(a, b, c); }
HIP hipPointerGetAttribute(void* a, int b, Address c) { return cu().pointer_attribute(a, b, c); }
HIP hipMemcpyHtoDAsync(Address a, const void* b, size_t c, StreamId d) { return cu().upload(a, b, c, d); }
HIP hipMemcpyDtoHAsync(void* a, Address b, size_t c, StreamId d) { return cu().download(a, b, c, d); }
HIP hipMemcpyDtoDAsync(Address a, Address b, size_t c, StreamId d) { return cu().copy(a, b, c, d); }
HIP hipMemsetD8Async(Address a, uint8_t b, size_t c, StreamId d) { return cu().fill8(a, b, c, d); }
HIP hipMemsetD16Async(Address a, uint16_t b, size_t c, StreamId d) { return cu().fill16(a, b, c, d); }
HIP hipMemsetD32Async(Address a, uint32_t b, size_t c, StreamId d) { return cu().fill32(a, b, c, d); }
HIP hipModuleLoadDataEx(ModuleId* a, const void* b, uint32_t c, int* d, void** e) { return cu().module_load(a, b, c, d, e); }
HIP hipModuleUnload(ModuleId a) { return cu().module_unload(a); }
HIP hipModuleGetFunction(FunctionId* a, ModuleId b, const char* c) { return cu().module_function(a, b, c); }
HIP hipModuleGetGlobal(Address* a, size_t* b, ModuleId c, const char* d) { return cu().module_global(a, b, c, d); }
HIP hipFuncGetAttribute(int* a, int b, FunctionId c) { return cu().function_attribute(a, b, c); }
HIP hipModuleLaunchKernel(FunctionId a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f, uint32_t g, uint32_t h, StreamId i, void** j, void** k) { return cu().launch(a, b, c, d, e, f, g, h, i, j, k); }
HIP hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* a, FunctionId b, int c, size_t d) { return cu().occupancy(a, b, c, d); }
HIP hipDeviceGetStreamPriorityRange(int* a, int* b) { return cu().stream_priorities(a, b); }
HIP hipStreamCreateWithPriority(StreamId* a, uint32_t b, int c) { return cu().stream_create(a, b, c); }
HIP hipStreamDestroy(StreamId a) { return cu().stream_destroy(a); }
HIP hipStreamWaitEvent(StreamId a, EventId b, uint32_t c) { return cu().stream_wait(a, b, c); }
HIP hipStreamQuery(StreamId a) { return cu().stream_query(a); }
HIP hipDevicePrimaryCtxReset(DeviceId a) { return cu().context_reset(a); }
HIP hipStreamSynchronize(StreamId a) { return cu().stream_synchronize(a); }
HIP hipEventCreateWithFlags(EventId* a, uint32_t b) { return cu().event_create(a, b); }
HIP hipEventDestroy(EventId a) { return cu().event_destroy(a); }
HIP hipEventRecord(EventId a, StreamId b) { return cu().event_record(a, b); }
HIP hipEventQuery(EventId a) { return cu().event_query(a); }
HIP hipEventSynchronize(EventId a) { return cu().event_synchronize(a); }
HIP hipEventElapsedTime(float* a, EventId b, EventId c) { return cu().event_elapsed(a, b, c); }
HIP hipDrvGetErrorName(int32_t a, const char** b) { return cu().error_name(a, b); }
HIP hipModuleLaunchCooperativeKernel(FunctionId a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f, uint32_t g, uint32_t h, StreamId i, void** j) { return cu().launch_cooperative(a, b, c, d, e, f, g, h, i, j); }
HIP hipLaunchHostFunc(StreamId a, HostFunction b, void* c) { return cu().stream_call(a, b, c); }
HIP hipDeviceGetUuid(void* a, DeviceId b) { return cu().device_uuid(a, b); }
HIP hipMemPoolCreate(PoolId* a, const PoolProperties* b) { return cu().pool_create(a, b); }
HIP hipMemPoolDestroy(PoolId a) { return cu().pool_destroy(a); }
HIP hipMemPoolSetAttribute(PoolId a, int b, void* c) { return cu().pool_set(a, b, c); }
HIP hipMemPoolGetAttribute(PoolId a, int b, void* c) { return cu().pool_get(a, b, c); }
HIP hipMemPoolTrimTo(PoolId a, size_t b) { return cu().pool_trim(a, b); }
HIP hipMallocFromPoolAsync(Address* a, size_t b, PoolId c, StreamId d) { return cu().pool_allocate(a, b, c, d); }
HIP hipFreeAsync(Address a, StreamId b) { return cu().pool_free(a, b); }
HIP hipStreamBeginCapture(StreamId a, int b) { return cu().capture_begin(a, b); }
HIP hipStreamEndCapture(StreamId a, GraphId* b) { return cu().capture_end(a, b); }
HIP hipGraphDestroy(GraphId a) { return cu().graph_destroy(a); }
HIP hipGraphInstantiateWithFlags(RunnableId* a, GraphId b, uint64_t c) { return cu().graph_make(a, b, c); }
HIP hipGraphExecUpdate(RunnableId a, GraphId b, void** c, int* d) { return cu().graph_update(a, b, c, d); }
HIP hipGraphLaunch(RunnableId a, StreamId b) { return cu().graph_run(a, b); }
HIP hipGraphExecDestroy(RunnableId a) { return cu().graph_end(a); }
// clang-format on

// So that it is not mistaken for an AMD device.
HIP hipDeviceGetName(char* to, int size, DeviceId device) {
  char name[200] = {};
  const int32_t code = cu().device_name(name, sizeof name, device);
  std::snprintf(to, static_cast<size_t>(size), "%s, HIP's names on CUDA", name);
  return code;
}

HIP hipDeviceGetAttribute(int* value, int number, DeviceId device) {
  if (number == kWallClockRate) {
    *value = 1'000'000;  // nanoseconds
    return 0;
  }
#define X(id, cuda, hip) \
  if (number == (hip)) return cu().device_attribute(value, cuda, device);
  QUERN_CUDA_ATTRIBUTES(X)
#undef X
  return 1;
}

HIP hiprtcVersion(int* major, int* minor) {
  *major = 0;
  *minor = 0;
  return 0;
}

HIP hiprtcCreateProgram(Program** program, const char* text, const char* name, int, const char* const*,
                        const char* const*) {
  *program = new Program{kPrelude + std::string(text), name, "", ""};
  return 0;
}

HIP hiprtcCompileProgram(Program* program, int count, const char* const* given) {
  static std::mutex mutex;
  static std::unique_ptr<Compiler> compiler;
  const std::lock_guard lock(mutex);
  if (compiler == nullptr) {
    int version = 0;
    (void)cu().driver_version(&version);
    auto found = Compiler::find(cuda_vendor(), version);
    if (!found.ok()) {
      program->log = found.error().to_string();
      return 6;
    }
    compiler = std::move(*found);
  }
  std::vector<std::string> options = {"--std=c++17", "--disable-warnings"};
  for (int i = 0; i < count; ++i) {
    const std::string option = given[i];
    if (option == "-ffp-contract=off") options.emplace_back("--fmad=false");
    if (option.starts_with("-D")) options.push_back(option);
  }
  const int architecture = attribute(75) * 10 + attribute(76);
  auto output = compiler->compile(program->name, program->text, architecture, options);
  if (!output.ok()) {
    program->log = output.error().message();
    return 6;
  }
  program->code = std::move(output->code);
  return 0;
}

HIP hiprtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}
HIP hiprtcGetProgramLogSize(Program* program, size_t* size) {
  *size = program->log.size() + 1;
  return 0;
}
HIP hiprtcGetProgramLog(Program* program, char* to) {
  std::memcpy(to, program->log.c_str(), program->log.size() + 1);
  return 0;
}
HIP hiprtcGetCodeSize(Program* program, size_t* size) {
  *size = program->code.size();
  return 0;
}
HIP hiprtcGetCode(Program* program, char* to) {
  std::memcpy(to, program->code.data(), program->code.size());
  return 0;
}
extern "C" [[gnu::visibility("default")]] const char* hiprtcGetErrorString(int32_t) {
  return "NVRTC does not compile it";
}
