/// @file
/// Algorithms on distributed arrays. Each member computes its part with the operations of quern/ops.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "quern/comm/distributed.hpp"
#include "quern/export.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/matmul.hpp"
#include "quern/ops/reduce.hpp"
#include "quern/ops/scan.hpp"
#include "quern/ops/search.hpp"
#include "quern/ops/sort.hpp"
#include "quern/ops/stencil.hpp"
#include "quern/ops/transform.hpp"

namespace quern {

namespace detail {

// The part of a stencil that one member computes in one step: rows of its memory, with halos.
struct StencilPart {
  std::size_t member;
  std::uint64_t first, count;  // the rows that the stencil sees
  std::uint64_t begin, end;    // the rows among them that it computes
  std::int64_t step;
};
struct StencilArrays {
  std::vector<DistributedMemory*> from, to;  // to: temporary memory
};
// Advances the arrays by `steps`. The result is in `from`.
QUERN_API void advance(const ops::Stencil& stencil, const StencilArrays& arrays, std::int64_t steps,
                       std::int64_t first_step, const std::function<void(const StencilPart&)>& apply);

// The region of a part.
QUERN_API ops::Region region_of(const ops::Shape& shape, const StencilPart& part);

QUERN_API void check_shapes(const char* operation, const DistributedMemory& a, const DistributedMemory& b);
QUERN_API void check_one_axis(const char* operation, const DistributedMemory& array);
QUERN_API void check_product(const DistributedMemory& a, const DistributedMemory& b,
                             const DistributedMemory& c);

// The first member with rows, or 0.
QUERN_API std::size_t first_owner(const Split& split);

// One value of each member that has rows, combined by `work` on one member.
template <ops::ElementType R, typename T, typename Part, typename Work>
R combined(const char* operation, const Distributed<T>& in, const Part& part, const Work& work) {
  const DeviceGroup& group = in.group();
  std::vector<ops::Tensor<R>> partial(group.size());
  std::vector<R> values(group.size());
  group.for_each_member(operation, [&](std::size_t i) {
    if (in.local(i).empty()) return;
    partial[i] = ops::Tensor<R>(group.device(i), ops::Shape{});
    part(i, partial[i]);
    group.stream(i).download(std::span(&values[i], 1), partial[i].memory());
  });
  group.for_each_member(operation, [&](std::size_t i) { group.stream(i).synchronize(); });
  std::vector<R> list;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!in.local(i).empty()) list.push_back(values[i]);
  }
  const std::size_t owner = first_owner(in.split());
  R result{};
  group.on_member(owner, operation, [&] {
    const ops::Tensor<R> all(group.device(owner), {static_cast<std::int64_t>(list.size())}),
        out(group.device(owner), ops::Shape{});
    const Stream& stream = group.stream(owner);
    if (!list.empty()) stream.upload(all.memory(), list);
    work(stream, all, out);
    stream.download(std::span(&result, 1), out.memory());
    stream.synchronize();
  });
  return result;
}

template <typename T, typename U, typename Total, typename Scan, typename All>
void scan(const char* operation, const Distributed<T>& in, Distributed<U>& out, const Total& total,
          const Scan& scan_part, const All& scan_totals, const ops::Function& add) {
  check_same_split(operation, in.memory(), out.memory());
  check_shapes(operation, in.memory(), out.memory());
  check_one_axis(operation, in.memory());
  const DeviceGroup& group = in.group();
  const std::size_t count = group.size();
  std::vector<ops::Tensor<U>> totals(count);
  std::vector<U> values(count);
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < count; ++i) {
    if (!in.local(i).empty()) owners.push_back(i);
  }
  group.for_each_member(operation, [&](std::size_t i) {
    if (in.local(i).empty()) return;
    if (owners.size() > 1) {
      totals[i] = ops::Tensor<U>(group.device(i), ops::Shape{});
      total(i, totals[i]);  // before the scan, which may be in place
      group.stream(i).download(std::span(&values[i], 1), totals[i].memory());
    }
    scan_part(i);
  });
  if (owners.size() < 2) return;
  group.for_each_member(operation, [&](std::size_t i) { group.stream(i).synchronize(); });
  std::vector<U> list;
  for (const std::size_t i : owners) list.push_back(values[i]);
  group.on_member(owners[0], operation, [&] {
    const Stream& stream = group.stream(owners[0]);
    const ops::Tensor<U> all(group.device(owners[0]), {static_cast<std::int64_t>(list.size())});
    stream.upload(all.memory(), list);
    scan_totals(stream, all);  // inclusive
    stream.download(std::span<U>(list), Slice<const U>(all.memory()));
    stream.synchronize();
  });
  group.for_each_member(operation, [&](std::size_t i) {
    const auto n = static_cast<std::size_t>(std::find(owners.begin(), owners.end(), i) - owners.begin());
    if (n == 0 || n == owners.size()) return;
    const Stream& stream = group.stream(i);
    stream.upload(totals[i].memory(), std::span<const U>(&list[n - 1], 1));
    ops::transform(stream, add, totals[i].reshape(ops::Shape{1}), out.tensor(i), out.tensor(i));
  });
  group.for_each_member(operation, [&](std::size_t i) { group.stream(i).synchronize(); });
}

