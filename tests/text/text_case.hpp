// Runs the preprocessor on texts in memory and shows the result as one line.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/text/messages.hpp"
#include "lang/text/preprocessor.hpp"

namespace quern::lang {

class TextCase {
 public:
  using Files = std::map<std::string, std::string>;

  explicit TextCase(std::string text, Files files = {}, PreprocessOptions options = {},
                    std::string name = "t.cu") {
    options.read_file = [this,
                         files = std::move(files)](const std::string& path) -> base::Result<std::string> {
      reads.push_back(path);
      const auto found = files.find(path);
      if (found == files.end()) return base::Error(base::ErrorKind::not_found, "no such file");
      return found->second;
    };
    const SourceMap::FileId file = sources.add(std::move(name), std::move(text));
    Preprocessed done = preprocess(sources, file, idents, diagnostics, options);
    missing = std::move(done.missing_includes);
    for (const Token& token : done.tokens) {
      const auto in = sources.file_of(token.loc);
      if (token.kind != Tok::kEnd && in && !sources.is_builtin(*in)) tokens.push_back(token);
    }
  }

  // The user's tokens with a space wherever white space was: the spacing that # would see.
  std::string text() const {
    std::string out;
    for (const Token& token : tokens) {
      if (!out.empty() && (token.space_before || token.line_start)) out += ' ';
      out += token.text;
    }
    return out;
  }

  // "line:column message" of each diagnostic, with "warning " before warnings.
  std::vector<std::string> messages() const {
    std::vector<std::string> out;
    for (const Diagnostic& d : diagnostics.all()) {
      const FilePos pos = sources.resolve(d.loc);
      out.push_back(std::to_string(pos.line) + ":" + std::to_string(pos.column) + " " +
                    (d.severity == Severity::kWarning ? "warning " : "") + d.message.str());
    }
    return out;
  }

  // The only message, or all of them if there is not exactly one.
  std::string message() const {
    std::string out;
    for (const std::string& message : messages()) out += (out.empty() ? "" : "\n") + message;
    return out;
  }

  SourceMap sources;
  IdentTable idents;
  Diagnostics diagnostics{sources};
  std::vector<Token> tokens;
  std::vector<MissingInclude> missing;
  std::vector<std::string> reads;  // the requested paths
};

// The expansion of a text without errors; otherwise the errors.
inline std::string expand(std::string text, TextCase::Files files = {}, PreprocessOptions options = {}) {
  const TextCase run(std::move(text), std::move(files), std::move(options));
  return run.diagnostics.all().empty() ? run.text() : "FAILED " + run.message();
}

// What TextCase::message returns for one message: at("2:9", message::kDefineNameMissing()). The place of a
// warning is "2:9 warning".
inline std::string at(std::string_view place, const base::MessageText& message) {
  return std::string(place) + " " + message.str();
}

// The message of a text with exactly one error.
inline std::string complaint(std::string text, TextCase::Files files = {}, PreprocessOptions options = {}) {
  return TextCase(std::move(text), std::move(files), std::move(options)).message();
}

}  // namespace quern::lang
