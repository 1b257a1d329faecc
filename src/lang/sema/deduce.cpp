#include "lang/sema/deduce.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/constraint.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/impl.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

bool is_same_arg(const TemplateArg& a, const TemplateArg& b);

// Patterns are created again wherever they are parsed: Vec<N, T> equals another Vec<N, T>.
bool is_same_pattern(QualType a, QualType b) {
  if (a == b) return true;
  if (a.is_const != b.is_const || a.is_volatile != b.is_volatile || a->kind != b->kind) return false;
  switch (a->kind) {
    case TypeKind::kPointer:
    case TypeKind::kLRef:
    case TypeKind::kRRef: return is_same_pattern(a->elem, b->elem);
    case TypeKind::kArray:
      return a->count == b->count && a->count_param == b->count_param && a->is_unsized == b->is_unsized &&
             is_same_pattern(a->elem, b->elem);
    case TypeKind::kTemplateId:
      return a->template_ == b->template_ && a->template_param == b->template_param &&
             std::equal(a->args.begin(), a->args.end(), b->args.begin(), b->args.end(), is_same_arg);
    default: return false;
  }
}

bool is_same_arg(const TemplateArg& a, const TemplateArg& b) {
  if (a.kind == TemplateArg::Kind::kType && b.kind == TemplateArg::Kind::kType &&
      a.is_expansion == b.is_expansion)
    return is_same_pattern(a.type, b.type);
  return a == b;
}

bool bind(TemplateArg& slot, TemplateArg value) {
  if (slot.kind == TemplateArg::Kind::kNone) {
    slot = std::move(value);
    return true;
  }
  if (slot.kind == TemplateArg::Kind::kValue && value.kind == TemplateArg::Kind::kValue)
    return slot.value == value.value;
  return is_same_arg(slot, value);
}

TemplateArg type_arg(QualType type) {
  TemplateArg arg;
  arg.kind = TemplateArg::Kind::kType;
  arg.type = type;
  return arg;
}

TemplateArg value_arg(QualType type, int64_t value) {
  TemplateArg arg;
  arg.kind = TemplateArg::Kind::kValue;
  arg.type = type;
  arg.value = value;
  return arg;
}

// A function's parameters as a list of template arguments.
std::vector<TemplateArg> param_args(const Type* function) {
  std::vector<TemplateArg> out;
  for (QualType p : function->params) out.push_back(type_arg(p));
  if (function->ends_in_pack) out.back().is_expansion = true;
  return out;
}

bool match_arg(Sema& sema, const TemplateArg& pattern, const TemplateArg& actual,
               std::vector<TemplateArg>& b) {
  switch (pattern.kind) {
    case TemplateArg::Kind::kType:
      return actual.kind == TemplateArg::Kind::kType && match_type(sema, pattern.type, actual.type, b);
    case TemplateArg::Kind::kParamValue:
      return static_cast<size_t>(pattern.value) < b.size() &&
             bind(b[static_cast<size_t>(pattern.value)], actual);
    case TemplateArg::Kind::kNotDeduced: return true;
    case TemplateArg::Kind::kValue:
      return actual.kind == TemplateArg::Kind::kValue && actual.value == pattern.value;
    case TemplateArg::Kind::kFunction: return actual.function == pattern.function;
    case TemplateArg::Kind::kObject: return actual.object == pattern.object;
    case TemplateArg::Kind::kTemplate: return actual.template_ == pattern.template_;
    case TemplateArg::Kind::kPack:
      return actual.kind == TemplateArg::Kind::kPack && match_args(sema, pattern.pack, actual.pack, b);
    default: return false;
  }
}

// `Ts...` at the end of a pattern: all remaining arguments, each matched separately and collected.
bool match_expansion(Sema& sema, const TemplateArg& pattern, std::span<const TemplateArg> rest,
                     std::vector<TemplateArg>& b) {
  std::vector<std::vector<TemplateArg>> each;
  for (const TemplateArg& actual : rest) {
    std::vector<TemplateArg> one(b.size());
    if (!match_arg(sema, pattern, actual, one)) return false;
    each.push_back(std::move(one));
  }
  // The parameters in the pattern: those that one element bound; with no elements, the plain `Ts...`.
  for (size_t i = 0; i < b.size(); ++i) {
    TemplateArg pack;
    pack.kind = TemplateArg::Kind::kPack;
    bool mentioned = false;
    for (auto& one : each) {
      if (one[i].kind == TemplateArg::Kind::kNone) continue;
      mentioned = true;
      pack.pack.push_back(one[i]);
    }
    if (each.empty()) {
      const bool plain_type = pattern.kind == TemplateArg::Kind::kType &&
                              pattern.type->is(TypeKind::kParam) &&
                              pattern.type->index == static_cast<int>(i);
      const bool plain_value =
          pattern.kind == TemplateArg::Kind::kParamValue && pattern.value == static_cast<int64_t>(i);
      mentioned = plain_type || plain_value;
    }
    if (mentioned && !bind(b[i], std::move(pack))) return false;
  }
  return true;
}

