// Crashes in generated code in check mode: a message with the kernel, the file and the line, and the process
// continues.
#include <cstring>

#include <gtest/gtest.h>

#include "cpu/cpu_device.hpp"
#include "lang/compile.hpp"

namespace quern::cpu {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasOwnHandlers = true;
#else
constexpr bool kHasOwnHandlers = false;
#endif

class CpuCrashTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kHasOwnHandlers) GTEST_SKIP() << "the sanitizer handles signals itself";
    device_ = device_of_width(8);
    QUERN_NEED_CPU(device_);
    stream_ = std::move(*device_->create_stream({}));
    memory_ = std::move(*device_->allocate(4096, driver::MemoryKind::device));
    std::memset(memory_->host, 0, memory_->bytes);
  }

  // Launches kernel `k` with 4096 bytes of zeros, as in check mode; returns the device's message.
  std::string run(const std::string& source, uint32_t blocks = 8) {
    lang::Compilation compiled = lang::compile("test.cu", source);
    EXPECT_TRUE(compiled.ok) << compiled.rendered;
    driver::ParamInfo hidden;
    hidden.role = driver::ParamRole::kChecks;
    driver::KernelInfo about;
    about.name = about.entry = "k";
    about.params = {hidden};
    driver::Code code;
    code.module = std::make_shared<ir::Module>(std::move(compiled.module));
    code.kernels = {about};
    const auto program = std::move(*device_->load(code));
    const auto kernel = std::move(*device_->kernel(*program, "k"));
    const std::vector<driver::Argument> arguments{{{memory_.get(), 0}, nullptr, 0}};
    const auto launched =
        device_->launch(*stream_, *kernel, {{blocks, 1, 1}, {32, 1, 1}, 0, arguments, false});
    EXPECT_TRUE(launched.ok()) << launched.error().to_string();
    const auto done = device_->synchronize(*stream_);
    findings_ = device_->take_findings(*stream_);
    return done.ok() ? std::string() : done.error().message();
  }

  driver::Device* device_ = nullptr;
  std::unique_ptr<driver::Stream> stream_;
  std::unique_ptr<driver::Buffer> memory_;
  std::vector<driver::Finding> findings_;
};

TEST_F(CpuCrashTest, APointerOfTheHeapIsNull) {
  const std::string said =
      run("struct S { int a[64]; int b; };\n"
          "__global__ void k(S** x) {\n"
          "  S* s = x[threadIdx.x];\n"
          "  if (blockIdx.x == 5)\n"
          "    x[0] = (S*)(long long)s->b;\n"
          "}");
  EXPECT_EQ(said, "kernel 'k' accesses unmapped or protected memory at 0x100 (test.cu:5)");
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_EQ(findings_[0].kind, "invalid access");
  EXPECT_EQ(findings_[0].line, 5u);
  EXPECT_EQ(findings_[0].block.x, 5u);
}

TEST_F(CpuCrashTest, TheDeviceContinues) {
  const char* const broken =
      "__global__ void k(int** x) {\n"
      "  *x[threadIdx.x] = 1;\n"
      "}";
  for (int i = 0; i < 20; ++i) EXPECT_NE(run(broken).find("(test.cu:2)"), std::string::npos);
  EXPECT_EQ(run("__global__ void k(int* x) { if (blockIdx.x == 0) x[threadIdx.x] = 7; }"), "");
  int32_t last = 0;
  std::memcpy(&last, memory_->host + 31 * sizeof(last), sizeof(last));
  EXPECT_EQ(last, 7);
}

TEST_F(CpuCrashTest, ThreadsThatPollCrashToo) {
  const std::string said =
      run("__global__ void k(int* x) {\n"
          "  while (atomicCAS(x, 0, 1) != 0) { }\n"
          "  x[1] += **(int**)(x + 2);\n"
          "  atomicExch(x, 0);\n"
          "}");
  EXPECT_NE(said.find("accesses unmapped or protected memory at 0x0 (test.cu:3)"), std::string::npos) << said;
}

TEST_F(CpuCrashTest, BlocksAtAGridBarrierCrashToo) {
  const std::string said =
      run("#include <cooperative_groups.h>\n"
          "__global__ void k(int** x) {\n"
          "  cooperative_groups::this_grid().sync();\n"
          "  if (blockIdx.x == 3)\n"
          "    x[1] = (int*)(long long)*x[threadIdx.x];\n"
          "  cooperative_groups::this_grid().sync();\n"
          "}");
  EXPECT_NE(said.find("(test.cu:5)"), std::string::npos) << said;
}

// A frame larger than a fiber's stack would reach beyond its guard page, into other memory.
TEST_F(CpuCrashTest, MoreVariablesThanAStackHolds) {
  std::string source = "__global__ void k(int* x) {\n  while (atomicCAS(x, 0, 1) != 0) { }\n";
  std::string sum = "  x[1] = 0";
  for (int i = 0; i < 200; ++i) {
    const std::string name = "a" + std::to_string(i);
    source += "  int " + name + "[500]; for (int i = 0; i < 500; ++i) " + name + "[i] = i;\n";
    sum += " + " + name + "[x[2] + 3]";
  }
  EXPECT_EQ(run(source + sum + ";\n  atomicExch(x, 0);\n}"), "");
  int32_t found = 0;
  std::memcpy(&found, memory_->host + sizeof(found), sizeof(found));
  EXPECT_EQ(found, 600);
}

#if defined(__aarch64__)  // other processors support it
TEST_F(CpuCrashTest, AnAtomicAcrossTheBorderOfALine) {
  const std::string said =
      run("__global__ void k(char* x) {\n"
          "  atomicAdd((unsigned long long*)(x + 61), 1ull);\n"
          "}");
  EXPECT_NE(said.find("makes a misaligned access at 0x"), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with("(test.cu:2)")) << said;
}
#endif

// atomicInc is a library function: locks may be held there.
TEST_F(CpuCrashTest, OutsideOfGeneratedCodeTheProcessEndsWithTheSentence) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH((void)run("__global__ void k(unsigned** x) {\n"
                         "  atomicInc(x[threadIdx.x], 7u);\n"
                         "}"),
               "quern: kernel 'k' accesses unmapped or protected memory at 0x0 .test.cu:2.");
}

}  // namespace
}  // namespace quern::cpu
