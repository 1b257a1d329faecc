// Instances of templates: the pattern's tokens with a scope that binds the parameters.
#include <algorithm>

#include "base/text.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/constraint.hpp"
#include "lang/sema/deduce.hpp"
#include "lang/sema/impl.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

DeclKind bound_kind(const TemplateParam& p) {
  if (p.is_pack) return DeclKind::kPackParam;
  switch (p.kind) {
    case TemplateParam::Kind::kType: return DeclKind::kTypeParam;
    case TemplateParam::Kind::kTemplate: return DeclKind::kTemplateParam;
    case TemplateParam::Kind::kValue: break;
  }
  return DeclKind::kValueParam;
}

}  // namespace

Scope* bind_params(Sema& sema, const std::vector<TemplateParam>& params, const std::vector<TemplateArg>& args,
                   Scope* parent) {
  auto* s = sema.make<Scope>();
  s->kind = Scope::Kind::kTemplate;
  s->parent = parent;
  for (size_t i = 0; i < params.size() && i < args.size(); ++i) {
    const TemplateParam& p = params[i];
    if (p.name == nullptr) continue;
    auto* b = sema.make<BoundDecl>(bound_kind(p));
    b->name = p.name;
    b->loc = p.loc;
    b->arg = args[i];
    if (p.is_pack) ++sema.impl->packs;
    sema.declare(s, b);
  }
  return s;
}

Scope* bind_template(Sema& sema, const TemplateDecl* t, const std::vector<TemplateArg>& args) {
  return bind_params(sema, t->params, args, t->scope);
}

Scope* bind_placeholders(Sema& sema, const std::vector<TemplateParam>& params, Scope* parent) {
  auto* s = sema.make<Scope>();
  s->kind = Scope::Kind::kTemplate;
  s->parent = parent;
  for (size_t i = 0; i < params.size(); ++i) {
    const TemplateParam& p = params[i];
    if (p.name == nullptr) continue;
    auto* b = sema.make<BoundDecl>(bound_kind(p));
    b->name = p.name;
    b->pattern_index = static_cast<int>(i);
    b->pattern_is_pack = p.is_pack;
    if (p.kind == TemplateParam::Kind::kValue) b->value_type = sema.basic(TypeKind::kInt);
    sema.declare(s, b);
  }
  return s;
}

namespace {

int64_t truncate_to(QualType type, int64_t value) {
  if (type->is_bool()) return value != 0;
  if (!type->is_integer() && !type->is_enum()) return value;
  const uint32_t bits = integer_bits(type.type);
  if (bits >= 64) return value;
  const bool is_signed = type->is_enum() || type->is_signed_integer();
  const auto u = static_cast<uint64_t>(value) << (64 - bits);
  return is_signed ? static_cast<int64_t>(u) >> (64 - bits) : static_cast<int64_t>(u >> (64 - bits));
}

std::string ordinal_param(const TemplateDecl* t, size_t i) {
  const TemplateParam& p = t->params[i];
  return p.name != nullptr ? "'" + std::string(p.name->text) + "'" : "number " + std::to_string(i + 1);
}

class Arguments {
 public:
  Arguments(Sema& sema, const TemplateDecl* t, SourceLoc loc) : sema_(sema), t_(t), loc_(loc) {}

  // Completes a written list to one entry per parameter. False: it does not match.
  bool normalise(const std::vector<TemplateArg>& given, std::vector<TemplateArg>& out) {
    size_t next = 0;
    for (size_t i = 0; i < t_->params.size(); ++i) {
      const TemplateParam& p = t_->params[i];
      TemplateArg arg;
      if (p.is_pack) {
        arg.kind = TemplateArg::Kind::kPack;
        if (next < given.size() && given[next].kind == TemplateArg::Kind::kPack) {
          arg = given[next++];
        } else {
          while (next < given.size()) {
            TemplateArg element = given[next++];
            if (!fit(p, i, element, out)) return false;
            arg.pack.push_back(std::move(element));
          }
        }
      } else if (next < given.size() && given[next].kind != TemplateArg::Kind::kNone) {
        arg = given[next++];
        if (!fit(p, i, arg, out)) return false;
      } else {
        ++next;
        if (!from_default(p, i, arg, out)) return false;
      }
      out.push_back(std::move(arg));
    }
    if (next < given.size()) {
      return fail(message::kTemplateArgumentCount(t_->name->text,
                                                  base::format_plural(t_->params.size(), "template argument"),
                                                  std::to_string(given.size())));
    }
    return true;
  }

