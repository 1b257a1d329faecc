// The time of a variant from several measurements.
#pragma once

#include <vector>

namespace quern::detail {

double median(std::vector<double> values);  // 0 without values

// The measurements without outliers: those that differ from the median by at most three (scaled) median
// absolute deviations, and at least those within 1 %.
std::vector<double> without_outliers(const std::vector<double>& values);

}  // namespace quern::detail
