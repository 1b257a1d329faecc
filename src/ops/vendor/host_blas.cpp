// OpenBLAS and BLIS through their C interface, CBLAS with 32-bit integers.
#include <string_view>

#include "ops/vendor/gemm.hpp"

namespace quern::ops::vendor {

namespace {

constexpr int kColumnMajor = 102, kCblasAsStored = 111, kCblasTransposed = 112;  // of CBLAS

// "OpenBLAS 0.3.21 NO_LAPACKE …" is "0.3.21", as is "0.3.21".
std::string first_number(std::string_view text) {
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string_view::npos) return {};
  const std::size_t end = text.find_first_not_of("0123456789.", begin);
  return std::string(text.substr(begin, end - begin));
}

class Cblas final : public HostBlas {
 public:
  explicit Cblas(Name library) : library_(load(library)), title_(to_string(library)) {
    require(library_, "cblas_sgemm", sgemm_);
    require(library_, "cblas_dgemm", dgemm_);
    using Version = const char*();
    const char* const symbol = library == Name::kBlis ? "bli_info_get_version_str" : "openblas_get_config";
    if (auto* const version = reinterpret_cast<Version*>(library_.find(symbol)))
      title_ += " " + first_number(version());
  }

  std::string title() const override { return title_; }

  void multiply(const Gemm& gemm) const override {
    if (gemm.element == Element::f64) {
      multiply_batch(dgemm_, gemm);
    } else {
      multiply_batch(sgemm_, gemm);
    }
  }

 private:
  template <typename T>
  using Function = void(int order, int op_a, int op_b, int m, int n, int k, T alpha, const T* a,
                        int leading_a, const T* b, int leading_b, T beta, T* c, int leading_c);

  template <typename T>
  static void multiply_batch(Function<T>* function, const Gemm& g) {
    const auto op = [](const GemmMatrix& m) { return m.is_transposed ? kCblasTransposed : kCblasAsStored; };
    for (int i = 0; i < g.batches; ++i)
      function(kColumnMajor, op(g.a), op(g.b), g.m, g.n, g.k, static_cast<T>(g.alpha), g.a.at<T>(i),
               static_cast<int>(g.a.leading), g.b.at<T>(i), static_cast<int>(g.b.leading),
               static_cast<T>(g.beta), g.c.at<T>(i), static_cast<int>(g.c.leading));
  }

  extension::Library library_;
  std::string title_;
  Function<float>* sgemm_ = nullptr;
  Function<double>* dgemm_ = nullptr;
};

}  // namespace

std::unique_ptr<HostBlas> make_host_blas(Name library) { return std::make_unique<Cblas>(library); }

}  // namespace quern::ops::vendor
