// Tests of operations run on every device of the machine.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quern/ops.hpp"
#include "quern/quern.hpp"
#include "support/devices.hpp"

namespace quern::ops {

class OpsCase : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_not(GetParam(), {}); !why.empty()) GTEST_SKIP() << why;
    gpu = open(GetParam());
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
