// Values: constants, parameters, results in their three representations, and those kept from one run to the
// next.
#include "target/llvm/emitter.hpp"
#include "target/messages.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

Val Emitter::scalar_val(const ir::Type* type, Text text) const {
  return {Rep::kScalar, type, std::move(text), 0, {}};
}
Val Emitter::vector_val(const ir::Type* type, Text text) const {
  return {width_ == 1 ? Rep::kScalar : Rep::kVector, type, std::move(text), 0, {}};
}

Val Emitter::constant(const ir::Type* type, uint64_t bits) const {
  if (type->is_scalar()) return scalar_val(type, literal(type, bits));
  std::vector<Val> parts;
  for (const Leaf& leaf : leaves(type)) parts.push_back(scalar_val(leaf.type, literal(leaf.type, 0)));
  return whole(type, std::move(parts));
}
Val Emitter::zero(const ir::Type* type) const { return constant(type, 0); }

Val Emitter::value(const ir::Value* value) {
  switch (value->kind) {
    case ir::ValueKind::kConst: return constant(value->type, static_cast<const ir::Const*>(value)->bits);
    case ir::ValueKind::kUndef: return zero(value->type);
    case ir::ValueKind::kParam: return param(static_cast<const ir::Param*>(value));
    case ir::ValueKind::kGlobal: return global(static_cast<const ir::Global*>(value));
    default: break;
  }
  const Inst* i = ir::as_inst(value);
  const auto at = values_.find(i);
  if (at != values_.end()) return at->second;
  if (const auto result = barrier_results_.find(i); result != barrier_results_.end()) {
    return scalar_val(i->type, def("load " + Text(spelling(i->type)) + ", ptr " + result->second));
  }
  return recalled(i);
}

// A value of an earlier run: recomputed if that is cheap, otherwise loaded from the bundle's record.
// Generated at the run's start, so that it is available on every path.
Val Emitter::recalled(const Inst* inst) {
  Text* const out = out_;
  const Mask mask = mask_;
  const bool was_terminated = is_terminated_;
  out_ = &prologue_;
  mask_ = run_mask_;
  is_terminated_ = false;
  Val v;
  if (inst->is(Op::kVar)) {
    v = var_address(inst);
  } else if (is_cheap(inst, 0)) {
    this->inst(inst);
    v = values_.at(inst);
  } else if (const auto form = recalled_.find(inst); form != recalled_.end()) {
    const std::vector<uint64_t>& at = kept_at_.at(inst);
    const auto read = [&](Val one, uint64_t offset) {
      const bool is_vector = one.rep == Rep::kVector;
      const Text type = is_vector ? vec(Text(memory_spelling(one.type))) : Text(memory_spelling(one.type));
      const Text x = def("load " + type + ", ptr " + record(offset) + ", align 8");
      one.text = from_memory(one.type, x, is_vector).text;
      one.surely = one.never = {};  // they refer to the bundle that ran last
      return one;
    };
    v = form->second;
    if (v.rep == Rep::kParts) {
      for (size_t k = 0; k < v.parts.size(); ++k) v.parts[k] = read(v.parts[k], at[k]);
    } else {
      v = read(v, at[0]);
    }
  } else {
    fail(inst, target::message::kUsedBeforeDefinition());
    v = zero(inst->type);
  }
  out_ = out;
  mask_ = mask;
  is_terminated_ = was_terminated;
  values_[inst] = v;
  return v;
}

bool Emitter::is_cheap(const Inst* inst, int depth) const {
  switch (inst->op) {
    case Op::kThreadId:
    case Op::kBlockId:
    case Op::kBlockDim:
    case Op::kGridDim:
    case Op::kClusterDim:
    case Op::kLaneId:
    case Op::kDynamicSharedSize: return true;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kShl:
    case Op::kShr:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kConvert:
    case Op::kOffset:
    case Op::kFieldPtr:
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe:
    case Op::kSpaceCast: break;
    default: return false;
  }
  if (depth > 8) return false;
  for (const ir::Value* v : inst->operands) {
    const Inst* i = ir::as_inst(v);
    if (i != nullptr && !(i->is(Op::kVar) ? inst->type->is_ptr() : is_cheap(i, depth + 1))) return false;
  }
  return true;
}

void Emitter::remember(const Inst* inst, const Val& v) {
  if (!plan_.outlives_run(inst) || inst->is(Op::kVar) || is_cheap(inst, 0)) return;
  const auto [form, is_first] = recalled_.try_emplace(inst, v);
  std::vector<uint64_t>& at = kept_at_[inst];
  const std::vector<Val> parts = v.rep == Rep::kParts ? v.parts : std::vector<Val>{v};
  std::vector<Val> forms =
      form->second.rep == Rep::kParts ? form->second.parts : std::vector<Val>{form->second};
  for (size_t k = 0; k < parts.size(); ++k) {
    const Val& part = parts[k];
    const Val& wanted = forms[k];
    const bool is_vector = wanted.rep == Rep::kVector;
    if (is_first) at.push_back(plan_.reserve(part.type->size * (is_vector ? width_ : 1), 64));
    if (wanted.rep == Rep::kAffine && (part.rep != Rep::kAffine || part.stride != wanted.stride)) {
      fail(inst, target::message::kTwoRepresentations());
    }
    const Text x = is_vector ? as_vector(part) : wanted.rep == Rep::kAffine ? part.text : as_scalar(part);
    const Text type = is_vector ? vec(Text(memory_spelling(part.type))) : Text(memory_spelling(part.type));
    line("store " + type + " " + to_memory(part.type, x, is_vector) + ", ptr " + record(at[k]) + ", align 8");
  }
}

