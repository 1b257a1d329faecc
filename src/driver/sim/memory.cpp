#include "driver/sim/memory.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

using base::Error;
using base::ErrorKind;
using base::format_bytes;

namespace {

constexpr uint64_t kKeepRaceBytes = uint64_t{1}
                                    << 20;  // cells of larger allocations are freed after each launch

std::string quoted_label(const std::string& label) { return label.empty() ? "a buffer" : "'" + label + "'"; }

}  // namespace

Result<uint32_t> Memory::next_object() {
  if (regions_.size() < kMaxObjects) {
    regions_.emplace_back();
    allocations_.emplace_back();
    return static_cast<uint32_t>(regions_.size() - 1);
  }
  // Numbers are reused only when all have been used, so that a dangling pointer is recognized for as long as
  // possible.
  for (size_t i = 0; i < allocations_.size(); ++i) {
    const uint32_t object = static_cast<uint32_t>((reuse_ + i) % allocations_.size());
    if (allocations_[object].live) continue;
    reuse_ = object + 1;
    return object;
  }
  return Error(ErrorKind::out_of_memory, message::kTooManyAllocations(std::to_string(allocations_.size())));
}

Result<Address> Memory::allocate(uint64_t bytes, BufferInfo info, bool defined) {
  if (bytes > kMaxObjectBytes) {
    return Error(ErrorKind::out_of_memory,
                 message::kLargeAllocation(quoted_label(info.label), format_bytes(bytes),
                                           format_bytes(kMaxObjectBytes)));
  }
  if (bytes > limit_ - std::min(limit_, in_use_)) {
    return Error(
        ErrorKind::out_of_memory,
        message::kOutOfMemory(quoted_label(info.label), format_bytes(bytes),
                              format_bytes(limit_ - std::min(limit_, in_use_)), format_bytes(limit_)));
  }
  auto data = zeroed<uint8_t>(bytes);
  auto bits = defined ? nullptr : zeroed<uint8_t>(bytes / 8 + 1);
  if (data == nullptr || (!defined && bits == nullptr)) {
    return Error(ErrorKind::out_of_memory,
                 message::kNoHostMemory(quoted_label(info.label), format_bytes(bytes)));
  }
  QUERN_TRY_ASSIGN(const uint32_t object, next_object());
  Allocation& a = allocations_[object];
  a.label = std::move(info.label);
  a.element_bytes = info.element_bytes;
  a.live = true;
  a.is_variable = false;
  a.bytes = std::move(data);
  a.defined = std::move(bits);
  Region& r = regions_[object];
  r = Region{};
  r.bytes = a.bytes.get();
  r.size = bytes;
  r.defined = a.defined.get();
  in_use_ += bytes;
  return global_address(object, 0);
}

void Memory::release(uint32_t object) {
  in_use_ -= regions_[object].size;
  regions_[object] = Region{};
  Allocation& a = allocations_[object];
  a.live = false;
  a.bytes.reset();
  a.defined.reset();
  a.race.reset();
}

Result<> Memory::free(Address address) {
  if (address == 0) return {};
  const Place p = place_of(address);
  if (p.tag != Tag::kGlobal || p.object >= regions_.size() || p.offset != 0) {
    return Error(ErrorKind::invalid_use,
                 message::kNotAllocation(base::format("0x%llx", static_cast<unsigned long long>(address))));
  }
  const Allocation& a = allocations_[p.object];
  if (!a.live) return Error(ErrorKind::invalid_use, message::kFreedTwice(quoted_label(a.label)));
  if (a.is_variable) {
    return Error(ErrorKind::invalid_use, message::kFreesVariable(quoted_label(a.label)));
  }
  release(p.object);
  return {};
}

void Memory::set_variable(Address address, bool is_constant, uint64_t align) {
  const Place p = place_of(address);
  regions_[p.object].align_bit = align_bit_of(align);
  allocations_[p.object].is_variable = true;
  regions_[p.object].is_constant = is_constant;
  regions_[p.object].is_guarded = is_constant;
}

void Memory::release_variable(Address address) {
  const Place p = place_of(address);
  if (p.tag == Tag::kGlobal && p.object < regions_.size() && allocations_[p.object].live) release(p.object);
}

