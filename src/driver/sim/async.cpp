#include <algorithm>

#include "driver/sim/machine.hpp"

namespace quern::sim {

Address Machine::shared_pointer(BlockState& b, Thread& t, uint32_t pc) {
  const Ins& i = code_.code[pc];
  const uint64_t number = t.slots[i.a];
  const Address address = shared_at(static_cast<uint32_t>(number));
  if (number % i.c != 0) report_misaligned(b, t, pc, address, {i.c, i.c, false}, 0);
  return address;
}

const AsyncCopy* Machine::pending_copy(const BlockState& b, Address address) const {
  const auto found = std::find_if(b.copies.begin(), b.copies.end(), [&](const AsyncCopy& c) {
    return address + 8 > c.to && address < c.to + c.size;
  });
  return found != b.copies.end() ? &*found : nullptr;
}

void Machine::async_copy(BlockState& b, Thread& t, uint32_t pc) {
  const Ins& i = code_.code[pc];
  AsyncCopy copy;
  copy.thread = t.index;
  copy.pc = pc;
  copy.to = t.slots[i.dst];
  copy.size = i.c;
  const Address from = t.slots[i.a];
  const uint64_t read = std::min<uint64_t>(t.slots[i.b], copy.size);
  if (read != 0) {
    const View source = view(b, t, pc, from, {read, copy.size, false});
    if (!source) return;
    if (source.tracked()) race_read(b, t, *source.region, source.is_shared, from, source.offset, read, pc);
    std::copy_n(source.bytes, read, copy.bytes.begin());
  }
  const View target = view(b, t, pc, copy.to, {copy.size, copy.size, true});
  if (!target) return;
  if (target.tracked())
    race_write(b, t, *target.region, target.is_shared, copy.to, target.offset, copy.size, pc, false);
  if (target.defined != nullptr) set_undefined(target.defined, target.offset, copy.size);
  if (b.copy_groups.empty()) b.copy_groups.resize(b.threads.size());
  copy.group = b.copy_groups[t.index];
  b.copies.push_back(copy);
}

void Machine::async_commit(BlockState& b, const Thread& t) {
  if (!b.copy_groups.empty()) ++b.copy_groups[t.index];
}

// The copies are written here, as if by the thread that waits: others need a barrier to see them.
void Machine::async_wait(BlockState& b, Thread& t, uint32_t pending) {
  if (b.copy_groups.empty()) return;
  const uint32_t committed = b.copy_groups[t.index];
  const uint32_t done = committed - std::min(committed, pending);
  std::erase_if(b.copies, [&](const AsyncCopy& c) {
    if (c.thread != t.index || c.group >= done) return false;
    const View target = view(b, t, c.pc, c.to, {c.size, c.size, true});
    if (!target) return true;
    if (target.tracked())
      race_write(b, t, *target.region, target.is_shared, c.to, target.offset, c.size, c.pc, false);
    std::copy_n(c.bytes.begin(), c.size, target.bytes);
    target.define(c.size);
    return true;
  });
}

}  // namespace quern::sim
