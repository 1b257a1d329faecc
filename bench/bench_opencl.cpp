// Host cost of a launch on an OpenCL device (launch_cost.hpp). By hand: set two arguments, enqueue, flush.
// Argument: the device's number (default: 0).
#include <vector>

#include "driver/opencl/api.hpp"
#include "driver/opencl/driver.hpp"
#include "launch_cost.hpp"

namespace {

using namespace quern;          // NOLINT(google-build-using-namespace)
using namespace quern::opencl;  // NOLINT(google-build-using-namespace)
using namespace quern::bench;   // NOLINT(google-build-using-namespace)

constexpr const char* kText =
    "__kernel void advance(__global int* x, int n) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) x[i] = x[i] * 3 + 1;\n"
    "}\n";

std::vector<DeviceId> all_devices(const Api& api) {
  uint32_t count = 0;
  need(api.clGetPlatformIDs(0, nullptr, &count) == 0, "clGetPlatformIDs");
  std::vector<Platform> platforms(count);
  need(api.clGetPlatformIDs(count, platforms.data(), nullptr) == 0, "clGetPlatformIDs");
  std::vector<DeviceId> all;
  for (const Platform platform : platforms) {
    uint32_t own = 0;
    if (api.clGetDeviceIDs(platform, kDeviceTypeAll, 0, nullptr, &own) != 0) continue;
    std::vector<DeviceId> ids(own);
    need(api.clGetDeviceIDs(platform, kDeviceTypeAll, own, ids.data(), nullptr) == 0, "clGetDeviceIDs");
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

class ByHand {
 public:
  ByHand(const Api& api, DeviceId device) : api_(api) {
    int32_t code = 0;
    context_ = api.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    need(code == 0, "clCreateContext");
    queue_ = api.clCreateCommandQueue(context_, device, kQueueProfiling, &code);
    need(code == 0, "clCreateCommandQueue");
    const char* text = kText;
    program_ = api.clCreateProgramWithSource(context_, 1, &text, nullptr, &code);
    need(code == 0, "clCreateProgramWithSource");
    need(api.clBuildProgram(program_, 1, &device, "", nullptr, nullptr) == 0, "clBuildProgram");
    kernel_ = api.clCreateKernel(program_, "advance", &code);
    need(code == 0, "clCreateKernel");
    buffer_ = api.clCreateBuffer(context_, kMemReadWrite, kNumbers * 4, nullptr, &code);
    need(code == 0, "clCreateBuffer");
    const std::vector<int32_t> ones(kNumbers, 1);
    need(api.clEnqueueWriteBuffer(queue_, buffer_, 1, 0, kNumbers * 4, ones.data(), 0, nullptr, nullptr) == 0,
         "clEnqueueWriteBuffer");
  }
  ~ByHand() {
    (void)api_.clReleaseMemObject(buffer_);
    (void)api_.clReleaseKernel(kernel_);
    (void)api_.clReleaseProgram(program_);
    (void)api_.clReleaseCommandQueue(queue_);
    (void)api_.clReleaseContext(context_);
  }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  double round_us() {
    const int32_t n = kNumbers;
    const size_t size = kNumbers;
    const double start = thread_us();
    for (uint32_t i = 0; i < kLaunches; ++i) {
      (void)api_.clSetKernelArg(kernel_, 0, sizeof(void*), &buffer_);
      (void)api_.clSetKernelArg(kernel_, 1, sizeof n, &n);
      need(api_.clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &size, &size, 0, nullptr, nullptr) == 0,
           "clEnqueueNDRangeKernel");
      (void)api_.clFlush(queue_);
    }
    const double each = (thread_us() - start) / kLaunches;
    need(api_.clFinish(queue_) == 0, "clFinish");
    return each;
  }

  int32_t result() {
    int32_t out = 0;
    need(api_.clEnqueueReadBuffer(queue_, buffer_, 1, (kNumbers - 1) * 4, 4, &out, 0, nullptr, nullptr) == 0,
         "clEnqueueReadBuffer");
    return out;
  }

 private:
  const Api& api_;
  Context context_ = nullptr;
  CommandQueue queue_ = nullptr;
  ProgramId program_ = nullptr;
  KernelId kernel_ = nullptr;
  Mem buffer_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const auto api = Api::load();
  if (!api.ok()) {
    std::printf("%s\n", api.error().to_string().c_str());
    return 0;
  }
  const auto index = static_cast<uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0);
  const std::vector<DeviceId> devices = all_devices(*api);
  if (index >= devices.size()) {
    std::printf("there are %zu OpenCL devices\n", devices.size());
    return devices.empty() ? 0 : 1;
  }
  ByHand hand(*api, devices[index]);
  driver::Code code;
  code.kind = driver::CodeKind::kOpenclC;
  code.bytes = kText;
  code.is_raw = true;
  ByDriver driver(make_driver(), index, code, "advance");
  return compare_launches(hand, driver);
}
