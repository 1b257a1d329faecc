#include "lang/lower/function_lowering.hpp"

#include "lang/ir/tensor_map.hpp"
#include "lang/lower/messages.hpp"

namespace quern::lang {
namespace {

constexpr int kDelegates = -2;  // CtorInit::base_index of `Class() : Class(1) {}`

bool falls_off(const ir::Block* block);

// Whether an exit in the blocks of `control` leaves it.
bool is_left(const ir::Inst* control) {
  bool found = false;
  for (ir::Block* block : control->blocks) {
    ir::walk(block,
             [&](ir::Inst* i) { found = found || (i->is(ir::Op::kExit) && i->attr().target == control); });
  }
  return found;
}

bool falls_off_control(const ir::Inst* control) {
  if (control->is(ir::Op::kIf)) return falls_off(control->blocks[0]) || falls_off(control->blocks[1]);
  if (is_left(control)) return true;
  if (control->is(ir::Op::kLoop)) {
    const auto yields = [](const ir::Block* b) { return b->last != nullptr && b->last->is(ir::Op::kYield); };
    return yields(control->blocks[0]) || yields(control->blocks[2]);
  }
  if (control->is(ir::Op::kScope)) return falls_off(control->blocks[0]);
  bool has_default = false;
  for (size_t i = 0; i < control->blocks.size(); ++i) {
    has_default = has_default || control->attr().cases[i].values.empty();
    if (falls_off(control->blocks[i])) return true;
  }
  return !has_default;
}

// Whether control can reach the end of the block.
bool falls_off(const ir::Block* block) {
  if (block->last == nullptr) return true;
  if (block->terminated()) return false;
  return block->last->blocks.empty() || falls_off_control(block->last);
}

}  // namespace

FunctionLowering::FunctionLowering(ModuleLowering& shared, FunctionDecl* decl, ir::Function* function)
    : shared_(shared),
      sema_(shared.sema),
      module_(shared.module),
      decl_(decl),
      function_(function),
      builder_(shared.module) {}

bool FunctionLowering::run() {
  builder_.at(function_->body);
  builder_.pos(function_->pos);
  const bool has_result = decl_->result && !decl_->result->is_void() && !decl_->is_ctor && !decl_->is_dtor;
  if (has_result && function_->result->is_void()) {
    error(decl_->loc, message::kResultWithoutSize(to_string(decl_->result)));
    return false;
  }
  usage_.scan(decl_);
  for (const ClassDecl* made : usage_.made_classes()) {
    destroys_temporaries_ = destroys_temporaries_ || shared_.has_destructor(made);
  }
  bind_params();
  if (decl_->is_ctor) lower_ctor_inits();
  // The members' destructors run when the body is left, at any place.
  if (decl_->is_dtor) cleanups_ = parts_to_destroy(decl_->class_decl, this_);
  if (decl_->is_dtor) set_vptrs(decl_->class_decl, decl_->class_decl, this_, 0);
  if (decl_->tree != nullptr && usage_.has_labels() && needs_states(decl_->tree)) {
    body_with_labels(decl_->tree);
  } else if (decl_->tree != nullptr) {
    statement(decl_->tree);
  }
  finish();
  return !failed_;
}

void FunctionLowering::bind_params() {
  size_t i = 0;
  if (decl_->is_method()) this_ = function_->params[i++];
  for (VarDecl* var : call_params(decl_)) {
    ir::Param* param = function_->params[i++];
    Local& bound = locals_[var];
    if (decl_->is_kernel && ir::is_tensor_map(param->type)) {
      place(var->loc);
      bound.slot = builder_.op(ir::Op::kParamAddress, generic_ptr(), {param});
      continue;
    }
    if (var->type->is_ref() || is_simple(var)) {
      bound.value = param;
      continue;
    }
    place(var->loc);
    bound.slot = make_slot(var);
    FunctionDecl* known = var->known_function;
    builder_.store(bound.slot, known != nullptr ? function_number(known, nullptr) : generic(param));
    // The arguments of a kernel belong to the host.
    const bool is_own = !decl_->is_kernel && is_destroyed(var->type);
    if (is_own) cleanups_.push_back({var->type.type, bound.slot, nullptr});
  }
}

void FunctionLowering::lower_ctor_inits() {
  ClassDecl* decl = decl_->class_decl;
  const ClassLayout* layout = shared_.types.layout(decl);
  if (layout == nullptr) return;
  const bool delegates = !decl_->ctor_inits.empty() && decl_->ctor_inits[0].field == nullptr &&
                         decl_->ctor_inits[0].base_index == kDelegates;
  if (layout->has_bits && !delegates) clear_bits(decl, this_);
  bool has_type = delegates || !decl->is_polymorphic;
  for (const CtorInit& init : decl_->ctor_inits) {
    // The object has its class once its bases are constructed.
    if (init.field != nullptr && !has_type) set_vptrs(decl, decl, this_, 0);
    has_type = has_type || init.field != nullptr;
    const FullExpression full(*this);
    if (init.value != nullptr) place(init.value);
    if (init.field != nullptr) {
      ir::Value* field = builder_.field(this_, layout->type, layout->first_field + init.field->index);
      init_field(*init.field, init.value, field);
    } else if (init.base_index == kDelegates) {
      init_as(decl->type, init.value, this_);
    } else {
      const auto index = static_cast<size_t>(init.base_index);
      const int field = layout->base_field[index];
      ir::Value* base = field < 0 ? this_ : builder_.field(this_, layout->type, static_cast<uint32_t>(field));
      const bool stores_nothing = field < 0 && init.value == nullptr;
      if (!stores_nothing) init_as(decl->bases[index].decl->type, init.value, base);
    }
  }
  if (!has_type) set_vptrs(decl, decl, this_, 0);
}

void FunctionLowering::set_vptrs(ClassDecl* whole, ClassDecl* part, ir::Value* object, uint64_t offset) {
  if (!part->is_polymorphic) return;
  const ClassLayout* layout = shared_.types.layout(part);
  if (layout == nullptr) return;
  if (part->vptr != nullptr) {
    const uint64_t number = shared_.virtual_table.number(whole, offset + part->vptr->offset);
    ir::Value* field = builder_.field(object, layout->type, layout->first_field + part->vptr->index);
    builder_.store(field, module_.constant(ir_type(ir::TypeKind::kU64), number));
  }
  for (size_t i = 0; i < part->bases.size(); ++i) {
    const BaseClass& base = part->bases[i];
    if (!base.decl->is_polymorphic) continue;
    ir::Value* inner = builder_.field(object, layout->type, static_cast<uint32_t>(layout->base_field[i]));
    set_vptrs(whole, base.decl, inner, offset + base.offset);
  }
}

void FunctionLowering::finish() {
  if (ended()) return;
  run_cleanups(0);
  if (!function_->result->is_void() && falls_off(function_->body)) {
    builder_.ret(module_.undef(function_->result));  // unspecified in C++; the simulator reports its use
  }
}

void FunctionLowering::place(SourceLoc loc, uint32_t length) {
  if (decl_->is_library || !loc || (loc == placed_ && length == placed_length_)) return;
  placed_ = loc;
  placed_length_ = length;
  builder_.pos(shared_.position(loc, length, builder_.pos()));
}

ir::Value* FunctionLowering::error(const Expr* e, const base::MessageText& message) {
  failed_ = true;
  shared_.error(e->loc, e->length, message);
  return undef(e->type);
}

void FunctionLowering::error(SourceLoc loc, const base::MessageText& message) {
  failed_ = true;
  shared_.error(loc, 1, message);
}

const ir::Type* FunctionLowering::type(QualType t) {
  const ir::Type* made = shared_.types.get(t);
  if (made != nullptr && made->size != 0) return made;
  if (!t->is_error() && !failed_) error(decl_->loc, message::kValueWithoutSize(to_string(t)));
  failed_ = true;
  return ir_type(ir::TypeKind::kI32);
}

ir::Value* FunctionLowering::undef(QualType t) {
  const ir::Type* made = t ? shared_.types.get(t) : nullptr;
  return module_.undef(made != nullptr && made->size != 0 ? made : ir_type(ir::TypeKind::kI32));
}

}  // namespace quern::lang
