// Every accepted program of tests/cases on the cpu, with bundles of several widths, and with baseline
// vectors.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cpu/cpu_device.hpp"
#include "support/case_run.hpp"
#include "target/target.hpp"

namespace quern::cpu {
namespace {

using test::Case;
using test::CaseArgument;

class Cases : public testing::TestWithParam<std::tuple<Case, uint32_t>> {
 protected:
  void run(driver::Device& device) {
    const Case& c = std::get<0>(GetParam());
    test::CaseProgram program;
    ASSERT_NO_FATAL_FAILURE(test::compile_case(c, program));
    std::vector<CaseArgument> arguments;
    ASSERT_NO_FATAL_FAILURE(test::parse_case_arguments(c, program, arguments));
    auto code = target::emit(program.module, c.file, {});
    ASSERT_TRUE(code.ok()) << code.error().to_string();
    auto loaded = device.load(*code);
    ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
    auto kernel = device.kernel(**loaded, program.kernel->name);
    ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
    auto stream = device.create_stream({});
    ASSERT_TRUE(stream.ok());

    std::vector<std::unique_ptr<driver::Buffer>> buffers;
    std::vector<driver::Argument> given;
    for (CaseArgument& a : arguments) {
      driver::Argument argument;
      buffers.push_back(nullptr);
      if (!a.param->type->is_ptr() && !a.is_texture) {
        argument.value = a.value.data();
        argument.bytes = static_cast<uint32_t>(a.value.size());
      } else if (!a.is_null) {
        auto buffer = device.allocate(a.bytes(), driver::MemoryKind::device);
        ASSERT_TRUE(buffer.ok()) << buffer.error().to_string();
        buffers.back() = std::move(*buffer);
        if (!a.buffer.is_undefined && a.bytes() != 0) {
          ASSERT_TRUE(
              device.upload(**stream, {buffers.back().get(), 0}, a.buffer.bytes.data(), a.bytes()).ok());
        }
        argument.place = {buffers.back().get(), 0};
        if (a.is_texture) {
          a.set_address(buffers.back()->address);
          argument = {{}, a.value.data(), static_cast<uint32_t>(a.value.size())};
        }
      }
      given.push_back(argument);
    }
    driver::Launch launch;
    launch.grid = {c.grid[0], c.grid[1], c.grid[2]};
    launch.block = {c.block[0], c.block[1], c.block[2]};
    launch.shared_bytes = c.shared;
    if (const auto& own = program.kernel->cluster; own[0] != 0) launch.cluster = {own[0], own[1], own[2]};
    launch.arguments = given;
    auto launched = device.launch(**stream, **kernel, launch);
    ASSERT_TRUE(launched.ok()) << launched.error().to_string();
    auto done = device.synchronize(**stream);
    expect_reports(c, done, device.take_findings(**stream));
    for (const test::Expectation& e : c.expected) {
      const auto at = std::find_if(arguments.begin(), arguments.end(),
                                   [&](const CaseArgument& a) { return a.param->name == e.name; });
      ASSERT_NE(at, arguments.end()) << c.file << ":" << e.line << ": there is no buffer '" << e.name << "'";
      const driver::Buffer& b = *buffers[static_cast<size_t>(at - arguments.begin())];
      test::expect_case_values(c, e, *at->param, {b.host, b.bytes});
    }
    if (c.expects_print) {
      EXPECT_EQ(sorted_lines(device.take_output(**stream)), sorted_lines(c.prints));
    }
    test::expect_case_checks_something(c);
  }

  // The output of threads is unordered.
  static std::vector<std::string> sorted_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::string_view line : base::split(text, '\n')) lines.emplace_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  static void expect_reports(const Case& c, const base::Result<>& done,
                             const std::vector<driver::Finding>& findings) {
    if (c.reports.empty()) {
      EXPECT_TRUE(done.ok()) << done.error().to_string();
      EXPECT_TRUE(findings.empty());
      return;
    }
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().kind(), base::ErrorKind::kernel_fault);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].kind, c.reports[0].kind);
    EXPECT_EQ(findings[0].line, c.reports[0].line);
  }
};

TEST_P(Cases, Cpu) {
  driver::Device* device = device_of_width(std::get<1>(GetParam()));
  QUERN_NEED_CPU(device);
  run(*device);
}

std::string name_of(const testing::TestParamInfo<std::tuple<Case, uint32_t>>& info) {
  const Case& c = std::get<0>(info.param);
  return test::test_name(c.file, c.kernel, c.line) + "_w" + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Accepted, Cases,
                         testing::Combine(testing::ValuesIn(test::load_cases("cases")),
                                          testing::Values(1u, 4u, 16u, 64u, kWeakest)),
                         name_of);

}  // namespace
}  // namespace quern::cpu
