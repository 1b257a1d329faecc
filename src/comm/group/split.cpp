#include "quern/comm/split.hpp"

#include <algorithm>
#include <cmath>

#include "comm/failure.hpp"
#include "comm/messages_group.hpp"

namespace quern {

Split Split::by_weights(std::uint64_t total, std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0)
      comm::fail(ErrorKind::invalid_use,
                 comm::message::kBadWeight(std::to_string(i), std::to_string(weights[i])));
    sum += weights[i];
  }
  if (!(sum > 0) || !std::isfinite(sum)) comm::fail(ErrorKind::invalid_use, comm::message::kNoWeight());
  Split out;
  double before = 0;
  std::uint64_t end = 0;
  for (const double weight : weights) {
    before += weight;
    if (weight > 0) {  // others remain empty
      const double exact = static_cast<double>(total) * (before / sum);
      end = before >= sum ? total : std::clamp(static_cast<std::uint64_t>(std::llround(exact)), end, total);
    }
    out.ends_.push_back(end);
  }
  return out;
}

Split Split::by_sizes(std::span<const std::uint64_t> sizes) {
  Split out;
  for (const std::uint64_t size : sizes) out.ends_.push_back(out.total() + size);
  return out;
}

std::size_t Split::owner(std::uint64_t position) const {
  return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), position) - ends_.begin());
}

}  // namespace quern