 private:
  bool fail(base::MessageText message) {
    sema_.error(loc_, std::move(message));
    return false;
  }

  bool fit(const TemplateParam& p, size_t i, TemplateArg& arg, const std::vector<TemplateArg>& before) {
    const std::string param = ordinal_param(t_, i);
    const std::string_view name = t_->name->text;
    switch (p.kind) {
      case TemplateParam::Kind::kType:
        if (arg.kind == TemplateArg::Kind::kType) return !arg.type->is_error();
        return fail(message::kTemplateExpectsType(param, name));
      case TemplateParam::Kind::kTemplate:
        if (arg.kind == TemplateArg::Kind::kTemplate) return true;
        return fail(message::kTemplateExpectsTemplate(param, name));
      case TemplateParam::Kind::kValue: break;
    }
    if (arg.kind == TemplateArg::Kind::kFunction) return true;
    const bool is_object = arg.kind == TemplateArg::Kind::kObject;
    if (!is_object && arg.kind != TemplateArg::Kind::kValue)
      return fail(message::kTemplateExpectsValue(param, name));
    Parser parser(sema_, p.type_range, bind_template(sema_, t_, before));
    QualType type = parser.type_id();
    if (type->is_error()) return false;
    if (type->is(TypeKind::kAuto)) return true;
    if (is_object) return fit_object(type, param, arg);
    if (type->is_enum()) sema_.complete_enum(type->enum_decl);
    arg.type = type.unqualified();
    arg.value = truncate_to(arg.type, arg.value);
    return true;
  }

  // An object, or the address of a variable.
  bool fit_object(QualType type, const std::string& param, const TemplateArg& arg) {
    if (arg.type->is_ref() && !type->is_ref()) {
      return fail(message::kTemplateValueNotConstant(arg.object->name->text));
    }
    if (type->is_ref() || type->is_pointer() || type.unqualified() == arg.type) return true;
    return fail(message::kTemplateValueType(param, t_->name->text, to_string(type), to_string(arg.type)));
  }

  bool from_default(const TemplateParam& p, size_t i, TemplateArg& arg,
                    const std::vector<TemplateArg>& before) {
    if (p.default_range.empty()) {
      return fail(message::kTemplateArgumentMissing(ordinal_param(t_, i), t_->name->text));
    }
    Parser parser(sema_, p.default_range, bind_template(sema_, t_, before));
    arg = parser.template_arg(&p);
    if (arg.kind == TemplateArg::Kind::kNone) return false;
    return fit(p, i, arg, before);
  }

  Sema& sema_;
  const TemplateDecl* t_;
  SourceLoc loc_;
};

std::string instance_name(const std::string& base, const std::vector<TemplateArg>& args) {
  std::string out = base + "<";
  bool first = true;
  for (const TemplateArg& a : args) {
    const std::string text = to_string(a);
    if (text.empty()) continue;
    if (!first) out += ", ";
    out += text;
    first = false;
  }
  return out + ">";
}

template <typename T>
T* find_instance(const TemplateDecl* t, const std::vector<TemplateArg>& args) {
  for (Decl* d : t->instances) {
    auto* i = static_cast<T*>(d);
    if (i->template_args == args) return i;
  }
  return nullptr;
}

// Nested instantiation is bounded, so that infinite recursion is an error.
class InstanceGuard {
 public:
  explicit InstanceGuard(Sema& sema) : sema_(sema) { sema_.depth += 1; }
  ~InstanceGuard() { sema_.depth -= 1; }
  bool too_deep() const { return sema_.depth > Sema::kMaxDepth; }

 private:
  Sema& sema_;
};

constexpr size_t kMaxInstances = 10'000;  // of one template

}  // namespace

namespace {

// What deduction skipped (`void_t<decltype(…)>`, `typename T::type`) must be valid too: the list is parsed
// again with the parameters bound and must result in the given arguments.
bool stands_for(Sema& sema, TemplateDecl* primary, TemplateDecl* s, const std::vector<TemplateArg>& bindings,
                const std::vector<TemplateArg>& args) {
  bool all_deduced = true;
  for (const TemplateArg& a : s->spec_pattern) {
    all_deduced &= a.kind != TemplateArg::Kind::kNotDeduced &&
                   !(a.kind == TemplateArg::Kind::kType && a.type->is(TypeKind::kNotDeduced));
  }
  if (all_deduced) return true;
  Tentative attempt(sema.diagnostics);
  auto saved = std::move(sema.impl->pack_index);
  sema.impl->pack_index.clear();
  Parser parser(sema, {s->spec_args.begin - 1, s->spec_args.end + 1}, bind_template(sema, s, bindings));
  std::vector<TemplateArg> named, full;
  const bool read = parser.template_args(named, primary) && !attempt.failed();
  sema.impl->pack_index = std::move(saved);
  return read && complete_args(sema, primary, named, s->loc, full) && full == args;
}

}  // namespace

