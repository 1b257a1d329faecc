#include "lang/lower/virtual_table.hpp"

#include <algorithm>

#include "lang/lower/function_table.hpp"
#include "lang/lower/messages.hpp"
#include "lang/lower/module_lowering.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"
#include "lang/sema/virtual.hpp"

namespace quern::lang {

namespace {

// Whether the object of class `whole` has a base (or is one) of class `part` at that offset.
bool has_part(const ClassDecl* whole, uint64_t offset, const ClassDecl* part) {
  if (whole == part && offset == 0) return true;
  return std::any_of(whole->bases.begin(), whole->bases.end(), [&](const BaseClass& base) {
    return offset >= base.offset && has_part(base.decl, offset - base.offset, part);
  });
}

}  // namespace

uint64_t VirtualTable::number(ClassDecl* whole, uint64_t at) {
  const auto [known, is_new] = numbers_.try_emplace({whole, at}, 0);
  if (!is_new) return known->second;
  const FilePos pos = shared_.sema.sources.resolve(whole->loc);
  uint64_t number =
      stable_number(std::string(pos.file) + ":" + std::to_string(pos.line) + ":" +
                    std::to_string(pos.column) + " " + whole->full_name + " " + std::to_string(at));
  while (number == 0 || !taken_.insert(number).second) number = (number + 1) & 0x7fffffffU;
  known->second = number;
  types_.push_back({whole, at, number});
  return number;
}

ir::Function* VirtualTable::dispatcher(FunctionDecl* f) {
  for (const Dispatcher& known : dispatchers_) {
    if (known.decl == f) return known.function;
  }
  ir::Function* made = shared_.add_helper("virtual call of '" + qualified_name(f) + "'");
  shared_.add_params(f, made);
  dispatchers_.push_back({f, f->class_decl, nullptr, made, {}, 0});
  return made;
}

ir::Function* VirtualTable::destroyer(ClassDecl* c, bool frees) {
  Ident* name = shared_.sema.idents.get(frees ? "__lib_delete" : "__lib_destroy");
  TemplateDecl* destroys = nullptr;
  for (Decl* d : shared_.sema.lookup_in(name, shared_.sema.global)) {
    if (auto* t = decl_cast<TemplateDecl>(d, DeclKind::kTemplate)) destroys = t;
  }
  for (const Dispatcher& known : dispatchers_) {
    if (known.of == c && known.destroys == destroys) return known.function;
  }
  ir::Function* made = shared_.add_helper("virtual destructor of '" + c->full_name + "'");
  shared_.module.add_param(made, shared_.module.types().ptr(ir::Space::kGeneric), "this");
  dispatchers_.push_back({nullptr, c, destroys, made, {}, 0});
  return made;
}

bool VirtualTable::collect() {
  bool found = false;
  // A function that is found may create dispatchers and types.
  for (size_t i = 0; i < dispatchers_.size(); ++i) {
    for (; dispatchers_[i].seen < types_.size(); found = true) {
      const DynamicType type = types_[dispatchers_[i].seen++];
      add_target(dispatchers_[i], type);
    }
  }
  return found;
}

void VirtualTable::add_destroyed(Dispatcher& dispatcher, const DynamicType& type) {
  const uint64_t vptr = vptr_offset(dispatcher.of);
  if (type.at < vptr || !has_part(type.whole, type.at - vptr, dispatcher.of)) return;
  Target target;
  target.number = type.number;
  target.shift = -static_cast<int64_t>(type.at - vptr);
  TemplateArg whole;
  whole.kind = TemplateArg::Kind::kType;
  whole.type = type.whole->type;
  target.decl = shared_.sema.instantiate_function(dispatcher.destroys, {whole}, type.whole->loc);
  if (target.decl != nullptr && shared_.sema.complete_signature(target.decl))
    target.function = shared_.function(target.decl, type.whole->loc, 1);
  dispatcher.targets.push_back(target);
}

void VirtualTable::add_target(Dispatcher& dispatcher, const DynamicType& type) {
  if (dispatcher.decl == nullptr) return add_destroyed(dispatcher, type);
  FunctionDecl* called = dispatcher.decl;
  const uint64_t vptr = vptr_offset(called->class_decl);
  if (type.at < vptr) return;
  const uint64_t object = type.at - vptr;
  const Overrider found = final_overrider(shared_.sema, type.whole, object, called);
  if (found.function == nullptr) return;
  Target target;
  target.number = type.number;
  target.shift = static_cast<int64_t>(found.offset) - static_cast<int64_t>(object);
  target.decl = found.function;
  const bool is_pure = found.function->body_range.empty() && !found.function->is_defaulted;
  if (!is_pure && is_host_only(found.function)) {
    shared_.error(found.function->loc, 1, message::kHostFunction(name_of(found.function)));
  } else if (!is_pure) {
    target.function = shared_.function(found.function, found.function->loc, 1);
  }
  dispatcher.targets.push_back(target);
}

void VirtualTable::finish() {
  for (const Dispatcher& dispatcher : dispatchers_) fill(dispatcher);
}

ir::Value* VirtualTable::load_number(ir::Builder& builder, ClassDecl* c, ir::Value* object) {
  while (c->vptr == nullptr) {
    const auto base = std::find_if(c->bases.begin(), c->bases.end(),
                                   [](const BaseClass& b) { return b.decl->is_polymorphic; });
    const ClassLayout* layout = shared_.types.layout(c);
    if (layout == nullptr || base == c->bases.end()) return nullptr;
    const int field = layout->base_field[static_cast<size_t>(base - c->bases.begin())];
    object = builder.field(object, layout->type, static_cast<uint32_t>(field));
    c = base->decl;
  }
  const ClassLayout* layout = shared_.types.layout(c);
  if (layout == nullptr) return nullptr;
  ir::Value* field = builder.field(object, layout->type, layout->first_field + c->vptr->index);
  return builder.convert(builder.load(builder.type(ir::TypeKind::kU64), field),
                         builder.type(ir::TypeKind::kU32));
}

// A function may return a pointer to a class derived from that of the function it overrides.
ir::Value* VirtualTable::as_result(ir::Builder& builder, const FunctionDecl* from, const FunctionDecl* to,
                                   ir::Value* v) {
  const QualType a = from->result->elem;
  const QualType b = to->result->elem;
  if (!v->type->is_ptr() || !a || !b || !a->is_class() || !b->is_class() || a.type == b.type) return v;
  uint64_t offset = 0;
  if (!shared_.sema.is_derived_from(a->class_decl, b->class_decl, &offset) || offset == 0) return v;
  ir::Value* moved = builder.offset(v, shared_.module.constant(builder.type(ir::TypeKind::kU64), offset), 1);
  ir::Value* null = shared_.module.constant(v->type, 0);
  return builder.select(builder.compare(ir::Op::kEq, v, null), null, moved);
}

void VirtualTable::fill(const Dispatcher& dispatcher) {
  ir::Function* f = dispatcher.function;
  ir::Builder builder(shared_.module);
  builder.at(f->body);
  ir::Value* on = load_number(builder, dispatcher.of, f->params[0]);
  if (on == nullptr) return;
  std::vector<ir::SwitchCase> cases;
  for (const Target& target : dispatcher.targets) cases.push_back({{static_cast<int64_t>(target.number)}});
  cases.push_back({});
  const ir::Inst* choice = builder.make_switch(on, std::move(cases));
  for (size_t i = 0; i < dispatcher.targets.size(); ++i) {
    const Target& target = dispatcher.targets[i];
    builder.at(choice->blocks[i]);
    if (target.function == nullptr) {
      never(builder, "the called virtual function is not pure");
      continue;
    }
    std::vector<ir::Value*> args(f->params.begin(), f->params.end());
    if (target.shift != 0)
      args[0] = builder.offset(args[0], shared_.module.constant_int(ir::TypeKind::kI64, target.shift), 1);
    ir::Inst* call = builder.emit(ir::Op::kCall, target.function->result, args);
    call->mutable_attr().callee = target.function;
    builder.ret(f->result->is_void() ? nullptr : as_result(builder, target.decl, dispatcher.decl, call));
  }
  builder.at(choice->blocks.back());
  never(builder, "the object of the virtual call was constructed");
  builder.at(f->body);
  if (!f->result->is_void()) builder.ret(shared_.module.undef(f->result));
}

}  // namespace quern::lang
