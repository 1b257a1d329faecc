#include "lang/pass/check_bounds.hpp"

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lang/ir/builder.hpp"
#include "lang/pass/pointer_sets.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {

namespace {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

bool is_step(const Inst* i) { return i->is(Op::kOffset) || i->is(Op::kFieldPtr) || i->is(Op::kSpaceCast); }

bool is_access(const Inst& i) {
  switch (i.op) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kAtomicRmw:
    case Op::kAtomicCas:
    case Op::kAtomicLoad:
    case Op::kAtomicStore:
    case Op::kMemCopy:
    case Op::kAsyncCopy:
    case Op::kMemSet: return true;
    default: return false;
  }
}

uint64_t element_of(const Type* object) {
  return object->is_array() && object->elem->size != 0 ? object->elem->size : object->size;
}

// The accessed object, and its extent.
struct Object {
  Value* base = nullptr;
  std::string name;
  uint64_t element = 0;
  Value* extent = nullptr;  // u64
};

class Checker {
 public:
  Checker(ir::Module& module, ir::Function& kernel, const CheckOptions& options, Checks& out)
      : module_(module), kernel_(kernel), options_(options), out_(out), b_(module) {}

  void run() {
    std::vector<Inst*> all;
    traverse(kernel_.body, [&](Inst* i) {
      if (is_access(*i) || i->is(Op::kAssert)) all.push_back(i);
    });
    const PointerSets sets(module_, kernel_);
    sets_ = &sets;
    add_params();
    const size_t before = out_.sites.size();
    for (Inst* i : all) {
      if (i->is(Op::kAssert)) {
        check_assert(i);
      } else {
        check_access(i);
      }
    }
    replace_results();
    if (out_.sites.size() == before) return drop_params();
    out_.kernels.push_back({kernel_.name, extents_});
  }

 private:
  const Type* type(TypeKind kind) { return b_.type(kind); }
  Value* number(TypeKind kind, uint64_t bits) { return module_.constant(type(kind), bits); }

  void add_params() {
    own_ = kernel_.params.size();
    for (uint32_t p = 0; p < own_; ++p) {
      if (!kernel_.params[p]->type->is_ptr()) continue;
      extents_.push_back(p);
      const std::string name = kernel_.params[p]->name + "_bytes";
      extent_of_[kernel_.params[p]] = module_.add_param(&kernel_, type(TypeKind::kU64), name);
    }
    ir::Param* report = module_.add_param(&kernel_, module_.types().ptr(Space::kGlobal), "quern_checks");
    report->elem = type(TypeKind::kU32);
    report->spelling = "unsigned*";
    report_ = report;
  }
  void drop_params() { kernel_.params.resize(own_); }

  // ---- objects

  std::optional<Object> object_of(Value* base) {
    Object o;
    o.base = base;
    if (base->kind == ValueKind::kParam) {
      const auto* p = static_cast<const ir::Param*>(base);
      const auto extent = extent_of_.find(p);
      if (extent == extent_of_.end()) return std::nullopt;
      o.name = p->name;
      o.element = p->elem != nullptr ? p->elem->size : 0;
      o.extent = extent->second;
      return o;
    }
    if (base->kind == ValueKind::kGlobal) {
      const auto* g = static_cast<const ir::Global*>(base);
      o.name = g->name.substr(g->name.rfind(':') + 1);  // without those of the kernel
      o.element = element_of(g->object);
      const bool is_dynamic = g->object->is_array() && g->object->count == 0;
      if (is_dynamic && !options_.dynamic_shared) return std::nullopt;
      o.element = is_dynamic ? g->object->elem->size : o.element;
      o.extent = is_dynamic ? b_.convert(b_.emit(Op::kDynamicSharedSize, type(TypeKind::kU32), {}),
                                         type(TypeKind::kU64))
                            : number(TypeKind::kU64, g->object->size);
      return o;
    }
    const Inst* i = ir::as_inst(base);
    if (i == nullptr || !i->is(Op::kVar)) return std::nullopt;
    o.name = i->name;
    o.element = element_of(i->attr().type);
    o.extent = number(TypeKind::kU64, i->attr().type->size);
    return o;
  }

