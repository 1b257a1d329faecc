#include "lang/pass/split_plan.hpp"

#include <algorithm>

namespace quern::pass {

using ir::Inst;
using ir::Op;
using ir::Type;

namespace {

// Larger variables are better kept as an array or struct in memory.
constexpr size_t kMaxPieces = 128;

bool is_number(const Type* type) { return type->is_int() || type->is_float(); }

bool is_derivation(Op op) { return op == Op::kFieldPtr || op == Op::kOffset || op == Op::kSpaceCast; }

// A base class: lower_type.cpp names these fields base0, base1, …
bool is_base(const ir::Field& field) {
  constexpr std::string_view kBase = "base";
  const std::string_view name = field.name;
  return field.type->is_struct() && name.starts_with(kBase) && name.size() > kBase.size() &&
         name.find_first_not_of("0123456789", kBase.size()) == std::string_view::npos;
}

}  // namespace

Region* SplitPlan::region_at(uint64_t offset, uint64_t size) {
  for (Region& r : regions) {
    if (r.holds(offset, size)) return &r;
  }
  return nullptr;
}

Piece* SplitPlan::piece_at(uint64_t offset) {
  const auto at = std::lower_bound(pieces.begin(), pieces.end(), offset,
                                   [](const Piece& p, uint64_t o) { return p.offset < o; });
  return at != pieces.end() && at->offset == offset ? &*at : nullptr;
}

SplitPlans::SplitPlans(ir::Function& function) {
  places_.resize(number_insts(function));
  traverse(function.body, [this](Inst* i) { visit(i); });
  for (SplitPlan& plan : plans_) settle(plan);
  for (const Access& a : accesses_) add_pieces(plans_[a.plan], a.offset, a.type);
  for (SplitPlan& plan : plans_) finish(plan);
}

bool SplitPlans::any() const {
  return std::any_of(plans_.begin(), plans_.end(), [](const SplitPlan& p) { return p.is_split; });
}

void SplitPlans::visit(Inst* inst) {
  if (inst->is(Op::kVar)) {
    const Type* type = inst->attr().type;
    places_[inst->id] = {static_cast<uint32_t>(plans_.size()), true, 0, {0, type->size, type, nullptr}};
    plans_.emplace_back().var = inst;
    return;
  }
  if (is_derivation(inst->op)) return derive(inst);
  const bool is_plain = !inst->attr().is_volatile;
  for (size_t k = 0; k < inst->operands.size(); ++k) {
    const Place place = place_of(inst->operand(k));
    if (place.plan == kNone) continue;
    const bool is_access =
        k == 0 && is_plain && place.is_fixed && (inst->is(Op::kLoad) || inst->is(Op::kStore));
    if (is_access) {
      access(inst, k, inst->is(Op::kLoad) ? inst->type : inst->operand(1)->type);
    } else {
      keep_together(place);
    }
  }
}

void SplitPlans::derive(Inst* inst) {
  Place place = place_of(inst->operand(0));
  if (place.plan == kNone) return;
  if (inst->is(Op::kOffset)) {
    const ir::Const* index = ir::as_const(inst->operand(1));
    if (index == nullptr) {
      keep_together(place);
      place.is_fixed = false;
    } else {
      place.offset += static_cast<uint64_t>(ir::int_value(index)) * inst->attr().scale;
    }
  } else if (inst->is(Op::kFieldPtr) && place.is_fixed) {
    const Type* type = inst->attr().type;
    const ir::Field& field = type->fields[inst->attr().index];
    // Programs index past a scalar member into its neighbors ((&v.x)[i]), so only an array or a struct bounds
    // an index. A pointer to a base class may be converted back to a pointer to the whole object.
    if (is_base(field)) {
      // stays within the same bytes
    } else if (field.type->is_aggregate()) {
      place.around = {place.offset + field.offset, place.offset + field.offset + field.type->size, field.type,
                      nullptr};
    } else {
      place.around = {place.offset, place.offset + type->size, type, nullptr};
    }
    place.offset += field.offset;
  }
  places_[inst->id] = place;
}

void SplitPlans::access(const Inst* inst, size_t operand, const Type* type) {
  const Place place = place_of(inst->operand(operand));
  const uint64_t size = plans_[place.plan].var->attr().type->size;
  if (place.offset > size || type->size > size - place.offset) {
    plans_[place.plan].is_split = false;  // outside of the object: left as it is, to be reported
    return;
  }
  plans_[place.plan].is_punned |= type != plans_[place.plan].var->attr().type;
  accesses_.push_back({place.plan, place.offset, type});
}

void SplitPlans::keep_together(const Place& place) {
  SplitPlan& plan = plans_[place.plan];
  const Type* type = plan.var->attr().type;
  const bool is_inside = place.around.begin <= place.around.end && place.around.end <= type->size;
  if (!is_inside || place.around.end - place.around.begin >= type->size) plan.is_split = false;
  if (plan.is_split) plan.regions.push_back(place.around);
}

// Sorts the regions and removes nested ones.
void SplitPlans::settle(SplitPlan& plan) {
  std::sort(plan.regions.begin(), plan.regions.end(), [](const Region& a, const Region& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<Region> kept;
  for (const Region& r : plan.regions) {
    if (!kept.empty() && r.end <= kept.back().end) continue;
    if (!kept.empty() && r.begin < kept.back().end) plan.is_split = false;
    kept.push_back(r);
  }
  plan.regions = std::move(kept);
}

void SplitPlans::add_pieces(SplitPlan& plan, uint64_t offset, const Type* type) {
  if (!plan.is_split || plan.region_at(offset, type->size) != nullptr) return;
  if (type->is_scalar()) return add_piece(plan, offset, type);
  if (type->is_array()) {
    if (type->count > kMaxPieces) plan.is_split = false;
    for (uint64_t i = 0; i < type->count && plan.is_split; ++i)
      add_pieces(plan, offset + i * type->elem->size, type->elem);
    return;
  }
  if (has_overlap(type)) plan.is_split = false;
  for (const ir::Field& f : type->fields) {
    if (!plan.is_split) return;
    add_pieces(plan, offset + f.offset, f.type);
  }
}

void SplitPlans::add_piece(SplitPlan& plan, uint64_t offset, const Type* type) {
  for (const Region& r : plan.regions) {
    if (r.meets(offset, type->size))
      plan.is_split = false;  // and is not nested: only a part of it is in there
  }
  const auto at = std::lower_bound(plan.pieces.begin(), plan.pieces.end(), offset,
                                   [](const Piece& p, uint64_t o) { return p.offset < o; });
  if (at != plan.pieces.end() && at->offset == offset) {
    const bool same_bits = at->type->size == type->size && is_number(at->type) && is_number(type);
    if (at->type != type && !same_bits) plan.is_split = false;
    return;
  }
  const bool fits_behind =
      at == plan.pieces.begin() || std::prev(at)->offset + std::prev(at)->type->size <= offset;
  const bool fits_before = at == plan.pieces.end() || offset + type->size <= at->offset;
  if (!fits_behind || !fits_before || plan.pieces.size() == kMaxPieces) {
    plan.is_split = false;
    return;
  }
  plan.pieces.insert(at, {offset, type, nullptr});
}

namespace {

// The scalar of the variable's own type at an offset; nullptr if there is none.
const Type* declared_scalar(const Type* type, uint64_t offset) {
  for (;;) {
    if (type->is_array()) {
      if (type->elem->size == 0 || offset >= type->size) return nullptr;
      offset %= type->elem->size;
      type = type->elem;
      continue;
    }
    if (!type->is_struct()) return offset == 0 ? type : nullptr;
    const Type* inner = nullptr;
    for (const ir::Field& f : type->fields) {
      if (inner != nullptr || offset < f.offset || offset - f.offset >= f.type->size) continue;
      inner = f.type;
      offset -= f.offset;
    }
    if (inner == nullptr) return nullptr;
    type = inner;
  }
}

}  // namespace

void SplitPlans::finish(SplitPlan& plan) {
  if (!plan.is_split) return;
  const Type* object = plan.var->attr().type;
  // A scalar is already plain, unless it is also accessed as another type.
  if (object->is_scalar()) plan.is_split = plan.is_punned && plan.pieces.size() == 1;
  for (Piece& piece : plan.pieces) {
    const Type* declared = declared_scalar(object, piece.offset);
    if (declared != nullptr && declared->size == piece.type->size && is_number(declared) &&
        is_number(piece.type)) {
      piece.type = declared;
    }
  }
}

}  // namespace quern::pass
