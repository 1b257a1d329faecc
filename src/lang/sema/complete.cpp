// Completes declarations when they are needed.
#include <algorithm>

#include "lang/parse/parser.hpp"
#include "lang/parse/scanner.hpp"
#include "lang/sema/compare.hpp"
#include "lang/sema/impl.hpp"
#include "lang/sema/messages.hpp"
#include "lang/sema/out_of_line.hpp"

namespace quern::lang {

namespace {

bool is_comparison_name(const Ident* name) {
  return name->text == "operator==" || name->text == "operator<=>" || name->text == "operator!=";
}

// A declaration is parsed in its own context: packs that happen to be expanded around the use do not matter,
// and its errors are reported, whatever triggered it. In an instance from the library, the user of the
// instance is known.
class FreshContext {
 public:
  explicit FreshContext(Sema& sema, const Decl* instance = nullptr, bool is_library = false)
      : definite_(sema.diagnostics), sema_(sema), asked_(sema.impl->asked), parsed_(sema.impl->parsed) {
    sema_.impl->parsed = instance;
    sema_.impl->pack_index.swap(saved_);
    const auto from = sema_.impl->asked_from.find(instance);
    if (!is_library) {
      sema_.impl->asked = {};
    } else if (from != sema_.impl->asked_from.end()) {
      sema_.impl->asked = from->second;
    }
  }
  ~FreshContext() {
    sema_.impl->pack_index.swap(saved_);
    sema_.impl->asked = asked_;
    sema_.impl->parsed = parsed_;
  }
  FreshContext(const FreshContext&) = delete;
  FreshContext& operator=(const FreshContext&) = delete;

 private:
  Definite definite_;
  Sema& sema_;
  SourceLoc asked_;
  const Decl* parsed_;
  std::unordered_map<const Decl*, size_t> saved_;
};

// Stores the first error of a failed declaration, for later requests.
class FailureNote {
 public:
  FailureNote(Sema& sema, const Decl* decl)
      : sema_(sema), decl_(decl), before_(sema.diagnostics.log().size()) {}
  ~FailureNote() {
    if (sema_.diagnostics.log().size() > before_) sema_.impl->first_errors.try_emplace(decl_, before_);
  }
  FailureNote(const FailureNote&) = delete;
  FailureNote& operator=(const FailureNote&) = delete;

