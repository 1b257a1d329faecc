#include <algorithm>
#include <unordered_map>

#include "lang/expand/expand.hpp"
#include "lang/expand/messages.hpp"
#include "lang/expand/rewriter.hpp"

namespace quern::expand {

namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

constexpr size_t kMost = 1024;  // scalars of one value

struct Leaf {
  const Type* type;  // a scalar
  uint64_t offset;
};

// Members of a union share bytes: its scalars are unsigned integers that cover them.
uint64_t union_unit(const Type* type) { return std::min<uint64_t>(type->align, 4); }

class AggregateLowering {
 public:
  AggregateLowering(ir::Module& module, ir::Function& function, std::vector<Unlowered>& problems)
      : r_(module, function), b_(r_.b), function_(function), problems_(problems) {}

  void run() {
    start_ = function_.body->first;
    for (Inst* i : r_.find(concerns)) {
      if (is_given(i)) continue;
      r_.before(i);
      lower(i);
    }
    r_.finish();
  }

 private:
  using Parts = std::vector<Value*>;

  static bool concerns(const Inst& i) {
    if (i.is(Op::kVar)) return false;
    const auto is_aggregate = [](const Value* v) { return v->type != nullptr && v->type->is_aggregate(); };
    return is_aggregate(&i) || std::any_of(i.operands.begin(), i.operands.end(), is_aggregate);
  }

  // A member of a parameter, or of a function result, is extracted where it is: the code emitter handles
  // that. A union that a function returns is not in memory.
  static bool is_given(const Inst* i) {
    const Value* v = i;
    bool is_shared = false;
    for (const Inst* at = i; at != nullptr; at = ir::as_inst(v)) {
      if (at->is(Op::kCall)) return !is_shared;
      if (!at->is(Op::kExtract)) return false;
      v = at->operand(0);
      is_shared |= is_union(v->type);
    }
    return v->kind == ir::ValueKind::kParam;
  }

  const Type* unsigned_of(uint64_t bytes) {
    return r_.type(bytes == 1 ? TypeKind::kU8 : bytes == 2 ? TypeKind::kU16 : TypeKind::kU32);
  }

  void collect(const Type* type, uint64_t at, std::vector<Leaf>& out) {
    if (out.size() > kMost) return;
    if (type->is_array()) {
      for (uint64_t k = 0; k < type->count && out.size() <= kMost; ++k)
        collect(type->elem, at + k * type->elem->size, out);
    } else if (!type->is_struct()) {
      out.push_back({type, at});
    } else if (pass::has_overlap(type)) {
      const uint64_t unit = union_unit(type);
      for (uint64_t k = 0; k < type->size && out.size() <= kMost; k += unit)
        out.push_back({unsigned_of(unit), at + k});
    } else {
      for (const ir::Field& f : type->fields) collect(f.type, at + f.offset, out);
    }
  }
  const std::vector<Leaf>& leaves(const Type* type) {
    const auto [at, is_new] = leaves_.try_emplace(type);
    if (is_new) collect(type, 0, at->second);
    return at->second;
  }
  size_t first(const Type* type, uint32_t member) {
    if (type->is_array()) return member * leaves(type->elem).size();
    size_t at = 0;
    for (uint32_t k = 0; k < member; ++k) at += leaves(type->fields[k].type).size();
    return at;
  }

  // --- values ---

  Parts parts(Value* v) {
    if (!v->type->is_aggregate()) return {r_.now(v)};
    const auto known = parts_.find(v);
    if (known != parts_.end()) return known->second;
    Parts out;
    if (v->kind == ir::ValueKind::kParam || (ir::as_inst(v) != nullptr && is_given(ir::as_inst(v)))) {
      const auto here = std::pair(b_.block(), b_.where());
      const Inst* called = called_by(v);
      if (called == nullptr) {
        b_.at(function_.body, start_);
      } else {
        b_.at(called->parent, called->next);
      }
      add_members(from_start(v), out);
      b_.at(here.first, here.second);
      return parts_[v] = out;
    }
    for (const Leaf& leaf : leaves(v->type))
      out.push_back(v->kind == ir::ValueKind::kUndef ? static_cast<Value*>(b_.module().undef(leaf.type))
                                                     : b_.module().constant(leaf.type, 0));
    return out;
  }
  // The same member of a parameter, extracted at the start of the kernel (of a call: after it).
  Value* from_start(Value* v) {
    const Inst* i = ir::as_inst(v);
    const bool is_whole = i == nullptr || i->is(Op::kCall);
    return is_whole ? v : b_.extract(from_start(i->operand(0)), i->attr().index);
  }
  static const Inst* called_by(const Value* v) {
    const Inst* i = ir::as_inst(v);
    while (i != nullptr && !i->is(Op::kCall)) i = ir::as_inst(i->operand(0));
    return i;
  }
  void add_members(Value* v, Parts& out) {
    const Type* t = v->type;
    if (!t->is_aggregate()) {
      out.push_back(v);
    } else if (t->is_struct() && pass::has_overlap(t)) {
      add_units(v, out);
    } else {
      const uint64_t count = t->is_array() ? t->count : t->fields.size();
      for (uint32_t k = 0; k < count; ++k) add_members(b_.extract(v, k), out);
    }
  }

