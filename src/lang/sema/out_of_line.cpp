#include "lang/sema/out_of_line.hpp"

#include <algorithm>

#include "lang/parse/parser.hpp"
#include "lang/sema/deduce.hpp"

namespace quern::lang {

namespace {

// ---- the class of a member

const Scope* around(const Scope* s) {
  while (s != nullptr && s->kind == Scope::Kind::kTemplate) s = s->parent;
  return s;
}

const ClassDecl* enclosing_class(const ClassDecl* c) {
  const Scope* s = around(c->outer);
  return s != nullptr && s->kind == Scope::Kind::kClass ? s->class_decl : nullptr;
}

// The class itself or an enclosing one that is an instance of a template; nullptr: none.
const ClassDecl* instance_around(const ClassDecl* c) {
  while (c != nullptr && c->chosen == nullptr) c = enclosing_class(c);
  return c;
}

// Whether `A::B::` before a name, written in `from`, refers to the class.
bool leads_to(const ClassDecl* c, const OutOfLine& o) {
  size_t n = o.path.size();
  const Scope* s = nullptr;
  for (; c != nullptr; c = enclosing_class(c)) {
    if (n == 0 || o.path[n - 1] != c->name) return false;
    --n;
    s = around(c->outer);
  }
  for (; n > 0 && s != nullptr; s = s->parent) {
    if (s->name == o.path[n - 1]) {
      --n;
    } else if (!s->is_inline) {
      break;
    }
  }
  if (n > 0) return true;  // through an alias of a namespace, for example
  while (s != nullptr && s->is_inline && s != o.scope) s = s->parent;
  const Scope* from = o.scope;
  while (from != nullptr && from->is_inline && from != s) from = from->parent;
  return s == nullptr || from == nullptr || s == from || s->kind != Scope::Kind::kNamespace ||
         std::find(from->used.begin(), from->used.end(), s) != from->used.end();
}

std::string spelled(const std::vector<TemplateArg>& args) {
  std::string out;
  for (const TemplateArg& a : args) {
    out += a.kind == TemplateArg::Kind::kParamValue ? "#" + std::to_string(a.value) : to_string(a);
    out += a.is_expansion ? "...," : ",";
  }
  return out;
}

// The meaning of `Vec<T, N>` with the names of its header.
std::vector<TemplateArg> read_args(Sema& sema, const OutOfLine& o, TokenRange range,
                                   const std::vector<TemplateParam>& params, const TemplateDecl* primary) {
  std::vector<TemplateArg> args;
  if (range.begin == nullptr) return args;
  Tentative attempt(sema.diagnostics);
  Parser parser(sema, {range.begin - 1, range.end + 1}, bind_placeholders(sema, params, o.scope));
  parser.pattern_mode(!params.empty());
  parser.template_args(args, primary);
  return args;
}

std::vector<TemplateArg> own_params(Sema& sema, const TemplateDecl* t) {
  std::vector<TemplateArg> out;
  for (size_t i = 0; i < t->params.size(); ++i) {
    TemplateArg a;
    const bool is_type = t->params[i].kind == TemplateParam::Kind::kType;
    a.kind = is_type ? TemplateArg::Kind::kType : TemplateArg::Kind::kParamValue;
    if (is_type) a.type = sema.types.param(static_cast<int>(i));
    a.value = is_type ? 0 : static_cast<int64_t>(i);
    a.is_expansion = t->params[i].is_pack;
    out.push_back(a);
  }
  return out;
}

enum class Fit : uint8_t { kNone, kTemplate, kExact };  // kExact: template <> int Vec<int>::f()

// Whether a definition with these template arguments in its path belongs to this instance.
Fit fits_instance(Sema& sema, const ClassDecl* c, const OutOfLine& o) {
  if (!leads_to(c, o)) return Fit::kNone;
  const ClassDecl* instance = instance_around(c);
  if (instance == nullptr) return Fit::kTemplate;
  size_t at = o.path.size() - 1;  // of the instance's name
  for (const ClassDecl* i = c; i != instance && at > 0; i = enclosing_class(i)) --at;
  const TokenRange range = at < o.path_args.size() ? o.path_args[at] : TokenRange{};
  if (range.begin == nullptr) return Fit::kTemplate;
  static const std::vector<TemplateParam> kNoParams;
  const std::vector<TemplateParam>& params = o.lists.empty() ? kNoParams : o.lists.front();
  std::vector<TemplateArg> args = read_args(sema, o, range, params, instance->from_template);
  if (params.empty()) {
    std::vector<TemplateArg> full;
    const bool same =
        complete_args(sema, instance->from_template, args, c->loc, full) && full == instance->template_args;
    return same ? Fit::kExact : Fit::kNone;
  }
  const TemplateDecl* t = instance->chosen;
  const bool is_primary = t == instance->from_template;
  const std::vector<TemplateArg> wanted = is_primary ? own_params(sema, t) : t->spec_pattern;
  return spelled(args) == spelled(wanted) ? Fit::kTemplate : Fit::kNone;
}

// ---- the members

// The scope in which a member's out-of-line definition is parsed: its own names for the class's parameters.
Scope* definition_scope(Sema& sema, const ClassDecl* c, const OutOfLine& o) {
  const ClassDecl* instance = instance_around(c);
  if (o.lists.empty() || o.lists.front().empty() || instance == nullptr) return c->members;
  return bind_params(sema, o.lists.front(), instance->chosen_args, c->members);
}

bool same_params(const FunctionDecl* a, const FunctionDecl* b) {
  if (a->params.size() != b->params.size() || a->is_const != b->is_const ||
      a->for_lvalues != b->for_lvalues || a->for_rvalues != b->for_rvalues)
    return false;
  for (size_t i = 0; i < a->params.size(); ++i) {
    if (a->params[i]->type.unqualified() != b->params[i]->type.unqualified()) return false;
  }
  return true;
}

void take_definition(FunctionDecl* method, const FunctionDecl* def) {
  for (size_t i = 0; i < def->params.size(); ++i) {
    def->params[i]->default_range = method->params[i]->default_range;
  }
  method->params = def->params;
  method->body_range = def->body_range;
  method->init_list = def->init_list;
  method->range = def->range;
  method->name_token = def->name_token;
  method->loc = def->loc;
  method->scope = def->scope;
  method->is_device |= def->is_device;
  method->is_host |= def->is_host;
}

FunctionDecl* copy_of(Sema& sema, const OutOfLine& o, ClassDecl* c, const FunctionDecl* method) {
  auto* def = sema.make<FunctionDecl>(*o.function);
  def->class_decl = c;
  def->is_static = method->is_static;
  def->is_ctor = method->is_ctor;
  def->is_device |= method->is_device;
  return def;
}

void attach_function(Sema& sema, ClassDecl* c, FunctionDecl* method) {
  if (method->is_defaulted || method->is_deleted) return;
  auto found = sema.impl->out_of_line.find(method->is_dtor ? sema.idents.get("~") : method->name);
  if (found == sema.impl->out_of_line.end()) return;
  for (const Fit wanted : {Fit::kExact, Fit::kTemplate}) {
    if (wanted == Fit::kTemplate && !method->body_range.empty()) return;
    for (const OutOfLine& o : found->second) {
      if (o.function == nullptr || o.path.back() != c->name || fits_instance(sema, c, o) != wanted) continue;
      FunctionDecl* def = copy_of(sema, o, c, method);
      def->scope = definition_scope(sema, c, o);
      def->signature = Lazy::kNot;
      if (sema.complete_signature(def) && sema.complete_signature(method) && same_params(def, method))
        return take_definition(method, def);
    }
  }
}

std::string spelled_params(Sema& sema, TemplateDecl* t) {
  parse_patterns(sema, t);
  std::string out;
  for (QualType p : t->param_patterns) out += to_string(p) + ",";
  return out;
}

// template <> template <> float Kiss<int>::next<float>() { … }
void attach_specialisation(Sema& sema, ClassDecl* c, TemplateDecl* t, const OutOfLine& o) {
  FunctionDecl* def = copy_of(sema, o, c, static_cast<FunctionDecl*>(t->pattern));
  def->scope = c->members;
  auto* s = sema.make<TemplateDecl>();
  s->of = TemplateDecl::Of::kFunction;
  s->name = t->name;
  s->loc = def->loc;
  s->scope = def->scope;
  s->pattern = def;
  s->spec_args = o.spec_args;
  s->primary = t;
  s->member_of = c;
  def->from_template = s;
  t->specialisations.push_back(s);
}

// A member template: the definition with identical parameters; if there is only one of that name, that one.
void attach_template(Sema& sema, ClassDecl* c, TemplateDecl* t) {
  auto* method = decl_cast<FunctionDecl>(t->pattern, DeclKind::kFunction);
  if (method == nullptr) return;
  auto found = sema.impl->out_of_line.find(method->name);
  if (found == sema.impl->out_of_line.end()) return;
  for (const OutOfLine& o : found->second) {
    if (o.function == nullptr || o.path.back() != c->name || o.lists.empty() || !o.lists.back().empty())
      continue;
    if (fits_instance(sema, c, o) != Fit::kNone) attach_specialisation(sema, c, t, o);
  }
  if (!method->body_range.empty()) return;
  std::vector<TemplateDecl*> candidates;
  for (const OutOfLine& o : found->second) {
    if (o.function == nullptr || o.path.back() != c->name || o.lists.empty()) continue;
    if (o.lists.back().size() != t->params.size() || fits_instance(sema, c, o) == Fit::kNone) continue;
    FunctionDecl* def = copy_of(sema, o, c, method);
    def->from_template = t;
    def->scope = o.lists.size() > 1 ? definition_scope(sema, c, o) : c->members;
    auto* trial = sema.make<TemplateDecl>(*t);
    trial->params = o.lists.back();
    for (size_t i = 0; i < t->params.size(); ++i) trial->params[i].default_range = t->params[i].default_range;
    trial->scope = def->scope;
    trial->pattern = def;
    trial->pattern_parsed = false;
    trial->param_patterns.clear();
    trial->param_is_pack.clear();
    candidates.push_back(trial);
  }
  if (candidates.empty()) return;
  TemplateDecl* chosen = candidates.front();
  if (candidates.size() > 1) {
    const std::string wanted = spelled_params(sema, t);
    for (TemplateDecl* candidate : candidates) {
      const bool same_const = static_cast<FunctionDecl*>(candidate->pattern)->is_const == method->is_const;
      if (same_const && spelled_params(sema, candidate) == wanted) chosen = candidate;
    }
  }
  t->params = chosen->params;
  t->scope = chosen->scope;
  t->pattern = chosen->pattern;
  t->pattern_parsed = false;
  t->param_patterns.clear();
  t->param_is_pack.clear();
}

void attach_static(Sema& sema, ClassDecl* c, VarDecl* v) {
  auto found = sema.impl->out_of_line.find(v->name);
  if (found == sema.impl->out_of_line.end()) return;
  const bool has_init =
      std::any_of(v->range.begin, v->range.end, [](const Token& t) { return t.kind == Tok::kEqual; });
  for (const Fit wanted : {Fit::kExact, Fit::kTemplate}) {
    if (wanted == Fit::kTemplate && has_init) return;
    for (const OutOfLine& o : found->second) {
      if (o.var == nullptr || o.path.back() != c->name || fits_instance(sema, c, o) != wanted) continue;
      v->range = o.var->range;
      v->scope = definition_scope(sema, c, o);
      if (o.var->storage != Storage::kHost) v->storage = o.var->storage;
      return;
    }
  }
}

}  // namespace

void attach_definitions(Sema& sema, ClassDecl* c) {
  if (sema.impl->out_of_line.empty()) return;
  for (auto& [name, decls] : c->members->names) {
    for (Decl* d : decls) {
      if (auto* f = decl_cast<FunctionDecl>(d, DeclKind::kFunction)) attach_function(sema, c, f);
      if (auto* t = decl_cast<TemplateDecl>(d, DeclKind::kTemplate)) attach_template(sema, c, t);
      if (auto* v = decl_cast<VarDecl>(d, DeclKind::kVar)) attach_static(sema, c, v);
    }
  }
  for (FunctionDecl* f : c->ctors) attach_function(sema, c, f);
  for (TemplateDecl* t : c->ctor_templates) attach_template(sema, c, t);
  if (c->dtor != nullptr) attach_function(sema, c, c->dtor);
}

}  // namespace quern::lang
