#include "ops/vendor/gpu_fft.hpp"

#include <array>
#include <limits>

#include "ops/choice.hpp"
#include "ops/failure.hpp"
#include "ops/messages_vendor.hpp"

namespace quern::ops::vendor {

namespace {

void* memory_of(const FftLines& lines) {
  return static_cast<std::byte*>(device_pointer(lines.view)) +
         lines.first.first * static_cast<std::int64_t>(bytes_of(lines.view.element));
}

Receipt transform_on(const On& on, const Device& device, const FftLines& in, const FftLines& out,
                     const FftShape& shape, int direction, Libraries& libraries) {
  const std::lock_guard lock(libraries.mutex);
  void* const stream = native_stream(on.stream());
  if (libraries.gpu_fft == nullptr) libraries.gpu_fft = make_cufft();
  GpuFft& fft = *libraries.gpu_fft;
  const GpuFft::Plan plan = fft.plan(shape);
  fft.transform(plan, shape, direction, memory_of(in), memory_of(out), stream,
                libraries.workspace(device, stream, plan.workspace_bytes));
  (void)native_stream(on.stream());  // it has more work now, whoever has waited for it in the meantime
  return extension::library_receipt(device, fft.title());
}

}  // namespace

std::optional<FftShape> fft_shape(const FftLines& in, const FftLines& out, std::int64_t count) {
  const std::array<detail::Layout, 2> layouts{in.first, out.first};
  const Iteration batch = collapse(layouts);
  if (batch.extents.size() > 1) return std::nullopt;
  const bool is_batch = !batch.extents.empty();
  FftShape shape;
  shape.count = count;
  shape.batches = is_batch ? batch.extents[0] : 1;
  shape.in_step = in.step;
  shape.out_step = out.step;
  shape.in_distance = is_batch ? batch.strides[0][0] : count * in.step;
  shape.out_distance = is_batch ? batch.strides[1][0] : count * out.step;
  shape.is_double = in.view.element == Element::c128;
  for (const std::int64_t stride : {shape.in_step, shape.out_step, shape.in_distance, shape.out_distance}) {
    if (stride <= 0) return std::nullopt;
  }
  return shape;
}

std::optional<Receipt> transform(const On& on, const FftLines& in, const FftLines& out, std::int64_t count,
                                 int direction) {
  if (!is_complex(in.view.element) || in.view.element != out.view.element) return std::nullopt;
  const Device device = on.stream().device();
  const std::int64_t batches = in.first.shape.size();
  const Choice choice = library_for(device, "fft", {{batches, count}, in.view.element});
  if (choice.library == Name::kNone || extension::is_recording(on.stream())) return std::nullopt;
  const auto shape = fft_shape(in, out, count);
  if (!shape) {
    if (choice.is_required)
      fail(ErrorKind::unsupported, message::kNotForLibrary("fft", to_string(choice.library)));
    return std::nullopt;
  }
  return attempt(device, choice, [&](Libraries& libraries) {
    return transform_on(on, device, in, out, *shape, direction, libraries);
  });
}

}  // namespace quern::ops::vendor
