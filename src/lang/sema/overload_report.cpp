// Reports why no candidate is viable, or why none is best: expected and actual types, in one sentence.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/impl.hpp"
#include "lang/sema/messages.hpp"
#include "lang/sema/unsupported.hpp"

namespace quern::lang {

namespace {

enum class Misfit : uint8_t { kNone, kSignature, kDeduction, kCount, kObject, kArgument };

struct Failure {
  Misfit misfit = Misfit::kNone;
  FunctionDecl* function = nullptr;
  std::string why;  // kSignature, kDeduction
  size_t required = 0, most = 0, given = 0;
  size_t index = 0;    // kArgument: the first mismatch
  size_t misfits = 0;  // number of mismatches
  Expr* arg = nullptr;
  VarDecl* param = nullptr;
};

Failure examine_function(Sema& sema, const Call& call, FunctionDecl* f) {
  Failure out;
  out.function = f;
  if (!sema.complete_signature(f)) {
    out.misfit = Misfit::kSignature;
    out.why = f->failure;
    return out;
  }
  const bool has_object = f->is_method() && !f->is_ctor;
  std::span<Expr* const> args = call.args;
  const Expr* object = has_object ? call.set->object : nullptr;
  if (has_object && call.is_operator) {
    object = args[0];
    args = args.subspan(1);
  }
  const std::vector<VarDecl*>& params = f->params;
  out.required = required_params(params);
  out.most = params.size();
  out.given = args.size();
  if (out.given < out.required || (out.given > out.most && !f->is_variadic)) {
    out.misfit = Misfit::kCount;
    return out;
  }
  for (size_t i = 0; i < args.size() && i < params.size(); ++i) {
    if (classify(sema, args[i], params[i]->type, call.allow_user)) continue;
    if (out.misfits++ != 0) continue;
    out.misfit = Misfit::kArgument;
    out.index = i;
    out.arg = args[i];
    out.param = params[i];
  }
  if (out.misfit == Misfit::kNone && object != nullptr && !classify_object(sema, object, f))
    out.misfit = Misfit::kObject;
  return out;
}

// A class template may share its name with functions of other scopes.
bool is_callable(const Decl* d) {
  if (d->kind != DeclKind::kTemplate) return d->kind == DeclKind::kFunction;
  return static_cast<const TemplateDecl*>(d)->of == TemplateDecl::Of::kFunction;
}

Failure examine(Sema& sema, const Call& call, Decl* decl) {
  if (decl->kind == DeclKind::kFunction)
    return examine_function(sema, call, static_cast<FunctionDecl*>(decl));
  TemplateDecl* t = static_cast<TemplateDecl*>(decl);
  Failure out;
  FunctionDecl* f = sema.deduce_call(t, call.set->explicit_args, call.args, call.set->loc, &out.why);
  if (f != nullptr) return examine_function(sema, call, f);
  out.misfit = Misfit::kDeduction;
  return out;
}

std::string set_name(const OverloadSet& set) {
  return set.name != nullptr ? std::string(set.name->text) : std::string("the function");
}

bool is_constructor_set(const OverloadSet& set) {
  for (Decl* d : set.candidates) {
    if (FunctionDecl* f = decl_cast<FunctionDecl>(d, DeclKind::kFunction)) return f->is_ctor;
    TemplateDecl* t = decl_cast<TemplateDecl>(d, DeclKind::kTemplate);
    if (t != nullptr && t->of == TemplateDecl::Of::kFunction)
      return static_cast<FunctionDecl*>(t->pattern)->is_ctor;
  }
  return false;
}

base::MessageText no_match(const OverloadSet& set) {
  return is_constructor_set(set) ? message::kNoMatchingConstructor(set_name(set))
                                 : message::kNoMatchingFunction(set_name(set));
}

std::string takes(const Failure& f) {
  if (f.function->is_variadic) return "at least " + base::format_plural(f.required, "argument");
  if (f.required != f.most) {
    return std::to_string(f.required) + " to " + base::format_plural(f.most, "argument");
  }
  return f.most == 0 ? std::string("no arguments") : base::format_plural(f.most, "argument");
}

base::MessageText argument_message(Sema& sema, const Failure& f) {
  const QualType wanted = f.param->type;
  const std::string name = name_of(f.function);
  const std::string type = to_string(wanted);
  const std::string param = f.param->name != nullptr
                                ? "'" + std::string(f.param->name->text) + "' (" + ordinal(f.index + 1) + ")"
                                : std::to_string(f.index + 1);
  if (is_braced(f.arg)) return message::kArgumentList(name, type, param);
  const bool same = wanted->is_ref() && bare(sema, wanted->elem) == bare(sema, f.arg->type);
  if (same && wanted->is(TypeKind::kRRef)) return message::kArgumentNotTemporary(name, type, param);
  if (same && (!f.arg->is_lvalue || is_xvalue(f.arg))) return message::kArgumentTemporary(name, type, param);
  return message::kArgumentType(name, type, param, to_string(f.arg->type));
}

void report_one(Sema& sema, const Call& call, const Failure& f, SourceLoc loc) {
  const OverloadSet& set = *call.set;
  switch (f.misfit) {
    case Misfit::kArgument: return sema.error(f.arg, argument_message(sema, f));
    case Misfit::kObject:
      return sema.error(loc, set.length, message::kObjectConst(name_of(f.function), describe(set.object)));
    case Misfit::kCount:
      return sema.error(loc, set.length,
                        because(no_match(set), message::kArgumentCount(takes(f), std::to_string(f.given))));
    default:
      return sema.error(loc, set.length,
                        f.why.empty() ? no_match(set) : because(no_match(set), message::kReason(f.why)));
  }
}

// "1 or 3"
std::string counts_of(std::span<const Failure> failures) {
  std::set<size_t> counts;
  for (const Failure& f : failures) {
    for (size_t n = f.required; n <= f.most && f.misfit == Misfit::kCount; ++n) counts.insert(n);
  }
  std::string text;
  size_t left = counts.size();
  for (const size_t n : counts) {
    text += std::to_string(n);
    if (--left != 0) text += left == 1 ? " or " : ", ";
  }
  return text;
}

void report_none_by_count(Sema& sema, const Call& call, std::span<const Failure> failures, SourceLoc loc) {
  const std::string counts = counts_of(failures);
  if (counts.empty()) return report_one(sema, call, failures[0], loc);
  sema.error(loc, call.set->length,
             because(no_match(*call.set), message::kOverloadCounts(std::to_string(failures.size()), counts,
                                                                   std::to_string(call.args.size()))));
}

base::MessageText unknown_function(Sema& sema, const OverloadSet& set) {
  base::MessageText problem = message::kNoSuchFunction(set_name(set));
  if (set.name == nullptr || sema.current_scope == nullptr) return problem;
  const std::string near = sema.nearest_name(set.name, sema.current_scope);
  if (!near.empty()) return with_hint(std::move(problem), message::kDidYouMean(near));
  const auto skipped = sema.impl->skipped_header();
  return skipped ? with_hint(std::move(problem), *skipped) : problem;
}

}  // namespace

void report_no_match(Sema& sema, const Call& call, SourceLoc loc) {
  const OverloadSet& set = *call.set;
  if (set.candidates.empty()) {
    const auto unsupported = unsupported_name(set_name(set));
    sema.error(loc, set.length, unsupported ? *unsupported : unknown_function(sema, set));
    return;
  }
  std::vector<Failure> failures;
  for (Decl* d : set.candidates) {
    if (is_callable(d)) failures.push_back(examine(sema, call, d));
  }
  if (failures.empty()) {
    sema.error(loc, set.length, message::kNoSuchFunction(set_name(set)));
    return;
  }
  if (failures.size() == 1) return report_one(sema, call, failures[0], loc);
  const Failure* nearest = nullptr;
  size_t near_count = 0;
  for (const Failure& f : failures) {
    if (f.misfit != Misfit::kArgument && f.misfit != Misfit::kObject) continue;
    ++near_count;
    if (nearest == nullptr || f.misfits < nearest->misfits) nearest = &f;
  }
  if (nearest == nullptr) return report_none_by_count(sema, call, failures, loc);
  if (near_count == 1 || nearest->misfit == Misfit::kObject) return report_one(sema, call, *nearest, loc);
  const std::string types = types_of(call.args);
  const std::string closest = signature(nearest->function);
  sema.error(loc, set.length,
             is_constructor_set(set) ? message::kNoMatchingConstructorFor(set_name(set), types, closest)
                                     : message::kNoMatchingFunctionFor(set_name(set), types, closest));
}

void report_ambiguous(Sema& sema, const Call& call, const Choice& choice, SourceLoc loc) {
  const bool is_plain = choice.function->from_template == nullptr && choice.rival->from_template == nullptr;
  const bool is_twice = is_plain && signature(choice.function) == signature(choice.rival) &&
                        !choice.function->body_range.empty() && !choice.rival->body_range.empty();
  if (is_twice) {
    const FilePos first = sema.sources.resolve(choice.function->loc),
                  second = sema.sources.resolve(choice.rival->loc);
    sema.error(loc, call.set->length,
               message::kDefinedTwice(signature(choice.function), first.file, std::to_string(first.line),
                                      second.file, std::to_string(second.line)));
    return;
  }
  sema.error(
      loc, call.set->length,
      message::kCallAmbiguous(set_name(*call.set), signature(choice.function), signature(choice.rival)));
}

std::string ordinal(size_t n) {
  const size_t tens = n % 100;
  const char* suffix = "th";
  if (tens < 11 || tens > 13) suffix = n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
  return std::to_string(n) + suffix;
}

std::string name_of(const FunctionDecl* f) {
  if (f->is_lambda_call) return "the lambda";
  std::string text;
  if (f->is_conversion)
    text = "operator " + to_string(f->result);
  else if (f->name != nullptr)
    text = std::string(f->name->text);
  if (f->class_decl == nullptr) return text;
  if (f->is_ctor) return f->class_decl->full_name;
  return f->class_decl->full_name + "::" + text;
}

std::string signature(const FunctionDecl* f) {
  std::string text = name_of(f) + "(";
  bool first = true;
  for (const VarDecl* p : f->params) {
    text += (first ? "" : ", ") + to_string(p->type);
    first = false;
  }
  return text + (f->is_variadic ? ", ...)" : ")");
}

std::string types_of(std::span<Expr* const> args) {
  std::string text;
  for (const Expr* e : args)
    text += (text.empty() ? "" : ", ") + (is_braced(e) ? "{…}" : to_string(e->type.unqualified()));
  return text;
}

namespace {

// The expression as the user may have written it; empty: too long.
std::string spelled(const Expr* e) {
  const auto ident = [](const Decl* d) {
    return d != nullptr && d->name != nullptr ? std::string(d->name->text) : "";
  };
  switch (e->kind) {
    case ExprKind::kVar: return ident(as<VarExpr>(e)->var);
    case ExprKind::kFunction: return ident(as<FunctionExpr>(e)->function);
    case ExprKind::kThis: return "this";
    case ExprKind::kField: {
      const Expr* object = as<FieldExpr>(e)->object;
      std::string field = ident(as<FieldExpr>(e)->field);
      if (object->kind == ExprKind::kDeref) {
        const Expr* pointer = as<DerefExpr>(object)->pointer;
        if (pointer->kind == ExprKind::kThis) return field;
        const std::string p = spelled(pointer);
        return p.empty() ? p : p + "->" + field;
      }
      const std::string o = spelled(object);
      return o.empty() ? o : o + "." + field;
    }
    case ExprKind::kDeref: {
      const std::string p = spelled(as<DerefExpr>(e)->pointer);
      return p.empty() ? p : "*" + p;
    }
    case ExprKind::kIndex: {
      const std::string p = spelled(as<IndexExpr>(e)->pointer);
      return p.empty() ? p : p + "[…]";
    }
    case ExprKind::kCall: {
      const std::string f = ident(as<CallExpr>(e)->function);
      return f.empty() || as<CallExpr>(e)->function->is_conversion ? "" : f + "(…)";
    }
    case ExprKind::kCast: return spelled(as<CastExpr>(e)->operand);
    case ExprKind::kMaterialize: return spelled(as<MaterializeExpr>(e)->value);
    default: return "";
  }
}

}  // namespace

std::string describe(const Expr* e) {
  const std::string text = spelled(e);
  return text.empty() ? "the value" : "'" + text + "'";
}

}  // namespace quern::lang
