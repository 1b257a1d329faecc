// The machine's OpenCL with SPIR-V where it has none of its own: modules go through llvm-spirv-15, and the
// implementation gets the bitcode (cl_khr_spir). The functions that are not here are those of the real
// library, which this one is linked with. It is a shared library for tests and never part of Quern.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

#include "driver/opencl/api.hpp"

namespace {

using namespace quern::opencl;  // NOLINT(google-build-using-namespace)

constexpr int32_t kInvalidValue = -30;
constexpr const char* kVersions = "SPIR-V_1.0";

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::mutex mutex;
std::set<ProgramId> translated;  // built as bitcode

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
  if (what != kDeviceIl)
    return real<int32_t(DeviceId, uint32_t, size_t, void*, size_t*)>("clGetDeviceInfo")(device, what, size,
                                                                                        value, needed);
  const size_t length = std::strlen(kVersions) + 1;
  if (needed != nullptr) *needed = length;
  if (value != nullptr && size >= length) std::memcpy(value, kVersions, length);
  return 0;
}

[[gnu::visibility("default")]] ProgramId clCreateProgramWithIL(Context context, const void* il, size_t size,
                                                               int32_t* status) {
  const std::string bitcode = translate(il, size);
  if (bitcode.empty()) {
    *status = kInvalidValue;
    return nullptr;
  }
  // A context has one device here.
  constexpr uint32_t kContextDevices = 0x1081;
  DeviceId device = nullptr;
  real<int32_t(Context, uint32_t, size_t, void*, size_t*)>("clGetContextInfo")(
      context, kContextDevices, sizeof device, &device, nullptr);
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
