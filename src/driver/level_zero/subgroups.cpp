#include <cstring>

#include "driver/level_zero/device.hpp"

namespace quern::level_zero {

namespace {

constexpr uint32_t kHeaderWords = 5;
constexpr uint32_t kOpEntryPoint = 15, kOpExecutionMode = 16, kOpCapability = 17;
constexpr uint32_t kSubgroupDispatch = 58;  // a capability
constexpr uint32_t kSubgroupSize = 35;      // an execution mode

}  // namespace

std::string with_subgroup_size(std::string_view module, uint32_t size) {
  std::vector<uint32_t> words(module.size() / sizeof(uint32_t));
  if (words.size() < kHeaderWords) return std::string(module);
  std::memcpy(words.data(), module.data(), words.size() * sizeof(uint32_t));
  std::vector<uint32_t> out(words.begin(), words.begin() + kHeaderWords), modes;
  out.insert(out.end(), {2u << 16 | kOpCapability, kSubgroupDispatch});
  bool was_entry = false;
  for (size_t i = kHeaderWords; i < words.size();) {
    const uint32_t count = words[i] >> 16, op = words[i] & 0xFFFF;
    if (count == 0 || i + count > words.size()) return std::string(module);  // the compiler reports it
    if (op == kOpEntryPoint)
      modes.insert(modes.end(), {4u << 16 | kOpExecutionMode, words[i + 2], kSubgroupSize, size});
    if (was_entry && op != kOpEntryPoint) out.insert(out.end(), modes.begin(), modes.end());
    was_entry = op == kOpEntryPoint;
    out.insert(out.end(), words.begin() + static_cast<ptrdiff_t>(i),
               words.begin() + static_cast<ptrdiff_t>(i + count));
    i += count;
  }
  return {reinterpret_cast<const char*>(out.data()), out.size() * sizeof(uint32_t)};
}

}  // namespace quern::level_zero
