// Fake libraries of vendors, for tests on machines without them. See fake_vendor.hpp. It is a separate shared
// library and never part of Quern.
#include "vendor/fake_vendor.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>

namespace quern::test {

namespace {

class Fake final : public FakeVendor {
 public:
  void reset() override {
    calls_.clear();
    counts_.clear();
    failures_.clear();
    is_wrong = false;
    stream = workspace = nullptr;
    workspace_bytes = 0;
  }
  void fail(const std::string& function, int code) override { failures_[function] = code; }
  void set_wrong(bool wrong) override { is_wrong = wrong; }
  const std::vector<FakeVendorCall>& calls() const override { return calls_; }
  std::size_t count(const std::string& function) const override {
    const auto found = counts_.find(function);
    return found == counts_.end() ? 0 : found->second;
  }
  long alive() const override { return handles; }

  int enter(const char* function) {
    ++counts_[function];
    const auto found = failures_.find(function);
    return found == failures_.end() ? 0 : found->second;
  }
  int record(const char* function, std::vector<long long> numbers) {
    if (const int code = enter(function)) return code;
    calls_.push_back({function, std::move(numbers), stream, workspace, workspace_bytes});
    return 0;
  }
  int set_stream(const char* function, void* to) {
    stream = to;
    workspace = nullptr;
    workspace_bytes = 0;
    return enter(function);
  }
  int set_workspace(const char* function, void* memory, std::size_t bytes) {
    workspace = memory;
    workspace_bytes = bytes;
    return enter(function);
  }

  bool is_wrong = false;
  long handles = 0;
  void *stream = nullptr, *workspace = nullptr;
  std::size_t workspace_bytes = 0;

 private:
  std::vector<FakeVendorCall> calls_;
  std::map<std::string, std::size_t> counts_;
  std::map<std::string, int> failures_;
};

Fake& fake() {
  static Fake* const kFake = new Fake();
  return *kFake;
}

// c = alpha * op(a) * op(b) + beta * c in column-major order.
template <typename T>
void multiply(bool transposes_a, bool transposes_b, int m, int n, int k, T alpha, const T* a, long long lda,
              const T* b, long long ldb, T beta, T* c, long long ldc) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int d = 0; d < k; ++d)
        sum += (transposes_a ? a[d + i * lda] : a[i + d * lda]) *
               (transposes_b ? b[j + d * ldb] : b[d + j * ldb]);
      T& to = c[i + j * ldc];
      to = alpha * sum + (beta == 0 ? 0 : beta * to);
    }
  }
}

template <typename T>
void multiply_batch(bool ta, bool tb, int m, int n, int k, const void* alpha, const void* a, long long lda,
                    long long batch_a, const void* b, long long ldb, long long batch_b, const void* beta,
                    void* c, long long ldc, long long batch_c, int batches) {
  for (int i = 0; i < batches; ++i)
    multiply<T>(ta, tb, m, n, k, *static_cast<const T*>(alpha), static_cast<const T*>(a) + i * batch_a, lda,
                static_cast<const T*>(b) + i * batch_b, ldb, *static_cast<const T*>(beta),
                static_cast<T*>(c) + i * batch_c, ldc);
}

struct Plan {
  long long count, in_step, in_distance, out_step, out_distance, batches;
};
std::map<int, Plan>& plans() {
  static auto* const kPlans = new std::map<int, Plan>();
  return *kPlans;
}

template <typename Real>
int transform(const char* function, int id, void* in_memory, void* out_memory, int direction) {
  using Complex = std::complex<Real>;
  const Plan& p = plans()[id];
  if (const int code = fake().record(function, {id, direction})) return code;
  const auto* const in = static_cast<const Complex*>(in_memory);
  auto* const out = static_cast<Complex*>(out_memory);
  for (long long i = 0; i < p.batches; ++i) {
    std::vector<Complex> line(static_cast<std::size_t>(p.count));
    for (long long to = 0; to < p.count; ++to) {
      std::complex<double> sum = 0;
      for (long long from = 0; from < p.count; ++from) {
        const auto value = std::complex<double>(in[i * p.in_distance + from * p.in_step]);
        sum += value * std::polar(1.0, direction * 2 * M_PI * static_cast<double>(to * from % p.count) /
                                           static_cast<double>(p.count));
      }
      line[static_cast<std::size_t>(to)] = Complex(sum);
    }
    for (long long to = 0; to < p.count; ++to)
      out[i * p.out_distance + to * p.out_step] = line[static_cast<std::size_t>(to)];
  }
  return 0;
}

