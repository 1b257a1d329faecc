// A list of instructions as words.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "spirv/grammar/enums.hpp"
#include "spirv/grammar/opcode.hpp"

namespace quern::spirv {

class Words {
 public:
  void add(Opcode code, std::initializer_list<uint32_t> operands) {
    add(code, std::span<const uint32_t>(operands.begin(), operands.size()));
  }
  void add(Opcode code, std::span<const uint32_t> operands);
  // With a string after the operands, and further operands after it.
  void add(Opcode code, std::initializer_list<uint32_t> operands, std::string_view text,
           std::span<const uint32_t> behind = {});
  void append(const Words& other) { words_.insert(words_.end(), other.words_.begin(), other.words_.end()); }
  const std::vector<uint32_t>& all() const { return words_; }

 private:
  std::vector<uint32_t> words_;
};

}  // namespace quern::spirv