// Reports if the constraints of a template are not satisfied.
static bool check_constraint(Sema& sema, const TemplateDecl* t, const std::vector<TemplateArg>& args,
                             SourceLoc loc) {
  std::string why;
  if (is_satisfied(sema, template_constraint(sema, t, args), &why)) return true;
  sema.error(loc, message::kConstraintFailed(t->name->text, why));
  return false;
}

// The best matching specialisation, with its bindings; the primary template with `args` if none matches.
TemplateDecl* choose_specialisation(Sema& sema, TemplateDecl* t, const std::vector<TemplateArg>& args,
                                    std::vector<TemplateArg>& bindings) {
  TemplateDecl* best = nullptr;
  Constraint demands;
  for (TemplateDecl* s : t->specialisations) {
    parse_specialisation(sema, s);
    std::vector<TemplateArg> b(s->params.size());
    if (!match_args(sema, s->spec_pattern, args, b)) continue;
    bool complete = true;
    for (size_t i = 0; i < b.size(); ++i) {
      if (b[i].kind != TemplateArg::Kind::kNone) continue;
      if (s->params[i].is_pack) {
        b[i].kind = TemplateArg::Kind::kPack;
      } else {
        complete = false;
      }
    }
    if (!complete || !stands_for(sema, t, s, b, args)) continue;
    Constraint c = template_constraint(sema, s, b);
    if (!is_satisfied(sema, c)) continue;
    if (best == nullptr || more_specialised_args(sema, s, best) ||
        (!more_specialised_args(sema, best, s) && compare_constraints(c, demands) > 0)) {
      best = s;
      bindings = std::move(b);
      demands = std::move(c);
    }
  }
  if (best != nullptr) return best;
  bindings = args;
  return t;
}

ClassDecl* Sema::instantiate_class(TemplateDecl* t, const std::vector<TemplateArg>& given, SourceLoc loc) {
  InstanceGuard guard(*this);
  std::vector<TemplateArg> args;
  if (!Arguments(*this, t, loc).normalise(given, args)) return nullptr;
  if (auto* known = find_instance<ClassDecl>(t, args)) return known;
  if (!check_constraint(*this, t, args, loc)) return nullptr;
  if (guard.too_deep() || t->instances.size() > kMaxInstances) {
    error(loc, message::kInstantiatedTooDeeply(t->name->text));
    return nullptr;
  }
  std::vector<TemplateArg> bindings;
  TemplateDecl* chosen = choose_specialisation(*this, t, args, bindings);
  auto* pattern = static_cast<ClassDecl*>(chosen->pattern);
  auto* c = make<ClassDecl>();
  c->name = pattern->name;
  c->loc = pattern->loc;
  c->parent = pattern->parent;
  c->is_union = pattern->is_union;
  c->is_defined = pattern->is_defined;
  c->bases_range = pattern->bases_range;
  c->body_range = pattern->body_range;
  c->align_arguments = pattern->align_arguments;
  c->attributes = pattern->attributes;
  c->is_library = pattern->is_library;
  c->outer = bind_template(*this, chosen, bindings);
  c->from_template = t;
  c->chosen = chosen;
  c->chosen_args = bindings;
  c->template_args = args;
  c->full_name = instance_name(static_cast<ClassDecl*>(t->pattern)->full_name, args);
  c->type = types.class_type(c);
  t->instances.push_back(c);
  impl->requests[c] = {loc, impl->parsed};
  if (c->is_library) impl->asked_from[c] = impl->asked ? impl->asked : loc;
  return c;
}

