// The kernels of bench_cpu use vectors of full width, and access memory in rows: checked by the generated
// code, never by time.
#include <algorithm>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "driver/cpu/listing.hpp"
#include "driver/cpu/processor.hpp"
#include "driver/interface/driver.hpp"
#include "lang/compile.hpp"
#include "target/llvm/emit.hpp"

namespace quern::cpu {
namespace {

struct Wanted {
  const char* kernel;
  driver::Dim3 block;
  size_t rows;       // accesses of full width, at least
  size_t vectors;    // sums, products and comparisons of full width, at least
  size_t scattered;  // per-lane accesses, at most
};

// Where `scattered` is not 0 the kernel requires it: matrices with rows of any length, bins of a histogram,
// exclusive-or partners.
constexpr Wanted kWanted[] = {
    {"copy", {256, 1, 1}, 2, 1, 0},           {"saxpy", {256, 1, 1}, 3, 2, 0},
    {"triad", {256, 1, 1}, 3, 2, 0},          {"saxpy_stride", {256, 1, 1}, 3, 2, 0},
    {"stencil2d", {32, 8, 1}, 6, 6, 0},       {"stencil3d", {32, 8, 1}, 8, 8, 0},
    {"nbody", {128, 1, 1}, 1, 14, 8},         {"mandelbrot", {16, 16, 1}, 1, 7, 0},
    {"black_scholes", {256, 1, 1}, 5, 30, 0}, {"matmul_naive", {16, 16, 1}, 2, 2, 0},
    {"matmul_tiled", {16, 16, 1}, 5, 2, 0},   {"reduce_shared", {256, 1, 1}, 3, 2, 0},
    {"reduce_warp", {256, 1, 1}, 2, 2, 0},    {"reduce_serial", {256, 1, 1}, 2, 1, 0},
    {"scan", {256, 1, 1}, 2, 2, 0},           {"histogram", {256, 1, 1}, 2, 1, 4},
    {"spmv", {256, 1, 1}, 2, 2, 8},           {"softmax", {256, 1, 1}, 4, 10, 0},
    {"sort_step", {256, 1, 1}, 2, 2, 4},
};

size_t count(const std::string& text, const std::string& pattern) {
  const std::regex what(pattern);
  return static_cast<size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), what), std::sregex_iterator()));
}

struct Form {
  size_t rows = 0, vectors = 0, scattered = 0;
};

// A loop over lanes, or a gather, is a per-lane access.
Form form_of(const std::string& text, uint32_t width) {
  const std::string row = "<" + std::to_string(width) + " x ";
  Form f;
  f.rows = count(text, "(load|store) " + row + "(float|i32)>") + count(text, "call .*masked\\.(load|store)");
  f.vectors = count(text, "(fadd|fsub|fmul|fdiv|add|sub|mul|icmp [a-z]+|fcmp [a-z]+) (contract )?" + row);
  f.scattered = count(text, "call .*masked\\.(gather|scatter)") + count(text, "lane[0-9]+:");
  return f;
}

// As for a processor with masked loads and stores: scattered accesses there are scattered everywhere.
llvm::Options options_for(const ir::Function& kernel, const driver::Dim3& block, uint32_t width) {
  llvm::Options o;
  o.width = llvm::demand(kernel).warp && width != 1 ? 32 : width;
  o.shape = block.y == 1 ? llvm::Shape::kLine : llvm::Shape::kRows;
  o.has_masked_memory = o.has_fma = o.is_fused = true;
  return o;
}

class VectorsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto text = base::read_file(QUERN_SOURCE_DIR "/bench/cpu/kernels.cu");
    ASSERT_TRUE(text.ok()) << text.error().to_string();
    compiled_ = lang::compile("kernels.cu", *text);
    ASSERT_TRUE(compiled_.ok) << compiled_.rendered;
  }

  Form form(const Wanted& wanted, uint32_t width, uint32_t& own_width) {
    const ir::Function* kernel = compiled_.module.find_function(wanted.kernel);
    EXPECT_NE(kernel, nullptr) << wanted.kernel;
    const llvm::Options options = options_for(*kernel, wanted.block, width);
    own_width = options.width;
    const auto code = llvm::emit(compiled_.module, *kernel, options);
    EXPECT_TRUE(code.ok()) << code.error().to_string();
    return form_of(code->text, options.width);
  }

  lang::Compilation compiled_;
};

bool is_met(const Form& f, const Wanted& w) {
  return f.rows >= w.rows && f.vectors >= w.vectors && f.scattered <= w.scattered;
}

