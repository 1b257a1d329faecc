#include "lang/pass/pass.hpp"

namespace quern::pass {
namespace {

// Splitting one variable can make a pointer into another known (closures of closures), which can then be
// split too. The bound limits such nesting; the result beyond it is correct, only less optimized.
void split_and_simplify(ir::Module& module) {
  constexpr int kMaxRounds = 8;
  for (int round = 0; round < kMaxRounds && scalar_replace(module); ++round) simplify(module);
}

}  // namespace

std::string prepare(ir::Module& module, uint64_t stack_bytes) {
  drop_unused(module);
  for (ir::Function* function : module.functions) {
    if (!function->is_kernel) simplify(module, *function);  // once, before inlining duplicates it
  }
  lower_recursion(module, stack_bytes);
  if (std::string error = inline_calls(module); !error.empty()) return error;
  nest_exits(module);
  simplify(module);
  split_and_simplify(module);
  if (infer_spaces(module)) {
    simplify(module);
    split_and_simplify(module);
  }
  return {};
}

}  // namespace quern::pass
