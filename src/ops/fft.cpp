// Fourier transforms: one axis after another, in passes that text/fft.cuh describes.
#include "quern/ops/fft.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/fft_plan.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_fft.hpp"
#include "ops/vendor/gpu_fft.hpp"
#include "quern/extension.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kMostLines = 64;      // of a block
constexpr std::int64_t kNearLines = 8;       // of a block, if their elements are neighbors
constexpr std::size_t kPoolBytes = 1 << 20;  // larger temporary memory is kept
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLargestAxis = std::int64_t{1} << 30;

// FftPass of text/fft.cuh.
struct FftPass {
  std::int64_t lines = 0, in_step = 0, out_step = 0, place_step = 0;
  std::int64_t in_places = kNoLimit, out_places = kNoLimit;
  std::int64_t whole = kNoLimit, whole_step = 0, stages = 0, roots = 0, low = -1, high = -1, in_factors = -1,
               out_factors = -1;
  std::int32_t count = 0, lines_of_block = 0, low_bits = 0, in_is_by_line = 0, out_is_by_line = 0,
               in_is_real = 0, out_is_real = 0, direction = 1, factor_direction = 1, spare = 0;
};

// FftTiles of text/fft_lines.cuh, and the access to tiles.
struct FftTiles {
  std::int64_t count = 1, extent = 1, in_line = 0, out_line = 0, place_line = 0, turns = -1, turns_row = 0;
};
enum class LineOrder { kRows, kStridedRows, kColumns };
constexpr int kLoadsPlaces = 1, kTurns = 2, kStoresPlaces = 4;

// A tensor whose lines are transformed: the layout of the first elements of the lines, and the distance of
// the elements of a line.
struct Lines {
  View view;
  Layout first;
  std::int64_t step = 0;
};

// What happens at the ends of a transform that has several passes.
struct Ends {
  std::int64_t in_places = kNoLimit, out_places = kNoLimit, in_factors = -1, out_factors = -1;
  std::int32_t direction = 1, factor_direction = 1;
  std::int64_t whole = kNoLimit;  // of Hermitian input
  double scale = 1;
};

// An axis of the lines of a pass.
struct LineAxis {
  std::int64_t extent, in, out, place;
};

std::shared_ptr<const FftPlan> plan_of(const Device& device, Element element, std::int64_t batches,
                                       std::int64_t count) {
  const Variant variant = variant_for(device, "fft", {{batches, count}, element});
  return fft_plan(device, element, count, {variant.at("elements"), variant.at("columns")});
}

// Transforms along one axis.
class Transform {
 public:
  Transform(const On& on, Element element, std::int64_t batches, std::int64_t count)
      : on_(on),
        device_(on.stream().device()),
        element_(element),
        plan_(plan_of(device_, element, batches, count)) {}

  Receipt run(const Lines& in, const Lines& out, const Ends& ends) {
    const Shape& shape = in.first.shape;
    const std::int64_t line_bytes = plan_->size * static_cast<std::int64_t>(bytes_of(element_)),
                       most = fft_memory_bytes(plan_->info);
    if (plan_->factors.size() == 1 && !plan_->has_chirp()) return passes(in, out, {}, ends);
    if (shape.size() * line_bytes <= most || shape.size() == 1) return run_with_memory(in, out, ends);
    std::size_t axis = 0;
    while (shape[axis] == 1) ++axis;
    const std::int64_t extent = shape[axis], others = shape.size() / extent,
                       each = std::max<std::int64_t>(most / (others * line_bytes), 1);
    Receipt receipt;
    for (std::int64_t first = 0; first < extent; first += each) {
      const std::int64_t count = std::min(each, extent - first);
      receipt = run(part_of(in, axis, first, count), part_of(out, axis, first, count), ends);
    }
    return receipt;
  }

 private:
  static Lines part_of(const Lines& lines, std::size_t axis, std::int64_t first, std::int64_t count) {
    Lines out = lines;
    std::vector<std::int64_t> extents;
    for (std::size_t i = 0; i < lines.first.shape.rank(); ++i) extents.push_back(lines.first.shape[i]);
    extents[axis] = count;
    out.first.shape = Shape(extents);
    out.first.first += first * lines.first.strides[axis];
    return out;
  }