std::vector<TemplateArg> flatten(const std::vector<TemplateArg>& args) {
  std::vector<TemplateArg> out;
  for (const TemplateArg& a : args) {
    if (a.kind == TemplateArg::Kind::kPack) {
      out.insert(out.end(), a.pack.begin(), a.pack.end());
    } else {
      out.push_back(a);
    }
  }
  return out;
}

}  // namespace

bool match_args(Sema& sema, const std::vector<TemplateArg>& patterns, const std::vector<TemplateArg>& given,
                std::vector<TemplateArg>& b) {
  const std::vector<TemplateArg> actual = flatten(given);
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (patterns[i].is_expansion) {
      if (i > actual.size()) return false;
      return match_expansion(sema, patterns[i], std::span(actual).subspan(i), b);
    }
    if (i >= actual.size() || !match_arg(sema, patterns[i], actual[i], b)) return false;
  }
  return patterns.size() == actual.size();
}

bool match_type(Sema& sema, QualType pattern, QualType actual, std::vector<TemplateArg>& b) {
  const Type* p = pattern.type;
  if (!p->is_pattern) {
    return p == actual.type && pattern.is_const == actual.is_const &&
           pattern.is_volatile == actual.is_volatile;
  }
  switch (p->kind) {
    case TypeKind::kNotDeduced: return true;
    case TypeKind::kParam: {
      // `const T` with `const float`: T is float.
      if ((pattern.is_const && !actual.is_const) || (pattern.is_volatile && !actual.is_volatile))
        return false;
      QualType t(actual.type, actual.is_const && !pattern.is_const,
                 actual.is_volatile && !pattern.is_volatile);
      return static_cast<size_t>(p->index) < b.size() && bind(b[static_cast<size_t>(p->index)], type_arg(t));
    }
    default: break;
  }
  const Type* a = actual.type;
  if (pattern.is_const != actual.is_const) return false;
  switch (p->kind) {
    case TypeKind::kPointer:
    case TypeKind::kLRef:
    case TypeKind::kRRef: return a->kind == p->kind && match_type(sema, p->elem, a->elem, b);
    case TypeKind::kArray:
      if (!a->is_array() || !match_type(sema, p->elem, a->elem, b)) return false;
      if (p->count_param >= 0) {
        return bind(b[static_cast<size_t>(p->count_param)],
                    value_arg(sema.basic(TypeKind::kULong), static_cast<int64_t>(a->count)));
      }
      if (p->count_param == Type::kAnyExtent) return !a->is_unsized;
      return p->is_unsized == a->is_unsized && p->count == a->count;
    case TypeKind::kFunction: {
      if (!a->is_function() || !match_type(sema, p->elem, a->elem, b)) return false;
      return match_args(sema, param_args(p), param_args(a), b);
    }
    case TypeKind::kTemplateId: {
      if (a->kind == TypeKind::kTemplateId) {  // pattern against pattern, for partial ordering
        return a->template_ == p->template_ && match_args(sema, p->args, a->args, b);
      }
      if (!a->is_class() || a->class_decl->from_template == nullptr) return false;
      if (p->template_param >= 0) {
        TemplateArg t;
        t.kind = TemplateArg::Kind::kTemplate;
        t.template_ = a->class_decl->from_template;
        if (!bind(b[static_cast<size_t>(p->template_param)], t)) return false;
      } else if (a->class_decl->from_template != p->template_) {
        return false;
      }
      return match_args(sema, p->args, a->class_decl->template_args, b);
    }
    default: return false;
  }
}

// ---- calls

