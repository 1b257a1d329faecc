// cuBLASLt 11 to 13, a part of cuBLAS: products of 8-bit elements. Types, names and numbers are those of its
// header cublasLt.h.
#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <utility>

#include "ops/failure.hpp"
#include "ops/messages_vendor.hpp"
#include "ops/vendor/gemm.hpp"

namespace quern::ops::vendor {

namespace {

constexpr std::size_t kMostLtPlans = 64;

// cublasLtMatmulHeuristicResult_t
struct LtHeuristic {
  std::uint64_t algorithm[8];
  std::size_t workspace;
  int status;
  float waves;
  int reserved[4];
};

// clang-format off
#define QUERN_CUBLASLT_SYMBOLS(X)                                                                                \
  X(create, "cublasLtCreate", int(void** handle))                                                                \
  X(destroy, "cublasLtDestroy", int(void* handle))                                                               \
  X(create_product, "cublasLtMatmulDescCreate", int(void** product, int compute, int scale_type))                \
  X(destroy_product, "cublasLtMatmulDescDestroy", int(void* product))                                            \
  X(set_product, "cublasLtMatmulDescSetAttribute",                                                               \
    int(void* product, int attribute, const void* value, std::size_t bytes))                                     \
  X(create_layout, "cublasLtMatrixLayoutCreate",                                                                 \
    int(void** layout, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading))               \
  X(destroy_layout, "cublasLtMatrixLayoutDestroy", int(void* layout))                                            \
  X(set_layout, "cublasLtMatrixLayoutSetAttribute",                                                              \
    int(void* layout, int attribute, const void* value, std::size_t bytes))                                      \
  X(create_preference, "cublasLtMatmulPreferenceCreate", int(void** preference))                                 \
  X(destroy_preference, "cublasLtMatmulPreferenceDestroy", int(void* preference))                                \
  X(set_preference, "cublasLtMatmulPreferenceSetAttribute",                                                      \
    int(void* preference, int attribute, const void* value, std::size_t bytes))                                  \
  X(find, "cublasLtMatmulAlgoGetHeuristic",                                                                      \
    int(void* handle, void* product, void* a, void* b, void* c, void* d, void* preference, int most,             \
        LtHeuristic* results, int* count))                                                                         \
  X(multiply, "cublasLtMatmul",                                                                                  \
    int(void* handle, void* product, const void* alpha, const void* a, void* a_layout, const void* b,            \
        void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,                \
        const void* algorithm, void* workspace, std::size_t workspace_bytes, void* stream))
// clang-format on

struct LtFunctions {
  explicit LtFunctions(const extension::Library& library) {
#define X(name, symbol, type) require(library, symbol, name);
    QUERN_CUBLASLT_SYMBOLS(X)
#undef X
  }
#define X(name, symbol, type) std::add_pointer_t<type> name = nullptr;
  QUERN_CUBLASLT_SYMBOLS(X)
#undef X
};

constexpr const char* kLtTitle = "cublasLt";

int lt_type_of(Element element) {  // cudaDataType
  switch (element) {
    case Element::i8: return 3;
    case Element::i32: return 10;
    case Element::f16: return 2;
    case Element::bf16: return 14;
    case Element::e4m3: return 28;
    case Element::e5m2: return 29;
    default: return 0;
  }
}

// A product's descriptions and algorithm.
class LtPlan {
 public:
  LtPlan(const LtFunctions& lt, void* handle, const Gemm& g, std::size_t workspace_bytes) : lt_(lt) {
    try {
      make(handle, g, workspace_bytes);
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~LtPlan() { destroy(); }
  LtPlan(const LtPlan&) = delete;
  LtPlan& operator=(const LtPlan&) = delete;

  void run(void* handle, const Gemm& g, void* stream, const DeviceMemory& workspace) const {
    const auto alpha = static_cast<float>(g.alpha), beta = static_cast<float>(g.beta);
    const auto int_alpha = static_cast<std::int32_t>(g.alpha), int_beta = static_cast<std::int32_t>(g.beta);
    const bool is_integer = g.element == Element::i8;
    check(kLtTitle, "cublasLtMatmul",
          lt_.multiply(handle, product_, is_integer ? static_cast<const void*>(&int_alpha) : &alpha,
                       g.a.memory, layouts_[0], g.b.memory, layouts_[1],
                       is_integer ? static_cast<const void*>(&int_beta) : &beta, g.c.memory, layouts_[2],
                       g.c.memory, layouts_[2], best_.algorithm, workspace.pointer, workspace.bytes, stream));
  }

 private:
  void make(void* handle, const Gemm& g, std::size_t workspace_bytes) {
    constexpr int kTransposeA = 3, kTransposeB = 4, kFastSums = 25;  // CUBLASLT_MATMUL_DESC_…
    constexpr int kIntegers = 72, kFloats = 68;                      // CUBLAS_COMPUTE_32I, _32F
    constexpr int kMostWorkspace = 1;                                // CUBLASLT_MATMUL_PREF_…
    const bool is_integer = g.element == Element::i8;
    check(kLtTitle, "cublasLtMatmulDescCreate",
          lt_.create_product(&product_, is_integer ? kIntegers : kFloats,
                             lt_type_of(is_integer ? Element::i32 : Element::f32)));
    set_product(kTransposeA, static_cast<std::int32_t>(g.a.is_transposed));
    set_product(kTransposeB, static_cast<std::int32_t>(g.b.is_transposed));
    // Sums stay in the tensor cores' registers, as in our kernels.
    if (!is_integer) set_product(kFastSums, std::int8_t{1});
    add_layout(0, g.a, g.element, g.m, g.k, g.batches);
    add_layout(1, g.b, g.element, g.k, g.n, g.batches);
    add_layout(2, g.c, g.result, g.m, g.n, g.batches);
    check(kLtTitle, "cublasLtMatmulPreferenceCreate", lt_.create_preference(&preference_));
    const auto bytes = static_cast<std::uint64_t>(workspace_bytes);
    check(kLtTitle, "cublasLtMatmulPreferenceSetAttribute",
          lt_.set_preference(preference_, kMostWorkspace, &bytes, sizeof bytes));
    int count = 0;
    check(kLtTitle, "cublasLtMatmulAlgoGetHeuristic",
          lt_.find(handle, product_, layouts_[0], layouts_[1], layouts_[2], layouts_[2], preference_, 1,
                   &best_, &count));
    if (count == 0) fail(ErrorKind::unsupported, message::kNotForLibrary("matmul", kLtTitle));
    check(kLtTitle, "cublasLtMatmulAlgoGetHeuristic", best_.status);
  }
  template <typename T>
  void set_product(int attribute, T value) {
    check(kLtTitle, "cublasLtMatmulDescSetAttribute",
          lt_.set_product(product_, attribute, &value, sizeof value));
  }
  // `rows` and `columns`: of the matrix as a factor.
  void add_layout(std::size_t at, const GemmMatrix& m, Element element, int rows, int columns, int batches) {
    constexpr int kBatches = 5, kStride = 6;  // CUBLASLT_MATRIX_LAYOUT_…
    if (m.is_transposed) std::swap(rows, columns);
    check(kLtTitle, "cublasLtMatrixLayoutCreate",
          lt_.create_layout(&layouts_[at], lt_type_of(element), static_cast<std::uint64_t>(rows),
                            static_cast<std::uint64_t>(columns), m.leading));
    const auto set = [&](int attribute, auto value) {
      check(kLtTitle, "cublasLtMatrixLayoutSetAttribute",
            lt_.set_layout(layouts_[at], attribute, &value, sizeof value));
    };
    if (batches > 1) {
      set(kBatches, static_cast<std::int32_t>(batches));
      set(kStride, m.batch);
    }
  }
  void destroy() {
    if (is_exiting()) return;
    if (preference_ != nullptr) (void)lt_.destroy_preference(preference_);
    for (void* const layout : layouts_) {
      if (layout != nullptr) (void)lt_.destroy_layout(layout);
    }
    if (product_ != nullptr) (void)lt_.destroy_product(product_);
  }

  const LtFunctions& lt_;
  void *product_ = nullptr, *preference_ = nullptr;
  std::array<void*, 3> layouts_{};
  LtHeuristic best_{};
};

// All that a plan depends on.
using LtKey = std::array<std::int64_t, 15>;
LtKey lt_key_of(const Gemm& g) {
  const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
  LtKey key{g.m, g.n, g.k, g.batches, number(g.element), number(g.result)};
  std::size_t at = 6;
  for (const GemmMatrix* const m : {&g.a, &g.b, &g.c}) {
    for (const std::int64_t value : {number(m->is_transposed), m->leading, m->batch}) key[at++] = value;
  }
  return key;
}

class CublasLt final : public GpuBlas {
 public:
  CublasLt() : functions_(load(Name::kCublasLt)) {
    check(kLtTitle, "cublasLtCreate", functions_.create(&handle_));
    note_initialized();
  }
  ~CublasLt() override {
    plans_.clear();
    if (!is_exiting()) (void)functions_.destroy(handle_);
  }

  std::string title() const override { return kLtTitle; }

  void multiply(const Gemm& g, void* stream, const DeviceMemory& workspace) override {
    const LtKey key = lt_key_of(g);
    auto at = std::find_if(plans_.begin(), plans_.end(), [&](const auto& p) { return p.first == key; });
    if (at == plans_.end()) {
      if (plans_.size() == kMostLtPlans) plans_.pop_back();
      plans_.emplace_front(std::piecewise_construct, std::forward_as_tuple(key),
                           std::forward_as_tuple(functions_, handle_, g, workspace.bytes));
      at = plans_.begin();
    }
    at->second.run(handle_, g, stream, workspace);
  }

 private:
  LtFunctions functions_;
  void* handle_ = nullptr;
  std::list<std::pair<LtKey, LtPlan>> plans_;  // newest first
};

}  // namespace

std::unique_ptr<GpuBlas> make_cublas_lt() { return std::make_unique<CublasLt>(); }

}  // namespace quern::ops::vendor
