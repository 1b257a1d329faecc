// The competitors of bench_ops on the host: OpenMP loops, and std::sort.
#pragma once

#include <cstdint>
#include <vector>

namespace quern::bench {

void square(const std::vector<float>& in, std::vector<float>& out);
float sum(const std::vector<float>& in);
void scan(const std::vector<std::int32_t>& in, std::vector<std::int32_t>& out);
void histogram(const std::vector<float>& in, std::vector<std::uint32_t>& counts);  // of 0 to 1
void multiply(const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c, int n);

}  // namespace quern::bench
