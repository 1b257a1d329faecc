// Optimizations of kernel code, checked by its text and structure, never by time. See docs/cpu.md.
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "driver/cpu/compiler.hpp"
#include "driver/cpu/module.hpp"
#include "driver/cpu/processor.hpp"
#include "lang/compile.hpp"
#include "target/llvm/emit.hpp"

namespace quern::cpu {
namespace {

size_t occurrences(const std::string& text, const std::string& pattern) {
  const std::regex what(pattern);
  return static_cast<size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), what), std::sregex_iterator()));
}

class FormTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto text = base::read_file(QUERN_SOURCE_DIR "/bench/cpu/kernels.cu");
    ASSERT_TRUE(text.ok()) << text.error().to_string();
    compile(*text);
  }
  void compile(const std::string& text) {
    compiled_ = lang::compile("kernels.cu", text);
    ASSERT_TRUE(compiled_.ok) << compiled_.rendered;
  }

  // As for a processor without masked loads and stores.
  llvm::Code emit(const char* name, llvm::Shape shape = llvm::Shape::kLine, uint32_t width = 16) {
    const ir::Function* kernel = compiled_.module.find_function(name);
    llvm::Options o;
    o.width = llvm::demand(*kernel).warp ? 32 : width;
    o.shape = shape;
    o.has_fma = o.is_fused = true;
    auto code = llvm::emit(compiled_.module, *kernel, o);
    EXPECT_TRUE(code.ok()) << code.error().to_string();
    return code.ok() ? std::move(*code) : llvm::Code{};
  }

  lang::Compilation compiled_;
};

TEST_F(FormTest, ShufflesByWhatALoopCountsArePermutes) {
  for (const auto& [name, type] : {std::pair{"scan", "i32"}, std::pair{"reduce_warp", "float"}}) {
    const std::string text = emit(name).text, row = std::string("<32 x ") + type + ">";
    EXPECT_GE(occurrences(text, "shufflevector " + row + " [^,]+, " + row + " poison, <32 x i32> <i32"), 5u)
        << name;
    EXPECT_EQ(occurrences(text, std::string("alloca \\[64 x ") + type), 0u) << name << " goes through memory";
  }
  // Values that are named in error messages keep their names, and a loop with an unknown bound stays a loop.
  compile(
      "__global__ void k(int* x, int n) { int v = x[threadIdx.x];\n"
      "  for (int d = n; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d); x[threadIdx.x] = v; }");
  EXPECT_EQ(occurrences(emit("k").text, "alloca \\[64 x"), 1u);
}

TEST_F(FormTest, PartnersByExclusiveOrAreRows) {
  const std::string text = emit("sort_step").text;
  const size_t first = text.find("\naligned"), last = text.find("\nusual");
  ASSERT_TRUE(first != std::string::npos && last > first);
  const std::string aligned = text.substr(first, last - first);
  EXPECT_EQ(occurrences(aligned, "load <16 x i32>, ptr"), 2u);
  EXPECT_EQ(occurrences(aligned, "store <16 x i32> .*, ptr"), 2u);
  EXPECT_EQ(occurrences(aligned, "call void @lanes"), 0u);
}

// Only integers, at the kernel's end, to addresses that are the same in all blocks.
TEST_F(FormTest, AdditionsOfInterleavedBlocksAreSummed) {
  const auto summed = [&] { return occurrences(emit("histogram").text, "\nadds[0-9]+:"); };
  EXPECT_EQ(summed(), 1u);
  const auto ends_with = [&](const std::string& end) {
    compile(
        "__global__ void histogram(int n, int* data, int* bins, float* sums) {\n"
        "  __shared__ int own[256]; int t = threadIdx.x; own[t] = 0; __syncthreads();\n"
        "  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)\n"
        "    atomicAdd(&own[data[i] & 255], 1);\n  __syncthreads();\n  " +
        end + "\n}");
    return summed();
  };
  EXPECT_EQ(ends_with("atomicAdd(&bins[t], own[t]);"), 1u);
  EXPECT_EQ(ends_with("atomicAdd(&bins[t], own[t]); atomicAdd(&bins[t + 256], own[t] & 1);"), 2u);
  for (const char* end : {"atomicAdd(&bins[t + blockIdx.x], own[t]);", "atomicAdd(&sums[t], 1.5f * own[t]);",
                          "atomicAdd(&bins[t], own[t]); __threadfence();", "atomicAdd(&bins[own[t]], 1);",
                          "atomicAdd(&bins[t], own[t]); data[t] = bins[t];",
                          "data[t] = atomicAdd(&bins[t], own[t]);", "atomicAdd_system(&bins[t], own[t]);"})
    EXPECT_EQ(ends_with(end), 0u) << end;
}

