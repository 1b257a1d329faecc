// #include: finding headers, opening and leaving files.
#include <algorithm>
#include <string>

#include "lang/builtin/headers.hpp"
#include "lang/text/messages.hpp"
#include "lang/text/path.hpp"
#include "lang/text/preprocessor_impl.hpp"

namespace quern::lang {

namespace {

// A file may include itself with other macros set; beyond this limit it is an error.
constexpr uint32_t kMaxOpenAtOnce = 16;
// The cost of an #include in tokens, and the number of bytes of its file that count as one more token.
constexpr size_t kIncludeCost = 16;
constexpr size_t kBytesPerToken = 64;

}  // namespace

void Preprocessor::include(const Token& directive) {
  Token at;
  std::string name;
  bool angled = false;
  const bool named = read_header_name(directive, at, name, angled);
  lexer().end_directive();
  if (!named || stopped_) return;
  KnownFile* file = find_header(name, angled);
  if (file != nullptr) return enter(*file, at);
  // Their declarations may be missing later.
  const std::string_view unsupported = find_unsupported_header(name);
  const std::string_view reason = unsupported.empty() ? sources_.keep(refusal(name, angled)) : unsupported;
  const KnownFile* includer = files_.back()->known;
  const std::string_view folder =
      includer != nullptr ? sources_.keep(parent_path(includer->path)) : std::string_view();
  result_.missing_includes.push_back({at.loc, sources_.keep(name), reason, folder, angled && reason.empty()});
}

bool Preprocessor::read_header_name(const Token& directive, Token& at, std::string& name, bool& angled) {
  std::vector<Token> tokens;
  if (lexer().header_name(at)) {
    tokens.push_back(at);
  } else {
    std::vector<Token> line;
    for (lexer().next(at); at.kind != Tok::kEnd; lexer().next(at)) line.push_back(at);
    at = line.empty() ? directive : line.front();
    push_barrier(line.data(), line.data() + line.size());
    Token token;
    for (next(token); token.kind != Tok::kEnd; next(token)) tokens.push_back(token);
    pop_barrier();
  }
  if (join_header_name(tokens, name, angled)) return true;
  if (!stopped_) error(at, message::kIncludeNameMissing(directive.text));
  return false;
}

// The name from `"x"` or `<x>` as one token, or from the tokens `<` … `>` of a macro.
bool Preprocessor::join_header_name(const std::vector<Token>& tokens, std::string& name, bool& angled) const {
  if (tokens.empty()) return false;
  const std::string_view first = tokens.front().text;
  if (tokens.front().kind == Tok::kString && first.size() > 2) {
    angled = first.front() == '<';
    name = first.substr(1, first.size() - 2);
    return true;
  }
  if (tokens.front().kind != Tok::kLess) return false;
  angled = true;
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].kind == Tok::kGreater) return !name.empty();
    if (tokens[i].space_before && !name.empty()) name += ' ';
    name += tokens[i].text;
  }
  return false;
}

Preprocessor::KnownFile* Preprocessor::find_header(const std::string& name, bool angled) {
  const KnownFile* includer = files_.back()->known;
  const bool builtin_first = angled || (includer != nullptr && includer->builtin);
  if (builtin_first) {
    if (KnownFile* file = find_builtin(name)) return file;
  }
  for (const std::string& path : candidates(name, angled)) {
    if (KnownFile& file = look_up(path); file.exists) return &file;
  }
  return builtin_first ? nullptr : find_builtin(name);
}

// The paths at which a header is searched for, in order.
std::vector<std::string> Preprocessor::candidates(const std::string& name, bool angled) const {
  std::vector<std::string> paths;
  const KnownFile* includer = files_.back()->known;
  const std::string path = normalise_path(name);
  if (!angled && includer != nullptr && !includer->builtin)
    paths.push_back(join_path(parent_path(includer->path), path));
  for (const std::string& dir : options_.include_dirs) paths.push_back(join_path(dir, path));
  return paths;
}

// Why the header, which was not found, must not be read; empty: it does not exist.
std::string Preprocessor::refusal(const std::string& name, bool angled) {
  if (!options_.read_file) return angled ? "" : message::kIncludesDisabled().text;
  for (const std::string& path : candidates(name, angled)) {
    if (const KnownFile& file = look_up(path); !file.refusal.empty()) return file.refusal;
  }
  return {};
}