namespace {

bool has_const_elements(QualType type) {
  return type->is_array() ? type->elem.is_const || has_const_elements(type->elem) : false;
}

// An array takes its qualifiers from its elements, at any depth.
QualType with_const_elements(Sema& sema, QualType array) {
  const QualType elem = array->elem;
  return sema.types.array(elem->is_array() ? with_const_elements(sema, elem) : elem.with_const(),
                          array->count);
}

// A parameter pattern and an argument, with the adjustments of [temp.deduct.call].
bool match_argument(Sema& sema, QualType pattern, Expr* arg, std::vector<TemplateArg>& b) {
  if (arg->kind == ExprKind::kError) return true;
  QualType actual = arg->type;
  const bool is_ref = pattern->is_ref();
  if (is_ref) {
    const bool forwarding =
        pattern->is(TypeKind::kRRef) && pattern->elem->is(TypeKind::kParam) && !pattern->elem.is_const;
    pattern = pattern->elem;
    if (forwarding && arg->is_lvalue && !is_xvalue(arg)) actual = sema.types.lref(actual);
  } else {
    actual = sema.decay(arg)->type.unqualified();
    pattern = pattern.unqualified();
  }
  if (!pattern->is_pattern) return true;  // ordinary conversions apply
  const bool is_list_for_class = is_braced(arg) && pattern->is(TypeKind::kTemplateId);
  if (is_list_for_class) return true;  // nothing is deduced from a list
  auto attempt = [&](QualType p, QualType a) {
    std::vector<TemplateArg> trial = b;
    if (!match_type(sema, p, a, trial)) return false;
    b = std::move(trial);
    return true;
  };
  if (is_ref && pattern.is_const) actual.is_const = true;  // const T& accepts a plain T
  if (has_const_elements(pattern) && actual->is_array()) actual = with_const_elements(sema, actual);
  if (attempt(pattern, actual)) return true;
  // const T* accepts a plain T*; qualifiers may be added after each pointer.
  if (pattern->is_pointer() && actual->is_pointer()) {
    QualType p = pattern->elem, a = actual->elem;
    if (p.is_const) a.is_const = true;
    if (p.is_volatile) a.is_volatile = true;
    if (attempt(QualType(sema.types.pointer(p)), QualType(sema.types.pointer(a)))) return true;
  }
  // A class derived from an instance of the template.
  QualType object = actual->is_pointer() && pattern->is_pointer() ? actual->elem : actual;
  const QualType inner = actual->is_pointer() && pattern->is_pointer() ? pattern->elem : pattern;
  if (inner->is(TypeKind::kTemplateId) && object->is_class() && sema.complete_class(object->class_decl)) {
    for (const BaseClass& base : object->class_decl->bases) {
      QualType t(base.decl->type, object.is_const, object.is_volatile);
      if (attempt(inner, t)) return true;
    }
  }
  return false;
}

// Whether all template parameters in a pattern come before `count`: those with explicit arguments.
bool mentions_only(QualType type, size_t count);

bool arg_mentions_only(const TemplateArg& arg, size_t count) {
  switch (arg.kind) {
    case TemplateArg::Kind::kType: return mentions_only(arg.type, count);
    case TemplateArg::Kind::kParamValue: return static_cast<size_t>(arg.value) < count;
    case TemplateArg::Kind::kPack:
      return std::all_of(arg.pack.begin(), arg.pack.end(),
                         [&](const TemplateArg& a) { return arg_mentions_only(a, count); });
    default: return true;
  }
}

bool mentions_only(QualType type, size_t count) {
  if (!type->is_pattern) return true;
  switch (type->kind) {
    case TypeKind::kParam: return static_cast<size_t>(type->index) < count;
    case TypeKind::kPointer:
    case TypeKind::kLRef:
    case TypeKind::kRRef: return mentions_only(type->elem, count);
    case TypeKind::kArray:
      return type->count_param < static_cast<int>(count) && mentions_only(type->elem, count);
    case TypeKind::kTemplateId:
      return type->template_param < static_cast<int>(count) &&
             std::all_of(type->args.begin(), type->args.end(),
                         [&](const TemplateArg& a) { return arg_mentions_only(a, count); });
    default: return false;
  }
}

}  // namespace

bool mentions_params(const std::vector<TemplateArg>& args) {
  return !std::all_of(args.begin(), args.end(), [](const TemplateArg& a) {
    return a.kind != TemplateArg::Kind::kNotDeduced && arg_mentions_only(a, 0);
  });
}

