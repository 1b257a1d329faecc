// What a launch costs the host on an OpenCL device: the driver against the least that a program can do by
// hand with the same kernel (set two arguments, enqueue, flush). Both are timed by the processor time of the
// thread that launches, and both results are checked. Argument: the device's number, 0 if not given.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "driver/opencl/api.hpp"
#include "driver/opencl/driver.hpp"

namespace {

using namespace quern;          // NOLINT(google-build-using-namespace)
using namespace quern::opencl;  // NOLINT(google-build-using-namespace)

constexpr uint32_t kLaunches = 500, kRounds = 20, kNumbers = 256;
constexpr const char* kText =
    "__kernel void advance(__global int* x, int n) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) x[i] = x[i] * 3 + 1;\n"
    "}\n";

double thread_us() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

void need(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "bench_opencl: %s fails\n", what);
  std::exit(1);
}

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

class ByDriver {
 public:
  explicit ByDriver(uint32_t index) {
    need(driver_->start().ok(), "start");
    auto opened = driver_->open(index, {});
    need(opened.ok(), "open");
    device_ = std::move(*opened);
    driver::Code code;
    code.kind = driver::CodeKind::kOpenclC;
    code.bytes = kText;
    code.is_raw = true;
    program_ = std::move(*device_->load(code));
    kernel_ = std::move(*device_->kernel(*program_, "advance"));
    queue_ = std::move(*device_->create_queue({}));
    x_ = std::move(*device_->allocate(kNumbers * 4, driver::MemoryKind::kDevice));
    need(device_->fill(*queue_, {x_.get(), 0}, 1, 4, kNumbers * 4).ok(), "fill");
  }

  double round_us() {
    const int32_t n = kNumbers;
    const driver::Argument arguments[] = {{{x_.get(), 0}, nullptr, 0}, {{}, &n, 4}};
    const driver::Launch launch{{1, 1, 1}, {kNumbers, 1, 1}, 0, arguments, false};
    const double start = thread_us();
    for (uint32_t i = 0; i < kLaunches; ++i) need(device_->launch(*queue_, *kernel_, launch).ok(), "launch");
    const double each = (thread_us() - start) / kLaunches;
    need(device_->synchronize(*queue_).ok(), "synchronize");
    return each;
  }

  int32_t result() {
    int32_t out = 0;
    need(device_->download(*queue_, &out, {x_.get(), (kNumbers - 1) * 4}, 4).ok(), "download");
    need(device_->synchronize(*queue_).ok(), "synchronize");
    return out;
  }
  const std::string& name() const { return device_->info().name; }

 private:
  std::unique_ptr<driver::Driver> driver_ = make_driver();
  std::unique_ptr<driver::Device> device_;
  std::unique_ptr<driver::Program> program_;
  std::unique_ptr<driver::Kernel> kernel_;
  std::unique_ptr<driver::Queue> queue_;
  std::unique_ptr<driver::Buffer> x_;
};

int32_t expected() {
  uint32_t x = 1;
  for (uint32_t i = 0; i < kLaunches * kRounds; ++i) x = x * 3 + 1;
  return static_cast<int32_t>(x);
}

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
  ByDriver driver(index);
  double best_hand = 1e30, best_driver = 1e30;
  for (uint32_t i = 0; i < kRounds; ++i) {
    best_hand = std::min(best_hand, hand.round_us());
    best_driver = std::min(best_driver, driver.round_us());
  }
  const bool is_right = hand.result() == expected() && driver.result() == expected();
  const double ratio = best_driver / best_hand;
  std::printf("%s\nlaunch by hand    %8.2f us\nlaunch by driver  %8.2f us\n", driver.name().c_str(),
              best_hand, best_driver);
  std::printf("ratio             %8.2f%s\nresults           %s\n", ratio,
              ratio > 1.5 ? "  (at most 1.5 is wanted)" : "", is_right ? "right" : "WRONG");
  return is_right ? 0 : 1;
}