Preprocessor::KnownFile* Preprocessor::find_builtin(const std::string& name) {
  const BuiltinHeader* header = find_builtin_header(name);
  if (header == nullptr) return nullptr;
  std::unique_ptr<KnownFile>& known = known_files_["<" + std::string(header->name) + ">"];
  if (known == nullptr) {
    known = std::make_unique<KnownFile>();
    known->path = header->name;
    known->exists = known->builtin = true;
    known->id = sources_.add(known->path, std::string(header->text), true);
  }
  return known.get();
}

// Each path is looked up once.
Preprocessor::KnownFile& Preprocessor::look_up(const std::string& path) {
  std::unique_ptr<KnownFile>& known = known_files_[path];
  if (known == nullptr) {
    known = std::make_unique<KnownFile>();
    known->path = path;
    if (!options_.read_file) return *known;
    auto text = options_.read_file(path);
    known->exists = text.ok();
    if (text.ok()) {
      known->id = sources_.add(path, std::move(*text));
    } else if (text.error().kind() != base::ErrorKind::not_found) {
      known->refusal = text.error().message();
    }
  }
  return *known;
}

void Preprocessor::enter(KnownFile& file, const Token& at) {
  if (file.once || refuse_cycle(file, at)) return;
  if (files_.size() > options_.max_include_depth) {
    error(at, message::kIncludeTooDeep(std::to_string(options_.max_include_depth)));
    return give_up();
  }
  const size_t bytes = sources_.text(file.id).size();
  if (bytes == 0 || !spend(kIncludeCost + bytes / kBytesPerToken, at.loc)) return;
  open(file.id, &file);
}

// A file that includes itself, unconditionally or too often: the error names the cycle.
bool Preprocessor::refuse_cycle(KnownFile& file, const Token& at) {
  if (file.open_count == 0) return false;
  size_t last = files_.size() - 1;
  while (files_[last]->known != &file) --last;
  const bool unconditional = conditionals_.size() == files_[last]->outer_conditionals;
  if (!unconditional && file.open_count < kMaxOpenAtOnce) return false;
  std::string cycle;
  for (size_t i = last; i < files_.size(); ++i) cycle += files_[i]->known->path + " -> ";
  error(at, message::kIncludesItself(file.path, cycle + file.path));
  if (!unconditional) give_up();
  return true;
}

void Preprocessor::open(SourceMap::FileId id, KnownFile* known) {
  files_.push_back(std::make_unique<OpenFile>(
      OpenFile{Lexer(shared_, sources_.text(id), sources_.start(id)), known, conditionals_.size()}));
  if (known != nullptr) ++known->open_count;
  if (pack_ != 0) sources_.mark_pack(sources_.start(id), pack_);
}

// At the end of the current file: returns to the file that included it. False if there is none.
bool Preprocessor::leave_file() {
  const OpenFile& file = *files_.back();
  if (conditionals_.size() > file.outer_conditionals) {
    diagnostics_.error(conditionals_.back().loc, 2, message::kEndifMissing());
    conditionals_.resize(file.outer_conditionals);
  }
  if (files_.size() == 1) return false;  // the user's file stays, so that the end has a position
  if (file.known != nullptr) --file.known->open_count;
  files_.pop_back();
  return true;
}

// __has_include ( … ), after its name.
bool Preprocessor::has_include(const Token& name) {
  Token token;
  next_unexpanded(token);
  std::vector<Token> tokens;
  bool closed = false;
  if (token.kind == Tok::kLParen) {
    for (next(token); token.kind != Tok::kEnd && !closed; next(token)) {
      tokens.push_back(token);
      if (token.kind == Tok::kString || (token.kind == Tok::kGreater && tokens.front().kind == Tok::kLess)) {
        next_unexpanded(token);
        closed = token.kind == Tok::kRParen;
        break;
      }
    }
  }
  std::string header;
  bool angled = false;
  if (closed && join_header_name(tokens, header, angled)) return find_header(header, angled) != nullptr;
  if (!stopped_) error(name, message::kHasIncludeNameMissing());
  return false;
}

}  // namespace quern::lang
