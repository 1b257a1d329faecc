// Inline PTX of the simulator without kernels: which instructions it executes, and the layout of matrices.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "driver/sim/ptx_info.hpp"
#include "driver/sim/wgmma_layout.hpp"

namespace quern::sim {
namespace {

std::string accumulators(int count) {
  std::string text = "{%0";
  for (int i = 1; i < count; ++i) text += ", %" + std::to_string(i);
  return text + "}";
}

TEST(PtxInfo, ArgumentsHaveOneOrMoreOperands) {
  const auto info = parse_ptx(
      "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, %6, %7, %8, %9, %10",
      false);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->kind, PtxKind::kWgmma);
  EXPECT_EQ(info->count(), 7u);
  EXPECT_EQ(info->width(0), 2u);
  EXPECT_EQ(info->width(1), 4u);
  EXPECT_EQ(info->arguments.back(), 11u);
  EXPECT_TRUE(info->wgmma.has_a_registers);
}

TEST(PtxInfo, TheResultIsNoArgument) {
  const auto info = parse_ptx("mbarrier.try_wait.parity.shared::cta.b64 %0, [%1], %2", true);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->kind, PtxKind::kMbarrierWait);
  EXPECT_TRUE(info->is_parity);
  EXPECT_EQ(info->count(), 2u);
}

TEST(PtxInfo, FormsOfBulkCopies) {
  const auto multicast = parse_ptx(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
      "[%3], %4",
      false);
  ASSERT_TRUE(multicast);
  EXPECT_TRUE(multicast->is_multicast);
  EXPECT_FALSE(multicast->from_shared);
  const auto store = parse_ptx("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2", false);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->kind, PtxKind::kBulkStore);
  const auto wait = parse_ptx("cp.async.bulk.wait_group.read %0", false);
  ASSERT_TRUE(wait);
  EXPECT_TRUE(wait->is_read);
}

TEST(PtxInfo, OthersAreRefused) {
  const std::string rest = ", %4, %5, %6, %7, %8";
  const auto is_executed = [](const std::string& text) { return parse_ptx(text, false).has_value(); };
  const std::string wgmma = "wgmma.mma_async.sync.aligned.";
  EXPECT_TRUE(is_executed(wgmma + "m64n8k8.f32.tf32.tf32 " + accumulators(4) + rest));
  EXPECT_FALSE(is_executed(wgmma + "m64n8k16.f32.tf32.tf32 " + accumulators(4) + rest));  // k
  EXPECT_FALSE(is_executed(wgmma + "m64n12k8.f32.tf32.tf32 " + accumulators(6) + ", %6, %7, %8, %9, %10"));
  EXPECT_FALSE(is_executed(wgmma + "m64n8k8.f16.tf32.tf32 " + accumulators(2) + ", %2, %3, %4, %5, %6"));
  EXPECT_FALSE(is_executed(wgmma + "m64n16k8.f32.tf32.tf32 " + accumulators(4) + rest));  // registers
  EXPECT_FALSE(is_executed("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " + accumulators(4) + rest));
  EXPECT_FALSE(is_executed("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0], [%1]"));
  EXPECT_FALSE(is_executed("mbarrier.init.shared.b64 [%0]"));
  EXPECT_FALSE(is_executed("nonsense"));
}

TEST(WgmmaLayout, DescriptorsHaveUnitsOf16Bytes) {
  const MatrixDescriptor m(uint64_t{0x400 >> 4} | uint64_t{128 >> 4} << 16 | uint64_t{1024 >> 4} << 32 |
                           uint64_t{1} << 62);
  EXPECT_EQ(m.start, 0x400u);
  EXPECT_EQ(m.leading, 128u);
  EXPECT_EQ(m.stride, 1024u);
  EXPECT_EQ(m.swizzle, 128u);
  EXPECT_FALSE(m.has_reserved_bits);
  EXPECT_TRUE(m.is_aligned());
  EXPECT_FALSE(MatrixDescriptor(uint64_t{0x480 >> 4} | uint64_t{1} << 62).is_aligned());
  EXPECT_TRUE(MatrixDescriptor(uint64_t{0x480 >> 4} | uint64_t{1} << 49 | uint64_t{1} << 62).is_aligned());
  EXPECT_TRUE(MatrixDescriptor(uint64_t{1} << 15).has_reserved_bits);
}

