#include <bit>
#include <memory>

#include "cpu/large_pages.hpp"
#include "cpu/loops.hpp"
#include "cpu/workload.hpp"

namespace quern::bench {
namespace {

class Numbers {
 public:
  uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33);
  }
  float real(float low, float high) {
    return low + (high - low) * static_cast<float>(next() & 0xffffff) / 0x1p24f;
  }

 private:
  uint64_t state_ = 42;
};

Array floats(int n, float low, float high) {
  Numbers numbers;
  Array a;
  for (int i = 0; i < n; ++i) a.words.push_back(std::bit_cast<uint32_t>(numbers.real(low, high)));
  return a;
}
Array integers(int n, uint32_t below) {
  Numbers numbers;
  Array a;
  a.is_float = false;
  for (int i = 0; i < n; ++i) a.words.push_back(numbers.next() % below);
  return a;
}
Array result(int n, bool is_float = true) {
  Array a;
  a.words.resize(static_cast<size_t>(n));
  a.is_float = is_float;
  a.is_result = true;
  return a;
}
Array as_result(Array a) {
  a.is_result = true;
  return a;
}
Array as_bodies(Array a) {
  a.element_words = 4;
  return a;
}

template <typename T = float>
T* data(Array& a) {
  return reinterpret_cast<T*>(a.words.data());
}

// For kernels with grid-stride loops.
constexpr const char* kInOrder = "the loop in the kernel's order";

Given at(size_t index) { return Given::place(index); }
uint32_t blocks(int n, int size) { return static_cast<uint32_t>((n + size - 1) / size); }

// 8 Mi floats exceed one core's caches; if the second-level caches of all cores together hold them, more are
// used.
void add_streams(std::vector<Workload>& all, int n) {
  const std::string size = std::to_string(n >> 20) + " Mi floats";
  const Dim3 grid(blocks(n, 256)), block(256);
  const auto from = std::make_shared<LargePages>(n), to = std::make_shared<LargePages>(n);
  all.push_back({"copy",
                 size,
                 grid,
                 block,
                 {floats(n, 0, 1), result(n)},
                 {n, at(0), at(1)},
                 12.0 * n,
                 0,
                 0,
                 [=](auto& a) { copy_loop(n, data(a[0]), data(a[1])); },
                 {"memcpy in large pages", [=](auto&) { copy_by_library(n, from->data(), to->data()); }}});
  all.push_back({"saxpy",
                 size,
                 grid,
                 block,
                 {floats(n, 0, 1), as_result(floats(n, 1, 2))},
                 {n, 0.001f, at(0), at(1)},
                 12.0 * n,
                 0,
                 1e-6,
                 [=](auto& a) { saxpy_loop(n, 0.001f, data(a[0]), data(a[1])); }});
  all.push_back({"saxpy_stride",
                 "the same, a loop over the grid",
                 Dim3(64),
                 block,
                 {floats(n, 0, 1), as_result(floats(n, 1, 2))},
                 {n, 0.001f, at(0), at(1)},
                 12.0 * n,
                 0,
                 1e-6,
                 [=](auto& a) { saxpy_loop(n, 0.001f, data(a[0]), data(a[1])); },
                 {kInOrder, [=](auto& a) { saxpy_in_turns(n, 64, 256, 0.001f, data(a[0]), data(a[1])); }}});
  all.push_back({"triad",
                 size,
                 grid,
                 block,
                 {floats(n, 0, 1), floats(n, 0, 1), result(n)},
                 {n, 3.0f, at(0), at(1), at(2)},
                 16.0 * n,
                 0,
                 1e-6,
                 [=](auto& a) { triad_loop(n, 3.0f, data(a[0]), data(a[1]), data(a[2])); }});
}

void add_stencils(std::vector<Workload>& all) {
  const int n = 1536;
  all.push_back({"stencil2d",
                 "1536 x 1536, 5 points",
                 Dim3(blocks(n, 32), blocks(n, 8)),
                 Dim3(32, 8),
                 {floats(n * n, 0, 1), result(n * n)},
                 {n, n, at(0), at(1)},
                 0,
                 6.0 * n * n,
                 1e-5,
                 [=](auto& a) { stencil2d_loop(n, n, data(a[0]), data(a[1])); }});
  const int m = 128;
  all.push_back({"stencil3d",
                 "128 x 128 x 128, 7 points",
                 Dim3(blocks(m, 32), blocks(m, 8), m),
                 Dim3(32, 8),
                 {floats(m * m * m, 0, 1), result(m * m * m)},
                 {m, m, m, at(0), at(1)},
                 0,
                 8.0 * m * m * m,
                 1e-5,
                 [=](auto& a) { stencil3d_loop(m, m, m, data(a[0]), data(a[1])); }});
}

