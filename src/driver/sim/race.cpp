// Races: two accesses to the same bytes by different threads, at least one a write, not both atomic or
// volatile, and not ordered by synchronization. Every granule of memory records its last writer and two
// readers; time is one counter of synchronizations, so "ordered" is mostly one comparison. Writes that change
// nothing (several threads that store the same value) are harmless and common, and are not reported.
#include <algorithm>
#include <bit>

#include "driver/sim/hint.hpp"
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

namespace {

constexpr uint64_t kMaxCellBytes = uint64_t{4} << 30;  // records of one launch

}  // namespace

bool Machine::split_cells(Region& r, CBuffer<RaceCell>& owner, uint8_t shift) {
  const uint64_t count = (r.size >> shift) + 1;
  cell_bytes_ += count * sizeof(RaceCell);
  CBuffer<RaceCell> fresh = cell_bytes_ <= kMaxCellBytes ? zeroed<RaceCell>(count) : nullptr;
  if (fresh == nullptr) {
    r.tracked = false;
    result_.races_checked = false;
    return false;
  }
  for (uint64_t k = 0; r.race != nullptr && k < count; ++k) {
    fresh[k] = r.race[(k << shift) >> r.granule_shift];
  }
  owner = std::move(fresh);
  r.race = owner.get();
  r.granule_shift = shift;
  return true;
}

RaceCell* Machine::cells(BlockState& b, Region& r, bool is_shared, uint64_t offset, uint64_t bytes) {
  const auto want = static_cast<uint8_t>(std::min(2, std::countr_zero(offset | bytes)));
  if (r.race == nullptr || want < r.granule_shift) {
    CBuffer<RaceCell>& owner =
        is_shared ? b.shared_cells[static_cast<size_t>(&r - b.shared_regions.data())]
                  : memory_.allocation(static_cast<uint32_t>(&r - memory_.regions().data())).race;
    if (!split_cells(r, owner, want)) return nullptr;
  }
  return r.race + (offset >> r.granule_shift);
}

bool Machine::ordered(BlockState& b, const Thread& t, uint32_t who, uint32_t time, bool is_shared) {
  const Asker me{t.id, now_, grid_time_, b.time, id_shift_};
  if (who == t.id || (is_shared ? is_over<true>(me, who, time) : is_over<false>(me, who, time))) return true;
  const bool same_block = (who ^ t.id) >> id_shift_ == 0;
  if (same_block) {
    const uint32_t index = who & ((1u << id_shift_) - 1);
    if (index / kWarpSize == t.index / kWarpSize) {
      const Warp& w = b.warps[t.index / kWarpSize];
      if (time <= w.time) return true;
      if (w.has_known && time <= w.known[t.lane * kWarpSize + index % kWarpSize]) return true;
    }
  }
  return ordered_by_sync(b, t, who, time);
}

bool Machine::conflicts(BlockState& b, const Thread& t, uint32_t who, uint32_t time, uint32_t site,
                        uint32_t other_site, bool is_shared) {
  if (who == t.id || time == 0) return false;
  constexpr uint32_t kSync = kSiteAtomic | kSiteVolatile;
  if ((site & kSync) != 0 && (other_site & kSync) != 0) {
    const bool too_narrow = ((site | other_site) & kSiteBlock) != 0 && (who ^ t.id) >> id_shift_ != 0;
    if (!too_narrow) return false;
  }
  return !ordered(b, t, who, time, is_shared);
}

void Machine::race_read(BlockState& b, Thread& t, Region& r, bool is_shared, Address address, uint64_t offset,
                        uint64_t bytes, uint32_t site) {
  RaceCell* c = cells(b, r, is_shared, offset, bytes);
  if (c == nullptr) return;
  const uint32_t granule = 1u << r.granule_shift;
  const bool plain = (site & (kSiteAtomic | kSiteVolatile)) == 0;
  bool told = false;
  for (uint64_t k = 0; k < bytes; k += granule, ++c) {
    const bool changed = (c->write_site & kSiteSilent) == 0;
    if (!told && changed && conflicts(b, t, c->writer, c->write_time, site, c->write_site, is_shared)) {
      report_race(b, t, address + k, granule, site, false, c->writer, c->write_site, true);
      told = true;
    }
    if (c->read_time == 0 || ordered(b, t, c->reader, c->read_time, is_shared)) {
      c->reader = t.id;
      c->read_time = now_;
      c->read_site = site;
    } else if (plain) {
      c->reader2 = t.id;
      c->read_time2 = now_;
    }
  }
}

