// Initialisation from `{…}`: aggregates with brace elision and designators, arrays, classes, scalars.
#include <algorithm>

#include "base/text.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"
#include "lang/sema/messages_expression.hpp"

namespace quern::lang {

namespace {

using BracedInit = Sema::BracedInit;

// Reads a list from front to back; members without their own braces read from the enclosing list.
struct Items {
  const BracedInit& list;
  size_t at = 0;
  bool done() const { return at >= list.items.size(); }
  const BracedInit::Item& peek() const { return list.items[at]; }
};

SourceLoc place(const BracedInit::Item& item) {
  return item.list != nullptr ? item.list->loc : item.expr->loc;
}

class ListInit {
 public:
  explicit ListInit(Sema& sema) : sema_(sema) {}

  Expr* class_value(QualType to, Items& items, bool has_braces);
  Expr* array_value(QualType to, Items& items, bool has_braces);
  bool failed() const { return failed_; }

 private:
  Expr* element(QualType type, Items& items, std::string_view what);
  Expr* missing(QualType type, SourceLoc loc);
  Expr* missing_field(const ClassDecl* decl, FieldDecl* field, SourceLoc loc);
  void class_fields(ClassDecl* decl, AggregateExpr* out, Items& items, bool has_braces);
  FieldDecl* designated(const ClassDecl* decl, const BracedInit::Item& item);
  void too_many(QualType to, const Items& items, size_t count, const char* noun);
  Expr* keep(Expr* e) {
    failed_ = failed_ || (e != nullptr && is_error(e));
    return e;
  }

