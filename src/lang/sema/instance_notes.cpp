// The notes of an error in an instance of a template: its arguments, and the call that requested it.
#include "lang/sema/expression.hpp"
#include "lang/sema/impl.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

constexpr size_t kMostNotes = 6;

const Scope* scope_of(const Decl* d) {
  switch (d->kind) {
    case DeclKind::kFunction: return static_cast<const FunctionDecl*>(d)->scope;
    case DeclKind::kClass: return static_cast<const ClassDecl*>(d)->outer;
    case DeclKind::kVar: return static_cast<const VarDecl*>(d)->scope;
    default: return nullptr;
  }
}

// The function or class that the declaration is in; nullptr: none.
const Decl* around(const Decl* d) {
  for (const Scope* s = scope_of(d); s != nullptr; s = s->parent) {
    if (s->kind == Scope::Kind::kFunction && s->function != nullptr && s->function != d) return s->function;
    if (s->kind == Scope::Kind::kClass && s->class_decl != nullptr && s->class_decl != d)
      return s->class_decl;
  }
  return nullptr;
}

// "T = float, N = 4"
std::string arguments_text(const TemplateDecl* t, const std::vector<TemplateArg>& args) {
  std::string out;
  for (size_t i = 0; i < args.size() && i < t->params.size(); ++i) {
    const Ident* name = t->params[i].name;
    const bool is_pack = args[i].kind == TemplateArg::Kind::kPack;
    if (!out.empty()) out += ", ";
    if (name != nullptr) out += std::string(name->text.substr(0, name->text.find(':'))) + " = ";
    out += is_pack ? "<" + to_string(args[i]) + ">" : to_string(args[i]);
  }
  return out;
}

struct Instance {
  const TemplateDecl* of = nullptr;
  const std::vector<TemplateArg>* args = nullptr;
};

Instance instance_of(const Decl* d) {
  if (d->kind == DeclKind::kFunction) {
    const auto* f = static_cast<const FunctionDecl*>(d);
    return {f->from_template, &f->template_args};
  }
  if (d->kind == DeclKind::kClass) {
    const auto* c = static_cast<const ClassDecl*>(d);
    return {c->from_template, &c->template_args};
  }
  return {};
}

}  // namespace

void note_instances(const Sema& sema, Diagnostic& diagnostic) {
  const Decl* d = sema.impl->parsed;
  for (size_t steps = 0; d != nullptr && steps < Sema::kMaxDepth && diagnostic.notes.size() < kMostNotes;
       ++steps) {
    const auto request = sema.impl->requests.find(d);
    if (request == sema.impl->requests.end()) {
      d = around(d);
      continue;
    }
    const auto [loc, by] = request->second;
    const Instance instance = instance_of(d);
    const auto file = sema.sources.file_of(loc);
    const bool is_library = file && sema.sources.is_builtin(*file);
    if (instance.of != nullptr && instance.of->name != nullptr && !is_library) {
      const std::string name(instance.of->name->text);
      const std::string args = arguments_text(instance.of, *instance.args);
      diagnostic.notes.push_back(
          {Severity::kNote,
           loc,
           1,
           loc ? message::kInInstantiationFrom(name, args) : message::kInInstantiation(name, args),
           {}});
    }
    d = by;
  }
}

}  // namespace quern::lang
