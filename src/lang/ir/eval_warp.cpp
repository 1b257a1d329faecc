#include "lang/ir/eval_warp.hpp"

#include <algorithm>
#include <bit>

namespace quern::ir {
namespace {

template <typename Fn>
void each_lane(uint32_t lanes, Fn&& fn) {
  for (; lanes != 0; lanes &= lanes - 1) fn(static_cast<uint32_t>(std::countr_zero(lanes)));
}

uint32_t combine(Rmw rmw, bool is_signed, uint32_t a, uint32_t b) {
  const bool less = is_signed ? static_cast<int32_t>(a) < static_cast<int32_t>(b) : a < b;
  switch (rmw) {
    case Rmw::kMin: return less ? a : b;
    case Rmw::kMax: return less ? b : a;
    case Rmw::kAnd: return a & b;
    case Rmw::kOr: return a | b;
    case Rmw::kXor: return a ^ b;
    default: return a + b;
  }
}

uint32_t reduced(const WarpOperation& operation, const WarpValues& values, uint32_t group) {
  const auto value = [&](uint32_t lane) { return static_cast<uint32_t>(values[lane]); };
  if (group == 0) return 0;
  uint32_t all = value(static_cast<uint32_t>(std::countr_zero(group)));
  each_lane(group & (group - 1),
            [&](uint32_t lane) { all = combine(operation.rmw, operation.is_signed, all, value(lane)); });
  return all;
}

uint32_t where(const WarpValues& values, uint32_t group, uint64_t value) {
  uint32_t lanes = 0;
  each_lane(group, [&](uint32_t lane) { lanes |= values[lane] == value ? 1u << lane : 0; });
  return lanes;
}

}  // namespace

WarpValues evaluate_warp(const WarpOperation& operation, const WarpValues& values, uint32_t group) {
  const uint32_t yes = group & ~where(values, group, 0);
  WarpValues results = {};
  switch (operation.op) {
    case Op::kVoteAny: results.fill(yes != 0 ? 1 : 0); break;
    case Op::kVoteAll: results.fill(yes == group ? 1 : 0); break;
    case Op::kBallot: results.fill(yes); break;
    case Op::kMatchAny:
    case Op::kMatchAll:
      each_lane(group, [&](uint32_t lane) {
        const uint32_t same = where(values, group, values[lane]);
        results[lane] = operation.op == Op::kMatchAny || same == group ? same : 0;
      });
      break;
    case Op::kWarpReduce: results.fill(reduced(operation, values, group)); break;
    default: break;
  }
  return results;
}

}  // namespace quern::ir
