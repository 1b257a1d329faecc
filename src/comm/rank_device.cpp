#include "quern/comm/rank_device.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "comm/failure.hpp"

namespace quern::comm {

namespace {

bool is_same_hardware(const DeviceInfo& a, const DeviceInfo& b) {
  const auto names = [](const DeviceInfo& x, const DeviceInfo& y) {
    return x.same_as == y.id() || std::find(x.also_as.begin(), x.also_as.end(), y.id()) != x.also_as.end();
  };
  return names(a, b) || names(b, a) || (!a.same_as.empty() && a.same_as == b.same_as);
}

// All devices that the request accepts, best first. It rejects each of them, so that none is opened.
std::vector<DeviceInfo> matching_devices(std::string_view which) {
  std::vector<DeviceInfo> found;
  const auto note = [&](const DeviceInfo& info) {
    const bool is_known = std::any_of(found.begin(), found.end(), [&](const DeviceInfo& other) {
      return is_same_hardware(info, other) || info.id() == other.id();
    });
    // Several drivers for the processor, or simulators, are no distinct devices.
    const bool is_distinct = info.kind != DeviceKind::cpu && info.kind != DeviceKind::simulated;
    if (!is_known && (found.empty() || (is_distinct && info.kind == found.front().kind)))
      found.push_back(info);
    return false;
  };
  try {
    const Device opened = open(DeviceRequest{.device = std::string(which), .accepts = note});
    return {opened.info()};  // QUERN_SIM replaces every device
  } catch (const Error&) {
    if (found.empty()) throw;
  }
  return found;
}

}  // namespace

DeviceInfo device_of_rank(const JobRank& rank, std::string_view which) {
  if (rank.local_rank < 0)
    fail(ErrorKind::invalid_use, message::kNegativeRank(std::to_string(rank.local_rank)));
  const std::vector<DeviceInfo> devices = matching_devices(which);
  return devices[static_cast<std::size_t>(rank.local_rank) % devices.size()];
}

Device open_for_rank(std::string_view which) {
  const JobRank rank = job_rank().value_or(JobRank{});
  const std::string chosen = device_of_rank(rank, which).id();
  const auto is_chosen = [&](const DeviceInfo& info) { return info.id() == chosen; };
  return open(DeviceRequest{.device = std::string(which), .accepts = is_chosen});
}

}  // namespace quern::comm
