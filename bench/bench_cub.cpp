// Operations compared with CUB on an NVIDIA device: bench_cub LIBRARY [ELEMENTS]. bench/ops/cub.cu says how
// to build the library. Ratio: CUB's time divided by ours, so more than 1 is faster.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "base/shared_library.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "quern/interop.hpp"
#include "quern/ops.hpp"
#include "quern/quern.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;
using ops::Combine;
using ops::Tensor;

constexpr int kRounds = 11;

struct Cub {
  template <typename T>
  using Call = int (*)(void*, std::size_t*, const T*, T*, std::int64_t);
  Call<float> sum = nullptr;
  Call<std::int32_t> scan = nullptr;
  Call<std::uint32_t> sort = nullptr, sort_pairs = nullptr;
  int (*wait)() = nullptr;

  base::Result<> load(const base::SharedLibrary& library) {
    QUERN_TRY(library.load("bench_cub_sum", sum));
    QUERN_TRY(library.load("bench_cub_scan", scan));
    QUERN_TRY(library.load("bench_cub_sort", sort));
    QUERN_TRY(library.load("bench_cub_sort_pairs", sort_pairs));
    return library.load("bench_cub_wait", wait);
  }
};

template <typename T>
T* pointer_to(const Tensor<T>& t) {
  return reinterpret_cast<T*>(interop::device_address(t.memory()));
}

// A function of CUB with its temporary memory. Failures end the program.
template <typename T>
std::function<void()> bound(const Device& gpu, Cub::Call<T> call, const Tensor<T>& in, const Tensor<T>& out) {
  const std::int64_t n = in.size();
  std::size_t size = 0;
  const auto check = [](int code) {
    if (code == 0) return;
    std::printf("CUB reports error %d\n", code);
    std::exit(1);
  };
  check(call(nullptr, &size, pointer_to(in), pointer_to(out), n));
  const Tensor<std::uint8_t> memory(gpu, {static_cast<std::int64_t>(size) + 1});
  return [=] {
    std::size_t bytes = size;
    check(call(pointer_to(memory), &bytes, pointer_to(in), pointer_to(out), n));
  };
}

class Rows {
 public:
  Rows(const Device& gpu, const Cub& cub) : gpu_(gpu), cub_(cub) {}
  // `prepare` runs before each of our calls and is not measured.
  void add(const char* name, double bytes, const std::function<void()>& prepare,
           const std::function<void()>& ours, const std::function<void()>& theirs,
           const std::function<bool()>& are_equal) {
    std::vector<double> a, b;
    for (int round = 0; round <= kRounds; ++round) {
      prepare();
      const double x = seconds(ours), y = seconds(theirs);
      if (round == 0) {  // compiles
        if (!are_equal()) std::printf("%s: the results differ\n", name);
        continue;
      }
      a.push_back(x);
      b.push_back(y);
    }
    const double x = middle_of(a), y = middle_of(b);
    table_.add_row({name, format("%.1f us", x * 1e6), format("%.1f GB/s", bytes / x * 1e-9),
                    format("%.1f us", y * 1e6), format("%.1f GB/s", bytes / y * 1e-9),
                    format("%.3f", y / x)});
  }
  void print() const { std::printf("%s", table_.to_string().c_str()); }

 private:
  double seconds(const std::function<void()>& work) const {
    wait();
    const auto start = std::chrono::steady_clock::now();
    work();
    wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  void wait() const {
    gpu_.synchronize();
    (void)cub_.wait();
  }
  static double middle_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }

  const Device& gpu_;
  const Cub& cub_;
  base::Table table_{{{"operation"},
                      {"time", Align::kRight},
                      {"rate", Align::kRight},
                      {"CUB", Align::kRight},
                      {"rate", Align::kRight},
                      {"ratio", Align::kRight}}};
};

template <typename T>
std::vector<T> random_numbers(std::int64_t count, std::uint64_t most) {
  std::vector<T> out(static_cast<std::size_t>(count));
  std::uint64_t state = 1;
  for (T& v : out) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<T>((state >> 33) % most);
  }
  return out;
}

void compare(const Device& gpu, const Cub& cub, std::int64_t n) {
  Rows rows(gpu, cub);
  const auto nothing = [] {};
  const double bytes = static_cast<double>(n) * 4;
  {
    const Tensor<float> x(gpu, {n}), ours(gpu, ops::Shape{1}), theirs(gpu, ops::Shape{1});
    x.upload(random_numbers<float>(n, 2));
    rows.add(
        "sum float", bytes, nothing, [&] { ops::reduce(gpu, Combine::sum, x, ours); },
        bound(gpu, cub.sum, x, theirs),
        [&] { return std::abs(ours.download()[0] / theirs.download()[0] - 1) < 1e-4f; });
  }
  {
    const Tensor<std::int32_t> x(gpu, {n}), ours(gpu, {n}), theirs(gpu, {n});
    x.upload(random_numbers<std::int32_t>(n, 8));
    rows.add(
        "inclusive scan int", 2 * bytes, nothing, [&] { ops::inclusive_scan(gpu, Combine::sum, x, ours); },
        bound(gpu, cub.scan, x, theirs), [&] { return ours.download() == theirs.download(); });
  }
  const Tensor<std::uint32_t> keys(gpu, {n}), ours(gpu, {2 * n}), theirs(gpu, {2 * n});
  const Tensor<std::uint32_t> sorted = ours.slice(0, 0, n), values = ours.slice(0, n, n);
  keys.upload(random_numbers<std::uint32_t>(n, std::uint64_t{1} << 31));
  const auto restore = [&] {
    ops::copy(gpu, keys, sorted);
    ops::copy(gpu, keys, values);
  };
  rows.add(
      "radix sort of keys", bytes, restore, [&] { ops::sort(gpu, sorted); },
      bound(gpu, cub.sort, keys, theirs),
      [&] { return sorted.download() == theirs.slice(0, 0, n).download(); });
  rows.add(
      "radix sort of pairs", 2 * bytes, restore, [&] { ops::sort(gpu, sorted, values); },
      bound(gpu, cub.sort_pairs, keys, theirs), [&] { return ours.download() == theirs.download(); });
  rows.print();
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::printf("usage: bench_cub LIBRARY [ELEMENTS]; bench/ops/cub.cu says how to build the library\n");
    return 2;
  }
  try {
    const std::string_view path = words[1];
    const auto library = base::SharedLibrary::open(std::span(&path, 1), "");
    Cub cub;
    if (!library.ok() || !cub.load(*library).ok()) {
      std::printf("%s cannot be loaded\n", words[1]);
      return 1;
    }
    const Device gpu = open("cuda");
    const std::int64_t n = count > 2 ? std::atoll(words[2]) : std::int64_t{1} << 28;
    std::printf("%s, %lld elements\n", gpu.info().name.c_str(), static_cast<long long>(n));
    compare(gpu, cub, n);
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  return 0;
}
