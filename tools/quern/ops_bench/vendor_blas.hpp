// OpenBLAS, loaded at run time, for comparisons. Used by `quern bench ops` and bench_matmul.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/shared_library.hpp"

namespace quern::tool {

class VendorBlas {
 public:
  VendorBlas() {
    static constexpr std::array<std::string_view, 1> kNames = {"libopenblas.so.0"};
    const auto library = base::SharedLibrary::open(kNames, "install the package libopenblas0-pthread");
    if (!library.ok()) {
      why_not_ = library.error().message();
      return;
    }
    sgemm_ = reinterpret_cast<Gemm<float>>(library->find("cblas_sgemm"));
    dgemm_ = reinterpret_cast<Gemm<double>>(library->find("cblas_dgemm"));
    if (sgemm_ == nullptr || dgemm_ == nullptr)
      why_not_ = "libopenblas.so.0 lacks cblas_sgemm or cblas_dgemm";
  }

  // Why there is no library; empty: there is one.
  const std::string& why_not() const { return why_not_; }

  // c = a * b for row-major matrices of m × n results with depth k; a and b may be stored transposed.
  void multiply(int m, int n, int k, const float* a, bool a_is_transposed, const float* b,
                bool b_is_transposed, float* c) const {
    multiply(sgemm_, m, n, k, a, a_is_transposed, b, b_is_transposed, c);
  }
  void multiply(int m, int n, int k, const double* a, bool a_is_transposed, const double* b,
                bool b_is_transposed, double* c) const {
    multiply(dgemm_, m, n, k, a, a_is_transposed, b, b_is_transposed, c);
  }

 private:
  template <typename T>
  using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

  template <typename T>
  static void multiply(Gemm<T> gemm, int m, int n, int k, const T* a, bool a_is_transposed, const T* b,
                       bool b_is_transposed, T* c) {
    constexpr int kRowMajor = 101, kAsStored = 111, kTransposed = 112;  // of CBLAS
    gemm(kRowMajor, a_is_transposed ? kTransposed : kAsStored, b_is_transposed ? kTransposed : kAsStored, m,
         n, k, 1, a, a_is_transposed ? m : k, b, b_is_transposed ? k : n, 0, c, n);
  }

  Gemm<float> sgemm_ = nullptr;
  Gemm<double> dgemm_ = nullptr;
  std::string why_not_;
};

}  // namespace quern::tool
