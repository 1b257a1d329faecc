// cp.async.bulk. Copies are done as late as possible: when a thread waits for them. Until then the bytes of
// the destination are undefined, and writes to the source or the destination are races.
#include <algorithm>

#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

namespace {

constexpr uint64_t kBulkAlign = 16;

bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

}  // namespace

Region* Machine::shared_region(BlockState& b, Address address) {
  const Place p = place_of(address);
  return p.tag == Tag::kShared && p.object < b.shared_regions.size() ? &b.shared_regions[p.object] : nullptr;
}

// Writes to memory that something asynchronous uses take the slow path, which checks them.
void Machine::guard_shared(BlockState& b) {
  for (Region& r : b.shared_regions) r.is_guarded = false;
  const auto guard = [&](Address address) {
    if (Region* r = shared_region(b, address)) r->is_guarded = true;
  };
  for (const BulkCopy& c : bulk_copies_) {
    if (c.to_block == &b) guard(c.to);
    if (c.block == &b && c.from_shared && !c.is_read) guard(c.from);
  }
  if (b.ptx == nullptr) return;
  for (const WgmmaRead& r : b.ptx->reads) guard(r.from);
}

// The copy to shared memory of the block that is not complete.
const BulkCopy* Machine::pending_bulk(const BlockState& b, Address address) const {
  const auto found = std::find_if(bulk_copies_.begin(), bulk_copies_.end(), [&](const BulkCopy& c) {
    const bool is_here = c.kind == PtxKind::kBulkLoad ? c.to_block == &b : tag_of(address) == Tag::kGlobal;
    return is_here && overlap(c.to, c.size, address, 8);
  });
  return found != bulk_copies_.end() ? &*found : nullptr;
}

// A write to shared memory of `owner` that is guarded.
void Machine::check_in_flight(BlockState& b, Thread& t, uint32_t pc, BlockState& owner, Address address,
                              uint64_t bytes) {
  const auto report = [&](uint32_t block_serial, uint32_t thread, uint32_t other_pc, base::MessageText text) {
    if ((checks_ & kCheckRaces) == 0) return;
    if (Report* r = new_report(ReportKind::kRace, b, t, pc)) {
      r->other = party(block_serial << id_shift_ | thread, other_pc);
      r->set(std::move(text));
    }
  };
  for (const BulkCopy& c : bulk_copies_) {
    if (c.to_block == &owner && overlap(c.to, c.size, address, bytes))
      return report(c.block->serial, c.thread, c.pc, message::kTargetWritten(place_name(address)));
    if (c.block == &owner && c.from_shared && !c.is_read && overlap(c.from, c.size, address, bytes))
      return report(c.block->serial, c.thread, c.pc, message::kSourceWritten(place_name(address)));
  }
  if (owner.ptx == nullptr) return;
  for (const WgmmaRead& r : owner.ptx->reads) {
    if (overlap(r.from, r.size, address, bytes))
      return report(owner.serial, r.thread, r.pc, message::kMatrixWritten(place_name(address)));
  }
}

// Asynchronous instructions see what threads wrote only after fence.proxy.async, by the thread that wrote or
// by the one that starts them.
void Machine::check_proxy(BlockState& b, Thread& t, Address address, uint64_t bytes) {
  Region* const r = shared_region(b, address);
  if (r == nullptr || !r->tracked || r->race == nullptr) return;
  const uint64_t offset = static_cast<uint64_t>(place_of(address).offset);
  for (uint64_t at = offset >> r->granule_shift; at <= (offset + bytes - 1) >> r->granule_shift; ++at) {
    const RaceCell& c = r->race[at];
    if (c.write_time <= b.began || c.writer >> id_shift_ != b.serial) continue;
    if (code_.code[c.write_site & kSitePc].op == OpCode::kPtx) continue;  // written by a copy
    const std::vector<ThreadPtx>& threads = ptx_of(b).threads;
    const uint32_t writer = c.writer & ((1u << id_shift_) - 1);
    if (std::max(threads[writer].proxy_time, threads[t.index].proxy_time) >= c.write_time) continue;
    if (Report* report = new_report(ReportKind::kAsync, b, t, t.pc)) {
      report->other = party(c.writer, c.write_site & kSitePc);
      report->other->wrote = true;
      report->set(message::kNoProxyFence(place_name(address - offset + (at << r->granule_shift))));
    }
    return;
  }
}

void Machine::proxy_fence(BlockState& b, Thread& t, const PtxInfo& info) {
  if (info.kind == PtxKind::kFenceProxy && !info.is_async_proxy) return;
  BlockPtx& s = ptx_of(b);
  const bool is_for_init = info.kind == PtxKind::kFenceInit;
  for (auto& [at, m] : s.mbarriers) m.is_fenced = m.is_fenced || !is_for_init || m.thread == t.id;
  if (is_for_init) return;
  s.threads[t.index].proxy_time = now_;
  tick();
}

