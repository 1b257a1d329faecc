/// @file
/// Several devices of this process that work together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/comm/group_launch.hpp"
#include "quern/comm/split.hpp"
#include "quern/device.hpp"
#include "quern/error.hpp"
#include "quern/export.hpp"
#include "quern/module.hpp"
#include "quern/receipt.hpp"

namespace quern {

/// How memory is copied from one member of a group to another.
enum class Route : std::uint8_t {
  local,        ///< Within one device.
  peer,         ///< By the driver, which serves both devices.
  host_memory,  ///< One copy: one of the devices computes in host memory.
  staged,       ///< To pinned host memory and from there, in chunks.
};

/// The name of a route: "local", "peer", "host memory" or "staged".
QUERN_API std::string_view to_string(Route route);

/// An error of one member of a group. The other members remain usable.
class QUERN_API GroupError : public Error {
 public:
  /// Used by the library.
  GroupError(Parts parts, std::size_t member) : Error(std::move(parts)), member_(member) {}
  ~GroupError() override;
  GroupError(const GroupError&) noexcept = default;
  GroupError& operator=(const GroupError&) noexcept = default;
  /// The member.
  std::size_t member() const noexcept { return member_; }

 private:
  std::size_t member_;
};

/// Options of DeviceGroup::measured().
struct MeasureOptions {
  int rounds = 5;  ///< Measurements of each candidate, interleaved; the median counts. At least 1.
};

namespace detail {
class GroupMembers;
}
class GroupModule;

/// Several devices of this process that work together. The members have numbers from 0, and weights: the
/// shares of the positions that split() gives them.
///
/// Each member has a stream of the group's own. Launches and the operations on distributed arrays run there.
/// A cheap handle: copies have the same members. Thread-safe. A device may occur several times.
///
/// Errors of a member are GroupError: they name the member, its device and the operation. A member whose
/// device is lost is in lost(); continue with without().
///
/// @code
/// const auto group = quern::DeviceGroup::open({"cuda:0", "cuda:1", "cpu"});
/// quern::Distributed<float> x(group, n), y(group, n);
/// group.launch(saxpy, quern::over(n), quern::part::count, 2.0f, x, y);
/// @endcode
class QUERN_API DeviceGroup {
 public:
  /// No members.
  DeviceGroup() = default;
  /// These devices, with equal weights. Throws Error with kind `invalid_use` if there are none or if one is
  /// not open.
  explicit DeviceGroup(std::span<const Device> devices);
  /// The same.
  DeviceGroup(std::initializer_list<Device> devices);
  /// Opens devices by their names, as quern::open() does.
  static DeviceGroup open(std::span<const std::string> names);
  /// The same.
  static DeviceGroup open(std::initializer_list<std::string> names);
  /// All GPUs of this machine, each under its best driver. Throws Error with kind `not_found` if there is
  /// none.
  static DeviceGroup gpus();
  /// All GPUs of this machine, and the processor as the device `cpu`.
  static DeviceGroup all();

  /// Whether it has members.
  explicit operator bool() const { return members_ != nullptr; }
  /// Number of members.
  std::size_t size() const { return weights_.size(); }
  /// The device of a member.
  const Device& device(std::size_t member) const;
  /// The stream of a member. Synchronize work on other streams before the group uses its memory.
  const Stream& stream(std::size_t member) const;
  /// Driver and index of a member's device: "cuda:0".
  const std::string& name(std::size_t member) const;
  /// How memory is copied between two members.
  Route route(std::size_t from, std::size_t to) const;
  /// Whether both groups have the same members. Weights may differ.
  bool has_same_members(const DeviceGroup& other) const { return members_ == other.members_; }

