// Replaces pointers by a base and an index. Values keep their positions: where a pointer was computed, its
// index (and, if it may point into several objects, a selector) is computed instead; the old instructions
// stay only where lowering is impossible. Selectors number the bases of the kernel from 1; 0 is null.
#include <algorithm>
#include <numeric>

#include "lang/ir/builder.hpp"
#include "lang/ir/launch_record.hpp"
#include "lang/pass/messages.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/pointer_sets.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

constexpr uint64_t kPointerBytes = 8;

// A pointer as numbers: base = selector, distance from it = (index + add) * unit bytes.
struct Lowered {
  Value* selector = nullptr;  // u32
  Value* index = nullptr;     // any integer type; nullptr: 0
  int64_t add = 0;
  uint64_t unit = 0;  // 0: at the base
};

struct PointerVars {
  Inst* selector = nullptr;  // absent: one base, never null
  Inst* index = nullptr;     // absent: always at the base
};

class PointerLowering {
 public:
  PointerLowering(ir::Module& module, ir::Function& kernel, const PointerOptions& options)
      : module_(module),
        kernel_(kernel),
        builder_(module),
        sets_(module, kernel),
        index_type_(module.types().get(options.wide ? TypeKind::kI64 : TypeKind::kI32)),
        numbers_(sets_.numbers()),
        lowered_(numbers_.size()),
        vars_(numbers_.size()),
        instead_(numbers_.size(), nullptr) {}

  std::vector<Unlowered> run() {
    traverse(kernel_.body, [this](Inst* i) { visit(i); });
    return std::move(unlowered_);
  }

 private:
  // --- the walk ---

  // New instructions are inserted before or after the instruction that they replace, and are not visited
  // themselves.
  void visit(Inst* inst) {
    for (Value*& v : inst->operands) {
      const uint32_t number = numbers_(v);
      if (number != kNone && instead_[number] != nullptr) v = instead_[number];
    }
    builder_.at(inst->parent, inst);
    builder_.pos(inst->pos);
    rewrite(inst);
  }

  void replace(Inst* inst, Value* by) {
    instead_[inst->id] = by;
    inst->parent->remove(inst);
  }

  void rewrite(Inst* inst) {
    switch (inst->op) {
      case Op::kVar: return make_vars(inst);
      case Op::kOffset:
      case Op::kFieldPtr:
      case Op::kSpaceCast:
      case Op::kSelect: return lower_value(inst);
      case Op::kLoad:
        if (sets_.holder(inst->operand(0)) != nullptr) return lower_value(inst);
        return lower_access(inst);
      case Op::kStore:
        if (const Inst* var = sets_.holder(inst->operand(0))) return store_pointer(inst, var);
        if (is_launch_argument(inst)) return store_launch_argument(inst);
        return lower_access(inst);
      case Op::kMemSet:
      case Op::kMemCopy:
      case Op::kAtomicRmw:
      case Op::kAtomicCas:
      case Op::kAtomicLoad:
      case Op::kAtomicStore: return lower_access(inst);
      case Op::kEq:
      case Op::kNe:
      case Op::kLt:
      case Op::kLe:
      case Op::kGt:
      case Op::kGe:
        if (inst->operand(0)->type->is_ptr()) compare(inst);
        return;
      case Op::kPtrDiff: return difference(inst);
      case Op::kIsSpace: return ask_space(inst);
      case Op::kPtrToInt: return low_bits(inst);
      default: return;
    }
  }

  // --- pointers as values ---

  bool is_known(const Value* pointer) const { return sets_.of(pointer).is_known(); }

  Value* selector_of(uint32_t base) { return module_.constant_int(TypeKind::kU32, int64_t{base} + 1); }
  Value* null_selector() { return module_.constant_int(TypeKind::kU32, 0); }