// A description of cuBLASLt: a product, a matrix or a preference.
struct LtObject {
  std::array<long long, 3> numbers{};  // compute type; or type, rows, columns
  long long leading = 0;
  std::map<int, long long> attributes;
};

int make_lt(const char* function, void** out, std::array<long long, 3> numbers, long long leading = 0) {
  if (const int code = fake().enter(function)) return code;
  ++fake().handles;
  *out = new LtObject{numbers, leading, {}};
  return 0;
}
int destroy_lt(void* object) {
  --fake().handles;
  delete static_cast<LtObject*>(object);
  return 0;
}
int set_lt(const char* function, void* object, int attribute, const void* value, std::size_t bytes) {
  long long number = 0;
  std::memcpy(&number, value, bytes);  // little-endian
  static_cast<LtObject*>(object)->attributes[attribute] = number;
  return fake().enter(function);
}

template <typename T>
void cblas(const char* function, int order, int op_a, int op_b, int m, int n, int k, T alpha, const T* a,
           int lda, const T* b, int ldb, T beta, T* c, int ldc) {
  (void)fake().record(function, {order, op_a, op_b, m, n, k, lda, ldb, ldc});
  multiply<T>(op_a == 112, op_b == 112, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (fake().is_wrong) c[0] += 100;
}

}  // namespace
}  // namespace quern::test

using quern::test::fake;

