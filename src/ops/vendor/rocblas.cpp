// rocBLAS 4 and 5. Types, names and numbers are those of its header rocblas-types.h.
#include <array>

#include "ops/vendor/gemm.hpp"

namespace quern::ops::vendor {

namespace {

constexpr int kRocblasAsStored = 111, kRocblasTransposed = 112;  // rocblas_operation
constexpr int kStandard = 0;                                     // rocblas_gemm_algo_standard
constexpr int kRocblasFloat = 151, kRocblasDouble = 152;  // rocblas_datatype_f32_r, rocblas_datatype_f64_r

int type_of(Element element) {
  switch (element) {
    case Element::f64: return kRocblasDouble;
    case Element::f16: return 150;
    case Element::bf16: return 168;
    default: return kRocblasFloat;
  }
}

// clang-format off
#define QUERN_ROCBLAS_SYMBOLS(X)                                                                                 \
  X(create, "rocblas_create_handle", int(void** handle))                                                         \
  X(destroy, "rocblas_destroy_handle", int(void* handle))                                                        \
  X(version, "rocblas_get_version_string", int(char* text, std::size_t bytes))                                   \
  X(set_stream, "rocblas_set_stream", int(void* handle, void* stream))                                           \
  X(set_workspace, "rocblas_set_workspace", int(void* handle, void* memory, std::size_t bytes))                  \
  X(gemm, "rocblas_gemm_strided_batched_ex",                                                                     \
    int(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int type_a,     \
        int leading_a, std::int64_t batch_a, const void* b, int type_b, int leading_b, std::int64_t batch_b,     \
        const void* beta, const void* c, int type_c, int leading_c, std::int64_t batch_c, void* d, int type_d,   \
        int leading_d, std::int64_t batch_d, int batches, int compute, int algorithm, std::int32_t solution,     \
        std::uint32_t flags))
// clang-format on

class Rocblas final : public GpuBlas {
 public:
  Rocblas() : library_(load(Name::kRocblas)) {
#define X(name, symbol, type) require(library_, symbol, name##_);
    QUERN_ROCBLAS_SYMBOLS(X)
#undef X
    check(title_, "rocblas_create_handle", create_(&handle_));
    note_initialized();
    std::array<char, 256> text{};
    check(title_, "rocblas_get_version_string", version_(text.data(), text.size() - 1));
    const std::string version = text.data();  // "4.1.2.4f9b1fd"
    title_ = "rocblas " + version.substr(0, version.find('.', version.find('.') + 1));
  }
  ~Rocblas() override {
    if (!is_exiting()) (void)destroy_(handle_);
  }

  std::string title() const override { return title_; }

  void multiply(const Gemm& g, void* stream, const DeviceMemory& workspace) override {
    check(title_, "rocblas_set_stream", set_stream_(handle_, stream));
    check(title_, "rocblas_set_workspace", set_workspace_(handle_, workspace.pointer, workspace.bytes));
    const int type = type_of(g.element);
    const bool is_double = g.element == Element::f64;
    const auto alpha = static_cast<float>(g.alpha), beta = static_cast<float>(g.beta);
    const auto op = [](const GemmMatrix& m) {
      return m.is_transposed ? kRocblasTransposed : kRocblasAsStored;
    };
    const auto leading = [](const GemmMatrix& m) { return static_cast<int>(m.leading); };
    check(title_, "rocblas_gemm_strided_batched_ex",
          gemm_(handle_, op(g.a), op(g.b), g.m, g.n, g.k,
                is_double ? static_cast<const void*>(&g.alpha) : &alpha, g.a.memory, type, leading(g.a),
                g.a.batch, g.b.memory, type, leading(g.b), g.b.batch,
                is_double ? static_cast<const void*>(&g.beta) : &beta, g.c.memory, type, leading(g.c),
                g.c.batch, g.c.memory, type, leading(g.c), g.c.batch, g.batches,
                is_double ? kRocblasDouble : kRocblasFloat, kStandard, 0, 0));
  }

 private:
  extension::Library library_;
#define X(name, symbol, type)                                               \
  using name##_function = type; /* NOLINT(readability-identifier-naming) */ \
  name##_function* name##_ = nullptr;
  QUERN_ROCBLAS_SYMBOLS(X)
#undef X
  void* handle_ = nullptr;
  std::string title_ = "rocblas";
};

}  // namespace

std::unique_ptr<GpuBlas> make_rocblas() { return std::make_unique<Rocblas>(); }

}  // namespace quern::ops::vendor
