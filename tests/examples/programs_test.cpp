// The example programs, each on every device that a test machine may have. Each checks its own result.
#include <algorithm>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/file.hpp"
#include "quern/quern.hpp"
#include "support/command.hpp"
#include "support/devices.hpp"

namespace quern::test {
namespace {

struct Program {
  const char* name;
  const char* arguments;     // after the device
  const char* on_simulator;  // smaller: the simulator checks every access
  const char* refusal = "";  // in the message of a device that cannot run the program
};

constexpr Program kPrograms[] = {
    {"nbody", "1000 20", "130 10"},
    {"kmeans", "20000", "600"},
    {"heat", "100 50", "20 6", "runs inline kernels only"},
    {"cg", "32", "6", "fp64"},
    {"blur", "", "", "runs inline kernels only"},
    {"counters", "20000", "400", "runs inline kernels only"},
    {"group", "cpu", "cpu", "runs inline kernels only"},
};

// Software Vulkan and OpenGL drivers must not use instructions that this processor does not offer. The
// address sanitizer accepts libraries before its own.
const std::string kPreload = "LD_PRELOAD=" QUERN_HOST_CPU
                             " ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 "
                             "MESA_SHADER_CACHE_DISABLE=1 ";

CommandAnswer run_example(const Program& program, const std::string& device) {
  const bool is_sim = device == "sim";
  return run_command(kPreload + "timeout 300 " QUERN_EXAMPLES "/example_" + program.name + " " + device +
                     " " + (is_sim ? program.on_simulator : program.arguments));
}

class OnDevice : public testing::TestWithParam<std::tuple<Program, const char*>> {};

TEST_P(OnDevice, ComputeTheRightResult) {
  const auto& [program, device] = GetParam();
  if (!base::file_exists(std::string(QUERN_EXAMPLES "/example_") + program.name))
    GTEST_SKIP() << "the examples are not built: QUERN_EXAMPLES is OFF";
  const CommandAnswer answer = run_example(program, device);
  const bool is_here =
      run_command(kPreload + QUERN_EXAMPLES "/example_nbody " + std::string(device) + " 64 1").code == 0;
  if (!is_here) GTEST_SKIP() << "no device " << device << " on this machine: " << answer.text;
  const bool is_refused = *program.refusal != 0 && answer.text.find(program.refusal) != std::string::npos;
  if (answer.code != 0 && is_refused) {
    EXPECT_EQ(answer.text.find(std::string(program.name) + ": "), 0u) << answer.text;
    return;
  }
  EXPECT_EQ(answer.code, 0) << answer.text;
}

INSTANTIATE_TEST_SUITE_P(Programs, OnDevice,
                         testing::Combine(testing::ValuesIn(kPrograms),
                                          testing::ValuesIn(each_driver({"std.gpu"}))),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param);
                         });

TEST(Programs, RefuseWrongArguments) {
  if (!base::file_exists(QUERN_EXAMPLES "/example_heat"))
    GTEST_SKIP() << "the examples are not built: QUERN_EXAMPLES is OFF";
  for (const char* call : {"nbody cpu 0", "kmeans cpu 3", "heat cpu 2", "cg cpu 1", "counters cpu 0"}) {
    const CommandAnswer answer = run_command(QUERN_EXAMPLES "/example_" + std::string(call));
    EXPECT_NE(answer.code, 0) << call;
    EXPECT_EQ(answer.text.find("usage: "), 0u) << call << ": " << answer.text;
  }
  const CommandAnswer answer = run_command(QUERN_EXAMPLES "/example_heat abacus");
  EXPECT_NE(answer.code, 0);
  EXPECT_EQ(answer.text.find("heat: "), 0u) << answer.text;
}

// Programs that use another library too. 77: it is not on this machine, or the device cannot do it.
class WithAnotherLibrary : public testing::TestWithParam<const char*> {};

TEST_P(WithAnotherLibrary, ComputesTheRightResult) {
  const std::string call = GetParam();
  const std::string program = QUERN_EXAMPLES "/example_" + call.substr(0, call.find(' '));
  if (!base::file_exists(program)) GTEST_SKIP() << "the examples are not built: QUERN_EXAMPLES is OFF";
  const CommandAnswer answer = run_command(kPreload + "timeout 120 " QUERN_EXAMPLES "/example_" + call);
  if (WEXITSTATUS(answer.code) == 77 && call != "shared_memory cpu") GTEST_SKIP() << answer.text;
  EXPECT_EQ(answer.code, 0) << answer.text;
  EXPECT_NE(answer.text.find(": 0 of "), std::string::npos) << answer.text;
}

INSTANTIATE_TEST_SUITE_P(Programs, WithAnotherLibrary,
                         testing::Values("shared_memory cpu", "shared_memory vulkan", "shared_memory cuda",
                                         "shared_memory cuda cuda_fd", "cl_mem", "vulkan_buffer"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace quern::test