void Machine::race_write(BlockState& b, Thread& t, Region& r, bool is_shared, Address address,
                         uint64_t offset, uint64_t bytes, uint32_t site, bool silent) {
  RaceCell* c = cells(b, r, is_shared, offset, bytes);
  if (c == nullptr) return;
  const uint32_t granule = 1u << r.granule_shift;
  const bool atomic = (site & kSiteAtomic) != 0;
  bool told = false;
  for (uint64_t k = 0; k < bytes; k += granule, ++c) {
    if (silent) {
      const Asker me{t.id, now_, grid_time_, b.time, id_shift_};
      if (is_shared) {
        note_silent<true>(me, *c, site);
      } else {
        note_silent<false>(me, *c, site);
      }
      continue;
    }
    const bool counts = !atomic || (c->write_site & kSiteSilent) == 0;
    if (!told && counts && conflicts(b, t, c->writer, c->write_time, site, c->write_site, is_shared)) {
      report_race(b, t, address + k, granule, site, true, c->writer, c->write_site, true);
      told = true;
    }
    if (!told && conflicts(b, t, c->reader, c->read_time, site, c->read_site, is_shared)) {
      report_race(b, t, address + k, granule, site, true, c->reader, c->read_site, false);
      told = true;
    }
    if (!told && conflicts(b, t, c->reader2, c->read_time2, site, 0, is_shared)) {
      report_race(b, t, address + k, granule, site, true, c->reader2, kNoSlot, false);
      told = true;
    }
    c->writer = t.id;
    c->write_time = now_;
    c->write_site = site;
    c->read_time = c->read_time2 = 0;
  }
}

void Machine::report_race(BlockState& b, const Thread& t, Address address, uint32_t bytes, uint32_t site,
                          bool wrote, uint32_t who, uint32_t other_site, bool other_wrote) {
  const uint32_t pc = site & kSitePc;
  const uint32_t other_pc = other_site == kNoSlot ? kNoSlot : other_site & kSitePc;
  // x += 1 loads and stores: one error, reported once, at the position of the load.
  const auto& updates = code_.updates;
  const auto update =
      std::find_if(updates.begin(), updates.end(), [&](const Update& u) { return u.pc == pc; });
  const bool is_update = update != updates.end();
  const uint32_t told_pc = is_update && update->first != kNoSlot ? update->first : pc;
  if (told_pc != pc && reporter_.has(ReportKind::kRace, pos(told_pc))) return;  // the load was just reported
  Report* r = new_report(ReportKind::kRace, b, t, told_pc);
  if (r == nullptr) return;
  describe(*r, address, bytes);
  r->access_bytes = bytes;
  const bool same_block = (who ^ t.id) >> id_shift_ == 0;
  r->other = party(who, other_pc);
  r->other->wrote = other_wrote;
  const auto other_update =
      std::find_if(updates.begin(), updates.end(), [&](const Update& u) { return u.pc == other_pc; });
  const bool both_update = is_update && other_update != updates.end();
  if ((wrote && other_wrote) || both_update) {
    r->set(same_block ? message::kThreadsWrite(r->place) : message::kBlocksWrite(r->place));
  } else {
    const char* one = wrote ? "written" : "read";
    const char* another = wrote ? "read" : "written";
    r->set(same_block ? message::kThreadsReadAndWrite(r->place, one, another)
                      : message::kBlocksReadAndWrite(r->place, one, another));
  }
  if (both_update) {
    r->hint = atomic_hint(module_, r->pos, update->op, update->type);
  } else if (same_block && other_pc != kNoSlot && r->pos.line != 0 && r->other->pos.line != 0 &&
             r->pos.line != r->other->pos.line && r->pos.file == r->other->pos.file) {
    const auto [first, second] = std::minmax(r->pos.line, r->other->pos.line);
    r->hint = message::kInsertBarrier(std::to_string(first), std::to_string(second)).text;
  }
}

}  // namespace quern::sim
