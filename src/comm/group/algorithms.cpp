#include "quern/comm/algorithms.hpp"

#include <algorithm>

#include "comm/group/members.hpp"

namespace quern::detail {

namespace {

using comm::fail;

// The rows of a part, numbered as in the array.
struct Rows {
  std::uint64_t begin, end;
};

// A stencil on all members.
class DistributedStencil {
 public:
  DistributedStencil(const ops::Stencil& stencil, const StencilArrays& arrays,
                     const std::function<void(const StencilPart&)>& apply)
      : arrays_(arrays), first_(*arrays.from.front()), group_(first_.group()), apply_(apply) {
    const ops::Boundary& edge = stencil.options().boundary.list().front();
    edges_ = edge.kind() == ops::BoundaryKind::periodic ? HaloEdges::periodic : HaloEdges::open;
    radius_ = static_cast<std::uint64_t>(std::max(0, stencil.options().radius.list().front()));
    for (std::size_t i = 0; i < group_.size(); ++i) members_ += first_.split()[i].empty() ? 0U : 1U;
  }

  void run(std::int64_t steps, std::int64_t first_step) {
    const bool exchanges = radius_ != 0 && (members_ > 1 || edges_ == HaloEdges::periodic);
    if (exchanges) {
      wait_for_streams();
      copy_halos(arrays_.from);
    }
    for (std::int64_t n = 0; n < steps; ++n) {
      const bool is_last = n + 1 == steps;
      std::vector<Event> edges_done(group_.size());
      group_.for_each_member("distributed::run", [&](std::size_t i) {
        step(i, first_step + n, exchanges && !is_last, edges_done[i]);
      });
      if (exchanges && !is_last) {
        group_.for_each_member("distributed::run", [&](std::size_t i) { edges_done[i].wait(); });
        copy_halos(arrays_.to);
      }
      for (std::size_t f = 0; f < arrays_.from.size(); ++f) arrays_.from[f]->swap_memory(*arrays_.to[f]);
    }
  }

 private:
  void wait_for_streams() {
    group_.for_each_member("distributed::run", [&](std::size_t i) { group_.stream(i).synchronize(); });
  }
  void copy_halos(const std::vector<DistributedMemory*>& arrays) {
    for (DistributedMemory* const array : arrays) array->copy_halos(edges_, radius_);
  }

  // The rows at the ends first, if others wait for them.
  void step(std::size_t member, std::int64_t number, bool is_divided, Event& edges_done) {
    const IndexRange own = first_.split()[member];
    if (own.empty()) return;
    if (!is_divided || own.size() <= 2 * radius_) {
      compute(member, own, {own.begin, own.end}, number);
      if (is_divided) edges_done = group_.stream(member).record();
      return;
    }
    compute(member, own, {own.begin, own.begin + radius_}, number);
    compute(member, own, {own.end - radius_, own.end}, number);
    edges_done = group_.stream(member).record();
    compute(member, own, {own.begin + radius_, own.end - radius_}, number);
  }

  // The stencil sees the halos, but nothing outside of the array: its boundaries are those of the array.
  void compute(std::size_t member, const IndexRange& own, const Rows& rows, std::int64_t number) {
    const bool is_open = edges_ == HaloEdges::open;
    const std::uint64_t total = first_.split().total(), halo = first_.options().halo,
                        before = is_open ? std::min(radius_, own.begin) : radius_,
                        after = is_open ? std::min(radius_, total - own.end) : radius_;
    StencilPart part{};
    part.member = member;
    part.first = halo - before;
    part.count = before + own.size() + after;
    part.begin = before + rows.begin - own.begin;
    part.end = before + rows.end - own.begin;
    part.step = number;
    apply_(part);
  }

