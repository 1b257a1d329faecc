#include "quern/ops/stencil.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_stencil.hpp"
#include "ops/stencil_plan.hpp"
#include "quern/ops/transform.hpp"

namespace quern::ops {

namespace {

using detail::Layout;
using detail::View;
using Views = std::vector<View>;
using Files = std::initializer_list<std::string_view>;

constexpr std::int64_t kMostExtent = std::int64_t{1} << 30;
constexpr int kMostRadius = 64;
constexpr std::int32_t kFewestPlanes = 8;  // of a tile of StencilKernel::kMarch

// Grid of text/stencil.cuh.
struct GridArgument {
  std::array<std::int32_t, 3> extent{}, begin{}, end{}, tiles{};
  std::array<std::int32_t, 2> chunk{};
  std::int32_t step = 0;
};
// Strides of text/stencil.cuh.
template <typename I>
struct StridesArgument {
  std::int64_t first = 0;
  std::array<I, 3> stride{};
};

[[noreturn]] void refuse(const base::MessageText& message) { fail(ErrorKind::invalid_use, message); }

std::array<std::int64_t, 3> three_strides(const Layout& layout) {
  std::array<std::int64_t, 3> out{};
  const std::size_t rank = layout.shape.rank();
  for (std::size_t i = 0; i < rank; ++i) out[3 - rank + i] = layout.strides[i];
  return out;
}

// Whether all offsets between points of a view fit 31 bits.
bool is_near(const Layout& layout) {
  std::int64_t reach = 0;
  for (std::size_t i = 0; i < layout.shape.rank(); ++i)
    reach += layout.shape[i] * std::abs(layout.strides[i]);
  return reach < std::numeric_limits<std::int32_t>::max() / 2;
}

// A call of run() or apply().
class Call {
 public:
  Call(const char* name, const On& on, const Stencil& stencil, const Views& in,
       const StencilArguments& arguments)
      : name_(name),
        on_(on),
        stencil_(stencil),
        device_(on.stream().device()),
        first_step_(arguments.first_step) {
    check_fields(in);
    set_axes();
    set_region(arguments.region);
    for (const View& field : in) check_not_complex(name_, field);
    for (const View& view : arguments.coefficients.views()) {
      check_not_complex(name_, view);
      coefficients_.push_back(view);
      coefficients_.back().layout = view.layout.broadcast(shape_);
    }
  }

  const Shape& shape() const { return shape_; }
  bool has_region() const { return has_region_; }
  bool is_empty() const {
    for (std::size_t i = 0; i < 3; ++i) {
      if (region_end_[i] <= region_begin_[i]) return true;
    }
    return shape_.size() == 0;
  }

  void check_result(const Views& in, const Views& out) const {
    if (in.size() != out.size())
      refuse(message::kFieldCounts(name_, std::to_string(in.size()), std::to_string(out.size())));
    for (std::size_t f = 0; f < in.size(); ++f) {
      if (out[f].is_read_only) refuse(message::kReadOnly(name_));
      if (out[f].layout.shape != shape_)
        refuse(message::kFieldsDiffer(name_, shape_.to_string(), out[f].layout.shape.to_string()));
      if (out[f].element != in[f].element) refuse(message::kFieldTypes(name_, std::to_string(f)));
      for (const View& from : in) {
        if (from.bytes.memory == out[f].bytes.memory && from.bytes.offset == out[f].bytes.offset &&
            from.layout.first == out[f].layout.first && shape_.size() != 0)
          refuse(message::kFieldsOverlap(name_, std::to_string(f)));
      }
    }
  }

  // The plan for several steps; one step if there is no better one.
  StencilPlan best_plan(const Views& fields) const {
    if (has_region_) return {};
    const StencilOptions& options = stencil_.options();
    const int steps = options.steps_per_launch;
    const StencilPlan plan = plan_steps(device_.info(), grid_, options.tile, use_of(fields), steps);
    if (steps > 1 && plan.steps == 1)
      refuse(message::kManySteps(std::to_string(steps), std::to_string(device_.info().limits.shared_bytes)));
    return plan;
  }

