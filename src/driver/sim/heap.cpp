// The heap of malloc in kernels. src/lang/builtin/library/heap.cuh reports blocks; accesses outside of them
// are errors.
#include <algorithm>
#include <string>

#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

namespace {

enum class HeapNote : uint8_t { kAllocated = 16, kFreed = 17, kInvalidFree = 18 };

constexpr uint64_t kUnit = 16;

// The accesses of the previous owner do not conflict with those of the next one.
void forget_races(Region& r, uint64_t offset, uint64_t bytes) {
  if (r.race == nullptr) return;
  const uint64_t first = offset >> r.granule_shift, last = (offset + bytes + kUnit - 1) >> r.granule_shift;
  std::fill(r.race + first, r.race + std::min(last, r.size >> r.granule_shift), RaceCell{});
}

}  // namespace

void Machine::note_heap(const BlockState& b, const Thread& t, const Ins& i, uint32_t pc) {
  const auto note = static_cast<HeapNote>(t.slots[i.a] & 255);
  const uint64_t offset = (t.slots[i.a] >> 8) * kUnit;
  const uint64_t value = static_cast<uint32_t>(t.slots[i.b]);
  if (note == HeapNote::kInvalidFree) {
    if (Report* const report = new_report(ReportKind::kInvalidFree, b, t, pc))
      report->set(value != 0 ? message::kFreedAlready() : message::kFreesNoBlock());
    return;
  }
  const uint32_t object = place_of(code_.heap).object;
  if (object >= memory_.regions().size()) return;
  Region& r = memory_.regions()[object];
  Allocation& a = memory_.allocation(object);
  if (r.heap == nullptr) {
    a.heap = std::make_unique<HeapBlocks>();
    a.defined = zeroed<uint8_t>(r.size / 8 + 1);
    r.heap = a.heap.get();
    r.defined = a.defined.get();
    r.is_guarded = true;
  }
  if (note == HeapNote::kFreed) {
    const auto block = r.heap->find(offset);
    if (block == r.heap->end()) return;
    block->second.is_freed = true;
    if (r.defined != nullptr) set_undefined(r.defined, offset, block->second.bytes);
    return;
  }
  r.heap->erase(r.heap->lower_bound(offset), r.heap->lower_bound(offset + std::max<uint64_t>(value, 1)));
  r.heap->emplace(offset, HeapBlock{value, false});
  if (r.defined != nullptr) set_undefined(r.defined, offset, value);
  forget_races(r, offset, value);
}

bool Machine::is_in_block(const BlockState& b, const Thread& t, uint32_t pc, const Region& heap,
                          uint64_t offset, const Touch& touch) {
  const std::string bytes = std::to_string(touch.bytes);
  const char* const done = touch.writes ? "written" : "read";
  auto block = heap.heap->upper_bound(offset);
  const bool exists = block != heap.heap->begin();
  if (exists) {
    --block;
    const uint64_t at = offset - block->first;
    if (!block->second.is_freed && at <= block->second.bytes && touch.bytes <= block->second.bytes - at)
      return true;
    if (block->second.is_freed && at < block->second.bytes) {
      if (Report* const report = new_report(ReportKind::kUseAfterFree, b, t, pc))
        report->set(message::kHeapFreed(bytes, done, std::to_string(block->second.bytes)));
      return false;
    }
  }
  Report* const report = new_report(ReportKind::kOutOfBounds, b, t, pc);
  if (report == nullptr) return false;
  report->set(exists ? message::kHeapOutside(bytes, done, std::to_string(offset - block->first),
                                             std::to_string(block->second.bytes))
                     : message::kHeapNoBlock(bytes, done));
  return false;
}

}  // namespace quern::sim