// Whether template <> f<…>(…) specialises `t` for these arguments. Those that it omits are deduced from its
// type.
static bool specialises(Sema& sema, TemplateDecl* t, TemplateDecl* s, const std::vector<TemplateArg>& args) {
  const Tentative attempt(sema.diagnostics);
  if (s->spec_args.begin != nullptr) {
    parse_specialisation(sema, s);
    std::vector<TemplateArg> spec;
    if (s->spec_pattern.size() >= t->params.size())
      return Arguments(sema, t, s->loc).normalise(s->spec_pattern, spec) && spec == args;
    if (!std::equal(s->spec_pattern.begin(), s->spec_pattern.end(), args.begin())) return false;
  }
  auto* special = static_cast<FunctionDecl*>(s->pattern);
  auto* plain = sema.make<FunctionDecl>(*static_cast<FunctionDecl*>(t->pattern));
  plain->scope = bind_template(sema, t, args);
  if (!sema.complete_signature(special) || !sema.complete_signature(plain)) return false;
  return special->result == plain->result &&
         std::equal(special->params.begin(), special->params.end(), plain->params.begin(),
                    plain->params.end(), [](const VarDecl* a, const VarDecl* b) {
                      return a->type.unqualified() == b->type.unqualified();
                    });
}

FunctionDecl* Sema::instantiate_function(TemplateDecl* t, const std::vector<TemplateArg>& given,
                                         SourceLoc loc) {
  InstanceGuard guard(*this);
  std::vector<TemplateArg> args;
  if (!Arguments(*this, t, loc).normalise(given, args)) return nullptr;
  if (auto* known = find_instance<FunctionDecl>(t, args)) return known;
  if (guard.too_deep() || t->instances.size() > kMaxInstances) {
    error(loc, message::kInstantiatedTooDeeply(t->name->text));
    return nullptr;
  }
  FunctionDecl* f = nullptr;
  for (TemplateDecl* s : t->specialisations) {
    if (!specialises(*this, t, s, args)) continue;
    f = make<FunctionDecl>(*static_cast<FunctionDecl*>(s->pattern));
    f->signature = Lazy::kNot;
    f->is_device |= static_cast<FunctionDecl*>(t->pattern)->is_device;
    f->defaults_from = make<FunctionDecl>(*static_cast<FunctionDecl*>(t->pattern));
    f->defaults_from->scope = bind_template(*this, t, args);
  }
  if (f == nullptr) {
    f = make<FunctionDecl>(*static_cast<FunctionDecl*>(t->pattern));
    f->scope = bind_template(*this, t, args);
  }
  f->from_template = t;
  f->template_args = args;
  if (t->member_of != nullptr) f->class_decl = t->member_of;
  t->instances.push_back(f);
  impl->requests[f] = {loc, impl->parsed};
  if (f->is_library) impl->asked_from[f] = impl->asked ? impl->asked : loc;
  return f;
}

QualType Sema::instantiate_alias(TemplateDecl* t, const std::vector<TemplateArg>& given, SourceLoc loc) {
  InstanceGuard guard(*this);
  if (guard.too_deep()) {
    error(loc, message::kInstantiatedTooDeeply(t->name->text));
    return basic(TypeKind::kError);
  }
  std::vector<TemplateArg> args;
  if (!Arguments(*this, t, loc).normalise(given, args)) return basic(TypeKind::kError);
  if (!check_constraint(*this, t, args, loc)) return basic(TypeKind::kError);
  auto* pattern = static_cast<TypedefDecl*>(t->pattern);
  auto saved = std::move(impl->pack_index);
  impl->pack_index.clear();
  QualType type = Parser(*this, pattern->range, bind_template(*this, t, args)).type_id();
  impl->pack_index = std::move(saved);
  return type;
}

VarDecl* Sema::instantiate_var(TemplateDecl* t, const std::vector<TemplateArg>& given, SourceLoc loc) {
  InstanceGuard guard(*this);
  if (guard.too_deep()) {
    error(loc, message::kInstantiatedTooDeeply(t->name->text));
    return nullptr;
  }
  std::vector<TemplateArg> args;
  if (!Arguments(*this, t, loc).normalise(given, args)) return nullptr;
  auto& known = impl->var_instances[t];
  for (auto& [key, var] : known) {
    if (key == args) return var;
  }
  if (!check_constraint(*this, t, args, loc)) return nullptr;
  std::vector<TemplateArg> bindings;
  TemplateDecl* chosen = choose_specialisation(*this, t, args, bindings);
  auto* v = make<VarDecl>(*static_cast<VarDecl*>(chosen->pattern));
  v->state = Lazy::kNot;
  v->scope = bind_template(*this, chosen, bindings);
  known.emplace_back(args, v);
  return v;
}

bool complete_args(Sema& sema, const TemplateDecl* t, const std::vector<TemplateArg>& given, SourceLoc loc,
                   std::vector<TemplateArg>& out) {
  return Arguments(sema, t, loc).normalise(given, out);
}

}  // namespace quern::lang
