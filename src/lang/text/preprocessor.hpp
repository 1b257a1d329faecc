// Text in, tokens out: line splices, comments, macros with # and ##, conditionals, #include of local files
// and of the built-in CUDA headers. Unknown system headers (<iostream>, …) are skipped silently: they belong
// to host code. Pragmas that kernels use are passed on as tokens: `#pragma unroll N` becomes the identifier
// `__quern_unroll__` followed by `(`, the expression's tokens and `)` (no number: `( )`).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/text/diagnostic.hpp"
#include "lang/text/token.hpp"

namespace quern::lang {

struct PreprocessOptions {
  std::vector<std::pair<std::string, std::string>> defines;  // -D NAME=VALUE
  std::vector<std::string> include_dirs;                     // -I
  FileReader read_file;                                      // absent: no file can be included
  size_t max_tokens = 4'000'000;  // exponential macros are stopped here, with an error
  size_t max_include_depth = 200;
};

// A skipped header whose declarations may be missing later: one that was not found, one that must not be
// read, or a CUDA header that is not supported.
struct MissingInclude {
  SourceLoc loc;            // of the header's name in the #include line
  std::string_view name;    // as written, without quotes; lives in the SourceMap
  std::string_view reason;  // why it is not supported or not read; empty: it was not found
  std::string_view folder;  // of the file that includes it
  bool is_angled = false;   // <name>, which mostly belongs to host code
};

struct Preprocessed {
  std::vector<Token> tokens;  // ends with kEnd; the texts are owned by the SourceMap and the IdentTable
  std::vector<MissingInclude> missing_includes;
};

// The tokens of `file` and everything it includes, after those of the built-in header "quern_prelude". Errors
// go to `diagnostics`; the tokens are usable up to the point where it stopped. Unbalanced brackets are not
// its concern.
Preprocessed preprocess(SourceMap& sources, SourceMap::FileId file, IdentTable& idents,
                        Diagnostics& diagnostics, const PreprocessOptions& options);

}  // namespace quern::lang
