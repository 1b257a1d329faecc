// State of the declaration side of Sema: scanning, completion on demand, templates, the library.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "lang/sema/sema.hpp"

namespace quern::lang {

// A member defined outside its class: `void A::f() {…}`, `template <class T> int V<T>::size() const {…}`.
struct OutOfLine {
  std::vector<Ident*> path;                       // qualifiers before the member's own name
  std::vector<TokenRange> path_args;              // their template arguments
  TokenRange spec_args;                           // of the member's own name: a specialisation
  std::vector<std::vector<TemplateParam>> lists;  // template <…> headers, outermost first
  FunctionDecl* function = nullptr;               // its ranges; or
  VarDecl* var = nullptr;
  Scope* scope = nullptr;
};

// The parts of a class besides its names: parsed when the class is completed.
struct ClassParts {
  std::vector<TokenRange> fields, inherited_constructors, static_asserts;
  std::vector<ClassDecl*> bases;  // nested classes that are opened too
};

struct Sema::Impl {
  static constexpr uint32_t kDefaultHeapBytes = 8U << 20;
  uint32_t heap_bytes = kDefaultHeapBytes;  // of malloc in kernels: -D QUERN_HEAP_BYTES
  static constexpr uint32_t kDefaultPendingLaunches = 2048;
  uint32_t pending_launches = kDefaultPendingLaunches;       // of a kernel: -D QUERN_PENDING_LAUNCHES
  std::vector<FunctionDecl*> launched;                       // kernels that device code launches
  std::deque<std::vector<Token>> token_lists;                // owns the library's tokens
  std::unordered_map<const Token*, TokenRange> block_texts;  // of statement expressions ({ … }), by their '('
  std::unordered_map<const Ident*, std::vector<OutOfLine>> out_of_line;  // by the member's name
  std::map<std::pair<const Token*, const Scope*>, ClassDecl*>
      classes_at;  // a class body met in a declaration
  std::map<std::pair<const Token*, const Scope*>, EnumDecl*> enums_at;
  std::set<std::pair<const Scope*, const Ident*>> merged;  // redeclarations have been merged
  std::map<std::pair<const Scope*, const Ident*>, bool>
      library_asked;                                             // names that were looked up in the library
  std::unordered_map<const Scope*, std::string> library_scopes;  // namespace scope -> "std"
  std::vector<SourceMap::FileId> library_file_ids;               // per library file; 0: not added yet
  std::unordered_map<const VarDecl*, Scope*> local_scope;
  std::unordered_map<const ClassDecl*, ClassParts> opened;  // classes whose names are known
  int unnamed = 0;                                          // for naming unnamed entities
  // Pack expansion: the element of each pack that its name currently refers to.
  std::unordered_map<const Decl*, size_t> pack_index;
  int packs = 0;  // packs are in scope: argument lists must be searched for '...'
  // The hint for an undeclared name: the header that was skipped and may declare it. Absent: none was.
  std::function<std::optional<base::MessageText>()> skipped_header;
  std::unordered_map<const Decl*, size_t> first_errors;  // of declarations that failed: index in the log
  // Where the user's text requested an instance from the library, and the one for the instance being parsed.
  std::unordered_map<const Decl*, SourceLoc> asked_from;
  SourceLoc asked;
  // What requested an instance of a template, and where; and the declaration that is being parsed.
  struct Request {
    SourceLoc loc;
    const Decl* by = nullptr;
  };
  std::unordered_map<const Decl*, Request> requests;
  const Decl* parsed = nullptr;
  std::map<const TemplateDecl*, std::vector<std::pair<std::vector<TemplateArg>, VarDecl*>>> var_instances;
  std::vector<std::pair<ConstValue, VarDecl*>>
      argument_objects;  // template arguments of class and floating type
};

// Parses a template parameter list; used by scanner and parser (lambdas, local templates).
std::vector<TemplateParam> scan_template_params(Sema& sema, Scope* scope, TokenRange inside_angles);
// Adds the template parameters that `auto` introduces in a function's parameter list (with its parentheses).
// They are named by their position after `from`.
void scan_auto_params(Sema& sema, const Token* from, TokenRange list, std::vector<TemplateParam>& params);
Ident* auto_param_name(Sema& sema, const Token* from, const Token* token);

// Offsets, size and alignment of a class whose fields and bases are known.
void layout_class(ClassDecl* c);

// Adds a note for each template instance that the declaration being parsed is part of.
void note_instances(const Sema& sema, Diagnostic& diagnostic);

// Lexes library text into a token list with the lifetime of the Sema.
TokenRange library_tokens(Sema& sema, uint32_t file, uint32_t begin, uint32_t end);

}  // namespace quern::lang
