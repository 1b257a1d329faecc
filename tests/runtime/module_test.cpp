#include "runtime/module.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "driver/decorators/checked/device.hpp"
#include "driver/decorators/faulty/device.hpp"
#include "runtime/messages.hpp"
#include "runtime/test_driver.hpp"

namespace quern::runtime {
namespace {

using base::ErrorKind;

constexpr const char* kModuleText = R"(
__device__ int total = 5;
__constant__ int table[4] = {1, 2, 3, 4};
__global__ void add(int n) { atomicAdd(&total, n); }
__global__ void get(int* out) { out[0] = total; out[1] = table[2]; }
template <int N> __global__ void add_times(int n) { atomicAdd(&total, N * n); }
template <typename T> __global__ void set(T* out, int n) { out[0] = T(n); }
namespace deep { template <int N> __global__ void add_more(int n) { __device__ static int calls; atomicAdd(&calls, 1); atomicAdd(&total, N * n + calls * 0); } }
__global__ void wrong() { undeclared = 1; }
)";

class ModuleTest : public ::testing::Test {
 protected:
  ModuleTest() { adopt(open_sim()); }
  ~ModuleTest() override {
    memory.reset();
    program.reset();
    device.reset();
    for (const std::string& sentence : violations->sentences()) ADD_FAILURE() << sentence;
  }
  void adopt(std::unique_ptr<driver::Device> native) {
    memory.reset();
    program.reset();
    device = take(Device::adopt(checked::wrap(std::move(native), violations)));
    program = take(Module::load(device, source(kModuleText)));
    memory = take(device->allocate(64, driver::MemoryKind::device, ""));
  }

  void launch(Kernel& kernel, const std::vector<HostArgument>& arguments) {
    auto launched = device->default_stream().launch(kernel, shape(1, 1), arguments);
    EXPECT_TRUE(launched.ok()) << launched.error().to_string();
  }
  void run(std::string_view name, const std::vector<HostArgument>& arguments) {
    launch(*take(program->kernel(name)), arguments);
  }
  int total() {
    int value = -1;
    auto read = program->read("total", &value, sizeof value, 0);
    EXPECT_TRUE(read.ok()) << read.error().to_string();
    return value;
  }
  int first() {
    int value = -1;
    EXPECT_TRUE(device->default_stream().download(&value, all(*memory), 4).ok());
    EXPECT_TRUE(device->synchronize().ok());
    return value;
  }