// The alignment is reported by the access itself.
bool Machine::check_bulk_size(BlockState& b, Thread& t, uint64_t bytes) {
  if (bytes % kBulkAlign == 0) return bytes != 0;
  report_ptx(ReportKind::kAsync, b, t, message::kBulkSize(std::to_string(bytes)));
  return false;
}

void Machine::bulk_copy(BlockState& b, Thread& t, const PtxInfo& info) {
  const bool is_prefetch = info.kind == PtxKind::kBulkPrefetch;
  const uint64_t bytes = operand(t, info, is_prefetch ? 1 : 2) & 0xFFFF'FFFF;
  if (!check_bulk_size(b, t, bytes)) return;
  if (is_prefetch) {
    view(b, t, t.pc, operand(t, info, 0), {bytes, kBulkAlign, false});
  } else if (info.kind == PtxKind::kBulkStore) {
    bulk_store(b, t, info, static_cast<uint32_t>(bytes));
  } else if (!info.is_multicast) {
    bulk_load(b, t, info, static_cast<uint32_t>(bytes), {});
  } else {
    const uint64_t mask = operand(t, info, 4) & 0xFFFF;
    for (uint32_t rank = 0; rank < 16; ++rank) {
      if ((mask >> rank & 1) != 0) bulk_load(b, t, info, static_cast<uint32_t>(bytes), rank);
    }
  }
}

// The source of a load: read when the copy is issued, unless it is shared memory.
bool Machine::read_source(BlockState& b, Thread& t, BulkCopy& copy, uint64_t from) {
  const Touch touch{copy.size, kBulkAlign, false};
  if (copy.from_shared) {
    const SharedPlace at = shared_place(b, t, from, touch);
    if (at.owner != &b) return false;
    copy.from = at.address;
  } else {
    copy.from = from;
  }
  const View v = view(b, t, t.pc, copy.from, {copy.size, 1, false});
  if (!v || copy.from % kBulkAlign != 0 || (!copy.from_shared && v.is_shared)) {
    if (v && !copy.from_shared) view(b, t, t.pc, copy.from, touch);
    return false;
  }
  if (v.tracked()) race_read(b, t, *v.region, v.is_shared, copy.from, v.offset, copy.size, t.pc);
  for (uint32_t k = 0; v.defined != nullptr && k < copy.size; ++k) {
    if (is_defined(v.defined, v.offset + k)) continue;
    undefined_read(b, t, t.pc, copy.from + k, 1, false);
    break;
  }
  if (copy.from_shared) {
    check_proxy(b, t, copy.from, copy.size);
  } else {
    copy.bytes.assign(v.bytes, v.bytes + copy.size);
    copy.is_read = true;
  }
  return true;
}

void Machine::bulk_load(BlockState& b, Thread& t, const PtxInfo& info, uint32_t bytes,
                        std::optional<uint32_t> rank) {
  BulkCopy copy;
  copy.block = &b;
  copy.thread = t.index;
  copy.pc = t.pc;
  copy.size = bytes;
  copy.from_shared = info.from_shared;
  const auto of_rank = [&](uint64_t value) {
    const Address own = value >> 32 == 0 ? shared_at(static_cast<uint32_t>(value)) : value;
    return rank ? mapped_address(own, *rank) : own;
  };
  const Address to = of_rank(operand(t, info, 0)), bar = of_rank(operand(t, info, 3));
  const SharedPlace target = shared_place(b, t, to, {bytes, kBulkAlign, true});
  Mbarrier* const m = find_mbarrier(b, t, bar, copy.barrier);
  if (target.owner == nullptr || target.address % kBulkAlign != 0 || m == nullptr) return;
  if (!m->is_fenced)
    report_ptx(ReportKind::kAsync, b, t, message::kNoInitFence(place_name(copy.barrier.address)));
  if (!read_source(b, t, copy, operand(t, info, 1))) return;
  copy.to = target.address;
  copy.to_block = target.owner;
  copy.phase = m->phase;
  Region* const r = shared_region(*target.owner, target.address);
  if (r == nullptr) return;
  const uint64_t offset = static_cast<uint64_t>(place_of(target.address).offset);
  if (r->tracked) race_write(b, t, *r, true, target.address, offset, bytes, t.pc, false);
  if (r->defined != nullptr) set_undefined(r->defined, offset, bytes);
  bulk_copies_.push_back(std::move(copy));
  guard_shared(b);
  guard_shared(*target.owner);
}

