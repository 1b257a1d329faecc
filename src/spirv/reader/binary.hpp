// A module as a list of instructions: the header is checked, the byte order settled, and every instruction
// lies inside of the file. What the instructions say is not looked at yet.
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
  uint32_t word = 0;                   // where it begins in the file
  uint32_t ordinal = 0;                // counted from 1
  std::span<const uint32_t> operands;  // all words behind the first
  Id type() const { return form(opcode) == Form::kTyped && !operands.empty() ? operands[0] : 0; }
  Id result() const;  // 0: none
};

struct Binary {
  std::vector<uint32_t> words;
  uint32_t bound = 0;
  std::vector<Instruction> instructions;
};

base::Result<Binary> split(std::span<const uint32_t> words);

// Text in operands from `first` on, up to its end; `next` becomes the operand behind it.
std::string text_at(const Instruction& instruction, size_t first, size_t* next = nullptr);

// "%12 = OpLoad (word 345)": how messages and listings name an instruction.
std::string describe(const Instruction& instruction);

// One line per instruction, the ordinal being the line: what stands in for a source that is not there.
std::string listing(const Binary& binary);

}  // namespace quern::spirv
