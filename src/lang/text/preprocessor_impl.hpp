// Internals of the preprocessor, shared by the files that implement it: include.cpp (files), directive.cpp,
// define.cpp, condition.cpp (#if), pragma.cpp, expand.cpp and substitute.cpp (macro replacement). Not
// included elsewhere.
//
// Tokens are pulled: next() reads from the innermost macro replacement that is being rescanned, or from the
// current file. Only the expansion of macro arguments recurses with the depth of the input, and it has a
// limit.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/text/lexer.hpp"
#include "lang/text/macro.hpp"
#include "lang/text/preprocessor.hpp"

namespace quern::lang {

enum class Directive : uint8_t;

// Keeps arrays at fixed addresses until it is destroyed, many to an allocation.
template <typename T>
class BlockStore {
 public:
  std::span<T> copy(const std::vector<T>& from) {
    if (from.size() > free_.size()) {
      const size_t size = from.size() > kBlock ? from.size() : kBlock;
      blocks_.push_back(std::make_unique<T[]>(size));
      free_ = {blocks_.back().get(), size};
    }
    const std::span<T> place = free_.first(from.size());
    free_ = free_.subspan(from.size());
    std::copy(from.begin(), from.end(), place.begin());
    return place;
  }

 private:
  static constexpr size_t kBlock = 256;
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::span<T> free_;
};

class Preprocessor {
 public:
  Preprocessor(SourceMap& sources, IdentTable& idents, Diagnostics& diagnostics,
               const PreprocessOptions& options);
  ~Preprocessor();
  Preprocessor(const Preprocessor&) = delete;
  Preprocessor& operator=(const Preprocessor&) = delete;

  Preprocessed run(SourceMap::FileId file);

 private:
  friend class ConditionParser;

  // A file identified by its path, whether it exists or not.
  struct KnownFile {
    std::string path;  // normalised; for built-in headers their name
    bool exists = false;
    std::string refusal;  // why it must not be read
    bool builtin = false;
    bool once = false;  // #pragma once
    SourceMap::FileId id = 0;
    uint32_t open_count = 0;  // how many times it is on the stack of open files
  };
  struct OpenFile {
    Lexer lexer;
    KnownFile* known;           // nullptr for the -D lines
    size_t outer_conditionals;  // conditionals below this index belong to other files
  };
  struct Conditional {
    SourceLoc loc;
    bool taken = false;  // one of its groups was active
    bool seen_else = false;
  };
  // Tokens to read before the file continues: a replacement being rescanned, an argument, or tokens put back.
  struct Context {
    const Token* cur = nullptr;
    const Token* end = nullptr;
    Macro* macro = nullptr;  // enabled again when these tokens are exhausted
    bool barrier = false;    // reading stops here, whatever is below
    bool in_place = false;   // the tokens are a macro's body and get the position of its use
    bool first = false;      // in_place: the next token is the first, which takes the position of the name
    Token name;              // in_place: the token that was replaced
    std::vector<Token> storage;  // what cur and end point into, unless in_place
  };
  struct Range {
    size_t begin = 0;
    size_t end = 0;
    size_t size() const { return end - begin; }
  };
  // An argument of a macro call, as ranges of the shared stacks arg_tokens_ and expanded_tokens_.
  struct Arg {
    Range raw;
    Range expanded;
    bool is_expanded = false;
  };
  // A macro call: its arguments are args_[first … first + count).
  struct Call {
    Token name;
    Macro& macro;
    size_t first = 0;
    size_t count = 0;
    bool no_variadic = false;  // the variadic argument is missing, not just empty
  };

  // Reading (expand.cpp).
  void next(Token& token);             // the next token after macro replacement
  void next_unexpanded(Token& token);  // … before it; kEnd at a barrier and at the end of the input
  void next_from_file(Token& token);
  bool expand(Token& token);
  bool expand_builtin(Token& token, const Macro& macro);
  bool skip_parenthesised();
  void expand_call(const Call& call);
  void put_back(const Token& token);
  Context& push_context();
  void push_tokens(std::vector<Token>&& tokens, Macro* macro = nullptr);
  void push_barrier(const Token* begin, const Token* end);
  void pop_context();
  void pop_barrier();
  std::vector<Token> take_buffer();
  bool spend(size_t tokens, SourceLoc at);
  void give_up();

