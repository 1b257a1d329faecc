// Matrix fragments: which instructions they become. What these compute is the business of the suite on a
// card.
#include <gtest/gtest.h>

#include "target_ptx/emitted.hpp"

namespace quern::test {
namespace {

constexpr std::string_view kProgram = R"(
#include <mma.h>
using namespace nvcuda;
template <class T, class S>
__device__ void multiply(const T* a, S* c) {
  __shared__ alignas(32) T tile[256];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, S> fc;
  wmma::fill_fragment(fc, S(0));
  wmma::load_matrix_sync(fa, tile, 16);
  wmma::load_matrix_sync(fb, a, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
)";

std::string emitted(const std::string& kernel, const std::string& architecture) {
  return ptx_of(std::string(kProgram) + kernel, ptx_options(architecture));
}

size_t count(const std::string& text, std::string_view what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

constexpr const char* kHalf = "__global__ void k(const half* a, float* c) { multiply(a, c); }";

TEST(PtxMatrices, HalfFrom80On) {
  const std::string text = emitted(kHalf, "sm_80");
  EXPECT_EQ(count(text, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "), 2u) << text;
  EXPECT_EQ(count(text, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "), 1u);  // what lies in shared memory
  EXPECT_EQ(count(text, "shfl"), 0u);
  EXPECT_EQ(count(text, ".local"), 0u);  // fragments are registers
}

TEST(PtxMatrices, HalfOn75InHalves) {
  const std::string text = emitted(kHalf, "sm_75");
  EXPECT_EQ(count(text, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "), 4u);
}

TEST(PtxMatrices, PlainCodeBefore75) {
  const std::string text = emitted(kHalf, "sm_70");
  EXPECT_EQ(count(text, "mma"), 0u);
  EXPECT_GT(count(text, "shfl.sync.idx"), 0u);
}

TEST(PtxMatrices, Bfloat16OnlyFrom80On) {
  const std::string kernel = "__global__ void k(const __nv_bfloat16* a, float* c) { multiply(a, c); }";
  EXPECT_EQ(count(emitted(kernel, "sm_75"), "mma.sync"), 0u);
  EXPECT_EQ(count(emitted(kernel, "sm_80"), "m16n8k16.row.col.f32.bf16.bf16.f32"), 2u);
}

TEST(PtxMatrices, BytesInWords) {
  const std::string kernel = "__global__ void k(const signed char* a, int* c) { multiply(a, c); }";
  EXPECT_EQ(count(emitted(kernel, "sm_75"), "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32"), 4u);
  EXPECT_EQ(count(emitted(kernel, "sm_90"), "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32"), 2u);
}

}  // namespace
}  // namespace quern::test
