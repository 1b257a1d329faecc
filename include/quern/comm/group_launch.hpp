/// @file
/// Launches on all members of a group: positions, arguments and kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/comm/split.hpp"
#include "quern/export.hpp"
#include "quern/launch.hpp"
#include "quern/module.hpp"

namespace quern {

class DeviceGroup;

/// The positions that a launch on a group covers. Made by over().
struct QUERN_API GroupRange {
  std::uint64_t total = 0;    ///< Number of positions, which are divided between the members.
  std::uint64_t columns = 0;  ///< Threads along x for each position, which is then y; 0: positions are x.
  Dim3 block_size{0, 0, 0};   ///< Threads per block; 0: chosen for the device.
  std::uint64_t shared_bytes = 0;  ///< Dynamic shared memory per block, in bytes.

  /// A copy with this block size.
  GroupRange block(Dim3 threads) const {
    GroupRange r = *this;
    r.block_size = threads;
    return r;
  }
  /// A copy with this many threads along x for each position: a two-dimensional launch.
  GroupRange by(std::uint64_t threads_along_x) const {
    GroupRange r = *this;
    r.columns = threads_along_x;
    return r;
  }
  /// A copy with this much dynamic shared memory per block, in bytes.
  GroupRange shared(std::uint64_t bytes) const {
    GroupRange r = *this;
    r.shared_bytes = bytes;
    return r;
  }
  /// The launch configuration of a member with `count` positions.
  LaunchConfig config(std::uint64_t count) const;
};

/// One thread for each of `total` positions. As with threads(), there may be more threads: the kernel must
/// compare its index with part::count.
inline GroupRange over(std::uint64_t total) {
  GroupRange r;
  r.total = total;
  return r;
}

/// The kernels of a module on each member of a group.
class QUERN_API GroupKernel {
 public:
  /// No kernel.
  GroupKernel() = default;
  /// Used by the library.
  explicit GroupKernel(std::vector<Kernel> kernels) : kernels_(std::move(kernels)) {}
  /// Name in the source.
  std::string name() const { return kernels_.empty() ? std::string() : kernels_.front().name(); }
  /// The kernel on a member. Throws Error with kind `invalid_use` if there is none.
  const Kernel& on(std::size_t member) const;
  /// Number of members.
  std::size_t size() const { return kernels_.size(); }

 private:
  std::vector<Kernel> kernels_;
};

namespace detail {

enum class PartValue : std::uint8_t { begin, end, count, total, member };

// What a launch on one member refers to.
struct LaunchPart {
  std::size_t member;
  IndexRange range;
  std::uint64_t total;
};
struct PartCheck {
  const DeviceGroup& group;
  const Split& parts;
  std::size_t argument;
};

QUERN_API std::int64_t value_of(const LaunchPart& part, PartValue value);
QUERN_API std::string launch_text(const std::string& kernel);

// Overloads for arrays are in distributed.hpp.
template <typename A>
void check_argument(const PartCheck& check, const A& argument) {
  (void)check, (void)argument;
}
template <typename A>
A& argument_of(const LaunchPart& part, A& argument) {
  (void)part;
  return argument;
}
inline std::int64_t argument_of(const LaunchPart& part, const PartValue& value) {
  return value_of(part, value);
}

template <typename K>
std::string kernel_name(const K& kernel) {
  if constexpr (requires { kernel.text(); }) {
    return kernel.text().name;
  } else {
    return kernel.name();
  }
}
template <typename K>
const K& kernel_of(const K& kernel, std::size_t member) {
  (void)member;
  return kernel;
}
inline const Kernel& kernel_of(const GroupKernel& kernel, std::size_t member) { return kernel.on(member); }

}  // namespace detail

/// Arguments of DeviceGroup::launch that differ between the members. Each is a 64-bit integer and converts to
/// the type of the kernel's parameter.
namespace part {
inline constexpr detail::PartValue begin = detail::PartValue::begin;    ///< The member's first position.
inline constexpr detail::PartValue end = detail::PartValue::end;        ///< After its last position.
inline constexpr detail::PartValue count = detail::PartValue::count;    ///< The number of its positions.
inline constexpr detail::PartValue total = detail::PartValue::total;    ///< The positions of all members.
inline constexpr detail::PartValue member = detail::PartValue::member;  ///< The number of the member.
}  // namespace part

}  // namespace quern