  std::shared_ptr<checked::Violations> violations = std::make_shared<checked::Violations>();
  std::shared_ptr<Device> device;
  std::shared_ptr<Module> program;
  MemoryPtr memory;
};

TEST_F(ModuleTest, AnUnknownKernelIsSuggested) {
  auto near = program->kernel("gett");
  EXPECT_EQ(refusal(near, ErrorKind::not_found), message::kUnknownKernel("gett", "test.cu").text);
  EXPECT_EQ(near.error().hint(), message::kDidYouMean("get").text);
  auto far = program->kernel("convolution");
  EXPECT_EQ(far.error().hint(), message::kKernelsAre("add, get, wrong, add_times, set, deep::add_more").text);
  EXPECT_EQ(refusal(program->kernel("none<3>"), ErrorKind::not_found),
            message::kUnknownKernel("none<3>", "test.cu").text);
}

TEST_F(ModuleTest, AKernelWithErrorsReportsThem) {
  auto wrong = program->kernel("wrong");
  const std::string message = refusal(wrong, ErrorKind::compile);
  EXPECT_TRUE(message.starts_with("kernel 'wrong' does not compile\n")) << message;
  EXPECT_NE(message.find("test.cu:9:27"), std::string::npos) << message;
  EXPECT_NE(message.find("undeclared"), std::string::npos) << message;
}

TEST_F(ModuleTest, TextWithoutAGoodKernelIsRefused) {
  auto none = Module::load(device, source("__global__ void k() { x = 1; }", "bad.cu"));
  EXPECT_TRUE(refusal(none, ErrorKind::compile)
                  .starts_with("compiling bad.cu failed: it has no valid kernel\nbad.cu:1:23"))
      << none.error().message();
}

TEST_F(ModuleTest, RawCodeOfAnotherKindIsRefused) {
  Source raw = source("ptx", "a.ptx");
  raw.raw = driver::CodeKind::kPtx;
  EXPECT_EQ(refusal(Module::load(device, raw), ErrorKind::unsupported),
            message::kCodeNotSupported("simulator (sim)", "ptx").text);
}

TEST_F(ModuleTest, TheSameNameGivesTheSameKernel) {
  EXPECT_EQ(take(program->kernel("get")), take(program->kernel("get")));
  EXPECT_EQ(take(program->kernel("set<float>")), take(program->kernel("set< float >")));
  auto first = take(program->kernel("get"));
  EXPECT_GT(first->take_compile_seconds(), 0);
  EXPECT_EQ(first->take_compile_seconds(), 0);
}

TEST_F(ModuleTest, TemplatesAreInstantiatedByName) {
  run("set<int>", {arg(memory), arg(7)});
  EXPECT_EQ(first(), 7);
  run("set<float>", {arg(all(*memory), 4, "float"), arg(1)});
  EXPECT_EQ(first(), 0x3f800000);
  auto plain = program->kernel("set");
  EXPECT_FALSE(plain.ok());
  auto bad = program->kernel("set<nothing>");
  EXPECT_TRUE(refusal(bad, ErrorKind::compile).starts_with("kernel 'set<nothing>' does not compile\n"));
}

TEST_F(ModuleTest, VariablesAreSetAndRead) {
  EXPECT_EQ(total(), 5);
  run("add", {arg(3)});
  EXPECT_EQ(total(), 8);
  const int value = 100;
  EXPECT_TRUE(program->write("total", &value, 4, 0).ok());
  const int part[2] = {30, 40};
  EXPECT_TRUE(program->write("table", part, 8, 8).ok());
  run("get", {arg(memory)});
  EXPECT_EQ(first(), 100);
  int pair[2] = {};
  EXPECT_TRUE(device->default_stream().download(pair, all(*memory), 8).ok());
  EXPECT_TRUE(device->synchronize().ok());
  EXPECT_EQ(pair[1], 30);
}

TEST_F(ModuleTest, WrongVariablesAreRefused) {
  int value = 0;
  auto near = program->read("totl", &value, 4, 0);
  EXPECT_EQ(refusal(near, ErrorKind::not_found), message::kUnknownVariable("totl", "test.cu").text);
  EXPECT_EQ(near.error().hint(), message::kDidYouMean("total").text);
  EXPECT_EQ(refusal(program->read("total", &value, 8, 0)),
            message::kVariableRange("total", "4 bytes", "8", "0").text);
  EXPECT_EQ(refusal(program->write("table", &value, 4, 13)),
            message::kVariableRange("table", "16 bytes", "4", "13").text);
}

TEST_F(ModuleTest, AnInstanceAskedForLaterSharesTheVariables) {
  auto add = take(program->kernel("add"));
  launch(*add, {arg(10)});  // 15, still in flight
  run("add_times<3>", {arg(4)});
  EXPECT_EQ(total(), 27);
  launch(*add, {arg(1)});  // an earlier kernel
  EXPECT_EQ(total(), 28);
  run("deep::add_more<2>", {arg(10)});
  run("add_times<3>", {arg(1)});
  run("add_times<4>", {arg(1)});
  launch(*add, {arg(1)});
  EXPECT_EQ(total(), 56);
  run("get", {arg(memory)});
  EXPECT_EQ(first(), 56);
  EXPECT_EQ(add->info().name, "add");
}

TEST_F(ModuleTest, AnInstanceMayComeFirst) {
  run("add_times<3>", {arg(4)});
  EXPECT_EQ(total(), 17);
  run("add", {arg(1)});
  EXPECT_EQ(total(), 18);
}

TEST_F(ModuleTest, AJoinThatFailsChangesNothing) {
  for (const char* fault : {"load:1=memory", "kernel:1=memory", "copy:0=memory", "variable:0=memory",
                            "synchronize:0=timeout", "synchronize:1=timeout"}) {
    SCOPED_TRACE(fault);
    auto faults = take(faulty::Faults::parse(fault));
    adopt(faulty::wrap(open_sim(), faults));
    auto add = take(program->kernel("add"));
    launch(*add, {arg(10)});
    auto late = program->kernel("add_times<3>");
    EXPECT_FALSE(late.ok());
    EXPECT_EQ(faults->fired(), 1u);
    launch(*add, {arg(1)});
    EXPECT_EQ(total(), 16);
    run("add_times<3>", {arg(1)});
    launch(*add, {arg(1)});
    EXPECT_EQ(total(), 20);
  }
}

TEST_F(ModuleTest, KernelsTheDeviceCannotRunDoNotStopTheOthers) {
  driver::DeviceInfo info = sim_info();
  info.features.remove(driver::Feature::fp64);
  adopt(std::make_unique<Disguised>(info));
  auto mixed = take(Module::load(device, source(R"(
__device__ int total;
__global__ void fine(int n) { total = n; }
__global__ void doubles(double* x) { x[0] = total; }
template <typename T> __global__ void either(T n) { total = (int)n; }
)")));
  auto fine = take(mixed->kernel("fine"));
  EXPECT_EQ(refusal(mixed->kernel("doubles"), ErrorKind::unsupported),
            "kernel 'doubles' needs double precision, which simulator (sim:0) does not have");
  EXPECT_EQ(refusal(mixed->kernel("either<double>"), ErrorKind::unsupported),
            "kernel 'either<double>' needs double precision, which simulator (sim:0) does not have");
  launch(*take(mixed->kernel("either<int>")), {arg(3)});
  launch(*fine, {arg(4)});
  int value = 0;
  EXPECT_TRUE(mixed->read("total", &value, 4, 0).ok());
  EXPECT_EQ(value, 4);
}

TEST_F(ModuleTest, LaunchesContinueWhileInstancesJoin) {
  auto add = take(program->kernel("add"));
  std::thread launching([&] {
    auto stream = take(Stream::create(*device, {}));
    for (int i = 0; i < 200; ++i) {
      auto launched = stream->launch(*add, shape(1, 1), std::vector{arg(1)});
      EXPECT_TRUE(launched.ok()) << launched.error().to_string();
    }
  });
  for (int n = 1; n <= 8; ++n) run("add_times<" + std::to_string(n) + ">", {arg(1)});
  launching.join();
  EXPECT_EQ(total(), 5 + 200 + 36);
}

TEST_F(ModuleTest, TheIrOfAKernelStays) {
  EXPECT_EQ(program->function("add"), nullptr);  // not requested yet
  run("add", {arg(1)});
  const ir::Function* add = program->function("add");
  ASSERT_NE(add, nullptr);
  run("set<int>", {arg(memory), arg(7)});
  EXPECT_EQ(program->function("set< int >")->name, "set<int>");
  run("add_times<3>", {arg(1)});
  EXPECT_EQ(program->function("add_times<3>")->params.size(), 1u);
  EXPECT_EQ(add->name, "add");  // from before the join
  EXPECT_TRUE(program->has_variables());
}

TEST_F(ModuleTest, NamesAreListed) {
  EXPECT_EQ(program->kernel_names(),
            (std::vector<std::string>{"add", "get", "wrong", "add_times", "set", "deep::add_more"}));
}

}  // namespace
}  // namespace quern::runtime
