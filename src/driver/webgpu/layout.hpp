// What differs between versions of webgpu.h: the places of members in structures, and numbers of
// enumerations. A library is recognized by its functions; everything else of the driver is the same for all
// of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace quern::webgpu {

inline constexpr size_t kAbsent = SIZE_MAX;  // a member that the version does not have

/// A structure whose layout is known at run time only. All bytes are zero at first.
class Record {
 public:
  explicit Record(size_t bytes) : words_((bytes + 7) / 8) {}
  template <typename T>
  Record& put(size_t at, T value) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer
    if (at != kAbsent) std::memcpy(bytes() + at, &value, sizeof(T));
    return *this;
  }
  template <typename T>
  T get(size_t at) const {
    T value{};
    if (at != kAbsent) std::memcpy(&value, reinterpret_cast<const std::byte*>(words_.data()) + at, sizeof(T));
    return value;
  }
  void* data() { return words_.data(); }
  const void* data() const { return words_.data(); }

 private:
  std::byte* bytes() { return reinterpret_cast<std::byte*>(words_.data()); }
  std::vector<uint64_t> words_;
};

struct Layout {
  std::string_view name;
  std::string_view callback_suffix;  // of the functions that take a CallbackInfo
  bool work_done_has_message;        // a parameter of that callback
  struct {
    size_t bytes, feature_count, features, limits, timed_wait_enable, timed_wait_count;
  } instance;
  struct {
    size_t bytes, level, power, fallback, backend, compatibility;
  } adapter_options;
  size_t subgroup_tail;  // of AdapterInfo::tail; kAbsent: SubgroupProperties is chained
  struct {
    size_t bytes, storage_buffers, uniform_size, storage_size, buffer_size;
    size_t workgroup_bytes, workgroup_threads, workgroup_size, workgroups, immediates;
  } limits;
  struct {
    size_t bytes, binding, visibility, type, is_dynamic;
  } layout_entry;
  struct {
    size_t bytes, set, begin, end;
  } timestamps;
  struct {
    uint32_t uniform, storage, read_only;
  } binding_type;
  struct {
    uint32_t timestamps, f16, subgroups;
  } feature;
};

/// Of current headers, and of the libraries before 2025-04 (Chromium 133).
extern const Layout kStandardLayout, kEarlyLayout;

}  // namespace quern::webgpu
