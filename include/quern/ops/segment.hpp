/// @file
/// Runs of equal keys, and segments given by offsets: run lengths, reductions and scans of one axis.
///
/// A run is a sequence of adjacent elements whose keys are equal. NaN is not equal to NaN: each one is a run.
#pragma once

#include <cstdint>

#include "quern/export.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/reduce.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

namespace detail {
QUERN_API Receipt run_length_encode(const On& on, const View& in, const View& values, const View& lengths,
                                    const View& count);
/// The operands of reduce_by_key().
struct ByKey {
  View keys, values, out_keys, out_values;
};
QUERN_API Receipt reduce_by_key(const On& on, Combine combine, const ByKey& operands, const View& count);
QUERN_API Receipt reduce_by_key(const On& on, const Function& combine, const ByKey& operands,
                                const View& count);
QUERN_API Receipt scan_by_key(const On& on, Combine combine, const View& keys, const View& values,
                              const View& out, bool is_exclusive);
QUERN_API Receipt scan_by_key(const On& on, const Function& combine, const View& keys, const View& values,
                              const View& out, bool is_exclusive, const void* identity);
QUERN_API Receipt segmented_reduce(const On& on, Combine combine, const View& in, const View& offsets,
                                   const View& out);
QUERN_API Receipt segmented_reduce(const On& on, const Function& combine, const View& in, const View& offsets,
                                   const View& out, const void* identity);
}  // namespace detail

/// Copies the first element of each run of `in` to `values`, stores the number of its elements to `lengths`,
/// and the number of runs to `count`, an operand with one int64_t. `values` and `lengths` have the shape of
/// `in` and do not overlap it; `lengths` has 32-bit or 64-bit integers. Elements after the last run are not
/// written.
template <Operand In, Operand Values, Operand Lengths, Operand Count>
Receipt run_length_encode(const On& on, In&& in, Values&& values, Lengths&& lengths, Count&& count) {
  return detail::run_length_encode(on, detail::view_of(in), detail::view_of(values), detail::view_of(lengths),
                                   detail::view_of(count));
}
/// The same; returns the number of runs. Blocking.
template <Operand In, Operand Values, Operand Lengths>
std::int64_t run_length_encode(const On& on, In&& in, Values&& values, Lengths&& lengths) {
  return detail::value_from<std::int64_t>(on, [&](const detail::View& count) {
    detail::run_length_encode(on, detail::view_of(in), detail::view_of(values), detail::view_of(lengths),
                              count);
  });
}

/// Combines the values of each run of equal keys. Stores the key of each run to `out_keys`, the result to
/// `out_values`, and the number of runs to `count`, an operand with one int64_t. All operands but `count`
/// have the same shape, and results do not overlap inputs. Sums and products are computed in the wider type
/// of input and result, with at least 32 bits.
template <Operand Keys, Operand Values, Operand OutKeys, Operand OutValues, Operand Count>
Receipt reduce_by_key(const On& on, Combine combine, Keys&& keys, Values&& values, OutKeys&& out_keys,
                      OutValues&& out_values, Count&& count) {
  return detail::reduce_by_key(on, combine,
                               {detail::view_of(keys), detail::view_of(values), detail::view_of(out_keys),
                                detail::view_of(out_values)},
                               detail::view_of(count));
}
/// The same with an associative function in the type of the result.
template <Operand Keys, Operand Values, Operand OutKeys, Operand OutValues, Operand Count>
Receipt reduce_by_key(const On& on, const Function& combine, Keys&& keys, Values&& values, OutKeys&& out_keys,
                      OutValues&& out_values, Count&& count) {
  return detail::reduce_by_key(on, combine,
                               {detail::view_of(keys), detail::view_of(values), detail::view_of(out_keys),
                                detail::view_of(out_values)},
                               detail::view_of(count));
}
/// The same; returns the number of runs. Blocking.
template <Operand Keys, Operand Values, Operand OutKeys, Operand OutValues>
std::int64_t reduce_by_key(const On& on, Combine combine, Keys&& keys, Values&& values, OutKeys&& out_keys,
                           OutValues&& out_values) {
  return detail::value_from<std::int64_t>(on, [&](const detail::View& count) {
    detail::reduce_by_key(on, combine,
                          {detail::view_of(keys), detail::view_of(values), detail::view_of(out_keys),
                           detail::view_of(out_values)},
                          count);
  });
}
/// The same with a function. Blocking.
template <Operand Keys, Operand Values, Operand OutKeys, Operand OutValues>
std::int64_t reduce_by_key(const On& on, const Function& combine, Keys&& keys, Values&& values,
                           OutKeys&& out_keys, OutValues&& out_values) {
  return detail::value_from<std::int64_t>(on, [&](const detail::View& count) {
    detail::reduce_by_key(on, combine,
                          {detail::view_of(keys), detail::view_of(values), detail::view_of(out_keys),
                           detail::view_of(out_values)},
                          count);
  });
}

