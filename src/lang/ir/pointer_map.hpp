// A hash table from pointers to small values, for work that touches every instruction once: open addressing,
// no erasing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quern::ir {

template <typename Key, typename Value>
class PointerMap {
 public:
  // The value of `key`, or nullptr. Valid until the next set().
  const Value* find(const Key* key) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[place(slots_, key)];
    return slot.key == key ? &slot.value : nullptr;
  }
  // Returns false if `key` was already present; its value is then replaced. The key must not be null.
  bool set(const Key* key, Value value) {
    if (slots_.size() < 2 * (count_ + 1)) grow();
    Slot& slot = slots_[place(slots_, key)];
    const bool fresh = slot.key == nullptr;
    slot = {key, value};
    count_ += fresh ? 1 : 0;
    return fresh;
  }
  void clear() {
    slots_.clear();
    count_ = 0;
  }

 private:
  struct Slot {
    const Key* key = nullptr;
    Value value{};
  };

  // The slot of `key`, or the free slot for it: there is always one.
  static size_t place(const std::vector<Slot>& slots, const Key* key) {
    const size_t mask = slots.size() - 1;
    const auto hash = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(key)) * 0x9e3779b97f4a7c15u;
    size_t at = static_cast<size_t>(hash >> 32) & mask;
    while (slots[at].key != nullptr && slots[at].key != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> larger(slots_.empty() ? 64 : slots_.size() * 2);
    for (const Slot& slot : slots_) {
      if (slot.key != nullptr) larger[place(larger, slot.key)] = slot;
    }
    slots_.swap(larger);
  }

  std::vector<Slot> slots_;  // the capacity is a power of two, at most half of it in use
  size_t count_ = 0;
};

}  // namespace quern::ir
