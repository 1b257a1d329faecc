#include "ops/vendor/gemm.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "ops/checks.hpp"
#include "ops/choice.hpp"
#include "ops/failure.hpp"
#include "ops/messages_vendor.hpp"

namespace quern::ops::vendor {

namespace {

// For cuBLAS, 32 MiB are recommended on Hopper, and less on older devices.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

bool fits_int(std::int64_t value) { return value <= std::numeric_limits<int>::max(); }

// A matrix of `rows` × `columns` in column-major order, or the transpose of one. None: neither.
std::optional<GemmMatrix> matrix(const detail::View& view, Matrix m, std::int64_t rows, std::int64_t columns,
                                 std::int64_t batches) {
  GemmMatrix out;
  out.view = &view;
  out.first = m.first;
  out.batch = m.batch;
  out.is_transposed = m.row != 1 && rows != 1;
  if (out.is_transposed) {
    std::swap(m.row, m.column);
    std::swap(rows, columns);
  }
  out.leading = columns == 1 ? rows : m.column;
  const bool is_dense = (m.row == 1 || rows == 1) && out.leading >= rows && fits_int(out.leading);
  if (!is_dense || (batches > 1 && m.batch < 0)) return std::nullopt;
  return out;
}

Matrix transposed(const Matrix& m) { return {m.first, m.batch, m.column, m.row}; }

void set_memory(Gemm& gemm, void* (*pointer)(const detail::View&)) {
  for (GemmMatrix* const m : {&gemm.a, &gemm.b, &gemm.c}) {
    m->memory = static_cast<std::byte*>(pointer(*m->view)) +
                m->first * static_cast<std::int64_t>(bytes_of(m->view->element));
    m->view = nullptr;  // the product may outlive the call
  }
}

Receipt multiply_on_gpu(const On& on, const Device& device, Gemm gemm, const Choice& choice,
                        Libraries& libraries) {
  set_memory(gemm, device_pointer);
  const std::lock_guard lock(libraries.mutex);
  void* const stream = native_stream(on.stream());
  if (libraries.gpu_blas == nullptr)
    libraries.gpu_blas = choice.library == Name::kCublas ? make_cublas() : make_rocblas();
  libraries.gpu_blas->multiply(gemm, stream, libraries.workspace(device, stream, kWorkspaceBytes));
  (void)native_stream(on.stream());  // it has more work now, whoever has waited for it in the meantime
  return extension::library_receipt(device, libraries.gpu_blas->title());
}

Receipt multiply_on_host(const On& on, const Device& device, Gemm gemm, const Choice& choice,
                         Libraries& libraries) {
  set_memory(gemm, host_pointer);
  std::shared_ptr<const HostBlas> blas;
  {
    const std::lock_guard lock(libraries.mutex);
    auto& own = libraries.host_blas[static_cast<std::size_t>(choice.library)];
    if (own == nullptr) own = make_host_blas(choice.library);
    blas = own;
  }
  on.stream().call([blas, gemm] { blas->multiply(gemm); });
  return extension::library_receipt(device, blas->title());
}

}  // namespace

// A product with a row-major result is the product of the transposes, in the other order.
std::optional<Gemm> gemm_of(const Product& p) {
  const bool is_plain = p.bias == nullptr && p.scalars.activation == Activation::none;
  if (!is_plain || p.m == 0 || p.n == 0 || p.k == 0 || p.batches == 0) return std::nullopt;
  if (!fits_int(p.m) || !fits_int(p.n) || !fits_int(p.k) || !fits_int(p.batches)) return std::nullopt;
  Matrix a = matrix_of(p.a), b = matrix_of(p.b), c = matrix_of(p.c);
  const bool is_by_row = c.row != 1;
  std::int64_t m = p.m, n = p.n;
  const detail::View *left = &p.a, *right = &p.b;
  if (is_by_row) {
    const Matrix left_matrix = transposed(b);
    b = transposed(a);
    a = left_matrix;
    c = transposed(c);
    std::swap(left, right);
    std::swap(m, n);
  }
  const auto of_a = matrix(*left, a, m, p.k, p.batches), of_b = matrix(*right, b, p.k, n, p.batches),
             of_c = matrix(p.c, c, m, n, p.batches);
  if (!of_a || !of_b || !of_c || of_c->is_transposed) return std::nullopt;
  if (p.batches > 1 && of_c->batch == 0) return std::nullopt;
  Gemm out{*of_a, *of_b, *of_c};
  out.m = static_cast<int>(m);
  out.n = static_cast<int>(n);
  out.k = static_cast<int>(p.k);
  out.batches = static_cast<int>(p.batches);
  out.alpha = p.scalars.alpha;
  out.beta = p.scalars.beta;
  out.element = p.a.element;
  out.result = p.c.element;
  out.is_tf32 = p.precision() == Precision::tf32;
  return out;
}

std::optional<Receipt> multiply(const On& on, const Product& product) {
  const Device device = on.stream().device();
  const Choice choice = library_for(device, "matmul", product.problem());
  if (choice.library == Name::kNone || extension::is_recording(on.stream())) return std::nullopt;
  const auto gemm = takes(choice.library, product.a.element, product.precision() == Precision::tf32)
                        ? gemm_of(product)
                        : std::nullopt;
  if (!gemm) {
    if (choice.is_required)
      fail(ErrorKind::unsupported, message::kNotForLibrary("matmul", to_string(choice.library)));
    return std::nullopt;
  }
  return attempt(device, choice, [&](Libraries& libraries) {
    return device.driver() == "cpu" ? multiply_on_host(on, device, *gemm, choice, libraries)
                                    : multiply_on_gpu(on, device, *gemm, choice, libraries);
  });
}

}  // namespace quern::ops::vendor