// Chunks of 16 bytes of the first row of the second pattern row are exchanged.
TEST(WgmmaLayout, SwizzledChunksAreExchangedByRow) {
  MatrixDescriptor m(uint64_t{1} << 62);
  m.stride = 1024;
  EXPECT_EQ(element_address(m, false, 2, 0, 0), 0u);
  EXPECT_EQ(element_address(m, false, 2, 1, 0), 128u + 16);
  EXPECT_EQ(element_address(m, false, 2, 1, 8), 128u);
  EXPECT_EQ(element_address(m, false, 2, 9, 0), 1024u + 128 + 16);
  m.swizzle = 32;
  m.stride = 256;
  EXPECT_EQ(element_address(m, false, 2, 1, 0), 32u);
  EXPECT_EQ(element_address(m, false, 2, 4, 0), 128u + 16);
}

// Elements do not overlap: a matrix of 64 x 16 halves fills 2 KiB in each layout.
TEST(WgmmaLayout, ElementsHavePlacesOfTheirOwn) {
  struct Layout {
    uint32_t swizzle, leading, stride;
    bool is_transposed;
  };
  const Layout layouts[] = {
      {0, 128, 256, false}, {32, 16, 256, false}, {0, 1024, 128, true}, {128, 2048, 1024, true}};
  for (const Layout& l : layouts) {
    MatrixDescriptor m(0);
    m.swizzle = l.swizzle;
    m.leading = l.leading;
    m.stride = l.stride;
    std::set<uint32_t> places;
    for (uint32_t row = 0; row < 64; ++row) {
      for (uint32_t k = 0; k < 16; ++k) places.insert(element_address(m, l.is_transposed, 2, row, k));
    }
    EXPECT_EQ(places.size(), 1024u) << l.swizzle;
    EXPECT_EQ(*places.rbegin(), 2046u) << l.swizzle;
  }
}

TEST(WgmmaLayout, RegistersCoverTheMatrix) {
  std::set<std::pair<uint32_t, uint32_t>> sums, a;
  for (uint32_t t = 0; t < kWarpgroup; ++t) {
    for (uint32_t i = 0; i < 16; ++i) {
      const MatrixPlace p = accumulator_place(t, i), q = a_register_place(WgmmaType::kS8, t, i);
      sums.insert({p.row, p.column});
      a.insert({q.row, q.column});
    }
  }
  EXPECT_EQ(sums.size(), 64u * 32);
  EXPECT_EQ(a.size(), 64u * 32);
}

TEST(WgmmaLayout, FloatsOf8Bits) {
  EXPECT_EQ(element_value(WgmmaType::kE4M3, 0x38), 1.0f);
  EXPECT_EQ(element_value(WgmmaType::kE4M3, 0x7E), 448.0f);
  EXPECT_EQ(element_value(WgmmaType::kE4M3, 0x81), -std::ldexp(1.0f, -9));
  EXPECT_TRUE(std::isnan(element_value(WgmmaType::kE4M3, 0x7F)));
  EXPECT_EQ(element_value(WgmmaType::kE5M2, 0x3C), 1.0f);
  EXPECT_EQ(element_value(WgmmaType::kE5M2, 0x7B), 57344.0f);
  EXPECT_TRUE(std::isinf(element_value(WgmmaType::kE5M2, 0xFC)));
  EXPECT_EQ(element_value(WgmmaType::kTF32, 0x3F801FFF), 1.0f);
}

}  // namespace
}  // namespace quern::sim
