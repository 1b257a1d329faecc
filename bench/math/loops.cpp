#include "math/loops.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include <dlfcn.h>

namespace quern::bench {

namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
constexpr std::string_view kSleef = "avx512f", kMvec = "_ZGVeN16";
#elif defined(__AVX2__)
constexpr int kLanes = 8;
constexpr std::string_view kSleef = "avx2", kMvec = "_ZGVdN8";
#elif defined(__aarch64__)
constexpr int kLanes = 4;
constexpr std::string_view kSleef = "advsimd", kMvec = "_ZGVnN4";
#else
constexpr int kLanes = 4;
constexpr std::string_view kSleef = "sse4", kMvec = "_ZGVbN4";
#endif

using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

void* open_library(const char* name) { return ::dlopen(name, RTLD_NOW | RTLD_LOCAL); }

}  // namespace

std::optional<VectorFunction> VectorFunction::find(const std::string& name, int arguments) {
  static void* const sleef = open_library("libsleef.so.3");
  static void* const mvec = open_library("libmvec.so.1");
  VectorFunction f;
  f.arguments_ = arguments;
  for (const char* accuracy : {"_u10", "_u05", "_u15", "_u35", "_"}) {
    const std::string symbol = "Sleef_" + name + std::to_string(kLanes) + accuracy + std::string(kSleef);
    if (sleef != nullptr && f.function_ == nullptr) {
      f.function_ = ::dlsym(sleef, symbol.c_str());
      f.origin_ = std::string("SLEEF") + (accuracy[1] != 0 ? std::string(" ") + (accuracy + 1) : "");
    }
  }
  if (f.function_ == nullptr && mvec != nullptr) {
    f.function_ = ::dlsym(mvec, (std::string(kMvec) + (arguments == 2 ? "vv_" : "v_") + name).c_str());
    f.origin_ = "libmvec";
  }
  if (f.function_ == nullptr) return std::nullopt;
  return f;
}

void VectorFunction::run(int n, const float* x, const float* y, float* out) const {
  const auto load = [](const float* from) {
    Lanes v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  };
  if (arguments_ == 1) {
    const auto f = reinterpret_cast<Lanes (*)(Lanes)>(function_);
    for (int i = 0; i < n; i += kLanes) {
      const Lanes r = f(load(x + i));
      std::memcpy(out + i, &r, sizeof(r));
    }
    return;
  }
  const auto f = reinterpret_cast<Lanes (*)(Lanes, Lanes)>(function_);
  for (int i = 0; i < n; i += kLanes) {
    const Lanes r = f(load(x + i), load(y + i));
    std::memcpy(out + i, &r, sizeof(r));
  }
}

}  // namespace quern::bench
