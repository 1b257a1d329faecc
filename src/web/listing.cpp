#include "web/listing.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "spirv/grammar/opcode.hpp"

namespace quern::web {

namespace {

using spirv::Opcode;

// The operand that is a text, if the instruction has one; counted from the instruction's first word.
size_t text_operand(Opcode opcode) {
  switch (opcode) {
    case Opcode::kExtension: return 1;
    case Opcode::kName:
    case Opcode::kString:
    case Opcode::kExtInstImport: return 2;
    case Opcode::kMemberName:
    case Opcode::kEntryPoint: return 3;
    default: return 0;
  }
}

void add_text(std::string& line, const uint32_t* words, size_t& at, size_t count) {
  const char* const first = reinterpret_cast<const char*>(words + at);
  const size_t most = (count - at) * sizeof(uint32_t);
  const size_t length = static_cast<size_t>(std::find(first, first + most, '\0') - first);
  line += " \"" + std::string(first, length) + '"';
  at += length / sizeof(uint32_t) + 1;
}

std::string instruction(const uint32_t* words, size_t count) {
  const auto opcode = static_cast<Opcode>(words[0] & 0xffff);
  const spirv::Form form = spirv::form(opcode);
  const bool has_type = form == spirv::Form::kTyped, has_result = has_type || form == spirv::Form::kResult;
  size_t at = 1;
  std::string line, type;
  if (has_type && at < count) type = " %" + std::to_string(words[at++]);
  if (has_result && at < count) line = "%" + std::to_string(words[at++]) + " = ";
  line += spirv::name(opcode) + type;
  while (at < count) {
    if (at == text_operand(opcode)) {
      add_text(line, words, at, count);
    } else {
      line += ' ' + std::to_string(words[at++]);
    }
  }
  return line;
}

}  // namespace

std::string spirv_listing(std::string_view module) {
  constexpr size_t kHeader = 5;
  std::vector<uint32_t> words(module.size() / sizeof(uint32_t));
  std::memcpy(words.data(), module.data(), words.size() * sizeof(uint32_t));
  std::string text;
  for (size_t at = kHeader; at < words.size();) {
    const size_t count = std::max<size_t>(words[at] >> 16, 1);
    if (count > words.size() - at) break;
    text += instruction(words.data() + at, count) + '\n';
    at += count;
  }
  return text;
}

}  // namespace quern::web