void parse_patterns(Sema& sema, TemplateDecl* t) {
  if (t->pattern_parsed) return;
  auto* f = static_cast<FunctionDecl*>(t->pattern);
  auto saved = std::move(sema.impl->pack_index);
  sema.impl->pack_index.clear();
  Parser(sema, f->range, t->scope).parameter_patterns(t);
  sema.impl->pack_index = std::move(saved);
}

namespace {

std::string spell_param(const TemplateDecl* t, size_t i) {
  return t->params[i].name != nullptr ? std::string(t->params[i].name->text) : std::to_string(i + 1);
}

bool bind_explicit(TemplateDecl* t, std::span<const TemplateArg> given, std::vector<TemplateArg>& b) {
  for (size_t i = 0; i < given.size(); ++i) {
    if (i >= t->params.size() || t->params[i].is_pack) {
      if (t->params.empty() || !t->params.back().is_pack) return false;
      TemplateArg& pack = b.back();
      pack.kind = TemplateArg::Kind::kPack;
      pack.pack.push_back(given[i]);
      continue;
    }
    b[i] = given[i];
  }
  return true;
}

}  // namespace

bool deduce_each(Sema& sema, std::span<const QualType> patterns, std::span<Expr* const> args,
                 std::vector<TemplateArg>& bindings) {
  if (args.size() > patterns.size()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!match_argument(sema, patterns[i], args[i], bindings)) return false;
  }
  return true;
}

FunctionDecl* Sema::deduce_call(TemplateDecl* t, std::span<const TemplateArg> explicit_args,
                                std::span<Expr* const> args, SourceLoc loc, std::string* why) {
  std::string reason;
  auto fail_with = [&](std::string text) -> FunctionDecl* {
    if (why != nullptr) *why = std::move(text);
    return nullptr;
  };
  auto fail = [&](const base::MessageText& message) { return fail_with(message.str()); };
  parse_patterns(*this, t);
  std::vector<TemplateArg> b(t->params.size());
  if (!bind_explicit(t, explicit_args, b)) return fail(message::kTooManyTemplateArguments());
  const size_t n = t->param_patterns.size();
  const bool has_pack = n > 0 && t->param_is_pack[n - 1];
  auto* pattern_function = static_cast<FunctionDecl*>(t->pattern);
  if (args.size() > n && !has_pack && !pattern_function->is_variadic) {
    return fail(message::kArgumentCount(base::format_plural(n, "argument"), std::to_string(args.size())));
  }
  for (size_t i = 0; i < args.size() && i < (has_pack ? n - 1 : n); ++i) {
    // What explicit arguments determine is not deduced again: ordinary conversions apply there.
    if (mentions_only(t->param_patterns[i], explicit_args.size())) continue;
    if (!match_argument(*this, t->param_patterns[i], args[i], b)) {
      return fail(message::kParameterMismatch(std::to_string(i + 1), to_string(args[i]->type)));
    }
  }
  if (has_pack) {
    // Each remaining argument is matched separately; its bindings are collected.
    std::vector<std::vector<TemplateArg>> each;
    for (size_t i = n - 1; i < args.size(); ++i) {
      std::vector<TemplateArg> one(b.size());
      for (size_t k = 0; k < b.size(); ++k) {
        if (!t->params[k].is_pack) one[k] = b[k];
      }
      if (!match_argument(*this, t->param_patterns[n - 1], args[i], one)) {
        return fail(message::kPackMismatch(to_string(args[i]->type)));
      }
      each.push_back(std::move(one));
    }
    for (size_t k = 0; k < b.size(); ++k) {
      if (!t->params[k].is_pack) {
        if (!each.empty() && b[k].kind == TemplateArg::Kind::kNone) b[k] = each[0][k];
        continue;
      }
      if (b[k].kind == TemplateArg::Kind::kPack && b[k].pack.size() >= each.size()) continue;
      b[k].kind = TemplateArg::Kind::kPack;
      for (size_t e = b[k].pack.size(); e < each.size(); ++e) b[k].pack.push_back(each[e][k]);
    }
  }
  for (size_t k = 0; k < b.size(); ++k) {
    if (b[k].kind == TemplateArg::Kind::kNone && t->params[k].is_pack) b[k].kind = TemplateArg::Kind::kPack;
    if (b[k].kind == TemplateArg::Kind::kNone && t->params[k].default_range.empty()) {
      return fail(message::kParameterNotDeduced(spell_param(t, k)));
    }
  }
  FunctionDecl* f = nullptr;
  {
    Tentative attempt(diagnostics);
    f = instantiate_function(t, b, loc);
    if (f == nullptr || attempt.failed()) reason = diagnostics.muted_message(), f = nullptr;
  }
  if (f == nullptr) return fail_with(reason);
  if (!is_satisfied(*this, template_constraint(*this, t, f->template_args), &reason))
    return fail_with(reason);
  if (!complete_signature(f)) return fail_with(f->failure);
  if (!f->constraint.empty() && !is_satisfied(*this, function_constraint(*this, f), &reason))
    return fail_with(reason);
  return f;
}

