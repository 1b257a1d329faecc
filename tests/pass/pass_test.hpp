// Helpers for tests that run a pass on IR text and examine the result.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "lang/ir/builder.hpp"
#include "lang/ir/text.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/pass.hpp"

namespace quern::pass {

inline ir::Module parsed(std::string_view text) {
  ir::ParseError error;
  std::optional<ir::Module> module = ir::parse(text, error);
  if (!module) {
    ADD_FAILURE() << error.line << ":" << error.column << ": " << error.message << "\n" << text;
    return ir::Module();
  }
  return std::move(*module);
}

// Functions only, without positions, each line without its indentation, for comparison.
inline std::string shown(const ir::Module& module) {
  std::string out;
  for (const ir::Function* f : module.functions) {
    const std::string text = ir::print(*f, {.positions = false});
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      const size_t start = text.find_first_not_of(' ', at);
      if (start < end) out.append(text, start, end - start).append("\n");
      at = end + 1;
    }
  }
  return out;
}

// The text with each line's indentation and empty lines removed.
inline std::string unindented(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const size_t start = text.find_first_not_of(' ', at);
    if (start < end) out.append(text.substr(start, end - start)).append("\n");
    at = end + 1;
  }
  return out;
}

using Passes = std::function<void(ir::Module&)>;

// The result of the passes on `text`, verified and printed to text that parses again.
inline std::string after(std::string_view text, const Passes& passes) {
  ir::Module module = parsed(text);
  passes(module);
  EXPECT_EQ(ir::verify(module), "") << ir::print(module);
  parsed(ir::print(module));
  return shown(module);
}

inline void expect_after(std::string_view text, const Passes& passes, std::string_view expected) {
  EXPECT_EQ(after(text, passes), unindented(expected));
}

inline size_t count(std::string_view text, std::string_view word) {
  size_t n = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

}  // namespace quern::pass