  Lowered lowered(const Value* pointer) {
    if (sets_.is_base(pointer)) return {selector_of(sets_.base_index(pointer)), nullptr, 0, 0};
    const uint32_t number = numbers_(pointer);
    return number != kNone ? lowered_[number] : Lowered{null_selector(), nullptr, 0, 0};
  }

  void make_vars(Inst* var) {
    if (sets_.holder(var) != var) return;
    const PointerSet& set = sets_.content_of(var);
    if (!set.is_known()) return;
    PointerVars& made = vars_[var->id];
    const Type* object = var->attr().type;
    if (set.bases.size() + (set.may_be_null ? 1 : 0) > 1) {
      made.selector =
          builder_.var(in_place_of(object, builder_.type(TypeKind::kU32)), part_name(var, ".base"));
    }
    if (set.unit != 0) made.index = builder_.var(in_place_of(object, index_type_), part_name(var, ".at"));
  }

  static std::string part_name(const Inst* var, const char* part) {
    return var->name.empty() ? std::string() : std::string(var->name) + part;
  }

  // A variable of pointers with `number` for each of them: arrays are flattened.
  const Type* in_place_of(const Type* pointers, const Type* number) {
    return pointers->is_ptr() ? number : module_.types().array(number, pointers->size / kPointerBytes);
  }

  void lower_value(Inst* inst) {
    if (!inst->type->is_ptr() || sets_.is_base(inst) || !is_known(inst)) return;
    Lowered& out = lowered_[inst->id];
    const uint64_t unit = sets_.of(inst).unit;
    switch (inst->op) {
      case Op::kOffset: out = moved(inst, unit); break;
      case Op::kFieldPtr: {
        out = rescaled(lowered(inst->operand(0)), unit);
        const uint64_t bytes = inst->attr().type->fields[inst->attr().index].offset;
        if (unit != 0) out.add += static_cast<int64_t>(bytes / unit);
        break;
      }
      case Op::kSelect: out = chosen(inst, unit); break;
      case Op::kLoad: out = loaded(inst); break;
      default: out = lowered(inst->operand(0)); break;
    }
  }

  Lowered rescaled(Lowered p, uint64_t unit) {
    if (p.unit == unit || unit == 0) return p;
    const uint64_t factor = p.unit / unit;  // 0 when it was at its base
    if (p.index != nullptr && factor > 1) p.index = times(p.index, factor);
    p.add *= static_cast<int64_t>(factor);
    p.unit = unit;
    return p;
  }

  Value* wide(Value* index) { return builder_.convert(index, index_type_); }
  Value* number(int64_t n) { return module_.constant(index_type_, static_cast<uint64_t>(n)); }
  Value* times(Value* index, uint64_t factor) {
    return factor == 1 ? index : builder_.binary(Op::kMul, wide(index), number(static_cast<int64_t>(factor)));
  }

  Lowered moved(const Inst* inst, uint64_t unit) {
    Lowered p = rescaled(lowered(inst->operand(0)), unit);
    if (unit == 0) return p;
    const uint64_t factor = inst->attr().scale / unit;
    if (const ir::Const* by = ir::as_const(inst->operand(1))) {
      p.add += ir::int_value(by) * static_cast<int64_t>(factor);
      return p;
    }
    Value* step = times(inst->operand(1), factor);
    p.index = p.index == nullptr ? step : builder_.binary(Op::kAdd, wide(p.index), wide(step));
    return p;
  }

  // The whole distance in units, as one value.
  Value* total(const Lowered& p) {
    if (p.index == nullptr) return number(p.add);
    return p.add == 0 ? p.index : builder_.binary(Op::kAdd, wide(p.index), number(p.add));
  }

  Lowered chosen(const Inst* inst, uint64_t unit) {
    Value* c = inst->operand(0);
    const Lowered a = rescaled(lowered(inst->operand(1)), unit);
    const Lowered b = rescaled(lowered(inst->operand(2)), unit);
    Lowered out{builder_.select(c, a.selector, b.selector), nullptr, 0, unit};
    if (unit != 0) out.index = builder_.select(c, wide(total(a)), wide(total(b)));
    return out;
  }