// Of two lists that take the same types, T& beats T&& and const T& beats T& ([temp.deduct.partial]). 1: the
// first.
static int compare_references(std::span<const QualType> a, std::span<const QualType> b) {
  int order = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!a[i]->is_ref() || !b[i]->is_ref()) continue;
    int here = 0;
    if (a[i]->kind != b[i]->kind) {
      here = a[i]->is(TypeKind::kLRef) ? 1 : -1;
    } else if (a[i]->elem.is_const != b[i]->elem.is_const) {
      here = a[i]->elem.is_const ? 1 : -1;
    }
    if (here != 0 && order == -here) return 0;
    if (here != 0) order = here;
  }
  return order;
}

bool Sema::more_specialised(TemplateDecl* a, TemplateDecl* b) {
  parse_patterns(*this, a);
  parse_patterns(*this, b);
  // a's patterns are used as types for b's parameters: a matches b, but not vice versa.
  auto fits = [&](TemplateDecl* from, TemplateDecl* into) {
    const size_t n = std::min(from->param_patterns.size(), into->param_patterns.size());
    if (n == 0) return false;
    std::vector<TemplateArg> bindings(into->params.size());
    for (size_t i = 0; i < n; ++i) {
      QualType p = strip_ref(into->param_patterns[i]), q = strip_ref(from->param_patterns[i]);
      if (p.is_const && q.is_const) p.is_const = q.is_const = false;
      if (!p->is_pattern && !q->is_pattern && p.type == q.type) continue;
      if (into->param_is_pack[i] && !from->param_is_pack[i]) bindings.assign(into->params.size(), {});
      if (!match_type(*this, p.unqualified(), q, bindings)) return false;
    }
    return true;
  };
  const bool a_into_b = fits(a, b), b_into_a = fits(b, a);
  if (a_into_b != b_into_a) return a_into_b;
  if (const int order = compare_references(a->param_patterns, b->param_patterns); order != 0)
    return order > 0;
  // Equal so far: the one without a pack is preferred.
  const bool a_pack = !a->param_is_pack.empty() && a->param_is_pack.back();
  const bool b_pack = !b->param_is_pack.empty() && b->param_is_pack.back();
  if (a_pack != b_pack) return b_pack;
  return false;
}

// ---- specialisations

void parse_specialisation(Sema& sema, TemplateDecl* s) {
  if (s->pattern_parsed && s->of != TemplateDecl::Of::kFunction) return;
  if (s->of == TemplateDecl::Of::kFunction && !s->spec_pattern.empty()) return;
  if (s->of != TemplateDecl::Of::kFunction) s->pattern_parsed = true;
  Scope* scope = bind_placeholders(sema, s->params, s->scope);
  auto saved = std::move(sema.impl->pack_index);
  sema.impl->pack_index.clear();
  Parser parser(sema, {s->spec_args.begin - 1, s->spec_args.end + 1}, scope);
  parser.pattern_mode(!s->params.empty());
  parser.template_args(s->spec_pattern, s->primary);
  sema.impl->pack_index = std::move(saved);
}

bool more_specialised_args(Sema& sema, TemplateDecl* a, TemplateDecl* b) {
  std::vector<TemplateArg> bindings(b->params.size());
  if (a->params.empty()) return true;
  const bool a_into_b = match_args(sema, b->spec_pattern, a->spec_pattern, bindings);
  std::vector<TemplateArg> back(a->params.size());
  const bool b_into_a = match_args(sema, a->spec_pattern, b->spec_pattern, back);
  return a_into_b && !b_into_a;
}

}  // namespace quern::lang
