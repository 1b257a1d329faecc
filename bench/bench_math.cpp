// Every function of the math library on the cpu device, on one thread: nanoseconds per call of the exact and
// of the fast form, compared with SLEEF (libsleef.so.3 if it is installed), otherwise glibc's libmvec,
// otherwise the C library's function in a loop; and the largest error of both forms over the measured
// arguments, in units in the last place.
//
//   bench_math [--filter TEXT] [--rounds N]
//
// The ratio is the exact form's time to the library's. The sides take turns; the shortest time of each is
// shown.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "math/functions.hpp"
#include "math/loops.hpp"
#include "quern/quern.hpp"
#include "throttle_note.hpp"

namespace quern::bench {
namespace {

constexpr int kCount = 1 << 15;  // floats: the arrays fit the second-level cache
constexpr int kCalls = 8;        // launches per measurement

struct Options {
  std::string filter;
  int rounds = 12;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// |got - want| in units in the last place of `want`.
double units(float got, double want) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) == std::isnan(got) ? 0 : HUGE_VAL;
  const auto rounded = static_cast<float>(want);
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : HUGE_VAL;
  int exponent = 0;
  std::frexp(want, &exponent);
  return std::fabs(got - want) / std::ldexp(1.0, std::max(exponent, -125) - 24);
}

std::string source_of(const MathFunction& f) {
  return base::format(
      "template <class F> __device__ float two(F f, float x) { float s, c; f(x, &s, &c); return s + c; }\n"
      "__global__ void k(const float* a, const float* b, float* out) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0; float x = a[i], y = b[i], s = 0;\n"
      "  float r = %s; out[i] = r + s * 0 + k * 0;\n}\n",
      f.call);
}

class Side {
 public:
  Side(const Device& device, const MathFunction& f, Math math, const std::vector<float>& x,
       const std::vector<float>& y)
      : device_(device), a_(device.upload(x)), b_(device.upload(y)), out_(device.upload(x)) {
    ModuleOptions options;
    options.math = math;
    kernel_.emplace(device.compile(source_of(f), options).kernel("k"));
    for (const double end = now() + 0.02; now() < end;) run();
  }

  void run() {
    const Argument arguments[] = {Argument(a_), Argument(b_), Argument(out_)};
    for (int i = 0; i < kCalls; ++i)
      device_.stream().launch_list(*kernel_, quern::grid(kCount / 256, 256), arguments);
    device_.synchronize();
  }
  std::vector<float> result() const { return out_.download(); }

 private:
  Device device_;
  std::optional<Kernel> kernel_;
  Buffer<float> a_, b_, out_;
};

// The C library's function, one call at a time.
void run_scalar(const MathFunction& f, const std::vector<float>& x, const std::vector<float>& y,
                std::vector<float>& out) {
  for (size_t i = 0; i < x.size(); ++i) out[i] = f.scalar(x[i], y[i]);
}

template <typename Work>
void measure(double& best, const Work& work) {
  const double start = now();
  work();
  const double took = (now() - start) / (double{kCount} * kCalls) * 1e9;
  best = best == 0 ? took : std::min(best, took);
}

double worst_error(const MathFunction& f, const std::vector<float>& x, const std::vector<float>& y,
                   const std::vector<float>& got) {
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, units(got[i], f.exact(x[i], y[i])));
  return worst;
}

void show(const MathFunction& f, const Device& device, int rounds) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> any(static_cast<float>(f.low), static_cast<float>(f.high));
  std::vector<float> x(kCount), y(kCount), out(kCount);
  for (float& v : x) v = any(random);
  for (float& v : y) v = any(random);
  Side exact(device, f, Math::exact, x, y), fast(device, f, Math::fast, x, y);
  const int arguments = std::string(f.call).find(", y") != std::string::npos ? 2 : 1;
  const auto library = f.vector != nullptr ? VectorFunction::find(f.vector, arguments) : std::nullopt;
  double ours = 0, quick = 0, theirs = 0;
  for (int round = 0; round < rounds; ++round) {
    measure(ours, [&] { exact.run(); });
    measure(quick, [&] { fast.run(); });
    if (!library && f.scalar == nullptr) continue;
    measure(theirs, [&] {
      for (int i = 0; i < kCalls; ++i)
        library ? library->run(kCount, x.data(), y.data(), out.data()) : run_scalar(f, x, y, out);
    });
  }
  const std::string origin = library ? library->origin() : f.scalar != nullptr ? "libm" : "";
  std::printf("%-15s %8.2f %8.2f %8s %-10s %6s", f.name, ours, quick,
              theirs > 0 ? base::format("%.2f", theirs).c_str() : "", origin.c_str(),
              theirs > 0 ? base::format("%.2f", ours / theirs).c_str() : "");
  if (f.exact != nullptr && f.bound > 0) {
    std::printf(" %7.2f %9.3g %5.1f", worst_error(f, x, y, exact.result()),
                worst_error(f, x, y, fast.result()), f.bound);
  }
  std::printf("\n");
}

int run(int argc, char** argv) {
  Options w;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--filter") {
      w.filter = value;
    } else if (key == "--rounds" && base::parse_uint(value)) {
      w.rounds = static_cast<int>(*base::parse_uint(value));
    } else {
      std::printf("bench_math [--filter TEXT] [--rounds N]\n");
      return 2;
    }
  }
  ::setenv("QUERN_CPU_THREADS", "1", 1);
  ::setenv("QUERN_CPU_EFFORT", "full", 0);  // quick code may otherwise still run while it is measured
  const Device device = quern::open("cpu");
  ThrottleNote throttling(device.info());
  std::printf("%s, one thread, ns per call\n\n%-15s %8s %8s %8s %-10s %6s %7s %9s %5s\n",
              device.name().c_str(), "function", "exact", "fast", "library", "", "ratio", "ulp", "fast ulp",
              "CUDA");
  for (const MathFunction& f : float_functions()) {
    if (std::string(f.name).find(w.filter) == std::string::npos) continue;
    try {
      show(f, device, w.rounds);
    } catch (const Error& error) {
      std::printf("%-15s %s\n", f.name, error.what());
    }
  }
  throttling.print();
  return 0;
}

}  // namespace
}  // namespace quern::bench

int main(int argc, char** argv) { return quern::bench::run(argc, argv); }