  // Macro calls (substitute.cpp).
  bool collect_args(Call& call);
  void check_arg_count(Call& call);
  void substitute(const Call& call, std::vector<Token>& out);
  Range expanded_arg(const Call& call, size_t index);
  bool variadic_is_empty(const Call& call);
  void append_arg(const Call& call, const Token& param, bool pasting, std::vector<Token>& out);
  void append(Token token, bool pasting, SourceLoc at, std::vector<Token>& out);
  void paste(const Token& right, SourceLoc at, std::vector<Token>& out);
  Token stringise(const Token* begin, const Token* end, const Token& like, SourceLoc at);
  Token make_number(uint64_t value, const Token& like);
  Token make_string(std::string_view content, const Token& like, SourceLoc at);

  // Directives (directive.cpp, define.cpp, condition.cpp, pragma.cpp).
  void handle_directive();
  void dispatch(Directive directive, const Token& name);
  void report_error_directive(const Token& name);
  void mark_line(const Token& number);
  void define_macro(Lexer& lexer);
  void undef_macro();
  bool parse_params(Lexer& lexer, Macro& macro);
  bool parse_body(Lexer& lexer, Macro& macro, Token token);
  bool mark_paste(const Token& operator_token);
  bool take_stringised(Lexer& lexer, const Macro& macro, Token& token);
  void classify(const Macro& macro, Token& token) const;
  void install(Macro& macro);
  Macro* macro_of(Ident& name);
  bool is_defined(Ident& name);
  bool define_predefined(Ident& name);
  static void set_macro(Ident& name, Macro* macro, bool maybe);
  void begin_conditional(Directive directive, const Token& name);
  void else_conditional(Directive directive, const Token& name);
  bool check_not_after_else(const Token& name);
  bool evaluate(Directive directive, const Token& name);
  bool evaluate_defined(const Token& name);
  bool evaluate_expression(const Token& name);
  void skip_group();
  void handle_pragma(Lexer& lexer, SourceLoc at);
  void pragma_unroll(Lexer& lexer, SourceLoc at);
  void pragma_pack(Lexer& lexer, SourceLoc at);
  void push_unroll(SourceLoc at, const std::vector<Token>& count);
  bool pragma_in_macro(SourceLoc at);  // after a # from a macro
  void pragma_operator(const Token& name);

  // Files (include.cpp).
  void include(const Token& directive);
  bool read_header_name(const Token& directive, Token& at, std::string& name, bool& angled);
  bool join_header_name(const std::vector<Token>& tokens, std::string& name, bool& angled) const;
  KnownFile* find_header(const std::string& name, bool angled);
  KnownFile* find_builtin(const std::string& name);
  KnownFile& look_up(const std::string& path);
  std::vector<std::string> candidates(const std::string& name, bool angled) const;
  std::string refusal(const std::string& name, bool angled);
  void enter(KnownFile& file, const Token& at);
  void open(SourceMap::FileId id, KnownFile* known);
  bool leave_file();
  bool refuse_cycle(KnownFile& file, const Token& at);
  bool has_include(const Token& name);

  void check_quote(const Token& token);
  Lexer& lexer() { return files_.back()->lexer; }
  Diagnostic* error(const Token& at, base::MessageText message);

  SourceMap& sources_;
  Diagnostics& diagnostics_;
  const PreprocessOptions& options_;
  LexShared shared_;
  Preprocessed result_;

  std::vector<std::unique_ptr<OpenFile>> files_;
  std::vector<uint32_t> packs_;  // of #pragma pack, pushed
  uint32_t pack_ = 0;
  std::unordered_map<std::string, std::unique_ptr<KnownFile>> known_files_;
  std::vector<Conditional> conditionals_;

  std::deque<Macro> macros_;  // all macros ever defined; addresses are stable
  BlockStore<Token> bodies_;  // what their spans point into
  BlockStore<Ident*> param_lists_;
  std::vector<Token> body_scratch_;
  std::vector<Ident*> params_scratch_;
  std::vector<Ident*> undefined_;  // by #undef: predefined macros among them must not be defined again

  std::vector<Context> contexts_;  // used up to depth_; the rest keep their buffers
  size_t depth_ = 0;
  std::vector<std::vector<Token>> buffers_;  // free ones
  std::vector<Arg> args_;
  std::vector<Token> arg_tokens_;
  std::vector<Token> expanded_tokens_;
  size_t arg_depth_ = 0;
  size_t spent_ = 0;
  bool stopped_ = false;
  uint64_t counter_ = 0;

  Ident* va_args_;
  Ident* va_opt_;
  Ident* defined_;
  Ident* pragma_;
  Ident* unroll_;
};

}  // namespace quern::lang