  // The address of the number that represents the pointer at `address`.
  Value* place(Inst* part, const Value* address, const Type* number) {
    if (!part->attr().type->is_array()) return part;
    const Lowered at = rescaled(lowered(address), kPointerBytes);
    return builder_.offset(part, total(at), number->size);
  }

  Lowered loaded(const Inst* inst) {
    const Inst* var = sets_.holder(inst->operand(0));
    const PointerSet& set = sets_.content_of(var);
    const PointerVars& vars = vars_[var->id];
    const Type* u32 = builder_.type(TypeKind::kU32);
    Lowered out;
    out.unit = set.unit;
    if (vars.selector != nullptr) {
      out.selector = builder_.load(u32, place(vars.selector, inst->operand(0), u32));
    } else {
      out.selector = set.bases.empty() ? null_selector() : selector_of(set.bases[0]);
    }
    if (vars.index != nullptr) {
      out.index = builder_.load(index_type_, place(vars.index, inst->operand(0), index_type_));
    }
    return out;
  }

  void store_pointer(Inst* inst, const Inst* var) {
    const PointerSet& set = sets_.content_of(var);
    if (!set.is_known()) return;
    const PointerVars& vars = vars_[var->id];
    const Value* value = inst->operand(1);
    if (value->type->is_ptr()) {
      const Lowered p = rescaled(lowered(value), set.unit);
      const Type* u32 = builder_.type(TypeKind::kU32);
      if (vars.selector != nullptr) builder_.store(place(vars.selector, inst->operand(0), u32), p.selector);
      if (vars.index != nullptr) {
        Value* at = place(vars.index, inst->operand(0), index_type_);
        builder_.store(at, wide(total(p)));
      }
    } else {
      for (Inst* part : {vars.selector, vars.index}) {
        if (part != nullptr) builder_.store(part, module_.constant(part->attr().type, 0));
      }
    }
    inst->parent->remove(inst);
  }

  // --- accesses ---

  void refuse(const Inst* inst, const base::MessageText& why) {
    for (const Unlowered& u : unlowered_) {
      if (u.pos == inst->pos && u.reason == why.text) return;
    }
    unlowered_.push_back({inst->pos, why.text});
  }

  static const Type* accessed(const Inst* inst) {
    if (inst->is(Op::kStore) || inst->is(Op::kAtomicStore)) return inst->operand(1)->type;
    return inst->is(Op::kMemCopy) || inst->is(Op::kMemSet) ? nullptr : inst->type;
  }

  void lower_access(Inst* inst) {
    const Type* type = accessed(inst);
    if (type != nullptr && contains_pointer(type) && !inst->is(Op::kLoad)) {
      refuse(inst, message::kPointerToMemory());
    }
    const size_t pointers = inst->is(Op::kMemCopy) ? 2 : 1;
    for (size_t k = 0; k < pointers; ++k) {
      const PointerSet& set = sets_.of(inst->operand(k));
      if (!set.is_known()) return refuse(inst, reason(set.opaque));
      if (set.bases.empty()) return refuse(inst, message::kPointerIsNull());
    }
    choose_base(inst, inst->id, 0, pointers);
  }

  // Those of a pointer's objects that exist at `inst`, whose number (or whose original's) is `number`.
  std::vector<uint32_t> bases_at(const Inst* inst, uint32_t number, const Value* pointer) const {
    std::vector<uint32_t> alive;
    for (const uint32_t b : sets_.of(pointer).bases) {
      const Inst* var = ir::as_inst(sets_.bases()[b]);
      bool is_alive = var == nullptr || !var->is(Op::kVar);
      if (!is_alive && var->id < number) {
        const ir::Block* block = inst->parent;
        while (block != var->parent && block->owner != nullptr) block = block->owner->parent;
        is_alive = block == var->parent;
      }
      if (is_alive) alive.push_back(b);
    }
    return alive;
  }

