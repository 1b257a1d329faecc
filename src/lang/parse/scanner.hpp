// Finds the declarations of a namespace or class without parsing them: it reads enough to know each name and
// where its parts are. Host code with unknown types passes through unharmed.
#pragma once

#include "lang/parse/cursor.hpp"
#include "lang/parse/word.hpp"
#include "lang/sema/impl.hpp"

namespace quern::lang {

class Scanner : public Cursor {
 public:
  Scanner(Sema& sema, TokenRange range, Scope* scope, bool is_library)
      : Cursor(range), sema_(sema), scope_(scope), is_library_(is_library) {}

  void run();

  // In classes: the declarations of data members, in order, parsed once all names are known.
  std::vector<TokenRange> fields;
  std::vector<TokenRange> inherited_constructors;  // using Base::Base;
  std::vector<TokenRange> static_asserts;

  // At struct, class or union: scans head and body if this is a definition or a forward declaration and
  // returns the class; nullptr (unmoved) if it only names a class. `templates` are the headers before it.
  ClassDecl* class_head(std::vector<std::vector<TemplateParam>>* templates = nullptr);
  EnumDecl* enum_head();  // the same for enum
  // At `requires`: the clause without the word.
  TokenRange requires_clause();

 private:
  struct Flags {
    bool global = false, device = false, host = false, shared = false, constant = false;
    bool is_static = false, is_extern = false, is_constexpr = false, is_explicit = false, is_virtual = false;
    bool is_friend = false, no_inline = false, is_const = false;
  };
  // The result of scanning a declaration, up to the token that determines its kind.
  struct Found {
    const Token* start = nullptr;
    const Token* name = nullptr;        // the last identifier before the stop; `operator` for operators
    TokenRange spec_args;               // name<…>
    std::vector<Ident*> path;           // A::B:: before the name
    std::vector<TokenRange> path_args;  // A<…>::B<…>::, one for each
    Ident* operator_name = nullptr;
    bool is_conversion = false, is_dtor = false;
    bool is_paren_declarator = false;  // void (*f)(int)
    Flags flags;
  };

  void declaration();
  void namespace_(bool is_inline);
  void using_();
  void typedef_();
  void template_();
  void concept_(const std::vector<TemplateParam>& params);
  void linkage();
  void skip_declaration();
  void general(const Token* start, std::vector<std::vector<TemplateParam>> templates);
  bool walk(Found& found);
  bool note_word(Flags& flags);
  void note_storage(Flags& flags);
  void operator_name(Found& found);
  bool looks_like_function() const;
  bool names_variable(Ident* name) const;
  void function(Found& found, std::vector<std::vector<TemplateParam>>& templates);
  bool function_tail(FunctionDecl* f);
  void add_auto_params(TokenRange list, const Token* from,
                       std::vector<std::vector<TemplateParam>>& templates);
  TemplateDecl* guided_template(const Found& found, const FunctionDecl* f) const;
  void add_guide(TemplateDecl* of, FunctionDecl* f, const std::vector<std::vector<TemplateParam>>& templates);
  void register_function(FunctionDecl* f, Found& found, std::vector<std::vector<TemplateParam>>& templates);
  void add_template(TemplateDecl::Of of, Decl* pattern, std::vector<TemplateParam> params,
                    TokenRange spec_args, const std::vector<Ident*>& path);
  void variables(Found& found, std::vector<std::vector<TemplateParam>>& templates);
  void variable(const Found& found, Ident* name, SourceLoc loc, TokenRange range,
                std::vector<std::vector<TemplateParam>>& templates);
  void class_members_after(const Token* start);
  Scope* find_path(const std::vector<Ident*>& path) const;
  std::string qualified(Ident* name) const;
  bool in_class() const { return scope_->kind == Scope::Kind::kClass; }

  Sema& sema_;
  Scope* scope_;
  bool is_library_;
  TokenRange head_constraint_;  // requires-clause of the last template header
};

}  // namespace quern::lang