  // The object that a pointer points into if it is unique, and the distance from its start in bytes.
  std::optional<Object> locate(Value* pointer, Value*& distance) {
    std::vector<const Inst*> steps;
    Value* base = pointer;
    while (Inst* i = ir::as_inst(base)) {
      if (!is_step(i)) break;
      steps.push_back(i);
      base = i->operand(0);
    }
    distance = number(TypeKind::kI64, 0);
    if (auto object = object_of(base)) {
      for (auto step = steps.rbegin(); step != steps.rend(); ++step) distance = stepped(distance, **step);
      return object;
    }
    const PointerSet& set = sets_->of(pointer);
    if (!set.is_known() || set.bases.size() != 1) return std::nullopt;
    Value* const only = sets_->bases()[set.bases[0]];
    auto object = object_of(only);
    if (!object) return std::nullopt;
    const Type* common = module_.types().ptr(Space::kGeneric);
    const bool same = pointer->type == only->type;
    const auto as_common = [&](Value* v) { return same ? v : b_.op(Op::kSpaceCast, common, {v}); };
    ir::Attr attr;
    attr.scale = 1;
    Value* const both[] = {as_common(pointer), as_common(only)};
    distance = b_.op(Op::kPtrDiff, type(TypeKind::kI64), both, attr);
    return object;
  }

  Value* stepped(Value* distance, const Inst& step) {
    if (step.is(Op::kSpaceCast)) return distance;
    Value* by = nullptr;
    if (step.is(Op::kFieldPtr)) {
      by = number(TypeKind::kI64, step.attr().type->fields[step.attr().index].offset);
    } else {
      by = b_.binary(Op::kMul, b_.convert(step.operand(1), type(TypeKind::kI64)),
                     number(TypeKind::kI64, step.attr().scale));
    }
    return b_.binary(Op::kAdd, distance, by);
  }

  // ---- checks

  // Whether `bytes` at that distance are inside of the object.
  Value* inside(const Object& o, Value* distance, Value* bytes) {
    Value* const at = b_.bitcast(distance, type(TypeKind::kU64));
    Value* const begins = b_.compare(Op::kLe, at, o.extent);
    Value* const ends = b_.compare(Op::kLe, bytes, b_.binary(Op::kSub, o.extent, at));
    return b_.binary(Op::kAnd, begins, ends);
  }

  // Of the object that operand `k` points to.
  Value* bytes_of(const Inst* i, size_t k) {
    if (i->is(Op::kAsyncCopy)) {
      if (k == 0) return number(TypeKind::kU64, i->attr().index);
      return b_.convert(i->operand(2), type(TypeKind::kU64));
    }
    if (i->is(Op::kMemCopy) || i->is(Op::kMemSet)) return b_.convert(i->operand(2), type(TypeKind::kU64));
    const bool stores = i->is(Op::kStore) || i->is(Op::kAtomicStore);
    return number(TypeKind::kU64, stores ? i->operand(1)->type->size : i->type->size);
  }

  void check_access(Inst* i) {
    b_.at(i->parent, i);
    b_.pos(i->pos);
    Value* ok = nullptr;
    struct Place {
      Object object;
      Value* distance;
      Value* ok;
    };
    std::vector<Place> places;
    const bool copies = i->is(Op::kMemCopy) || i->is(Op::kAsyncCopy);
    for (size_t k = 0; k < (copies ? 2u : 1u); ++k) {
      Value* distance = nullptr;
      auto object = locate(i->operand(k), distance);
      if (!object) continue;
      Value* const fits = inside(*object, distance, bytes_of(i, k));
      if (const ir::Const* known = ir::as_const(fits); known != nullptr && known->bits != 0) continue;
      places.push_back({*object, distance, fits});
      ok = ok == nullptr ? fits : b_.binary(Op::kAnd, ok, fits);
    }
    if (ok == nullptr) return;
    guard(i, ok);
    for (const Place& p : places) {
      if (places.size() > 1) {
        Inst* const failed = b_.make_if(b_.unary(Op::kNot, p.ok));
        ir::Block* const back = b_.block();
        Inst* const where = b_.where();
        b_.at(failed->blocks[0]);
        tell(add_site(i, false, p.object.name, p.object.element), p.distance, p.object.extent);
        b_.at(back, where);
      } else {
        tell(add_site(i, false, p.object.name, p.object.element), p.distance, p.object.extent);
      }
    }
  }