  // A union parameter: each unit is a number that some member has there, or padding between members.
  void add_units(Value* v, Parts& out) {
    const Type* t = v->type;
    const uint64_t unit = union_unit(t);
    std::vector<Value*> units(t->size / unit, nullptr);
    std::vector<bool> is_used(units.size(), false);
    for (uint32_t k = 0; k < t->fields.size(); ++k) {
      Parts members;
      add_members(b_.extract(v, k), members);
      const std::vector<Leaf>& own = leaves(t->fields[k].type);
      for (size_t m = 0; m < own.size(); ++m) {
        const uint64_t at = t->fields[k].offset + own[m].offset, end = at + own[m].type->size;
        for (uint64_t u = at / unit; u * unit < end; ++u) is_used[u] = true;
        const bool is_number = own[m].type->is_int() || own[m].type->is_float();
        if (is_number && at % unit == 0 && own[m].type->size == unit)
          units[at / unit] = b_.bitcast(members[m], unsigned_of(unit));
      }
    }
    for (size_t u = 0; u < units.size(); ++u) {
      if (units[u] == nullptr && is_used[u]) refuse(function_.pos, message::kUnionParameter());
      out.push_back(units[u] != nullptr ? units[u] : b_.module().constant(unsigned_of(unit), 0));
    }
  }

  void refuse(const ir::Pos& pos, const base::MessageText& reason) {
    problems_.push_back({&function_, pos, reason.str()});
  }

  // --- memory ---

  Value* at(Value* pointer, const Type* type, const Leaf& leaf) {
    // Steps of the leaf's size preserve the known alignment of the distance.
    const uint64_t step = leaf.offset % leaf.type->size == 0 ? leaf.type->size : 1;
    Value* by = b_.module().constant_int(TypeKind::kI32, static_cast<int64_t>(leaf.offset / step));
    return leaf.offset == 0 && type->size >= leaf.type->size ? pointer : b_.offset(pointer, by, step);
  }
  static uint32_t align_at(const Inst* i, const Leaf& leaf) {
    uint64_t align = i->attr().align;
    if (align == 0) return 0;
    while (leaf.offset % align != 0) align /= 2;
    return align >= leaf.type->align ? 0 : static_cast<uint32_t>(align);
  }

  void load(Inst* i) {
    Parts out;
    for (const Leaf& leaf : leaves(i->type))
      out.push_back(b_.load(leaf.type, at(r_.now(i->operand(0)), i->type, leaf), align_at(i, leaf),
                            i->attr().is_volatile));
    parts_[i] = std::move(out);
  }
  void store(Inst* i) {
    const Type* t = i->operand(1)->type;
    const Parts all = parts(i->operand(1));
    for (size_t k = 0; k < all.size(); ++k) {
      if (all[k]->kind == ir::ValueKind::kUndef) continue;
      const Leaf& leaf = leaves(t)[k];
      b_.store(at(r_.now(i->operand(0)), t, leaf), all[k], align_at(i, leaf), i->attr().is_volatile);
    }
  }

  // --- unions: their bytes, in units ---

  Value* as_word(Value* v) {
    if (v->type->is_bool()) return b_.convert(v, r_.type(TypeKind::kU32));
    return b_.convert(b_.bitcast(v, unsigned_of(v->type->size)), r_.type(TypeKind::kU32));
  }
  Value* shifted(Op op, Value* word, uint64_t bits) {
    return bits == 0 ? word : b_.op(op, word->type, {word, r_.number(TypeKind::kU32, bits)});
  }
  Value* from_units(const Parts& units, uint64_t unit, uint64_t offset, const Type* type) {
    Value* word = as_word(units[offset / unit]);
    if (type->size <= unit) {
      word = shifted(Op::kShr, word, offset % unit * 8);
    } else {
      for (uint64_t k = 1; k < type->size / unit; ++k)
        word = b_.binary(Op::kOr, word, shifted(Op::kShl, as_word(units[offset / unit + k]), k * unit * 8));
    }
    Value* cut = b_.convert(word, unsigned_of(type->size));
    return type->is_bool() ? b_.convert(cut, type) : b_.bitcast(cut, type);
  }
  void into_units(Parts& units, uint64_t unit, uint64_t offset, Value* v) {
    const uint64_t size = v->type->size;
    Value* word = as_word(v);
    if (size <= unit) {
      const uint64_t by = offset % unit * 8;
      const auto ones = static_cast<uint32_t>(((uint64_t{1} << (size * 8)) - 1) << by);
      Value*& to = units[offset / unit];
      Value* kept = b_.binary(Op::kAnd, as_word(to), r_.number(TypeKind::kU32, ~ones));
      to = b_.convert(b_.binary(Op::kOr, kept, shifted(Op::kShl, word, by)), unsigned_of(unit));
      return;
    }
    for (uint64_t k = 0; k < size / unit; ++k)
      units[offset / unit + k] = b_.convert(shifted(Op::kShr, word, k * unit * 8), unsigned_of(unit));
  }
  bool has_wide_leaf(const Type* t) {
    const std::vector<Leaf>& all = leaves(t);
    return std::any_of(all.begin(), all.end(),
                       [](const Leaf& l) { return l.type->size == 8 || l.type->is_ptr(); });
  }