Result<uint32_t> Memory::range(Address address, uint64_t bytes, const char* doing) const {
  const Place p = place_of(address);
  if (p.tag != Tag::kGlobal || p.object >= regions_.size()) {
    return Error(ErrorKind::invalid_use,
                 message::kNotAddress(base::format("0x%llx", static_cast<unsigned long long>(address))))
        .add_context(doing);
  }
  const Allocation& a = allocations_[p.object];
  const Region& r = regions_[p.object];
  if (!a.live)
    return Error(ErrorKind::invalid_use, message::kFreed(quoted_label(a.label))).add_context(doing);
  if (p.offset < 0 || static_cast<uint64_t>(p.offset) > r.size ||
      bytes > r.size - static_cast<uint64_t>(p.offset)) {
    return Error(ErrorKind::invalid_use,
                 message::kOutsideAllocation(
                     std::to_string(p.offset),
                     std::to_string(static_cast<long long>(p.offset) + static_cast<long long>(bytes)),
                     quoted_label(a.label), std::to_string(r.size)))
        .add_context(doing);
  }
  return p.object;
}

Result<> Memory::upload(Address to, std::span<const std::byte> from) {
  if (from.empty()) return {};
  QUERN_TRY_ASSIGN(const uint32_t object, range(to, from.size(), "uploading"));
  Region& r = regions_[object];
  const uint64_t offset = to & kOffsetMask;
  std::memcpy(r.bytes + offset, from.data(), from.size());
  if (r.defined == nullptr) return {};
  if (from.size() == r.size) {
    allocations_[object].defined.reset();
    r.defined = nullptr;
  } else {
    set_defined(r.defined, offset, from.size());
  }
  return {};
}

Result<> Memory::download(Address from, std::span<std::byte> to) const {
  if (to.empty()) return {};
  QUERN_TRY_ASSIGN(const uint32_t object, range(from, to.size(), "downloading"));
  std::memcpy(to.data(), regions_[object].bytes + (from & kOffsetMask), to.size());
  return {};
}

Result<> Memory::fill(Address to, uint8_t value, uint64_t bytes) {
  if (bytes == 0) return {};
  QUERN_TRY_ASSIGN(const uint32_t object, range(to, bytes, "filling"));
  Region& r = regions_[object];
  const uint64_t offset = to & kOffsetMask;
  std::memset(r.bytes + offset, value, bytes);
  if (r.defined != nullptr) set_defined(r.defined, offset, bytes);
  return {};
}

Result<> Memory::copy(Address to, Address from, uint64_t bytes) {
  if (bytes == 0) return {};
  QUERN_TRY_ASSIGN(const uint32_t source, range(from, bytes, "copying from"));
  QUERN_TRY_ASSIGN(const uint32_t target, range(to, bytes, "copying to"));
  const uint64_t at = to & kOffsetMask, begin = from & kOffsetMask;
  Region& r = regions_[target];
  const Region& s = regions_[source];
  std::memmove(r.bytes + at, s.bytes + begin, bytes);
  if (r.defined == nullptr && s.defined == nullptr) return {};
  if (r.defined == nullptr) {
    allocations_[target].defined = zeroed<uint8_t>(r.size / 8 + 1);
    r.defined = allocations_[target].defined.get();
    if (r.defined == nullptr) return {};  // no memory to record it: counts as defined
    set_defined(r.defined, 0, r.size);
  }
  const bool overlaps = source == target;
  std::vector<uint8_t> bits(overlaps ? bytes : 0);
  for (uint64_t i = 0; i < bits.size(); ++i) bits[i] = is_defined(s.defined, begin + i) ? 1 : 0;
  for (uint64_t i = 0; i < bytes; ++i) {
    const bool is = s.defined == nullptr || (overlaps ? bits[i] != 0 : is_defined(s.defined, begin + i));
    if (is) {
      set_defined(r.defined, at + i, 1);
    } else {
      set_undefined(r.defined, at + i, 1);
    }
  }
  return {};
}

void Memory::drop_races() {
  for (size_t i = 0; i < regions_.size(); ++i) {
    allocations_[i].race.reset();
    regions_[i].race = nullptr;
    regions_[i].race_failed = false;
    regions_[i].granule_shift = 2;
  }
}

void Memory::drop_large_races() {
  for (size_t i = 0; i < regions_.size(); ++i) {
    Region& r = regions_[i];
    r.tracked = false;
    r.race_failed = false;
    if (r.race == nullptr || (r.size >> r.granule_shift) * sizeof(RaceCell) <= kKeepRaceBytes) continue;
    allocations_[i].race.reset();
    r.race = nullptr;
    r.granule_shift = 2;
  }
}

}  // namespace quern::sim
