// Operations compared with CUB on an NVIDIA device: bench_cub LIBRARY [ELEMENTS [OPERATION]].
// bench/ops/cub.cu says how to build the library. Ratio: CUB's time divided by ours, so more than 1 is
// faster. With an operation (reduce, scan, sort), only this one, and all variants of its kernels.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "base/shared_library.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "ops/choice.hpp"
#include "quern/interop.hpp"
#include "quern/ops.hpp"
#include "quern/quern.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;
using ops::Combine;
using ops::Tensor;

constexpr int kRounds = 11, kCalls = 8;

struct Cub {
  template <typename T>
  using Call = int (*)(void*, std::size_t*, const T*, T*, std::int64_t);
  Call<float> sum = nullptr, scan_float = nullptr;
  Call<std::int32_t> scan = nullptr;
  Call<std::uint32_t> sort = nullptr, sort_pairs = nullptr;
  Call<std::uint64_t> sort_wide = nullptr;
  int (*wait)() = nullptr;

  base::Result<> load(const base::SharedLibrary& library) {
    QUERN_TRY(library.load("bench_cub_sum", sum));
    QUERN_TRY(library.load("bench_cub_scan", scan));
    QUERN_TRY(library.load("bench_cub_scan_float", scan_float));
    QUERN_TRY(library.load("bench_cub_sort", sort));
    QUERN_TRY(library.load("bench_cub_sort_wide", sort_wide));
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

// What the kernels of a row are variants of.
struct Operation {
  const char* name;
  ops::Element element;
  std::int64_t n;
};

class Rows {
 public:
  Rows(const Device& gpu, const Cub& cub, std::string_view operation)
      : gpu_(gpu), cub_(cub), operation_(operation) {}
  bool has(std::string_view operation) const { return operation_.empty() || operation_ == operation; }
  // `prepare` runs before each call and is not measured. Without it, several calls are measured together, so
  // that the time in which the host submits the first one does not matter.
  void add(const Operation& operation, const char* name, double bytes, const std::function<void()>& prepare,
           const std::function<void()>& ours, const std::function<void()>& theirs,
           const std::function<bool()>& are_equal) {
    const double cub_seconds = middle_seconds(prepare, theirs);
    add_row(name, bytes, middle_seconds(prepare, ours), cub_seconds, are_equal);
    if (operation_.empty()) return;
    const ops::Problem problem{{operation.n}, operation.element};
    for (const Variant& v : ops::find_tunable(operation.name)->variants(gpu_.info(), problem)) {
      const ops::VariantScope scope(operation.name, v);
      try {
        add_row(v.to_string(), bytes, middle_seconds(prepare, ours), cub_seconds, are_equal);
      } catch (const Error& e) {
        std::printf("%s: %s\n", v.to_string().c_str(), e.what());
      }
    }
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
  double middle_seconds(const std::function<void()>& prepare, const std::function<void()>& work) const {
    std::vector<double> all;
    const int calls = prepare ? 1 : kCalls;
    for (int round = 0; round <= kRounds; ++round) {
      if (prepare) prepare();
      const double x = seconds([&] {
                         for (int i = 0; i < calls; ++i) work();
                       }) /
                       calls;
      if (round != 0) all.push_back(x);  // the first one compiles
    }
    return middle_of(all);
  }
  // `are_equal` is called here: as an argument, it could be evaluated before the time, without results.
  void add_row(const std::string& name, double bytes, double x, double y,
               const std::function<bool()>& are_equal) {
    table_.add_row({name, format("%.1f us", x * 1e6), format("%.1f GB/s", bytes / x * 1e-9),
                    format("%.1f us", y * 1e6), format("%.1f GB/s", bytes / y * 1e-9),
                    are_equal() ? format("%.3f", y / x) : "wrong"});
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
  std::string_view operation_;  // empty: all of them, without variants
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

template <typename T>
void compare_scans(Rows& rows, const Device& gpu, Cub::Call<T> cub, const char* name, std::int64_t n) {
  const Tensor<T> x(gpu, {n}), ours(gpu, {n}), theirs(gpu, {n});
  x.upload(random_numbers<T>(n, 8));
  rows.add(
      {"scan", ops::element_of<T>, n}, name, 2 * static_cast<double>(n) * sizeof(T), nullptr,
      [&] { ops::inclusive_scan(gpu, Combine::sum, x, ours); }, bound(gpu, cub, x, theirs),
      [&] {
        const std::vector<T> a = ours.download(), b = theirs.download();
        for (std::size_t i = 0; i < a.size(); ++i) {
          const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
          if (std::abs(difference) > (std::is_integral_v<T> ? 0 : 1e-4 * std::abs(static_cast<double>(b[i]))))
            return false;
        }
        return true;
      });
}

template <typename T>
void compare_sorts(Rows& rows, const Device& gpu, Cub::Call<T> cub, const char* name, std::int64_t n) {
  const Tensor<T> keys(gpu, {n}), ours(gpu, {n}), theirs(gpu, {n});
  keys.upload(random_numbers<T>(n, std::uint64_t{1} << 31));
  rows.add(
      {"sort", ops::element_of<T>, n}, name, static_cast<double>(n) * sizeof(T),
      [&] { ops::copy(gpu, keys, ours); }, [&] { ops::sort(gpu, ours); }, bound(gpu, cub, keys, theirs),
      [&] { return ours.download() == theirs.download(); });
}

void compare(const Device& gpu, const Cub& cub, std::int64_t n, std::string_view operation) {
  Rows rows(gpu, cub, operation);
  const double bytes = static_cast<double>(n) * 4;
  if (rows.has("reduce")) {
    const Tensor<float> x(gpu, {n}), ours(gpu, ops::Shape{1}), theirs(gpu, ops::Shape{1});
    x.upload(random_numbers<float>(n, 2));
    rows.add(
        {"reduce", ops::Element::f32, n}, "sum float", bytes, nullptr,
        [&] { ops::reduce(gpu, Combine::sum, x, ours); }, bound(gpu, cub.sum, x, theirs),
        [&] { return std::abs(ours.download()[0] / theirs.download()[0] - 1) < 1e-4f; });
  }
  if (rows.has("scan")) {
    compare_scans(rows, gpu, cub.scan, "inclusive scan int", n);
    compare_scans(rows, gpu, cub.scan_float, "inclusive scan float", n);
  }
  if (rows.has("sort")) {
    compare_sorts(rows, gpu, cub.sort, "radix sort of keys", n);
    compare_sorts(rows, gpu, cub.sort_wide, "radix sort of 64-bit keys", n / 2);
    const Tensor<std::uint32_t> keys(gpu, {n}), ours(gpu, {2 * n}), theirs(gpu, {2 * n});
    const Tensor<std::uint32_t> sorted = ours.slice(0, 0, n), values = ours.slice(0, n, n);
    keys.upload(random_numbers<std::uint32_t>(n, std::uint64_t{1} << 31));
    const auto restore = [&] {
      ops::copy(gpu, keys, sorted);
      ops::copy(gpu, keys, values);
    };
    rows.add(
        {"sort", ops::Element::u32, n}, "radix sort of pairs", 2 * bytes, restore,
        [&] { ops::sort(gpu, sorted, values); }, bound(gpu, cub.sort_pairs, keys, theirs),
        [&] { return ours.download() == theirs.download(); });
  }
  rows.print();
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::printf(
        "usage: bench_cub LIBRARY [ELEMENTS [reduce|scan|sort]]; bench/ops/cub.cu says how to build the "
        "library\n");
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
    compare(gpu, cub, n, count > 3 ? words[3] : "");
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  return 0;
}