// vpdpbusd multiplies unsigned with signed bytes, so that two signed operands need two of them.
TEST_F(FormTest, SumsOfByteProductsAreInstructions) {
  compile(
      "__global__ void masked(const int* x, const int* y, int* out) {\n"
      "  int i = threadIdx.x; out[i] = __dp4a(x[i] >> 2 & 0x03030303, y[i], out[i]); }\n"
      "__global__ void any(const int* x, const int* y, int* out) {\n"
      "  int i = threadIdx.x; out[i] = __dp4a(x[i], y[i], out[i]); }\n"
      "__global__ void unsigned_bytes(const unsigned* x, const unsigned* y, unsigned* out) {\n"
      "  int i = threadIdx.x; out[i] = __dp4a(x[i], y[i], out[i]); }");
  const auto count = [&](const char* name, uint32_t width, bool has_byte_products) {
    llvm::Options o;
    o.width = width;
    o.has_masked_memory = true;
    o.has_byte_products = has_byte_products;
    const auto code = llvm::emit(compiled_.module, *compiled_.module.find_function(name), o);
    EXPECT_TRUE(code.ok()) << code.error().to_string();
    return occurrences(code->text, "call <16 x i32> @llvm.x86.avx512.vpdpbusd.512");
  };
  EXPECT_EQ(count("masked", 32, true), 2 * count("masked", 16, true));
  EXPECT_EQ(count("any", 16, true), 2 * count("masked", 16, true));
  EXPECT_GE(count("masked", 16, true), 1u);
  EXPECT_EQ(count("masked", 16, false), 0u);
  EXPECT_EQ(count("masked", 8, true), 0u);  // half of a register
  EXPECT_EQ(count("unsigned_bytes", 16, true), 0u);
}

TEST_F(FormTest, RowsAndColumnsOfAnIndexAreRows) {
  compile(
      "__global__ void k(int T, int C, const int* in, const float* words, const float* places, float* out) "
      "{\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / C, t = row % T, c = i % C;\n"
      "  out[i] = words[in[row] * C + c] + places[t * C + c];\n"
      "}");
  const std::string text = emit("k").text;
  const size_t first = text.find("\naligned"), last = text.find("\nusual");
  ASSERT_TRUE(first != std::string::npos && last > first);
  const std::string aligned = text.substr(first, last - first);
  EXPECT_EQ(occurrences(aligned, "load <16 x float>, ptr"), 2u);
  EXPECT_EQ(occurrences(aligned, "load i32, ptr"), 1u);  // one row for all lanes
  EXPECT_EQ(occurrences(aligned, "gather|fdiv|call void @lanes"), 0u);
}

TEST_F(FormTest, BlocksTakeTurnsInLoopsOverAGrid) {
  for (const char* name : {"saxpy_stride", "reduce_shared", "reduce_warp", "reduce_serial", "histogram"})
    EXPECT_TRUE(emit(name).is_abreast) << name;
  for (const char* name : {"softmax", "saxpy", "scan", "matmul_tiled"})
    EXPECT_FALSE(emit(name).is_abreast) << name;
  // A block that finishes a kernel before others is not interleaved.
  compile(
      "__global__ void k(int n, int* x) { if (blockIdx.x == 3) return; __syncthreads();\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = i; "
      "}");
  EXPECT_FALSE(emit("k").is_abreast);
}

// All threads leave such a loop: barriers after it need no check, and the tree no masks.
TEST_F(FormTest, LoopsOverAGridBringNoMasksWithThem) {
  for (const char* name : {"softmax", "reduce_shared", "histogram"})
    EXPECT_EQ(occurrences(emit(name).text, "@qn_fault"), 0u) << name;
}

TEST_F(FormTest, IndicesOfTheBlockAreNotKeptByBundles) {
  // `s`, which all threads share, is a register: its place in the records is unused.
  EXPECT_EQ(occurrences(emit("reduce_shared").text, "ptr %t[0-9]+, i64 64\n"), 0u);
}

TEST_F(FormTest, NumbersOfWarpsAreScalars) {
  // `before` is summed for the bundle, not per lane.
  EXPECT_EQ(occurrences(emit("scan").text, "alloca <32 x i32>"), 1u);  // `sum`
}

// No vector is split for them, unless the memory may have changed since the read.
TEST_F(FormTest, BinsReadTheirNumbersThemselves) {
  EXPECT_EQ(occurrences(emit("histogram").text, "extractelement <16 x ptr>"), 0u);
  EXPECT_GE(occurrences(emit("histogram").text, "= load i8, ptr"), 16u);  // `& 255`: only that byte is read
  compile(
      "__global__ void k(int* d) { __shared__ int own[8]; int i = threadIdx.x, v = d[i]; d[i] = 0;\n"
      "  atomicAdd(&own[v & 7], 1); __syncthreads(); d[i] = own[i & 7]; }");
  EXPECT_EQ(occurrences(emit("k").text, "extractelement <16 x ptr>"), 16u);
}

TEST_F(FormTest, ShortLoopsAreWrittenOut) {
  EXPECT_EQ(occurrences(emit("scan").text, "loop[0-9]+:"), 0u);  // eight sums
  const auto loops = [&](const std::string& head) {
    compile("__global__ void k(int n, int* x) { int v = 0; " + head + " v += x[i]; x[threadIdx.x] = v; }");
    return occurrences(emit("k").text, "loop[0-9]+:");
  };
  EXPECT_EQ(loops("for (int i = 0; i < 8; ++i)"), 0u);
  EXPECT_EQ(loops("for (int i = 0; i < 9; ++i)"), 1u);
  EXPECT_EQ(loops("for (int i = 0; i < n; ++i)"), 1u);
  EXPECT_EQ(loops("\n#pragma unroll 1\nfor (int i = 0; i < 8; ++i)"), 1u);
}

