// Text output: lines with indentation, and line directives that refer compilers to the user's source.
#pragma once

#include <string>
#include <string_view>

#include "lang/ir/ir.hpp"

namespace quern::target::cstyle {

class Text {
 public:
  explicit Text(const ir::Module& module, bool line_marks) : module_(module), marks_(line_marks) {}

  void line(std::string_view text);
  void open(std::string_view text);                  // "text {" and one level deeper
  void close(std::string_view behind = {});          // "}" and what follows it
  void reopen(std::string_view text);                // "} text {"
  void mark(const ir::Pos& pos);                     // source position of the next line
  void raw(std::string_view text) { out_ += text; }  // whole lines
  void indent(int by) { depth_ += by; }
  int depth() const { return depth_; }
  std::string take() { return std::move(out_); }

 private:
  const ir::Module& module_;
  std::string out_;
  int depth_ = 0;
  bool marks_;
  uint32_t line_ = 0;  // source line that a compiler assumes for the next line; 0: none
  uint16_t file_ = 0;
};

}  // namespace quern::target::cstyle
