// The table of source lines as LLVM metadata: numbers below kFirst are fixed (see lines_text).
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

namespace {

constexpr size_t kFirst = 16;

std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= ' ') text += c;
  }
  return text + '"';
}

}  // namespace

Emitter::Text Emitter::scope_of(uint16_t file) {
  if (file == kernel_.pos.file) return "!4";
  Text& scope = scopes_[file];
  if (scope.empty()) scope = "!" + std::to_string(kFirst + 2 * (scopes_.size() - 1));
  return scope;
}

// Functions that are called from many places have none.
Emitter::Text Emitter::line_mark() {
  if (prefix_ != "%t") return {};
  const bool is_known = pos_.line != 0;
  return ", !dbg !DILocation(line: " + std::to_string(is_known ? pos_.line : kernel_.pos.line) +
         ", column: " + std::to_string(pos_.column) +
         ", scope: " + scope_of(is_known ? pos_.file : kernel_.pos.file) + ")";
}

Emitter::Text Emitter::lines_text() const {
  if (!options_.has_lines) return {};
  const auto file = [&](uint16_t index) {
    const Text name = index < module_.files.size() ? module_.files[index].name : Text("kernel");
    return "!DIFile(filename: " + quoted_name(name) + ", directory: \"\")";
  };
  const Text line = std::to_string(kernel_.pos.line);
  Text text = "!llvm.dbg.cu = !{!1}\n!llvm.module.flags = !{!5, !6}\n";
  text +=
      "!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, producer: \"quern\", "
      "isOptimized: true, "
      "runtimeVersion: 0, emissionKind: FullDebug)\n";
  text += "!2 = " + file(kernel_.pos.file) + "\n!3 = !DISubroutineType(types: !0)\n";
  text += "!4 = distinct !DISubprogram(name: " + quoted_name(kernel_.name) +
          ", scope: !2, file: !2, line: " + line + ", type: !3, scopeLine: " + line +
          ", spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)\n";
  text += "!5 = !{i32 2, !\"Debug Info Version\", i32 3}\n!6 = !{i32 7, !\"Dwarf Version\", i32 4}\n";
  for (const auto& [index, scope] : scopes_) {
    const Text own = "!" + std::to_string(std::stoul(scope.substr(1)) + 1);
    text += scope + " = !DILexicalBlockFile(scope: !4, file: " + own + ", discriminator: 0)\n";
    text += own + " = " + file(index) + "\n";
  }
  return text;
}

}  // namespace quern::llvm
