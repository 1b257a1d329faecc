// A program with its own OpenCL context: Quern runs a kernel on a cl_mem that the program created, on the
// program's command queue. OpenCL's functions are declared here and come from dlopen, so that the program
// builds without OpenCL's headers; with <CL/cl.h> the types are the same.
//
// usage: example_cl_mem        (needs an OpenCL driver; exits with 77 if there is none)
#include <cstdio>
#include <string>
#include <vector>

#include <dlfcn.h>

#include <quern/inline.hpp>
#include <quern/interop.hpp>

namespace interop = quern::interop;

namespace {

constexpr int kElements = 1000, kNotHere = 77;

QUERN_KERNEL(add, (int n, const int* a, const int* b, int* sum), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
})

using Platform = struct _cl_platform_id*;
constexpr uint64_t kAllDevices = 0xFFFFFFFF, kReadWrite = 1, kCopyHost = 1 << 5;

void* library = nullptr;
template <typename Function>
Function* load(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}
#define CL_LOAD(result, name, ...) auto* const name = load<result(__VA_ARGS__)>(#name)

void check(int32_t code, const char* what) {
  if (code != 0) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(code));
}

int run() {
  CL_LOAD(int32_t, clGetPlatformIDs, uint32_t, Platform*, uint32_t*);
  CL_LOAD(int32_t, clGetDeviceIDs, Platform, uint64_t, uint32_t, _cl_device_id**, uint32_t*);
  CL_LOAD(_cl_context*, clCreateContext, const intptr_t*, uint32_t, _cl_device_id* const*, void*, void*,
          int32_t*);
  CL_LOAD(_cl_command_queue*, clCreateCommandQueue, _cl_context*, _cl_device_id*, uint64_t, int32_t*);
  CL_LOAD(_cl_mem*, clCreateBuffer, _cl_context*, uint64_t, size_t, void*, int32_t*);
  CL_LOAD(int32_t, clEnqueueReadBuffer, _cl_command_queue*, _cl_mem*, uint32_t, size_t, size_t, void*,
          uint32_t, const void*, void*);
  CL_LOAD(int32_t, clReleaseMemObject, _cl_mem*);
  CL_LOAD(int32_t, clReleaseCommandQueue, _cl_command_queue*);
  CL_LOAD(int32_t, clReleaseContext, _cl_context*);

  Platform platform = nullptr;
  _cl_device_id* device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != 0 ||
      clGetDeviceIDs(platform, kAllDevices, 1, &device, nullptr) != 0) {
    std::printf("cl_mem: OpenCL finds no device\n");
    return kNotHere;
  }
  int32_t code = 0;
  _cl_context* const context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  _cl_command_queue* const queue = clCreateCommandQueue(context, device, 0, &code);
  check(code, "clCreateCommandQueue");
  std::vector<int> host(kElements);
  for (int i = 0; i < kElements; ++i) host[i] = i;
  _cl_mem* const in =
      clCreateBuffer(context, kReadWrite | kCopyHost, kElements * sizeof(int), host.data(), &code);
  check(code, "clCreateBuffer");
  _cl_mem* const out = clCreateBuffer(context, kReadWrite, kElements * sizeof(int), nullptr, &code);
  check(code, "clCreateBuffer");

  int wrong = 0;
  {
    const quern::Device gpu = interop::open(interop::opencl::Device{context, device});
    const auto a = interop::adopt<int>(gpu, interop::opencl::Buffer{in}, kElements);
    auto b = gpu.upload(std::vector<int>(kElements, 5));
    auto sum = interop::adopt<int>(gpu, interop::opencl::Buffer{out}, kElements);
    const quern::Stream stream = interop::adopt(gpu, interop::opencl::Stream{queue});
    stream.launch(add, quern::threads(kElements), kElements, a, b, sum);
    // In order on one queue, without an event between the two libraries.
    check(clEnqueueReadBuffer(queue, out, 1, 0, kElements * sizeof(int), host.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    for (int i = 0; i < kElements; ++i) wrong += host[i] == i + 5 ? 0 : 1;
    std::printf("%s: %d of %d elements are wrong\n", gpu.name().c_str(), wrong, kElements);
  }
  clReleaseMemObject(in);
  clReleaseMemObject(out);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main() {
  library = ::dlopen("libOpenCL.so.1", RTLD_NOW);
  if (library == nullptr) {
    std::printf("cl_mem: there is no libOpenCL.so.1\n");
    return kNotHere;
  }
  try {
    return run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cl_mem: %s\n", e.what());
    return 1;
  }
}
