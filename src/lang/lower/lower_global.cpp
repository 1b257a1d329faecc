// Variables that are not local to a thread, and constant data.
#include <algorithm>

#include "lang/lower/messages.hpp"
#include "lang/lower/module_lowering.hpp"

namespace quern::lang {
namespace {

bool is_in_function(const VarDecl* var) {
  for (const Scope* s = var->parent; s != nullptr; s = s->parent) {
    if (s->kind == Scope::Kind::kFunction || s->kind == Scope::Kind::kBlock) return true;
    if (s->kind == Scope::Kind::kClass || s->kind == Scope::Kind::kNamespace) return false;
  }
  return false;
}

ir::Space space_of(Storage storage) {
  switch (storage) {
    case Storage::kShared: return ir::Space::kShared;
    case Storage::kConstant: return ir::Space::kConstant;
    default: return ir::Space::kGlobal;
  }
}

bool is_extern(const VarDecl* var) {
  return std::any_of(var->range.begin, var->range.end,
                     [](const Token& t) { return t.kind == Tok::kw_extern; });
}

bool is_empty_body(const Stmt* tree) {
  return tree == nullptr || tree->kind == StmtKind::kNull ||
         (tree->kind == StmtKind::kBlock && as<BlockStmt>(tree)->body.empty());
}

// Whether an initialiser has no effect: constructors without members to set and without statements.
bool does_nothing(Sema& sema, const Expr* init) {
  if (init == nullptr) return true;
  if (init->kind == ExprKind::kAggregate) {
    const auto* a = as<AggregateExpr>(init);
    const auto nothing = [&](const Expr* e) { return e != nullptr && does_nothing(sema, e); };
    return !a->members.empty() && std::all_of(a->members.begin(), a->members.end(), nothing);
  }
  if (init->kind != ExprKind::kConstruct) return false;
  FunctionDecl* ctor = as<ConstructExpr>(init)->ctor;
  if (ctor->class_decl->is_polymorphic) return false;
  if (!sema.complete_body(ctor) && !ctor->is_defaulted) return false;
  const auto nothing = [&](const CtorInit& i) { return i.value != nullptr && does_nothing(sema, i.value); };
  return is_empty_body(ctor->tree) && std::all_of(ctor->ctor_inits.begin(), ctor->ctor_inits.end(), nothing);
}

}  // namespace

std::string ModuleLowering::unique_global_name(std::string name) {
  const std::string wanted = name;
  for (int i = 2; global_names_.contains(name) || module.find_global(name) != nullptr; ++i) {
    name = wanted + "#" + std::to_string(i);
  }
  global_names_.insert(name);
  return name;
}

// Constants of the program, as opposed to memory that the host may set.
bool ModuleLowering::is_constant_table(const VarDecl* var) const {
  switch (var->storage) {
    case Storage::kHost:
    case Storage::kLocal: return true;
    case Storage::kDevice:
      return (var->is_constexpr || is_const_data(var->type)) && (is_in_function(var) || var->is_constexpr);
    default: return false;
  }
}

ir::Global* ModuleLowering::global(VarDecl* var, const ir::Function& owner, const Expr* at) {
  if (const auto known = globals_.find(var); known != globals_.end()) {
    if (const auto first = global_errors_.find(var); first != global_errors_.end())
      sema.diagnostics.log_again(first->second);
    return known->second;
  }
  const size_t before = sema.diagnostics.log().size();
  ir::Global* made = make_global(var, owner, at);
  globals_[var] = made;  // an error is reported once
  if (made == nullptr && sema.diagnostics.log().size() > before) global_errors_[var] = before;
  return made;
}

ir::Global* ModuleLowering::make_global(VarDecl* var, const ir::Function& owner, const Expr* at) {
  const std::string name(var->name != nullptr ? var->name->text : std::string_view("unnamed"));
  if (var->state != Lazy::kDone && !sema.complete_var(var)) return nullptr;
  const bool is_table = is_constant_table(var);
  const bool is_known = var->is_constexpr || var->is_const_init || is_const_data(var->type);
  if (is_table && (var->init == nullptr || !is_known)) {
    error(at->loc, at->length, message::kHostVariable(name));
    return nullptr;
  }
  if (var->storage != Storage::kShared && is_extern(var) && does_nothing(sema, var->init)) {
    error(at->loc, at->length, message::kExternNotDefined(name));
    return nullptr;
  }
  const ir::Type* type = types.get(var->type);
  if (type == nullptr) {
    error(at->loc, at->length, message::kVariableWithoutSize(name, to_string(var->type)));
    return nullptr;
  }
  const bool is_dynamic = var->type->is_array() && var->type->is_unsized;
  if (is_dynamic && var->storage != Storage::kShared) {
    error(at->loc, at->length, message::kArraySizeMissing(name));
    return nullptr;
  }
  const std::string full = is_in_function(var) ? owner.name + "::" + name : qualified_name(var);
  const ir::Space space = is_table ? ir::Space::kConstant : space_of(var->storage);
  ir::Global* made = module.add_global(unique_global_name(full), type, space);
  made->is_literal = is_table;
  made->pos = position(var->loc, 1, {});
  if (var->align) made->align = std::max<uint64_t>(made->align, static_cast<uint64_t>(*var->align));
  globals_[var] = made;  // its initialiser may refer to it
  return initialise(made, var, owner, at) ? made : nullptr;
}

bool ModuleLowering::initialise(ir::Global* global, const VarDecl* var, const ir::Function& owner,
                                const Expr* at) {
  if (var->init == nullptr) return true;
  const std::string name(var->name != nullptr ? var->name->text : std::string_view("unnamed"));
  if (var->storage == Storage::kShared) {
    if (does_nothing(sema, var->init)) return true;
    error(var->loc, 1, message::kSharedInitializer(name));
    return false;
  }
  if (does_nothing(sema, var->init)) return true;
  ConstValue value;
  std::string why;
  if (!evaluate(sema, var->init, value, &why)) {
    error(var->loc ? var->loc : at->loc, 1, message::kInitializerNotConstant(name, why));
    return false;
  }
  std::vector<uint8_t> bytes;
  std::vector<ConstAddress> addresses;
  value.type = var->type;
  if (!to_bytes(value, bytes, &addresses)) {
    error(var->loc ? var->loc : at->loc, 1, message::kPointerInInitializer(name));
    return false;
  }
  for (const ConstAddress& address : addresses) {
    if (address.value->function != nullptr) {
      const uint64_t number =
          function_table.number(address.value->function, var->loc ? var->loc : at->loc, 1);
      if (number == 0) return false;
      for (size_t i = 0; i < sizeof number; ++i) {
        bytes[address.at + i] = static_cast<uint8_t>(number >> (8 * i));
      }
      continue;
    }
    if (!add_pointer(global, address, owner, at)) return false;
  }
  const bool is_zero = std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
  if (!is_zero || !addresses.empty()) global->init = std::move(bytes);
  return true;
}

bool ModuleLowering::add_pointer(ir::Global* global, const ConstAddress& address, const ir::Function& owner,
                                 const Expr* at) {
  const ConstValue& pointer = *address.value;
  ir::Global* target = pointer.literal != nullptr
                           ? string_literal(pointer.literal->text, pointer.literal->type->count)
                           : this->global(const_cast<VarDecl*>(pointer.pointee), owner, at);
  if (target == nullptr) return false;
  global->pointers.push_back({address.at, target, distance(pointer)});
  return true;
}

ir::Global* ModuleLowering::string_literal(const std::string& text, uint64_t size) {
  std::string bytes = text;
  bytes.resize(size);
  ir::Global*& known = strings_[bytes];
  if (known != nullptr) return known;
  const ir::Type* type = module.types().array(module.types().get(ir::TypeKind::kI8), size);
  known = module.add_global(unique_global_name("string"), type, ir::Space::kConstant);
  known->is_literal = true;
  known->init.assign(bytes.begin(), bytes.end());
  return known;
}

ir::Global* ModuleLowering::constant_table(QualType type, const std::vector<uint8_t>& bytes,
                                           const std::string& name) {
  const ir::Type* object = types.get(type);
  if (object == nullptr) return nullptr;
  ir::Global* made = module.add_global(unique_global_name(name), object, ir::Space::kConstant);
  made->is_literal = true;
  made->init = bytes;
  return made;
}

}  // namespace quern::lang
