// Aggregates in slots, byte by byte with their flags, and uses of undefined values.
#include <algorithm>

#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

uint32_t Machine::found_origin(const FoundOrigin& origin) {
  constexpr size_t kMost = (size_t{1} << 24) - 1;
  const auto [it, is_new] = origin_of_pc_.try_emplace(origin.pc, 0);
  if (is_new) {
    const size_t n = code_.origins.size() + origins_.size();
    if (n >= kMost) return 0;
    origins_.push_back(origin);
    it->second = static_cast<uint32_t>(n);
  }
  return it->second;
}

void Machine::undefined_read(BlockState& b, Thread& t, uint32_t pc, Address address, uint32_t missing,
                             bool maybe) {
  if ((checks_ & kCheckUninitialized) == 0) return;
  t.undefined_pc = pc;
  t.undefined_address = address;
  if (maybe) {
    t.flags[code_.code[pc].dst] = (found_origin({pc, address, 0}) << kOriginShift) | missing;
    return;
  }
  if (Report* r = new_report(ReportKind::kUninitialized, b, t, pc)) {
    describe(*r, address, 0);
    describe_undefined(*r, b, t, address);
  }
}

// Why memory is undefined: something asynchronous has not written it yet, or nothing was written.
void Machine::describe_undefined(Report& r, BlockState& b, const Thread& t, Address address) const {
  if (const AsyncCopy* copy = pending_copy(b, address)) {
    r.other = party(b.threads[copy->thread].id, copy->pc);
    return r.set(message::kPendingCopy(r.place));
  }
  if (const Accumulator* a = pending_accumulator(b, t, address)) {
    r.other = party(t.id, a->pc);
    return r.set(message::kPendingProduct(r.place));
  }
  const BulkCopy* const copy = pending_bulk(b, address);
  if (copy == nullptr) return r.set(message::kNeverWritten(r.place));
  r.other = party(copy->block->threads[copy->thread].id, copy->pc);
  if (copy->kind == PtxKind::kBulkStore) return r.set(message::kPendingStore(r.place));
  const ThreadPtx* const s = b.ptx != nullptr ? &b.ptx->threads[t.index] : nullptr;
  const bool is_earlier = s != nullptr && s->passed_immediately && s->barrier == copy->barrier.address &&
                          copy->barrier.owner == &b && s->phase == copy->phase;
  r.set(is_earlier ? message::kEarlierPhase(r.place, std::to_string(s->parity), place_name(s->barrier))
                   : message::kPendingLoad(r.place, place_name(copy->barrier.address)));
}

void Machine::check_defined(BlockState& b, Thread& t, uint32_t pc, uint32_t slot, uint64_t within) {
  const uint32_t origin = t.flags[slot] >> kOriginShift;
  t.flags[slot] = 0;  // reported once
  const bool found = origin >= code_.origins.size() && origin - code_.origins.size() < origins_.size();
  const FoundOrigin from = found ? origins_[origin - code_.origins.size()] : FoundOrigin{kNoSlot, 0, 0};
  if (found && from.address == 0) {
    if ((checks_ & kCheckWarps) == 0) return;
    if (Report* r = new_report(ReportKind::kWarp, b, t, from.pc)) {
      r->set(message::kInactiveLane());
    }
    return;
  }
  Report* r = new_report(ReportKind::kUninitialized, b, t, pc);
  if (r == nullptr) return;
  if (found) {
    const Address address = t.undefined_pc == from.pc ? t.undefined_address : from.address;
    describe(*r, address + within, 0);
    describe_undefined(*r, b, t, address + within);
    return;
  }
  const std::string& name = origin < code_.origins.size() ? code_.origins[origin].name : std::string();
  r->place = name;
  r->set(name.empty() ? message::kUninitializedValue() : message::kUninitializedVariable(name));
}

void Machine::move_bytes(Thread& t, uint32_t dst, uint64_t to, uint32_t src, uint64_t from, uint64_t count) {
  auto* target = reinterpret_cast<uint8_t*>(t.slots + dst);
  const auto* source = reinterpret_cast<const uint8_t*>(t.slots + src);
  std::memmove(target + to, source + from, count);
  for (uint64_t k = 0; k < count; ++k) {
    uint32_t& flag = t.flags[dst + (to + k) / 8];
    const uint32_t bit = 1u << ((to + k) % 8);
    const uint32_t other = t.flags[src + (from + k) / 8];
    if ((other >> ((from + k) % 8) & 1) != 0) {
      flag = (other & ~kUndefinedBytes) | (flag & kUndefinedBytes) | bit;
    } else if (flag != 0) {
      flag &= ~bit;
      if ((flag & kUndefinedBytes) == 0) flag = 0;
    }
  }
}

void Machine::extract(BlockState& b, Thread& t, const Ins& i, uint32_t pc) {
  const uint32_t offset = static_cast<uint32_t>(i.d);
  if (i.op == OpCode::kExtractBytes) {
    const uint32_t slots = (i.c + 7) / 8;
    std::memset(t.slots + i.dst, 0, size_t{slots} * 8);
    std::memset(t.flags + i.dst, 0, size_t{slots} * 4);
    move_bytes(t, i.dst, 0, i.a, offset, i.c);
    return;
  }
  uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const uint8_t*>(t.slots + i.a) + offset, i.sub);
  uint32_t flag = t.flags[i.a + offset / 8];
  if (offset % 8 + i.sub > 8)
    flag |= t.flags[i.a + offset / 8 + 1];  // packed across two slots: in doubt both
  if (flag != 0) {
    const uint32_t missing = (flag & kUndefinedBytes) >> (offset % 8) & ((1u << i.sub) - 1);
    flag = missing == 0 ? 0 : (flag & ~kUndefinedBytes) | missing;
  }
  t.slots[i.dst] = value;
  t.flags[i.dst] = flag;
  if (i.c != 0 && flag != 0) check_defined(b, t, pc, i.dst, offset);
}

void Machine::insert(Thread& t, const Ins& i) {
  const uint32_t offset = static_cast<uint32_t>(i.d);
  if (i.op == OpCode::kInsertBytes) {
    move_bytes(t, i.dst, offset, i.a, 0, i.c);
    return;
  }
  // A scalar's slot holds its bytes starting with the lowest, as the aggregate does.
  if (i.c != 0) {
    move_bytes(t, i.dst, offset, i.a, 0, i.sub);
    return;
  }
  std::memcpy(reinterpret_cast<uint8_t*>(t.slots + i.dst) + offset, t.slots + i.a, i.sub);
  const uint32_t last = (offset + i.sub - 1) / 8;
  for (uint32_t s = offset / 8; s <= last; ++s) {
    uint32_t& flag = t.flags[i.dst + s];
    if (flag == 0) continue;
    for (uint32_t k = 0; k < i.sub; ++k) {
      if ((offset + k) / 8 == s) flag &= ~(1u << ((offset + k) % 8));
    }
    if ((flag & kUndefinedBytes) == 0) flag = 0;
  }
}

}  // namespace quern::sim
