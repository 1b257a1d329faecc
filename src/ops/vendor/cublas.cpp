// cuBLAS 11 to 13. Types, names and numbers are those of its header cublas_api.h.
#include <array>
#include <memory>

#include "ops/vendor/gemm.hpp"

namespace quern::ops::vendor {

namespace {

constexpr int kCublasAsStored = 0, kCublasTransposed = 1;  // cublasOperation_t
constexpr int kDefaultAlgorithm = -1;                      // CUBLAS_GEMM_DEFAULT
// CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION: sums of 16-bit elements stay in float.
constexpr int kFullSums = 16;

struct Types {
  int element, compute;  // cudaDataType, cublasComputeType_t
};

Types types_of(Element element, bool is_tf32) {
  constexpr int kFloat = 68, kDouble = 70, kTf32 = 77;  // CUBLAS_COMPUTE_32F, _64F, _32F_FAST_TF32
  if (is_tf32) return {0, kTf32};
  switch (element) {
    case Element::f64: return {1, kDouble};
    case Element::f16: return {2, kFloat};
    case Element::bf16: return {14, kFloat};
    default: return {0, kFloat};
  }
}

// clang-format off
#define QUERN_CUBLAS_SYMBOLS(X)                                                                                  \
  X(create, "cublasCreate_v2", int(void** handle))                                                               \
  X(destroy, "cublasDestroy_v2", int(void* handle))                                                              \
  X(version, "cublasGetVersion_v2", int(void* handle, int* version))                                             \
  X(set_math_mode, "cublasSetMathMode", int(void* handle, int mode))                                             \
  X(set_stream, "cublasSetStream_v2", int(void* handle, void* stream))                                           \
  X(set_workspace, "cublasSetWorkspace_v2", int(void* handle, void* memory, std::size_t bytes))                  \
  X(gemm, "cublasGemmStridedBatchedEx",                                                                          \
    int(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int type_a,     \
        int leading_a, long long batch_a, const void* b, int type_b, int leading_b, long long batch_b,           \
        const void* beta, void* c, int type_c, int leading_c, long long batch_c, int batches, int compute,       \
        int algorithm))
// clang-format on

class Cublas final : public GpuBlas {
 public:
  Cublas() : library_(load(Name::kCublas)) {
#define X(name, symbol, type) require(library_, symbol, name##_);
    QUERN_CUBLAS_SYMBOLS(X)
#undef X
    check(title_, "cublasCreate", create_(&handle_));
    note_initialized();
    int version = 0;
    check(title_, "cublasGetVersion", version_(handle_, &version));
    const int major = version >= 100000 ? 10000 : 1000;  // until version 11: 1000
    title_ = "cublas " + std::to_string(version / major) + "." + std::to_string(version % major / 100);
    check(title_, "cublasSetMathMode", set_math_mode_(handle_, kFullSums));
  }
  ~Cublas() override {
    if (!is_exiting()) (void)destroy_(handle_);
  }

  std::string title() const override { return title_; }

  void multiply(const Gemm& g, void* stream, const DeviceMemory& workspace) override {
    if (bytes_of(g.element) == 1) {
      if (lt_ == nullptr) lt_ = make_cublas_lt();
      lt_->multiply(g, stream, workspace);
      return;
    }
    check(title_, "cublasSetStream", set_stream_(handle_, stream));
    // Setting the stream resets the workspace.
    check(title_, "cublasSetWorkspace", set_workspace_(handle_, workspace.pointer, workspace.bytes));
    const Types types = types_of(g.element, g.is_tf32);
    const auto alpha = static_cast<float>(g.alpha), beta = static_cast<float>(g.beta);
    const bool is_double = g.element == Element::f64;
    const auto op = [](const GemmMatrix& m) { return m.is_transposed ? kCublasTransposed : kCublasAsStored; };
    const auto leading = [](const GemmMatrix& m) { return static_cast<int>(m.leading); };
    check(title_, "cublasGemmStridedBatchedEx",
          gemm_(handle_, op(g.a), op(g.b), g.m, g.n, g.k,
                is_double ? static_cast<const void*>(&g.alpha) : &alpha, g.a.memory, types.element,
                leading(g.a), g.a.batch, g.b.memory, types.element, leading(g.b), g.b.batch,
                is_double ? static_cast<const void*>(&g.beta) : &beta, g.c.memory, types.element,
                leading(g.c), g.c.batch, g.batches, types.compute, kDefaultAlgorithm));
  }

 private:
  extension::Library library_;
#define X(name, symbol, type)                                               \
  using name##_function = type; /* NOLINT(readability-identifier-naming) */ \
  name##_function* name##_ = nullptr;
  QUERN_CUBLAS_SYMBOLS(X)
#undef X
  void* handle_ = nullptr;
  std::string title_ = "cublas";
  std::unique_ptr<GpuBlas> lt_;  // from the first product of 8-bit elements on
};

}  // namespace

std::unique_ptr<GpuBlas> make_cublas() { return std::make_unique<Cublas>(); }

}  // namespace quern::ops::vendor
