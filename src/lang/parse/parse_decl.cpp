// Declarations: signatures, bodies, variables, members.
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/deduce.hpp"
#include "lang/sema/expression.hpp"

namespace quern::lang {

namespace {

QualType put_auto(Sema& sema, QualType declared, QualType deduced) {
  switch (declared->kind) {
    case TypeKind::kAuto:
      return QualType(deduced.type, declared.is_const || deduced.is_const,
                      declared.is_volatile || deduced.is_volatile);
    case TypeKind::kPointer:
      return QualType(sema.types.pointer(put_auto(sema, declared->elem, deduced)), declared.is_const,
                      declared.is_volatile);
    case TypeKind::kLRef: return sema.types.lref(put_auto(sema, declared->elem, deduced));
    case TypeKind::kRRef: return sema.types.rref(put_auto(sema, declared->elem, deduced));
    default: return declared;
  }
}

}  // namespace

QualType deduce_auto(Sema& sema, QualType declared, Expr* from) {
  if (from->kind == ExprKind::kError || from->type->is_error()) return sema.basic(TypeKind::kError);
  if (!has_auto(declared)) return declared;
  if (declared->is_ref()) {
    QualType actual = from->type;
    if (declared->is(TypeKind::kRRef) && declared->elem->is(TypeKind::kAuto) && !declared->elem.is_const &&
        from->is_lvalue && !is_xvalue(from)) {
      return sema.types.lref(actual);
    }
    if (declared->elem->is_pointer()) {
      if (!actual->is_pointer()) return {};
      return put_auto(sema, declared, actual->elem.unqualified());
    }
    QualType inner = actual;
    if (declared->elem.is_const) inner.is_const = false;
    return put_auto(sema, declared, inner);
  }
  QualType actual = sema.decay(from)->type.unqualified();
  QualType pattern = declared;
  while (pattern->is_pointer()) {
    if (!actual->is_pointer()) return {};
    pattern = pattern->elem;
    actual = actual->elem;
  }
  if (pattern.is_const) actual.is_const = false;
  return put_auto(sema, declared, actual);
}

// ---- functions

// The type of the invented parameter of an `auto`; none if `auto` is not allowed here.
QualType Parser::auto_param_type(const FunctionDecl* f, const Token* word) {
  if (autos_from_ == nullptr) return {};
  const auto found = sema_.lookup(auto_param_name(sema_, autos_from_, word), f->scope);
  if (found.empty()) return {};
  const auto* b = static_cast<BoundDecl*>(found[0]);
  if (b->pattern_index >= 0) return sema_.types.param(b->pattern_index);
  if (b->kind != DeclKind::kPackParam) return b->arg.type;
  const auto chosen = sema_.impl->pack_index.find(b);
  const bool inside = chosen != sema_.impl->pack_index.end() && chosen->second < b->arg.pack.size();
  return inside ? b->arg.pack[chosen->second].type : QualType();
}

void Parser::parameter(FunctionDecl* f, int pack_element) {
  Specifiers s = specifiers();
  Declarator d = declarator(s.type);
  if (at(Tok::kLParen)) d.type = apply_suffixes(d.type, d);
  auto* p = sema_.make<VarDecl>();
  p->storage = Storage::kParam;
  p->name = d.name;
  p->loc = d.name != nullptr ? d.loc : s.loc;
  p->is_restrict = d.is_restrict || s.is_restrict;
  QualType type = d.type;
  if (type->is_array()) type = sema_.types.pointer(type->elem);
  if (type->is_function()) type = sema_.types.pointer(type);
  if (has_auto(type)) {
    // An `auto` parameter is an invented template parameter: see scan_auto_params.
    const QualType actual = s.auto_token != nullptr ? auto_param_type(f, s.auto_token) : QualType();
    if (!actual) sema_.error(s.loc, message::kParameterDeduced(to_string(s.type)));
    type = actual ? put_auto(sema_, type, actual) : sema_.basic(TypeKind::kError);
  }
  p->type = type;
  p->index = static_cast<uint32_t>(f->params.size());
  if (type->is_void()) sema_.error(p->loc, message::kParameterVoid());
  if (at(Tok::kEqual)) {
    const Token* from = cur_ + 1;
    skip_default();
    p->default_range = {from, cur_};
  }
  p->is_pack_element = pack_element >= 0;
  f->params.push_back(p);
}

void Parser::parameters(FunctionDecl* f) {
  autos_from_ = f->range.begin;
  expect(Tok::kLParen, message::kBeforeParameters);
  if (at(Tok::kw_void) && kind(1) == Tok::kRParen) advance();
  while (!at_end() && !at(Tok::kRParen)) {
    if (at(Tok::kEllipsis)) {
      advance();
      f->is_variadic = true;
      break;
    }
    const Token* before = cur_;
    // `Args... args`: one parameter per element of the pack.
    Cursor ahead({cur_, end_});
    bool has_ellipsis = false;
    while (!ahead.at_end() && !ahead.at(Tok::kComma) && !ahead.at(Tok::kRParen) && !ahead.at(Tok::kEqual)) {
      if (ahead.at(Tok::kEllipsis)) has_ellipsis = true;
      if (ahead.at(Tok::kLess) && ahead.skip_angles()) continue;
      if (ahead.at(Tok::kLParen)) {
        ahead.skip_balanced();
      } else {
        ahead.advance();
      }
    }
    if (has_ellipsis && !pattern_) {
      size_t count = 0;
      const TokenRange range{cur_, ahead.position()};
      auto packs = packs_in(range, count);
      int element = 0;
      const Token* saved_end = end_;
      for (size_t i = 0; i < count; ++i) {
        for (const Decl* p : packs) sema_.impl->pack_index[p] = i;
        cur_ = range.begin;
        end_ = range.end;
        parameter(f, element++);
        end_ = saved_end;
      }
      for (const Decl* p : packs) sema_.impl->pack_index.erase(p);
      cur_ = range.end;
      if (count == 0) {  // the name of an empty pack must be declared
        const Token* name = range.end - 1;
        if (name->kind == Tok::kIdentifier) {
          auto* p = sema_.make<VarDecl>();
          p->storage = Storage::kParam;
          p->name = name->ident;
          p->is_param_pack = true;
          p->type = sema_.basic(TypeKind::kVoid);
          p->index = UINT32_MAX;
          f->params.push_back(p);
        }
      }
    } else {
      parameter(f, -1);
    }
    if (cur_ == before) advance();
    if (!accept(Tok::kComma)) break;
  }
  if (!at(Tok::kRParen)) {
    error_here(message::kParameterParenMissing());
    skip_to({Tok::kRParen});
  }
  accept(Tok::kRParen);
}

bool Parser::function_signature(FunctionDecl* f) {
  const size_t errors = sema_.diagnostics.attempts();
  f->params.clear();
  const Token* name_token = f->name_token;
  if (f->is_conversion) {
    cur_ = name_token + 1;
    Specifiers s = specifiers();
    f->result = declarator(s.type).type;
  } else if (f->is_ctor || f->is_dtor || f->is_guide) {
    f->result = sema_.basic(TypeKind::kVoid);
    cur_ = name_token != nullptr ? name_token + 1 : cur_;
  } else if (f->is_lambda_call) {
    f->result = sema_.basic(TypeKind::kAuto);
    cur_ = f->range.begin;
  } else {
    Specifiers s = specifiers();
    f->max_threads = s.max_threads;
    f->min_blocks = s.min_blocks;
    f->cluster = s.cluster;
    QualType result = s.type;
    while (cur_ < name_token) {  // the result's pointers and references; the rest is the qualified name
      if (accept(Tok::kStar)) {
        result = sema_.types.pointer(result);
      } else if (accept(Tok::kAmp)) {
        result = sema_.types.lref(result);
      } else if (accept(Tok::kAmpAmp)) {
        result = sema_.types.rref(result);
      } else if (at(Tok::kw_const)) {
        result.is_const = true;
        advance();
      } else if (word_of(peek()) != Word::kNone) {
        Specifiers extra;
        attribute(extra);
        if (extra.max_threads != 0) f->max_threads = extra.max_threads, f->min_blocks = extra.min_blocks;
        if (extra.cluster[0] != 0) f->cluster = extra.cluster;
      } else {
        break;
      }
    }
    f->result = result;
    cur_ = name_token + 1;
  }
  // After the name: the operator's punctuation, explicit arguments.
  if (!f->is_lambda_call) {
    if (name_token != nullptr && name_token->kind == Tok::kw_operator && !f->is_conversion) {
      if ((at(Tok::kLParen) && kind(1) == Tok::kRParen) ||
          (at(Tok::kLBracket) && kind(1) == Tok::kRBracket)) {
        advance(2);
      } else {
        while (!at_end() && !at(Tok::kLParen)) advance();
      }
    } else if (at(Tok::kLess)) {
      skip_angles();
    }
  }
  if (at(Tok::kLParen)) {
    parameters(f);
  } else if (!f->is_lambda_call) {
    expect(Tok::kLParen, message::kAfterFunctionName);
  }
  while (!at_end()) {
    if (accept(Tok::kArrow)) {  // the result type may refer to the parameters
      Scope* outer = scope_;
      declare_params(sema_, push_scope(), f);
      f->result = type_id();
      set_scope(outer);
      continue;
    }
    advance();
  }
  std::erase_if(f->params, [&](VarDecl* p) {
    if (p->index != UINT32_MAX) return false;
    sema_.impl->local_scope[p] = nullptr;
    f->empty_packs.push_back(p);
    return true;
  });
  f->required_params = f->params.size();
  for (size_t i = f->params.size(); i-- > 0 && !f->params[i]->default_range.empty();) f->required_params = i;
  if (f->is_defaulted && f->name->text == "operator==") f->result = sema_.basic(TypeKind::kBool);
  if (f->result->is_array()) sema_.error(f->loc, message::kReturnsArray());
  if (f->is_kernel && !f->result->is_void() && !f->result->is_error()) {
    sema_.error(f->loc, static_cast<uint32_t>(f->name->text.size()),
                message::kKernelReturnsValue(f->name->text, to_string(f->result)));
  }
  return sema_.diagnostics.attempts() == errors;
}

bool Parser::parameter_patterns(TemplateDecl* t) {
  t->pattern_parsed = true;
  auto* f = static_cast<FunctionDecl*>(t->pattern);
  // Placeholders for the parameters' names.
  Scope* s = bind_placeholders(sema_, t->params, t->scope);
  set_scope(s);
  pattern_ = true;
  Tentative attempt(sema_.diagnostics);
  const Token* name_token = f->name_token;
  cur_ = f->is_lambda_call || name_token == nullptr ? f->range.begin : name_token + 1;
  if (!f->is_lambda_call && name_token != nullptr) {
    if (name_token->kind == Tok::kw_operator && at(Tok::kLParen) && kind(1) == Tok::kRParen) advance(2);
    if (at(Tok::kLess) && name_token->kind != Tok::kw_operator) skip_angles();
    while (!at_end() && !at(Tok::kLParen)) advance();
  }
  FunctionDecl scratch;
  scratch.scope = s;
  autos_from_ = f->range.begin;
  if (accept(Tok::kLParen)) {
    if (at(Tok::kw_void) && kind(1) == Tok::kRParen) advance();
    while (!at_end() && !at(Tok::kRParen)) {
      if (at(Tok::kEllipsis)) break;
      const Token* start = cur_;
      Cursor ahead({cur_, end_});
      bool is_pack = false;
      while (!ahead.at_end() && !ahead.at(Tok::kComma) && !ahead.at(Tok::kRParen) && !ahead.at(Tok::kEqual)) {
        if (ahead.at(Tok::kEllipsis)) is_pack = true;
        if (ahead.at(Tok::kLess) && ahead.skip_angles()) continue;
        if (ahead.at(Tok::kLParen)) {
          ahead.skip_balanced();
        } else {
          ahead.advance();
        }
      }
      parameter(&scratch, -1);
      t->param_patterns.push_back(scratch.params.back()->type);
      t->param_is_pack.push_back(is_pack);
      if (cur_ == start) advance();
      skip_to({Tok::kComma, Tok::kRParen});
      if (!accept(Tok::kComma)) break;
    }
  }
  return true;
}

// Declares the parameters' names, in the function's own scope or one that refers to them. Elements of a pack
// have the name of the pack.
void declare_params(Sema& sema, Scope* scope, const FunctionDecl* f) {
  VarDecl* pack = nullptr;
  for (VarDecl* p : f->params) {
    p->parent = scope;
    if (p->is_pack_element) {
      if (pack == nullptr || pack->name != p->name) {
        pack = sema.make<VarDecl>();
        pack->name = p->name;
        pack->loc = p->loc;
        pack->storage = Storage::kParam;
        pack->is_param_pack = true;
        pack->type = p->type;
        sema.declare(scope, pack);
        ++sema.impl->packs;
      }
      pack->pack.push_back(p);
      continue;
    }
    if (p->is_param_pack) ++sema.impl->packs;  // an empty pack
    if (p->name == nullptr) continue;
    for (const auto& [other, decl] : scope->locals) {
      if (other == p->name) sema.error(p->loc, message::kParameterTwice(p->name->text));
    }
    sema.declare(scope, p);
  }
  for (VarDecl* p : f->empty_packs) {
    sema.declare(scope, p);
    ++sema.impl->packs;
  }
}

void Parser::function_body(FunctionDecl* f) {
  auto* s = sema_.make<Scope>();
  s->kind = Scope::Kind::kFunction;
  s->parent = f->scope;
  s->function = f;
  f->body_scope = s;
  set_scope(s);
  declare_params(sema_, s, f);
  if (f->is_ctor) constructor_inits(f);
  if (f->inherited_from != nullptr || f->body_range.empty()) {  // implicit constructors
    f->tree = sema_.make<BlockStmt>();
    return;
  }
  cur_ = f->body_range.begin;
  end_ = f->body_range.end;
  end_loc((end_ - 1)->loc);
  f->tree = block();
  for (const GotoStmt* g : gotos_) {
    if (g->label == nullptr || std::find(labels_.begin(), labels_.end(), g->label) != labels_.end()) continue;
    sema_.error(g->loc, message::kNoSuchLabel(g->label->text));
  }
}

// ---- constructors

// The base whose constructor is inherited gets the parameters unchanged.
CtorInit Parser::inherited_init(FunctionDecl* f) {
  CtorInit init;
  for (size_t i = 0; i < f->class_decl->bases.size(); ++i) {
    if (f->class_decl->bases[i].decl == f->inherited_from) init.base_index = static_cast<int>(i);
  }
  std::vector<Expr*> args;
  for (VarDecl* p : f->params) {
    Expr* arg = sema_.var_ref(p, f->loc);
    if (p->type->is(TypeKind::kRRef)) arg = sema_.named_cast(Tok::kw_static_cast, p->type, arg, f->loc);
    args.push_back(arg);
  }
  init.value = sema_.init_direct(f->inherited_from->type, std::move(args), f->loc);
  return init;
}

void Parser::constructor_inits(FunctionDecl* f) {
  ClassDecl* c = f->class_decl;
  std::vector<CtorInit> written;
  const TokenRange list = f->inherited_from == nullptr ? f->init_list : TokenRange{};
  if (f->inherited_from != nullptr) written.push_back(inherited_init(f));
  cur_ = list.begin;
  end_ = list.end;
  while (cur_ != nullptr && !at_end()) {
    CtorInit init;
    const SourceLoc at_loc = loc();
    FieldDecl* field = nullptr;
    QualType type;
    if (at(Tok::kIdentifier) && (kind(1) == Tok::kLParen || kind(1) == Tok::kLBrace)) {
      for (FieldDecl* x : c->fields) {
        if (x->name == peek().ident) field = x;
      }
    }
    if (field != nullptr) {
      advance();
      type = field->type;
    } else {
      const Token* word = cur_;
      NameRef ref;
      if (!name(ref) || !ref.type || !ref.type->is_class()) {
        sema_.error(at_loc, static_cast<uint32_t>(word->text.size()),
                    message::kNotMemberOrBase(word->text, c->full_name));
        skip_to({Tok::kComma});
        accept(Tok::kComma);
        continue;
      }
      type = ref.type;
      init.base_index = ref.type->class_decl == c ? -2 : -1;
      for (size_t i = 0; i < c->bases.size(); ++i) {
        if (c->bases[i].decl == ref.type->class_decl) init.base_index = static_cast<int>(i);
      }
      if (init.base_index == -1) {
        sema_.error(at_loc, message::kNotMemberOrBase(to_string(type), c->full_name));
        skip_to({Tok::kComma});
        accept(Tok::kComma);
        continue;
      }
    }
    init.field = field;
    if (at(Tok::kLBrace)) {
      init.value = sema_.init_list(type, *braced());
    } else {
      expect(Tok::kLParen, message::kAfterMemberName);
      std::vector<Expr*> args = arguments(Tok::kRParen);
      if (field != nullptr && type->is_ref()) {
        init.value = args.size() == 1 ? sema_.convert(args[0], type)
                                      : error_here(message::kReferenceNeedsOneInitializer());
      } else if (args.empty()) {
        init.value = sema_.init_value(type, at_loc);
      } else {
        init.value = sema_.init_direct(type, std::move(args), at_loc);
      }
    }
    written.push_back(init);
    accept(Tok::kEllipsis);
    if (!accept(Tok::kComma)) break;
  }
  for (const CtorInit& w : written) {
    if (w.base_index == -2) {
      f->ctor_inits = {w};
      return;
    }
  }
  // Bases, then fields, in the order of the class; those not named get their defaults.
  for (size_t i = 0; i < c->bases.size(); ++i) {
    CtorInit init;
    init.base_index = static_cast<int>(i);
    bool found = false;
    for (const CtorInit& w : written) {
      if (w.base_index == static_cast<int>(i)) init = w, found = true;
    }
    if (!found) init.value = sema_.init_default(c->bases[i].decl->type, f->loc);
    if (init.value != nullptr) f->ctor_inits.push_back(init);
  }
  for (FieldDecl* field : c->fields) {
    CtorInit init;
    init.field = field;
    bool found = false;
    for (const CtorInit& w : written) {
      if (w.field == field) init = w, found = true;
    }
    if (!found) {
      init.value = !field->init_range.empty()             ? sema_.field_default(field, f)
                   : c->is_union || field->type->is_ref() ? nullptr
                                                          : sema_.init_default(field->type, f->loc);
    }
    if (init.value != nullptr) f->ctor_inits.push_back(init);
  }
}

bool Parser::typedef_named(TypedefDecl* decl) {
  if (decl->is_using) {
    decl->type = type_id();
    return true;
  }
  Specifiers s = specifiers();
  for (;;) {
    Declarator d = declarator(s.type);
    if (at(Tok::kLParen) && d.name != nullptr) d.type = apply_suffixes(d.type, d);  // typedef float F(float)
    if (d.name == decl->name) {
      if (d.align) sema_.error(d.loc, message::kTypedefAlignment());
      decl->type = d.type;
      if (decl->name != nullptr && d.type->is_class() && d.type->class_decl->name == nullptr) {
        d.type->class_decl->full_name = std::string(decl->name->text);
      }
      return true;
    }
    skip_to({Tok::kComma});
    if (!accept(Tok::kComma)) return false;
  }
}

// ---- classes and enums

void Parser::bit_field(FieldDecl* field, int64_t width) {
  const QualType type = field->type;
  const auto refuse = [&](base::MessageText message) { sema_.error(field->loc, std::move(message)); };
  if (type->is_error()) return;
  if (!type->is_integer() && !type->is_enum()) {
    return refuse(message::kBitFieldType(to_string(type)));
  }
  const auto most = static_cast<int64_t>(type->is_bool() ? 1 : size_of(type) * 8);
  if (width < 0 || width > most || (width == 0 && field->name != nullptr)) {
    return refuse(message::kBitFieldWidth(to_string(type), std::to_string(most), std::to_string(width)));
  }
  field->bit_width = static_cast<int>(width);
}

std::vector<ClassDecl*> Parser::base_list() {
  std::vector<ClassDecl*> bases;
  while (!at_end()) {
    while (at(Tok::kw_public) || at(Tok::kw_private) || at(Tok::kw_protected) || at(Tok::kw_virtual)) {
      if (at(Tok::kw_virtual)) error_here(message::kVirtualBase());
      advance();
    }
    TokenRange pattern;
    auto one = [&] {
      NameRef ref;
      if (!name(ref) || !ref.type || !ref.type->is_class()) {
        if (!(ref.type && ref.type->is_error())) {
          error_here(message::kBaseNotClass());
        }
        skip_to({Tok::kComma});
        return;
      }
      bases.push_back(ref.type->class_decl);
    };
    if (expansion_range(pattern)) {
      expand_pack(pattern, one);
    } else {
      one();
    }
    if (!accept(Tok::kComma)) break;
  }
  return bases;
}

void Parser::field_declaration(ClassDecl* c) {
  Specifiers s = specifiers();
  if (at_end() && s.type->is_class() && s.type->class_decl->name == nullptr) {
    // An unnamed struct or union: its members belong to the enclosing class.
    auto* field = sema_.make<FieldDecl>();
    field->type = s.type;
    field->loc = s.loc;
    c->fields.push_back(field);
    return;
  }
  while (!at_end()) {
    Declarator d = declarator(s.type);
    if (at(Tok::kLParen) && d.type->is_function()) skip_balanced();
    auto* field = sema_.make<FieldDecl>();
    field->name = d.name;
    field->loc = d.loc;
    field->type = d.type;
    const int64_t align = std::max(s.align.value_or(0), d.align.value_or(0));
    if (align > 0) field->align = static_cast<uint64_t>(align);
    c->has_packed_member |= s.is_packed || d.is_packed;
    if (s.has_no_address && d.type->is_class() && !s.is_static)
      sema_.error(field->loc, message::kNoUniqueAddress());
    if (has_auto(d.type)) {
      sema_.error(field->loc, message::kMemberDeduced(to_string(d.type)));
      field->type = sema_.basic(TypeKind::kError);
    }
    if (accept(Tok::kColon)) {
      if (auto width = constant()) bit_field(field, *width);
    }
    if (at(Tok::kEqual) || at(Tok::kLBrace)) {
      const Token* from = cur_;
      if (accept(Tok::kEqual)) {
        skip_to({Tok::kComma});
      } else {
        skip_balanced();
      }
      field->init_range = {from, cur_};
      field->init_scope = scope_;
    }
    if (d.name == nullptr && field->bit_width < 0) {
      error_here(message::kMemberNameMissing());
      return;
    }
    if (s.is_static) return;
    for (FieldDecl* other : c->fields) {
      if (other->name == field->name && field->name != nullptr) {
        sema_.error(field->loc, message::kMemberTwice(c->full_name, field->name->text));
      }
    }
    c->fields.push_back(field);
    if (!accept(Tok::kComma)) break;
  }
}

void Parser::enum_body(EnumDecl* decl) {
  int64_t next = 0;
  // Enumerators are visible to each other while the enum is being parsed.
  while (!at_end()) {
    if (!at(Tok::kIdentifier)) {
      error_here(message::kEnumeratorNameMissing());
      return;
    }
    EnumConstantDecl* constant_decl = nullptr;
    for (Decl* d : decl->members->names[peek().ident]) constant_decl = static_cast<EnumConstantDecl*>(d);
    advance();
    if (at(Tok::kLBracket)) skip_balanced();
    if (accept(Tok::kEqual)) {
      if (auto v = constant()) next = *v;
    }
    if (constant_decl != nullptr) constant_decl->value = next;
    if (!decl->underlying && (next > INT32_MAX || next < INT32_MIN)) {
      decl->underlying =
          sema_.basic(next > INT32_MAX && next <= UINT32_MAX ? TypeKind::kUInt : TypeKind::kLong);
    }
    next = static_cast<int64_t>(static_cast<uint64_t>(next) + 1);
    if (!accept(Tok::kComma)) break;
  }
  if (!at_end()) error_here(message::kEnumCommaMissing());
}

}  // namespace quern::lang
