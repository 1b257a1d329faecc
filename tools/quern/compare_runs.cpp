#include "compare_runs.hpp"

#include <cmath>
#include <cstring>

#include "base/text.hpp"

namespace quern::tool {

namespace {

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double scale = std::max(std::fabs(a), std::fabs(b));
  const double d = std::fabs(a - b) / scale;
  return std::isnan(d) ? INFINITY : d;
}

void compare_number(BufferComparison& out, uint64_t index, ir::TypeKind type, const std::byte* a,
                    const std::byte* b, uint64_t bytes, double tolerance) {
  ++out.numbers;
  if (std::memcmp(a, b, bytes) == 0) return;
  const std::string left = runtime::print_number(type, a), right = runtime::print_number(type, b);
  if (is_float(type)) {
    const double d =
        distance(base::parse_double(left).value_or(NAN), base::parse_double(right).value_or(NAN));
    out.largest = std::max(out.largest, d);
    if (d <= tolerance) return;
  }
  if (out.differ++ > 0) return;
  out.first = index;
  out.left = left;
  out.right = right;
}

}  // namespace

std::vector<BufferComparison> compare(const DeviceRun& left, const DeviceRun& right, double tolerance) {
  std::vector<BufferComparison> all;
  for (const RunArgument& a : left.arguments()) {
    if (!a.is_buffer || !a.param.is_written) continue;
    const RunArgument* b = right.buffer(a.param.name);
    BufferComparison out;
    out.name = a.param.name;
    const uint64_t bytes = a.given.element_bytes() / a.given.lanes;
    for (uint64_t i = 0; (i + 1) * bytes <= a.content.size(); ++i)
      compare_number(out, i, a.given.type, a.content.data() + i * bytes, b->content.data() + i * bytes, bytes,
                     tolerance);
    all.push_back(std::move(out));
  }
  return all;
}

}  // namespace quern::tool
