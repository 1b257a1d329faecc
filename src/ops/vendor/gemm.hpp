// Matrix products as BLAS describes them: C = alpha * op(A) * op(B) + beta * C in column-major order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ops/product.hpp"
#include "ops/vendor/library.hpp"
#include "ops/vendor/native.hpp"

namespace quern::ops::vendor {

// A matrix of a product. Elements in bytes are at `memory`.
struct GemmMatrix {
  const detail::View* view = nullptr;
  bool is_transposed = false;
  std::int64_t first = 0, leading = 0, batch = 0;  // in elements
  void* memory = nullptr;                          // of the first element

  template <typename T>
  T* at(std::int64_t index_of_batch) const {
    return static_cast<T*>(memory) + index_of_batch * batch;
  }
};

struct Gemm {
  GemmMatrix a, b, c;
  int m = 0, n = 0, k = 0, batches = 0;
  double alpha = 1, beta = 0;
  Element element{}, result{};  // of a and b; of c
  bool is_tf32 = false;
};

// None if one call of BLAS does not compute exactly this: a bias, an activation, strides along both axes, no
// elements, or extents of more than 31 bits.
std::optional<Gemm> gemm_of(const Product& product);

// A library of a GPU's vendor on one device. Not thread-safe.
class GpuBlas {
 public:
  GpuBlas() = default;
  virtual ~GpuBlas() = default;
  GpuBlas(const GpuBlas&) = delete;
  GpuBlas& operator=(const GpuBlas&) = delete;

  virtual std::string title() const = 0;  // "cublas 13.0"
  // Submits the product to a stream of the device whose context is current. Throws Error if a call fails.
  virtual void multiply(const Gemm& gemm, void* stream, const DeviceMemory& workspace) = 0;
};
std::unique_ptr<GpuBlas> make_cublas();
std::unique_ptr<GpuBlas> make_cublas_lt();  // products of 8-bit elements
std::unique_ptr<GpuBlas> make_rocblas();

// A library for processors. Thread-safe.
class HostBlas {
 public:
  HostBlas() = default;
  virtual ~HostBlas() = default;
  HostBlas(const HostBlas&) = delete;
  HostBlas& operator=(const HostBlas&) = delete;

  virtual std::string title() const = 0;  // "openblas 0.3.21"
  virtual void multiply(const Gemm& gemm) const = 0;
};
std::unique_ptr<HostBlas> make_host_blas(Name library);

// The product by the library that the tuner has chosen. None: our kernels compute it.
std::optional<Receipt> multiply(const On& on, const Product& product);

}  // namespace quern::ops::vendor