  // Gives operand k and the following ones one base each; if there are several, copies the access for each of
  // them.
  void choose_base(Inst* inst, uint32_t number, size_t k, size_t pointers) {
    for (; k < pointers; ++k) {
      const Value* pointer = inst->operand(k);
      if (sets_.is_base(pointer) && sets_.bases()[sets_.base_index(pointer)] == pointer) continue;
      const std::vector<uint32_t> bases = bases_at(inst, number, pointer);
      if (bases.empty()) return refuse(inst, message::kPointerIsDangling());
      const Lowered p = lowered(pointer);
      if (bases.size() > 1) return fork(inst, number, k, pointers, bases, p);
      builder_.at(inst->parent, inst);
      inst->operands[k] = address(bases[0], p, accessed(inst));
    }
  }

  Value* address(uint32_t base, Lowered p, const Type* type) {
    Value* at = sets_.bases()[base];
    if (p.unit == 0 || (p.index == nullptr && p.add == 0)) return at;
    const uint64_t align = type != nullptr ? type->align : 1;
    p = rescaled(p, std::gcd(p.unit, align));
    return builder_.offset(at, total(p), p.unit);
  }

  // if (selector == base 1) access at base 1; else if … else access at the last base.
  void fork(Inst* inst, uint32_t number, size_t k, size_t pointers, const std::vector<uint32_t>& bases,
            const Lowered& p) {
    ir::Block* block = inst->parent;
    Inst* where = inst->next;
    builder_.at(block, inst);
    Inst* result = inst->type->is_void() ? nullptr : builder_.var(inst->type, inst->name);
    block->remove(inst);
    ir::Block* rest = block;
    Inst* rest_where = where;
    for (size_t b = 0; b < bases.size(); ++b) {
      ir::Block* here = rest;
      Inst* here_where = rest_where;
      if (b + 1 < bases.size()) {
        builder_.at(rest, rest_where);
        Inst* branch = builder_.make_if(builder_.compare(Op::kEq, p.selector, selector_of(bases[b])));
        here = branch->blocks[0];
        rest = branch->blocks[1];
        here_where = rest_where = nullptr;
      }
      Inst* copy = duplicate(inst);
      here->insert_before(copy, here_where);
      builder_.at(here, copy);
      copy->operands[k] = address(bases[b], p, accessed(inst));
      if (result != nullptr) {
        builder_.at(here, copy->next);
        builder_.store(result, copy);
      }
      choose_base(copy, number, k + 1, pointers);
    }
    if (result == nullptr) return;
    builder_.at(block, where);
    instead_[number] = builder_.load(inst->type, result);
  }

  Inst* duplicate(const Inst* inst) {
    Inst* copy = module_.new_inst(inst->op, inst->type, inst->pos);
    copy->operands = inst->operands;
    if (inst->attr_ != nullptr) copy->mutable_attr() = *inst->attr_;
    return copy;
  }

  // --- pointers that are arguments of launches (lang/ir/launch_record.hpp) ---

  bool is_launch_argument(const Inst* store) const {
    if (!store->operand(1)->type->is_ptr()) return false;
    const PointerSet& to = sets_.of(store->operand(0));
    return to.is_known() && to.bases.size() == 1 && is_launch_queue(sets_.bases()[to.bases[0]]);
  }

  // 0: the object cannot be named in a record.
  static uint32_t launch_code(const Value* base) {
    if (base->kind == ValueKind::kParam) return static_cast<const ir::Param*>(base)->index + 1;
    if (base->kind != ValueKind::kGlobal) return 0;
    const auto* const variable = static_cast<const ir::Global*>(base);
    const bool can_be_named = variable->space != ir::Space::kShared && !variable->is_literal;
    return can_be_named ? ir::kLaunchVariable | ir::launch_number(variable->name) : 0;
  }

