// Tensor maps stay in parameter memory, where hardware reads them.
#include <gtest/gtest.h>

#include "target_ptx/assembler.hpp"
#include "target_ptx/emitted.hpp"

namespace quern::test {
namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

size_t occurrences(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Copies a tile to shared memory and back, with inline PTX and with <cuda/ptx>.
constexpr const char* kCopy = R"(
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ void load(const CUtensorMap& map, void* to, int x, int y, unsigned long* bar) {
  const int at[2] = {x, y};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, at, bar);
}
extern "C" __global__ void k(const __grid_constant__ CUtensorMap from, int x, int y,
                             const __grid_constant__ CUtensorMap to) {
  __shared__ __align__(1024) float tile[64 * 32];
  __shared__ unsigned long bar;
  if (threadIdx.x != 0) return;
  asm volatile("prefetch.tensormap [%0];" ::"l"(&to) : "memory");
  ptx::mbarrier_init(&bar, 1u);
  load(from, tile, x, y, &bar);
  unsigned smem = (unsigned)__cvta_generic_to_shared(tile);
  unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
               " [%0], [%1, {%3, %4}], [%2];" ::"r"(smem), "l"(&from), "r"(at), "r"(x), "r"(y + 64) : "memory");
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(&from) : "memory");
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&to),
               "r"(smem), "r"(x), "r"(y) : "memory");
}
)";

TEST(PtxTensorMap, StaysInParameterMemory) {
  const auto code = emit_ptx(kCopy, ptx_options("sm_90"));
  ASSERT_TRUE(code.ok()) << code.error().message();
  const std::string& text = code->bytes;
  EXPECT_EQ(occurrences(text, ".param .align 64 .b8 param_0[128]"), 1u) << text;
  EXPECT_EQ(occurrences(text, ".param .align 64 .b8 param_3[128]"), 1u) << text;
  EXPECT_EQ(occurrences(text, "mov.b64 %d1, param_0;\n\tcvta.param.u64 %d2, %d1;"), 1u) << text;
  EXPECT_EQ(occurrences(text, "cvta.param.u64"), 2u) << text;
  EXPECT_FALSE(holds(text, "ld.param.b64")) << text;
  EXPECT_FALSE(holds(text, ".local")) << text;
  ASSERT_EQ(code->kernels.size(), 1u);
  const auto& params = code->kernels[0].params;
  EXPECT_EQ(params[0].object, driver::ParamObject::kTensorMap);
  EXPECT_EQ(params[0].bytes, 128u);
  EXPECT_EQ(params[1].object, driver::ParamObject::kNone);
  EXPECT_EQ(params[3].object, driver::ParamObject::kTensorMap);
}

TEST(PtxTensorMap, IsAccepted) {
  if (assembler().empty()) GTEST_SKIP() << "ptxas is not installed";
  const std::string text = ptx_of(kCopy, ptx_options("sm_90"));
  EXPECT_EQ(validate_ptx(text, "sm_90"), std::nullopt) << text;
  EXPECT_EQ(validate_ptx(text, "sm_90a"), std::nullopt) << text;
}

// Which of two maps is chosen at run time; the address as an integer, as CUTLASS passes it.
TEST(PtxTensorMap, HasAGenericAddress) {
  const std::string text = ptx_of(R"(
    __global__ void k(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, int which) {
      const CUtensorMap* map = which != 0 ? &a : &b;
      unsigned long long at = reinterpret_cast<unsigned long long>(map);
      asm volatile("prefetch.tensormap [%0];" ::"l"(at) : "memory");
    }
  )",
                                  ptx_options("sm_90"));
  EXPECT_EQ(occurrences(text, "cvta.param.u64"), 2u) << text;
  EXPECT_FALSE(holds(text, "cvta.to")) << text;
  EXPECT_FALSE(holds(text, ".local")) << text;
  if (assembler().empty()) GTEST_SKIP() << "ptxas is not installed";
  EXPECT_EQ(validate_ptx(text, "sm_90"), std::nullopt) << text;
}

TEST(PtxTensorMap, NeedsHopper) {
  const auto code = emit_ptx(kCopy, ptx_options("sm_80"));
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().message(),
            "kernel 'k' takes a tensor map ('from'), which only NVIDIA devices from sm_90 on can read "
            "(test.cu:8)");
}

// The hardware cannot read a copy in local memory.
TEST(PtxTensorMap, IsNoLocalVariable) {
  for (const char* const program : {
           "__global__ void k(const __grid_constant__ CUtensorMap a) { CUtensorMap map = a;"
           " asm volatile(\"prefetch.tensormap [%0];\" ::\"l\"(&map) : \"memory\"); }",
           "__device__ void f(CUtensorMap map) {"
           " asm volatile(\"prefetch.tensormap [%0];\" ::\"l\"(&map) : \"memory\"); }\n"
           "__global__ void k(const __grid_constant__ CUtensorMap a) { f(a); }",
           "struct Maps { CUtensorMap a, b; };\n"
           "__global__ void k(const __grid_constant__ Maps map) {"
           " asm volatile(\"prefetch.tensormap [%0];\" ::\"l\"(&map.b) : \"memory\"); }",
       }) {
    const auto code = emit_ptx(program, ptx_options("sm_90"));
    ASSERT_FALSE(code.ok()) << program << code->bytes;
    EXPECT_TRUE(holds(code.error().message(), "'map' is a tensor map in local memory"))
        << code.error().message();
  }
}

}  // namespace
}  // namespace quern::test
