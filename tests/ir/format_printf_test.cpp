#include "lang/ir/format_printf.hpp"

#include <gtest/gtest.h>

namespace quern::ir {
namespace {

std::string formatted(std::string_view format, std::vector<uint64_t> values) {
  const TypeTable types;
  std::vector<PrintArgument> arguments;
  for (const uint64_t v : values) arguments.push_back({v, types.get(TypeKind::kI32)});
  return format_printf(format, arguments, [](uint64_t) { return std::string("text"); });
}

// %n stores nothing, and the following conversions get their own arguments.
TEST(FormatPrintf, CountsTakeTheirArgument) {
  EXPECT_EQ(formatted("a%nb%d", {1234, 7}), "ab7");
  EXPECT_EQ(formatted("%hhn%*n%d", {1, 2, 3, 7}), "7");
  EXPECT_EQ(printf_conversions("%n%d%5n"), "ndn");
}

TEST(FormatPrintf, FormatsForDevicesHaveNoCounts) {
  std::vector<std::size_t> dropped;
  EXPECT_EQ(without_counts("a%d%%n%nb%*n%s%", dropped), "a%d%%nb%s%");
  EXPECT_EQ(dropped, (std::vector<std::size_t>{1, 2, 3}));
}

}  // namespace
}  // namespace quern::ir
