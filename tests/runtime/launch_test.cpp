#include <gtest/gtest.h>

#include "runtime/messages.hpp"
#include "runtime/test_driver.hpp"
#include "target/needs.hpp"

namespace quern::runtime {
namespace {

using base::ErrorKind;

std::string launch_failed(std::string_view kernel, const base::MessageText& why) {
  return message::kLaunchFailed(kernel, why.str()).text;
}

constexpr const char* kLaunchText = R"(
struct Pair { int a; float b; };
__global__ void __launch_bounds__(128) mixed(float* out, int n, unsigned char byte, double real, bool flag) {
  if (flag) out[0] = n + byte + (float)real;
}
__global__ void pair(int* out, Pair p) { out[0] = p.a; }
__global__ void wide(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void where(int* out, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  atomicAdd(&out[0], 1);
}
__global__ void tile() { __shared__ int t[1000]; t[threadIdx.x] = 1; }
)";

HostArgument number(int64_t value) {
  HostArgument a;
  a.kind = ArgumentKind::integer;
  a.number_bytes = 8;
  a.integer = value;
  return a;
}
HostArgument unsigned_integer(uint64_t value) {
  HostArgument a;
  a.kind = ArgumentKind::unsigned_integer;
  a.number_bytes = 8;
  a.unsigned_integer = value;
  return a;
}
HostArgument truth(bool value) {
  HostArgument a;
  a.kind = ArgumentKind::boolean;
  a.unsigned_integer = value ? 1 : 0;
  return a;
}
HostArgument bytes(const void* value, uint64_t size) {
  HostArgument a;
  a.kind = ArgumentKind::bytes;
  a.bytes = value;
  a.size = size;
  return a;
}

class LaunchTest : public ::testing::Test {
 protected:
  std::shared_ptr<Kernel> kernel(std::string_view name) { return take(program->kernel(name)); }
  Result<driver::Launch> launch(std::string_view name, const LaunchConfig& s,
                                const std::vector<HostArgument>& arguments) {
    return device->default_stream().launch(*kernel(name), s, arguments);
  }
  std::vector<HostArgument> good() {
    return {arg(all(*memory), 4, "float"), number(1), number(2), arg(0.5), truth(true)};
  }
  std::string with(size_t index, const HostArgument& a) {
    auto arguments = good();
    arguments[index] = a;
    return refusal(launch("mixed", shape(1, 1), arguments));
  }

