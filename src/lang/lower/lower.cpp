// The queue of functions, their names and signatures, and the handling of kernels with errors.
#include "lang/lower/lower.hpp"

#include <algorithm>

#include "lang/lower/function_lowering.hpp"
#include "lang/lower/messages.hpp"
#include "lang/lower/module_lowering.hpp"
#include "lang/sema/expression.hpp"

namespace quern::lang {
namespace {

std::string scope_prefix(const Scope* scope) {
  std::string prefix;
  for (; scope != nullptr; scope = scope->parent) {
    if (scope->kind == Scope::Kind::kClass && scope->class_decl != nullptr) {
      return scope->class_decl->full_name + "::" + prefix;
    }
    if (scope->kind == Scope::Kind::kNamespace && scope->name != nullptr) {
      prefix = std::string(scope->name->text) + "::" + prefix;
    }
  }
  return prefix;
}

std::string_view last_part(std::string_view name) {
  const size_t angle = name.find('<');
  const size_t at = name.substr(0, angle).rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

std::string param_list(const FunctionDecl* decl) {
  std::string text = "(";
  for (const VarDecl* param : call_params(decl)) {
    if (text.size() > 1) text += ", ";
    text += to_string(param->type);
  }
  return text + ")";
}

// All functions that the kernel calls, directly or indirectly, and itself.
void reach(ir::Function* from, std::unordered_set<const ir::Function*>& seen) {
  std::vector<ir::Function*> open{from};
  seen.insert(from);
  while (!open.empty()) {
    ir::Function* function = open.back();
    open.pop_back();
    ir::walk(function->body, [&](ir::Inst* inst) {
      if (!inst->is(ir::Op::kCall)) return;
      ir::Function* callee = inst->attr().callee;
      if (seen.insert(callee).second) open.push_back(callee);
    });
  }
}

// Whether the body of a destructor has statements. Host destructors are not examined; one with errors counts,
// so that every place that destroys an object is reported.
bool runs_code(Sema& sema, FunctionDecl* dtor) {
  constexpr ptrdiff_t kEmptyBody = 2;  // { }
  if (is_host_only(dtor)) return dtor->body_range.end - dtor->body_range.begin != kEmptyBody;
  if (!sema.complete_body(dtor) || dtor->tree == nullptr) return true;
  return dtor->tree->kind != StmtKind::kBlock || !as<BlockStmt>(dtor->tree)->body.empty();
}

// The variable, and those that its initial data point to.
void add_reached(const ir::Global* global, std::unordered_set<const ir::Value*>& reached) {
  if (!reached.insert(global).second) return;
  for (const ir::Relocation& pointer : global->pointers) add_reached(pointer.target, reached);
}

}  // namespace

std::string qualified_name(const Decl* decl) {
  const std::string name(decl->name != nullptr ? decl->name->text : std::string_view("unnamed"));
  return scope_prefix(decl->parent) + name;
}

std::vector<VarDecl*> call_params(const FunctionDecl* function) {
  std::vector<VarDecl*> params;
  params.reserve(function->params.size());
  for (VarDecl* param : function->params) {
    if (param->is_param_pack) {
      params.insert(params.end(), param->pack.begin(), param->pack.end());
    } else {
      params.push_back(param);
    }
  }
  return params;
}

bool is_const_data(QualType type) {
  while (!type.is_const && type->is_array()) type = type->elem;
  return type.is_const;
}

std::vector<std::string> lower(Sema& sema, std::span<FunctionDecl* const> kernels,
                               std::span<const std::string> names, ir::Module& module,
                               const std::function<std::vector<LaunchedKernel>()>& more) {
  return ModuleLowering(sema, module).run(kernels, names, more);
}

std::vector<std::string> ModuleLowering::run(std::span<FunctionDecl* const> kernels,
                                             std::span<const std::string> names,
                                             const std::function<std::vector<LaunchedKernel>()>& more) {
  std::vector<ir::Function*> roots;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (ir::Function* const root = add_root(kernels[i], names[i])) roots.push_back(root);
  }
  for (bool is_done = false; !is_done;) {
    do lower_queue();
    while (virtual_table.collect());
    is_done = true;
    for (const LaunchedKernel& k : more ? more() : std::vector<LaunchedKernel>()) {
      if (ir::Function* const root = add_root(k.function, k.name)) roots.push_back(root);
      is_done = false;
    }
  }
  virtual_table.finish();
  function_table.finish();
  return drop_failed(roots);
}

// nullptr: the kernel is in the module.
ir::Function* ModuleLowering::add_root(FunctionDecl* kernel, const std::string& name) {
  if (functions_.contains(kernel)) return nullptr;
  ir::Function* function = declare(kernel, name);
  const size_t errors = sema.diagnostics.error_count();
  const size_t known = sema.diagnostics.log().size();
  if (!sema.complete_body(kernel)) {
    // A signature that cannot be determined alone is not an error: overload resolution sees many of
    // them.
    const bool is_silent = sema.diagnostics.error_count() == errors && !kernel->failure.empty();
    if (is_silent) error(kernel->loc, 1, message::kKernelCannotBeCompiled(name, kernel->failure));
    fail(function, first_error_since(known));
  }
  if (kernel->signature == Lazy::kDone) add_params(kernel, function);
  if (!failed_.contains(function)) queue_.push_back({kernel, function});
  return function;
}

void ModuleLowering::fail(const ir::Function* function, std::string reason) {
  std::string& known = failed_[function];
  if (known.empty()) known = std::move(reason);
}

std::string ModuleLowering::first_error_since(size_t before) const {
  if (before >= sema.diagnostics.log().size()) return {};
  const Diagnostics::Logged& first = sema.diagnostics.log()[before];
  const FilePos at = sema.sources.resolve(first.loc);
  return std::string(at.file) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
         first.message;
}

void ModuleLowering::lower_queue() {
  while (!queue_.empty()) {
    const Pending next = queue_.front();
    queue_.pop_front();
    current_ = next.function;
    const size_t known = sema.diagnostics.log().size();
    FunctionLowering lowering(*this, next.decl, next.function);
    if (!lowering.run()) fail(next.function, first_error_since(known));
  }
}

// A kernel fails if anything it calls fails. Functions that only failed kernels use are removed too.
std::vector<std::string> ModuleLowering::drop_failed(const std::vector<ir::Function*>& kernels) {
  std::vector<std::string> reasons(kernels.size());
  if (failed_.empty()) return reasons;
  std::unordered_set<const ir::Function*> kept;
  for (size_t i = 0; i < kernels.size(); ++i) {
    std::unordered_set<const ir::Function*> used;
    reach(kernels[i], used);
    bool is_good = true;
    for (const ir::Function* f : used) {
      const auto bad = failed_.find(f);
      if (bad == failed_.end()) continue;
      is_good = false;
      if (reasons[i].empty() || f == kernels[i]) reasons[i] = bad->second.empty() ? reasons[i] : bad->second;
    }
    if (is_good) kept.merge(used);
    if (!is_good && reasons[i].empty()) reasons[i] = "it calls a function that has errors";
  }
  std::unordered_set<const ir::Value*> named;
  for (const ir::Function* function : kept) {
    ir::walk(function->body, [&](ir::Inst* inst) {
      for (const ir::Value* operand : inst->operands) {
        if (operand->kind == ir::ValueKind::kGlobal)
          add_reached(static_cast<const ir::Global*>(operand), named);
      }
    });
  }
  const auto is_mine = [&](const ir::Function* f) { return function_names_.contains(f->name); };
  std::erase_if(module.functions, [&](const ir::Function* f) { return is_mine(f) && !kept.contains(f); });
  std::erase_if(module.globals,
                [&](const ir::Global* g) { return global_names_.contains(g->name) && !named.contains(g); });
  return reasons;
}

ir::Function* ModuleLowering::declare(FunctionDecl* decl, std::string name) {
  ir::Function* function = module.add_function(std::move(name));
  function_names_.insert(function->name);
  functions_[decl] = function;
  function->is_kernel = decl->is_kernel;
  function->no_inline = decl->is_noinline;
  if (!decl->is_library) function->pos = position(decl->loc, 1, {});
  return function;
}

ir::Function* ModuleLowering::add_helper(const std::string& name) {
  std::string unique = name;
  for (int i = 2; function_names_.contains(unique) || module.find_function(unique) != nullptr; ++i) {
    unique = name + "#" + std::to_string(i);
  }
  ir::Function* function = module.add_function(unique);
  function_names_.insert(unique);
  return function;
}

void ModuleLowering::add_params(FunctionDecl* decl, ir::Function* function) {
  function->max_threads = decl->max_threads;
  function->min_blocks = decl->min_blocks;
  function->cluster = decl->cluster;
  const bool has_result = decl->result && !decl->result->is_void() && !decl->is_ctor && !decl->is_dtor;
  if (has_result) {
    if (const ir::Type* type = types.get(decl->result)) function->result = type;
  }
  if (decl->is_method()) {
    module.add_param(function, module.types().ptr(ir::Space::kGeneric), "this")->pos = function->pos;
  }
  for (const VarDecl* param : call_params(decl)) add_param(param, function);
}

void ModuleLowering::add_param(const VarDecl* var, ir::Function* function) {
  const ir::Type* type = types.get(var->type);
  if (type == nullptr) {
    const size_t known = sema.diagnostics.log().size();
    const bool was_said = var->type->is_class() && var->type->class_decl->state == Lazy::kFailed;
    if (was_said) sema.report_again(var->type->class_decl);
    fail(function, first_error_since(known));
    if (!was_said) error(var->loc, 1, message::kParameterType(to_string(var->type)));
    fail(function, message::kParameterType(to_string(var->type)).str());
    type = module.types().get(ir::TypeKind::kI32);
  }
  const bool is_pointer = var->type->is_pointer() && !var->type->is_function_pointer();
  if (is_pointer && function->is_kernel) type = module.types().ptr(ir::Space::kGlobal);
  std::string name(var->name != nullptr ? var->name->text : std::string_view());
  if (name.empty()) name = "arg" + std::to_string(function->params.size());
  ir::Param* param = module.add_param(function, type, std::move(name));
  if (function->pos.line != 0) param->pos = position(var->loc, 1, function->pos);
  if (function->is_kernel) param->spelling = to_string(var->type);
  if (!is_pointer) return;
  const QualType pointee = var->type->elem;
  const bool is_known =
      !pointee->is_class() || pointee->class_decl->is_defined || pointee->class_decl->state == Lazy::kDone;
  if (is_known && function->is_kernel) param->elem = types.get(pointee);
  param->is_const_elem = pointee.is_const;
  param->is_restrict = var->is_restrict;
}

ir::Function* ModuleLowering::function(FunctionDecl* decl, SourceLoc loc, uint32_t length) {
  if (const auto known = functions_.find(decl); known != functions_.end()) return known->second;
  const std::string name = decl->name != nullptr ? std::string(decl->name->text) : function_name(decl);
  if (decl->body == Lazy::kNot && decl->body_range.empty() && !decl->is_defaulted && !decl->is_ctor) {
    error(loc, length, message::kFunctionNotDefined(name));
    return nullptr;
  }
  const size_t errors = sema.diagnostics.error_count();
  const size_t before = sema.diagnostics.log().size();
  if (!sema.complete_body(decl)) {
    if (decl->failure.empty()) decl->failure = first_error_since(before);
    if (current_ != nullptr && !decl->failure.empty()) fail(current_, decl->failure);
    if (sema.diagnostics.error_count() == errors && decl->body != Lazy::kFailed) {
      error(loc, length, message::kFunctionNotDefined(name));
    }
    return nullptr;
  }
  ir::Function* made = declare(decl, function_name(decl));
  add_params(decl, made);
  queue_.push_back({decl, made});
  return made;
}

// The readable name of the function; with parameter types only if overloads would share a name.
std::string ModuleLowering::function_name(const FunctionDecl* decl) {
  std::string name;
  if (decl->class_decl != nullptr) {
    const std::string& owner = decl->class_decl->full_name;
    name = owner + "::";
    if (decl->is_ctor || decl->is_dtor) {
      name += (decl->is_dtor ? "~" : "") + std::string(last_part(owner));
    } else {
      name += decl->name != nullptr ? decl->name->text : std::string_view("operator()");
    }
  } else {
    name = qualified_name(decl);
  }
  if (!decl->template_args.empty() && !decl->is_ctor) {
    name += "<";
    for (size_t i = 0; i < decl->template_args.size(); ++i) {
      name += (i > 0 ? ", " : "") + to_string(decl->template_args[i]);
    }
    name += ">";
  }
  const auto is_taken = [&](const std::string& n) {
    return function_names_.contains(n) || module.find_function(n) != nullptr;
  };
  if (!is_taken(name)) return name;
  name += param_list(decl);
  if (decl->is_const) name += " const";
  const std::string wanted = name;
  for (int i = 2; is_taken(name); ++i) name = wanted + "#" + std::to_string(i);
  return name;
}

ir::Pos ModuleLowering::position(SourceLoc loc, uint32_t length, ir::Pos otherwise) {
  const auto file = sema.sources.file_of(loc);
  if (!file || sema.sources.is_builtin(*file)) return otherwise;
  const FilePos at = sema.sources.resolve(loc);
  // There are few files: a linear search is faster than a table.
  const auto known = std::find_if(module.files.begin(), module.files.end(),
                                  [&](const ir::File& f) { return f.name == at.file; });
  const auto number = static_cast<uint16_t>(known - module.files.begin());
  if (known == module.files.end()) {
    const bool is_own =
        sema.sources.name(*file) == at.file;  // otherwise #line names one that is not available
    const auto text = is_own ? std::make_shared<const std::string>(sema.sources.text(*file)) : nullptr;
    module.files.push_back({std::string(at.file), text});
  }
  ir::Pos pos;
  pos.line = at.line;
  pos.column = static_cast<uint16_t>(std::min<uint32_t>(at.column, UINT16_MAX));
  pos.length = static_cast<uint16_t>(std::clamp<uint32_t>(length, 1, UINT16_MAX));
  pos.file = number;
  return pos;
}

bool ModuleLowering::has_destructor(const ClassDecl* decl) {
  if (const auto known = destructors_.find(decl); known != destructors_.end()) return known->second;
  bool has = false;
  if (decl->dtor != nullptr && !decl->dtor->is_defaulted) {
    has = runs_code(sema, decl->dtor);
  }
  for (const BaseClass& base : decl->bases) has = has || has_destructor(base.decl);
  for (const FieldDecl* field : decl->fields) {
    const Type* type = field->type.type;
    while (type->is_array()) type = type->elem.type;
    has = has || (type->is_class() && !decl->is_union && has_destructor(type->class_decl));
  }
  destructors_[decl] = has;
  return has;
}

void ModuleLowering::error(SourceLoc loc, uint32_t length, const base::MessageText& message) {
  sema.diagnostics.error(loc, length, message);
}

}  // namespace quern::lang