  // Large temporary memory does not come from the pool: it is kept, unless a graph or a session needs its
  // own.
  Receipt run_with_memory(const Lines& in, const Lines& out, const Ends& ends) const {
    const auto bytes = static_cast<std::size_t>(in.first.shape.size() * plan_->size) * bytes_of(element_);
    const std::size_t all = (plan_->factors.size() > 1 ? bytes : 0) + (plan_->has_chirp() ? bytes : 0);
    const bool is_kept = bytes > kPoolBytes &&
                         bytes <= static_cast<std::size_t>(fft_memory_bytes(plan_->info)) &&
                         !extension::is_recording(on_.stream()) && !extension::survives_device_loss(device_);
    if (!is_kept) {
      const Workspace memory(device_, all);
      return run_in(memory.view(element_, 0), in, out, ends);
    }
    const std::shared_ptr<FftMemory> memory = fft_memory(device_);
    const std::lock_guard lock(memory->mutex);
    Buffer<std::byte> buffer = std::exchange(memory->bytes, {});  // destroyed if a launch fails
    if (buffer.size() < all) {
      buffer = device_.allocate<std::byte>(all, MemoryKind::device, "temporary memory of fft");
    } else {
      on_.stream().wait(memory->last_use);
    }
    View view;
    view.bytes = buffer.bytes();
    view.element = element_;
    Receipt receipt = run_in(view, in, out, ends);
    memory->last_use = on_.stream().record();
    memory->bytes = std::move(buffer);
    return receipt;
  }

  Receipt run_in(const View& memory, const Lines& in, const Lines& out, const Ends& ends) const {
    const Lines work = workspace(memory, 0, in.first.shape);
    if (!plan_->has_chirp()) return passes(in, out, work, ends);
    const Lines middle = workspace(
        memory, plan_->factors.size() > 1 ? in.first.shape.size() * plan_->size : 0, in.first.shape);
    Ends forward = ends, backward;
    forward.direction = 1;
    forward.factor_direction = backward.factor_direction = ends.direction;
    forward.scale = 1;
    forward.in_places = plan_->count;
    forward.out_places = kNoLimit;
    forward.in_factors = backward.out_factors = plan_->chirp;
    forward.out_factors = plan_->product;
    backward.direction = -1;
    backward.out_places = std::min(ends.out_places, plan_->count);
    backward.scale = ends.scale / static_cast<double>(plan_->size);
    passes(in, middle, work, forward);
    return passes(middle, out, work, backward);
  }

  Lines workspace(const View& memory, std::int64_t first, const Shape& lines) const {
    Lines out;
    out.view = memory;
    out.first = Layout::contiguous(lines);
    out.first.first = first;
    for (std::size_t axis = 0; axis < lines.rank(); ++axis) out.first.strides[axis] *= plan_->size;
    out.step = 1;
    return out;
  }

