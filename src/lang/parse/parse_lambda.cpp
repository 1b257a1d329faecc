// Lambdas: a closure class with one field per capture, and operator().
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/parse/scanner.hpp"

namespace quern::lang {

namespace {

const Scope* function_scope(const Scope* s) {
  while (s != nullptr && s->kind != Scope::Kind::kFunction) s = s->parent;
  return s;
}

bool is_automatic(const VarDecl* v) { return v->storage == Storage::kLocal || v->storage == Storage::kParam; }

}  // namespace

Expr* Parser::captured(VarDecl* var, SourceLoc at_loc) {
  if (!is_automatic(var) || function_ == nullptr || var->parent == nullptr) return nullptr;
  const Scope* owner = function_scope(var->parent);
  if (owner == nullptr || owner == function_scope(scope_)) return nullptr;
  if (var->is_const_init && var->type->is_scalar()) return nullptr;  // its value is known everywhere
  ClassDecl* closure = function_->is_lambda_call ? function_->class_decl : nullptr;
  if (closure != nullptr) {
    for (size_t i = 0; i < closure->captured.size(); ++i) {
      if (closure->captured[i] != var) continue;
      auto* e = sema_.make<FieldExpr>();
      e->field = closure->fields[i];
      e->object = sema_.unary(Tok::kStar, sema_.this_expr(function_, at_loc), at_loc);
      e->type = strip_ref(e->field->type);
      if (!e->field->type->is_ref() && function_->is_const) e->type.is_const = true;
      e->is_lvalue = true;
      e->loc = at_loc;
      return e;
    }
  }
  sema_.error(at_loc, static_cast<uint32_t>(var->name->text.size()),
              message::kCaptureMissing(var->name->text));
  return sema_.error_expr(at_loc);
}

Expr* Parser::this_object(ClassDecl* member_of, SourceLoc at_loc) {
  if (function_ == nullptr || function_->class_decl == nullptr || function_->is_static) return nullptr;
  Expr* self = sema_.unary(Tok::kStar, sema_.this_expr(function_, at_loc), at_loc);
  ClassDecl* closure = function_->class_decl;
  if (!closure->is_closure || member_of == closure) return self;
  if (closure->captured_this == nullptr) return nullptr;
  auto* e = sema_.make<FieldExpr>();
  e->field = closure->captured_this;
  e->object = self;
  e->type = e->field->type;
  e->is_lvalue = true;
  e->loc = at_loc;
  if (e->type->is_pointer()) return sema_.unary(Tok::kStar, e, at_loc);
  e->type.is_const |= function_->is_const;  // [*this]
  return e;
}

void Parser::capture(ClassDecl* closure, AggregateExpr* init, VarDecl* var, bool by_ref, SourceLoc at_loc) {
  if (std::find(closure->captured.begin(), closure->captured.end(), var) != closure->captured.end()) return;
  NameRef ref;
  ref.name = var->name;
  ref.loc = at_loc;
  Expr* source = var_operand(var, ref);
  if (source->kind == ExprKind::kError) return;
  auto* field = sema_.make<FieldDecl>();
  field->name = nullptr;  // the name is found outside and mapped here
  field->loc = at_loc;
  QualType type = source->type;
  field->type = by_ref ? QualType(sema_.types.lref(type)) : type.unqualified();
  field->index = static_cast<uint32_t>(closure->fields.size());
  closure->fields.push_back(field);
  closure->captured.push_back(var);
  const bool copies_object = !by_ref && type->is_class();
  init->members.push_back(copies_object ? sema_.convert(source, field->type) : source);
}

// A variable, or every element of a pack.
void Parser::capture_all(ClassDecl* closure, AggregateExpr* init, VarDecl* var, bool by_ref,
                         SourceLoc at_loc) {
  if (!var->is_param_pack) return capture(closure, init, var, by_ref, at_loc);
  for (VarDecl* element : var->pack) capture(closure, init, element, by_ref, at_loc);
}

FieldDecl* Parser::captured_value(ClassDecl* closure, AggregateExpr* init, Ident* id, bool by_ref,
                                  VarDecl* as) {
  VarDecl holder;
  holder.name = id;
  holder.loc = loc();
  holder.type = sema_.basic(TypeKind::kAuto);
  if (by_ref) holder.type = sema_.types.lref(holder.type);
  initialiser(&holder, true);
  auto* field = sema_.make<FieldDecl>();
  field->loc = holder.loc;
  field->type = holder.type;
  field->index = static_cast<uint32_t>(closure->fields.size());
  closure->fields.push_back(field);
  closure->captured.push_back(as);
  init->members.push_back(holder.init);
  return field;
}

// [...xs = pattern]: a pack that is stored in the closure.
void Parser::capture_pack(ClassDecl* closure, AggregateExpr* init, bool by_ref) {
  advance();  // '...'
  auto* pack = sema_.make<VarDecl>();
  pack->name = peek().ident;
  pack->loc = loc();
  pack->storage = Storage::kParam;
  pack->is_param_pack = true;
  pack->index = UINT32_MAX;
  pack->type = sema_.basic(TypeKind::kVoid);
  advance();
  const Token* start = cur_;
  skip_to({Tok::kComma, Tok::kRBracket});
  const TokenRange pattern{start, cur_};
  expand_pack(pattern, [&] {
    auto* element = sema_.make<VarDecl>();
    element->name = pack->name;
    element->storage = Storage::kParam;
    element->parent = scope_;
    element->type = captured_value(closure, init, pack->name, by_ref, element)->type;
    pack->pack.push_back(element);
  });
  sema_.declare(closure->members, pack);
  ++sema_.impl->packs;
}

void Parser::capture_this(ClassDecl* closure, AggregateExpr* init, bool by_copy, SourceLoc at_loc) {
  if (closure->captured_this != nullptr) return;
  Expr* object = this_object(nullptr, at_loc);
  if (object == nullptr) return;
  Expr* value = by_copy ? sema_.init_copy(object->type.unqualified(), object, {})
                        : sema_.unary(Tok::kAmp, object, at_loc);
  auto* field = sema_.make<FieldDecl>();
  field->loc = at_loc;
  field->type = value->type;
  field->index = static_cast<uint32_t>(closure->fields.size());
  closure->fields.push_back(field);
  closure->captured.push_back(nullptr);
  closure->captured_this = field;
  init->members.push_back(value);
}

// [=] and [&]: every variable of the enclosing scopes that the body names.
void Parser::implicit_captures(ClassDecl* closure, AggregateExpr* init, TokenRange body, bool by_ref) {
  for (const Token* t = body.begin; t < body.end; ++t) {
    if (t->kind != Tok::kIdentifier) continue;
    if ((t - 1)->kind == Tok::kDot || (t - 1)->kind == Tok::kArrow) continue;
    for (Decl* d : sema_.lookup(t->ident, scope_)) {
      auto* v = decl_cast<VarDecl>(d, DeclKind::kVar);
      if (v == nullptr || !is_automatic(v) || function_scope(v->parent) == nullptr) continue;
      if (v->is_const_init && v->type->is_scalar()) continue;
      capture_all(closure, init, v, by_ref, t->loc);
    }
  }
  capture_this(closure, init, false, body.begin->loc);
}

void Parser::lambda_captures(ClassDecl* closure, AggregateExpr* init, bool& by_copy, bool& by_ref) {
  advance();  // '['
  while (!at_end() && !at(Tok::kRBracket)) {
    const SourceLoc at_loc = loc();
    if (at(Tok::kEqual)) {
      by_copy = true;
      advance();
    } else if (at(Tok::kAmp) && kind(1) != Tok::kIdentifier && kind(1) != Tok::kEllipsis) {
      by_ref = true;
      advance();
    } else if (at(Tok::kw_this) || (at(Tok::kStar) && kind(1) == Tok::kw_this)) {
      const bool by_copy_of_this = accept(Tok::kStar);
      advance();
      capture_this(closure, init, by_copy_of_this, at_loc);
    } else {
      const bool reference = accept(Tok::kAmp);
      if (at(Tok::kEllipsis) && kind(1) == Tok::kIdentifier) {
        capture_pack(closure, init, reference);
        if (!accept(Tok::kComma)) break;
        continue;
      }
      if (!at(Tok::kIdentifier)) {
        error_here(message::kCaptureNameMissing());
        skip_to({Tok::kRBracket});
        break;
      }
      Ident* id = peek().ident;
      const SourceLoc name_loc = loc();
      advance();
      if (at(Tok::kEqual) || at(Tok::kLBrace) || at(Tok::kLParen)) {  // [x = value]
        FieldDecl* field = captured_value(closure, init, id, reference, nullptr);
        field->name = id;
        field->loc = name_loc;
        sema_.declare(closure->members, field);
      } else {
        VarDecl* var = nullptr;
        for (Decl* d : sema_.lookup(id, scope_)) {
          if (d->kind == DeclKind::kVar) var = static_cast<VarDecl*>(d);
        }
        if (var == nullptr) {
          sema_.error(name_loc, message::kCannotCapture(id->text));
        } else if (is_automatic(var)) {
          capture_all(closure, init, var, reference, name_loc);
        }
        accept(Tok::kEllipsis);  // [xs...]
      }
    }
    if (!accept(Tok::kComma)) break;
  }
  expect(Tok::kRBracket, message::kAfterCaptures);
}

// At `requires`, optionally: the clause, and moves the cursor after it.
TokenRange Parser::lambda_requires() {
  if (!at(Tok::kw_requires)) return {};
  Scanner scanner(sema_, {cur_, end_}, scope_, false);
  const TokenRange clause = scanner.requires_clause();
  cur_ = clause.end;
  return clause;
}

Expr* Parser::lambda() {
  const SourceLoc at_loc = loc();
  auto* closure = sema_.make<ClassDecl>();
  closure->is_closure = true;
  closure->is_defined = true;
  closure->loc = at_loc;
  closure->full_name = "lambda";
  closure->outer = scope_;
  closure->parent = scope_;
  closure->type = sema_.types.class_type(closure);
  closure->is_library = function_ != nullptr && function_->is_library;
  closure->state = Lazy::kDone;
  closure->members = sema_.make<Scope>();
  closure->members->kind = Scope::Kind::kClass;
  closure->members->parent = scope_;
  closure->members->class_decl = closure;

  auto* init = sema_.make<AggregateExpr>();
  init->type = closure->type;
  init->loc = at_loc;
  bool by_copy = false, by_ref = false;
  lambda_captures(closure, init, by_copy, by_ref);

  auto* f = sema_.make<FunctionDecl>();
  f->name = sema_.idents.get("operator()");
  f->loc = at_loc;
  f->scope = closure->members;
  f->class_decl = closure;
  f->is_const = true;
  f->is_device = true;
  f->is_lambda_call = true;
  f->is_constexpr = true;
  f->is_library = closure->is_library;
  std::vector<TemplateParam> params;
  TokenRange constraint;
  if (at(Tok::kLess)) {
    const Token* open = cur_;
    if (skip_angles()) params = scan_template_params(sema_, scope_, {open + 1, cur_ - 1});
    constraint = lambda_requires();
  }
  while (at(Tok::kIdentifier)) advance();  // [=] __host__ __device__ (int i)
  f->range.begin = cur_;
  if (at(Tok::kLParen)) {
    skip_balanced();
    scan_auto_params(sema_, f->range.begin, {f->range.begin, cur_}, params);
  }
  while (!at_end() && !at(Tok::kLBrace)) {
    if (at(Tok::kw_mutable)) f->is_const = false;
    if (at(Tok::kSemi)) break;
    if (at(Tok::kw_requires)) {
      f->constraint = lambda_requires();
    } else if (at(Tok::kLParen)) {
      skip_balanced();
    } else {
      advance();
    }
  }
  f->range.end = cur_;
  if (!at(Tok::kLBrace)) {
    error_here(message::kLambdaBodyMissing());
    return sema_.error_expr(at_loc);
  }
  const Token* open = cur_;
  skip_balanced();
  f->body_range = {open, cur_};
  if (by_copy || by_ref) implicit_captures(closure, init, f->body_range, by_ref);
  layout_class(closure);

  if (params.empty()) {
    sema_.declare(closure->members, f);
  } else {
    auto* t = sema_.make<TemplateDecl>();
    t->of = TemplateDecl::Of::kFunction;
    t->name = f->name;
    t->loc = f->loc;
    t->params = std::move(params);
    t->constraint = constraint;
    t->scope = closure->members;
    t->pattern = f;
    t->member_of = closure;
    f->from_template = t;
    sema_.declare(closure->members, t);
  }
  return init;
}

// ---- blocks in expressions

namespace {

// The last statement between braces; nothing if it is a block or there is none.
const Token* last_statement(TokenRange block) {
  const Token* last = nullptr;
  Cursor c({block.begin + 1, block.end - 1});
  while (!c.at_end()) {
    last = c.position();
    while (!c.at_end() && !c.at(Tok::kSemi) && !c.at(Tok::kLBrace)) {
      if (c.at(Tok::kLParen) || c.at(Tok::kLBracket)) {
        c.skip_balanced();
      } else {
        c.advance();
      }
    }
    if (c.at(Tok::kLBrace)) {
      c.skip_balanced();
      if (!c.at(Tok::kSemi)) last = nullptr;
    }
    c.accept(Tok::kSemi);
  }
  return last;
}

}  // namespace

// GNU statement expression ({ int a = f(); a + 1; }): treated as a lambda that is called immediately: [&]() {
// int a = f(); return a + 1; }().
Expr* Parser::block_expression() {
  const Token& open = *cur_;
  skip_balanced();
  TokenRange& text = sema_.impl->block_texts[&open];
  if (text.begin == nullptr) {
    const TokenRange block{&open + 1, cur_ - 1};
    const Token* last = last_statement(block);
    auto& tokens = sema_.impl->token_lists.emplace_back();
    auto add = [&](Tok kind) {
      Token t = open;
      t.kind = kind;
      t.text = spelling(kind);
      tokens.push_back(t);
    };
    for (const Tok kind : {Tok::kLBracket, Tok::kAmp, Tok::kRBracket, Tok::kLParen, Tok::kRParen}) add(kind);
    for (const Token* t = block.begin; t < block.end; ++t) {
      if (t == last) add(Tok::kw_return);
      tokens.push_back(*t);
    }
    for (const Tok kind : {Tok::kLParen, Tok::kRParen}) add(kind);
    text = {tokens.data(), tokens.data() + tokens.size()};
  }
  return Parser(sema_, text, scope_, function_).assignment();
}

}  // namespace quern::lang
