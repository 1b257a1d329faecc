// Atomics: one per active lane, in lane order. They are relaxed; fences order them.
#include <algorithm>

#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::TypeKind;

namespace {

// The native LLVM operation, or null.
const char* native_op(Rmw rmw, const ir::Type* type) {
  const bool is_wide_float = type->kind == TypeKind::kF32 || type->kind == TypeKind::kF64;
  if (type->is_float()) {
    if (rmw == Rmw::kExchange && is_wide_float) return "xchg";
    if (rmw == Rmw::kAdd && is_wide_float) return "fadd";
    return rmw == Rmw::kSub && is_wide_float ? "fsub" : nullptr;
  }
  switch (rmw) {
    case Rmw::kAdd: return "add";
    case Rmw::kSub: return "sub";
    case Rmw::kAnd: return "and";
    case Rmw::kOr: return "or";
    case Rmw::kXor: return "xor";
    case Rmw::kExchange: return "xchg";
    case Rmw::kMin: return type->is_signed() ? "min" : "umin";
    case Rmw::kMax: return type->is_signed() ? "max" : "umax";
    default: return nullptr;
  }
}

}  // namespace

// A block runs on one OS thread: no other thread accesses its shared memory.
bool Emitter::is_own_memory(const Inst* i) const {
  return !options_.is_thread && i->operand(0)->type->space == ir::Space::kShared && i->is(Op::kAtomicRmw) &&
         native_op(i->attr().rmw, i->type) != nullptr;
}

// An update of memory that only this thread accesses; returns the old value.
Emitter::Text Emitter::plain_update(const Inst* i, const Text& pointer, const Text& x) {
  const Text own = spelling(i->type), align = ", align " + std::to_string(i->type->size);
  const Text old = def("load " + own + ", ptr " + pointer + align);
  const Text op = native_op(i->attr().rmw, i->type);
  Text fresh = x;
  const char* less = op == "min"    ? "slt "
                     : op == "max"  ? "sgt "
                     : op == "umin" ? "ult "
                     : op == "umax" ? "ugt "
                                    : nullptr;
  if (less != nullptr) {
    const Text is = def("icmp " + Text(less) + own + " " + old + ", " + x);
    fresh = def("select i1 " + is + ", " + own + " " + old + ", " + own + " " + x);
  } else if (op != "xchg") {
    fresh = def(op + " " + own + " " + old + ", " + x);
  }
  line("store " + own + " " + fresh + ", ptr " + pointer + align);
  return old;
}

Emitter::Text Emitter::atomic_lane(const Inst* i, const Texts& x) {
  const ir::Type* type = i->is(Op::kAtomicStore) ? i->operand(1)->type : i->type;
  const Text own = spelling(type), raw = "i" + std::to_string(type->bits());
  const Text align = ", align " + std::to_string(type->size);
  const auto as_raw = [&](const Text& v) {
    if (own == raw) return v;
    return type->is_ptr() ? def("ptrtoint ptr " + v + " to i64")
                          : def("bitcast " + own + " " + v + " to " + raw);
  };
  const auto as_own = [&](const Text& v) {
    if (own == raw) return v;
    return type->is_ptr() ? def("inttoptr i64 " + v + " to ptr")
                          : def("bitcast " + raw + " " + v + " to " + own);
  };
  switch (i->op) {
    case Op::kAtomicLoad: return as_own(def("load atomic " + raw + ", ptr " + x[0] + " monotonic" + align));
    case Op::kAtomicStore:
      line("store atomic " + raw + " " + as_raw(x[1]) + ", ptr " + x[0] + " monotonic" + align);
      return {};
    case Op::kAtomicCas: {
      const Text pair = def("cmpxchg ptr " + x[0] + ", " + raw + " " + as_raw(x[1]) + ", " + raw + " " +
                            as_raw(x[2]) + " monotonic monotonic" + align);
      return as_own(def("extractvalue { " + raw + ", i1 } " + pair + ", 0"));
    }
    default: break;
  }
  if (is_own_memory(i)) return plain_update(i, x[0], x[1]);
  if (const char* op = native_op(i->attr().rmw, type)) {
    return def("atomicrmw " + Text(op) + " ptr " + x[0] + ", " + own + " " + x[1] + " monotonic" + align);
  }
  const uint32_t what = static_cast<uint32_t>(type->kind) | static_cast<uint32_t>(i->attr().rmw) << 8;
  const Text old =
      call("qn_atomic", "ptr " + x[0] + ", i64 " + to_bits(type, x[1]) + ", i32 " + std::to_string(what));
  return from_bits(type, old);
}

// Whether memory cannot change between two instructions of a block.
bool Emitter::is_undisturbed(const Inst* first, const Inst* last) const {
  if (first->parent != last->parent) return false;
  for (const Inst* i = first; i != last; i = i->next) {
    if (i == nullptr || (!ir::has(i->op, ir::kPure) && !i->is(Op::kLoad))) return false;
  }
  return true;
}

