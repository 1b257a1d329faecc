#include "quern/comm/device_group.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "comm/group/members.hpp"

namespace quern {

namespace {

using comm::fail;
using detail::GroupMember;

// Drivers that copy between their devices.
constexpr std::array<std::string_view, 3> kPeerDrivers{"cuda", "hip", "level_zero"};

bool is_gpu(const DeviceInfo& info) {
  return info.kind == DeviceKind::discrete || info.kind == DeviceKind::integrated ||
         info.kind == DeviceKind::virtual_gpu;
}

std::vector<Device> open_gpus() {
  std::vector<Device> out;
  for (const DeviceInfo& info : devices()) {
    if (is_gpu(info) && info.same_as.empty()) out.push_back(open(info.id()));
  }
  return out;
}

std::vector<double> normalized(std::vector<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::string_view to_string(Route route) {
  switch (route) {
    case Route::local: return "local";
    case Route::peer: return "peer";
    case Route::host_memory: return "host memory";
    case Route::staged: break;
  }
  return "staged";
}

GroupError::~GroupError() = default;

DeviceGroup::DeviceGroup(std::span<const Device> devices) {
  if (devices.empty()) fail(ErrorKind::invalid_use, comm::message::kEmptyGroup());
  std::vector<GroupMember> members;
  for (const Device& device : devices) members.push_back(detail::make_member(device, members.size()));
  weights_.assign(members.size(), 1.0 / static_cast<double>(members.size()));
  members_ = std::make_shared<detail::GroupMembers>(std::move(members));
}

DeviceGroup::DeviceGroup(std::initializer_list<Device> devices)
    : DeviceGroup(std::span<const Device>(devices.begin(), devices.size())) {}

DeviceGroup DeviceGroup::open(std::span<const std::string> names) {
  std::vector<Device> devices;
  for (const std::string& name : names) devices.push_back(quern::open(name));
  return DeviceGroup(devices);
}

DeviceGroup DeviceGroup::open(std::initializer_list<std::string> names) {
  return open(std::span<const std::string>(names.begin(), names.size()));
}

DeviceGroup DeviceGroup::gpus() {
  const std::vector<Device> devices = open_gpus();
  if (devices.empty()) fail(ErrorKind::not_found, comm::message::kNoGpus());
  return DeviceGroup(devices);
}

DeviceGroup DeviceGroup::all() {
  std::vector<Device> devices = open_gpus();
  devices.push_back(quern::open("cpu"));
  return DeviceGroup(devices);
}

detail::GroupMembers& DeviceGroup::members(std::size_t member) const {
  if (members_ == nullptr || member >= members_->list().size())
    fail(ErrorKind::invalid_use,
         comm::message::kNoMember(std::to_string(member), std::to_string(weights_.size())));
  return *members_;
}

const Device& DeviceGroup::device(std::size_t member) const { return members(member).at(member).device; }
const Stream& DeviceGroup::stream(std::size_t member) const { return members(member).at(member).stream; }
const std::string& DeviceGroup::name(std::size_t member) const { return members(member).at(member).name; }

Route DeviceGroup::route(std::size_t from, std::size_t to) const {
  const GroupMember &a = members(from).at(from), &b = members(to).at(to);
  if (a.identity == b.identity) return Route::local;
  const bool has_peers = std::find(kPeerDrivers.begin(), kPeerDrivers.end(), a.driver) != kPeerDrivers.end();
  if (a.driver == b.driver && has_peers) return Route::peer;
  return a.is_host || b.is_host ? Route::host_memory : Route::staged;
}

DeviceGroup DeviceGroup::with_weights(std::span<const double> weights) const {
  if (weights.size() != weights_.size())
    fail(ErrorKind::invalid_use,
         comm::message::kWeightCount(std::to_string(weights.size()), std::to_string(weights_.size())));
  (void)Split::by_weights(0, weights);  // checks them
  return {members_, normalized({weights.begin(), weights.end()})};
}

DeviceGroup DeviceGroup::with_weights(std::initializer_list<double> weights) const {
  return with_weights(std::span<const double>(weights.begin(), weights.size()));
}

std::vector<std::size_t> DeviceGroup::lost() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < size(); ++i) {
    if (members_->is_lost(i)) out.push_back(i);
  }
  return out;
}

DeviceGroup DeviceGroup::without(std::size_t member) const {
  std::vector<GroupMember> list = members(member).list();
  std::vector<double> weights = weights_;
  const auto at = static_cast<std::ptrdiff_t>(member);
  list.erase(list.begin() + at);
  weights.erase(weights.begin() + at);
  if (std::none_of(weights.begin(), weights.end(), [](double w) { return w > 0; }))
    fail(ErrorKind::invalid_use, comm::message::kNobodyLeft(std::to_string(member)));
  auto others = std::make_shared<detail::GroupMembers>(std::move(list));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (members_->is_lost(i < member ? i : i + 1)) others->set_lost(i);
  }
  return {std::move(others), normalized(std::move(weights))};
}

