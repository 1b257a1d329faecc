#include "lang/builtin/macros.hpp"

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace quern::lang {
namespace {

std::string body_of(std::string_view name) {
  const PredefinedMacro* macro = find_predefined_macro(name);
  return macro != nullptr ? std::string(macro->body) : "(not defined)";
}

TEST(Macros, AreSortedAndUnique) {
  auto macros = predefined_macros();
  for (size_t i = 1; i < macros.size(); ++i) EXPECT_LT(macros[i - 1].name, macros[i].name);
}

TEST(Macros, AreFound) {
  for (const PredefinedMacro& macro : predefined_macros()) {
    EXPECT_EQ(find_predefined_macro(macro.name), &macro);
    EXPECT_TRUE(macro.params.empty() || (macro.params.starts_with('(') && macro.params.ends_with(')')));
  }
  EXPECT_EQ(find_predefined_macro(""), nullptr);
  EXPECT_EQ(find_predefined_macro("zzz"), nullptr);
  EXPECT_EQ(find_predefined_macro("INT_MA"), nullptr);
  EXPECT_EQ(find_predefined_macro("INT_MAXX"), nullptr);
}

TEST(Macros, TellWhoCompiles) {
  EXPECT_EQ(body_of("__CUDACC__"), "1");
  EXPECT_EQ(body_of("__CUDA_ARCH__"), "800");
  EXPECT_EQ(body_of("__cplusplus"), "202002L");
  EXPECT_EQ(body_of("__QUERN__"), "1");
  EXPECT_EQ(find_predefined_macro("__CUDACC_RTC__"), nullptr);
  EXPECT_EQ(find_predefined_macro("NDEBUG"), nullptr);
}

// Numbers with a plain spelling, compared with the host's.
TEST(Macros, HaveTheRightValues) {
  auto real = [](std::string_view name) { return std::strtod(body_of(name).c_str(), nullptr); };
  EXPECT_EQ(static_cast<float>(real("FLT_MAX")), FLT_MAX);
  EXPECT_EQ(static_cast<float>(real("FLT_MIN")), FLT_MIN);
  EXPECT_EQ(static_cast<float>(real("FLT_EPSILON")), FLT_EPSILON);
  EXPECT_EQ(static_cast<float>(real("FLT_TRUE_MIN")), FLT_TRUE_MIN);
  EXPECT_EQ(real("DBL_MAX"), DBL_MAX);
  EXPECT_EQ(real("DBL_MIN"), DBL_MIN);
  EXPECT_EQ(real("DBL_EPSILON"), DBL_EPSILON);
  EXPECT_EQ(real("DBL_TRUE_MIN"), DBL_TRUE_MIN);
  EXPECT_EQ(real("M_PI"), M_PI);
  EXPECT_EQ(real("M_E"), M_E);
  EXPECT_EQ(real("M_LOG2E"), M_LOG2E);
  EXPECT_EQ(real("M_LOG10E"), M_LOG10E);
  EXPECT_EQ(real("M_LN2"), M_LN2);
  EXPECT_EQ(real("M_LN10"), M_LN10);
  EXPECT_EQ(real("M_PI_2"), M_PI_2);
  EXPECT_EQ(real("M_PI_4"), M_PI_4);
  EXPECT_EQ(real("M_1_PI"), M_1_PI);
  EXPECT_EQ(real("M_2_PI"), M_2_PI);
  EXPECT_EQ(real("M_2_SQRTPI"), M_2_SQRTPI);
  EXPECT_EQ(real("M_SQRT2"), M_SQRT2);
  EXPECT_EQ(real("M_SQRT1_2"), M_SQRT1_2);
  EXPECT_EQ(real("CUDART_PI"), M_PI);
  EXPECT_EQ(static_cast<float>(real("CUDART_PI_F")), static_cast<float>(M_PI));
  EXPECT_EQ(std::strtoull(body_of("ULLONG_MAX").c_str(), nullptr, 10), ULLONG_MAX);
  EXPECT_EQ(std::strtoll(body_of("INT_MAX").c_str(), nullptr, 10), INT_MAX);
  EXPECT_EQ(std::strtoll(body_of("INT64_MAX").c_str(), nullptr, 10), INT64_MAX);
}

TEST(Macros, LeaveProgramsTheirNames) {
  for (std::string_view name : {"M_PI_F", "MIN", "MAX", "PI", "min", "max", "uchar", "TRUE", "M_PIl"}) {
    EXPECT_EQ(find_predefined_macro(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace quern::lang