// The instructions from loads of rows to an operand, in dependency order; a lane's value can be computed
// without a vector that would have to be split. False if something else is involved.
bool Emitter::find_rows(const ir::Value* value, const Inst* user, std::vector<const Inst*>& rows,
                        std::vector<const Inst*>& chain) {
  constexpr size_t kMostRows = 2, kMostOfChain = 8;
  const Inst* i = ir::as_inst(value);
  if (i == nullptr) return true;
  const auto known = values_.find(i);
  if (known == values_.end()) return false;
  const auto has = [&](const std::vector<const Inst*>& list) {
    return std::find(list.begin(), list.end(), i) != list.end();
  };
  if (known->second.is_scalar() || has(rows) || has(chain)) return true;
  if (known->second.rep != Rep::kVector) return false;
  if (i->is(Op::kLoad)) {
    const Val from = this->value(i->operand(0));
    const bool is_row = from.rep == Rep::kAffine && i->type->is_scalar() && !i->type->is_bool() &&
                        from.stride == static_cast<int64_t>(i->type->size);
    if (!is_row || i->attr().is_volatile || plan_.root_of(i->operand(0)) != nullptr ||
        from.type->space == ir::Space::kShared || !is_undisturbed(i, user) || rows.size() == kMostRows)
      return false;
    rows.push_back(i);
    return true;
  }
  const bool is_simple = ir::has(i->op, ir::kPure) && i->type->is_scalar() && !plan_.outlives_run(i);
  if (!is_simple || chain.size() == kMostOfChain) return false;
  for (const ir::Value* v : i->operands) {
    if (!find_rows(v, user, rows, chain)) return false;
  }
  chain.push_back(i);
  return true;
}

namespace {

// How many of the lowest bits of a row's numbers are used, if only those are: 8 or 16, otherwise 0.
uint32_t bits_asked(const Inst* row, const std::vector<const Inst*>& chain, const Inst* user) {
  uint32_t bits = 0;
  const auto is_used = [&](const Inst* by) {
    return std::find(by->operands.begin(), by->operands.end(), row) != by->operands.end();
  };
  if (!row->type->is_int() || is_used(user)) return 0;
  for (const Inst* k : chain) {
    if (!is_used(k)) continue;
    const ir::Const* mask = k->is(Op::kAnd) ? ir::as_const(k->operand(1)) : nullptr;
    if (mask == nullptr || mask->bits > 0xffff) return 0;
    bits = std::max(bits, mask->bits > 0xff ? 16u : 8u);
  }
  return bits < row->type->bits() ? bits : 0;
}

}  // namespace

// One lane's number of a row, loading only the used bits: LLVM would load all of it and truncate.
Emitter::Text Emitter::row_number(const Inst* row, const Text& at, uint32_t bits) {
  const Text own = memory_spelling(row->type);
  const uint64_t align = row->attr().align != 0 ? row->attr().align : row->type->align;
  const Text aligned = ", ptr " + at + ", align " + std::to_string(align);
  if (bits == 0) return def("load " + own + aligned);
  const Text part = "i" + std::to_string(bits);
  return def("zext " + part + " " + def("load " + part + aligned) + " to " + own);
}

// An update of shared memory by all lanes, each of which reads its operands from rows itself: histogram bins.
// Splitting vectors costs more than loading their elements.
std::optional<Val> Emitter::atomic_from_rows(const Inst* i) {
  std::vector<const Inst*> rows, chain;
  for (const ir::Value* v : i->operands) {
    if (!find_rows(v, i, rows, chain)) return std::nullopt;
  }
  if (rows.empty()) return std::nullopt;
  std::unordered_map<const Inst*, Val> vectors;
  for (const auto* list : {&rows, &chain}) {
    for (const Inst* k : *list) vectors[k] = values_.at(k);
  }
  Text all = "poison";
  const Text type = spelling(i->type);
  for (uint32_t l = 0; l < width_; ++l) {
    for (const Inst* row : rows) {
      const Val at = offset_by(value(row->operand(0)), l * row->type->size);
      values_[row] = scalar_val(row->type, row_number(row, at.text, bits_asked(row, chain, i)));
    }
    for (const Inst* k : chain) inst(k);
    Texts t;
    for (const ir::Value* v : i->operands) t.push_back(value(v).text);
    all = def("insertelement " + vec(type) + " " + all + ", " + type + " " + atomic_lane(i, t) + ", i32 " +
              std::to_string(l));
  }
  for (const auto& [k, v] : vectors) values_[k] = v;
  return vector_val(i->type, all);
}

Val Emitter::atomic(const Inst* i) {
  std::vector<Val> x;
  for (const ir::Value* v : i->operands) x.push_back(value(v));
  if (i->is(Op::kAtomicRmw) && merge(i, x[1])) return zero(i->type);
  const Inst* root = plan_.root_of(i->operand(0));
  x[0] = lane_pointer(root, x[0]);
  const bool yields = !i->is(Op::kAtomicStore);
  if (width_ == 1) {
    Texts t;
    for (const Val& v : x) t.push_back(v.text);
    const Text r = atomic_lane(i, t);
    return yields ? scalar_val(i->type, r) : Val{};
  }
  if (i->is(Op::kAtomicLoad) && x[0].is_scalar()) return scalar_val(i->type, atomic_lane(i, {x[0].text}));
  if (is_own_memory(i) && mask_.is_all() && !is_large()) {
    if (auto done = root == nullptr ? atomic_from_rows(i) : std::nullopt) return *done;
    return each_in_line(i->type, x, [&](const Texts& t) { return atomic_lane(i, t); });
  }
  return call_for_lanes(yields ? i->type : nullptr, x, [&](const Texts& t) { return atomic_lane(i, t); });
}

}  // namespace quern::llvm
