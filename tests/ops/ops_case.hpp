// Tests of operations run on every device of the machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "quern/ops.hpp"
#include "quern/process.hpp"
#include "quern/quern.hpp"
#include "support/devices.hpp"

namespace quern::ops {

class OpsCase : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_not(GetParam(), {}); !why.empty()) GTEST_SKIP() << why;
    gpu = open(GetParam());
    if (!is_chosen()) GTEST_SKIP() << "runs on another software device; on all with QUERN_TEST_ALL=1";
  }

  // Small whole numbers: sums are exact in every type and order.
  template <typename T>
  std::vector<T> numbers(std::int64_t count, int from = -8, int to = 8) {
    std::vector<T> out(static_cast<std::size_t>(count));
    std::uniform_int_distribution<int> value(from, to);
    for (T& v : out) v = static_cast<T>(static_cast<float>(value(random_)));
    return out;
  }
  template <typename T>
  Tensor<T> tensor(const std::vector<T>& values, const Shape& shape) {
    Tensor<T> out(gpu, shape);
    out.upload(values);
    return out;
  }
  // The message of the error that `work` throws.
  template <typename Work>
  static std::string message_of(const Work& work) {
    try {
      work();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was thrown";
  }
  bool is_simulator() const {
    return std::string(GetParam()) == "sim" || std::string(GetParam()) == "std.gpu";
  }

  Device gpu;

 private:
  // Drivers that run on the processor compile for seconds. Each test runs on one of them, which its name
  // selects.
  bool is_chosen() const {
    constexpr std::array<std::string_view, 4> kSlow{"opencl", "vulkan", "opengl", "gles"};
    const auto* const slow = std::find(kSlow.begin(), kSlow.end(), GetParam());
    if (slow == kSlow.end() || gpu.info().kind != DeviceKind::cpu) return true;
    if (extension::environment("QUERN_TEST_ALL") == "1") return true;
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::uint32_t hash = 2166136261;  // FNV-1a: the same with every compiler
    for (const char c : name.substr(0, name.rfind('/')))
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    return hash % kSlow.size() == static_cast<std::size_t>(slow - kSlow.begin());
  }

  std::mt19937 random_{7};
};

#define EXPECT_MESSAGE(part, ...)                                               \
  do {                                                                          \
    const std::string quern_message = message_of([&] { (void)(__VA_ARGS__); }); \
    EXPECT_NE(quern_message.find(part), std::string::npos) << quern_message;    \
  } while (false)

#define QUERN_OPS_CASE(name)                                                                     \
  using name = OpsCase;                                                                          \
  INSTANTIATE_TEST_SUITE_P(All, name, testing::ValuesIn(::quern::test::each_driver({"native"})), \
                           ::quern::test::device_name)

}  // namespace quern::ops
