#include "quern/profile.hpp"

#include <algorithm>

#include "api/nvtx.hpp"
#include "api/state.hpp"
#include "runtime/profile/bandwidth.hpp"
#include "runtime/profile/recorder.hpp"

namespace quern {

namespace {

thread_local const ProfileRange* innermost_range = nullptr;

ProfileRow public_row(const profile::Row& in, uint64_t all) {
  ProfileRow out;
  out.name = in.name;
  out.kind = name(in.kind);
  out.device = in.device;
  out.calls = in.calls;
  out.total = static_cast<double>(in.total) * 1e-9;
  out.mean = out.total / static_cast<double>(in.calls);
  out.min = static_cast<double>(in.least) * 1e-9;
  out.max = static_cast<double>(in.most) * 1e-9;
  out.share = all == 0 ? 0 : static_cast<double>(in.total) / static_cast<double>(all);
  out.bytes = in.bytes;
  if (in.total != 0) out.gb_per_second = static_cast<double>(in.bytes) / static_cast<double>(in.total);
  const double best = profile::known_bandwidth(in.bandwidth_key);
  if (best > 0) out.bandwidth_percent = out.gb_per_second * 1e9 / best * 100;
  return out;
}

}  // namespace

void start_profile(const std::string& trace, const ProfileOptions& options) {
  detail::unwrap(profile::Recorder::instance().start(trace, options.telemetry_interval));
}

std::vector<ProfileRow> profile_rows() {
  std::vector<profile::Row> rows = profile::Recorder::instance().rows();
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.total > b.total; });
  uint64_t all = 0;
  for (const profile::Row& r : rows) all += r.total;
  std::vector<ProfileRow> out;
  for (const profile::Row& r : rows) out.push_back(public_row(r, all));
  return out;
}

std::vector<ProfileRow> stop_profile() {
  profile::Recorder::instance().stop();
  return profile_rows();
}

std::uint64_t profile_dropped() { return profile::Recorder::instance().dropped(); }

ProfileRange::ProfileRange(std::string_view name) : name_(name), outer_(innermost_range) {
  innermost_range = this;
  nvtx::push(name_.c_str());
  if (profile::is_on()) begin_ = base::ticks();
}

ProfileRange::~ProfileRange() {
  innermost_range = outer_;
  nvtx::pop();
  if (begin_ != 0) profile::Recorder::instance().add_slice("range", std::move(name_), begin_, base::ticks());
}

const ProfileRange* ProfileRange::innermost() { return innermost_range; }

}  // namespace quern