  std::shared_ptr<Device> device = take(Device::adopt(open_sim()));
  std::shared_ptr<Module> program = take(Module::load(device, source(kLaunchText)));
  MemoryPtr memory = take(device->allocate(64, driver::MemoryKind::device, ""));
};

TEST_F(LaunchTest, GoodArgumentsPass) {
  ASSERT_TRUE(launch("mixed", shape(1, 1), good()).ok());
  float out = 0;
  EXPECT_TRUE(device->default_stream().download(&out, all(*memory), 4).ok());
  EXPECT_TRUE(device->synchronize().ok());
  EXPECT_EQ(out, 3.5f);
}

TEST_F(LaunchTest, AWrongCountIsRefused) {
  EXPECT_EQ(refusal(launch("mixed", shape(1, 1), {})),
            message::kArgumentCount("mixed", "5 arguments", "0").text);
  EXPECT_EQ(refusal(launch("wide", shape(1, 1), good())),
            message::kArgumentCount("wide", "1 argument", "5").text);
}

TEST_F(LaunchTest, WrongTypesAreRefused) {
  EXPECT_EQ(with(0, number(3)), message::kArgumentMismatch("mixed", "1", "3", "out", "a", "float*", "").text);
  EXPECT_EQ(with(1, arg(memory)),
            message::kArgumentMismatch("mixed", "2", "a buffer of int", "n", "an", "int", "").text);
  EXPECT_EQ(with(1, arg(1.5)), message::kArgumentMismatch("mixed", "2", "1.5", "n", "an", "int",
                                                          "; " + message::kIntegerRequired().text)
                                   .text);
  EXPECT_EQ(with(1, HostArgument()),
            message::kArgumentMismatch("mixed", "2", "nullptr", "n", "an", "int", "").text);
  EXPECT_EQ(with(0, arg(all(*memory), 8, "double")),
            message::kArgumentMismatch("mixed", "1", "a buffer of double", "out", "a", "float*",
                                       "; " + message::kElementBytes("4", "8").text)
                .text);
  EXPECT_EQ(with(1, bytes("12345678", 8)),
            message::kArgumentMismatch("mixed", "2", "a value of 8 bytes", "n", "an", "int",
                                       "; " + message::kParameterBytes("4 bytes").text)
                .text);
}

TEST_F(LaunchTest, IntegersThatDoNotFitAreRefused) {
  EXPECT_EQ(with(1, number(int64_t{1} << 31)),
            message::kArgumentMismatch("mixed", "2", "2147483648", "n", "an", "int",
                                       "; " + message::kValueDoesNotFit().text)
                .text);
  EXPECT_EQ(with(2, unsigned_integer(256)),
            message::kArgumentMismatch("mixed", "3", "256", "byte", "an", "unsigned char",
                                       "; " + message::kValueDoesNotFit().text)
                .text);
  EXPECT_EQ(with(1, number(-(int64_t{1} << 31) - 1)),
            message::kArgumentMismatch("mixed", "2", "-2147483649", "n", "an", "int",
                                       "; " + message::kValueDoesNotFit().text)
                .text);
  auto edge = good();
  edge[1] = number(-(int64_t{1} << 31));
  edge[2] = number(-1);  // for its bits, as in C++
  edge[3] = number(7);
  EXPECT_TRUE(launch("mixed", shape(1, 1), edge).ok());
}

TEST_F(LaunchTest, StructsAreGivenAsBytes) {
  struct Pair {
    int a = 5;
    float b = 1;
  } p;
  EXPECT_TRUE(launch("pair", shape(1, 1), {arg(memory), bytes(&p, sizeof p)}).ok());
  EXPECT_EQ(refusal(launch("pair", shape(1, 1), {arg(memory), number(1)})),
            message::kArgumentMismatch("pair", "2", "1", "p", "a", "Pair", "").text);
}

TEST_F(LaunchTest, BuffersAreThereAndOfThisDevice) {
  EXPECT_EQ(with(0, arg(Slice{}, 4, "float")),
            message::kArgumentMismatch("mixed", "1", "a buffer of float", "out", "a", "float*",
                                       "; " + message::kNoMemory("the buffer").text)
                .text);
  auto other = take(Device::adopt(open_sim()));
  auto foreign = take(other->allocate(64, driver::MemoryKind::device, ""));
  EXPECT_EQ(with(0, arg(all(*foreign), 4, "float")),
            message::kArgumentMismatch(
                "mixed", "1", "a buffer of float", "out", "a", "float*",
                "; " + message::kBufferOfOtherDevice("simulator (sim), opened another time").text)
                .text);
  EXPECT_EQ(with(0, arg(Slice{memory.get(), 60, 8}, 4, "float")),
            message::kArgumentMismatch("mixed", "1", "a buffer of float", "out", "a", "float*",
                                       "; " + message::kRangeOutside("the buffer", "64", "8", "60").text)
                .text);
}

TEST_F(LaunchTest, AKernelOfAnotherDeviceIsRefused) {
  auto other = take(Device::adopt(open_sim()));
  auto result = other->default_stream().launch(*kernel("wide"), shape(1, 1), std::vector{arg(memory)});
  EXPECT_EQ(
      refusal(result),
      message::kKernelOfOtherDevice("wide", "simulator (sim)", "simulator (sim), opened another time").text);
  EXPECT_EQ(result.error().hint(), "load the module on this device too");
}

TEST_F(LaunchTest, ShapesKeepToTheLimits) {
  const auto refused = [&](driver::Dim3 grid, driver::Dim3 block, const char* name = "wide") {
    LaunchConfig s;
    s.grid_size = grid;
    s.block_size = block;
    auto arguments = std::string_view(name) == "wide" ? std::vector{arg(memory)} : good();
    return refusal(launch(name, s, arguments));
  };
  EXPECT_EQ(refused({0, 1, 1}, {1, 1, 1}), launch_failed("wide", message::kAtLeastOne("grid", "(0,1,1)")));
  EXPECT_EQ(refused({1, 1, 1}, {1, 0, 1}), launch_failed("wide", message::kAtLeastOne("block", "(1,0,1)")));
  EXPECT_EQ(refused({1, 65536, 1}, {1, 1, 1}),
            launch_failed("wide", message::kGridTooLarge("(1,65536,1)", "simulator (sim)",
                                                         "(2147483647,65535,65535)")));
  EXPECT_EQ(refused({1, 1, 1}, {1, 1, 65}),
            launch_failed("wide",
                          message::kBlockTooLarge("(1,1,65)", "simulator (sim)", "(1024,1024,64)", "1024")));
  EXPECT_EQ(refused({1, 1, 1}, {64, 32, 1}),
            launch_failed("wide",
                          message::kBlockTooLarge("(64,32,1)", "simulator (sim)", "(1024,1024,64)", "1024")));
  EXPECT_EQ(
      refused({1, 1, 1}, {129, 1, 1}, "mixed"),
      launch_failed("mixed", message::kTooManyThreads("129", message::kLaunchBoundsAllow().text, "128")));
}

TEST_F(LaunchTest, SharedMemoryKeepsToTheLimit) {
  LaunchConfig s = shape(1, 1);
  s.shared_bytes = 1 << 24;
  EXPECT_EQ(refusal(launch("tile", s, {})),
            launch_failed(
                "tile", message::kTooMuchSharedMemory("16.0 MiB", "3.9 KiB", "simulator (sim)", "16.0 MiB")));
}

TEST_F(LaunchTest, ThreadsInAllChooseTheShape) {
  const auto chosen = [&](driver::Dim3 threads, const char* name = "where") {
    LaunchConfig s;
    s.total = threads;
    auto arguments = std::string_view(name) == "where" ? std::vector{arg(memory), number(0)} : good();
    return take(launch(name, s, arguments));
  };
  EXPECT_TRUE(device->default_stream().fill(all(*memory), 0, 4).ok());
  EXPECT_EQ(chosen({1000, 1, 1}).grid, (driver::Dim3{4, 1, 1}));
  EXPECT_EQ(chosen({1000, 1, 1}).block, (driver::Dim3{256, 1, 1}));
  EXPECT_EQ(chosen({10, 1, 1}).block, (driver::Dim3{10, 1, 1}));
  EXPECT_EQ(chosen({100, 20, 1}).block, (driver::Dim3{16, 16, 1}));
  EXPECT_EQ(chosen({100, 20, 1}).grid, (driver::Dim3{7, 2, 1}));
  EXPECT_EQ(chosen({9, 9, 5}).block, (driver::Dim3{8, 8, 4}));
  EXPECT_EQ(chosen({9, 9, 5}).grid, (driver::Dim3{2, 2, 2}));
  EXPECT_EQ(chosen({1000, 1, 1}, "mixed").block, (driver::Dim3{128, 1, 1}));
}

TEST_F(LaunchTest, NoThreadsRunNothing) {
  LaunchConfig s;
  s.total = {0, 5, 1};
  EXPECT_TRUE(device->default_stream().fill(all(*memory), 9, 4).ok());
  EXPECT_TRUE(launch("where", s, {arg(memory), number(0)}).ok());
  int out = 0;
  EXPECT_TRUE(device->default_stream().download(&out, all(*memory), 4).ok());
  EXPECT_TRUE(device->synchronize().ok());
  EXPECT_EQ(out, 9);
}

TEST_F(LaunchTest, TheChosenBlockKeepsToTheDevice) {
  driver::DeviceInfo info = sim_info();
  info.limits.block = {64, 8, 2};
  info.limits.block_threads = 128;
  auto small = take(Device::adopt(std::make_unique<Disguised>(info)));
  auto loaded = take(Module::load(small, source(kLaunchText)));
  auto k = take(loaded->kernel("where"));
  auto out = take(small->allocate(64, driver::MemoryKind::device, ""));
  EXPECT_TRUE(small->default_stream().fill(all(*out), 0, 4).ok());
  for (const driver::Dim3 threads : {driver::Dim3{1000, 1, 1}, {100, 20, 1}, {9, 9, 5}}) {
    LaunchConfig s;
    s.total = threads;
    auto launched = small->default_stream().launch(*k, s, std::vector{arg(out), number(0)});
    EXPECT_TRUE(launched.ok()) << launched.error().to_string();
  }
}

TEST(Needs, TheFirstThingMissingIsNamed) {
  const driver::Code code = code_of(R"(
__global__ void doubles(double* x) { x[0] *= 2; }
__global__ void tile(int* out) { __shared__ int t[1000]; t[0] = 1; out[0] = t[0]; }
__global__ void many(int* a, int* b, int* c) { a[0] = b[0] + c[0]; }
)");
  driver::DeviceInfo info = sim_info();
  const auto check = [&](size_t index) { return target::check_needs(code.kernels[index], info); };
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(check(i).ok());
  info.features.remove(driver::Feature::fp64);
  EXPECT_EQ(refusal(check(0), ErrorKind::unsupported),
            "kernel 'doubles' needs double precision, which simulator (sim:0) does not have");
  EXPECT_EQ(check(0).error().hint(), "`quern devices -v` lists what each device has");
  info.limits.shared_bytes = 1024;
  EXPECT_EQ(refusal(check(1), ErrorKind::unsupported),
            "kernel 'tile' needs 3.9 KiB of shared memory, and the limit is 1.0 KiB on simulator (sim:0)");
  info.limits.buffers = 2;
  EXPECT_EQ(refusal(check(2), ErrorKind::unsupported),
            "kernel 'many' needs 3 buffers, and the limit is 2 on simulator (sim:0)");
  info.limits.argument_bytes = 16;
  EXPECT_EQ(refusal(check(2), ErrorKind::unsupported),
            "kernel 'many' needs 24 B of arguments, and the limit is 16 B on simulator (sim:0)");
}

}  // namespace
}  // namespace quern::runtime
