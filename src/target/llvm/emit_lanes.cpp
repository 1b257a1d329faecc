// Calls of the functions of lane_math.hpp. A function that a small kernel uses at most kFewUses times is
// inlined; others become functions of the module, because LLVM's compile time grows with the code size.
#include "lang/pass/walk.hpp"
#include "target/llvm/emitter.hpp"
#include "target/llvm/lane_math.hpp"
#include "target/messages.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {
constexpr size_t kFewUses = 4;  // of one function in a kernel
}  // namespace

// Inlines the function for these arguments. It has no side effects: masks do not matter.
Val Emitter::lane_body(const ir::Function& function, std::span<const Val> operands) {
  const bool was_fused = std::exchange(options_.is_fused, false);  // it specifies itself what is fused
  const Mask mask = std::exchange(mask_, Mask{});
  const ir::Pos pos = pos_;
  for (size_t k = 0; k < operands.size(); ++k) params_[function.params[k]] = operands[k];
  Val result = zero(function.result);
  for (const Inst* i = function.body->first; i != nullptr; i = i->next) {
    if (i->is(Op::kReturn)) {
      result = value(i->operand(0));
    } else if (!i->blocks.empty() || i->is(Op::kVar)) {
      fail(i, target::message::kNotStraightLine(function.name));
      return result;
    } else {
      inst(i);
    }
  }
  pos_ = pos;
  mask_ = mask;
  options_.is_fused = was_fused;
  return result;
}

// As a function of the module, for vectors or for one lane.
Val Emitter::lane_call(const ir::Function& function, std::span<const Val> operands, bool is_vector) {
  Text arguments, parameters;
  std::vector<Val> inside;
  for (const Val& v : operands) {
    const Text name = "%p" + std::to_string(inside.size()), comma = inside.empty() ? "" : ", ";
    const Text type = typed(v.type, is_vector);
    arguments += comma + type + " " + (is_vector ? as_vector(v) : v.text);
    parameters += comma + type + " " + name;
    inside.push_back(is_vector ? vector_val(v.type, name) : scalar_val(v.type, name));
  }
  const Text name = "@\"" + function.name + (is_vector ? "\"" : ".one\"");
  const Text result = typed(function.result, is_vector);
  if (outlined_.try_emplace(name, name).second) {
    Text own;
    Text* const out = std::exchange(out_, &own);
    const uint32_t next = std::exchange(next_, 0);
    const bool was_terminated = std::exchange(is_terminated_, false);
    const Text prefix = std::exchange(prefix_, "%h");
    const Val v = lane_body(function, inside);
    line("ret " + result + " " + (is_vector ? as_vector(v) : v.text));
    out_ = out;
    next_ = next;
    is_terminated_ = was_terminated;
    prefix_ = prefix;
    functions_ += "\ndefine internal " + result + " " + name + "(" + parameters + ") nounwind noinline {\n" +
                  own + "}\n";
  }
  const Text r = def("call " + result + " " + name + "(" + arguments + ")");
  return is_vector ? vector_val(function.result, r) : scalar_val(function.result, r);
}

bool Emitter::is_lane_call_inline(const Inst* i) {
  if (lane_uses_.empty()) {
    pass::traverse(kernel_.body, [&](const Inst* other) { ++lane_uses_[other->op]; });
  }
  return !options_.is_quick && !is_large() && lane_uses_[i->op] <= kFewUses;
}

Val Emitter::in_lanes(const Inst* i, const ir::Function& function, std::span<const Val> operands) {
  bool is_vector = false;
  for (const Val& v : operands) is_vector = is_vector || v.rep != Rep::kScalar;
  const auto usual = [&] {
    return is_lane_call_inline(i) ? lane_body(function, operands) : lane_call(function, operands, is_vector);
  };
  const ir::Function* domain = lane_domain(module_, *i, options_);
  if (domain == nullptr) return usual();
  // Arguments outside of the domain are rare: lane by lane, with the simulator's function.
  const Val is_good = lane_body(*domain, operands);
  const Text all_good = is_good.is_scalar() ? is_good.text : all(is_good.text);
  const Text near = fresh_label("usual"), rare = fresh_label("rare"), both = fresh_label("computed");
  const Text type = typed(i->type, is_vector), cell = stack_cell(type, 64);
  const auto keep = [&](const Val& v) {
    line("store " + type + " " + (is_vector ? as_vector(v) : v.text) + ", ptr " + cell);
  };
  const Val quick = usual();
  keep(quick);
  br_if(all_good, both, rare);
  label(rare);
  const Mask mask = mask_;
  const Val slow = library_function(i, operands);
  keep(is_good.is_scalar() ? slow : select(is_good, quick, slow));
  mask_ = mask;
  label(both);
  const Text r = def("load " + type + ", ptr " + cell);
  return is_vector ? vector_val(i->type, r) : scalar_val(i->type, r);
}

}  // namespace quern::llvm
