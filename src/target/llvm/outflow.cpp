#include "target/llvm/outflow.hpp"

#include <algorithm>
#include <map>

#include "lang/pass/loop_shape.hpp"
#include "lang/pass/walk.hpp"

namespace quern::llvm {
namespace {

using ir::Inst;
using ir::Op;

const ir::Param* as_param(const ir::Value* v) {
  return v->kind == ir::ValueKind::kParam ? static_cast<const ir::Param*>(v) : nullptr;
}

// Its result is an address in the same buffer.
bool is_step(Op op) { return op == Op::kOffset || op == Op::kFieldPtr || op == Op::kSpaceCast; }

// Whether the order of writes may be observed from outside.
bool is_watched(const Inst* i) {
  if (i->is(Op::kLoad) || i->is(Op::kStore)) return i->attr().is_volatile;
  if (i->is(Op::kAssert) || i->is(Op::kTrap)) return false;
  return ir::has(i->op, ir::kWrites) && !ir::has(i->op, ir::kControl | ir::kTerminator);
}

// The upper bound of the innermost loop around an instruction.
uint32_t bound_of(const Inst* inst) {
  const Inst* loop = inst->parent->owner;
  while (loop != nullptr && !loop->is(Op::kLoop)) loop = loop->parent->owner;
  const Inst* yield = loop != nullptr ? pass::yield_of(loop->blocks[pass::kLoopHead]) : nullptr;
  const Inst* condition = yield != nullptr ? ir::as_inst(yield->operand(0)) : nullptr;
  if (condition == nullptr || !condition->is(Op::kLt)) return Outflow::kNone;
  const ir::Param* bound = as_param(condition->operand(1));
  return bound != nullptr && bound->type->is_int() ? bound->index : Outflow::kNone;
}

struct Uses {
  uint32_t written = 0, read = 0;
  uint32_t bound = Outflow::kNone;
  bool others = false;  // it is compared, stored, or copied: unknown
};

}  // namespace

const ir::Param* buffer_of(const ir::Value* pointer) {
  for (const Inst* i = ir::as_inst(pointer); i != nullptr && is_step(i->op); i = ir::as_inst(pointer))
    pointer = i->operand(0);
  const ir::Param* param = as_param(pointer);
  return param != nullptr && param->type->is_ptr() ? param : nullptr;
}

bool Outflow::has(const ir::Param* param) const {
  return param != nullptr &&
         std::ranges::any_of(written, [&](const Written& w) { return w.param == param->index; });
}

Outflow outflow(const ir::Function& kernel) {
  std::map<uint32_t, Uses> uses;
  bool is_seen = false;
  pass::traverse(kernel.body, [&](const Inst* i) {
    is_seen = is_seen || is_watched(i);
    for (size_t k = 0; k < i->operands.size(); ++k) {
      const ir::Param* buffer = buffer_of(i->operand(k));
      if (buffer == nullptr || (is_step(i->op) && k == 0)) continue;
      Uses& u = uses[buffer->index];
      if (i->is(Op::kStore) && k == 0) {
        u.written = std::max(u.written, static_cast<uint32_t>(i->operand(1)->type->size));
        u.bound = bound_of(i);
      } else if (i->is(Op::kLoad)) {
        u.read = std::max(u.read, static_cast<uint32_t>(i->type->size));
      } else {
        u.others = true;
      }
    }
  });
  Outflow result;
  if (is_seen) return result;
  for (const auto& [param, u] : uses) {
    result.read += u.read;
    if (u.written != 0 && u.read == 0 && !u.others) result.written.push_back({param, u.written, u.bound});
  }
  return result;
}

}  // namespace quern::llvm
