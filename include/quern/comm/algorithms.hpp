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

}  // namespace distributed
}  // namespace quern
