#include "base/error.hpp"

#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/result.hpp"

namespace quern::base {
namespace {

TEST(Error, ReadsFromWhatFailedToWhatTheUserWasDoing) {
  const Error error = Error(ErrorKind::out_of_memory, "'activations' asks for 96.0 GiB, 61.2 GiB are free")
                          .add_context("allocating a buffer")
                          .add_context("loading layer 3")
                          .add_hint("split the batch");
  EXPECT_EQ(error.to_string(),
            "out of memory: 'activations' asks for 96.0 GiB, 61.2 GiB are free\n"
            "  while allocating a buffer\n"
            "  while loading layer 3\n"
            "  hint: split the batch");
}

TEST(Error, CopiesAreIndependent) {
  Error first(ErrorKind::io, "one");
  Error second = first;
  second.add_hint("only here");
  EXPECT_EQ(first.hint(), "");
  first = second;
  EXPECT_EQ(first.hint(), "only here");
  const Error& itself = first;
  first = itself;
  EXPECT_EQ(first.message(), "one");
}

TEST(Error, EveryKindHasItsOwnName) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::internal); ++kind) {
    names.insert(to_string(static_cast<ErrorKind>(kind)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorKind::internal) + 1);
  EXPECT_FALSE(names.contains("unknown error"));
}

TEST(Error, IsOnePointerWide) { EXPECT_EQ(sizeof(Error), sizeof(void*)); }

Result<int> half(int number) {
  if (number % 2 != 0) return Error(ErrorKind::invalid_use, std::to_string(number) + " is odd");
  return number / 2;
}

Result<int> quarter(int number) {
  QUERN_TRY_ASSIGN(const int halved, half(number));
  QUERN_TRY_ASSIGN(int quartered, half(halved));
  return quartered;
}

Result<void> check_even(int number) {
  QUERN_TRY(half(number));
  return {};
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = half(8);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, 4);
  EXPECT_THROW(static_cast<void>(good.error()), BadResultAccess);

  const Result<int> bad = half(7);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message(), "7 is odd");
  EXPECT_THROW(static_cast<void>(bad.value()), BadResultAccess);
  EXPECT_EQ(bad.value_or(-1), -1);
  EXPECT_EQ(good.value_or(-1), 4);
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error().message(), "3 is odd");
  EXPECT_EQ(quarter(5).error().message(), "5 is odd");
  EXPECT_TRUE(check_even(2).ok());
  EXPECT_EQ(check_even(1).error().kind(), ErrorKind::invalid_use);
}

TEST(Result, ContextIsAddedOnlyToErrors) {
  EXPECT_EQ(half(2).while_doing("halving").value(), 1);
  const Result<int> bad = half(1).while_doing("halving");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().context(), std::vector<std::string>{"halving"});
  const Result<void> also_bad = check_even(1).while_doing("checking");
  EXPECT_EQ(also_bad.error().context(), std::vector<std::string>{"checking"});
}

struct Base {
  virtual ~Base() = default;
};
struct Derived : Base {};

Result<std::unique_ptr<Base>> make_derived() { return std::make_unique<Derived>(); }
Result<std::string> make_text() { return "text"; }

TEST(Result, TakesWhatConvertsToItsValueAndMovesItOut) {
  EXPECT_EQ(make_text().value(), "text");
  Result<std::unique_ptr<Base>> result = make_derived();
  const std::unique_ptr<Base> owned = std::move(result).value();
  EXPECT_NE(owned, nullptr);
}

TEST(Result, VoidThrowsTheErrorsTextWhenItIsReadWrongly) {
  const Result<void> bad = check_even(3);
  try {
    bad.value();
    FAIL() << "must throw";
  } catch (const BadResultAccess& access) {
    EXPECT_NE(std::string(access.what()).find("3 is odd"), std::string::npos);
  }
  EXPECT_THROW(static_cast<void>(check_even(2).error()), BadResultAccess);
}

}  // namespace
}  // namespace quern::base