  // The passes of the plan, with temporary memory `work` if there are several.
  Receipt passes(const Lines& in, const Lines& out, const Lines& work, const Ends& ends) const {
    const std::size_t count = plan_->factors.size();
    Receipt receipt;
    std::int64_t done = 1;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_first = i == 0, is_last = i + 1 == count;
      const Lines &from = is_first ? in : work, &to = is_last ? out : work;
      const std::int64_t rest = plan_->size / (done * plan_->factors[i]);
      FftPass pass;
      pass.count = static_cast<std::int32_t>(plan_->factors[i]);
      pass.stages = fft_stages(plan_->factors[i]);
      pass.roots = plan_->roots[i];
      pass.low = plan_->twiddles[i].low;
      pass.high = plan_->twiddles[i].high;
      pass.low_bits = plan_->twiddles[i].low_bits;
      pass.direction = ends.direction;
      pass.factor_direction = ends.factor_direction;
      pass.in_step = rest * from.step;
      pass.out_step = is_last ? done * to.step : rest * to.step;
      pass.place_step = is_last ? done : rest;
      if (is_first) {
        pass.in_places = ends.in_places;
        pass.in_factors = ends.in_factors;
        pass.whole = ends.whole;
        pass.whole_step = from.step;
      }
      if (is_last) {
        pass.out_places = ends.out_places;
        pass.out_factors = ends.out_factors;
      }
      const double scale = is_last ? ends.scale : 1;
      receipt = plan_->has_lines()
                    ? launch_lines(pass, i, rest, from, to, axes(i, done, rest, from, to), scale)
                    : launch(pass, from, to, axes(i, done, rest, from, to), scale);
      done *= plan_->factors[i];
    }
    return receipt;
  }

  // The axes of the lines of pass i.
  std::vector<LineAxis> axes(std::size_t i, std::int64_t done, std::int64_t rest, const Lines& from,
                             const Lines& to) const {
    const std::array<Layout, 2> layouts{from.first, to.first};
    const Iteration batch = collapse(layouts);
    std::vector<LineAxis> out;
    for (std::size_t axis = 0; axis < batch.extents.size(); ++axis)
      out.push_back({batch.extents[axis], batch.strides[0][axis], batch.strides[1][axis], 0});
    if (plan_->factors.size() == 1) return out;
    if (i + 1 < plan_->factors.size()) {  // earlier results, and the position in the transforms that are left
      const std::int64_t each = plan_->factors[i] * rest;
      out.push_back({done, each, each, 0});
      out.push_back({rest, from.step, to.step, 1});
      return out;
    }
    std::vector<LineAxis> results;  // of earlier passes, whose digits are in the reverse order
    std::int64_t step = plan_->size, place = 1;
    for (std::size_t k = 0; k < i; ++k) {
      step /= plan_->factors[k];
      results.push_back({plan_->factors[k], step, place * to.step, place});
      place *= plan_->factors[k];
    }
    out.insert(out.end(), results.rbegin(), results.rend());
    return out;
  }

  Receipt launch(FftPass& pass, const Lines& in, const Lines& out, std::vector<LineAxis> axes,
                 double scale) const {
    pass.lines = 1;
    for (const LineAxis& axis : axes) pass.lines *= axis.extent;
    LineAxis inner{1, kNoLimit, kNoLimit, 0};
    for (const LineAxis& axis : axes) {
      if (axis.extent > 1) inner = axis;
    }
    pass.in_is_by_line = std::abs(inner.in) < std::abs(pass.in_step) ? 1 : 0;
    pass.out_is_by_line = std::abs(inner.out) < std::abs(pass.out_step) ? 1 : 0;
    const std::int64_t points = fft_points(plan_->info, element_),
                       most = std::clamp<std::int64_t>(points / pass.count, 1, kMostLines),
                       each = pass.lines / (2 * std::max<std::int64_t>(plan_->info.compute_units, 1)),
                       least = pass.in_is_by_line + pass.out_is_by_line != 0 ? kNearLines : 1;
    pass.lines_of_block = static_cast<std::int32_t>(std::min(std::max(each, least), most));
    pass.in_is_real = is_complex(in.view.element) ? 0 : 1;
    pass.out_is_real = is_complex(out.view.element) ? 0 : 1;
    const std::size_t rank = axes.size() <= 4 ? 4 : 11;
    axes.insert(axes.begin(), rank - axes.size(), LineAxis{1, 0, 0, 0});
    const Iteration iteration = iteration_of(axes, 3);
    const std::array<std::int64_t, 3> first{in.first.first, out.first.first, 0};
    const IndexBytes index(iteration, first);
    const Kernel kernel =
        Engine::of(device_)->kernel(device_, {"index", "pieces", "fft"}, {}, kernel_name(points, rank));
    const std::uint32_t blocks = blocks_for(plan_->info, pass.lines, pass.lines_of_block);
    return on_.stream().launch(kernel, blocks_of_threads(blocks), pass, index.argument(), real_of(scale),
                               memory_of(in.view), memory_of(out.view), tables());
  }

  // Pass i of a plan for fft_lines. `rest`: as in axes().
  Receipt launch_lines(FftPass& pass, std::size_t i, std::int64_t rest, const Lines& in, const Lines& out,
                       std::vector<LineAxis> axes, double scale) const {
    std::erase_if(axes, [](const LineAxis& axis) { return axis.extent == 1; });
    if (axes.empty()) axes.push_back({1, 0, 0, 0});
    LineAxis& inner = axes.back();
    const auto access_of = [&](std::int64_t line, std::int64_t step) {
      if (inner.extent > 1 && std::abs(line) < std::abs(step)) return LineOrder::kColumns;
      return step == 1 ? LineOrder::kRows : LineOrder::kStridedRows;
    };
    const LineOrder loads = access_of(inner.in, pass.in_step), stores = access_of(inner.out, pass.out_step);
    const FftTileSize size = fft_tile(plan_->info, element_, plan_->tuning, pass.count,
                                      loads == LineOrder::kColumns || stores == LineOrder::kColumns);
    FftTiles tiles{1, inner.extent, inner.in, inner.out, inner.place, plan_->twiddles[i].turns, rest};
    inner = {(inner.extent + size.lines - 1) / size.lines, inner.in * size.lines, inner.out * size.lines,
             inner.place * size.lines};
    for (const LineAxis& axis : axes) tiles.count *= axis.extent;
    pass.in_is_real = is_complex(in.view.element) ? 0 : 1;
    pass.out_is_real = is_complex(out.view.element) ? 0 : 1;
    const std::size_t rank = axes.size() <= 2 ? axes.size() : axes.size() <= 4 ? 4 : 11;
    axes.insert(axes.begin(), rank - axes.size(), LineAxis{1, 0, 0, 0});
    Iteration iteration = iteration_of(axes, 4);
    iteration.strides[3].assign(rank, 0);
    iteration.strides[3].back() = size.lines;
    const std::array<std::int64_t, 4> first{in.first.first, out.first.first, 0, 0};
    const IndexBytes index(iteration, first);
    std::string name = "quern_ops::fft_lines<" + types();
    for (const std::int64_t parameter : {std::int64_t{pass.count}, size.elements, size.lines,
                                         static_cast<std::int64_t>(loads), static_cast<std::int64_t>(stores),
                                         std::int64_t{extras(pass, tiles)}, static_cast<std::int64_t>(rank)})
      name += ", " + std::to_string(parameter);
    const Kernel kernel =
        Engine::of(device_)->kernel(device_, {"index", "pieces", "fft", "fft_lines"}, {}, name + ">");
    const auto blocks =
        static_cast<std::uint32_t>(std::min<std::int64_t>(tiles.count, plan_->info.limits.grid.x));
    const LaunchConfig config = blocks_of_threads(blocks, size.threads).shared(size.shared_bytes);
    return on_.stream().launch(kernel, config, pass, tiles, index.argument(), real_of(scale),
                               memory_of(in.view), memory_of(out.view), tables());
  }

  static int extras(const FftPass& pass, const FftTiles& tiles) {
    int out = tiles.turns >= 0 ? kTurns : 0;
    if (pass.in_is_real != 0 || pass.in_places != kNoLimit || pass.in_factors >= 0 || pass.whole != kNoLimit)
      out |= kLoadsPlaces;
    if (pass.out_is_real != 0 || pass.out_places != kNoLimit || pass.out_factors >= 0) out |= kStoresPlaces;
    return out;
  }

  Argument real_of(double value) const {
    return element_ == Element::c128 ? Argument(value) : Argument(static_cast<float>(value));
  }

  Argument tables() const {
    View view;
    view.bytes = plan_->tables.bytes();
    view.element = element_;
    view.is_read_only = true;
    return argument_of(view);
  }

  // With real elements, of which a complex one has two.
  Argument memory_of(View view) const {
    view.element = element_ == Element::c128 ? Element::f64 : Element::f32;
    return argument_of(view);
  }

  static Iteration iteration_of(const std::vector<LineAxis>& axes, std::size_t tensors) {
    Iteration out;
    out.strides.resize(tensors);
    for (const LineAxis& axis : axes) {
      out.extents.push_back(axis.extent);
      out.strides[0].push_back(axis.in);
      out.strides[1].push_back(axis.out);
      out.strides[2].push_back(axis.place);
      out.size *= axis.extent;
    }
    return out;
  }

  std::string types() const { return element_ == Element::c128 ? "double, double2" : "float, float2"; }

  std::string kernel_name(std::int64_t points, std::size_t rank) const {
    return "quern_ops::fft<" + types() + ", " + std::to_string(points) + ", " + std::to_string(rank) + ">";
  }

  On on_;
  Device device_;
  Element element_;
  std::shared_ptr<const FftPlan> plan_;
};

