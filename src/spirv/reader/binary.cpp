#include "spirv/reader/binary.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using base::Error;
using base::ErrorKind;
using base::format;

namespace {

constexpr uint32_t kSwappedMagic = 0x0302'2307;
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kHighestVersion = 0x0001'0600;
constexpr uint32_t kHighestBound = 0x40'0000;  // the limit that every SPIR-V consumer may set

Error malformed(const base::MessageText& text) { return Error(ErrorKind::bad_input, text.str()); }

uint32_t swapped(uint32_t w) { return w >> 24 | (w >> 8 & 0xFF00) | (w << 8 & 0xFF'0000) | w << 24; }

base::Result<void> check_header(const std::vector<uint32_t>& words) {
  const uint32_t version = words[1];
  if (version < 0x0001'0000 || version > kHighestVersion || (version & 0xFF00'00FF) != 0) {
    return malformed(
        message::kVersion(std::to_string(version >> 16 & 0xFF), std::to_string(version >> 8 & 0xFF)));
  }
  if (words[3] == 0 || words[3] > kHighestBound) {
    return malformed(message::kIdBound(std::to_string(words[3]), std::to_string(kHighestBound)));
  }
  return {};
}

}  // namespace

Id Instruction::result() const {
  switch (form(opcode)) {
    case Form::kNone: return 0;
    case Form::kResult: return operands.empty() ? 0 : operands[0];
    case Form::kTyped: return operands.size() < 2 ? 0 : operands[1];
  }
  return 0;
}

base::Result<Binary> split(std::span<const uint32_t> words) {
  if (words.size() < kHeaderWords) return malformed(message::kTooFewWords(std::to_string(words.size())));
  Binary binary;
  binary.words.assign(words.begin(), words.end());
  if (words[0] == kSwappedMagic) std::transform(words.begin(), words.end(), binary.words.begin(), swapped);
  if (binary.words[0] != kMagic) return malformed(message::kMagicNumber(format("0x%08x", words[0])));
  QUERN_TRY(check_header(binary.words));
  binary.bound = binary.words[3];
  for (size_t at = kHeaderWords; at < binary.words.size();) {
    const uint32_t first = binary.words[at];
    const size_t count = first >> 16;
    Instruction i;
    i.opcode = static_cast<Opcode>(first & 0xFFFF);
    i.word = static_cast<uint32_t>(at);
    i.ordinal = static_cast<uint32_t>(binary.instructions.size() + 1);
    if (count == 0 || count > binary.words.size() - at) {
      return malformed(message::kInstructionTooLong(name(i.opcode), std::to_string(at), std::to_string(count),
                                                    std::to_string(binary.words.size() - at)));
    }
    i.operands = std::span<const uint32_t>(binary.words).subspan(at + 1, count - 1);
    const size_t wanted = form(i.opcode) == Form::kTyped ? 2 : form(i.opcode) == Form::kResult ? 1 : 0;
    if (i.operands.size() < wanted)
      return malformed(message::kResultMissing(name(i.opcode), std::to_string(at)));
    if (wanted != 0 && (i.result() == 0 || i.result() >= binary.bound)) {
      return malformed(message::kResultBeyondBound(name(i.opcode), std::to_string(at),
                                                   std::to_string(i.result()), std::to_string(binary.bound)));
    }
    binary.instructions.push_back(i);
    at += count;
  }
  return binary;
}

std::string text_at(const Instruction& instruction, size_t first, size_t* next) {
  std::string text;
  size_t i = first;
  for (bool ended = false; i < instruction.operands.size() && !ended; ++i) {
    for (uint32_t byte = 0; byte < 4 && !ended; ++byte) {
      const char c = static_cast<char>(instruction.operands[i] >> (8 * byte) & 0xFF);
      ended = c == 0;
      if (!ended) text += c;
    }
  }
  if (next != nullptr) *next = i;
  return text;
}

std::string describe(const Instruction& instruction) {
  const std::string result = instruction.result() != 0 ? format("%%%u = ", instruction.result()) : "";
  return result + name(instruction.opcode) + format(" (word %u)", instruction.word);
}

std::string listing(const Binary& binary) {
  std::string text;
  for (const Instruction& i : binary.instructions) text += describe(i) + "\n";
  return text;
}

}  // namespace quern::spirv
