// Simulated device memory: a table of allocations, each with its bytes, one bit per byte that says whether it
// was ever written, and (during a launch) the record of its last accesses.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/sim/address.hpp"
#include "driver/sim/sim.hpp"

namespace quern::sim {

struct FreeDeleter {
  void operator()(void* p) const { std::free(p); }
};
template <typename T>
using CBuffer = std::unique_ptr<T[], FreeDeleter>;

// Zeroed; large sizes are backed lazily by the operating system; null if out of memory.
template <typename T>
CBuffer<T> zeroed(uint64_t count) {
  if (count > SIZE_MAX / sizeof(T) - 16) return nullptr;
  return CBuffer<T>(static_cast<T*>(std::calloc(count + 8, sizeof(T))));
}

// The last accesses to a granule of memory, see race.hpp. All zero: none.
struct RaceCell {
  uint32_t writer = 0, write_time = 0, write_site = 0;
  uint32_t reader = 0, read_time = 0, read_site = 0;
  uint32_t reader2 = 0, read_time2 = 0;
};

// Blocks of the heap of malloc, by offset.
struct HeapBlock {
  uint64_t bytes = 0;
  bool is_freed = false;
};
using HeapBlocks = std::map<uint64_t, HeapBlock>;

// The part of an object that every access needs. `defined` null: all bytes are defined.
struct Region {
  uint8_t* bytes = nullptr;
  uint64_t size = 0;
  uint8_t* defined = nullptr;  // one bit per byte
  RaceCell* race = nullptr;    // null although tracked: allocated at the first access
  uint8_t granule_shift = 2;   // bytes per cell: 1 << shift
  bool tracked = false;        // races are checked
  bool is_constant = false;    // kernels must not write
  bool is_guarded = false;     // no write is simple: constant, or the heap
  bool race_failed = false;    // no memory for cells
  // The declared alignment, as the bit that every wider access would violate; 0: sufficient for all.
  uint32_t align_bit = 0;
  HeapBlocks* heap = nullptr;  // it is the heap of malloc
};

inline constexpr uint64_t kAlignedForAll = 256;
inline constexpr uint32_t align_bit_of(uint64_t align) {
  return align >= kAlignedForAll ? 0 : static_cast<uint32_t>(align);
}

struct Allocation {
  std::string label;
  uint32_t element_bytes = 0;
  bool live = false;
  bool is_variable = false;  // of a program: free() rejects it
  CBuffer<uint8_t> bytes;
  CBuffer<uint8_t> defined;
  CBuffer<RaceCell> race;
  std::unique_ptr<HeapBlocks> heap;
};

inline void set_defined(uint8_t* bits, uint64_t offset, uint64_t count) {
  for (; count != 0 && (offset & 7) != 0; ++offset, --count)
    bits[offset >> 3] |= static_cast<uint8_t>(1u << (offset & 7));
  if (count >= 8) std::memset(bits + (offset >> 3), 0xFF, count >> 3);
  offset += count & ~uint64_t{7};
  count &= 7;
  if (count != 0) bits[offset >> 3] |= static_cast<uint8_t>((1u << count) - 1);
}
inline void set_undefined(uint8_t* bits, uint64_t offset, uint64_t count) {
  for (; count != 0 && (offset & 7) != 0; ++offset, --count) {
    bits[offset >> 3] &= static_cast<uint8_t>(~(1u << (offset & 7)));
  }
  if (count >= 8) std::memset(bits + (offset >> 3), 0, count >> 3);
  offset += count & ~uint64_t{7};
  count &= 7;
  if (count != 0) bits[offset >> 3] &= static_cast<uint8_t>(~((1u << count) - 1));
}
inline bool is_defined(const uint8_t* bits, uint64_t offset) {
  return (bits[offset >> 3] >> (offset & 7) & 1) != 0;
}

class Memory {
 public:
  explicit Memory(uint64_t limit) : limit_(limit) {}

  Result<Address> allocate(uint64_t bytes, BufferInfo info, bool defined);
  Result<> free(Address address);
  Result<> upload(Address to, std::span<const std::byte> from);
  Result<> download(Address from, std::span<std::byte> to) const;
  Result<> fill(Address to, uint8_t value, uint64_t bytes);
  Result<> copy(Address to, Address from, uint64_t bytes);
  uint64_t in_use() const { return in_use_; }

  // Variables of programs: never freed by users.
  void set_variable(Address address, bool is_constant, uint64_t align);
  void release_variable(Address address);

  std::vector<Region>& regions() { return regions_; }
  const std::vector<Region>& regions() const { return regions_; }
  Allocation& allocation(uint32_t object) { return allocations_[object]; }
  const Allocation& allocation(uint32_t object) const { return allocations_[object]; }

  // Launches share one time axis per device for their synchronizations, so records of earlier launches need
  // not be cleared.
  uint32_t& clock() { return clock_; }
  void drop_races();        // discards all records
  void drop_large_races();  // after a launch: frees the large ones

 private:
  Result<uint32_t> next_object();
  void release(uint32_t object);
  // The object and offset of a range, or the reason why it is invalid.
  Result<uint32_t> range(Address address, uint64_t bytes, const char* doing) const;

  uint64_t limit_;
  uint64_t in_use_ = 0;
  std::vector<Region> regions_;
  std::vector<Allocation> allocations_;
  uint32_t reuse_ = 0;  // where the search for a freed object starts once all numbers were used
  uint32_t clock_ = 0;
};

}  // namespace quern::sim
