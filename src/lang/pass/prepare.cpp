#include "lang/pass/pass.hpp"

namespace quern::pass {
namespace {

// Splitting one variable can make a pointer into another known (closures of closures), which can then be
// split too. The bound is on such nesting; what remains beyond it is right, only less tidy.
void split_and_simplify(ir::Module& module, int rounds) {
  simplify(module);
  for (int round = 0; round < rounds && scalar_replace(module); ++round) simplify(module);
}

}  // namespace

std::string prepare(ir::Module& module) {
  constexpr int kRounds = 8;
  drop_unused(module);
  simplify(module);  // once per function, before inlining makes many copies
  if (std::string error = inline_calls(module); !error.empty()) return error;
  simplify(module);
  nest_exits(module);
  split_and_simplify(module, kRounds);
  infer_spaces(module);
  split_and_simplify(module, kRounds);
  return {};
}

}  // namespace quern::pass
