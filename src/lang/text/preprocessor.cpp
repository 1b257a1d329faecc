#include "lang/text/preprocessor.hpp"

#include <string>

#include "lang/builtin/headers.hpp"
#include "lang/text/messages.hpp"
#include "lang/text/path.hpp"
#include "lang/text/preprocessor_impl.hpp"

namespace quern::lang {

Preprocessor::Preprocessor(SourceMap& sources, IdentTable& idents, Diagnostics& diagnostics,
                           const PreprocessOptions& options)
    : sources_(sources),
      diagnostics_(diagnostics),
      options_(options),
      shared_{sources, idents, diagnostics},
      va_args_(idents.get("__VA_ARGS__")),
      va_opt_(idents.get("__VA_OPT__")),
      defined_(idents.get("defined")),
      pragma_(idents.get("_Pragma")),
      unroll_(idents.get("__quern_unroll__")) {}

Preprocessor::~Preprocessor() {
  for (const Macro& macro : macros_) set_macro(*macro.name, nullptr, true);  // the table of names outlives it
  for (Ident* name : undefined_) set_macro(*name, nullptr, true);
}

Preprocessed Preprocessor::run(SourceMap::FileId file) {
  if (const size_t zero = sources_.text(file).find('\0'); zero != std::string_view::npos) {
    const SourceLoc at{sources_.start(file).offset + static_cast<uint32_t>(zero)};
    diagnostics_.error(at, message::kZeroByte());
    result_.tokens.emplace_back();
    return std::move(result_);
  }
  const std::string path = normalise_path(sources_.name(file));
  std::unique_ptr<KnownFile>& known = known_files_[path];
  known = std::make_unique<KnownFile>();
  known->path = path;
  known->exists = true;
  known->builtin = sources_.is_builtin(file);
  known->id = file;
  open(file, known.get());

  std::string defines;
  for (const auto& [name, value] : options_.defines) {
    std::string line = "#define " + name + " " + value;
    for (char& c : line) {
      if (c == '\n') c = ' ';
    }
    defines += line + "\n";
  }
  // The last opened is read first.
  if (!defines.empty()) open(sources_.add("<command line>", std::move(defines), true), nullptr);
  if (KnownFile* prelude = find_builtin("quern_prelude")) open(prelude->id, prelude);

  constexpr size_t kBytesPerToken = 4;  // of typical code with comments; avoids most reallocations
  result_.tokens.reserve(sources_.text(file).size() / kBytesPerToken + 64);
  for (;;) {
    Token& token = result_.tokens.emplace_back();  // read in place: nothing else appends to the result
    next(token);
    if (token.kind == Tok::kEnd) break;
    if (token.kind == Tok::kUnknown) check_quote(token);
    if (token.kind == Tok::kHash && pragma_in_macro(token.loc)) {
      result_.tokens.pop_back();
      continue;
    }
    if (token.ident != pragma_) continue;
    const Token name = token;
    result_.tokens.pop_back();
    pragma_operator(name);
  }
  return std::move(result_);
}

void Preprocessor::check_quote(const Token& token) {
  const size_t quote = token.text.find_first_of("\"'");
  if (quote == std::string_view::npos || token.text.find('R') < quote) return;
  const bool is_string = token.text[quote] == '"';
  diagnostics_.error(token.loc, token.from_macro ? 1 : static_cast<uint32_t>(token.text.size()),
                     is_string ? message::kStringNotClosed() : message::kCharacterNotClosed());
}

Diagnostic* Preprocessor::error(const Token& at, base::MessageText message) {
  const size_t length = at.from_macro ? 1 : at.text.size();
  return diagnostics_.error(at.loc, static_cast<uint32_t>(length), std::move(message));
}

Preprocessed preprocess(SourceMap& sources, SourceMap::FileId file, IdentTable& idents,
                        Diagnostics& diagnostics, const PreprocessOptions& options) {
  return Preprocessor(sources, idents, diagnostics, options).run(file);
}

}  // namespace quern::lang