void DeviceGroup::on_member(std::size_t member, const std::string& operation,
                            const std::function<void()>& work) const {
  detail::GroupMembers& all = members(member);
  try {
    work();
  } catch (const GroupError&) {
    all.abandon(member);
    throw;
  } catch (const Error& error) {
    const GroupError named = all.error(member, operation, error, false);
    all.abandon(member);
    throw GroupError(named);
  }
  all.note(member, operation);
}

void DeviceGroup::for_each_member(const std::string& operation,
                                  const std::function<void(std::size_t)>& work) const {
  std::optional<GroupError> first;
  for (std::size_t i = 0; i < size(); ++i) {
    try {
      on_member(i, operation, [&] { work(i); });
    } catch (const GroupError& error) {
      if (!first) first = error;
    }
  }
  if (!first) return;
  for (std::size_t i = 0; i < size(); ++i) members_->abandon(i);
  throw GroupError(*first);
}

void DeviceGroup::synchronize() const {
  std::optional<GroupError> first;
  for (std::size_t i = 0; i < size(); ++i) {
    try {
      stream(i).synchronize();
    } catch (const Error& error) {
      const GroupError named = members_->error(i, "DeviceGroup::synchronize", error, true);
      if (!first) first = named;
    }
  }
  if (first) throw GroupError(*first);
}

GroupModule DeviceGroup::compile(const std::string& text, const ModuleOptions& options) const {
  std::vector<Module> modules(size());
  for_each_member("DeviceGroup::compile",
                  [&](std::size_t member) { modules[member] = device(member).compile(text, options); });
  return {*this, std::move(modules)};
}

const Kernel& GroupKernel::on(std::size_t member) const {
  if (member >= kernels_.size())
    fail(ErrorKind::invalid_use,
         comm::message::kKernelCount(std::to_string(member), std::to_string(kernels_.size())));
  return kernels_[member];
}

GroupKernel GroupModule::kernel(std::string_view name) const {
  std::vector<Kernel> kernels(modules_.size());
  group_.for_each_member("GroupModule::kernel",
                         [&](std::size_t member) { kernels[member] = modules_[member].kernel(name); });
  return GroupKernel(std::move(kernels));
}

LaunchConfig GroupRange::config(std::uint64_t count) const {
  LaunchConfig out;
  if (block_size.count() == 0) {
    out = columns == 0 ? threads(count) : threads(columns, count);
  } else {
    const auto blocks = [](std::uint64_t all, std::uint32_t each) { return (all + each - 1) / each; };
    out = columns == 0 ? grid(blocks(count, block_size.x), block_size)
                       : grid({blocks(columns, block_size.x), blocks(count, block_size.y)}, block_size);
  }
  out.shared_bytes = shared_bytes;
  return out;
}

namespace detail {

std::int64_t value_of(const LaunchPart& part, PartValue value) {
  switch (value) {
    case PartValue::begin: return static_cast<std::int64_t>(part.range.begin);
    case PartValue::end: return static_cast<std::int64_t>(part.range.end);
    case PartValue::count: return static_cast<std::int64_t>(part.range.size());
    case PartValue::total: return static_cast<std::int64_t>(part.total);
    case PartValue::member: break;
  }
  return static_cast<std::int64_t>(part.member);
}

std::string launch_text(const std::string& kernel) { return comm::message::kLaunchOf(kernel).text; }

}  // namespace detail
}  // namespace quern
