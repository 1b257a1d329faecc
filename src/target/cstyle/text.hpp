// Text being written: lines with indentation, and marks that lead compilers to the user's own lines.
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
  void mark(const ir::Pos& pos);                     // the next line comes from there
  void raw(std::string_view text) { out_ += text; }  // whole lines
  void indent(int by) { depth_ += by; }
  int depth() const { return depth_; }
  std::string take() { return std::move(out_); }

 private:
  const ir::Module& module_;
  std::string out_;
  int depth_ = 0;
  bool marks_;
  uint32_t line_ = 0;  // of the user's text that a compiler takes the next line for; 0: none
  uint16_t file_ = 0;
};

}  // namespace quern::target::cstyle