// The lines of a view along an axis. `order`: of the other axes.
Lines lines_of(const View& view, std::size_t axis, const std::vector<std::size_t>& order) {
  Lines out{view, {}, view.layout.strides[axis]};
  std::vector<std::int64_t> extents;
  for (const std::size_t other : order) {
    out.first.strides[extents.size()] = view.layout.strides[other];
    extents.push_back(view.layout.shape[other]);
  }
  out.first.shape = Shape(extents);
  out.first.first = view.layout.first;
  return out;
}

// Axes other than `axis`, those with near elements last.
std::vector<std::size_t> other_axes(const Layout& layout, std::size_t axis) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < layout.shape.rank(); ++i) {
    if (i != axis) out.push_back(i);
  }
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(layout.strides[a]) > std::abs(layout.strides[b]);
  });
  return out;
}

// Of one axis. `count`: elements of the transform.
Receipt transform_axis(const On& on, const View& in, const View& out, std::size_t axis, std::int64_t count,
                       std::int32_t direction, double scale) {
  Ends ends;
  ends.direction = direction;
  ends.scale = scale;
  if (!is_complex(in.element)) ends.out_places = count / 2 + 1;
  if (!is_complex(out.element)) ends.whole = count;
  const std::vector<std::size_t> order = other_axes(is_complex(out.element) ? out.layout : in.layout, axis);
  const Lines from = lines_of(in, axis, order), to = lines_of(out, axis, order);
  if (scale == 1) {
    auto receipt =
        vendor::transform(on, {in, from.first, from.step}, {out, to.first, to.step}, count, direction);
    if (receipt) return *std::move(receipt);
  }
  const Element element = is_complex(in.element) ? in.element : out.element;
  return Transform(on, element, from.first.shape.size(), count).run(from, to, ends);
}

