// Infers the address space of each pointer from where it can come from: flow-insensitive, over values, over
// the contents of variables, and over one cell per kind of memory for pointers that pass through memory.
#include <array>
#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/pass/address_roots.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::Value;
using ir::ValueKind;

// A lattice: kNowhere at the bottom (null, undefined, not a pointer), then one space, then kGeneric at the
// top: any of several.
constexpr uint8_t kNowhere = 0xff;

uint8_t join(uint8_t a, uint8_t b) {
  if (a == kNowhere || a == b) return b;
  return b == kNowhere ? a : static_cast<uint8_t>(Space::kGeneric);
}

uint8_t element(Space space) { return static_cast<uint8_t>(space); }

class SpaceAnalysis {
 public:
  SpaceAnalysis(ir::Function& function, const AddressRoots& roots)
      : function_(function),
        roots_(roots),
        values_(roots.inst_count(), kNowhere),
        cells_(roots.inst_count(), kNowhere) {
    memory_.fill(kNowhere);
    // The host fills these, and it can only pass addresses of device memory.
    memory_[element(Space::kGlobal)] = memory_[element(Space::kConstant)] = element(Space::kGlobal);
    run();
    settle_integers();
  }

  uint8_t of(const Value* v) const {
    switch (v->kind) {
      case ValueKind::kInst: return values_[static_cast<const Inst*>(v)->id];
      case ValueKind::kGlobal: return element(v->type->space);
      case ValueKind::kParam: return of_param(v->type);
      default: return kNowhere;
    }
  }
  uint8_t content_of(const Inst* var) const { return cells_[var->id]; }

 private:
  uint8_t of_param(const Type* type) const {
    if (type->is_ptr() && type->space != Space::kGeneric) return element(type->space);
    if (!contains_pointer(type)) return kNowhere;
    return function_.is_kernel ? element(Space::kGlobal) : element(Space::kGeneric);
  }

  void run() {
    do {
      changed_ = false;
      traverse(function_.body, [this](Inst* i) { visit(i); });
    } while (changed_);
  }

  // An address made from a plain number came from the host; unless it turns out that it was made from a
  // pointer.
  void settle_integers() {
    traverse(function_.body, [this](Inst* i) {
      if (i->is(Op::kIntToPtr) && values_[i->id] == kNowhere) raise(values_[i->id], element(Space::kGlobal));
    });
    run();
  }

  void raise(uint8_t& slot, uint8_t to) {
    const uint8_t joined = join(slot, to);
    if (joined == slot) return;
    slot = joined;
    changed_ = true;
  }

  void visit(Inst* inst) {
    uint8_t& value = values_[inst->id];
    switch (inst->op) {
      case Op::kVar: return raise(value, element(Space::kLocal));
      case Op::kSharedPointer: return raise(value, element(Space::kShared));
      case Op::kMapShared:
      case Op::kParamAddress: return raise(value, element(Space::kGeneric));
      case Op::kOffset:
      case Op::kFieldPtr: return raise(value, of(inst->operand(0)));
      case Op::kSpaceCast: {
        const Space to = inst->type->space;
        return raise(value, to == Space::kGeneric ? of(inst->operand(0)) : element(to));
      }
      case Op::kSelect: return raise(value, join(of(inst->operand(1)), of(inst->operand(2))));
      case Op::kLoad: return raise(value, read(inst->operand(0)));
      case Op::kStore: return write(inst->operand(0), of(inst->operand(1)));
      case Op::kMemCopy: return write(inst->operand(0), read(inst->operand(1)));
      case Op::kAtomicRmw:
      case Op::kAtomicCas:
      case Op::kAtomicLoad:
      case Op::kAtomicStore:
        for (size_t k = 1; k < inst->operands.size(); ++k) write(inst->operand(0), of(inst->operand(k)));
        return raise(value, read(inst->operand(0)));
      case Op::kCall: return raise(value, contains_pointer(inst->type) ? element(Space::kGeneric) : kNowhere);
      default: break;
    }
    if (inst->type->is_void() || inst->type->is_bool() || inst->type->is_float()) return;
    for (const Value* v : inst->operands) raise(value, of(v));
  }

