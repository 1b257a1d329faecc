// Fourier transforms by a GPU vendor's library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ops/engine.hpp"
#include "ops/vendor/native.hpp"

namespace quern::ops::vendor {

// A tensor whose lines are transformed: the layout of their first elements, and the distance of the elements
// of a line.
struct FftLines {
  const detail::View& view;
  const detail::Layout& first;
  std::int64_t step;
};

// A batch of equal transforms. All numbers in elements.
struct FftShape {
  std::int64_t count = 0, batches = 0;
  std::int64_t in_step = 0, in_distance = 0, out_step = 0, out_distance = 0;
  bool is_double = false;
  auto operator<=>(const FftShape&) const = default;
};

// None if one call of the library does not compute exactly this: batches along several axes, or strides that
// are not positive.
std::optional<FftShape> fft_shape(const FftLines& in, const FftLines& out, std::int64_t count);

// A library on one device. Not thread-safe.
class GpuFft {
 public:
  GpuFft() = default;
  virtual ~GpuFft() = default;
  GpuFft(const GpuFft&) = delete;
  GpuFft& operator=(const GpuFft&) = delete;

  virtual std::string title() const = 0;  // "cufft 12.0.0"
  // The plan for a shape, and the bytes of temporary memory that it needs. Plans are kept.
  struct Plan {
    int id = 0;
    std::size_t workspace_bytes = 0;
  };
  virtual Plan plan(const FftShape& shape) = 0;
  // Submits a transform to a stream of the device whose context is current. `direction`: 1 for forward, -1
  // for inverse.
  virtual void transform(const Plan& plan, const FftShape& shape, int direction, void* in, void* out,
                         void* stream, const DeviceMemory& workspace) = 0;
};
std::unique_ptr<GpuFft> make_cufft();

// The transform along one axis by the library that the tuner has chosen. None: our kernels compute it.
std::optional<Receipt> transform(const On& on, const FftLines& in, const FftLines& out, std::int64_t count,
                                 int direction);

}  // namespace quern::ops::vendor
