#include "lang/pass/pointer_sets.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "lang/ir/builder.hpp"
#include "lang/pass/messages.hpp"
#include "lang/pass/param_fields.hpp"

namespace quern::pass {

using ir::Inst;
using ir::Op;
using ir::Value;
using ir::ValueKind;

base::MessageText reason(Opaque why) {
  switch (why) {
    case Opaque::kNo: return {};
    case Opaque::kFromMemory: return message::kPointerFromMemory();
    case Opaque::kFromInteger: return message::kPointerFromInteger();
    case Opaque::kFromCall: return message::kPointerFromCall();
    case Opaque::kFromAggregate: return message::kPointerInSelectedStruct();
    case Opaque::kFromLocalMemory: return message::kPointerInLocalStruct();
  }
  return {};
}

bool PointerSet::join(const PointerSet& other) {
  bool grew = false;
  if (!std::includes(bases.begin(), bases.end(), other.bases.begin(), other.bases.end())) {
    std::vector<uint32_t> both;
    std::set_union(bases.begin(), bases.end(), other.bases.begin(), other.bases.end(),
                   std::back_inserter(both));
    bases = std::move(both);
    grew = true;
  }
  const uint64_t common = std::gcd(unit, other.unit);
  grew |= common != unit || (other.may_be_null && !may_be_null) || (is_known() && !other.is_known());
  unit = common;
  may_be_null |= other.may_be_null;
  if (is_known()) opaque = other.opaque;
  return grew;
}

PointerSets::PointerSets(ir::Module& module, ir::Function& kernel) {
  null_.may_be_null = true;
  unknown_.opaque = Opaque::kFromMemory;
  hoist_param_fields(module, kernel);
  roots_ = std::make_unique<AddressRoots>(kernel);
  numbers_ = std::make_unique<Numbering>(kernel);
  sets_.resize(roots_->inst_count());
  contents_.resize(roots_->inst_count());
  for (ir::Param* p : kernel.params) {
    if (p->type->is_ptr()) add_base(p);
  }
  const ir::Global* dynamic = nullptr;  // all dynamic shared memory is one object, whatever its name
  for (ir::Global* g : module.globals) {
    const bool is_dynamic = g->space == ir::Space::kShared && g->object->is_array() && g->object->count == 0;
    if (is_dynamic && dynamic != nullptr) {
      index_.emplace(g, index_.at(dynamic));
    } else {
      add_base(g);
      if (is_dynamic) dynamic = g;
    }
  }
  traverse(kernel.body, [this](Inst* i) {
    if (i->is(Op::kVar)) add_base(i);
  });
  find_holders(kernel);
  do {
    changed_ = false;
    traverse(kernel.body, [this](Inst* i) { visit(i); });
  } while (changed_);
}

void PointerSets::hoist_param_fields(ir::Module& module, ir::Function& kernel) {
  std::map<std::pair<uint32_t, std::vector<uint32_t>>, Inst*> hoisted;
  std::vector<Value*> instead(number_insts(kernel), nullptr);
  ir::Builder builder(module);
  Inst* start = kernel.body->first;
  traverse(kernel.body, [&](Inst* i) {
    for (Value*& v : i->operands) {
      const Inst* def = ir::as_inst(v);
      if (def != nullptr && instead[def->id] != nullptr) v = instead[def->id];
    }
    if (!i->is(Op::kExtract) || !i->type->is_ptr()) return;
    std::vector<uint32_t> path;
    const ir::Param* param = param_path(i, path);
    if (param == nullptr) return;
    Inst*& field = hoisted[{param->index, path}];
    if (field == nullptr) {
      builder.at(kernel.body, start);
      builder.pos(param->pos);
      Value* v = kernel.params[param->index];
      for (const uint32_t member : path) v = builder.extract(v, member);
      field = ir::as_inst(v);
    }
    instead[i->id] = field;
  });
  for (const auto& [key, field] : hoisted) add_base(field);
}

void PointerSets::add_base(Value* value) {
  const auto index = static_cast<uint32_t>(bases_.size());
  if (!index_.emplace(value, index).second) return;
  bases_.push_back(value);
  base_sets_.emplace_back().bases.push_back(index);
}

const PointerSet& PointerSets::of(const Value* pointer) const {
  const auto base = index_.find(pointer);
  if (base != index_.end()) return base_sets_[base->second];
  const bool is_null = pointer->kind == ValueKind::kConst || pointer->kind == ValueKind::kUndef;
  const uint32_t number = (*numbers_)(pointer);
  return is_null ? null_ : number != kNone ? sets_[number] : unknown_;
}

namespace {

bool is_array_of_pointers(const ir::Type* type) {
  while (type->is_array()) type = type->elem;
  return type->is_ptr();
}

// Loads and stores of one element, and stores of zero to all of them.
bool is_element_access(const Inst* inst, size_t operand) {
  if (operand != 0 || is_volatile(inst)) return false;
  if (inst->is(Op::kLoad)) return inst->type->is_ptr();
  if (!inst->is(Op::kStore)) return false;
  const bool clears_all = ir::as_inst(inst->operand(0))->is(Op::kVar) && is_const_zero(inst->operand(1));
  return inst->operand(1)->type->is_ptr() || clears_all;
}

}  // namespace

void PointerSets::find_holders(ir::Function& kernel) {
  is_holder_.assign(roots_->inst_count(), false);
  traverse(kernel.body, [this](Inst* i) {
    if (i->is(Op::kVar)) {
      const ir::Type* type = i->attr().type;
      const bool is_array = is_array_of_pointers(type) && !roots_->escapes(i);
      is_holder_[i->id] = type->is_ptr() ? roots_->is_plain(i) : is_array;
      return;
    }
    if (i->is(Op::kOffset) || i->is(Op::kFieldPtr) || i->is(Op::kSpaceCast)) return;
    for (size_t k = 0; k < i->operands.size(); ++k) {
      const Inst* root = roots_->root_of(i->operand(k));
      const bool is_array = root != nullptr && !root->attr().type->is_ptr();
      if (is_array && !is_element_access(i, k)) is_holder_[root->id] = false;
    }
  });
}

const Inst* PointerSets::holder(const Value* address) const {
  const Inst* root = (*numbers_)(address) != kNone ? roots_->root_of(address) : nullptr;
  return root != nullptr && is_holder_[root->id] ? root : nullptr;
}

void PointerSets::visit(Inst* inst) {
  if (inst->is(Op::kStore)) {
    if (const Inst* var = holder(inst->operand(0))) raise(contents_[var->id], of(inst->operand(1)));
    return;
  }
  if (inst->type->is_ptr() && !is_base(inst)) raise(sets_[inst->id], derived(inst));
}

PointerSet PointerSets::derived(const Inst* inst) const {
  PointerSet set;
  switch (inst->op) {
    case Op::kSpaceCast: return of(inst->operand(0));
    case Op::kOffset:
      set = of(inst->operand(0));
      set.unit = std::gcd(set.unit, inst->attr().scale);
      return set;
    case Op::kFieldPtr:
      set = of(inst->operand(0));
      set.unit = std::gcd(set.unit, inst->attr().type->fields[inst->attr().index].offset);
      return set;
    case Op::kSelect:
      set = of(inst->operand(1));
      set.join(of(inst->operand(2)));
      return set;
    case Op::kLoad: {
      if (const Inst* var = holder(inst->operand(0))) {
        set = contents_[var->id];
        return set;
      }
      const bool is_local = roots_->root_of(inst->operand(0)) != nullptr;  // but is not a separate variable
      set.opaque = is_local ? Opaque::kFromLocalMemory : Opaque::kFromMemory;
      return set;
    }
    case Op::kIntToPtr: set.opaque = Opaque::kFromInteger; return set;
    case Op::kExtract: {
      const Inst* from = ir::as_inst(inst->operand(0));
      const bool is_loaded = from != nullptr && (from->is(Op::kLoad) || from->is(Op::kExtract));
      set.opaque = is_loaded ? Opaque::kFromMemory : Opaque::kFromAggregate;
      return set;
    }
    case Op::kCall: set.opaque = Opaque::kFromCall; return set;
    default: set.opaque = Opaque::kFromMemory; return set;  // atomics on pointers
  }
}

}  // namespace quern::pass