// Which elements of sorted parts each member gets.
struct SortPlan {
  std::vector<std::uint64_t> sizes;              // of the new parts; empty: the array is sorted
  std::vector<std::vector<std::uint64_t>> cuts;  // [old member]: positions in its part, from 0 to its size
};
// `bounds`: [old member][2 * n]: the lower bounds of all splitters in its part, then the upper bounds.
QUERN_API SortPlan plan_cuts(const Split& split, const std::vector<std::vector<std::int64_t>>& bounds);

inline constexpr std::int64_t kSortSamples = 128;  // of each part

template <typename T>
std::vector<T> sort_splitters(Distributed<T>& array) {
  const DeviceGroup& group = array.group();
  std::vector<T> samples;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto count = static_cast<std::int64_t>(array.local(i).size());
    if (count == 0) continue;
    group.on_member(i, "distributed::sort", [&] {
      // As many samples as its share, so that quantiles of the samples are those of the elements.
      const auto all = static_cast<std::int64_t>(array.size());
      const std::int64_t wanted = kSortSamples * static_cast<std::int64_t>(group.size()) * count / all + 1,
                         taken = std::min(wanted, count), step = count / taken;
      const ops::Tensor<T> some(group.device(i), {taken});
      const Stream& stream = group.stream(i);
      ops::copy(stream, array.tensor(i).slice(0, step / 2, taken, step), some);
      std::vector<T> values(static_cast<std::size_t>(taken));
      stream.download(std::span<T>(values), Slice<const T>(some.memory()));
      stream.synchronize();
      samples.insert(samples.end(), values.begin(), values.end());
    });
  }
  const std::size_t owner = first_owner(array.split());
  group.on_member(owner, "distributed::sort", [&] {
    const Stream& stream = group.stream(owner);
    const ops::Tensor<T> all(group.device(owner), {static_cast<std::int64_t>(samples.size())});
    stream.upload(all.memory(), samples);
    ops::sort(stream, all);
    stream.download(std::span<T>(samples), Slice<const T>(all.memory()));
    stream.synchronize();
  });
  std::vector<T> splitters;
  for (std::size_t i = 1; i < group.size(); ++i) {
    const std::uint64_t at = array.split()[i].begin * samples.size() / array.size();
    splitters.push_back(samples[std::min<std::size_t>(at, samples.size() - 1)]);
  }
  return splitters;
}

// The parts are sorted.
template <typename T>
SortPlan plan_sort(Distributed<T>& array) {
  const DeviceGroup& group = array.group();
  std::size_t owners = 0;
  for (std::size_t i = 0; i < group.size(); ++i) owners += array.local(i).empty() ? 0U : 1U;
  if (owners < 2) return {};
  const std::vector<T> splitters = sort_splitters(array);
  const auto count = static_cast<std::int64_t>(splitters.size());
  std::vector<std::vector<std::int64_t>> bounds(group.size(),
                                                std::vector<std::int64_t>(2 * splitters.size(), 0));
  group.for_each_member("distributed::sort", [&](std::size_t i) {
    if (array.local(i).empty()) return;
    const Stream& stream = group.stream(i);
    const ops::Tensor<T> queries(group.device(i), {count});
    const ops::Tensor<std::int64_t> found(group.device(i), {2 * count});
    std::vector<std::int64_t> positions(2 * splitters.size());
    stream.upload(queries.memory(), splitters);
    ops::lower_bound(stream, array.local(i), queries, found.slice(0, 0, count));
    ops::upper_bound(stream, array.local(i), queries, found.slice(0, count, count));
    stream.download(std::span<std::int64_t>(positions), Slice<const std::int64_t>(found.memory()));
    stream.synchronize();
    bounds[i] = std::move(positions);
  });
  return plan_cuts(array.split(), bounds);
}

