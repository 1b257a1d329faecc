#include "spirv/writer/seen_accesses.hpp"

#include <unordered_map>

namespace quern::spirv {

namespace {

bool is_seen(uint32_t storage) {
  switch (static_cast<StorageClass>(storage)) {
    case StorageClass::kWorkgroup:
    case StorageClass::kStorageBuffer:
    case StorageClass::kPhysicalStorageBuffer: return true;
    default: return false;
  }
}

template <typename Fn>
void each(const Words& words, Fn&& fn) {
  const std::vector<uint32_t>& all = words.all();
  for (size_t at = 0; at < all.size(); at += all[at] >> 16) {
    fn(static_cast<Opcode>(all[at] & 0xffff),
       std::span<const uint32_t>(all).subspan(at + 1, (all[at] >> 16) - 1));
  }
}

}  // namespace

Words with_seen_accesses(const Words& globals, const Words& functions) {
  std::unordered_map<Id, uint32_t> storages;  // of pointer types, then of pointers
  const auto note = [&](Opcode code, std::span<const uint32_t> operands) {
    if (code == Opcode::kTypePointer) storages[operands[0]] = operands[1];
    const bool makes_pointer =
        code == Opcode::kVariable || code == Opcode::kAccessChain || code == Opcode::kConvertUToPtr;
    if (makes_pointer) storages[operands[1]] = storages[operands[0]];
  };
  each(globals, note);
  Words out;
  each(functions, [&](Opcode code, std::span<const uint32_t> operands) {
    note(code, operands);
    std::vector<uint32_t> all(operands.begin(), operands.end());
    const bool is_load = code == Opcode::kLoad, is_access = is_load || code == Opcode::kStore;
    if (is_access && is_seen(storages[operands[is_load ? 2 : 0]])) {
      const size_t how = is_load ? 3 : 2;  // the position of the memory operands
      if (all.size() == how) all.push_back(0);
      all[how] |= memory_operands::kNonPrivate;
    }
    out.add(code, all);
  });
  return out;
}

}  // namespace quern::spirv
