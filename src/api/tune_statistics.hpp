// The time of a variant from several measurements.
#pragma once

#include <vector>

namespace quern::detail {

double median(std::vector<double> values);  // 0 without values

// The measurements without outliers: those that differ from the median by at most three (scaled) median
// absolute deviations, and at least those within 1 %.
std::vector<double> without_outliers(const std::vector<double>& values);

// The faster half of the measurements, without outliers. Other programs and low clocks only make a run
// slower, so the slower half says more about them than about the variant.
std::vector<double> undisturbed(std::vector<double> values);

}  // namespace quern::detail
