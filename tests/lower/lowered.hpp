// CUDA text to IR text, before any pass, for the tests of lowering.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "lang/compile.hpp"
#include "lang/ir/text.hpp"
#include "lang/ir/verify.hpp"

namespace quern::lang {

inline Compilation lowered(std::string text) {
  CompileOptions options;
  options.prepare = false;
  Compilation result = compile("t.cu", std::move(text), options);
  EXPECT_EQ(ir::verify(result.module), "");
  EXPECT_EQ(ir::verify_lifetimes(result.module), "");
  return result;
}

// The body of one function, without the outermost indentation. For programs with errors, the errors.
inline std::string body_of(std::string text, std::string_view function = "k") {
  const Compilation result = lowered(std::move(text));
  if (!result.ok) return result.rendered;
  const ir::Function* found = result.module.find_function(function);
  if (found == nullptr) return "no such function";
  const std::string printed = ir::print(*found, {.positions = false});
  std::string body;
  size_t at = printed.find('\n') + 1;
  while (at < printed.size()) {
    const size_t end = printed.find('\n', at);
    const std::string_view line = std::string_view(printed).substr(at, end - at);
    if (line.starts_with("  ")) body += std::string(line.substr(2)) + "\n";
    at = end + 1;
  }
  return body;
}

// A kernel `k` with this body over `int* p, int n, float* f`.
inline std::string kernel(std::string_view body) {
  return "__global__ void k(int* p, int n, float* f) {" + std::string(body) + "}\n";
}

inline std::string first_error(std::string text) {
  const Compilation result = lowered(std::move(text));
  for (const Diagnostic& d : result.diagnostics) {
    if (d.severity == Severity::kError) return d.message.str();
  }
  return "no error";
}

}  // namespace quern::lang