  // Moves the access into `if (ok)`; afterwards the builder is in its else.
  void guard(Inst* i, Value* ok) {
    ir::Block* const block = i->parent;
    Inst* const next = i->next;
    Inst* result = nullptr;
    if (!i->type->is_void()) {
      result = b_.var(i->type, "checked");
      b_.store(result, module_.constant(i->type, 0));
    }
    Inst* const branch = b_.make_if(ok);
    block->remove(i);
    branch->blocks[0]->append(i);
    if (result != nullptr) {
      b_.at(branch->blocks[0]);
      b_.store(result, i);
      keep_.insert(branch->blocks[0]->last);
      b_.at(block, next);
      replaced_.emplace(i, b_.load(i->type, result));
    }
    b_.at(branch->blocks[1]);
  }

  void check_assert(Inst* i) {
    b_.at(i->parent, i);
    b_.pos(i->pos);
    Inst* const branch = b_.make_if(i->operand(0));
    i->parent->remove(i);
    b_.at(branch->blocks[1]);
    tell(add_site(i, true, i->attr().text, 0), number(TypeKind::kI64, 0), number(TypeKind::kU64, 0));
  }

  uint32_t add_site(const Inst* i, bool is_assert, std::string name, uint64_t element) {
    CheckSite s;
    s.kernel = kernel_.name;
    if (i->pos.file < module_.files.size()) s.file = module_.files[i->pos.file].name;
    s.line = i->pos.line;
    s.column = i->pos.column;
    s.is_assert = is_assert;
    s.name = std::move(name);
    s.element = element;
    out_.sites.push_back(std::move(s));
    return options_.first_site + static_cast<uint32_t>(out_.sites.size()) - 1;
  }

  // The first failing thread writes its findings. It increments a counter instead of testing a flag, so that
  // no loop of the kernel looks as if it waited for others.
  void tell(uint32_t site, Value* distance, Value* extent) {
    const Type* u32 = type(TypeKind::kU32);
    const auto word = [&](uint32_t k) { return b_.offset(report_, number(TypeKind::kU32, k), 4); };
    ir::Attr attr;
    attr.scope = ir::Scope::kDevice;
    attr.rmw = ir::Rmw::kAdd;
    Value* const operands[] = {word(0), number(TypeKind::kU32, 1)};
    Value* const before = b_.op(Op::kAtomicRmw, u32, operands, attr);
    Inst* const first = b_.make_if(b_.compare(Op::kEq, before, number(TypeKind::kU32, 0)));
    ir::Block* const back = b_.block();
    Inst* const where = b_.where();
    b_.at(first->blocks[0]);
    uint32_t k = 1;
    for (Value* v : {b_.bitcast(distance, type(TypeKind::kU64)), extent}) {
      b_.store(word(k++), b_.convert(v, u32));
      b_.store(word(k++), b_.convert(b_.binary(Op::kShr, v, number(TypeKind::kU64, 32)), u32));
    }
    for (const Op op : {Op::kThreadId, Op::kBlockId}) {
      for (uint32_t d = 0; d < 3; ++d) b_.store(word(k++), b_.index_op(op, d));
    }
    b_.store(word(k), number(TypeKind::kU32, site));
    b_.at(back, where);
  }

  void replace_results() {
    traverse(kernel_.body, [&](Inst* user) {
      if (keep_.contains(user)) return;
      for (Value*& v : user->operands) {
        if (const auto by = replaced_.find(v); by != replaced_.end()) v = by->second;
      }
    });
  }

  ir::Module& module_;
  ir::Function& kernel_;
  const CheckOptions& options_;
  Checks& out_;
  ir::Builder b_;
  const PointerSets* sets_ = nullptr;
  size_t own_ = 0;  // parameters of the user's
  std::vector<uint32_t> extents_;
  std::unordered_map<const ir::Param*, Value*> extent_of_;
  Value* report_ = nullptr;
  std::unordered_map<const Value*, Value*> replaced_;
  std::unordered_set<const Inst*> keep_;  // stores to the results buffer itself
};

}  // namespace

Checks check_bounds(ir::Module& module, const CheckOptions& options) {
  Checks out;
  for (ir::Function* f : module.functions) {
    if (f->is_kernel) Checker(module, *f, options, out).run();
  }
  return out;
}

}  // namespace quern::pass
