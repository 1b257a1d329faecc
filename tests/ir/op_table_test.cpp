// The table of operations: its columns are consistent, and warp operations have the defined results.
#include <gtest/gtest.h>

#include "lang/ir/eval_warp.hpp"
#include "lang/ir/op.hpp"

namespace quern::ir {
namespace {

TEST(OpTable, SignaturesHaveALetterForEachOperand) {
  for (size_t i = 0; i < kOpCount; ++i) {
    const OpInfo& op = info(static_cast<Op>(i));
    const std::string_view s = op.signature;
    if (s.empty()) continue;
    ASSERT_GE(s.size(), 2u) << op.name;
    EXPECT_EQ(s[s.size() - 2], ':') << op.name;
    const std::string_view operands = s.substr(0, s.size() - 2);
    EXPECT_EQ(std::string_view("biulqvNIBWDFMSA").find(s.back()) == std::string_view::npos, false) << op.name;
    if (operands == "*") continue;
    EXPECT_EQ(static_cast<int>(operands.size()), op.arity) << op.name;
    EXPECT_EQ(operands.find_first_not_of("biuqcpnzNIBWDFMSA"), std::string_view::npos) << op.name;
  }
}

// The verifier compares all upper-case letters with one type.
TEST(OpTable, SignaturesHaveOneSharedType) {
  for (size_t i = 0; i < kOpCount; ++i) {
    const OpInfo& op = info(static_cast<Op>(i));
    char shared = 0;
    for (const char c : op.signature) {
      if (c < 'A' || c > 'Z') continue;
      EXPECT_TRUE(shared == 0 || shared == c) << op.name;
      shared = c;
    }
  }
}

TEST(OpTable, GroupsAgreeWithProperties) {
  for (size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_EQ(group(op) == OpGroup::kControl, has(op, kControl | kTerminator)) << info(op).name;
    if (has(op, kMath)) {
      EXPECT_EQ(group(op), OpGroup::kFloat) << info(op).name;
    }
    if (has(op, kSameInWarp)) {
      EXPECT_EQ(group(op), OpGroup::kWarp) << info(op).name;
    }
  }
}

TEST(EvaluateWarp, VotesCountTheGroupOnly) {
  WarpValues values = {};
  values[0] = values[5] = values[9] = 1;
  const uint32_t group = 1u << 0 | 1u << 1 | 1u << 5;  // lane 9 does not take part
  const auto at = [&](Op op) { return evaluate_warp({op, Rmw::kAdd, false}, values, group)[1]; };
  EXPECT_EQ(at(Op::kBallot), 1u << 0 | 1u << 5);
  EXPECT_EQ(at(Op::kVoteAny), 1u);
  EXPECT_EQ(at(Op::kVoteAll), 0u);
  values[1] = 7;
  EXPECT_EQ(at(Op::kVoteAll), 1u);
  values = {};
  EXPECT_EQ(at(Op::kVoteAny), 0u);
}

TEST(EvaluateWarp, MatchesFindEqualValues) {
  WarpValues values = {};
  values[2] = values[4] = 8;
  const uint32_t group = 1u << 2 | 1u << 3 | 1u << 4;
  const WarpValues any = evaluate_warp({Op::kMatchAny, Rmw::kAdd, false}, values, group);
  EXPECT_EQ(any[2], 1u << 2 | 1u << 4);
  EXPECT_EQ(any[3], 1u << 3);
  EXPECT_EQ(evaluate_warp({Op::kMatchAll, Rmw::kAdd, false}, values, group)[2], 0u);
  values[3] = 8;
  EXPECT_EQ(evaluate_warp({Op::kMatchAll, Rmw::kAdd, false}, values, group)[2], group);
}

TEST(EvaluateWarp, ReductionsHaveTheirSign) {
  WarpValues values = {};
  values[1] = 0xffffffff;
  values[6] = 3;
  const uint32_t group = 1u << 1 | 1u << 6;
  const auto at = [&](Rmw rmw, bool is_signed) {
    return evaluate_warp({Op::kWarpReduce, rmw, is_signed}, values, group)[6];
  };
  EXPECT_EQ(at(Rmw::kAdd, false), 2u);
  EXPECT_EQ(at(Rmw::kMin, false), 3u);
  EXPECT_EQ(at(Rmw::kMin, true), 0xffffffffu);
  EXPECT_EQ(at(Rmw::kMax, false), 0xffffffffu);
  EXPECT_EQ(at(Rmw::kMax, true), 3u);
  EXPECT_EQ(at(Rmw::kAnd, false), 3u);
  EXPECT_EQ(at(Rmw::kXor, false), 0xfffffffcu);
}

}  // namespace
}  // namespace quern::ir