Emitter::Text Emitter::as_vector(const Val& v) {
  const Text type = spelling(v.type);
  if (v.rep == Rep::kVector || width_ == 1) return v.text;
  if (v.rep == Rep::kScalar) return splat(type, v.text);
  const Text steps = constants(v.type->is_ptr() ? "i64" : type, [&](uint32_t l) {
    const uint64_t distance = static_cast<uint64_t>(v.stride) * l;
    return v.type->is_ptr()
               ? std::to_string(static_cast<int64_t>(distance))
               : literal(v.type,
                         v.type->size >= 8 ? distance : distance & ((uint64_t{1} << v.type->bits()) - 1));
  });
  if (v.type->is_ptr()) return def("getelementptr i8, ptr " + v.text + ", " + vec(Text("i64")) + " " + steps);
  return def("add " + vec(type) + " " + splat(type, v.text) + ", " + steps);
}

Emitter::Text Emitter::as_scalar(const Val& v) {
  if (v.rep == Rep::kScalar) return v.text;
  if (v.rep == Rep::kAffine) return as_scalar(vector_val(v.type, as_vector(v)));
  // Active lanes agree: testing whether any lane is true is faster than finding the first one.
  if (v.type->is_bool() && !mask_.is_all()) return any(mask_and(mask_, v.text, false).text);
  return def("extractelement " + vec(v.type) + " " + v.text + ", i32 " +
             (mask_.is_all() ? "0" : first_lane()));
}

Val Emitter::param(const ir::Param* param) {
  const auto at = params_.find(param);
  if (at != params_.end()) return at->second;
  const uint64_t offset = argument_layout(kernel_).offsets[param->index];
  const Text arguments = context_field(kAtArguments, "ptr");
  const auto read = [&](const ir::Type* type, uint64_t at_byte) {
    const Text p =
        entry_def("getelementptr inbounds i8, ptr " + arguments + ", i64 " + std::to_string(at_byte));
    Text x =
        entry_def("load " + Text(memory_spelling(type)) + ", ptr " + p + ", align 1, !invariant.load !0");
    if (type->is_bool()) x = entry_def("icmp ne i8 " + x + ", 0");
    return scalar_val(type, x);
  };
  Val v;
  if (param->type->is_scalar()) {
    v = read(param->type, offset);
  } else {
    std::vector<Val> parts;
    for (const Leaf& leaf : leaves(param->type)) parts.push_back(read(leaf.type, offset + leaf.offset));
    v = whole(param->type, std::move(parts));
  }
  params_[param] = v;
  return v;
}

Val Emitter::global(const ir::Global* global) {
  if (global->space == ir::Space::kShared) {
    if (!shared_base_.empty()) {
      return scalar_val(global->type, def("getelementptr inbounds i8, ptr " + shared_base_ + ", i64 " +
                                          std::to_string(shared_.of(global))));
    }
    const Text base = context_field(kAtShared, "ptr");
    return scalar_val(global->type, entry_def("getelementptr inbounds i8, ptr " + base + ", i64 " +
                                              std::to_string(shared_.of(global))));
  }
  const Text symbol = "@" + variable_symbol(globals_.at(global));
  declarations_.insert(symbol + " = external global [" + std::to_string(global->object->size) +
                       " x i8], align " + std::to_string(std::max<uint64_t>(1, global->align)));
  return scalar_val(global->type, symbol);
}

// One lane of a value, inside of a loop over lanes.
Emitter::Text Emitter::lane_of(const Val& v, const Text& lane, std::map<Text, Text>& spilled) {
  if (v.rep == Rep::kScalar) return v.text;
  const Text type = spelling(v.type);
  if (v.rep == Rep::kVector) {
    const Text memory = memory_spelling(v.type);
    const Text at = def("getelementptr inbounds " + memory + ", ptr " + spilled.at(v.text) + ", i32 " + lane);
    return from_memory(v.type, def("load " + memory + ", ptr " + at), false).text;
  }
  const Text wide = def("zext i32 " + lane + " to i64");
  const Text distance = def("mul i64 " + wide + ", " + std::to_string(v.stride));
  if (v.type->is_ptr()) return def("getelementptr i8, ptr " + v.text + ", i64 " + distance);
  const Text fitted = v.type->size == 8 ? distance : def("trunc i64 " + distance + " to " + type);
  return def("add " + type + " " + v.text + ", " + fitted);
}

Val Emitter::apply_heavy(const ir::Type* result, std::span<const Val> operands,
                         const std::function<Text(const Texts&, bool)>& fn) {
  bool is_vector = false;
  for (const Val& v : operands) is_vector = is_vector || v.rep != Rep::kScalar;
  if (!is_vector || !is_large()) return apply(result, operands, fn);
  return call_for_vectors(result, operands, [&](const Texts& t) { return fn(t, true); });
}

Val Emitter::apply(const ir::Type* result, std::span<const Val> operands,
                   const std::function<Text(const Texts&, bool)>& fn) {
  bool is_vector = false;
  for (const Val& v : operands) is_vector = is_vector || v.rep != Rep::kScalar;
  Texts texts;
  for (const Val& v : operands) texts.push_back(is_vector ? as_vector(v) : v.text);
  const Text text = fn(texts, is_vector);
  return is_vector ? vector_val(result, text) : scalar_val(result, text);
}

}  // namespace quern::llvm
