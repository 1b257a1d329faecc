#include "base/text.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace quern::base {
namespace {

using Views = std::vector<std::string_view>;

TEST(Text, FormatsLikePrintfAtAnyLength) {
  EXPECT_EQ(format("%s is %d, %.2f", "x", -3, 0.5), "x is -3, 0.50");
  EXPECT_EQ(format("%s", ""), "");
  const std::string long_text(100'000, 'y');
  EXPECT_EQ(format("<%s>", long_text.c_str()), "<" + long_text + ">");
}

TEST(Text, SplitsAndJoins) {
  EXPECT_EQ(split("a,,b,", ','), (Views{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), Views{""});
  EXPECT_EQ(split_lines("a\r\nb\n\nc"), (Views{"a", "b", "", "c"}));
  EXPECT_EQ(split_lines("a\n"), Views{"a"});
  EXPECT_EQ(split_lines("\n"), Views{""});
  EXPECT_TRUE(split_lines("").empty());
  const std::array<std::string, 3> words = {"a", "", "b"};
  EXPECT_EQ(join(words, ", "), "a, , b");
  EXPECT_EQ(join(std::span<const std::string>(), ", "), "");
}

TEST(Text, TrimsLowersAndReplaces) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(to_lower("AbZ_É9"), "abz_É9");
  EXPECT_EQ(replace_all("aaa", "aa", "b"), "ba");
  EXPECT_EQ(replace_all("a.b.c", ".", "::"), "a::b::c");
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

TEST(Text, ParsesIntegersWholly) {
  EXPECT_EQ(parse_int("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_int("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_int("-9223372036854775809"), std::nullopt);
  EXPECT_EQ(parse_int("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_int("+7"), 7);
  EXPECT_EQ(parse_int("-0x10"), -16);
  EXPECT_EQ(parse_uint("0xFFffFFffFFffFFff"), ~std::uint64_t{0});
  EXPECT_EQ(parse_uint("0b101"), 5u);
  EXPECT_EQ(parse_uint("18446744073709551616"), std::nullopt);
  for (const char* bad : {"", "-", "+", " 1", "1 ", "0x", "1.0", "--1", "+-1", "0x-1", "1e3", "0b2"}) {
    EXPECT_EQ(parse_int(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(parse_uint("-1"), std::nullopt);
}

TEST(Text, ParsesDoublesWholly) {
  EXPECT_EQ(parse_double("-1.5e3"), -1500.0);
  EXPECT_EQ(parse_double("+.5"), 0.5);
  EXPECT_EQ(parse_double("0x1.8p1"), 3.0);
  EXPECT_EQ(parse_double("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_double("nan").value()));
  EXPECT_TRUE(std::signbit(parse_double("-0").value()));
  for (const char* bad : {"", "-", "1.5f", " 1", "1 ", "1e999", "--1", "0x"}) {
    EXPECT_EQ(parse_double(bad), std::nullopt) << bad;
  }
}

TEST(Text, ShortestFloatsReadBack) {
  EXPECT_EQ(format_double(0.1), "0.1");
  EXPECT_EQ(format_double(-0.0), "-0");
  EXPECT_EQ(format_float(0.1f), "0.1");
  EXPECT_EQ(format_double(std::numeric_limits<double>::infinity()), "inf");
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(parse_double(format_double(value)), value);
  }
}

TEST(Text, FormatsCountsBytesAndDurations) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(12'345'678), "12,345,678");
  EXPECT_EQ(format_count(~std::uint64_t{0}), "18,446,744,073,709,551,615");

  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{139} << 30), "139.0 GiB");
  EXPECT_EQ(format_bytes(~std::uint64_t{0}), "16.0 EiB");

  EXPECT_EQ(format_duration(31e-9), "31 ns");
  EXPECT_EQ(format_duration(4.3e-6), "4.3 µs");
  EXPECT_EQ(format_duration(0.00041), "0.41 ms");
  EXPECT_EQ(format_duration(0.0098), "9.8 ms");
  EXPECT_EQ(format_duration(9.8), "9.8 s");
  EXPECT_EQ(format_duration(59.6), "1 min 0 s");
  EXPECT_EQ(format_duration(125), "2 min 5 s");
  EXPECT_EQ(format_duration(3840), "1 h 4 min");
  EXPECT_EQ(format_duration(-1), "?");
  EXPECT_EQ(format_duration(std::nan("")), "?");

  EXPECT_EQ(format_plural(1, "kernel"), "1 kernel");
  EXPECT_EQ(format_plural(0, "kernel"), "0 kernels");
  EXPECT_EQ(format_plural(1200, "kernel"), "1,200 kernels");
}

// The textbook recursion, slow and obvious, as a reference for the fast one.
std::size_t plain_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  std::size_t best = plain_distance(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1);
  best = std::min(best, plain_distance(a.substr(1), b) + 1);
  best = std::min(best, plain_distance(a, b.substr(1)) + 1);
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    best = std::min(best, plain_distance(a.substr(2), b.substr(2)) + 1);
  }
  return best;
}

TEST(Text, EditDistanceAgreesWithTheTextbook) {
  std::mt19937 random(7);
  const auto word = [&] {
    std::string text(random() % 6, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int i = 0; i < 2000; ++i) {
    const std::string a = word();
    const std::string b = word();
    const std::size_t exact = plain_distance(a, b);
    for (std::size_t limit = 0; limit < 7; ++limit) {
      ASSERT_EQ(edit_distance(a, b, limit), std::min(exact, limit + 1)) << a << " " << b << " " << limit;
    }
  }
}

TEST(Text, SuggestsTheNearestName) {
  const std::array<std::string_view, 7> names = {"sqrt",     "rsqrt", "sin",          "blockIdx",
                                                 "blockDim", "x",     "__syncthreads"};
  EXPECT_EQ(nearest("sqrtt", names), "sqrt");
  EXPECT_EQ(nearest("sqtr", names), "sqrt");
  EXPECT_EQ(nearest("BLOCKIDX", names), "blockIdx");
  EXPECT_EQ(nearest("blockidx", names), "blockIdx");
  EXPECT_EQ(nearest("__syncthread", names), "__syncthreads");
  EXPECT_EQ(nearest("_syncthreads", names), "__syncthreads");
  EXPECT_EQ(nearest("y", names), std::nullopt);
  EXPECT_EQ(nearest("velocity", names), std::nullopt);
  EXPECT_EQ(nearest("", names), std::nullopt);
  EXPECT_EQ(nearest("abc", std::span<const std::string>()), std::nullopt);
}

}  // namespace
}  // namespace quern::base
