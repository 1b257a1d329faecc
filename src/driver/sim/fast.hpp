// The common case of a memory access, inlined into the interpreter: in bounds, aligned, defined, and without
// a conflict that a barrier does not already rule out. Every other case returns false and is handled by
// access.cpp.
#pragma once

#include <cstdint>
#include <cstring>

#include "driver/sim/memory.hpp"

namespace quern::sim {

// Flags of a site, above the 28 bits of its program counter.
inline constexpr uint32_t kSiteAtomic = 1u << 28;
inline constexpr uint32_t kSiteVolatile = 1u << 29;
inline constexpr uint32_t kSiteSilent = 1u << 30;  // a write that changed nothing
inline constexpr uint32_t kSiteBlock = 1u << 31;   // an atomic with block scope
inline constexpr uint32_t kSitePc = (1u << 28) - 1;

// The accessing thread, and which records are certainly ordered before it.
struct Asker {
  uint32_t id = 0;
  uint32_t now = 0;
  uint32_t grid_time = 0;   // everything up to here is ordered before this thread
  uint32_t block_time = 0;  // … for threads of the same block
  uint32_t id_shift = 0;
};

template <bool kShared>
inline bool is_over(const Asker& me, uint32_t who, uint32_t time) {
  if constexpr (kShared)
    return time <= me.block_time;  // only this block has accessed it since the block began
  return time <= me.grid_time || (time <= me.block_time && (who ^ me.id) >> me.id_shift == 0);
}

template <bool kShared>
inline bool note_read(const Asker& me, RaceCell& c, uint32_t site) {
  if (c.writer != me.id && !is_over<kShared>(me, c.writer, c.write_time)) return false;
  if (c.reader == me.id || is_over<kShared>(me, c.reader, c.read_time)) {
    c.reader = me.id;
    c.read_time = me.now;
    c.read_site = site;
  } else {
    // Keeps the first reader since the last barrier, and the latest one.
    c.reader2 = me.id;
    c.read_time2 = me.now;
  }
  return true;
}

template <bool kShared>
inline bool note_write(const Asker& me, RaceCell& c, uint32_t site) {
  if (c.writer != me.id && !is_over<kShared>(me, c.writer, c.write_time)) return false;
  if (c.reader != me.id && !is_over<kShared>(me, c.reader, c.read_time)) return false;
  if (c.reader2 != me.id && !is_over<kShared>(me, c.reader2, c.read_time2)) return false;
  c.writer = me.id;
  c.write_time = me.now;
  c.write_site = site;
  c.read_time = 0;
  c.read_time2 = 0;
  return true;
}

// A write that changes nothing conflicts with no access, except a write that does change the bytes.
template <bool kShared>
inline void note_silent(const Asker& me, RaceCell& c, uint32_t site) {
  if (!is_over<kShared>(me, c.writer, c.write_time)) return;
  c.writer = me.id;
  c.write_time = me.now;
  c.write_site = site | kSiteSilent;
}

template <typename T>
inline bool all_defined(const uint8_t* bits, uint64_t offset) {
  constexpr uint32_t kMask = (1u << sizeof(T)) - 1;
  return (~(uint32_t{bits[offset >> 3]} >> (offset & 7)) & kMask) == 0;
}

// Cells that cover the access one to one (or two to one); otherwise the slow path.
template <typename T>
inline RaceCell* fast_cells(const Region& g, uint64_t offset) {
  constexpr uint32_t kShift = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : 2;
  return g.race != nullptr && g.granule_shift == kShift ? g.race + (offset >> kShift) : nullptr;
}

template <typename T, bool kShared>
inline bool fast_load(const Asker& me, const Region& g, uint64_t offset, uint32_t site, uint64_t& out) {
  if (offset + sizeof(T) > g.size || ((offset | g.align_bit) & (sizeof(T) - 1)) != 0) return false;
  if (g.defined != nullptr && !all_defined<T>(g.defined, offset)) return false;
  if (g.tracked) {
    RaceCell* c = fast_cells<T>(g, offset);
    if (c == nullptr || !note_read<kShared>(me, c[0], site)) return false;
    if (sizeof(T) == 8 && !note_read<kShared>(me, c[1], site)) return false;
  }
  T value;
  std::memcpy(&value, g.bytes + offset, sizeof(T));
  out = value;
  return true;
}

template <typename T, bool kShared>
inline bool fast_store(const Asker& me, const Region& g, uint64_t offset, uint32_t site, uint64_t value) {
  if (offset + sizeof(T) > g.size || ((offset | g.align_bit) & (sizeof(T) - 1)) != 0 || g.is_guarded)
    return false;
  const T bits = static_cast<T>(value);
  if (g.tracked) {
    T old;
    std::memcpy(&old, g.bytes + offset, sizeof(T));
    RaceCell* c = fast_cells<T>(g, offset);
    if (c == nullptr) return false;
    if (old == bits && (g.defined == nullptr || all_defined<T>(g.defined, offset))) {
      note_silent<kShared>(me, c[0], site);
      if (sizeof(T) == 8) note_silent<kShared>(me, c[1], site);
      return true;
    }
    if (!note_write<kShared>(me, c[0], site)) return false;
    if (sizeof(T) == 8 && !note_write<kShared>(me, c[1], site)) return false;
  }
  std::memcpy(g.bytes + offset, &bits, sizeof(T));
  if (g.defined != nullptr) {
    g.defined[offset >> 3] =
        static_cast<uint8_t>(g.defined[offset >> 3] | (((1u << sizeof(T)) - 1) << (offset & 7)));
  }
  return true;
}

}  // namespace quern::sim
