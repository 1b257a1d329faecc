#include "spirv/writer/words.hpp"

#include <cstring>

namespace quern::spirv {

void Words::add(Opcode code, std::span<const uint32_t> operands) {
  words_.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | static_cast<uint32_t>(code));
  words_.insert(words_.end(), operands.begin(), operands.end());
}

void Words::add(Opcode code, std::initializer_list<uint32_t> operands, std::string_view text,
                std::span<const uint32_t> behind) {
  std::vector<uint32_t> all(operands);
  const size_t at = all.size();
  all.resize(at + text.size() / 4 + 1, 0);
  std::memcpy(all.data() + at, text.data(), text.size());
  all.insert(all.end(), behind.begin(), behind.end());
  add(code, all);
}

}  // namespace quern::spirv