  Sema& sema_;
  bool failed_ = false;
};

uint64_t first_bit(const FieldDecl* field) { return field->offset * 8 + field->bit_offset; }

uint64_t end_bit(const FieldDecl* field) {
  if (field->is_bit_field()) return first_bit(field) + static_cast<uint64_t>(field->bit_width);
  return (field->offset + (field->type->is_ref() ? sizeof(uint64_t) : size_of(field->type))) * 8;
}

bool is_string_for(const Expr* e, QualType to) {
  return e->kind == ExprKind::kString && e->type->is_array() && to->elem->is_integer() &&
         size_of(to->elem) == 1;
}

// One member or element from the next item, or, if it is an aggregate without braces, from as many as it
// takes.
Expr* ListInit::element(QualType type, Items& items, std::string_view what) {
  const BracedInit::Item& item = items.peek();
  if (item.list != nullptr) {
    ++items.at;
    return keep(sema_.init_list(type, *item.list));
  }
  Expr* e = item.expr;
  if (is_error(e)) {
    ++items.at;
    return keep(e);
  }
  if (type->is_array()) {
    const bool whole = is_string_for(e, type) || (!e->is_lvalue && bare(sema_, e->type) == bare(sema_, type));
    if (!whole) return array_value(type, items, false);
    ++items.at;
    return keep(sema_.init_copy(type, e, what));
  }
  if (type->is_class() && !classify(sema_, e, type) && sema_.complete_class(type->class_decl) &&
      type->class_decl->is_aggregate &&
      !(type->class_decl->fields.empty() && type->class_decl->bases.empty())) {
    return class_value(type, items, false);
  }
  ++items.at;
  return keep(sema_.convert(e, type, what));
}

Expr* ListInit::missing(QualType type, SourceLoc loc) {
  QualType element = type;
  while (element->is_array()) element = element->elem;
  if (!element->is_class()) return nullptr;
  // Only if something has to run: the rest is zeroed anyway.
  const bool runs =
      sema_.complete_class(element->class_decl) &&
      (element->class_decl->has_default_init || has_own_constructors(sema_, element->class_decl));
  return runs ? keep(sema_.init_value(type, loc)) : nullptr;
}

Expr* ListInit::missing_field(const ClassDecl* decl, FieldDecl* field, SourceLoc loc) {
  if (!field->init_range.empty()) return keep(sema_.field_default(field));
  if (!field->type->is_ref()) return missing(field->type, loc);
  sema_.error(loc, message::kMemberReferenceUninitialized(field->name->text, decl->full_name));
  failed_ = true;
  return nullptr;
}

FieldDecl* ListInit::designated(const ClassDecl* decl, const BracedInit::Item& item) {
  for (FieldDecl* f : decl->fields) {
    if (f->name == item.designator) return f;
  }
  sema_.error(place(item), message::kNoSuchMember(decl->full_name, item.designator->text));
  failed_ = true;
  return nullptr;
}

void ListInit::too_many(QualType to, const Items& items, size_t count, const char* noun) {
  sema_.error(place(items.peek()),
              message::kTooManyInitializers(to_string(to.unqualified()), base::format_plural(count, noun)));
  failed_ = true;
}

void ListInit::class_fields(ClassDecl* decl, AggregateExpr* out, Items& items, bool has_braces) {
  const size_t count = decl->fields.size();
  out->members.assign(count, nullptr);
  std::vector<bool> given(count, false);
  size_t next = 0;
  uint64_t filled_to = 0;  // members of an anonymous union overlap: only one of them is initialised
  while (!items.done()) {
    const BracedInit::Item& item = items.peek();
    if (item.designator != nullptr) {
      const FieldDecl* f = has_braces ? designated(decl, item) : nullptr;
      if (f == nullptr) break;
      next = f->index;
      filled_to = first_bit(f);
    }
    while (next < count && first_bit(decl->fields[next]) < filled_to) ++next;
    if (next >= count || (decl->is_union && next > 0 && item.designator == nullptr)) break;
    FieldDecl* field = decl->fields[next];
    const std::string what =
        field->name != nullptr ? "'" + std::string(field->name->text) + "'" : std::string();
    out->members[next] = element(field->type, items, what);
    given[next] = true;
    filled_to = end_bit(field);
    ++next;
    if (failed_) return;
  }
  const bool any_given = next > 0;
  filled_to = 0;
  for (size_t i = 0; i < count; ++i) {
    FieldDecl* field = decl->fields[i];
    const bool overlaps = i > 0 && first_bit(field) < filled_to;
    if (!given[i] && !overlaps && !(decl->is_union && any_given)) {
      // A later member of the same anonymous union may be the designated one.
      bool is_covered = false;
      for (size_t j = i + 1; j < count && !is_covered; ++j)
        is_covered = given[j] && first_bit(decl->fields[j]) == first_bit(field);
      if (!is_covered) out->members[i] = missing_field(decl, field, out->loc);
    }
    filled_to = std::max(filled_to, end_bit(field));
  }
}

Expr* ListInit::class_value(QualType to, Items& items, bool has_braces) {
  ClassDecl* decl = to->class_decl;
  AggregateExpr* e = make_expr<AggregateExpr>(sema_, to.unqualified(), items.list.loc);
  for (const BaseClass& b : decl->bases) {
    const bool given = !items.done() && items.peek().designator == nullptr;
    e->bases.push_back(given ? element(b.decl->type, items, {}) : missing(b.decl->type, e->loc));
  }
  if (!failed_) class_fields(decl, e, items, has_braces);
  if (has_braces && !failed_ && !items.done()) {
    too_many(to, items, decl->is_union ? 1 : decl->fields.size() + decl->bases.size(), "member");
  }
  return e;
}

Expr* ListInit::array_value(QualType to, Items& items, bool has_braces) {
  AggregateExpr* e = make_expr<AggregateExpr>(sema_, to.unqualified(), items.list.loc);
  const QualType elem = to->elem;
  while (!items.done() && !failed_ && (to->is_unsized || e->members.size() < to->count)) {
    if (items.peek().designator != nullptr) break;
    e->members.push_back(element(elem, items, {}));
  }
  if (to->is_unsized) {
    e->type = sema_.types.array(elem, e->members.size());
  } else if (!failed_ && e->members.size() < to->count) {
    if (Expr* rest = missing(elem, e->loc)) e->members.resize(to->count, rest);
  }
  if (has_braces && !failed_ && !items.done()) {
    if (items.peek().designator != nullptr) {
      sema_.error(place(items.peek()), message::kArrayMember(items.peek().designator->text));
      failed_ = true;
    } else {
      too_many(to, items, to->count, "element");
    }
  }
  return e;
}

Expr* list_of_array(Sema& sema, QualType to, const BracedInit& list) {
  const bool one = list.items.size() == 1 && list.items[0].list == nullptr;
  if (one && !is_error(list.items[0].expr) && is_string_for(list.items[0].expr, to)) {
    return sema.init_copy(to, list.items[0].expr, {});
  }
  Items items{list};
  ListInit init(sema);
  Expr* e = init.array_value(to, items, true);
  return init.failed() ? sema.error_expr(list.loc) : e;
}

Expr* list_of_class(Sema& sema, QualType to, const BracedInit& list) {
  ClassDecl* decl = to->class_decl;
  if (!sema.require_complete(to, list.loc)) return sema.error_expr(list.loc);
  const bool one =
      list.items.size() == 1 && list.items[0].list == nullptr && list.items[0].designator == nullptr;
  Expr* single = one ? list.items[0].expr : nullptr;
  if (single != nullptr && is_error(single)) return sema.error_expr(list.loc);
  const bool is_copy = single != nullptr && single->type->is_class() &&
                       sema.is_derived_from(single->type->class_decl, decl, nullptr);
  if (!has_own_constructors(sema, decl) && !is_copy) {
    Items items{list};
    ListInit init(sema);
    Expr* e = init.class_value(to, items, true);
    return init.failed() ? sema.error_expr(list.loc) : e;
  }
  std::vector<Expr*> args;
  for (const BracedInit::Item& item : list.items) {
    if (item.designator != nullptr) {
      sema.error(list.loc, message::kDesignatorWithConstructor(decl->full_name));
      return sema.error_expr(list.loc);
    }
    args.push_back(item.list != nullptr ? sema.braced_expr(*item.list) : item.expr);
  }
  return sema.init_direct(to, std::move(args), list.loc);
}

}  // namespace

Expr* Sema::init_list(QualType to, const BracedInit& list) {
  if (!to || to->is_error()) return error_expr(list.loc);
  if (to->is_ref()) {
    const bool one = list.items.size() == 1 && list.items[0].list == nullptr;
    if (one) return convert(list.items[0].expr, to);
    Expr* value = init_list(to->elem.unqualified(), list);
    return is_error(value) ? value : convert(value, to);
  }
  if (to->is_array()) return list_of_array(*this, to, list);
  if (to->is_class()) return list_of_class(*this, to, list);
  if (list.items.empty()) return init_value(to, list.loc);
  if (list.items.size() > 1) {
    error(list.loc,
          message::kInitializerCount(to_string(to.unqualified()), std::to_string(list.items.size())));
    return error_expr(list.loc);
  }
  const BracedInit::Item& item = list.items[0];
  return item.list != nullptr ? init_list(to, *item.list) : convert(item.expr, to);
}

}  // namespace quern::lang
