// A module as a list of instructions. Checked: the header, the byte order, and that every instruction is
// inside of the file. The instructions' contents are not checked yet.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "spirv/grammar/enums.hpp"
#include "spirv/grammar/opcode.hpp"

namespace quern::spirv {

struct Instruction {
  Opcode opcode = Opcode::kNop;
  uint32_t word = 0;                   // its position in the file
  uint32_t ordinal = 0;                // counts from 1
  std::span<const uint32_t> operands;  // all words after the first
  Id type() const { return form(opcode) == Form::kTyped && !operands.empty() ? operands[0] : 0; }
  Id result() const;  // 0: none
};

struct Binary {
  std::vector<uint32_t> words;
  uint32_t bound = 0;
  std::vector<Instruction> instructions;
};

base::Result<Binary> split(std::span<const uint32_t> words);

// The string in the operands from `first` on; `next` becomes the operand after it.
std::string text_at(const Instruction& instruction, size_t first, size_t* next = nullptr);

// "%12 = OpLoad (word 345)": the name of an instruction in messages and listings.
std::string describe(const Instruction& instruction);

// One line per instruction; the ordinal is the line number. Used as the source text, which is not available.
std::string listing(const Binary& binary);

}  // namespace quern::spirv
