// The machine's OpenCL, modified as listed in QUERN_ODD_OPENCL:
//   il           accepts SPIR-V: if the implementation does not, modules are translated to bitcode
//                (cl_khr_spir) by llvm-spirv-15, if that is installed
//   buffers      has no shared virtual memory
//   unified      has only coarse-grained shared virtual memory, so that unified shared memory is used
//   no-platform  finds no platform
//   no-compiler  has no compiler for OpenCL C
//   narrow       has 32-bit addresses
//   lost         fails everything that runs
//   old          is OpenCL 1.1
//   no-device    has platforms without devices
//   twice        has every platform twice
//   no-context   lists a device that cannot be opened
//   no-clock     has events whose times are all 0
//   stranger     has an unknown vendor
//   abort        is PoCL 6.0, and aborts when it builds a program with a kernel 'abort_in_build', and when
//                it compiles a kernel 'abort_for_64' for blocks of 64
// All other functions are those of the real library, which this one is linked with. It is a shared library
// for tests and never part of Quern.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <unistd.h>

#include "driver/opencl/api.hpp"

namespace {

using namespace quern::opencl;  // NOLINT(google-build-using-namespace)

constexpr int32_t kInvalidValue = -30, kOutOfResources = -5;
constexpr const char* kVersions = "SPIR-V_1.0";

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool is(const char* odd) {
  const char* list = std::getenv("QUERN_ODD_OPENCL");
  return list != nullptr &&
         (',' + std::string(list) + ',').find(',' + std::string(odd) + ',') != std::string::npos;
}

// Answers a device query with these bytes.
int32_t answer(const void* bytes, size_t length, size_t size, void* value, size_t* needed) {
  if (needed != nullptr) *needed = length;
  if (value != nullptr && size >= length) std::memcpy(value, bytes, length);
  return 0;
}

std::mutex mutex;
std::set<ProgramId> translated;                    // built as bitcode
std::set<ProgramId> abort_in_build, abort_for_64;  // by the contents of their code

void note_code(ProgramId program, std::string_view code) {
  const std::lock_guard lock(mutex);
  abort_in_build.erase(program);
  abort_for_64.erase(program);
  if (!is("abort")) return;
  if (code.find("abort_in_build") != std::string_view::npos) abort_in_build.insert(program);
  if (code.find("abort_for_64") != std::string_view::npos) abort_for_64.insert(program);
}

void abort_for(const std::set<ProgramId>& programs, ProgramId program) {
  const std::lock_guard lock(mutex);
  if (!programs.contains(program)) return;
  std::fputs("LLVM ERROR: this compiler is odd\n", stderr);
  std::abort();
}

bool has_translator() {
  static const bool is_there = std::system("llvm-spirv-15 --version >/dev/null 2>&1") == 0;
  return is_there;
}

// Whether the implementation itself accepts SPIR-V.
bool has_il(DeviceId device) {
  char versions[256] = {};
  real<int32_t(DeviceId, uint32_t, size_t, void*, size_t*)>("clGetDeviceInfo")(device, kDeviceIl, 255,
                                                                               versions, nullptr);
  return std::strstr(versions, "SPIR-V") != nullptr;
}

std::string translate(const void* il, size_t size) {
  char folder[] = "/tmp/quern_il_XXXXXX";
  if (::mkdtemp(folder) == nullptr) return {};
  const std::string in = std::string(folder) + "/in.spv", out = std::string(folder) + "/out.bc";
  std::ofstream(in, std::ios::binary).write(static_cast<const char*>(il), static_cast<std::streamsize>(size));
  std::string bitcode;
  if (std::system(("llvm-spirv-15 -r -o " + out + " " + in).c_str()) == 0) {
    std::ifstream file(out, std::ios::binary);
    bitcode.assign(std::istreambuf_iterator<char>(file), {});
  }
  ::unlink(in.c_str());
  ::unlink(out.c_str());
  ::rmdir(folder);
  return bitcode;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int32_t clGetDeviceInfo(DeviceId device, uint32_t what, size_t size,
                                                       void* value, size_t* needed) {
  const uint32_t none = 0, narrow = 32;
  const uint64_t nothing = 0, coarse = kCapCoarse;
  const bool is_translated = is("il") && !has_il(device) && has_translator();
  if (what == kDeviceIl && is_translated)
    return answer(kVersions, std::strlen(kVersions) + 1, size, value, needed);
  if (what == kDeviceName && is_translated) {
    char name[256] = {};
    real<int32_t(DeviceId, uint32_t, size_t, void*, size_t*)>("clGetDeviceInfo")(device, what, 200, name,
                                                                                 nullptr);
    std::strcat(name, " through llvm-spirv");
    return answer(name, std::strlen(name) + 1, size, value, needed);
  }
  if (what == kDeviceSvm && is("buffers")) return answer(&nothing, sizeof nothing, size, value, needed);
  if (what == kDeviceSvm && is("unified")) return answer(&coarse, sizeof coarse, size, value, needed);
  if (what == kDeviceCompilerAvailable && is("no-compiler"))
    return answer(&none, sizeof none, size, value, needed);
  constexpr const char* kOld = "OpenCL 1.1 from long ago";
  constexpr const char* kStranger = "OpenCL 3.0 of a stranger";
  if (what == kDeviceVersion && is("stranger"))
    return answer(kStranger, std::strlen(kStranger) + 1, size, value, needed);
  constexpr const char* kAborting = "OpenCL 3.0 PoCL 6.0 made odd";
  if (what == kDeviceVersion && is("abort"))
    return answer(kAborting, std::strlen(kAborting) + 1, size, value, needed);
  if (what == kDeviceVersion && is("old")) return answer(kOld, std::strlen(kOld) + 1, size, value, needed);
  if (what == kDeviceAddressBits && is("narrow")) return answer(&narrow, sizeof narrow, size, value, needed);
  return real<int32_t(DeviceId, uint32_t, size_t, void*, size_t*)>("clGetDeviceInfo")(device, what, size,
                                                                                      value, needed);
}

[[gnu::visibility("default")]] int32_t clGetPlatformIDs(uint32_t count, Platform* platforms,
                                                        uint32_t* found) {
  constexpr int32_t kPlatformNotFound = -1001;
  if (is("no-platform")) return kPlatformNotFound;
  const auto ask = real<int32_t(uint32_t, Platform*, uint32_t*)>("clGetPlatformIDs");
  if (!is("twice")) return ask(count, platforms, found);
  const int32_t status = ask(count / 2, platforms, found);
  if (status != 0) return status;
  if (found != nullptr) *found *= 2;
  if (platforms != nullptr) std::memcpy(platforms + count / 2, platforms, count / 2 * sizeof(Platform));
  return 0;
}

[[gnu::visibility("default")]] ProgramId clCreateProgramWithSource(Context context, uint32_t count,
                                                                   const char** texts, const size_t* sizes,
                                                                   int32_t* status) {
  const ProgramId program = real<ProgramId(Context, uint32_t, const char**, const size_t*, int32_t*)>(
      "clCreateProgramWithSource")(context, count, texts, sizes, status);
  note_code(program, std::string_view(texts[0], sizes[0]));
  return program;
}

[[gnu::visibility("default")]] int32_t clGetProgramInfo(ProgramId program, uint32_t what, size_t size,
                                                        void* value, size_t* needed) {
  const char* work_groups = std::getenv("POCL_BINARY_SPECIALIZE_WG");
  if (what == kProgramBinarySizes && work_groups != nullptr && std::strncmp(work_groups, "64-1-1", 6) == 0)
    abort_for(abort_for_64, program);
  return real<int32_t(ProgramId, uint32_t, size_t, void*, size_t*)>("clGetProgramInfo")(program, what, size,
                                                                                        value, needed);
}

[[gnu::visibility("default")]] int32_t clGetEventProfilingInfo(EventId event, uint32_t what, size_t size,
                                                               void* value, size_t* needed) {
  const uint64_t never = 0;
  if (is("no-clock")) return answer(&never, sizeof never, size, value, needed);
  return real<int32_t(EventId, uint32_t, size_t, void*, size_t*)>("clGetEventProfilingInfo")(
      event, what, size, value, needed);
}

[[gnu::visibility("default")]] int32_t clGetDeviceIDs(Platform platform, uint64_t types, uint32_t count,
                                                      DeviceId* devices, uint32_t* found) {
  constexpr int32_t kDeviceNotFound = -1;
  if (is("no-device")) return kDeviceNotFound;
  return real<int32_t(Platform, uint64_t, uint32_t, DeviceId*, uint32_t*)>("clGetDeviceIDs")(
      platform, types, count, devices, found);
}

[[gnu::visibility("default")]] Context clCreateContext(const intptr_t* properties, uint32_t count,
                                                       const DeviceId* devices, Notify told, void* data,
                                                       int32_t* status) {
  if (is("no-context")) {
    *status = kOutOfResources;
    return nullptr;
  }
  return real<Context(const intptr_t*, uint32_t, const DeviceId*, Notify, void*, int32_t*)>(
      "clCreateContext")(properties, count, devices, told, data, status);
}

[[gnu::visibility("default")]] CommandQueue clCreateCommandQueue(Context context, DeviceId device,
                                                                 uint64_t properties, int32_t* status) {
  if (is("lost")) {
    *status = kOutOfResources;
    return nullptr;
  }
  return real<CommandQueue(Context, DeviceId, uint64_t, int32_t*)>("clCreateCommandQueue")(
      context, device, properties, status);
}

[[gnu::visibility("default")]] int32_t clFinish(CommandQueue queue) {
  const int32_t status = real<int32_t(CommandQueue)>("clFinish")(queue);
  return is("lost") ? kOutOfResources : status;  // a lost device writes nothing
}

// The real library may have a function for SPIR-V that does not accept it.
[[gnu::visibility("default")]] void* clGetExtensionFunctionAddressForPlatform(Platform platform,
                                                                              const char* name) {
  const bool is_il = std::strcmp(name, "clCreateProgramWithILKHR") == 0;
  if ((is("il") || is("abort")) && is_il) return nullptr;  // this library's function is used
  if (is("buffers") && std::strstr(name, "INTEL") != nullptr) return nullptr;
  return real<void*(Platform, const char*)>("clGetExtensionFunctionAddressForPlatform")(platform, name);
}

[[gnu::visibility("default")]] ProgramId clCreateProgramWithIL(Context context, const void* il, size_t size,
                                                               int32_t* status) {
  // A context has one device here.
  constexpr uint32_t kContextDevices = 0x1081;
  DeviceId device = nullptr;
  real<int32_t(Context, uint32_t, size_t, void*, size_t*)>("clGetContextInfo")(
      context, kContextDevices, sizeof device, &device, nullptr);
  if (has_il(device)) {
    const ProgramId program = real<ProgramId(Context, const void*, size_t, int32_t*)>(
        "clCreateProgramWithIL")(context, il, size, status);
    note_code(program, std::string_view(static_cast<const char*>(il), size));
    return program;
  }
  const std::string bitcode = translate(il, size);
  if (bitcode.empty()) {
    *status = kInvalidValue;
    return nullptr;
  }
  const size_t length = bitcode.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(bitcode.data());
  const ProgramId program = real<ProgramId(Context, uint32_t, const DeviceId*, const size_t*,
                                           const unsigned char**, int32_t*, int32_t*)>(
      "clCreateProgramWithBinary")(context, 1, &device, &length, &bytes, nullptr, status);
  const std::lock_guard lock(mutex);
  if (*status == 0) translated.insert(program);
  return program;
}

[[gnu::visibility("default")]] int32_t clBuildProgram(ProgramId program, uint32_t count,
                                                      const DeviceId* devices, const char* options,
                                                      Built built, void* data) {
  abort_for(abort_in_build, program);
  std::string all = options != nullptr ? options : "";
  {
    const std::lock_guard lock(mutex);
    if (translated.count(program) != 0) all += " -x spir -spir-std=1.2";
  }
  return real<int32_t(ProgramId, uint32_t, const DeviceId*, const char*, Built, void*)>("clBuildProgram")(
      program, count, devices, all.c_str(), built, data);
}

[[gnu::visibility("default")]] int32_t clReleaseProgram(ProgramId program) {
  {
    const std::lock_guard lock(mutex);
    translated.erase(program);
  }
  return real<int32_t(ProgramId)>("clReleaseProgram")(program);
}
}