// NOLINTBEGIN(readability-identifier-naming): names of the libraries
extern "C" {

__attribute__((visibility("default"))) quern::test::FakeVendor* fake_vendor() { return &fake(); }

#pragma GCC visibility push(default)

int cublasCreate_v2(void** handle) {
  if (const int code = fake().enter("cublasCreate")) return code;
  ++fake().handles;
  *handle = &fake();
  return 0;
}
int cublasDestroy_v2(void*) {
  --fake().handles;
  return fake().enter("cublasDestroy");
}
int cublasGetVersion_v2(void*, int* version) {
  *version = 130002;
  return fake().enter("cublasGetVersion");
}
int cublasSetMathMode(void*, int mode) { return mode == 16 ? fake().enter("cublasSetMathMode") : 7; }
int cublasSetStream_v2(void*, void* stream) { return fake().set_stream("cublasSetStream", stream); }
int cublasSetWorkspace_v2(void*, void* memory, std::size_t bytes) {
  return fake().set_workspace("cublasSetWorkspace", memory, bytes);
}
int cublasGemmStridedBatchedEx(void*, int op_a, int op_b, int m, int n, int k, const void* alpha,
                               const void* a, int type_a, int lda, long long batch_a, const void* b,
                               int type_b, int ldb, long long batch_b, const void* beta, void* c, int type_c,
                               int ldc, long long batch_c, int batches, int compute, int algorithm) {
  const int code =
      fake().record("cublasGemmStridedBatchedEx", {op_a, op_b, m, n, k, type_a, type_b, type_c, lda, ldb, ldc,
                                                   batch_a, batch_b, batch_c, batches, compute, algorithm});
  if (code != 0) return code;
  if (type_a == 0)
    quern::test::multiply_batch<float>(op_a == 1, op_b == 1, m, n, k, alpha, a, lda, batch_a, b, ldb, batch_b,
                                       beta, c, ldc, batch_c, batches);
  if (type_a == 1)
    quern::test::multiply_batch<double>(op_a == 1, op_b == 1, m, n, k, alpha, a, lda, batch_a, b, ldb,
                                        batch_b, beta, c, ldc, batch_c, batches);
  return 0;
}

int cublasLtCreate(void** handle) {
  if (const int code = fake().enter("cublasLtCreate")) return code;
  ++fake().handles;
  *handle = &fake();
  return 0;
}
int cublasLtDestroy(void*) {
  --fake().handles;
  return fake().enter("cublasLtDestroy");
}
int cublasLtMatmulDescCreate(void** out, int compute, int type) {
  return quern::test::make_lt("cublasLtMatmulDescCreate", out, {compute, type, 0});
}
int cublasLtMatrixLayoutCreate(void** out, int type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t leading) {
  return quern::test::make_lt("cublasLtMatrixLayoutCreate", out,
                              {type, static_cast<long long>(rows), static_cast<long long>(columns)}, leading);
}
int cublasLtMatmulPreferenceCreate(void** out) {
  return quern::test::make_lt("cublasLtMatmulPreferenceCreate", out, {});
}
int cublasLtMatmulDescDestroy(void* object) { return quern::test::destroy_lt(object); }
int cublasLtMatrixLayoutDestroy(void* object) { return quern::test::destroy_lt(object); }
int cublasLtMatmulPreferenceDestroy(void* object) { return quern::test::destroy_lt(object); }
int cublasLtMatmulDescSetAttribute(void* object, int attribute, const void* value, std::size_t bytes) {
  return quern::test::set_lt("cublasLtMatmulDescSetAttribute", object, attribute, value, bytes);
}
int cublasLtMatrixLayoutSetAttribute(void* object, int attribute, const void* value, std::size_t bytes) {
  return quern::test::set_lt("cublasLtMatrixLayoutSetAttribute", object, attribute, value, bytes);
}
int cublasLtMatmulPreferenceSetAttribute(void* object, int attribute, const void* value, std::size_t bytes) {
  return quern::test::set_lt("cublasLtMatmulPreferenceSetAttribute", object, attribute, value, bytes);
}
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void* preference, int,
                                   void* results, int* count) {
  *count = static_cast<quern::test::LtObject*>(preference)->attributes[1] == 32 << 20 ? 1 : 0;
  std::memset(results, 0, 96);  // cublasLtMatmulHeuristicResult_t
  return fake().enter("cublasLtMatmulAlgoGetHeuristic");
}
// The numbers of a call: whether a and b are transposed, extents, types, leading dimensions, compute type,
// fast sums.
int cublasLtMatmul(void*, void* product, const void* alpha, const void* a, void* a_layout, const void* b,
                   void* b_layout, const void* beta, const void* c, void*, void* d, void* d_layout,
                   const void*, void*, std::size_t, void*) {
  using quern::test::LtObject;
  auto& p = *static_cast<LtObject*>(product);
  const auto &left = *static_cast<LtObject*>(a_layout), &right = *static_cast<LtObject*>(b_layout),
             &out = *static_cast<LtObject*>(d_layout);
  const bool ta = p.attributes[3] != 0, tb = p.attributes[4] != 0;
  const long long m = out.numbers[1], n = out.numbers[2], k = left.numbers[ta ? 1 : 2];
  const int code = fake().record(
      "cublasLtMatmul", {ta, tb, m, n, k, left.numbers[0], right.numbers[0], out.numbers[0], left.leading,
                         right.leading, out.leading, p.numbers[0], p.attributes[25]});
  if (code != 0 || c != d || left.numbers[0] != 3) return code;
  const auto* const x = static_cast<const signed char*>(a);
  const auto* const y = static_cast<const signed char*>(b);
  auto* const z = static_cast<int*>(d);
  for (long long i = 0; i < m; ++i) {
    for (long long j = 0; j < n; ++j) {
      int sum = 0;
      for (long long s = 0; s < k; ++s)
        sum += x[ta ? s + i * left.leading : i + s * left.leading] *
               y[tb ? j + s * right.leading : s + j * right.leading];
      int& to = z[i + j * out.leading];
      to = *static_cast<const int*>(alpha) * sum + *static_cast<const int*>(beta) * to;
    }
  }
  return 0;
}

