// Names, qualified and unqualified, and template arguments.
#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/deduce.hpp"
#include "lang/sema/messages.hpp"
#include "lang/sema/object_arg.hpp"
#include "lang/sema/unsupported.hpp"

namespace quern::lang {

// ---- names

namespace {

const Type* class_or_null(QualType t) { return t && t->is_class() ? t.type : nullptr; }

}  // namespace

// Converts the result to a type, if it is one. Template arguments must have been parsed.
bool Parser::resolve_type(NameRef& ref) {
  if (ref.decls.empty()) return false;
  Decl* d = ref.decls.front();
  // `struct stat` and `stat()` may share a name: the type loses to functions and variables in expressions.
  switch (d->kind) {
    case DeclKind::kClass: ref.type = static_cast<ClassDecl*>(d)->type; return true;
    case DeclKind::kEnum: ref.type = static_cast<EnumDecl*>(d)->type; return true;
    case DeclKind::kTypedef: ref.type = sema_.complete_typedef(static_cast<TypedefDecl*>(d)); return true;
    case DeclKind::kTypeParam: {
      auto* b = static_cast<BoundDecl*>(d);
      ref.type = b->pattern_index >= 0 ? QualType(sema_.types.param(b->pattern_index)) : b->arg.type;
      return true;
    }
    case DeclKind::kPackParam: {
      auto* b = static_cast<BoundDecl*>(d);
      if (b->pattern_index >= 0) {
        if (b->value_type) return false;
        ref.type = sema_.types.param(b->pattern_index);
        return true;
      }
      auto at_index = sema_.impl->pack_index.find(d);
      if (at_index == sema_.impl->pack_index.end() || at_index->second >= b->arg.pack.size()) return false;
      const TemplateArg& element = b->arg.pack[at_index->second];
      if (element.kind != TemplateArg::Kind::kType) return false;
      ref.type = element.type;
      return true;
    }
    case DeclKind::kTemplateParam: {
      auto* b = static_cast<BoundDecl*>(d);
      if (b->pattern_index >= 0) {
        if (!ref.has_args) return false;
        ref.type = sema_.types.template_id(nullptr, b->pattern_index, ref.args);
        return true;
      }
      if (!ref.has_args) {
        ref.template_ = b->arg.template_;
        return false;
      }
      ref.type = pattern_type(b->arg.template_, ref.args);
      return true;
    }
    case DeclKind::kTemplate: {
      auto* t = static_cast<TemplateDecl*>(d);
      if (t->of != TemplateDecl::Of::kClass && t->of != TemplateDecl::Of::kAlias) return false;
      if (ref.has_args) {
        ref.type = pattern_type(t, ref.args);
        return true;
      }
      // Inside the class, its name refers to the instance.
      for (Scope* s = scope_; s != nullptr; s = s->parent) {
        if (s->kind == Scope::Kind::kClass && s->class_decl->from_template == t) {
          ref.type = s->class_decl->type;
          return true;
        }
      }
      ref.template_ = t;
      return false;
    }
    case DeclKind::kNamespace: ref.scope = static_cast<NamespaceDecl*>(d)->members; return false;
    default: return false;
  }
}

// An alias among patterns represents its definition: its text is parsed with the patterns in the parameters'
// places.
QualType Parser::alias_pattern(TemplateDecl* t, const std::vector<TemplateArg>& args) {
  for (const TemplateArg& a : args) {  // what is unknown must be checked later: void_t<decltype(…)>
    const bool unknown = a.kind == TemplateArg::Kind::kNotDeduced ||
                         (a.kind == TemplateArg::Kind::kType && a.type->is(TypeKind::kNotDeduced));
    if (unknown) return sema_.basic(TypeKind::kNotDeduced);
  }
  std::vector<TemplateArg> bound;
  size_t next = 0;
  for (const TemplateParam& p : t->params) {
    TemplateArg arg;
    if (p.is_pack) {
      arg.kind = TemplateArg::Kind::kPack;
      while (next < args.size()) arg.pack.push_back(args[next++]);
    } else if (next < args.size()) {
      arg = args[next++];
    } else {
      return sema_.basic(TypeKind::kNotDeduced);
    }
    bound.push_back(std::move(arg));
  }
  Tentative attempt(sema_.diagnostics);
  Parser parser(sema_, static_cast<TypedefDecl*>(t->pattern)->range, bind_template(sema_, t, bound));
  parser.pattern_ = true;
  const QualType type = parser.type_id();
  return attempt.failed() ? sema_.basic(TypeKind::kNotDeduced) : type;
}

QualType Parser::pattern_type(TemplateDecl* t, std::vector<TemplateArg> args) {
  const Type* pattern = sema_.types.template_id(t, -1, args);
  if (pattern->is_pattern) {
    if (t->of == TemplateDecl::Of::kAlias) return alias_pattern(t, args);
    if (args.size() >= t->params.size()) return pattern;
    // Omitted arguments are the template's defaults, if those do not depend on the others.
    for (size_t i = args.size(); i < t->params.size() && !t->params[i].is_pack; ++i) {
      Tentative attempt(sema_.diagnostics);
      TemplateArg arg = Parser(sema_, t->params[i].default_range, t->scope).template_arg(&t->params[i]);
      if (attempt.failed() || arg.kind == TemplateArg::Kind::kNone) arg.kind = TemplateArg::Kind::kNotDeduced;
      args.push_back(std::move(arg));
    }
    return sema_.types.template_id(t, -1, std::move(args));
  }
  if (t->of == TemplateDecl::Of::kAlias) return sema_.instantiate_alias(t, args, loc());
  ClassDecl* c = sema_.instantiate_class(t, args, loc());
  return c != nullptr ? QualType(c->type) : sema_.basic(TypeKind::kError);
}

// After `X ::`: the scope for the lookup of the next name.
bool Parser::step_into(NameRef& ref) {
  Scope* into = ref.scope;
  if (ref.type) {
    if (ref.type->is_pattern) return true;  // nothing can be known: the caller stops deduction
    if (const Type* c = class_or_null(ref.type)) {
      if (!sema_.declares_type(c->class_decl, kind(1) == Tok::kIdentifier ? peek(1).ident : nullptr) &&
          !sema_.complete_class(c->class_decl) && c->class_decl->state != Lazy::kBusy)
        return false;
      into = c->class_decl->members;
    } else if (ref.type->is_enum()) {
      sema_.complete_enum(ref.type->enum_decl);
      into = ref.type->enum_decl->members;
    }
  }
  if (into == nullptr) return false;
  ref.scope = into;
  return true;
}

base::MessageText Parser::undeclared(const NameRef& ref, const base::Message<1>& what) {
  if (const auto unsupported = unsupported_name(ref.name->text)) return *unsupported;
  base::MessageText problem = what(ref.name->text);
  const std::string near = ref.looked_in != nullptr ? sema_.nearest_in(ref.name, ref.looked_in)
                                                    : sema_.nearest_name(ref.name, scope_);
  if (!near.empty()) return with_hint(std::move(problem), message::kDidYouMean(near));
  if (ref.looked_in != nullptr && ref.looked_in->kind == Scope::Kind::kClass) return problem;
  const auto skipped = sema_.impl->skipped_header();
  return skipped ? with_hint(std::move(problem), *skipped) : problem;
}

bool Parser::name(NameRef& out, Scope* look_in) {
  const Token* start = cur_;
  out.loc = loc();
  if (look_in != nullptr) out.is_qualified = true;
  if (look_in == nullptr && accept(Tok::kColonColon)) {
    look_in = sema_.global;
    out.is_qualified = true;
  }
  accept(Tok::kw_typename);
  for (;;) {
    accept(Tok::kw_template);
    if (at(Tok::kw_operator)) {  // operator+ as a name
      std::string text = "operator";
      advance();
      if ((at(Tok::kLParen) && kind(1) == Tok::kRParen) ||
          (at(Tok::kLBracket) && kind(1) == Tok::kRBracket)) {
        text += std::string(peek().text) + std::string(peek(1).text);
        advance(2);
      } else if (at(Tok::kGreater)) {
        while (at(Tok::kGreater) || at(Tok::kEqual)) {
          const bool glued = peek().glued;
          text += peek().text;
          advance();
          if (!glued) break;
        }
      } else {
        text += peek().text;
        advance();
      }
      out.name = sema_.idents.get(text);
    } else if (at(Tok::kIdentifier)) {
      out.name = peek().ident;
      out.loc = loc();
      out.length = static_cast<uint32_t>(peek().text.size());
      advance();
    } else {
      cur_ = start;
      return false;
    }
    out.decls = look_in != nullptr ? sema_.lookup_in(out.name, look_in) : sema_.lookup(out.name, scope_);
    if (look_in == nullptr && at(Tok::kColonColon) && !out.decls.empty() &&
        out.decls.front()->kind == DeclKind::kVar)
      out.decls = sema_.lookup(out.name, scope_, Sema::Wanted::kScopes);
    out.looked_in = look_in;
    out.type = {};
    out.scope = nullptr;
    out.template_ = nullptr;
    out.has_args = false;
    out.args.clear();
    Decl* first = out.decls.empty() ? nullptr : out.decls.front();
    // A class's own name, qualified by the class: the constructor or the class itself.
    if (at(Tok::kLess) && first != nullptr) {
      const bool template_name =
          first->kind == DeclKind::kTemplate || first->kind == DeclKind::kTemplateParam;
      bool any_template = template_name;
      for (Decl* d : out.decls) any_template |= d->kind == DeclKind::kTemplate;
      if (any_template) {
        const auto* t = first->kind == DeclKind::kTemplate ? static_cast<TemplateDecl*>(first) : nullptr;
        const bool functions = t != nullptr && t->of == TemplateDecl::Of::kFunction;
        const Token* before_args = cur_;
        if (!template_args(out.args, functions ? nullptr : t)) {
          cur_ = before_args;
          return true;
        }
        out.has_args = true;
      }
    } else if (at(Tok::kLess) && first != nullptr && first->kind == DeclKind::kFunction) {
      // Functions and templates share a name only when a template is among them; handled above.
    }
    resolve_type(out);
    if (!at(Tok::kColonColon)) return true;
    if (kind(1) != Tok::kIdentifier && kind(1) != Tok::kw_template && kind(1) != Tok::kw_operator &&
        kind(1) != Tok::kTilde) {
      return true;
    }
    if (kind(1) == Tok::kTilde) return true;
    if (out.type && out.type->is_pattern) {  // typename Pattern::anything
      while (accept(Tok::kColonColon)) {
        accept(Tok::kw_template);
        advance();
        if (at(Tok::kLess)) skip_angles();
      }
      out.type = sema_.basic(TypeKind::kNotDeduced);
      return true;
    }
    if (!step_into(out)) {
      if (out.decls.empty()) {
        sema_.error(out.loc, out.length, undeclared(out, message::kNotDeclared));
      } else if (!(out.type && out.type->is_error())) {
        sema_.error(out.loc, out.length, message::kNotScope(out.name->text));
      }
      while (accept(Tok::kColonColon)) {
        advance();
        if (at(Tok::kLess)) skip_angles();
      }
      out.type = sema_.basic(TypeKind::kError);
      out.decls.clear();
      return true;
    }
    look_in = out.scope;
    out.is_qualified = true;
    advance();  // '::'
  }
}

bool Parser::try_name(NameRef& out) {
  Tentative attempt(sema_.diagnostics);
  return name(out);
}

std::vector<Decl*> Parser::qualified_decls() {
  NameRef ref;
  if (!name(ref)) return {};
  return ref.decls;
}

// ---- template arguments

TemplateArg Parser::template_arg(const TemplateParam* param) {
  TemplateArg arg;
  const Token* start = cur_;
  const bool wants_value = param != nullptr && param->kind == TemplateParam::Kind::kValue;
  if (!wants_value && at_type()) {
    // A type, unless it turns out to be the start of a value: T(3), T{}, T::value.
    QualType type;
    bool failed = false;
    {
      Tentative attempt(sema_.diagnostics);
      type = type_id();
      failed = attempt.failed();
    }
    const bool ends = at(Tok::kComma) || at(Tok::kGreater) || at(Tok::kEllipsis) || at_end();
    if (ends && !failed) {
      arg.kind = TemplateArg::Kind::kType;
      arg.type = type;
      return arg;
    }
    if (ends && failed) {
      cur_ = start;
      type = type_id();  // again, to report
      arg.kind = TemplateArg::Kind::kType;
      arg.type = type;
      return arg;
    }
    cur_ = start;
  }
  // A template's name, or a placeholder of a pattern, or a function: all are plain names.
  if (at(Tok::kIdentifier)) {
    NameRef ref;
    const bool read = try_name(ref);
    const bool ends = at(Tok::kComma) || at(Tok::kGreater) || at(Tok::kEllipsis) || at_end();
    if (read && ends && !ref.decls.empty()) {
      Decl* d = ref.decls.front();
      if (ref.template_ != nullptr) {
        arg.kind = TemplateArg::Kind::kTemplate;
        arg.template_ = ref.template_;
        return arg;
      }
      if (d->kind == DeclKind::kValueParam || d->kind == DeclKind::kPackParam ||
          d->kind == DeclKind::kTemplateParam) {
        auto* b = static_cast<BoundDecl*>(d);
        if (b->pattern_index >= 0) {
          arg.kind = TemplateArg::Kind::kParamValue;
          arg.value = b->pattern_index;
          return arg;
        }
        if (d->kind == DeclKind::kValueParam) return b->arg;
      }
      if (d->kind == DeclKind::kFunction && ref.decls.size() == 1) {
        arg.kind = TemplateArg::Kind::kFunction;
        arg.function = static_cast<FunctionDecl*>(d);
        return arg;
      }
    }
    cur_ = start;
  }
  if (at(Tok::kAmp) && kind(1) == Tok::kIdentifier) {
    advance();
    TemplateArg inner = template_arg(param);
    if (inner.kind == TemplateArg::Kind::kFunction) return inner;
    cur_ = start;
  }
  if (pattern_) {  // an expression over parameters: nothing is deduced from it, unless it has a value already
    Tentative attempt(sema_.diagnostics);
    ++no_greater_;
    Expr* e = conditional();
    --no_greater_;
    std::optional<int64_t> v;
    if (!attempt.failed()) v = sema_.constant_integer(e, false);
    if (v && e->kind != ExprKind::kError) {
      arg.kind = TemplateArg::Kind::kValue;
      arg.value = *v;
      arg.type = e->type;
      return arg;
    }
    arg.kind = TemplateArg::Kind::kNotDeduced;
    cur_ = start;
    while (!at_end() && !at(Tok::kComma) && !at(Tok::kGreater)) {
      if (at(Tok::kLess) && skip_angles()) continue;
      if (at(Tok::kLParen) || at(Tok::kLBrace)) {
        skip_balanced();
      } else {
        advance();
      }
    }
    return arg;
  }
  ++no_greater_;
  Expr* e = conditional();
  --no_greater_;
  if (e->kind == ExprKind::kError) return arg;
  if (e->kind == ExprKind::kFunction) {
    arg.kind = TemplateArg::Kind::kFunction;
    arg.function = as<FunctionExpr>(e)->function;
    return arg;
  }
  if (object_arg(sema_, e, arg)) return arg;
  if (std::optional<int64_t> v = sema_.constant_integer(e)) {
    arg.kind = TemplateArg::Kind::kValue;
    arg.value = *v;
    arg.type = e->type.unqualified();
  }
  return arg;
}

bool Parser::template_args(std::vector<TemplateArg>& out, const TemplateDecl* of) {
  advance();  // '<'
  const int saved = no_greater_;
  const bool was_inside = in_template_args_;
  no_greater_ = 0;
  in_template_args_ = true;  // `Ts...` is an expansion here, not a declarator
  size_t index = 0;
  while (!at_end() && !at(Tok::kGreater)) {
    const TemplateParam* param = nullptr;
    if (of != nullptr && !of->params.empty()) {
      param = &of->params[std::min(index, of->params.size() - 1)];
      if (index >= of->params.size() && !param->is_pack) param = nullptr;
    }
    TokenRange pattern;
    const Token* here = cur_;
    if (pattern_ && at(Tok::kIdentifier) &&
        kind(1) == Tok::kEllipsis) {  // a pack of patterns, inside an alias
      const auto found = sema_.lookup(peek().ident, scope_);
      if (!found.empty() && found[0]->kind == DeclKind::kPackParam &&
          static_cast<BoundDecl*>(found[0])->pattern_index < 0) {
        const auto& pack = static_cast<BoundDecl*>(found[0])->arg.pack;
        out.insert(out.end(), pack.begin(), pack.end());
        advance(2);
        ++index;
        if (!accept(Tok::kComma)) break;
        continue;
      }
    }
    if (expansion_range(pattern)) {
      expand_pack(pattern, [&] { out.push_back(template_arg(param)); });
    } else {
      TemplateArg arg = template_arg(param);
      if (arg.kind == TemplateArg::Kind::kNone) {
        no_greater_ = saved;
        in_template_args_ = was_inside;
        cur_ = here;
        skip_angles();
        skip_to({Tok::kComma, Tok::kGreater, Tok::kSemi});
        accept(Tok::kGreater);
        arg.kind = TemplateArg::Kind::kType;
        arg.type = sema_.basic(TypeKind::kError);
        out.push_back(arg);
        return true;
      }
      if (accept(Tok::kEllipsis)) arg.is_expansion = true;
      out.push_back(std::move(arg));
    }
    ++index;
    if (!accept(Tok::kComma)) break;
  }
  no_greater_ = saved;
  in_template_args_ = was_inside;
  if (!accept(Tok::kGreater)) {
    error_here(message::kTemplateCloseMissing());
    return false;
  }
  return true;
}

}  // namespace quern::lang