  void store_launch_argument(Inst* store) {
    const PointerSet& to = sets_.of(store->operand(0));
    const PointerSet& value = sets_.of(store->operand(1));
    if (!value.is_known()) return refuse(store, reason(value.opaque));
    const Type* const u32 = builder_.type(TypeKind::kU32);
    const Lowered p = lowered(store->operand(1));
    const bool is_one = value.bases.size() == 1 && !value.may_be_null;
    Value* code = module_.constant(u32, 0);
    for (const uint32_t b : value.bases) {
      const uint32_t number = launch_code(sets_.bases()[b]);
      if (number == 0) return refuse(store, message::kLaunchPointer());
      Value* const own = module_.constant(u32, number);
      code = is_one ? own : builder_.select(builder_.compare(Op::kEq, p.selector, selector_of(b)), own, code);
    }
    Value* const bytes =
        p.unit == 0 ? module_.constant(u32, 0) : builder_.convert(total(rescaled(p, 1)), u32);
    constexpr uint64_t kWord = 4;
    Lowered place = rescaled(lowered(store->operand(0)), kWord);
    builder_.store(address(to.bases[0], place, u32), code);
    ++place.add;
    builder_.store(address(to.bases[0], place, u32), bytes);
    store->parent->remove(store);
  }

  // --- queries on pointers ---

  void compare(Inst* inst) {
    Value* a = inst->operand(0);
    Value* b = inst->operand(1);
    for (const Value* v : {a, b}) {
      if (!is_known(v)) return refuse(inst, reason(sets_.of(v).opaque));
    }
    const bool is_eq = inst->is(Op::kEq);
    if (!is_eq && !inst->is(Op::kNe)) return replace(inst, ordered(inst->op, lowered(a), lowered(b)));
    if (is_const_zero(a)) std::swap(a, b);
    if (is_const_zero(b) && sets_.is_base(a)) return;
    Value* equal = is_const_zero(b) ? is_null(a) : same(lowered(a), lowered(b));
    replace(inst, is_eq ? equal : builder_.unary(Op::kNot, equal));
  }

  Value* either(Value* a, Value* b) { return a == nullptr ? b : builder_.binary(Op::kOr, a, b); }

  // Null itself, or at a base that was passed as null.
  Value* is_null(const Value* pointer) {
    const Lowered p = lowered(pointer);
    Value* result = nullptr;
    if (sets_.of(pointer).may_be_null) result = builder_.compare(Op::kEq, p.selector, null_selector());
    for (const uint32_t b : sets_.of(pointer).bases) {
      Value* base = sets_.bases()[b];
      const Inst* var = ir::as_inst(base);
      if (base->kind == ValueKind::kGlobal || (var != nullptr && var->is(Op::kVar))) continue;
      Value* here = builder_.compare(Op::kEq, p.selector, selector_of(b));
      Value* absent = builder_.compare(Op::kEq, base, module_.constant(base->type, 0));
      result = either(result, builder_.binary(Op::kAnd, here, absent));
    }
    return result != nullptr ? result : module_.constant_bool(false);
  }

  struct Pair {
    Value* a;
    Value* b;
  };
  // Both distances in a common unit.
  Pair distances(Lowered a, Lowered b, uint64_t unit) {
    if (unit == 0) return {number(0), number(0)};
    return {wide(total(rescaled(a, unit))), wide(total(rescaled(b, unit)))};
  }

  Value* same(const Lowered& a, const Lowered& b) {
    const Pair at = distances(a, b, std::gcd(a.unit, b.unit));
    return builder_.binary(Op::kAnd, builder_.compare(Op::kEq, a.selector, b.selector),
                           builder_.compare(Op::kEq, at.a, at.b));
  }

