#include "quern/ops/concatenate.hpp"

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/messages_primitives.hpp"
#include "quern/ops/transform.hpp"

namespace quern::ops::detail {

namespace {

void check_concatenation(std::span<const View> in, std::size_t axis, const View& out) {
  check_writable("concatenate", out);
  const Shape& to = out.layout.shape;
  bool fits = axis < to.rank();
  std::int64_t sum = 0;
  std::string shapes;
  for (const View& view : in) {
    const Shape& from = view.layout.shape;
    shapes += (shapes.empty() ? "" : ", ") + from.to_string();
    fits = fits && from.rank() == to.rank();
    for (std::size_t i = 0; fits && i < to.rank(); ++i) fits = i == axis || from[i] == to[i];
    if (fits) sum += from[axis];
  }
  if (!fits || sum != to[axis])
    fail(ErrorKind::invalid_use, message::kBadConcatenation(shapes, std::to_string(axis), to.to_string()));
}

}  // namespace

Receipt concatenate(const On& on, std::span<const View> in, std::size_t axis, const View& out) {
  check_concatenation(in, axis, out);
  Receipt receipt;
  std::int64_t first = 0;
  for (const View& view : in) {
    const std::int64_t count = view.layout.shape[axis];
    if (view.layout.shape.size() != 0) {
      View part = out;
      part.layout = out.layout.slice(axis, first, count, 1);
      receipt = transform(on, "[](auto x) { return x; }", std::span(&view, 1), part);
    }
    first += count;
  }
  return receipt;
}

}  // namespace quern::ops::detail