/// An inclusive_scan() that starts again at the first element of each run of equal keys. All operands have
/// the same shape with one axis. `out` may be `values`; it does not overlap `keys`.
template <Operand Keys, Operand Values, Operand Out>
Receipt inclusive_scan_by_key(const On& on, Combine combine, Keys&& keys, Values&& values, Out&& out) {
  return detail::scan_by_key(on, combine, detail::view_of(keys), detail::view_of(values),
                             detail::view_of(out), false);
}
/// The same with an associative function in the type of the result, and its neutral element.
template <Operand Keys, Operand Values, Operand Out>
Receipt inclusive_scan_by_key(const On& on, const Function& combine, Keys&& keys, Values&& values, Out&& out,
                              const ValueOf<Out>& identity) {
  return detail::scan_by_key(on, combine, detail::view_of(keys), detail::view_of(values),
                             detail::view_of(out), false, &identity);
}
/// An exclusive_scan() that starts again at the first element of each run of equal keys. All operands have
/// the same shape with one axis. `out` may be `values`; it does not overlap `keys`.
template <Operand Keys, Operand Values, Operand Out>
Receipt exclusive_scan_by_key(const On& on, Combine combine, Keys&& keys, Values&& values, Out&& out) {
  return detail::scan_by_key(on, combine, detail::view_of(keys), detail::view_of(values),
                             detail::view_of(out), true);
}
/// The same with an associative function in the type of the result, and its neutral element.
template <Operand Keys, Operand Values, Operand Out>
Receipt exclusive_scan_by_key(const On& on, const Function& combine, Keys&& keys, Values&& values, Out&& out,
                              const ValueOf<Out>& identity) {
  return detail::scan_by_key(on, combine, detail::view_of(keys), detail::view_of(values),
                             detail::view_of(out), true, &identity);
}

/// Combines the elements of each segment: out[s] is the result of in[offsets[s]] to in[offsets[s + 1] - 1],
/// and the neutral element if there are none. `offsets` has one axis with one element more than `out`: 32-bit
/// or 64-bit integers in ascending order. Offsets outside of `in` are moved to its ends. A thread, a warp or
/// a block computes a segment, depending on their average length.
template <Operand In, Operand Offsets, Operand Out>
Receipt segmented_reduce(const On& on, Combine combine, In&& in, Offsets&& offsets, Out&& out) {
  return detail::segmented_reduce(on, combine, detail::view_of(in), detail::view_of(offsets),
                                  detail::view_of(out));
}
/// The same with an associative and commutative function in the type of the result, and its neutral element.
template <Operand In, Operand Offsets, Operand Out>
Receipt segmented_reduce(const On& on, const Function& combine, In&& in, Offsets&& offsets, Out&& out,
                         const ValueOf<Out>& identity) {
  return detail::segmented_reduce(on, combine, detail::view_of(in), detail::view_of(offsets),
                                  detail::view_of(out), &identity);
}

}  // namespace quern::ops
