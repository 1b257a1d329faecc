#include <string>

#include "lang/ir/builder.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/split_plan.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

// "v.x", "m.row[1]": the user's notation for the part at an offset.
std::string part_name(std::string_view var, const Type* type, uint64_t offset, const Type* part) {
  std::string name(var);
  if (name.empty()) return name;
  while (type->is_aggregate() && !(offset == 0 && type == part)) {
    if (type->is_array()) {
      if (type->elem->size == 0) break;
      name += '[' + std::to_string(offset / type->elem->size) + ']';
      offset %= type->elem->size;
      type = type->elem;
      continue;
    }
    const ir::Field* inner = nullptr;
    for (const ir::Field& f : type->fields) {
      if (offset < f.offset || offset - f.offset >= f.type->size) continue;
      const bool fits = offset - f.offset + part->size <= f.type->size;
      if (fits && (inner == nullptr || f.type == part)) inner = &f;
    }
    if (inner == nullptr) break;
    name += '.' + inner->name;
    offset -= inner->offset;
    type = inner->type;
  }
  return name;
}

class Splitter {
 public:
  Splitter(ir::Module& module, ir::Function& function)
      : module_(module), function_(function), plans_(function), builder_(module) {}

  bool run() {
    if (!plans_.any()) return false;
    for (SplitPlan& plan : plans_.all()) {
      if (plan.is_split) make_leaves(plan);
    }
    instead_.assign(plans_.inst_count(), nullptr);
    kept_.assign(plans_.inst_count(), false);
    traverse(function_.body, [this](Inst* i) { rewrite(i); });
    return true;
  }

 private:
  // Instructions created here have numbers above the existing ones and are not looked up.
  static constexpr uint32_t kMade = ~uint32_t{0};

  void made_until(Inst* end, Inst* before_start) {
    for (Inst* i = end->prev; i != before_start; i = i->prev) i->id = kMade;
  }

  void make_leaves(SplitPlan& plan) {
    Inst* var = plan.var;
    const Type* object = var->attr().type;
    Inst* before = var->prev;
    builder_.at(var->parent, var);
    builder_.pos(var->pos);
    for (Piece& p : plan.pieces)
      p.leaf = builder_.var(p.type, part_name(var->name, object, p.offset, p.type));
    for (Region& r : plan.regions)
      r.leaf = builder_.var(r.type, part_name(var->name, object, r.begin, r.type));
    made_until(var, before);
  }

  void rewrite(Inst* inst) {
    if (inst->id == kMade) return;
    const bool is_split_access = splits(inst);
    for (Value*& v : inst->operands) {
      const Inst* i = ir::as_inst(v);
      if (i != nullptr && i->id != kMade && instead_[i->id] != nullptr) v = instead_[i->id];
    }
    if (inst->is(Op::kFieldPtr) || inst->is(Op::kOffset) || inst->is(Op::kSpaceCast))
      return rewrite_pointer(inst);
    if (!is_split_access) return;
    const Place place = place_of_access_;
    SplitPlan& plan = plans_.all()[place.plan];
    Inst* before = inst->prev;
    builder_.at(inst->parent, inst);
    builder_.pos(inst->pos);
    if (inst->is(Op::kLoad)) {
      instead_[inst->id] = load(plan, place.offset, inst->type);
    } else {
      store(plan, place.offset, inst->operand(1));
    }
    made_until(inst, before);
    inst->parent->remove(inst);
  }

  // Whether the instruction accesses a split variable at a known offset through a pointer that will be
  // removed.
  bool splits(const Inst* inst) {
    if (!inst->is(Op::kLoad) && !inst->is(Op::kStore)) return false;
    const Inst* pointer = ir::as_inst(inst->operand(0));
    if (pointer == nullptr || pointer->id == kMade) return false;
    place_of_access_ = plans_.place_of(pointer);
    if (place_of_access_.plan == kNone || !place_of_access_.is_fixed || inst->attr().is_volatile)
      return false;
    return plans_.all()[place_of_access_.plan].is_split && instead_[pointer->id] == nullptr &&
           !is_kept(pointer);
  }

  // Whether a pointer can stay unchanged, because the pointer it is derived from was replaced.
  bool is_kept(const Inst* pointer) const { return kept_[pointer->id]; }

  // The first pointer of a chain that is within a region becomes the region's variable; the rest of the chain
  // stays.
  void rewrite_pointer(Inst* inst) {
    const Place& place = plans_.place_of(inst);
    if (place.plan == kNone || !plans_.all()[place.plan].is_split) return;
    const Inst* base = ir::as_inst(inst->operand(0));
    if (base->id == kMade || is_kept(base)) {
      kept_[inst->id] = true;
      return;
    }
    SplitPlan& plan = plans_.all()[place.plan];
    const Region* region = plan.region_at(place.around.begin, place.around.end - place.around.begin);
    if (region == nullptr || !place.is_fixed) return;
    Inst* before = inst->prev;
    builder_.at(inst->parent, inst);
    builder_.pos(inst->pos);
    Value* pointer = address_in(*region, place.offset);
    if (pointer->type != inst->type) pointer = builder_.op(Op::kSpaceCast, inst->type, {pointer});
    instead_[inst->id] = pointer;
    made_until(inst, before);
  }

  Value* address_in(const Region& region, uint64_t offset) {
    if (offset == region.begin) return region.leaf;
    return builder_.offset(
        region.leaf, module_.constant_int(ir::TypeKind::kI64, static_cast<int64_t>(offset - region.begin)),
        1);
  }

  Value* load(SplitPlan& plan, uint64_t offset, const Type* type) {
    if (const Region* r = plan.region_at(offset, type->size))
      return builder_.load(type, address_in(*r, offset));
    if (type->is_scalar()) {
      const Piece* piece = plan.piece_at(offset);
      return builder_.bitcast(builder_.load(piece->type, piece->leaf), type);
    }
    std::vector<Value*> members;
    for_members(type, [&](uint32_t, uint64_t at, const Type* member) {
      members.push_back(load(plan, offset + at, member));
    });
    if (members.empty()) return module_.constant(type, 0);
    return builder_.construct(type, members);
  }

  void store(SplitPlan& plan, uint64_t offset, Value* value) {
    const Type* type = value->type;
    if (const Region* r = plan.region_at(offset, type->size)) {
      builder_.store(address_in(*r, offset), value);
      return;
    }
    if (type->is_scalar()) {
      const Piece* piece = plan.piece_at(offset);
      builder_.store(piece->leaf, builder_.bitcast(value, piece->type));
      return;
    }
    for_members(type, [&](uint32_t index, uint64_t at, const Type*) {
      store(plan, offset + at, builder_.extract(value, index));
    });
  }

  template <typename Fn>
  static void for_members(const Type* type, Fn&& fn) {
    if (type->is_array()) {
      for (uint64_t i = 0; i < type->count; ++i)
        fn(static_cast<uint32_t>(i), i * type->elem->size, type->elem);
      return;
    }
    for (uint32_t i = 0; i < type->fields.size(); ++i) fn(i, type->fields[i].offset, type->fields[i].type);
  }

  ir::Module& module_;
  ir::Function& function_;
  SplitPlans plans_;
  ir::Builder builder_;
  std::vector<Value*> instead_;  // by id
  std::vector<bool> kept_;       // by id
  Place place_of_access_;
};

}  // namespace

bool scalar_replace(ir::Module& module) {
  bool any = false;
  for (ir::Function* function : module.functions) any |= Splitter(module, *function).run();
  return any;
}

}  // namespace quern::pass