  // The contents of a variable whose address does not escape.
  const Inst* private_root(const Value* pointer) const {
    const Inst* root = roots_.root_of(pointer);
    return root != nullptr && !roots_.escapes(root) ? root : nullptr;
  }

  uint8_t read(const Value* pointer) {
    if (const Inst* root = private_root(pointer)) return cells_[root->id];
    const uint8_t space = of(pointer);
    if (space == kNowhere) return kNowhere;
    if (space != element(Space::kGeneric)) return memory_[space];
    uint8_t any = kNowhere;
    for (const uint8_t cell : memory_) any = join(any, cell);
    return any;
  }

  void write(const Value* pointer, uint8_t what) {
    if (const Inst* root = private_root(pointer)) return raise(cells_[root->id], what);
    const uint8_t space = of(pointer);
    if (space == kNowhere) return;
    if (space != element(Space::kGeneric)) return raise(memory_[space], what);
    for (uint8_t& cell : memory_) raise(cell, what);
  }

  ir::Function& function_;
  const AddressRoots& roots_;
  std::vector<uint8_t> values_;  // by id
  std::vector<uint8_t> cells_;   // by id of a var: pointers in it
  std::array<uint8_t, 5> memory_{};
  bool changed_ = false;
};

class Narrower {
 public:
  Narrower(ir::Module& module, ir::Function& function)
      : module_(module),
        function_(function),
        builder_(module),
        roots_(function),
        spaces_(function, roots_),
        instead_(roots_.inst_count(), nullptr) {}

  void run() {
    if (function_.is_kernel) {
      for (ir::Param* p : function_.params) {
        if (p->type->is_ptr() && p->type->space == Space::kGeneric)
          p->type = module_.types().ptr(Space::kGlobal);
      }
    }
    traverse(function_.body, [this](Inst* i) { narrow(i); });
    traverse(function_.body, [this](Inst* i) {
      if (i->id != kNone) adapt(i);
    });
  }

 private:
  const Type* generic() const { return module_.types().ptr(Space::kGeneric); }

  // A pointer that is nowhere (null, undefined) may have any space; global lets every target name its type.
  const Type* narrowed(uint8_t space) const {
    return module_.types().ptr(space == kNowhere ? Space::kGlobal : static_cast<Space>(space));
  }

  // In-place types: of pointer variables and of values computed from pointers.
  void narrow(Inst* inst) {
    if (inst->is(Op::kVar)) {
      if (inst->attr().type == generic() && roots_.is_plain(inst)) {
        inst->mutable_attr().type = narrowed(spaces_.content_of(inst));
      }
      return;
    }
    if (inst->type != generic()) return;
    const bool from_var = inst->is(Op::kLoad) && plain_var(inst->operand(0)) != nullptr;
    if (from_var) {
      inst->type = plain_var(inst->operand(0))->attr().type;
    } else if (inst->is(Op::kOffset) || inst->is(Op::kFieldPtr) || inst->is(Op::kSelect) ||
               inst->is(Op::kSpaceCast)) {
      inst->type = narrowed(spaces_.of(inst));
    }
  }

  const Inst* plain_var(const Value* pointer) const {
    const Inst* root = roots_.root_of(pointer);
    return root != nullptr && roots_.is_plain(root) ? root : nullptr;
  }

  // Converts operands to the types that the instruction now needs, and its result to the type that its uses
  // now need.
  void adapt(Inst* inst) {
    for (Value*& v : inst->operands) {
      const Inst* i = ir::as_inst(v);
      if (i != nullptr && i->id != kNone && instead_[i->id] != nullptr) v = instead_[i->id];
    }
    switch (inst->op) {
      case Op::kOffset:
      case Op::kFieldPtr: want(inst, 0, inst->type); break;
      case Op::kSelect:
        if (inst->type->is_ptr()) want(inst, 1, inst->type), want(inst, 2, inst->type);
        break;
      case Op::kSpaceCast: adapt_cast(inst); return;
      case Op::kEq:
      case Op::kNe:
      case Op::kLt:
      case Op::kLe:
      case Op::kGt:
      case Op::kGe:
      case Op::kPtrDiff: adapt_pair(inst); break;
      case Op::kStore: adapt_stored(inst); break;
      case Op::kConstruct:
        for (uint32_t k = 0; k < inst->operands.size(); ++k) want(inst, k, member_type(inst->type, k));
        break;
      case Op::kInsert: want(inst, 1, member_type(inst->type, inst->attr().index)); break;
      case Op::kMapShared:
      case Op::kSharedAddress:
      case Op::kPtrToInt:  // an integer must be the same whatever is known about the pointer
      case Op::kIsSpace: want(inst, 0, generic()); break;
      case Op::kReturn:
        if (!inst->operands.empty()) want(inst, 0, function_.result);
        break;
      case Op::kCall:
        for (uint32_t k = 0; k < inst->operands.size(); ++k)
          want(inst, k, inst->attr().callee->params[k]->type);
        break;
      default: break;
    }
    adapt_result(inst);
  }

