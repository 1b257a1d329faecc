// State that only the declaration side of Sema uses: scanning, completion on demand, templates, the library.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "lang/sema/sema.hpp"

namespace quern::lang {

// A member defined outside its class: `void A::f() {…}`, `template <class T> int V<T>::size() const {…}`.
struct OutOfLine {
  std::vector<Ident*> path;                       // names in front of the member's own
  std::vector<TokenRange> path_args;              // their template arguments
  TokenRange spec_args;                           // of the member's own name: a specialisation
  std::vector<std::vector<TemplateParam>> lists;  // template <…> headers, outermost first
  FunctionDecl* function = nullptr;               // its ranges; or
  VarDecl* var = nullptr;
  Scope* scope = nullptr;
};

// What a class is made of besides the names in it: parsed when the class is completed.
struct ClassParts {
  std::vector<TokenRange> fields, inherited_constructors, static_asserts;
  std::vector<ClassDecl*> bases;  // those that are opened too
};

struct Sema::Impl {
  std::deque<std::vector<Token>> token_lists;                            // owns the library's tokens
  std::unordered_map<const Token*, TokenRange> block_texts;              // of ({ … }), by their '('
  std::unordered_map<const Ident*, std::vector<OutOfLine>> out_of_line;  // by the member's name
  std::map<std::pair<const Token*, const Scope*>, ClassDecl*>
      classes_at;  // a class body met in a declaration
  std::map<std::pair<const Token*, const Scope*>, EnumDecl*> enums_at;
  std::set<std::pair<const Scope*, const Ident*>> merged;               // redeclarations are sorted out
  std::map<std::pair<const Scope*, const Ident*>, bool> library_asked;  // names looked for in the library
  std::unordered_map<const Scope*, std::string> library_scopes;         // namespace scope -> "std"
  std::vector<SourceMap::FileId> library_file_ids;                      // per library file; 0: not added yet
  std::unordered_map<const VarDecl*, Scope*> local_scope;
  std::unordered_map<const ClassDecl*, ClassParts> opened;  // classes whose names are known
  int unnamed = 0;                                          // for names of unnamed things
  // Pack being expanded: which element of each pack stands for its name now.
  std::unordered_map<const Decl*, size_t> pack_index;
  int packs = 0;  // packs in scope somewhere: argument lists look for '...'
  std::vector<std::string> missing_headers;
  std::unordered_map<const Decl*, size_t> first_errors;  // of declarations that failed: entry of the log
  // Where the user's text asked for an instance of the library's, and for the one that is read now.
  std::unordered_map<const Decl*, SourceLoc> asked_from;
  SourceLoc asked;
  std::map<const TemplateDecl*, std::vector<std::pair<std::vector<TemplateArg>, VarDecl*>>> var_instances;
  std::vector<std::pair<ConstValue, VarDecl*>>
      argument_objects;  // template arguments of class and floating type
};

// Reads a template parameter list; used by scanner and parser (lambdas, local templates).
std::vector<TemplateParam> scan_template_params(Sema& sema, Scope* scope, TokenRange inside_angles);
// Adds the parameters that `auto` invents in a function's parameter list (with its parentheses). They are
// named by their place behind `from`.
void scan_auto_params(Sema& sema, const Token* from, TokenRange list, std::vector<TemplateParam>& params);
Ident* auto_param_name(Sema& sema, const Token* from, const Token* token);

// Offsets, size and alignment of a class whose fields and bases are known.
void layout_class(ClassDecl* c);

// Lexes library text into a token list that lives as long as the Sema.
TokenRange library_tokens(Sema& sema, uint32_t file, uint32_t begin, uint32_t end);

}  // namespace quern::lang