TEST_F(VectorsTest, BenchmarksAreVectorsOfFullWidth) {
  for (const uint32_t width : {8u, 16u}) {
    for (const Wanted& w : kWanted) {
      uint32_t own = 0;
      const Form f = form(w, width, own);
      EXPECT_GE(f.rows, w.rows) << w.kernel << ", " << own << " lanes";
      EXPECT_GE(f.vectors, w.vectors) << w.kernel << ", " << own << " lanes";
      EXPECT_LE(f.scattered, w.scattered) << w.kernel << ", " << own << " lanes";
    }
  }
}

TEST_F(VectorsTest, NoBenchmarkIsLeftOut) {
  size_t kernels = 0;
  for (const ir::Function* f : compiled_.module.functions) {
    if (!f->is_kernel) continue;
    ++kernels;
    EXPECT_TRUE(std::ranges::any_of(kWanted, [&](const Wanted& w) { return f->name == w.kernel; }))
        << f->name;
  }
  EXPECT_EQ(kernels, std::size(kWanted));
}

// Also the machine code of x86 processors: sums, products and comparisons use the largest registers. `spmv`
// runs one lane at a time, see FormTest.
TEST_F(VectorsTest, MachineCodeUsesTheLargestRegisters) {
  struct Kind {
    const char* vectors;
    const char* largest;
  };
  const std::string work =
      "\\sv(add|sub|mul|div|sqrt|fn?m|min|max|cmp|padd|psub|pmul|pmin|pmax|pcmp)[a-z0-9]*";
  for (const Kind& kind : {Kind{"avx512", "zmm"}, Kind{"avx2", "ymm"}}) {
    for (const Wanted& w : kWanted) {
      if (w.kernel == std::string("spmv")) continue;
      ListingOptions options;
      options.processor = *processor_with(kind.vectors);
      options.block = w.block;
      options.is_fused = true;
      const auto text =
          assembly_listing(compiled_.module, *compiled_.module.find_function(w.kernel), options);
      if (!text.ok() && text.error().kind() == base::ErrorKind::not_found) GTEST_SKIP() << "no LLVM";
      ASSERT_TRUE(text.ok()) << w.kernel << ": " << text.error().to_string();
      const size_t full = count(*text, work + "\\s[^\n]*%" + kind.largest);
      const size_t all = count(*text, work + "\\s");
      EXPECT_GE(full, 1u) << w.kernel << ", " << kind.vectors;  // the tiled product has one, in its loop
      EXPECT_GE(3 * full, 2 * all) << w.kernel << ", " << kind.vectors << ": " << full << " of " << all;
    }
  }
}

// The check must be able to fail: one lane needs no large register.
TEST_F(VectorsTest, MachineCodeForOneLaneHasNoLargeRegisters) {
  ListingOptions options;
  options.processor = *processor_with("avx512");
  options.width = 1;
  const auto text = assembly_listing(compiled_.module, *compiled_.module.find_function("saxpy"), options);
  if (!text.ok() && text.error().kind() == base::ErrorKind::not_found) GTEST_SKIP() << "no LLVM";
  ASSERT_TRUE(text.ok()) << text.error().to_string();
  EXPECT_EQ(count(*text, "%zmm"), 0u);
}

// The first check must be able to fail.
TEST_F(VectorsTest, CodeForOneLaneDoesNotPass) {
  for (const Wanted& w : kWanted) {
    uint32_t own = 0;
    EXPECT_FALSE(is_met(form(w, 1, own), w)) << w.kernel;
  }
}

// An index that no analysis can simplify is detected.
TEST_F(VectorsTest, ScatteredAccessesAreSeen) {
  compiled_ = lang::compile("t.cu",
                            "__global__ void k(const int* x, const float* y, float* z) {\n"
                            "  int i = blockIdx.x * blockDim.x + threadIdx.x; z[i] = y[x[i]]; }");
  ASSERT_TRUE(compiled_.ok);
  uint32_t own = 0;
  EXPECT_GE(form({"k", {256, 1, 1}, 0, 0, 0}, 16, own).scattered, 1u);
}

// Bundles of a cache line for memory-bound kernels, of several registers for compute-bound ones.
TEST_F(VectorsTest, StreamsAreKnown) {
  for (const char* name : {"copy", "saxpy", "triad"})
    EXPECT_EQ(llvm::demand(*compiled_.module.find_function(name)).stream_bytes, 4u) << name;
  for (const char* name :
       {"saxpy_stride", "stencil2d", "nbody", "black_scholes", "scan", "sort_step", "spmv"})
    EXPECT_EQ(llvm::demand(*compiled_.module.find_function(name)).stream_bytes, 0u) << name;
}

}  // namespace
}  // namespace quern::cpu