  // --- members ---

  static bool is_union(const Type* t) { return t->is_struct() && pass::has_overlap(t); }

  void put(Parts& all, const Type* whole, uint32_t index, Value* member) {
    const Parts part = parts(member);
    if (!is_union(whole)) {
      std::copy(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(first(whole, index)));
      return;
    }
    const uint64_t from = whole->fields[index].offset;
    for (size_t k = 0; k < part.size(); ++k)
      into_units(all, union_unit(whole), from + leaves(member->type)[k].offset, part[k]);
  }

  void extract(Inst* i) {
    const Type* whole = i->operand(0)->type;
    const uint32_t index = i->attr().index;
    const Parts all = parts(i->operand(0));
    Parts out;
    const std::vector<Leaf> own = i->type->is_aggregate() ? leaves(i->type) : std::vector<Leaf>{{i->type, 0}};
    for (size_t k = 0; k < own.size(); ++k) {
      out.push_back(is_union(whole) ? from_units(all, union_unit(whole),
                                                 whole->fields[index].offset + own[k].offset, own[k].type)
                                    : all[first(whole, index) + k]);
    }
    if (i->type->is_aggregate()) {
      parts_[i] = std::move(out);
    } else {
      scalar_ = out[0];
    }
  }

  void lower(Inst* i) {
    const Type* t = i->type->is_aggregate() ? i->type : i->operand(i->operands.size() - 1)->type;
    const Type* whole = i->is(Op::kExtract) ? i->operand(0)->type : t;
    if (leaves(whole).size() > kMost) {
      refuse(i->pos, message::kTooManyScalars(std::to_string(kMost)));
      return;
    }
    const bool makes_union = is_union(whole) && !i->is(Op::kLoad) && !i->is(Op::kStore);
    if (makes_union && i->is(Op::kExtract) && has_wide_leaf(i->type))
      refuse(i->pos, message::kReadsWideFromUnion());
    if (makes_union && i->is(Op::kInsert) && has_wide_leaf(i->operand(1)->type))
      refuse(i->pos, message::kWritesWideToUnion());
    scalar_ = nullptr;
    switch (i->op) {
      case Op::kLoad: load(i); break;
      case Op::kStore: store(i); break;
      case Op::kExtract: extract(i); break;
      case Op::kInsert: {
        Parts all = parts(i->operand(0));
        put(all, i->type, i->attr().index, i->operand(1));
        parts_[i] = std::move(all);
        break;
      }
      case Op::kConstruct: {
        Parts all = parts(b_.module().constant(i->type, 0));
        for (uint32_t k = 0; k < i->operands.size(); ++k) put(all, i->type, k, i->operand(k));
        parts_[i] = std::move(all);
        break;
      }
      case Op::kSelect: {
        const Parts yes = parts(i->operand(1)), no = parts(i->operand(2));
        Parts out;
        for (size_t k = 0; k < yes.size(); ++k)
          out.push_back(b_.select(r_.now(i->operand(0)), yes[k], no[k]));
        parts_[i] = std::move(out);
        break;
      }
      case Op::kReturn: {
        const Parts all = parts(i->operand(0));
        i->operands[0] = b_.construct(i->operand(0)->type, all);
        return;
      }
      default: refuse(i->pos, message::kPassesStruct()); return;
    }
    r_.replace(i, scalar_);
  }

  Rewriter r_;
  ir::Builder& b_;
  ir::Function& function_;
  std::vector<Unlowered>& problems_;
  Inst* start_ = nullptr;
  Value* scalar_ = nullptr;  // the replacement of the extracted member
  std::unordered_map<const Type*, std::vector<Leaf>> leaves_;
  std::unordered_map<const Value*, Parts> parts_;
};

}  // namespace

std::vector<Unlowered> lower_aggregates(ir::Module& module, ir::Function& function) {
  std::vector<Unlowered> problems;
  AggregateLowering(module, function, problems).run();
  return problems;
}

}  // namespace quern::expand
