// Functions that emitted text calls where a language has no operation with exactly the IR's semantics. They
// are written once, in C with a few placeholders, and a text gets those it uses:
//   @i32 …       the language's name of a type          @(i32)      a cast to it
//   @fn          the prefix of a function                @word       a word of the dialect's table
//   $0 $1 …      kinds of the requested types            $name       other values given with the request
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "lang/ir/type.hpp"
#include "target/cstyle/dialect.hpp"

namespace quern::target::cstyle {

struct HelperText {
  std::string_view name;
  std::string_view text;
};

// The texts of the helpers, by topic.
std::span<const HelperText> number_helpers();
std::span<const HelperText> float_helpers();
std::span<const HelperText> rounding_helpers();
std::span<const HelperText> thread_helpers();
std::span<const HelperText> memory_helpers();
std::span<const HelperText> msl_helpers();
std::span<const HelperText> glsl_helpers();

class Helpers {
 public:
  using Values = std::initializer_list<std::pair<std::string_view, std::string>>;
  explicit Helpers(const Dialect& dialect) : dialect_(dialect) {}

  // The function's name, "quern_div_i32": the helper "div" for these types. Helpers that it calls are added
  // too.
  std::string use(std::string_view name, std::initializer_list<ir::TypeKind> types = {}, Values values = {});
  // Text with its placeholders replaced. Helpers that implement words are added too.
  std::string fill(std::string_view text, std::initializer_list<ir::TypeKind> types = {}, Values values = {});

  const std::string& text() const { return text_; }

 private:
  void require(std::string_view called);
  void define(const std::string& name, std::string text);
  std::string word(std::string_view word, bool is_cast);

  const Dialect& dialect_;
  std::unordered_set<std::string> known_;
  std::string text_;
};

}  // namespace quern::target::cstyle
