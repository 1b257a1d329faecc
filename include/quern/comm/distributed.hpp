/// @file
/// Arrays in the memory of several devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/comm/device_group.hpp"
#include "quern/comm/split.hpp"
#include "quern/export.hpp"
#include "quern/ops/shape.hpp"
#include "quern/ops/tensor.hpp"

namespace quern {

/// What the halos at the two ends of an array contain.
enum class HaloEdges : std::uint8_t {
  open,      ///< Nothing: exchange_halos() does not write them.
  periodic,  ///< The rows of the other end.
};

/// Options of a distributed array.
struct DistributedOptions {
  std::uint64_t halo = 0;    ///< Rows of the neighbors that each part has at both sides.
  bool host_backed = false;  ///< scatter() and backup() keep a copy on the host, for lost members.
  std::string label = {};    ///< Appears in error messages.
};

namespace detail {

// The memory of a distributed array, without the type of its elements. Each part consists of a halo, its rows
// and a halo.
class QUERN_API DistributedMemory {
 public:
  DistributedMemory(const DeviceGroup& group, const Split& split, const ops::Shape& shape,
                    std::size_t element_bytes, const DistributedOptions& options);

  const DeviceGroup& group() const { return group_; }
  const Split& split() const { return split_; }
  const ops::Shape& shape() const { return shape_; }
  const DistributedOptions& options() const { return options_; }
  std::uint64_t row_length() const { return row_length_; }
  // `count` rows of a part from `first` on; the halo begins at row 0, and the member's rows at `halo`.
  Bytes rows(std::size_t member, std::uint64_t first, std::uint64_t count) const;
  Bytes local(std::size_t member) const { return rows(member, options_.halo, split_[member].size()); }
  Bytes with_halo(std::size_t member) const {
    return rows(member, 0, split_[member].size() + 2 * options_.halo);
  }

  void scatter(const void* from, std::uint64_t bytes);
  void gather(void* to, std::uint64_t bytes) const;
  void exchange_halos(HaloEdges edges);
  // The same without waiting for work: all rows at the ends of parts are complete, and nothing uses halos.
  void copy_halos(HaloEdges edges, std::uint64_t depth);
  std::vector<IndexRange> redistribute(const DeviceGroup& group, const Split& split);
  void backup();
  void restore();
  void swap_memory(DistributedMemory& other) noexcept { memory_.swap(other.memory_); }
  // Sets the part of each member to the runs between its cuts in every part of `from`, which has rows of one
  // element. cuts[i]: positions in part i, one more than members.
  void take_runs(const DistributedMemory& from, const std::vector<std::vector<std::uint64_t>>& cuts);
  // An array of the same kind without a host copy.
  DistributedMemory like(const Split& split) const;
  void check(const PartCheck& check) const;

 private:
  struct Piece;
  std::vector<Buffer<std::byte>> allocate(const DeviceGroup& group, const Split& split) const;
  void copy_row_run(std::size_t member, std::uint64_t first, std::uint64_t count, std::uint64_t row);
  void copy_side(std::size_t member, std::int64_t first, std::uint64_t to, std::uint64_t depth,
                 HaloEdges edges);
  bool take_piece(const Piece& piece);
  void check_count(const char* operation, std::uint64_t bytes) const;

  DeviceGroup group_;
  Split split_;
  ops::Shape shape_;
  DistributedOptions options_;
  std::uint64_t row_length_ = 1, row_bytes_, element_bytes_;
  std::vector<Buffer<std::byte>> memory_;
  std::vector<std::byte> backup_;
};

// Splits of arrays that are used together.
QUERN_API void check_same_split(const char* operation, const DistributedMemory& a,
                                const DistributedMemory& b);
// `count` elements of memory of one member to that of another. Work on both is complete.
QUERN_API void copy_between(const DeviceGroup& group, std::size_t from, const Bytes& source, std::size_t to,
                            const Bytes& target);

template <Plain T>
struct HaloArgument {
  const DistributedMemory* memory;
};

}  // namespace detail

/// An array whose rows are divided between the members of a group. Rows are the positions of the first axis;
/// an array with one axis has rows of one element. Move-only. Owns its memory on all devices.
///
/// All operations run on the streams of the group (DeviceGroup::stream), after work that was submitted there.
/// They are blocking. Not thread-safe. All functions throw Error.
template <detail::Plain T>
class Distributed {
 public:
  using value_type = T;  ///< The type of the elements.

  /// No array: only is_open() and assignment are possible.
  Distributed() = default;
  /// Uninitialized elements. The rows are divided by the weights of the group.
  Distributed(const DeviceGroup& group, const ops::Shape& shape, const DistributedOptions& options = {})
      : Distributed(group, group.split(rows_of(shape)), shape, options) {}
  /// The same with one axis.
  Distributed(const DeviceGroup& group, std::int64_t count, const DistributedOptions& options = {})
      : Distributed(group, ops::Shape{count}, options) {}
  /// Uninitialized elements, with the given rows on each member.
  Distributed(const DeviceGroup& group, const Split& split, const ops::Shape& shape,
              const DistributedOptions& options = {})
      : memory_(std::make_unique<detail::DistributedMemory>(group, split, shape, sizeof(T), options)) {}

