// Matrix products written with inline PTX: our compilation of the text against NVRTC's of the same text, in
// turn. Results are compared with each other and, in part, with the host.
//
//   bench_ptx [SIZE...]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "base/text.hpp"
#include "ptx_kernels.hpp"
#include "quern/quern.hpp"

namespace {

using quern::base::format;

struct Product {
  const char* name;
  const char* text;
  unsigned shared_bytes;
  bool is_tiled;  // a and b lie in tiles
};

uint16_t half_of(int small) {  // -8 to 8
  if (small == 0) return 0;
  const auto size = static_cast<unsigned>(std::abs(small));
  const int exponent = std::ilogb(static_cast<double>(size));
  const unsigned fraction = (size << (10 - exponent)) & 1023;
  return static_cast<uint16_t>((small < 0 ? 0x8000U : 0U) | static_cast<unsigned>(exponent + 15) << 10 |
                               fraction);
}

int a_at(size_t i, size_t k) { return static_cast<int>((i * 3 + k * 5) % 7) - 3; }
int b_at(size_t k, size_t n) { return static_cast<int>((k * 2 + n * 3) % 5) - 2; }

// Where row r and column k of the left side, or column r and row k of the right one, lie.
size_t tiled(size_t n, size_t r, size_t k) {
  const size_t tile = r / 128 * 128 * n + k / 64 * 128 * 64;
  return tile + (k % 64 / 8 * 16 + r % 128 / 8) * 64 + r % 8 * 8 + k % 8;
}

class Bench {
 public:
  Bench(const quern::Device& device, size_t n) : device_(device), n_(n), c_(device.allocate<float>(n * n)) {}

  void run(const Product& product, quern::base::Table& table) {
    std::vector<uint16_t> a(n_ * n_), b(n_ * n_);
    for (size_t i = 0; i < n_; ++i) {
      for (size_t k = 0; k < n_; ++k) {
        a[product.is_tiled ? tiled(n_, i, k) : i * n_ + k] = half_of(a_at(i, k));
        b[product.is_tiled ? tiled(n_, k, i) : i * n_ + k] = half_of(b_at(i, k));
      }
    }
    a_ = device_.upload(a), b_ = device_.upload(b);
    const quern::Kernel ours = kernel(product, quern::SourceKind::portable);
    const quern::Kernel plain = kernel(product, quern::SourceKind::native_cuda);
    const std::vector<float> our_result = result(product, ours), plain_result = result(product, plain);
    double our_time = 1e30, plain_time = 1e30;
    for (int round = 0; round < 15; ++round) {
      our_time = std::min(our_time, seconds(product, ours));
      plain_time = std::min(plain_time, seconds(product, plain));
    }
    const double work = 2.0 * static_cast<double>(n_) * static_cast<double>(n_) * static_cast<double>(n_);
    table.add_row({product.name, std::to_string(n_), format("%.1f us", our_time * 1e6),
                   format("%.1f us", plain_time * 1e6), format("%.3f", our_time / plain_time),
                   format("%.0f TFLOP/s", work / our_time * 1e-12),
                   is_right(our_result) && our_result == plain_result ? "equal" : "DIFFERENT"});
  }

 private:
  quern::Kernel kernel(const Product& product, quern::SourceKind kind) {
    quern::ModuleOptions options;
    options.source_kind = kind;
    options.math = quern::Math::fused;
    return device_.compile(product.text, options).kernel(product.name);
  }
  void launch(const Product& product, const quern::Kernel& kernel) {
    const auto blocks = static_cast<uint32_t>(n_ / 128);
    quern::LaunchConfig config;
    config.grid_size = {blocks, blocks, 1};
    config.block_size = {256, 1, 1};
    config.shared_bytes = product.shared_bytes;
    device_.stream().launch(kernel, config, static_cast<int>(n_), a_, b_, c_);
  }
  std::vector<float> result(const Product& product, const quern::Kernel& kernel) {
    c_.upload(std::vector<float>(n_ * n_, -1.0f));
    launch(product, kernel);
    return c_.download();
  }
  double seconds(const Product& product, const quern::Kernel& kernel) {
    constexpr int kLaunches = 20;
    launch(product, kernel);
    device_.synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kLaunches; ++i) launch(product, kernel);
    device_.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kLaunches;
  }
  bool is_right(const std::vector<float>& c) const {
    for (size_t i = 0; i < n_; i += 37) {
      for (size_t j = 0; j < n_; j += 41) {
        int sum = 0;
        for (size_t k = 0; k < n_; ++k) sum += a_at(i, k) * b_at(k, j);
        if (c[i * n_ + j] != static_cast<float>(sum)) return false;
      }
    }
    return true;
  }

  quern::Device device_;
  size_t n_;
  quern::Buffer<uint16_t> a_, b_;
  quern::Buffer<float> c_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::stoul(argv[i]));
  if (sizes.empty()) sizes = {4096, 8192};
  try {
    const quern::Device device = quern::open("cuda");
    using quern::base::Align;
    quern::base::Table table({{"product"},
                              {"size", Align::kRight},
                              {"ours", Align::kRight},
                              {"NVRTC", Align::kRight},
                              {"ratio", Align::kRight},
                              {"", Align::kRight},
                              {"results"}});
    const Product products[] = {{"gemm_mma", quern::bench::kMmaKernel, quern::bench::kMmaShared, false},
                                {"gemm_wgmma", quern::bench::kWgmmaKernel, quern::bench::kWgmmaShared, true}};
    for (const size_t n : sizes) {
      for (const Product& p : products) Bench(device, n).run(p, table);
    }
    std::printf("%s\n", table.to_string().c_str());
  } catch (const quern::Error& e) {
    std::printf("not measured: %s\n", e.what());
  }
}
