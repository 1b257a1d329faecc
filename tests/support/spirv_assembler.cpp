#include "support/spirv_assembler.hpp"

#include <bit>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "spirv/grammar/opcode.hpp"

namespace quern::test {

namespace {

using spirv::Form;

const std::map<std::string, uint16_t, std::less<>>& opcodes() {
  static const std::map<std::string, uint16_t, std::less<>> all = {
#define X(name, number, form) {"Op" #name, number},
      QUERN_SPIRV_OPS(X)
#undef X
  };
  return all;
}

const std::map<std::string, uint32_t, std::less<>>& names() {
  static const std::map<std::string, uint32_t, std::less<>> all = {
      // capabilities, models
      {"Shader", 1},
      {"Kernel", 6},
      {"Addresses", 4},
      {"Linkage", 5},
      {"Logical", 0},
      {"Physical64", 2},
      {"Simple", 0},
      {"GLSL450", 1},
      {"OpenCL", 2},
      {"GLCompute", 5},
      {"Fragment", 4},
      // execution modes
      {"LocalSize", 17},
      {"LocalSizeId", 38},
      // storage classes
      {"UniformConstant", 0},
      {"Input", 1},
      {"Uniform", 2},
      {"Workgroup", 4},
      {"CrossWorkgroup", 5},
      {"Private", 6},
      {"Function", 7},
      {"Generic", 8},
      {"PushConstant", 9},
      {"StorageBuffer", 12},
      // decorations
      {"SpecId", 1},
      {"Block", 2},
      {"BufferBlock", 3},
      {"RowMajor", 4},
      {"ArrayStride", 6},
      {"MatrixStride", 7},
      {"BuiltIn", 11},
      {"NonWritable", 24},
      {"Binding", 33},
      {"DescriptorSet", 34},
      {"Offset", 35},
      // built-ins
      {"NumWorkgroups", 24},
      {"WorkgroupSize", 25},
      {"WorkgroupId", 26},
      {"LocalInvocationId", 27},
      {"GlobalInvocationId", 28},
      {"LocalInvocationIndex", 29},
      {"SubgroupSize", 36},
      // masks
      {"None", 0},
      {"Const", 8},
      {"Inline", 1},
      {"Aligned", 2},
  };
  return all;
}

class Assembler {
 public:
  std::vector<uint32_t> run(std::string_view text) {
    words_ = {0x07230203, 0x00010300, 0, 0, 0};
    for (std::string_view line : base::split_lines(text)) {
      line = base::trim(line.substr(0, comment_start(line)));
      if (!line.empty()) instruction(line);
    }
    words_[3] = static_cast<uint32_t>(ids_.size() + 1);
    return words_;
  }

 private:
  static size_t comment_start(std::string_view line) {
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') quoted = !quoted;
      if (line[i] == ';' && !quoted) return i;
    }
    return line.size();
  }

  static std::vector<std::string> tokens(std::string_view line) {
    std::vector<std::string> all;
    bool quoted = false, open = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ' ' && !quoted) {
        open = false;
        continue;
      }
      if (!open) all.emplace_back();
      open = true;
      all.back() += c;
    }
    return all;
  }

  uint32_t id(const std::string& name) {
    return ids_.try_emplace(name, static_cast<uint32_t>(ids_.size() + 1)).first->second;
  }

  void instruction(std::string_view line) {
    std::vector<std::string> t = tokens(line);
    std::string result;
    if (t.size() > 2 && t[1] == "=") {
      result = t[0];
      t.erase(t.begin(), t.begin() + 2);
    }
    const auto op = opcodes().find(t[0]);
    if (op == opcodes().end()) {
      ADD_FAILURE() << "unknown instruction " << t[0];
      return;
    }
    std::vector<uint32_t> operands;
    size_t next = 1;
    if (form(static_cast<spirv::Opcode>(op->second)) == Form::kTyped && next < t.size())
      operand(t[next++], operands);
    if (!result.empty()) operands.push_back(id(result));
    for (; next < t.size(); ++next) operand(t[next], operands);
    words_.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | op->second);
    words_.insert(words_.end(), operands.begin(), operands.end());
  }

  void operand(const std::string& token, std::vector<uint32_t>& out) {
    if (token[0] == '%') {
      out.push_back(id(token));
    } else if (token[0] == '"') {
      const std::string text = token.substr(1, token.size() - 2);
      const size_t start = out.size();
      out.resize(start + text.size() / 4 + 1, 0);
      for (size_t i = 0; i < text.size(); ++i)
        out[start + i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << (8 * (i % 4));
    } else if (token.starts_with("0f")) {
      out.push_back(std::bit_cast<uint32_t>(static_cast<float>(*base::parse_double(token.substr(2)))));
    } else if (const auto number = base::parse_int(token)) {
      out.push_back(static_cast<uint32_t>(*number));
    } else if (const auto op = opcodes().find("Op" + token);
               op != opcodes().end() && !names().contains(token)) {
      out.push_back(op->second);  // of OpSpecConstantOp
    } else if (const auto name = names().find(token); name != names().end()) {
      out.push_back(name->second);
    } else {
      ADD_FAILURE() << "'" << token << "' is unknown to the assembler";
    }
  }

  std::vector<uint32_t> words_;
  std::map<std::string, uint32_t> ids_;
};

}  // namespace

std::vector<uint32_t> assemble(std::string_view text) { return Assembler().run(text); }

}  // namespace quern::test