// A function in the kernel language that applies `combine`, in the wider of the types.
QUERN_API ops::Function function_of(ops::Combine combine);

}  // namespace detail

/// Algorithms on distributed arrays.
///
/// Each member computes its part on its stream; members exchange what they need. Arrays that are used
/// together have the same group and the same split. All functions throw Error, and GroupError if a member
/// fails. Unless stated otherwise, they return when the result is complete.
namespace distributed {

using ops::Combine;

/// Combines all elements with a predefined function, in the type R. Sums of floating-point numbers depend on
/// the split, because rounding does.
template <ops::ElementType R, ops::ElementType T>
R reduce(Combine combine, const Distributed<T>& in) {
  return detail::combined<R>(
      "distributed::reduce", in,
      [&](std::size_t i, const ops::Tensor<R>& out) {
        ops::reduce(in.group().stream(i), combine, in.local(i), out.reshape(ops::Shape{1}));
      },
      [&](const Stream& stream, const ops::Tensor<R>& all, const ops::Tensor<R>& out) {
        ops::reduce(stream, combine, all, out);
      });
}
/// Combines all elements with an associative and commutative function in the type R. `identity` is its
/// neutral element.
template <ops::ElementType T, ops::ElementType R>
R reduce(const ops::Function& combine, const Distributed<T>& in, const R& identity) {
  return detail::combined<R>(
      "distributed::reduce", in,
      [&](std::size_t i, const ops::Tensor<R>& out) {
        ops::reduce(in.group().stream(i), combine, in.local(i), out.reshape(ops::Shape{1}), identity);
      },
      [&](const Stream& stream, const ops::Tensor<R>& all, const ops::Tensor<R>& out) {
        ops::reduce(stream, combine, all, out, identity);
      });
}
/// The sum of all elements, in 64 bits for integers.
template <ops::ElementType T>
ops::detail::SumOf<T> sum(const Distributed<T>& in) {
  return reduce<ops::detail::SumOf<T>>(Combine::sum, in);
}
/// The smallest element that is not NaN, as ops::min.
template <ops::ElementType T>
T min(const Distributed<T>& in) {
  return reduce<T>(Combine::min, in);
}
/// The largest element that is not NaN, as ops::max.
template <ops::ElementType T>
T max(const Distributed<T>& in) {
  return reduce<T>(Combine::max, in);
}

/// out[i] = in[0] + ... + in[i], with `combine` instead of +. The arrays have one axis, and may be the same.
template <ops::ElementType T, ops::ElementType U>
void inclusive_scan(Combine combine, const Distributed<T>& in, Distributed<U>& out) {
  const DeviceGroup& group = in.group();
  detail::scan(
      "inclusive_scan", in, out,
      [&](std::size_t i, const ops::Tensor<U>& to) {
        ops::reduce(group.stream(i), combine, in.local(i), to.reshape(ops::Shape{1}));
      },
      [&](std::size_t i) { ops::inclusive_scan(group.stream(i), combine, in.local(i), out.local(i)); },
      [&](const Stream& on, const ops::Tensor<U>& all) { ops::inclusive_scan(on, combine, all, all); },
      detail::function_of(combine));
}
/// out[0] is the neutral element; out[i] = in[0] + ... + in[i - 1], with `combine` instead of +. The arrays
/// have one axis, and may be the same.
template <ops::ElementType T, ops::ElementType U>
void exclusive_scan(Combine combine, const Distributed<T>& in, Distributed<U>& out) {
  const DeviceGroup& group = in.group();
  detail::scan(
      "exclusive_scan", in, out,
      [&](std::size_t i, const ops::Tensor<U>& to) {
        ops::reduce(group.stream(i), combine, in.local(i), to.reshape(ops::Shape{1}));
      },
      [&](std::size_t i) { ops::exclusive_scan(group.stream(i), combine, in.local(i), out.local(i)); },
      [&](const Stream& on, const ops::Tensor<U>& all) { ops::inclusive_scan(on, combine, all, all); },
      detail::function_of(combine));
}

/// Time steps of run(): a number of steps, or {count, number of the first step}.
struct StencilSteps {
  std::int64_t count;      ///< Number of steps.
  std::int64_t first = 0;  ///< Number of the first step, for step() of the update.
  /// Steps from `first_step` on.
  StencilSteps(std::int64_t steps, std::int64_t first_step = 0) : count(steps), first(first_step) {}
};

/// Advances arrays by time steps of a stencil, in place: the fields of ops::Stencil::run. Their halos
/// have at least the rows of the stencil's radius. Each member computes the rows that others need first; they
/// are exchanged while it computes the other rows.
///
/// Returns when the last step is submitted. Boundaries that are functions of the place, and updates that use
/// `at` or `extent` of the first axis, are not supported: they throw Error with kind `unsupported`.
template <ops::ElementType... T>
requires(sizeof...(T) >= 1) void run(const ops::Stencil& stencil, const StencilSteps& steps,
                                     Distributed<T>&... fields) {
  std::tuple<Distributed<T>...> others{Distributed<T>(fields.memory().like(fields.split()))...};
  const auto tensor_of = [](const auto& array, const detail::StencilPart& part) {
    using E = typename std::remove_cvref_t<decltype(array)>::value_type;
    std::vector<std::int64_t> extents(array.shape().extents().begin(), array.shape().extents().end());
    extents[0] = static_cast<std::int64_t>(part.count);
    return ops::Tensor<E>(Slice<E>(array.memory().rows(part.member, part.first, part.count)),
                          ops::Shape(std::span<const std::int64_t>(extents)));
  };
  const auto apply = [&](const detail::StencilPart& part) {
    std::apply(
        [&](const auto&... other) {
          stencil.apply(
              std::get<0>(others).group().stream(part.member),
              ops::Fields({ops::Field(tensor_of(fields, part))...}),
              ops::Fields({ops::Field(tensor_of(other, part))...}),
              {.region = detail::region_of(std::get<0>(others).shape(), part), .first_step = part.step});
        },
        others);
  };
  std::apply(
      [&](const auto&... other) {
        detail::advance(stencil, {{&fields.memory()...}, {&other.memory()...}}, steps.count, steps.first,
                        apply);
      },
      others);
}

/// Sorts elements in place: a sample sort. The array has one axis. The order is that of ops::sort. Members
/// sort their parts, exchange the elements between splitters, and sort what they got. Memory: about twice the
/// array.
template <ops::ElementType T>
void sort(Distributed<T>& array) {
  detail::check_one_axis("sort", array.memory());
  const DeviceGroup group = array.group();
  group.for_each_member("distributed::sort", [&](std::size_t i) {
    if (!array.local(i).empty()) ops::sort(group.stream(i), array.local(i));
  });
  const detail::SortPlan plan = detail::plan_sort(array);
  if (plan.sizes.empty()) return;
  Distributed<T> other(array.memory().like(Split::by_sizes(plan.sizes)));
  other.memory().take_runs(array.memory(), plan.cuts);
  group.for_each_member("distributed::sort", [&](std::size_t i) {
    if (!other.local(i).empty()) ops::sort(group.stream(i), other.local(i));
  });
  const Split split = array.split();
  other.redistribute(group, split);
  array.memory().swap_memory(other.memory());
}

/// c = a * b. The rows of `a` and `c` are divided equally; the rows of `b` in any way. Each member multiplies
/// its rows of `a` by the rows of `b` of one member after the other, so sums depend on the split of `b`, and
/// are rounded to the type of `c` after each of them. Matrices have the same type: double, float, half or
/// bfloat16. `c` is none of the others. Returns when the last product is submitted.
template <ops::ElementType T>
void matmul(const Distributed<T>& a, const Distributed<T>& b, Distributed<T>& c) {
  detail::check_product(a.memory(), b.memory(), c.memory());
  const DeviceGroup& group = a.group();
  const std::size_t count = group.size();
  group.synchronize();
  if (b.rows() == 0) c.fill(T{});
  std::vector<bool> has_product(count, false);
  for (std::size_t step = 0; step < count; ++step) {
    group.for_each_member("distributed::matmul", [&](std::size_t i) {
      const std::size_t owner = (i + step) % count;  // its own rows first
      const IndexRange rows = b.split()[owner];
      if (rows.empty() || c.local(i).empty()) return;
      ops::Tensor<const T> panel = b.tensor(owner);
      if (owner != i) {
        const ops::Tensor<T> copy(group.device(i), panel.shape());
        detail::copy_between(group, owner, panel.memory().bytes(), i, copy.memory().bytes());
        panel = copy;
      }
      const ops::Tensor<const T> columns =
          a.tensor(i).slice(1, static_cast<std::int64_t>(rows.begin), static_cast<std::int64_t>(rows.size()));
      ops::matmul(group.stream(i), columns, panel, c.tensor(i), {.beta = has_product[i] ? 1.0 : 0.0});
      has_product[i] = true;
    });
  }
}

}  // namespace distributed
}  // namespace quern