  // By distance within one object; different objects by their number, so that the order is total.
  Value* ordered(Op op, const Lowered& a, const Lowered& b) {
    const Pair at = distances(a, b, std::gcd(a.unit, b.unit));
    return builder_.select(builder_.compare(Op::kEq, a.selector, b.selector),
                           builder_.compare(op, at.a, at.b), builder_.compare(op, a.selector, b.selector));
  }

  void difference(Inst* inst) {
    for (const Value* v : inst->operands) {
      if (!is_known(v)) return refuse(inst, reason(sets_.of(v).opaque));
    }
    const Lowered a = lowered(inst->operand(0));
    const Lowered b = lowered(inst->operand(1));
    const uint64_t unit = std::gcd(a.unit, b.unit);
    const uint64_t scale = inst->attr().scale;
    const Pair at = distances(a, b, unit);
    Value* d = builder_.binary(Op::kSub, at.a, at.b);
    const uint64_t common = std::gcd(unit, scale);
    if (unit / common > 1) d = builder_.binary(Op::kMul, d, number(static_cast<int64_t>(unit / common)));
    if (scale / common > 1) d = builder_.binary(Op::kDiv, d, number(static_cast<int64_t>(scale / common)));
    replace(inst, builder_.convert(d, inst->type));
  }

  // Every buffer and variable starts at a multiple of 256.
  void low_bits(Inst* inst) {
    if (!asks_alignment(kernel_, inst)) return refuse(inst, message::kPointerAsInteger());
    const PointerSet& set = sets_.of(inst->operand(0));
    if (!set.is_known()) return refuse(inst, reason(set.opaque));
    const Lowered p = lowered(inst->operand(0));
    const Type* u32 = builder_.type(TypeKind::kU32);
    Value* begins = module_.constant(u32, 0);
    for (const uint32_t b : set.bases) {
      Value* base = sets_.bases()[b];
      if (base->kind != ValueKind::kParam) continue;
      Value* here = builder_.op(Op::kPtrToInt, u32, {base});
      begins = builder_.select(builder_.compare(Op::kEq, p.selector, selector_of(b)), here, begins);
    }
    Value* distance = builder_.convert(total(rescaled(p, 1)), u32);
    replace(inst, builder_.convert(builder_.binary(Op::kAdd, begins, distance), inst->type));
  }

  void ask_space(Inst* inst) {
    const PointerSet& set = sets_.of(inst->operand(0));
    if (!set.is_known()) return refuse(inst, reason(set.opaque));
    const Lowered p = lowered(inst->operand(0));
    Value* result = nullptr;
    for (const uint32_t b : set.bases) {
      if (sets_.bases()[b]->type->space != inst->attr().space) continue;
      result = either(result, builder_.compare(Op::kEq, p.selector, selector_of(b)));
    }
    replace(inst, result != nullptr ? result : module_.constant_bool(false));
  }

  ir::Module& module_;
  ir::Function& kernel_;
  ir::Builder builder_;
  PointerSets sets_;
  const Type* index_type_;
  const Numbering& numbers_;
  std::vector<Lowered> lowered_;   // by number: results that are pointers
  std::vector<PointerVars> vars_;  // by number: variables that hold pointers
  std::vector<Value*> instead_;    // by number
  std::vector<Unlowered> unlowered_;
};

// A function that is not inlined and takes pointers has no known bases.
bool takes_pointers(const ir::Function& function) {
  return !function.is_kernel && std::any_of(function.params.begin(), function.params.end(),
                                            [](const ir::Param* p) { return contains_pointer(p->type); });
}

}  // namespace

std::vector<Unlowered> lower_pointers(ir::Module& module, const PointerOptions& options) {
  std::vector<Unlowered> all;
  for (ir::Function* function : module.functions) {
    if (takes_pointers(*function)) continue;
    std::vector<Unlowered> here = PointerLowering(module, *function, options).run();
    all.insert(all.end(), here.begin(), here.end());
  }
  simplify(module);
  return all;
}

}  // namespace quern::pass