void Machine::bulk_store(BlockState& b, Thread& t, const PtxInfo& info, uint32_t bytes) {
  BulkCopy copy;
  copy.kind = PtxKind::kBulkStore;
  copy.block = &b;
  copy.thread = t.index;
  copy.pc = t.pc;
  copy.size = bytes;
  copy.from_shared = true;
  copy.to = operand(t, info, 0);
  copy.group = ptx_of(b).threads[t.index].bulk_group;
  View v = view(b, t, t.pc, copy.to, {bytes, kBulkAlign, true});
  if (!v || copy.to % kBulkAlign != 0 || !read_source(b, t, copy, operand(t, info, 1))) return;
  if (v.region == nullptr || v.is_shared) {
    report_ptx(ReportKind::kOutOfBounds, b, t, message::kNotGlobal(place_name(copy.to)));
    return;
  }
  if (v.tracked()) race_write(b, t, *v.region, false, copy.to, v.offset, bytes, t.pc, false);
  if ((checks_ & kCheckUninitialized) != 0) {
    remember_undefined(v, copy.to);
    if (v.defined != nullptr) set_undefined(v.defined, v.offset, bytes);
  }
  bulk_copies_.push_back(std::move(copy));
  guard_shared(b);
}

void Machine::read_copy(BulkCopy& copy) {
  if (copy.is_read) return;
  const Region* const r = shared_region(*copy.block, copy.from);
  if (r == nullptr) return;  // the copy was checked when it was issued
  const uint8_t* const from = r->bytes + place_of(copy.from).offset;
  copy.bytes.assign(from, from + copy.size);
  copy.is_read = true;
}

void Machine::write_copy(BulkCopy& copy) {
  read_copy(copy);
  const Place p = place_of(copy.to);
  const bool is_load = copy.kind == PtxKind::kBulkLoad;
  const Region* const r = is_load ? shared_region(*copy.to_block, copy.to) : &memory_.regions()[p.object];
  if (r == nullptr) return;
  std::copy(copy.bytes.begin(), copy.bytes.end(), r->bytes + p.offset);
  if (r->defined != nullptr) set_defined(r->defined, static_cast<uint64_t>(p.offset), copy.size);
}

// Completes what the barrier counts.
void Machine::complete_copies_to(const SharedPlace& barrier) {
  std::vector<BulkCopy> done;
  const auto is_its = [&](const BulkCopy& c) {
    return c.kind == PtxKind::kBulkLoad && c.barrier.owner == barrier.owner &&
           c.barrier.address == barrier.address;
  };
  for (BulkCopy& c : bulk_copies_) {
    if (is_its(c)) done.push_back(std::move(c));
  }
  if (done.empty()) return;
  std::erase_if(bulk_copies_, is_its);
  for (BulkCopy& c : done) write_copy(c);
  for (const BulkCopy& c : done) {
    guard_shared(*c.block);
    guard_shared(*c.to_block);
    const auto found = barrier.owner->ptx->mbarriers.find(barrier.address);
    if (found == barrier.owner->ptx->mbarriers.end()) continue;
    Thread& sender = c.block->threads[c.thread];
    if (found->second.phase == c.phase) {
      complete_bytes(*c.block, sender, c.pc, barrier, found->second, c.size);
    } else {
      report_at(ReportKind::kBarrier, *c.block, sender, c.pc,
                message::kLateBytes(place_name(barrier.address)));
    }
  }
}

// wait_group N: all groups but the last N.
void Machine::bulk_wait(BlockState& b, Thread& t, const PtxInfo& info) {
  const uint64_t pending = operand(t, info, 0);
  const uint32_t committed = ptx_of(b).threads[t.index].bulk_group;
  const auto is_its = [&](const BulkCopy& c) {
    return c.kind == PtxKind::kBulkStore && c.block == &b && c.thread == t.index &&
           c.group + pending < committed;
  };
  for (BulkCopy& c : bulk_copies_) {
    if (!is_its(c)) continue;
    if (info.is_read) {
      read_copy(c);
    } else {
      write_copy(c);
    }
  }
  if (!info.is_read) std::erase_if(bulk_copies_, is_its);
  guard_shared(b);
}

// The block has ended. Copies from and to its shared memory must be complete; copies from global memory to
// other blocks of the cluster continue.
void Machine::finish_ptx(BlockState& b) {
  const auto ends = [&](const BulkCopy& c) {
    return c.to_block == &b || (c.block == &b && (c.from_shared || c.kind == PtxKind::kBulkStore));
  };
  for (BulkCopy& c : bulk_copies_) {
    if (!ends(c)) continue;
    const bool is_target = c.to_block == &b;
    if (is_target || !c.is_read) {
      report_at(ReportKind::kAsync, *c.block, c.block->threads[c.thread], c.pc,
                is_target ? message::kEndsBeforeLoad() : message::kEndsBeforeRead());
    }
    write_copy(c);
  }
  std::erase_if(bulk_copies_, ends);
  for (Region& r : b.shared_regions) r.is_guarded = false;
}

}  // namespace quern::sim