  /// The weights. Their sum is 1.
  const std::vector<double>& weights() const { return weights_; }
  /// The same members with other weights, in any unit. A weight of 0 gives the member no positions.
  DeviceGroup with_weights(std::span<const double> weights) const;
  /// The same.
  DeviceGroup with_weights(std::initializer_list<double> weights) const;
  /// Divides positions by the weights.
  Split split(std::uint64_t total) const { return Split::by_weights(total, weights_); }
  /// The same members with the weights that make `work` fastest. `work(member, range)` submits the work for
  /// the given positions to stream(member) and does not wait; positions are from 0 to before `total`. It is
  /// called many times, for any range, so results must not accumulate.
  ///
  /// First each member is measured alone. Then the candidates run on all members together: the weights by
  /// these speeds, equal weights, the current weights, and corrections of the best of them. The five best
  /// ones are measured again with more rounds; the lowest median wins.
  DeviceGroup measured(std::uint64_t total, const std::function<void(std::size_t, IndexRange)>& work,
                       const MeasureOptions& options = {}) const;

  /// Members whose device is lost.
  std::vector<std::size_t> lost() const;
  /// The group without a member. The other members keep their streams and the proportions of their weights,
  /// and the numbers of later members decrease by one. Throws Error with kind `invalid_use` if no member
  /// with a weight remains.
  DeviceGroup without(std::size_t member) const;

  /// Compiles a module for all members.
  GroupModule compile(const std::string& text, const ModuleOptions& options = {}) const;
  /// Launches a kernel on every member that has positions of `range`, and returns immediately. The kernel is
  /// an inline kernel or a GroupKernel. Arguments become those of each member:
  ///  - a Distributed array: the member's part, without halo; array.with_halo(): with halo;
  ///  - part::begin, part::end, part::count, part::total, part::member: numbers;
  ///  - other arguments remain as they are.
  /// Arrays must be divided as the range is. Returns the receipts by member; those of members without
  /// positions are empty. An error of a member does not prevent the launches on the others.
  template <typename K, typename... A>
  std::vector<Receipt> launch(const K& kernel, const GroupRange& range, A&&... arguments) const {
    const Split parts = split(range.total);
    [[maybe_unused]] std::size_t number = 0;
    (check_argument(detail::PartCheck{*this, parts, number++}, arguments), ...);
    std::vector<Receipt> receipts(size());
    for_each_member(detail::launch_text(detail::kernel_name(kernel)), [&](std::size_t member) {
      if (parts[member].empty()) return;
      const detail::LaunchPart part{member, parts[member], parts.total()};
      receipts[member] =
          stream(member).launch(detail::kernel_of(kernel, member), range.config(part.range.size()),
                                argument_of(part, arguments)...);
    });
    return receipts;
  }
  /// Blocks until the streams of all members are idle, also if one has an error, which it throws then.
  void synchronize() const;

  /// Calls `work` for a member. An error becomes a GroupError with the text `operation`, a lost device is
  /// recorded in lost(), and the work of the member is complete when the error is thrown.
  void on_member(std::size_t member, const std::string& operation, const std::function<void()>& work) const;
  /// Calls work(member) for all members, also if one has an error. Then throws the first error; the work of
  /// all members is complete in this case.
  void for_each_member(const std::string& operation, const std::function<void(std::size_t)>& work) const;

 private:
  friend class detail::GroupMembers;
  DeviceGroup(std::shared_ptr<detail::GroupMembers> members, std::vector<double> weights)
      : members_(std::move(members)), weights_(std::move(weights)) {}
  detail::GroupMembers& members(std::size_t member) const;

  std::shared_ptr<detail::GroupMembers> members_;
  std::vector<double> weights_;
};

/// A module on each member of a group. Made by DeviceGroup::compile.
class QUERN_API GroupModule {
 public:
  /// No module.
  GroupModule() = default;
  /// Used by the library.
  GroupModule(DeviceGroup group, std::vector<Module> modules)
      : group_(std::move(group)), modules_(std::move(modules)) {}
  /// A kernel by its name, as Module::kernel.
  GroupKernel kernel(std::string_view name) const;
  /// The module on a member.
  const Module& on(std::size_t member) const { return modules_[member]; }

 private:
  DeviceGroup group_;
  std::vector<Module> modules_;
};

}  // namespace quern