  Receipt launch(StencilPlan plan, const Views& in, const Views& out, std::int64_t done) const {
    if (plan.steps == 1) plan = plan_step(device_.info(), grid_, stencil_.options().tile, use_of(in));
    std::vector<Element> fields, coefficients;
    for (const View& view : in) fields.push_back(view.element);
    for (const View& view : coefficients_) coefficients.push_back(view.element);
    for (const Views* const views : {&in, &out, &coefficients_}) {
      for (const View& view : *views) {
        plan.is_wide = plan.is_wide || !is_near(view.layout);
        plan.is_unit = plan.is_unit && (view.layout.strides[shape_.rank() - 1] == 1 || grid_.extent[2] == 1);
      }
    }
    const std::string code = stencil_text(plan, grid_, stencil_.update(), fields, coefficients);
    const Kernel kernel = Engine::of(device_)->kernel(
        device_, plan.kernel == StencilKernel::kMarch ? Files{"stencil", "stencil_march"} : Files{"stencil"},
        code, "stencil");
    return plan.is_wide ? launch<std::int64_t>(kernel, plan, in, out, done)
                        : launch<std::int32_t>(kernel, plan, in, out, done);
  }

 private:
  void check_fields(const Views& in) {
    if (in.empty()) refuse(message::kNoFields(name_));
    shape_ = in[0].layout.shape;
    if (shape_.rank() < 1 || shape_.rank() > 3) refuse(message::kBadGrid(name_, shape_.to_string()));
    for (const View& field : in) {
      if (field.layout.shape != shape_)
        refuse(message::kFieldsDiffer(name_, shape_.to_string(), field.layout.shape.to_string()));
    }
    for (const std::int64_t n : shape_.extents()) {
      if (n >= kMostExtent) refuse(message::kLargeGrid(name_, shape_.to_string()));
    }
  }

  void set_axes() {
    const std::size_t rank = shape_.rank();
    const auto& radii = stencil_.options().radius.list();
    const auto& boundaries = stencil_.options().boundary.list();
    if (radii.size() != 1 && radii.size() != rank)
      refuse(message::kBadRadius(name_, std::to_string(radii.size()), shape_.to_string()));
    if (boundaries.size() != 1 && boundaries.size() != rank)
      refuse(message::kBadBoundaries(name_, std::to_string(boundaries.size()), shape_.to_string()));
    grid_.rank = rank;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t axis = 3 - rank + i;
      grid_.extent[axis] = static_cast<std::int32_t>(shape_[i]);
      grid_.radius[axis] = radii[radii.size() == 1 ? 0 : i];
      grid_.boundary[axis] = boundaries[boundaries.size() == 1 ? 0 : i];
      if (grid_.radius[axis] < 0 || grid_.radius[axis] > kMostRadius)
        refuse(message::kRadiusRange(name_, std::to_string(grid_.radius[axis])));
    }
  }

  void set_region(const Region& region) {
    const std::size_t rank = shape_.rank();
    region_end_ = grid_.extent;
    has_region_ = !region.begin.empty() || !region.end.empty();
    const auto set = [&](const std::vector<std::int64_t>& positions, std::array<std::int32_t, 3>& to) {
      if (positions.empty()) return true;
      if (positions.size() != rank) return false;
      for (std::size_t i = 0; i < rank; ++i) {
        if (positions[i] < 0 || positions[i] > shape_[i]) return false;
        to[3 - rank + i] = static_cast<std::int32_t>(positions[i]);
      }
      return true;
    };
    if (!set(region.begin, region_begin_) || !set(region.end, region_end_))
      refuse(message::kBadRegion(name_, text_of(region.begin), text_of(region.end), shape_.to_string()));
  }
  static std::string text_of(const std::vector<std::int64_t>& positions) {
    std::string out;
    for (const std::int64_t p : positions) out += (out.empty() ? "" : ", ") + std::to_string(p);
    return "(" + out + ")";
  }