  // A pointer that is loaded from memory or extracted from a struct is generic there; its uses see the
  // narrowed one.
  void adapt_result(Inst* inst) {
    if (inst->type != generic()) return;
    const uint8_t space = spaces_.of(inst);
    if (space == element(Space::kGeneric)) return;
    builder_.at(inst->parent, inst->next);
    builder_.pos(inst->pos);
    Inst* cast = builder_.emit(Op::kSpaceCast, narrowed(space), {inst});
    cast->id = kNone;
    instead_[inst->id] = cast;
  }

  static const Type* member_type(const Type* type, uint32_t index) {
    return type->is_array() ? type->elem : type->fields[index].type;
  }

  void adapt_cast(Inst* inst) {
    const Type* from = inst->operand(0)->type;
    if (from == inst->type) {
      instead_[inst->id] = inst->operand(0);
    } else if (from->space != Space::kGeneric && inst->type->space != Space::kGeneric) {
      want(inst, 0, generic());
    }
  }

  void adapt_pair(Inst* inst) {
    Value* a = inst->operand(0);
    Value* b = inst->operand(1);
    if (!a->type->is_ptr() || a->type == b->type) return;
    const bool is_a_free = a->kind == ValueKind::kConst || a->kind == ValueKind::kUndef;
    const bool is_b_free = b->kind == ValueKind::kConst || b->kind == ValueKind::kUndef;
    const Type* common = is_a_free ? b->type : is_b_free ? a->type : generic();
    want(inst, 0, common);
    want(inst, 1, common);
  }

  void adapt_stored(Inst* inst) {
    if (!inst->operand(1)->type->is_ptr()) return;
    const Inst* var = plain_var(inst->operand(0));
    // Memory stores generic pointers, whatever is known about them.
    want(inst, 1, var != nullptr ? var->attr().type : generic());
  }

  void want(Inst* inst, uint32_t operand, const Type* type) {
    Value* v = inst->operand(operand);
    if (!v->type->is_ptr() || v->type == type) return;
    if (v->kind == ValueKind::kConst) {
      inst->operands[operand] = module_.constant(type, 0);
    } else if (v->kind == ValueKind::kUndef) {
      inst->operands[operand] = module_.undef(type);
    } else {
      inst->operands[operand] = cast_to(inst, v, type);
    }
  }

  Value* cast_to(Inst* before, Value* v, const Type* type) {
    builder_.at(before->parent, before);
    builder_.pos(before->pos);
    if (v->type->space != Space::kGeneric && type->space != Space::kGeneric)
      v = cast_to(before, v, generic());
    Inst* cast = builder_.emit(Op::kSpaceCast, type, {v});
    cast->id = kNone;
    return cast;
  }

  ir::Module& module_;
  ir::Function& function_;
  ir::Builder builder_;
  AddressRoots roots_;
  SpaceAnalysis spaces_;
  std::vector<Value*> instead_;  // by id
};

bool uses_generic(const ir::Module& module, const ir::Function& function) {
  const Type* generic = module.types().ptr(Space::kGeneric);
  bool found = false;
  for (const ir::Param* p : function.params) found |= p->type == generic;
  traverse(function.body, [&](const Inst* i) {
    found |= i->type == generic || (i->is(Op::kVar) && i->attr().type == generic);
  });
  return found;
}

}  // namespace

bool infer_spaces(ir::Module& module) {
  bool any = false;
  for (ir::Function* function : module.functions) {
    if (!uses_generic(module, *function)) continue;
    any = true;
    Narrower(module, *function).run();
  }
  return any;
}

}  // namespace quern::pass