void add_arithmetic(std::vector<Workload>& all) {
  const int bodies = 2048;
  all.push_back({"nbody",
                 "2048 bodies",
                 Dim3(blocks(bodies, 128)),
                 Dim3(128),
                 {as_bodies(floats(4 * bodies, 0, 1)), as_bodies(result(4 * bodies))},
                 {bodies, at(0), at(1)},
                 0,
                 20.0 * bodies * bodies,
                 1e-3,
                 [=](auto& a) { nbody_loop(bodies, data<Body>(a[0]), data<Body>(a[1])); }});
  const int side = 512, most = 256;
  all.push_back({"mandelbrot",
                 "512 x 512, 256 steps",
                 Dim3(blocks(side, 16), blocks(side, 16)),
                 Dim3(16, 16),
                 {result(side * side, false)},
                 {side, most, at(0)},
                 0,
                 0,
                 2e-3,
                 [=](auto& a) { mandelbrot_loop(side, most, data<int>(a[0])); }});
  const int options = 1 << 18;
  all.push_back({"black_scholes",
                 "256 Ki options",
                 Dim3(blocks(options, 256)),
                 Dim3(256),
                 {floats(options, 5, 30), floats(options, 1, 100), floats(options, 0.25f, 10),
                  result(options), result(options)},
                 {options, 0.02f, 0.3f, at(0), at(1), at(2), at(3), at(4)},
                 0,
                 0,
                 1e-3,
                 [=](auto& a) {
                   black_scholes_loop(options, 0.02f, 0.3f, data(a[0]), data(a[1]), data(a[2]), data(a[3]),
                                      data(a[4]));
                 }});
}

void add_products(std::vector<Workload>& all) {
  const int n = 512;
  for (const char* name : {"matmul_naive", "matmul_tiled"}) {
    all.push_back({name,
                   "512 x 512, blocks of 16 x 16",
                   Dim3(n / 16, n / 16),
                   Dim3(16, 16),
                   {floats(n * n, 0, 1), floats(n * n, 0, 1), result(n * n)},
                   {n, at(0), at(1), at(2)},
                   0,
                   2.0 * n * n * n,
                   1e-4,
                   [=](auto& a) { matmul_loop(n, data(a[0]), data(a[1]), data(a[2])); }});
  }
  const int rows = 1 << 16, width = 16;
  Array starts = integers(rows + 1, 1), columns = integers(rows * width * 2, rows);
  Numbers numbers;
  for (size_t r = 0; r < rows; ++r) starts.words[r + 1] = starts.words[r] + numbers.next() % (2 * width);
  // Columns near the diagonal, as in meshes.
  for (size_t r = 0; r < rows; ++r) {
    for (uint32_t k = starts.words[r]; k < starts.words[r + 1]; ++k)
      columns.words[k] = static_cast<uint32_t>((r + rows + columns.words[k] % 2048 - 1024) % rows);
  }
  all.push_back({"spmv",
                 "64 Ki rows of 0 to 31 numbers",
                 Dim3(blocks(rows, 256)),
                 Dim3(256),
                 {starts, columns, floats(rows * width * 2, 0, 1), floats(rows, 0, 1), result(rows)},
                 {rows, at(0), at(1), at(2), at(3), at(4)},
                 0,
                 2.0 * rows * width,
                 1e-4,
                 [=](auto& a) {
                   spmv_loop(rows, data<int>(a[0]), data<int>(a[1]), data(a[2]), data(a[3]), data(a[4]));
                 }});
}

void add_exchanges(std::vector<Workload>& all, int n) {
  constexpr int kThreads = 256;
  const int pieces = 64;
  const std::string size = std::to_string(n >> 20) + " Mi floats";
  for (const char* name : {"reduce_shared", "reduce_warp", "reduce_serial"}) {
    // The numbers of a piece differ from the loop's: all are equal, so that sums are comparable.
    all.push_back(
        {name,
         size,
         Dim3(pieces),
         Dim3(256),
         {floats(n, 1, 1), result(pieces)},
         {n, at(0), at(1)},
         4.0 * n,
         0,
         1e-5,
         [=](auto& a) { reduce_loop(n, pieces, data(a[0]), data(a[1])); },
         {kInOrder, [=](auto& a) { reduce_in_turns(n, pieces, kThreads, data(a[0]), data(a[1])); }}});
  }
  const int items = 1 << 21;
  all.push_back({"scan",
                 "2 Mi integers, blocks of 256",
                 Dim3(items / 256),
                 Dim3(256),
                 {integers(items, 100), result(items, false)},
                 {at(0), at(1)},
                 0,
                 0,
                 0,
                 [=](auto& a) { scan_loop(items / 256, 256, data<int>(a[0]), data<int>(a[1])); }});
  all.push_back({"histogram",
                 "2 Mi numbers, 256 bins",
                 Dim3(64),
                 Dim3(256),
                 {integers(items, 1 << 30), result(256, false)},
                 {items, at(0), at(1)},
                 0,
                 0,
                 0,
                 [=](auto& a) { histogram_loop(items, data<uint32_t>(a[0]), data<uint32_t>(a[1])); }});
  const int rows = 512, width = 1024;
  all.push_back({"softmax",
                 "512 rows of 1024",
                 Dim3(rows),
                 Dim3(256),
                 {floats(rows * width, -5, 5), result(rows * width)},
                 {width, at(0), at(1)},
                 0,
                 0,
                 1e-4,
                 [=](auto& a) { softmax_loop(rows, width, data(a[0]), data(a[1])); }});
  all.push_back({"sort_step",
                 "2 Mi integers, 1024 apart",
                 Dim3(items / 256),
                 Dim3(256),
                 {as_result(integers(items, 1 << 30))},
                 {1024, 4096, at(0)},
                 0,
                 0,
                 0,
                 [=](auto& a) { sort_step_loop(items, 1024, 4096, data<int>(a[0])); }});
}

}  // namespace

std::vector<Workload> workloads(int stream_floats) {
  std::vector<Workload> all;
  add_streams(all, stream_floats);
  add_stencils(all);
  add_arithmetic(all);
  add_products(all);
  add_exchanges(all, stream_floats);
  return all;
}

}  // namespace quern::bench