  StencilUse use_of(const Views& fields) const {
    StencilUse out;
    for (const View& field : fields) out.bytes += std::max<std::size_t>(bytes_of(field.element), 4);
    const std::optional<StencilOffsets> offsets = offsets_of(stencil_.update(), fields.size());
    out.is_known = offsets.has_value();
    out.is_flat =
        offsets && std::all_of(offsets->begin(), offsets->end(), [](const std::vector<int>& offset) {
          return offset.empty() || offset[0] == 0 ||
                 std::all_of(offset.begin() + 1, offset.end(), [](int d) { return d == 0; });
        });
    return out;
  }

  // Planes of a tile of StencilKernel::kMarch, with which the device computes all tiles in the least time.
  // `tiles`: those of a plane.
  std::int32_t planes_of(const Kernel& kernel, const StencilPlan& plan, std::int64_t tiles,
                         std::int32_t extent, int radius) const {
    if (plan.depth > 0) return plan.depth;
    const Occupancy occupancy =
        kernel.occupancy(static_cast<std::uint32_t>(plan.threads), plan.dynamic_bytes);
    const std::int64_t resident = std::int64_t{std::max(device_.info().compute_units, 1u)} *
                                  std::max(occupancy.max_blocks_per_unit, 1u);
    const std::int32_t halo = plan.steps * (radius + std::max(radius, 1));
    std::int32_t best = extent;
    std::int64_t best_time = std::numeric_limits<std::int64_t>::max();
    for (std::int32_t chunks = 1; chunks <= 4 * resident; ++chunks) {
      const std::int32_t planes = (extent + chunks - 1) / chunks;
      const std::int64_t time = (tiles * chunks + resident - 1) / resident * (planes + halo);
      if (time < best_time) {
        best_time = time;
        best = planes;
      }
      if (planes <= kFewestPlanes) break;
    }
    return best;
  }

  template <typename I>
  Receipt launch(const Kernel& kernel, const StencilPlan& plan, const Views& in, const Views& out,
                 std::int64_t done) const {
    GridArgument g;
    g.extent = grid_.extent;
    g.begin = region_begin_;
    g.end = region_end_;
    g.step = static_cast<std::int32_t>(first_step_ + done);
    std::array<std::int32_t, 3> tile{plan.depth, plan.height, plan.width};
    const auto count = [&](std::size_t i) { return (g.end[i] - g.begin[i] - 1) / tile[i] + 1; };
    const bool is_march = plan.kernel == StencilKernel::kMarch;
    if (is_march) {
      const std::size_t march = grid_.rank == 2 ? 1 : 0, row = 1 - march;
      tile[row] = plan.height - 2 * plan.steps * grid_.radius[row];
      tile[2] -= 2 * plan.steps * grid_.radius[2];
      tile[march] = planes_of(kernel, plan, std::int64_t{count(row)} * count(2),
                              g.end[march] - g.begin[march], grid_.radius[march]);
      g.chunk = {tile[0], tile[1]};
    }
    std::int64_t tiles = 1;
    for (std::size_t i = 0; i < 3; ++i) tiles *= g.tiles[i] = count(i);

    std::vector<StridesArgument<I>> strides;
    strides.reserve(2 * in.size() + coefficients_.size());
    std::vector<Argument> list{Argument(g)};
    const auto add_strides = [&](const View& view) {
      StridesArgument<I> s;
      s.first = view.layout.first;
      for (std::size_t i = 0; i < 3; ++i) s.stride[i] = static_cast<I>(three_strides(view.layout)[i]);
      strides.push_back(s);
      list.emplace_back(strides.back());
    };
    for (std::size_t f = 0; f < in.size(); ++f) {
      list.push_back(argument_of(in[f]));
      list.push_back(argument_of(out[f]));
      add_strides(in[f]);
      add_strides(out[f]);
    }
    for (const View& view : coefficients_) {
      list.push_back(argument_of(view));
      add_strides(view);
    }
    const auto blocks =
        static_cast<std::uint32_t>(std::min<std::int64_t>(tiles, device_.info().limits.grid.x));
    const int columns = is_march ? plan.threads : plan.width;
    const LaunchConfig config = grid({blocks, 1, 1}, {static_cast<std::uint32_t>(columns),
                                                      static_cast<std::uint32_t>(plan.threads / columns), 1})
                                    .shared(plan.dynamic_bytes);
    return on_.stream().launch_list(kernel, config, list);
  }

