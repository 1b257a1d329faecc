#include "api/tune_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace quern::detail {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> without_outliers(const std::vector<double>& values) {
  constexpr double kScale = 1.4826;  // a median absolute deviation as a standard deviation
  constexpr double kLeast = 0.01;
  const double middle = median(values);
  std::vector<double> distances;
  for (const double v : values) distances.push_back(std::abs(v - middle));
  const double most = std::max(3 * kScale * median(distances), kLeast * std::abs(middle));
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [&](double v) { return std::abs(v - middle) <= most; });
  return kept;
}

std::vector<double> undisturbed(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.resize((values.size() + 1) / 2);
  return without_outliers(values);
}

}  // namespace quern::detail