TEST_F(FormTest, LongVectorsAreStoredUpwards) {
  const std::string text = emit("saxpy", llvm::Shape::kLine, 64).text;
  EXPECT_EQ(occurrences(text, "store <64 x float>"), 0u);
  EXPECT_EQ(occurrences(text, "store <16 x float>"), 4u);
  EXPECT_EQ(occurrences(emit("saxpy").text, "store <16 x float>"), 1u);
  // Both forms of write-only memory.
  EXPECT_EQ(occurrences(emit("copy", llvm::Shape::kLine, 64).text, "store <16 x float>"), 8u);
}

TEST_F(FormTest, LanesFitTheProcessorAndTheBlock) {
  EXPECT_EQ(usual_lanes(*processor_with("neon")), 16u);
  EXPECT_EQ(usual_lanes(*processor_with("sse2")), 16u);
  EXPECT_EQ(usual_lanes(*processor_with("avx2")), 32u);
  EXPECT_EQ(usual_lanes(*processor_with("avx512")), 64u);
  EXPECT_EQ(fitting_lanes(64, {}, {256, 1, 1}), 64u);
  EXPECT_EQ(fitting_lanes(64, {}, {96, 1, 1}), 32u);
  EXPECT_EQ(fitting_lanes(64, {}, {32, 8, 1}), 32u);  // a bundle is part of one row
  EXPECT_EQ(fitting_lanes(64, {}, {16, 16, 1}), 16u);
  EXPECT_EQ(fitting_lanes(64, {}, {100, 1, 1}), 16u);
  llvm::Demand stream;
  stream.stream_bytes = 4;
  EXPECT_EQ(fitting_lanes(64, stream, {256, 1, 1}), 16u);
  EXPECT_EQ(fitting_lanes(8, stream, {256, 1, 1}), 8u);
  stream.stream_bytes = 1;  // a line of bytes
  EXPECT_EQ(fitting_lanes(64, stream, {256, 1, 1}), 64u);
  EXPECT_EQ(fitting_lanes(64, stream, {96, 1, 1}), 32u);
}

// Gathers take as long as single loads, and finished lanes wait for the longest row, even with hardware
// gathers (a Xeon with AVX-512 needed twice the time of a loop).
TEST_F(FormTest, LanesThatReadAnywhereInTheirOwnLoopRunAlone) {
  for (const bool has_gathers : {false, true}) {
    llvm::Options o;
    o.width = 16;
    o.has_masked_memory = has_gathers;
    for (const auto& [name, is_alone] : {std::pair{"spmv", true}, std::pair{"mandelbrot", false}}) {
      const auto code = llvm::emit(compiled_.module, *compiled_.module.find_function(name), o);
      ASSERT_TRUE(code.ok());
      EXPECT_EQ(code->is_better_alone, is_alone) << name;
    }
  }
}

TEST_F(FormTest, RowsUnderAMaskHaveNoCalls) {
  EXPECT_EQ(occurrences(emit("stencil2d", llvm::Shape::kRows).text, "call void @lanes"), 0u);
}

TEST_F(FormTest, KernelsWithoutLoopsRunRowsOfThreads) {
  EXPECT_TRUE(emit("stencil2d", llvm::Shape::kRows).is_by_rows);
  EXPECT_TRUE(emit("stencil3d", llvm::Shape::kRows).is_by_rows);
  EXPECT_FALSE(emit("matmul_naive", llvm::Shape::kRows).is_by_rows);  // depends on locality
  EXPECT_FALSE(emit("saxpy").is_by_rows);
}

// Code for every kind of vectors can be generated on any machine that has LLVM.
TEST_F(FormTest, EveryKindOfVectorsHasCode) {
  struct Kind {
    const char* name;
    char machine;  // of the object
    bool has_masked_memory;
  };
  constexpr char kX86 = 62, kAarch64 = static_cast<char>(183);
  for (const Kind& kind : {Kind{"neon", kAarch64, false}, Kind{"sse4", kX86, false}, Kind{"avx2", kX86, true},
                           Kind{"avx512", kX86, true}}) {
    const Processor p = *processor_with(kind.name);
    EXPECT_EQ(p.has_masked_memory, kind.has_masked_memory);
    const auto object = compile_object(emit("saxpy").text, p, Effort::kFull);
    if (!object.ok() && object.error().kind() == base::ErrorKind::not_found) GTEST_SKIP() << "no LLVM";
    ASSERT_TRUE(object.ok()) << kind.name << ": " << object.error().to_string();
    EXPECT_EQ((*object)[18], kind.machine) << kind.name;
  }
  EXPECT_FALSE(host_processor("mmx").ok());
  EXPECT_FALSE(host_processor(host_processor().is_aarch64 ? "avx2" : "neon").ok());
}

}  // namespace
}  // namespace quern::cpu
