// Implicit copies of classes with members whose copying runs code: member by member.
#include <algorithm>

#include "lang/lower/function_lowering.hpp"
#include "lang/sema/expression.hpp"

namespace quern::lang {
namespace {

const Type* element_type(const Type* t) {
  while (t->is_array()) t = t->elem.type;
  return t;
}

// The user-defined constructor or assignment that copies a `const T&`; nullptr: there is none.
bool copies_from_const(const FunctionDecl* f) {
  if (f->is_defaulted || f->is_deleted || f->params.size() != 1) return false;
  const QualType from = f->params[0]->type;
  return from && from->is(TypeKind::kLRef) && from->elem->is_class() &&
         from->elem->class_decl == f->class_decl;
}

FunctionDecl* copy_constructor(const ClassDecl* decl) {
  const auto found = std::find_if(decl->ctors.begin(), decl->ctors.end(), [](const FunctionDecl* f) {
    return is_copy_constructor(f) && copies_from_const(f);
  });
  return found != decl->ctors.end() ? *found : nullptr;
}

FunctionDecl* copy_assignment(Sema& sema, ClassDecl* decl) {
  if (decl->members == nullptr) return nullptr;
  for (Decl* d : sema.lookup_in(sema.idents.get("operator="), decl->members)) {
    auto* f = decl_cast<FunctionDecl>(d, DeclKind::kFunction);
    if (f != nullptr && f->class_decl == decl && sema.complete_signature(f) && copies_from_const(f)) return f;
  }
  return nullptr;
}

}  // namespace

FunctionDecl* ModuleLowering::copier(ClassDecl* decl, Copy how) {
  return how == Copy::kConstruct ? copy_constructor(decl) : copy_assignment(sema, decl);
}

bool ModuleLowering::copies_by_member(ClassDecl* decl, Copy how) {
  auto& known_here = by_member_[static_cast<size_t>(how)];
  if (const auto known = known_here.find(decl); known != known_here.end()) return known->second;
  known_here[decl] = false;
  const auto runs_code = [&](ClassDecl* part) {
    return copier(part, how) != nullptr || copies_by_member(part, how);
  };
  bool found = decl->is_polymorphic;  // the copy of a derived object as this class has this class
  for (const BaseClass& base : decl->bases) found = found || runs_code(base.decl);
  for (const FieldDecl* field : decl->fields) {
    const Type* t = element_type(field->type.type);
    found = found || (t->is_class() && !decl->is_union && runs_code(t->class_decl));
  }
  known_here[decl] = found;
  return found;
}

bool FunctionLowering::copies_by_member(QualType t, Copy how) {
  const Type* of = element_type(t.type);
  return of->is_class() && shared_.copies_by_member(of->class_decl, how);
}

// Copies one object, to an existing one (kAssign) or to a new one (kConstruct).
void FunctionLowering::copy_object(const Type* t, ir::Value* from, ir::Value* to, Copy how) {
  if (!element_type(t)->is_class()) {
    const ir::Type* object = type(t);
    builder_.store(to, builder_.load(object, from));
  } else if (t->is_array()) {
    for_each_element(t, false, [&](ir::Value* index) {
      const uint64_t size = size_of(t->elem);
      copy_object(t->elem.type, builder_.offset(from, index, size), builder_.offset(to, index, size), how);
    });
  } else if (FunctionDecl* copier = shared_.copier(t->class_decl, how)) {
    ir::Function* callee = shared_.function(copier, copier->loc, 1);
    if (callee == nullptr) {
      failed_ = true;
      return;
    }
    ir::Value* args[] = {generic(to), generic(from)};
    emit_call(callee, args);
  } else if (shared_.copies_by_member(t->class_decl, how)) {
    copy_members(t->class_decl, from, to, how);
  } else if (const ir::Type* object = type(t); !object->fields.empty()) {
    builder_.store(to, builder_.load(object, from));
  }
}

void FunctionLowering::copy_members(ClassDecl* decl, ir::Value* from, ir::Value* to, Copy how) {
  const ClassLayout* layout = shared_.types.layout(decl);
  if (layout == nullptr) {
    failed_ = true;
    return;
  }
  const auto copy = [&](const Type* t, uint32_t field) {
    copy_object(t, builder_.field(from, layout->type, field), builder_.field(to, layout->type, field), how);
  };
  for (size_t i = 0; i < decl->bases.size(); ++i) {
    if (layout->base_field[i] >= 0)
      copy(decl->bases[i].decl->type, static_cast<uint32_t>(layout->base_field[i]));
  }
  if (how == Copy::kConstruct) set_vptrs(decl, decl, to, 0);
  for (const FieldDecl* field : decl->fields) {
    if (field != decl->vptr) copy(field->type.type, layout->first_field + field->index);
  }
}

// Runs `body` for the index of each element of an array.
void FunctionLowering::for_each_element(const Type* array, bool from_last,
                                        const std::function<void(ir::Value*)>& body) {
  const ir::Type* index_type = ir_type(ir::TypeKind::kU64);
  const auto number = [&](uint64_t n) { return module_.constant(index_type, n); };
  ir::Block* after = builder_.block();
  ir::Inst* done = builder_.var(index_type, {});
  builder_.store(done, number(0));
  const ir::Inst* loop = builder_.make_loop();
  builder_.at(loop->blocks[0]);
  builder_.yield(builder_.compare(ir::Op::kLt, builder_.load(index_type, done), number(array->count)));
  builder_.at(loop->blocks[1]);
  ir::Value* index = builder_.load(index_type, done);
  builder_.store(done, builder_.binary(ir::Op::kAdd, index, number(1)));
  body(from_last ? builder_.binary(ir::Op::kSub, number(array->count - 1), index) : index);
  builder_.at(after);
}

}  // namespace quern::lang