  const char* name_;
  const On& on_;
  const Stencil& stencil_;
  Device device_;
  Shape shape_;
  StencilGrid grid_;
  std::array<std::int32_t, 3> region_begin_{}, region_end_{};
  bool has_region_ = false;
  Views coefficients_;
  std::int64_t first_step_;
};

// Copies of fields, to compute from one to the other.
class Copies {
 public:
  Copies(const Device& device, const Views& fields) {
    for (const View& field : fields) {
      const std::int64_t n = field.layout.shape.size();
      memory_.emplace_back(device, static_cast<std::size_t>(n) * bytes_of(field.element));
      views_.push_back(memory_.back().view(field.element, n));
      views_.back().layout = Layout::contiguous(field.layout.shape);
    }
  }
  const Views& views() const { return views_; }

 private:
  std::vector<Workspace> memory_;
  Views views_;
};

void copy_fields(const On& on, const Views& from, const Views& to) {
  for (std::size_t f = 0; f < from.size(); ++f)
    detail::transform(on, "[](auto x) { return x; }", std::span(&from[f], 1), to[f]);
}

// The steps of each launch. With an even number of launches, the result is in the fields without a copy. A
// copy is faster than replacing a launch with more than two steps.
struct Launches {
  std::int64_t many = 0, single = 0;  // launches with the steps of the plan, and with one step
  std::int64_t count() const { return many + single; }
};

Launches launches_of(std::int64_t steps, int per_launch) {
  Launches out{steps / per_launch, steps % per_launch};
  if (per_launch == 1) return {0, steps};
  if (out.count() % 2 != 0 && out.many > 0 && per_launch == 2) {
    --out.many;
    out.single += per_launch;
  }
  return out;
}

}  // namespace

Boundary Boundary::constant(double value) {
  Boundary out(BoundaryKind::function);
  out.is_constant_ = true;
  out.value_ = value;
  return out;
}

Boundary Boundary::function(Function function) {
  Boundary out(BoundaryKind::function);
  out.function_ = std::move(function);
  return out;
}

Stencil::Stencil(StencilOptions options, Function update)
    : options_(std::move(options)), update_(std::move(update)) {}

Receipt Stencil::apply(const On& on, const Fields& in, const Fields& out,
                       const StencilArguments& arguments) const {
  const Call call("Stencil::apply", on, *this, in.views(), arguments);
  call.check_result(in.views(), out.views());
  if (call.is_empty()) return {};
  return call.launch({}, in.views(), out.views(), 0);
}

Receipt Stencil::run(const On& on, const Fields& fields, std::int64_t steps,
                     const StencilArguments& arguments) const {
  const Views& views = fields.views();
  const Call call("Stencil::run", on, *this, views, arguments);
  for (const View& view : views) {
    if (view.is_read_only) refuse(message::kReadOnly("Stencil::run"));
  }
  if (steps < 0) refuse(message::kBadSteps(std::to_string(steps)));
  if (steps == 0 || call.is_empty()) return {};
  const StencilPlan plan = steps == 1 ? StencilPlan{} : call.best_plan(views);
  const Launches launches = launches_of(steps, plan.steps);
  const Copies copies(on.stream().device(), views);
  // With an odd number of launches, the first one reads the copy.
  bool is_in_copy = launches.count() % 2 != 0;
  if (is_in_copy || call.has_region()) copy_fields(on, views, copies.views());
  Receipt receipt;
  std::int64_t done = 0;
  for (std::int64_t i = 0; i < launches.count(); ++i, is_in_copy = !is_in_copy) {
    const StencilPlan& now = i < launches.many ? plan : StencilPlan{};
    receipt = is_in_copy ? call.launch(now, copies.views(), views, done)
                         : call.launch(now, views, copies.views(), done);
    done += now.steps;
  }
  return receipt;
}

}  // namespace quern::ops
