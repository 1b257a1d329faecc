#include "base/message.hpp"

#include <gtest/gtest.h>

namespace quern::base {
namespace {

constexpr Message<3> kAssign{"cannot {} '{}': it is const", "copy '{}' to a variable"};
constexpr Message<0> kEmpty{"the file is empty"};

TEST(Message, FillsItsArgumentsInOrder) {
  const MessageText text = kAssign("increment", std::string("x"), "y");
  EXPECT_EQ(text.text, "cannot increment 'x': it is const");
  EXPECT_EQ(text.hint, "copy 'y' to a variable");
  EXPECT_EQ(text.str(), "cannot increment 'x': it is const; copy 'y' to a variable");
  EXPECT_EQ(text.id, &kAssign);
}

TEST(Message, WithoutArgumentsAndHint) {
  EXPECT_EQ(kEmpty().str(), "the file is empty");
  EXPECT_NE(kEmpty().id, kAssign("", "", "").id);
}

TEST(Message, BracesInAnArgumentAreKept) {
  EXPECT_EQ(kAssign("{}", "{}{}", "").text, "cannot {} '{}{}': it is const");
}

}  // namespace
}  // namespace quern::base
