// Layout of a simulated address: a tag for the address space, an object of that space, and a byte offset.
// Each object owns far more addresses than bytes, so out-of-range arithmetic never reaches another object:
// bounds checks are exact, and a pointer keeps its object through any computation.
#pragma once

#include <cstdint>

namespace quern::sim {

enum class Tag : uint8_t { kNone = 0, kGlobal = 1, kShared = 2, kLocal = 3 };

inline constexpr uint32_t kTagShift = 60;
// Global and shared: 24 bits of object, 36 bits of offset (half of them for offsets before the object).
inline constexpr uint32_t kObjectShift = 36;
inline constexpr uint64_t kObjectMask = (uint64_t{1} << 24) - 1;
inline constexpr uint64_t kOffsetMask = (uint64_t{1} << kObjectShift) - 1;
inline constexpr uint64_t kMaxObjectBytes = uint64_t{1} << (kObjectShift - 1);
inline constexpr uint64_t kMaxObjects = kObjectMask - 1;
// Local: 12 bits of thread, 16 bits of variable, 32 bits of offset.
inline constexpr uint32_t kLocalThreadShift = 48;
inline constexpr uint32_t kLocalObjectShift = 32;
inline constexpr uint64_t kLocalObjectMask = 0xFFFF;
inline constexpr uint64_t kLocalOffsetMask = 0xFFFF'FFFF;
inline constexpr uint64_t kMaxLocalBytes = uint64_t{1} << 31;
inline constexpr uint64_t kMaxLocalObjects = kLocalObjectMask - 1;

constexpr Tag tag_of(uint64_t address) {
  const uint64_t tag = address >> kTagShift;
  return tag <= 3 ? static_cast<Tag>(tag) : Tag::kNone;
}
// Shared memory of another block of the cluster: 1 + the block's rank, above these bits of the object.
inline constexpr uint32_t kRankShift = 12;
inline constexpr uint32_t kOwnObjectMask = (1u << kRankShift) - 1;

// The value of address >> kObjectShift. Objects count from one, so that even the first can be left backwards.
constexpr uint64_t object_key(Tag tag, uint64_t object) {
  return (static_cast<uint64_t>(tag) << (kTagShift - kObjectShift)) | (object + 1);
}
constexpr uint64_t global_address(uint64_t object, uint64_t offset) {
  return (object_key(Tag::kGlobal, object) << kObjectShift) + offset;
}
constexpr uint64_t shared_address(uint64_t object, uint64_t offset) {
  return (object_key(Tag::kShared, object) << kObjectShift) + offset;
}
constexpr uint64_t local_address(uint64_t thread, uint64_t object, uint64_t offset) {
  return (static_cast<uint64_t>(Tag::kLocal) << kTagShift) | (thread << kLocalThreadShift) |
         (((object + 1) << kLocalObjectShift) + offset);
}

// The same offset in the shared memory of another block of the cluster; 0 if it is not a shared address.
constexpr uint64_t mapped_address(uint64_t address, uint32_t rank) {
  if (tag_of(address) != Tag::kShared) return 0;
  constexpr uint64_t kRankMask = kObjectMask & ~uint64_t{kOwnObjectMask};
  const uint64_t own = address & ~(kRankMask << kObjectShift);
  const uint64_t place =
      uint64_t{rank} + 1 < kRankMask >> kRankShift ? uint64_t{rank} + 1 : kRankMask >> kRankShift;
  return own | place << (kObjectShift + kRankShift);
}

// A shared address without the rank of its block.
constexpr uint64_t own_address(uint64_t address) {
  constexpr uint64_t kRankMask = kObjectMask & ~uint64_t{kOwnObjectMask};
  return address & ~(kRankMask << kObjectShift);
}

// A decoded address: an object and a signed offset from its start.
struct Place {
  Tag tag = Tag::kNone;
  uint32_t object = 0;  // out of range if the address belongs to no object
  uint32_t thread = 0;  // local only
  int64_t offset = 0;
};

constexpr Place place_of(uint64_t address) {
  Place p;
  p.tag = tag_of(address);
  if (p.tag == Tag::kNone) {
    p.offset = static_cast<int64_t>(address);
    return p;
  }
  if (p.tag == Tag::kLocal) {
    p.thread = static_cast<uint32_t>((address >> kLocalThreadShift) & 0xFFF);
    p.object = static_cast<uint32_t>((address >> kLocalObjectShift) & kLocalObjectMask);
    p.offset = static_cast<int64_t>(address & kLocalOffsetMask);
    if (p.offset >= static_cast<int64_t>(kMaxLocalBytes)) {
      p.offset -= static_cast<int64_t>(kLocalOffsetMask) + 1;
      ++p.object;
    }
    --p.object;
    return p;
  }
  p.object = static_cast<uint32_t>((address >> kObjectShift) & kObjectMask);
  p.offset = static_cast<int64_t>(address & kOffsetMask);
  if (p.offset >= static_cast<int64_t>(kMaxObjectBytes)) {
    p.offset -= static_cast<int64_t>(kOffsetMask) + 1;
    ++p.object;
  }
  --p.object;
  return p;
}

}  // namespace quern::sim
