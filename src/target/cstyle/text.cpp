#include "target/cstyle/text.hpp"

namespace quern::target::cstyle {

void Text::line(std::string_view text) {
  out_.append(static_cast<size_t>(depth_) * 2, ' ');
  out_ += text;
  out_ += '\n';
  if (line_ != 0) ++line_;
}

void Text::open(std::string_view text) {
  line(text.empty() ? "{" : std::string(text) + " {");
  ++depth_;
}

void Text::close(std::string_view behind) {
  --depth_;
  line("}" + std::string(behind));
}

void Text::reopen(std::string_view text) {
  --depth_;
  line("} " + std::string(text) + " {");
  ++depth_;
}

void Text::mark(const ir::Pos& pos) {
  if (!marks_ || pos.line == 0 || pos.file >= module_.files.size()) return;
  if (pos.line == line_ && pos.file == file_) return;
  std::string name;
  for (const char c : module_.files[pos.file].name) {
    if (c == '\\' || c == '"') name += '\\';
    name += c;
  }
  out_ += "#line " + std::to_string(pos.line) + " \"" + name + "\"\n";
  line_ = pos.line;
  file_ = pos.file;
}

}  // namespace quern::target::cstyle