 private:
  Sema& sema_;
  const Decl* decl_;
  size_t before_;
};

bool fail_again(Sema& sema, const Decl* decl) {
  const auto first = sema.impl->first_errors.find(decl);
  if (first != sema.impl->first_errors.end()) sema.diagnostics.log_again(first->second);
  return false;
}

// A specialisation of a function template is called with the template's default arguments.
void take_defaults(Sema& sema, FunctionDecl* f) {
  if (!sema.complete_signature(f->defaults_from)) return;
  const std::vector<VarDecl*>& from = f->defaults_from->params;
  for (size_t i = std::min(from.size(), f->params.size()); i-- > 0 && !from[i]->default_range.empty();) {
    f->params[i]->default_range = from[i]->default_range;
    f->required_params = i;
  }
}

}  // namespace

void Sema::report_again(const Decl* failed) { fail_again(*this, failed); }

bool Sema::complete_signature(FunctionDecl* f) {
  if (f->signature == Lazy::kDone) return true;
  if (f->signature != Lazy::kNot) return false;
  f->signature = Lazy::kBusy;
  FreshContext fresh(*this, f);
  Tentative attempt(diagnostics);
  const bool ok = Parser(*this, f->range, f->scope).function_signature(f);
  if (!ok) f->failure = diagnostics.muted_message();
  if (ok && f->defaults_from != nullptr) take_defaults(*this, f);
  f->signature = ok ? Lazy::kDone : Lazy::kFailed;
  return ok;
}

bool Sema::complete_body(FunctionDecl* f) {
  if (f->body == Lazy::kDone) return true;
  if (f->body == Lazy::kBusy) return f->tree != nullptr;
  if (f->body == Lazy::kFailed) return fail_again(*this, f);
  const bool is_implicit = f->class_decl != nullptr && f->class_decl->implicit_ctor == f;
  const bool is_comparison =
      f->is_defaulted && !f->is_ctor && f->name != nullptr && is_comparison_name(f->name);
  if (f->body_range.empty() && !is_comparison && !is_implicit && f->inherited_from == nullptr) return false;
  const FailureNote note(*this, f);
  if (f->class_decl != nullptr) complete_class(f->class_decl);
  if (!complete_signature(f)) {
    // Parse it again to report the errors.
    FreshContext fresh(*this, f);
    f->body = Lazy::kFailed;
    Parser(*this, f->range, f->scope).function_signature(f);
    return false;
  }
  if (depth > kMaxDepth / 2) {
    error(f->loc,
          f->name != nullptr ? message::kInstantiatedTooDeeply(f->name->text) : message::kFunctionTooDeep());
    f->body = Lazy::kFailed;
    return false;
  }
  f->body = Lazy::kBusy;
  FreshContext fresh(*this, f, f->is_library);
  const size_t errors = diagnostics.attempts();
  if (is_comparison) {
    compare_members(*this, f);
  } else {
    Parser(*this, f->body_range, f->scope, f).function_body(f);
  }
  if (has_auto(f->result)) f->result = basic(TypeKind::kVoid);
  const bool ok = diagnostics.attempts() == errors;
  f->body = ok ? Lazy::kDone : Lazy::kFailed;
  return ok;
}

void Sema::mark_used(FunctionDecl* f) {
  if (f->signature == Lazy::kDone && has_auto(f->result)) complete_body(f);
}

// ---- variables and types

bool Sema::complete_var(VarDecl* v) {
  if (v->state == Lazy::kDone) return true;
  if (v->state != Lazy::kNot) return fail_again(*this, v);
  v->state = Lazy::kBusy;
  const FailureNote note(*this, v);
  FreshContext fresh(*this, v);
  const size_t errors = diagnostics.log().size();
  const bool ok = Parser(*this, v->range, v->scope).variable_named(v) && diagnostics.log().size() == errors;
  v->state = ok ? Lazy::kDone : Lazy::kFailed;
  return ok;
}

QualType Sema::complete_typedef(TypedefDecl* d) {
  if (d->state == Lazy::kDone) return d->type;
  if (d->state != Lazy::kNot) {
    fail_again(*this, d);
    return basic(TypeKind::kError);
  }
  d->state = Lazy::kBusy;
  const FailureNote note(*this, d);
  FreshContext fresh(*this);
  const bool ok = Parser(*this, d->range, d->scope).typedef_named(d) && !d->type->is_error();
  d->state = ok ? Lazy::kDone : Lazy::kFailed;
  return ok ? d->type : basic(TypeKind::kError);
}

bool Sema::complete_enum(EnumDecl* d) {
  if (d->state == Lazy::kFailed) return fail_again(*this, d);
  if (d->state != Lazy::kNot) return d->state == Lazy::kDone;
  d->state = Lazy::kBusy;
  const FailureNote note(*this, d);
  const size_t errors = diagnostics.attempts();
  FreshContext fresh(*this);
  if (!d->base_range.empty()) d->underlying = Parser(*this, d->base_range, d->outer).type_id().unqualified();
  const TokenRange inside{d->body_range.begin + 1, std::max(d->body_range.begin + 1, d->body_range.end - 1)};
  // The names of a scoped enum are visible only inside it.
  Parser(*this, inside, d->members).enum_body(d);
  if (!d->underlying || d->underlying->is_error()) d->underlying = basic(TypeKind::kInt);
  d->state = diagnostics.attempts() == errors ? Lazy::kDone : Lazy::kFailed;
  return d->state == Lazy::kDone;
}

bool Sema::require_complete(QualType type, SourceLoc loc) {
  if (type->is_error()) return false;
  if (type->is_array()) return require_complete(type->elem, loc);
  if (type->is_enum()) return complete_enum(type->enum_decl);
  if (type->is_void() || type->is_function()) {
    error(loc, message::kTypeWithoutSize(to_string(type)));
    return false;
  }
  if (!type->is_class()) return true;
  ClassDecl* c = type->class_decl;
  if (complete_class(c)) return true;
  if (c->state == Lazy::kBusy) {
    error(loc, message::kStillBeingDefined(c->full_name));
  } else if (!c->is_defined) {
    error(loc, message::kDeclaredNotDefined(c->full_name));
  }
  return false;
}

Expr* Sema::default_argument(FunctionDecl* f, VarDecl* param) {
  if (param->default_arg != nullptr) return param->default_arg;
  if (param->default_range.empty()) return nullptr;
  FreshContext fresh(*this);
  Parser parser(*this, param->default_range,
                f->defaults_from != nullptr ? f->defaults_from->scope : f->scope);
  Expr* e = parser.at(Tok::kLBrace) ? init_list(param->type, *parser.braced()) : parser.assignment();
  param->default_arg = convert(e, param->type);
  return param->default_arg;
}

Expr* Sema::field_default(FieldDecl* field, FunctionDecl* ctor) {
  if (field->init_range.empty()) return nullptr;
  FreshContext fresh(*this);
  Parser parser(*this, field->init_range, field->init_scope, ctor);
  VarDecl holder;
  holder.name = field->name;
  holder.loc = field->loc;
  holder.type = field->type;
  parser.initialiser(&holder, false);
  return holder.init;
}

// ---- classes

void layout_class(ClassDecl* c) {
  uint64_t at = 0, align = 1, largest = 0;
  auto place = [&](uint64_t size, uint64_t alignment) {
    if (c->pack != 0) alignment = std::min<uint64_t>(alignment, c->pack);
    align = std::max(align, alignment);
    if (c->is_union) {
      largest = std::max(largest, size);
      return uint64_t{0};
    }
    at = (at + alignment - 1) / alignment * alignment;
    const uint64_t here = at;
    at += size;
    return here;
  };
  for (BaseClass& base : c->bases) {
    // An empty base occupies no space.
    const bool is_empty = base.decl->fields.empty() && base.decl->bases.empty();
    base.offset = is_empty ? 0 : place(base.decl->size, base.decl->align);
  }
  // As in the host's ABI: a bit-field follows the previous one, in a unit of its type's size and alignment.
  uint64_t end_bit = 0;  // of the last member, if that was a bit-field
  const auto place_bits = [&](FieldDecl* field) {
    const uint64_t unit = size_of(field->type) * 8;
    const auto width = static_cast<uint64_t>(field->bit_width);
    uint64_t bit = c->is_union ? 0 : end_bit != 0 ? end_bit : at * 8;
    if (width == 0 || bit / unit != (bit + width - 1) / unit) bit = (bit + unit - 1) / unit * unit;
    field->offset = bit / unit * (unit / 8);
    field->bit_offset = static_cast<uint32_t>(bit % unit);
    end_bit = bit + width;
    if (field->name != nullptr) align = std::max(align, align_of(field->type));
    if (c->is_union) {
      largest = std::max(largest, (width + 7) / 8);
    } else {
      at = (end_bit + 7) / 8;
    }
  };
  std::vector<FieldDecl*> flat;
  for (FieldDecl* field : c->fields) {
    if (field->is_bit_field()) {
      place_bits(field);
      if (field->name != nullptr) flat.push_back(field);  // an unnamed one is only padding
      continue;
    }
    end_bit = 0;
    const uint64_t size = size_of(field->type);
    const uint64_t alignment = std::max(align_of(field->type), field->align);
    field->offset = place(size, alignment);
    const bool is_anonymous = field->name == nullptr && field->type->is_class() &&
                              !field->type->class_decl->is_closure &&
                              field->type->class_decl->name == nullptr && !c->is_closure;
    if (!is_anonymous) {
      flat.push_back(field);
      continue;
    }
    for (FieldDecl* inner : field->type->class_decl->fields) {
      inner->offset += field->offset;
      flat.push_back(inner);
    }
  }
  c->fields = std::move(flat);
  for (size_t i = 0; i < c->fields.size(); ++i) c->fields[i]->index = static_cast<uint32_t>(i);
  if (c->explicit_align)
    align = std::max(align, static_cast<uint64_t>(std::max<int64_t>(1, *c->explicit_align)));
  const uint64_t size = std::max<uint64_t>(1, c->is_union ? largest : at);
  c->align = align;
  c->size = (size + align - 1) / align * align;
}

namespace {

// An unnamed field for the dynamic type, unless a base has one.
void add_vptr(Sema& sema, ClassDecl* c) {
  bool is_inherited = false;
  for (const BaseClass& base : c->bases) is_inherited = is_inherited || base.decl->is_polymorphic;
  const bool is_first = c->is_polymorphic && !is_inherited;
  c->is_polymorphic = c->is_polymorphic || is_inherited;
  if (!is_first) return;
  c->vptr = sema.make<FieldDecl>();
  c->vptr->type = sema.basic(TypeKind::kULong);
  c->vptr->loc = c->loc;
  c->fields.push_back(c->vptr);
}

void note_defaults(ClassDecl* c) {
  c->has_user_ctor = !c->ctors.empty() || !c->ctor_templates.empty();
  c->is_aggregate = !c->has_user_ctor && !c->is_polymorphic;
  c->has_default_init |= c->is_polymorphic;
  for (const BaseClass& b : c->bases)
    c->has_default_init |= b.decl->has_default_init || b.decl->has_user_ctor;
  for (FieldDecl* f : c->fields) {
    QualType t = f->type;
    while (t->is_array()) t = t->elem;
    c->has_default_init |= !f->init_range.empty();
    if (t->is_class()) c->has_default_init |= t->class_decl->has_default_init || t->class_decl->has_user_ctor;
  }
}

}  // namespace

namespace {

// using Base::Base: a constructor with the same parameters for each of the base's, see
// Parser::constructor_inits.
void inherit_constructors(Sema& sema, ClassDecl* c, TokenRange range) {
  Parser::NameRef ref;
  Parser parser(sema, {range.begin, range.end - 2}, c->members);
  if (!parser.name(ref) || !ref.type || !ref.type->is_class()) return;
  ClassDecl* base = ref.type->class_decl;
  for (const FunctionDecl* f : base->ctors) {
    if (f->is_deleted || f->is_defaulted || !sema.complete_signature(const_cast<FunctionDecl*>(f))) continue;
    const bool copies = f->params.size() == 1 && strip_ref(f->params[0]->type).type == base->type;
    if (f->params.empty() || copies) continue;
    auto* mine = sema.make<FunctionDecl>(*f);
    mine->class_decl = c;
    mine->inherited_from = base;
    mine->signature = mine->body = Lazy::kNot;
    c->ctors.push_back(mine);
  }
  for (const TemplateDecl* t : base->ctor_templates) {
    auto* pattern = sema.make<FunctionDecl>(*static_cast<FunctionDecl*>(t->pattern));
    pattern->class_decl = c;
    pattern->inherited_from = base;
    auto* mine = sema.make<TemplateDecl>(*t);
    mine->pattern = pattern;
    mine->member_of = c;
    mine->instances.clear();
    pattern->from_template = mine;
    c->ctor_templates.push_back(mine);
  }
}

// Alignments requested in the head; they may depend on the arguments of a template.
void read_layout_words(Sema& sema, ClassDecl* c) {
  const auto note = [&](std::optional<int64_t> align) {
    if (align) c->explicit_align = std::max(*align, c->explicit_align.value_or(1));
  };
  for (const TokenRange& range : c->align_arguments) note(Parser(sema, range, c->outer).alignment());
  for (const TokenRange& range : c->attributes) {
    const Parser::LayoutWords words = Parser(sema, range, c->outer).layout_words();
    note(words.align);
    if (words.is_packed) c->pack = 1;
  }
  const uint32_t pragma = sema.sources.pack_at(c->loc);
  if (c->pack == 0) c->pack = pragma;
}

// A bit-field of a packed class may cross the units of its type, and a single packed member has an alignment
// of its own. Both are rejected unless the members fill the class anyway.
void refuse_packed(Sema& sema, ClassDecl* c) {
  bool is_refused = c->has_packed_member && c->pack == 0;
  for (const FieldDecl* f : c->fields)
    is_refused |= c->pack != 0 && f->is_bit_field() && size_of(f->type) > c->pack;
  if (!is_refused) return;
  uint64_t bits = 0;
  for (const BaseClass& base : c->bases) bits += base.decl->size * 8;
  for (const FieldDecl* f : c->fields) {
    const uint64_t own = f->is_bit_field() ? static_cast<uint64_t>(f->bit_width) : size_of(f->type) * 8;
    bits = c->is_union ? std::max(bits, own) : bits + own;
  }
  if (bits == c->size * 8) return;
  sema.error(c->loc, message::kPackedClass(c->full_name));
}

// A defaulted operator<=> implies a defaulted operator==.
void declare_comparisons(Sema& sema, ClassDecl* c) {
  Ident* equal = sema.idents.get("operator==");
  const auto found = c->members->names.find(sema.idents.get("operator<=>"));
  if (found == c->members->names.end() || c->members->names.contains(equal)) return;
  for (Decl* d : found->second) {
    const auto* f = decl_cast<FunctionDecl>(d, DeclKind::kFunction);
    if (f == nullptr || !f->is_defaulted) continue;
    auto* twin = sema.make<FunctionDecl>(*f);
    twin->name = equal;
    twin->signature = Lazy::kNot;
    sema.declare(c->members, twin);
    return;
  }
}

}  // namespace

bool Sema::complete_class(ClassDecl* c) {
  if (c->state == Lazy::kDone) return true;
  if (c->state != Lazy::kNot || !c->is_defined) return fail_again(*this, c);
  c->state = Lazy::kBusy;
  const FailureNote note(*this, c);
  FreshContext fresh(*this, c, c->is_library);
  const size_t errors = diagnostics.attempts();
  open_class(c);
  const ClassParts parts = impl->opened[c];
  if (!c->bases_range.empty()) {
    for (ClassDecl* base : Parser(*this, c->bases_range, c->outer).base_list()) {
      if (!require_complete(base->type, c->loc)) continue;
      c->bases.push_back({base, 0});
    }
  }
  add_vptr(*this, c);
  for (TokenRange range : parts.fields) Parser(*this, range, c->members).field_declaration(c);
  for (FieldDecl* f : c->fields) {
    f->parent = c->members;
    QualType t = f->type;
    while (t->is_array()) t = t->elem;
    if (t->is_class() && !require_complete(t, f->loc)) f->type = basic(TypeKind::kError);
    if (t->is_enum()) complete_enum(t->enum_decl);
    if (t->is_void() || t->is_function()) error(f->loc, message::kMemberType(to_string(f->type)));
  }
  read_layout_words(*this, c);
  layout_class(c);
  refuse_packed(*this, c);
  has_packed_classes |= c->pack != 0;
  for (FieldDecl* f : c->fields) {
    if (f->name != nullptr) declare(c->members, f);
  }
  for (TokenRange range : parts.inherited_constructors) inherit_constructors(*this, c, range);
  declare_comparisons(*this, c);
  note_defaults(c);
  c->state = Lazy::kDone;
  attach_definitions(*this, c);
  for (TokenRange range : parts.static_asserts) Parser(*this, range, c->members).statement();
  if (diagnostics.attempts() != errors) c->state = Lazy::kFailed;
  return c->state == Lazy::kDone;
}

}  // namespace quern::lang