  const StencilArrays& arrays_;
  const DistributedMemory& first_;
  const DeviceGroup& group_;
  const std::function<void(const StencilPart&)>& apply_;
  HaloEdges edges_ = HaloEdges::open;
  std::uint64_t radius_ = 0;
  std::size_t members_ = 0;  // with rows
};

// The first use of a position or an extent that may be that of the first axis: ".at(" and ".extent(" with
// anything but the number of another axis. Empty: there is none.
std::string place_in(const std::string& text) {
  for (const char* const name : {".at", ".extent"}) {
    const std::string word = name;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      std::size_t next = text.find_first_not_of(" \t\n", at + word.size());
      if (next == std::string::npos || text[next] != '(') continue;
      next = text.find_first_not_of(" \t\n", next + 1);
      const std::size_t after = next == std::string::npos ? next : text.find_first_not_of(" \t\n", next + 1);
      const bool is_other_axis =
          after != std::string::npos && (text[next] == '1' || text[next] == '2') && text[after] == ')';
      if (!is_other_axis) return "'" + word.substr(1) + "'";
    }
  }
  return {};
}

void check_stencil(const ops::Stencil& stencil, const StencilArrays& arrays, std::int64_t steps) {
  if (steps < 0) fail(ErrorKind::invalid_use, comm::message::kStepCount(std::to_string(steps)));
  for (const ops::Boundary& boundary : stencil.options().boundary.list()) {
    if (boundary.kind() == ops::BoundaryKind::function && !boundary.is_constant())
      fail(ErrorKind::unsupported, comm::message::kPlaceBoundary());
  }
  for (const std::string& text : {stencil.update().lambda(), stencil.update().code()}) {
    if (const std::string place = place_in(text); !place.empty())
      fail(ErrorKind::unsupported, comm::message::kPlaceUpdate(place));
  }
  const auto radius = static_cast<std::uint64_t>(std::max(0, stencil.options().radius.list().front()));
  for (const DistributedMemory* const array : arrays.from) {
    check_same_split("run", *arrays.from.front(), *array);
    check_shapes("run", *arrays.from.front(), *array);
    if (array->options().halo != arrays.from.front()->options().halo)
      fail(ErrorKind::invalid_use, comm::message::kHalosDiffer());
    if (array->options().halo < radius)
      fail(ErrorKind::invalid_use,
           comm::message::kSmallHalo(std::to_string(radius), std::to_string(array->options().halo)));
  }
}

}  // namespace

void advance(const ops::Stencil& stencil, const StencilArrays& arrays, std::int64_t steps,
             std::int64_t first_step, const std::function<void(const StencilPart&)>& apply) {
  check_stencil(stencil, arrays, steps);
  if (steps != 0) DistributedStencil(stencil, arrays, apply).run(steps, first_step);
}

ops::Region region_of(const ops::Shape& shape, const StencilPart& part) {
  ops::Region out;
  out.begin.assign(shape.rank(), 0);
  out.end.assign(shape.extents().begin(), shape.extents().end());
  out.begin[0] = static_cast<std::int64_t>(part.begin);
  out.end[0] = static_cast<std::int64_t>(part.end);
  return out;
}

void check_shapes(const char* operation, const DistributedMemory& a, const DistributedMemory& b) {
  if (a.shape() != b.shape()) fail(ErrorKind::invalid_use, comm::message::kShapesOfArrays(operation));
}

void check_one_axis(const char* operation, const DistributedMemory& array) {
  if (array.shape().rank() != 1) fail(ErrorKind::invalid_use, comm::message::kOneAxis(operation));
}

void check_product(const DistributedMemory& a, const DistributedMemory& b, const DistributedMemory& c) {
  const ops::Shape &x = a.shape(), &y = b.shape(), &z = c.shape();
  const bool fits =
      x.rank() == 2 && y.rank() == 2 && z.rank() == 2 && x[1] == y[0] && z[0] == x[0] && z[1] == y[1];
  if (!fits)
    fail(ErrorKind::invalid_use, comm::message::kBadProduct(x.to_string(), y.to_string(), z.to_string()));
  check_same_split("matmul", a, c);
  if (!a.group().has_same_members(b.group()))
    fail(ErrorKind::invalid_use, comm::message::kArraysDiffer("matmul"));
}

SortPlan plan_cuts(const Split& split, const std::vector<std::vector<std::int64_t>>& bounds) {
  const std::size_t count = split.size();
  SortPlan plan;
  plan.cuts.assign(count, std::vector<std::uint64_t>(1, 0));
  for (std::size_t n = 1; n < count; ++n) {
    // Elements that are equal to the splitter are divided so that the sizes come close to those of the split.
    std::uint64_t lower = 0;
    for (std::size_t i = 0; i < count; ++i) lower += static_cast<std::uint64_t>(bounds[i][n - 1]);
    std::uint64_t rest = split[n].begin > lower ? split[n].begin - lower : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto first = static_cast<std::uint64_t>(bounds[i][n - 1]),
                 last = static_cast<std::uint64_t>(bounds[i][count - 1 + n - 1]);
      const std::uint64_t taken = std::min(rest, last - first);
      rest -= taken;
      plan.cuts[i].push_back(std::max(plan.cuts[i].back(), first + taken));
    }
  }
  plan.sizes.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    plan.cuts[i].push_back(split[i].size());
    for (std::size_t n = 0; n < count; ++n) plan.sizes[n] += plan.cuts[i][n + 1] - plan.cuts[i][n];
  }
  return plan;
}

std::size_t first_owner(const Split& split) {
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (!split[i].empty()) return i;
  }
  return 0;
}

ops::Function function_of(ops::Combine combine) {
  switch (combine) {
    case ops::Combine::sum: return "[](auto a, auto b) { return a + b; }";
    case ops::Combine::product: return "[](auto a, auto b) { return a * b; }";
    case ops::Combine::min: return "[](auto a, auto b) { return a != a ? b : b < a ? b : a; }";
    case ops::Combine::max: break;
  }
  return "[](auto a, auto b) { return a != a ? b : a < b ? b : a; }";
}

}  // namespace quern::detail
