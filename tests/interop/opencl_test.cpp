// OpenCL: cl_mem objects, command queues and events that the test creates by hand in Quern's context.
#include <dlfcn.h>

#include "api/api_case.hpp"
#include "quern/interop.hpp"

namespace quern::test {
namespace {

QUERN_KERNEL(add_to, (int n, int value, int* data), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
})

class OpenclInterop : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device = open("opencl");
    } catch (const Error& e) {
      GTEST_SKIP() << e.message();
    }
    library = ::dlopen("libOpenCL.so.1", RTLD_NOW);
    ASSERT_NE(library, nullptr);
    native = interop::get<interop::opencl::Device>(device);
    ASSERT_NE(native.context, nullptr);
  }

  template <typename Function, typename... Arguments>
  auto call(const char* name, Arguments... arguments) const {
    return reinterpret_cast<Function*>(::dlsym(library, name))(arguments...);
  }
  _cl_mem* make_mem(size_t bytes) const {
    int32_t code = 0;
    _cl_mem* const mem = call<_cl_mem*(_cl_context*, uint64_t, size_t, void*, int32_t*)>(
        "clCreateBuffer", native.context, uint64_t{1}, bytes, nullptr, &code);
    EXPECT_EQ(code, 0);
    return mem;
  }
  _cl_command_queue* make_queue(uint64_t properties) const {
    int32_t code = 0;
    _cl_command_queue* const queue =
        call<_cl_command_queue*(_cl_context*, _cl_device_id*, uint64_t, int32_t*)>(
            "clCreateCommandQueue", native.context, native.device, properties, &code);
    EXPECT_EQ(code, 0);
    return queue;
  }
  void release(_cl_mem* mem) const { call<int32_t(_cl_mem*)>("clReleaseMemObject", mem); }

  Device device;
  interop::opencl::Device native;
  void* library = nullptr;
};

TEST_F(OpenclInterop, RunsAKernelOnAClMem) {
  constexpr int kCount = 1024;
  _cl_mem* const mem = make_mem(2 * kCount * sizeof(int));
  auto data =
      interop::adopt<int>(device, interop::opencl::Buffer{mem, nullptr, kCount * sizeof(int)}, kCount);
  release(mem);  // the buffer retains it
  data.upload(std::vector<int>(kCount, 3));
  device.launch(add_to, threads(kCount), kCount, 4, data);
  device.launch(add_to, threads(kCount / 2), kCount / 2, 1, data.slice(kCount / 2));
  std::vector<int> expected(kCount, 7);
  std::fill(expected.begin() + kCount / 2, expected.end(), 8);
  EXPECT_EQ(data.download(), expected);

  auto own = device.upload(std::vector<int>(kCount, 0));
  own.copy_from(data);
  EXPECT_EQ(own.download(), expected);
  data.fill(9);
  EXPECT_EQ(data.download(), std::vector<int>(kCount, 9));
  data.copy_from(own);
  EXPECT_EQ(data.download(), expected);

  const Graph graph = device.record([&](const Stream& s) {
    s.launch(add_to, threads(kCount), kCount, 1, data);
    s.launch(add_to, threads(kCount), kCount, 1, data);
  });
  device.stream().run(graph);
  EXPECT_EQ(data.download()[0], 9);
}

TEST_F(OpenclInterop, RefusesWrongClMem) {
  _cl_mem* const mem = make_mem(4096);
  EXPECT_EQ(error_of([&] { (void)interop::adopt<int>(device, interop::opencl::Buffer{mem}, 4096); }).kind(),
            ErrorKind::invalid_use);
  const Error neither = error_of([&] { (void)interop::adopt<int>(device, interop::opencl::Buffer{}, 1); });
  EXPECT_EQ(neither.kind(), ErrorKind::invalid_use);
  const Device other = open("opencl");  // a separate context
  const Error foreign = error_of([&] { (void)interop::adopt<int>(other, interop::opencl::Buffer{mem}, 16); });
  EXPECT_EQ(foreign.message(), "adopting a cl_mem failed: it belongs to another cl_context");
  release(mem);
}

TEST_F(OpenclInterop, AdoptsAQueueAndEvents) {
  _cl_command_queue* const queue = make_queue(0);
  auto data = device.upload(std::vector<int>(100, 1));
  {
    const Stream stream = interop::adopt(device, interop::opencl::Stream{queue});
    EXPECT_EQ(interop::get<interop::opencl::Stream>(stream).queue, queue);
    stream.launch(add_to, threads(100), 100, 2, data);
    const Event done = stream.record();
    const auto event = interop::get<interop::opencl::Event>(done);
    ASSERT_NE(event.event, nullptr);
    interop::wait(device.stream(), event);
    device.launch(add_to, threads(100), 100, 3, data);
    EXPECT_EQ(data.download(), std::vector<int>(100, 6));
  }
  call<int32_t(_cl_command_queue*)>("clReleaseCommandQueue", queue);
  _cl_command_queue* const unordered = make_queue(1);
  EXPECT_EQ(message_of([&] { (void)interop::adopt(device, interop::opencl::Stream{unordered}); }),
            "adopting a cl_command_queue failed: it executes out of order");
  call<int32_t(_cl_command_queue*)>("clReleaseCommandQueue", unordered);
}

TEST_F(OpenclInterop, GivesItsOwnMemory) {
  auto data = device.upload(std::vector<int>(100, 1));
  const auto handle = interop::get<interop::opencl::Buffer>(data.slice(5));
  EXPECT_NE(handle.mem != nullptr, handle.svm != nullptr);
  if (handle.svm == nullptr) return;
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(handle.svm), interop::device_address(data) + 20);
}

}  // namespace
}  // namespace quern::test