const char* name_of(FftKind kind) {
  static constexpr std::array<const char*, 3> kNames = {"fft", "rfft", "irfft"};
  return kNames[static_cast<std::size_t>(kind)];
}

void check_types(FftKind kind, const View& in, const View& out) {
  const auto real = [](Element e) { return e == Element::c64 ? Element::f32 : Element::f64; };
  const bool fits = kind == FftKind::complex     ? is_complex(in.element) && in.element == out.element
                    : kind == FftKind::from_real ? is_complex(out.element) && in.element == real(out.element)
                                                 : is_complex(in.element) && out.element == real(in.element);
  if (!fits)
    fail(ErrorKind::invalid_use, message::kBadFftTypes(name_of(kind), std::string(ops::name_of(in.element)),
                                                       std::string(ops::name_of(out.element))));
}

std::vector<std::size_t> checked_axes(FftKind kind, const View& in, std::span<const std::size_t> given) {
  const Shape& shape = in.layout.shape;
  std::vector<std::size_t> axes(given.begin(), given.end());
  if (axes.empty() && shape.rank() != 0) axes.push_back(shape.rank() - 1);
  bool fits = !axes.empty();
  std::array<bool, Shape::max_rank> is_used{};
  std::string text;
  for (const std::size_t axis : axes) {
    text += (text.empty() ? "" : ", ") + std::to_string(axis);
    fits = fits && axis < shape.rank() && !is_used[axis];
    if (fits) is_used[axis] = true;
  }
  if (!fits)
    fail(ErrorKind::invalid_use, message::kBadFftAxes(name_of(kind), "{" + text + "}", shape.to_string()));
  return axes;
}

void check_shapes(FftKind kind, const View& in, const View& out, std::size_t last) {
  if (kind == FftKind::complex) return check_result("fft", in, out);
  check_writable(name_of(kind), out);
  const Shape& real = (kind == FftKind::from_real ? in : out).layout.shape;
  const Shape& complex = (kind == FftKind::from_real ? out : in).layout.shape;
  bool fits = real.rank() == complex.rank();
  for (std::size_t axis = 0; fits && axis < real.rank(); ++axis)
    fits = complex[axis] == (axis == last ? real[axis] / 2 + 1 : real[axis]);
  const std::int64_t extent = last < real.rank() ? real[last] : 0;
  if (!fits)
    fail(ErrorKind::invalid_use, message::kBadHalf(name_of(kind), real.to_string(), complex.to_string(),
                                                   std::to_string(extent), std::to_string(extent / 2 + 1)));
}

}  // namespace

Receipt fft(const On& on, const View& in, const View& out, FftKind kind, FftDirection direction,
            std::span<const std::size_t> given, std::optional<double> given_scale) {
  check_types(kind, in, out);
  std::vector<std::size_t> axes = checked_axes(kind, in, given);
  check_shapes(kind, in, out, axes.back());
  const Shape& shape = (kind == FftKind::to_real ? out : in).layout.shape;
  std::int64_t count = 1;
  for (const std::size_t axis : axes) {
    if (shape[axis] > kLargestAxis)
      fail(ErrorKind::unsupported,
           message::kLargeFft(name_of(kind), std::to_string(shape[axis]), std::to_string(axis)));
    count *= shape[axis];
  }
  if (shape.size() == 0 || out.layout.shape.size() == 0) return {};
  const bool is_inverse = direction == FftDirection::inverse;
  const double scale = given_scale.value_or(is_inverse ? 1 / static_cast<double>(count) : 1);
  if (kind != FftKind::to_real)
    std::reverse(axes.begin(), axes.end());  // the halved axis comes first, or last

  // Complex input of irfft() is not changed: axes before the last one need memory of their own.
  const bool needs_copy = kind == FftKind::to_real && axes.size() > 1;
  const Workspace memory(
      on.stream().device(),
      needs_copy ? static_cast<std::size_t>(in.layout.shape.size()) * bytes_of(in.element) : 0);
  View middle = out;
  if (needs_copy) {
    middle = memory.view(in.element, 0);
    middle.layout = Layout::contiguous(in.layout.shape);
  }
  Receipt receipt;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool is_last = i + 1 == axes.size();
    receipt = transform_axis(on, i == 0 ? in : middle, is_last ? out : middle, axes[i], shape[axes[i]],
                             is_inverse ? -1 : 1, is_last ? scale : 1);
  }
  return receipt;
}

}  // namespace quern::ops::detail