int rocblas_create_handle(void** handle) {
  if (const int code = fake().enter("rocblas_create_handle")) return code;
  ++fake().handles;
  *handle = &fake();
  return 0;
}
int rocblas_destroy_handle(void*) {
  --fake().handles;
  return fake().enter("rocblas_destroy_handle");
}
int rocblas_get_version_string(char* text, std::size_t bytes) {
  std::strncpy(text, "5.1.0.abcdef", bytes);
  return fake().enter("rocblas_get_version_string");
}
int rocblas_set_stream(void*, void* stream) { return fake().set_stream("rocblas_set_stream", stream); }
int rocblas_set_workspace(void*, void* memory, std::size_t bytes) {
  return fake().set_workspace("rocblas_set_workspace", memory, bytes);
}
int rocblas_gemm_strided_batched_ex(void*, int op_a, int op_b, int m, int n, int k, const void* alpha,
                                    const void* a, int type_a, int lda, std::int64_t batch_a, const void* b,
                                    int, int ldb, std::int64_t batch_b, const void* beta, const void* c, int,
                                    int, std::int64_t, void* d, int type_d, int ldd, std::int64_t batch_d,
                                    int batches, int compute, int algorithm, std::int32_t solution,
                                    std::uint32_t flags) {
  const int code = fake().record("rocblas_gemm_strided_batched_ex",
                                 {op_a, op_b, m, n, k, type_a, type_d, lda, ldb, ldd, batch_a, batch_b,
                                  batch_d, batches, compute, algorithm, solution, flags});
  if (code != 0) return code;
  if (type_a == 151 && c == d)
    quern::test::multiply_batch<float>(op_a == 112, op_b == 112, m, n, k, alpha, a, lda, batch_a, b, ldb,
                                       batch_b, beta, d, ldd, batch_d, batches);
  return 0;
}

int cufftCreate(int* plan) {
  static int last = 0;
  if (const int code = fake().enter("cufftCreate")) return code;
  ++fake().handles;
  *plan = ++last;
  return 0;
}
int cufftDestroy(int) {
  --fake().handles;
  return fake().enter("cufftDestroy");
}
int cufftGetVersion(int* version) {
  *version = 12001;
  return fake().enter("cufftGetVersion");
}
int cufftSetAutoAllocation(int, int is_automatic) {
  return is_automatic == 0 ? fake().enter("cufftSetAutoAllocation") : 4;
}
int cufftMakePlanMany64(int plan, int rank, long long* extents, long long*, long long in_step,
                        long long in_distance, long long*, long long out_step, long long out_distance,
                        int type, long long batches, std::size_t* workspace) {
  quern::test::plans()[plan] = {extents[0], in_step, in_distance, out_step, out_distance, batches};
  *workspace = 4096;
  return fake().record("cufftMakePlanMany64",
                       {rank, extents[0], in_step, in_distance, out_step, out_distance, type, batches});
}
int cufftSetWorkArea(int, void* memory) { return fake().set_workspace("cufftSetWorkArea", memory, 0); }
int cufftSetStream(int, void* stream) { return fake().set_stream("cufftSetStream", stream); }
int cufftExecC2C(int plan, void* in, void* out, int direction) {
  return quern::test::transform<float>("cufftExecC2C", plan, in, out, direction);
}
int cufftExecZ2Z(int plan, void* in, void* out, int direction) {
  return quern::test::transform<double>("cufftExecZ2Z", plan, in, out, direction);
}

char* openblas_get_config() {
  static char text[] = "OpenBLAS 0.3.99 NO_LAPACKE DYNAMIC_ARCH";
  return text;
}
const char* bli_info_get_version_str() { return "1.0"; }
void cblas_sgemm(int order, int op_a, int op_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc) {
  quern::test::cblas("cblas_sgemm", order, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha, const double* a, int lda,
                 const double* b, int ldb, double beta, double* c, int ldc) {
  quern::test::cblas("cblas_dgemm", order, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

#pragma GCC visibility pop
}
// NOLINTEND(readability-identifier-naming)
