/// @file
/// The operations of a communicator.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "quern/buffer.hpp"
#include "quern/export.hpp"
#include "quern/ops/element.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/on.hpp"

namespace quern::comm {

using ops::bfloat16;
using ops::Combine;
using ops::Element;
using ops::ElementType;
using ops::half;
using ops::On;

namespace detail {

// Device memory as an operand.
struct Range {
  quern::detail::Bytes bytes;
  std::size_t count = 0;  // of elements
};

enum class Kind : std::uint8_t {
  barrier,
  broadcast,
  reduce,
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  send,
  receive,
  send_receive,
};

// One call of an operation.
struct Call {
  Kind kind = Kind::barrier;
  std::size_t element_bytes = 1;
  Range in = {}, out = {};
  int peer = 0;    // the root, the destination of a send, the source of a receive
  int source = 0;  // of send_receive
  Combine combine = Combine::sum;
  std::optional<Element> element = {};  // of a reduction
};

template <typename T>
Range range_of(const Slice<T>& slice) {
  return {slice.bytes(), slice.size()};
}

// Slices and buffers: the type of an element, with const if it is read-only.
template <typename X>
struct ElementIn;
template <typename T>
struct ElementIn<Slice<T>> {
  using type = T;
};
template <typename T>
struct ElementIn<const Slice<T>> {
  using type = T;
};
template <typename T>
struct ElementIn<Buffer<T>> {
  using type = T;
};
template <typename T>
struct ElementIn<const Buffer<T>> {
  using type = const T;
};

}  // namespace detail

/// A buffer or a slice.
template <typename X>
concept Operand = requires {
  typename detail::ElementIn<std::remove_reference_t<X>>::type;
};

/// The type of an operand's elements, without const.
template <Operand X>
using ValueOf = std::remove_const_t<typename detail::ElementIn<std::remove_reference_t<X>>::type>;

/// A buffer or a slice that an operation may write to.
template <typename X>
concept Result = Operand<X> && !std::is_const_v<typename detail::ElementIn<std::remove_reference_t<X>>::type>;

/// An input and a result of the same type.
template <typename In, typename Out>
concept Matching = Operand<In> && Result<Out> && std::is_same_v<ValueOf<In>, ValueOf<Out>>;

/// An input and a result whose elements can be combined: `double`, `float`, half, bfloat16, and signed and
/// unsigned integers of 8 to 64 bits.
template <typename In, typename Out>
concept Combinable =
    Matching<In, Out> && ElementType<ValueOf<In>> && !std::is_same_v<ValueOf<In>, std::complex<float>> &&
    !std::is_same_v<ValueOf<In>, std::complex<double>> && !std::is_same_v<ValueOf<In>, ops::float8_e4m3> &&
    !std::is_same_v<ValueOf<In>, ops::float8_e5m2>;

/// The operations. Communicator's block until they are complete; Communicator::async() has operations that
/// return a Request. `Done` is void or Request.
///
/// All functions throw Error. Kind `invalid_use`: wrong counts or ranks, or calls that differ between the
/// ranks; the communicator remains usable. Any other kind: the communicator has failed, and all its later
/// operations throw the same error. The contents of the result are undefined after an error.
///
/// Sums and products are rounded, or wrap around, in the type of the elements after each step. `min` and
/// `max` ignore NaN. The result of a reduction is the same on all ranks.
template <typename Self, typename Done>
class Collectives {
 public:
  /// Copies the elements of rank `root` to all ranks.
  template <Result X>
  Done broadcast(const On& on, X&& data, int root = 0) const {
    return call<ValueOf<X>>(on, {.kind = detail::Kind::broadcast,
                                 .in = detail::range_of(data),
                                 .out = detail::range_of(data),
                                 .peer = root});
  }
  /// Combines the inputs of all ranks elementwise. Only rank `root` gets the result; the others pass any
  /// operand, for example an empty slice. `in` and `out` may be the same memory.
  template <typename In, typename Out>
  requires Combinable<In, Out> Done reduce(const On& on, Combine combine, In&& in, Out&& out, int root = 0)
  const {
    return combined<ValueOf<In>>(on, {.kind = detail::Kind::reduce,
                                      .in = detail::range_of(in),
                                      .out = detail::range_of(out),
                                      .peer = root,
                                      .combine = combine});
  }
  /// Combines the inputs of all ranks elementwise. All ranks get the result. `in` and `out` may be the same
  /// memory.
  template <typename In, typename Out>
  requires Combinable<In, Out> Done all_reduce(const On& on, Combine combine, In&& in, Out&& out)
  const {
    return combined<ValueOf<In>>(on, {.kind = detail::Kind::all_reduce,
                                      .in = detail::range_of(in),
                                      .out = detail::range_of(out),
                                      .combine = combine});
  }
  /// Concatenates the inputs of all ranks in the order of the ranks. `out` has size() times as many elements
  /// as `in`. `in` may be this rank's part of `out`.
  template <typename In, typename Out>
  requires Matching<In, Out> Done all_gather(const On& on, In&& in, Out&& out)
  const {
    return call<ValueOf<In>>(
        on, {.kind = detail::Kind::all_gather, .in = detail::range_of(in), .out = detail::range_of(out)});
  }
  /// Combines the inputs of all ranks elementwise and divides the result into size() equal parts. Each rank
  /// gets the part of its number. `in` and `out` must not overlap.
  template <typename In, typename Out>
  requires Combinable<In, Out> Done reduce_scatter(const On& on, Combine combine, In&& in, Out&& out)
  const {
    return combined<ValueOf<In>>(on, {.kind = detail::Kind::reduce_scatter,
                                      .in = detail::range_of(in),
                                      .out = detail::range_of(out),
                                      .combine = combine});
  }
  /// Divides the input into size() equal parts and sends part i to rank i. Part i of the result is from rank
  /// i. `in` and `out` must not overlap.
  template <typename In, typename Out>
  requires Matching<In, Out> Done all_to_all(const On& on, In&& in, Out&& out)
  const {
    return call<ValueOf<In>>(
        on, {.kind = detail::Kind::all_to_all, .in = detail::range_of(in), .out = detail::range_of(out)});
  }
  /// Sends elements to rank `to`, which calls receive() or send_receive().
  template <Operand X>
  Done send(const On& on, X&& in, int to) const {
    return call<ValueOf<X>>(on, {.kind = detail::Kind::send, .in = detail::range_of(in), .peer = to});
  }
  /// Receives elements from rank `from`, which sends the same number.
  template <Result X>
  Done receive(const On& on, X&& out, int from) const {
    return call<ValueOf<X>>(on, {.kind = detail::Kind::receive, .out = detail::range_of(out), .peer = from});
  }
  /// Sends to rank `to` and receives from rank `from` at the same time, so that ranks can exchange elements
  /// in any pattern. `in` and `out` may have different sizes and must not overlap.
  template <typename In, typename Out>
  requires Matching<In, Out> Done send_receive(const On& on, In&& in, int to, Out&& out, int from)
  const {
    return call<ValueOf<In>>(on, {.kind = detail::Kind::send_receive,
                                  .in = detail::range_of(in),
                                  .out = detail::range_of(out),
                                  .peer = to,
                                  .source = from});
  }
  /// Completes when the streams of all ranks have reached it.
  Done barrier(const On& on) const { return call<std::byte>(on, {.kind = detail::Kind::barrier}); }

 protected:
  ~Collectives() = default;

 private:
  template <typename T>
  Done combined(const On& on, detail::Call call) const {
    call.element = ops::element_of<T>;
    return this->call<T>(on, call);
  }
  template <typename T>
  Done call(const On& on, detail::Call call) const {
    call.element_bytes = sizeof(T);
    return static_cast<const Self&>(*this).submit(on, call);
  }
};

}  // namespace quern::comm
