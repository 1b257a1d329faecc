// Matrix fragments in an inline kernel, also as compiled by the host compiler.
#include <gtest/gtest.h>

#include "quern/inline.hpp"
#include "quern/wmma.hpp"

QUERN_KERNEL(multiply_fragments, (const half* a, const half* b, float* c), {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 1.0f);
  wmma::load_matrix_sync(x, a, 16);
  wmma::load_matrix_sync(y, b, 16);
  wmma::mma_sync(sum, x, y, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
})

namespace quern {
namespace {

constexpr int kSide = 16;

float expected(int row, int column) {
  float sum = 1;
  for (int k = 0; k < kSide; ++k)
    sum += static_cast<float>((row * kSide + k) % 7) * static_cast<float>((column * kSide + k) % 5);
  return sum;
}

TEST(InlineMatrix, EveryDeviceMultipliesFragments) {
  std::vector<kernel::half> a, b;
  for (int i = 0; i < kSide * kSide; ++i) {
    a.emplace_back(static_cast<float>(i % 7));
    b.emplace_back(static_cast<float>(i % 5));
  }
  for (const char* name : {"native", "sim"}) {
    const Device device = open(name);
    auto x = device.upload(a), y = device.upload(b);
    auto c = device.upload(std::vector<float>(kSide * kSide));
    device.launch(multiply_fragments, grid(1, 32), x, y, c);
    const std::vector<float> out = c.download();
    for (int i = 0; i < kSide * kSide; ++i)
      ASSERT_EQ(out[static_cast<size_t>(i)], expected(i / kSide, i % kSide)) << name << " " << i;
  }
}

}  // namespace
}  // namespace quern