  bool is_open() const { return memory_ != nullptr; }                 ///< Whether it has memory.
  const DeviceGroup& group() const { return memory_->group(); }       ///< The group.
  const Split& split() const { return memory_->split(); }             ///< The rows of each member.
  const ops::Shape& shape() const { return memory_->shape(); }        ///< The extents.
  std::uint64_t rows() const { return split().total(); }              ///< Extent of the first axis.
  std::uint64_t row_length() const { return memory_->row_length(); }  ///< Elements of a row.
  std::uint64_t size() const { return rows() * row_length(); }        ///< Number of elements.
  std::uint64_t halo() const { return memory_->options().halo; }      ///< Rows of each halo.

  /// The elements of a member, without halo. Valid until the array is redistributed, changed by an algorithm
  /// of namespace distributed, or destroyed.
  Slice<T> local(std::size_t member) { return Slice<T>(memory_->local(member)); }
  /// The same, read-only.
  Slice<const T> local(std::size_t member) const { return Slice<const T>(memory_->local(member)); }
  /// The same with the halos. A part has both, also at the ends of the array.
  Slice<T> local_with_halo(std::size_t member) { return Slice<T>(memory_->with_halo(member)); }
  /// The elements of a member as a tensor, without halo.
  ops::Tensor<T> tensor(std::size_t member) requires ops::ElementType<T> {
    return ops::Tensor<T>(local(member), shape_of(member));
  }
  /// The same, read-only.
  ops::Tensor<const T> tensor(std::size_t member) const requires ops::ElementType<T> {
    return ops::Tensor<const T>(local(member), shape_of(member));
  }
  /// An argument of DeviceGroup::launch: the member's part with its halos.
  detail::HaloArgument<T> with_halo() { return {memory_.get()}; }

  /// Copies from the host. `from` has size() elements.
  void scatter(std::span<const T> from) { memory_->scatter(from.data(), from.size_bytes()); }
  /// Copies to the host. `to` has size() elements.
  void gather(std::span<T> to) const { memory_->gather(to.data(), to.size_bytes()); }
  /// Copies to the host.
  std::vector<T> gather() const {
    std::vector<T> out(size());
    gather(std::span<T>(out));
    return out;
  }
  /// Sets all elements to `value`. Does not wait.
  void fill(const T& value) {
    group().for_each_member("Distributed::fill", [&](std::size_t member) {
      if (!local(member).empty()) group().stream(member).fill(local(member), value);
    });
  }

  /// Copies rows at the ends of the parts to the halos of the other members.
  void exchange_halos(HaloEdges edges = HaloEdges::open) { memory_->exchange_halos(edges); }
  /// Divides the rows by the weights of `group`, which may have other members. Halos become undefined.
  ///
  /// Rows of members whose device is lost come from the host copy; the returned ranges are these rows. Throws
  /// Error with kind `device_lost`, and changes nothing, if the array is not host_backed.
  std::vector<IndexRange> redistribute(const DeviceGroup& group) {
    return redistribute(group, group.split(rows()));
  }
  /// The same with the given rows on each member.
  std::vector<IndexRange> redistribute(const DeviceGroup& group, const Split& split) {
    return memory_->redistribute(group, split);
  }
  /// Replaces the host copy by the current elements. The array must be host_backed.
  void backup() { memory_->backup(); }
  /// Replaces all elements by the host copy.
  void restore() { memory_->restore(); }

  /// Used by the library.
  detail::DistributedMemory& memory() const { return *memory_; }
  /// Used by the library.
  explicit Distributed(detail::DistributedMemory memory)
      : memory_(std::make_unique<detail::DistributedMemory>(std::move(memory))) {}

 private:
  static std::uint64_t rows_of(const ops::Shape& shape) {
    return shape.rank() == 0 ? 1 : static_cast<std::uint64_t>(shape[0]);
  }
  ops::Shape shape_of(std::size_t member) const {
    std::vector<std::int64_t> extents(shape().extents().begin(), shape().extents().end());
    if (!extents.empty()) extents[0] = static_cast<std::int64_t>(split()[member].size());
    return ops::Shape(std::span<const std::int64_t>(extents));
  }

  std::unique_ptr<detail::DistributedMemory> memory_;
};

namespace detail {

template <typename T>
void check_argument(const PartCheck& check, const Distributed<T>& array) {
  array.memory().check(check);
}
template <typename T>
void check_argument(const PartCheck& check, const HaloArgument<T>& array) {
  array.memory->check(check);
}
template <typename T>
Slice<T> argument_of(const LaunchPart& part, Distributed<T>& array) {
  return array.local(part.member);
}
template <typename T>
Slice<const T> argument_of(const LaunchPart& part, const Distributed<T>& array) {
  return array.local(part.member);
}
template <typename T>
Slice<T> argument_of(const LaunchPart& part, const HaloArgument<T>& array) {
  return Slice<T>(array.memory->with_halo(part.member));
}
template <typename T>
Slice<T> argument_of(const LaunchPart& part, HaloArgument<T>& array) {
  return Slice<T>(array.memory->with_halo(part.member));
}

}  // namespace detail
}  // namespace quern
