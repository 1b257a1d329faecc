// Helpers for tests of the semantics of expressions: CUDA text in, diagnostics out. The meaning of an
// expression is tested where it is cheapest, at compile time: `static_assert` in a kernel, on constexpr
// functions.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lang/compile.hpp"
#include "lang/parse/messages.hpp"
#include "lang/sema/messages.hpp"
#include "lang/sema/messages_expression.hpp"

namespace quern::lang {

// The messages of all errors, in order.
inline std::vector<std::string> errors_of(const std::string& text) {
  std::vector<std::string> out;
  for (const Diagnostic& d : compile("test.cu", text).diagnostics) {
    if (d.severity == Severity::kError) out.push_back(d.message.str());
  }
  return out;
}

inline void expect_ok(const std::string& text) {
  const Compilation c = compile("test.cu", text);
  EXPECT_TRUE(c.ok) << c.rendered << "\n" << text;
  EXPECT_FALSE(c.module.functions.empty()) << text;
}

// The only error is this message with these arguments: expect_error(text, message::kNotDeclared("x")).
inline void expect_error(const std::string& text, const base::MessageText& wanted) {
  const Compilation c = compile("test.cu", text);
  ASSERT_FALSE(c.diagnostics.empty()) << "no error, wanted: " << wanted.str() << "\n" << text;
  const base::MessageText& found = c.diagnostics[0].message;
  EXPECT_EQ(found.text, wanted.text) << c.rendered;
  EXPECT_EQ(found.hint, wanted.hint) << c.rendered;
  EXPECT_EQ(found.id, wanted.id) << "another message with the same text\n" << c.rendered;
  EXPECT_EQ(c.diagnostics.size(), 1U) << c.rendered;
}

// Declarations, and the body of a kernel `k(int n, float f, double d, int* p, float* q, const float* c)`.
inline std::string kernel(const std::string& declarations, const std::string& body) {
  return declarations +
         "\n__global__ void k(int n, float f, double d, int* p, float* q, const float* c) {\n" + body +
         "\n}\n";
}
inline void body_ok(const std::string& declarations, const std::string& body) {
  expect_ok(kernel(declarations, body));
}
inline void body_error(const std::string& declarations, const std::string& body,
                       const base::MessageText& wanted) {
  expect_error(kernel(declarations, body), wanted);
}

}  // namespace quern::lang
