/// @file
/// Stencils: time steps on grids with one to three axes. See docs/ops_stencil.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "quern/export.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// What an update reads outside of the grid.
enum class BoundaryKind : std::uint8_t {
  periodic,  ///< The other side: position -1 is n - 1.
  clamp,     ///< The nearest point of the grid: position -1 is 0.
  mirror,    ///< The mirrored point, with the edge twice: position -1 is 0, -2 is 1.
  fixed,     ///< Nothing: points whose neighborhood leaves the grid keep their values.
  function,  ///< The value of a function (Boundary::function), or a constant.
};
inline constexpr BoundaryKind periodic = BoundaryKind::periodic;  ///< Position -1 is n - 1.
inline constexpr BoundaryKind clamp = BoundaryKind::clamp;        ///< Position -1 is 0.
inline constexpr BoundaryKind mirror = BoundaryKind::mirror;      ///< Position -1 is 0, -2 is 1.
inline constexpr BoundaryKind fixed = BoundaryKind::fixed;        ///< Points at the edge keep their values.

/// The boundary of an axis. Each axis of a grid has one.
class QUERN_API Boundary {
 public:
  /// A kind without a value: periodic, clamp, mirror or fixed.
  Boundary(BoundaryKind kind = BoundaryKind::clamp) : kind_(kind) {}
  /// The same value everywhere outside.
  static Boundary constant(double value);
  /// A function of the place, in the kernel language: "[](auto at) { return sinf(0.1f * at.step()); }".
  /// The place has the members at(axis), extent(axis), step() and field(), as docs/ops_stencil.md describes.
  static Boundary function(Function function);

  BoundaryKind kind() const { return kind_; }             ///< The kind.
  bool is_constant() const { return is_constant_; }       ///< Whether constant() made it.
  double value() const { return value_; }                 ///< The value of a constant.
  const Function& function() const { return function_; }  ///< The function; empty for other kinds.

 private:
  BoundaryKind kind_;
  bool is_constant_ = false;
  double value_ = 0;
  Function function_{""};
};

/// The boundaries of all axes, outermost first. A single one applies to every axis.
class Boundaries {
 public:
  /// The same boundary for every axis.
  Boundaries(BoundaryKind kind) : list_{Boundary(kind)} {}
  /// The same boundary for every axis.
  Boundaries(Boundary boundary) : list_{std::move(boundary)} {}
  /// One for each axis, outermost first.
  Boundaries(std::initializer_list<Boundary> list) : list_(list) {}
  /// As given.
  const std::vector<Boundary>& list() const { return list_; }

 private:
  std::vector<Boundary> list_;
};

/// The largest distance, along each axis, at which an update reads. A single one applies to every axis.
class Radius {
 public:
  /// The same for every axis.
  Radius(int radius) : list_{radius} {}
  /// One for each axis, outermost first.
  Radius(std::initializer_list<int> list) : list_(list) {}
  /// As given.
  const std::vector<int>& list() const { return list_; }

 private:
  std::vector<int> list_;
};

/// How the grid is divided into blocks. 0: chosen for the device and the types.
struct StencilTile {
  int width = 0;            ///< Points along the last axis.
  int height = 0;           ///< Points along the axis before it.
  int depth = 0;            ///< Points along the axis before that one.
  int rows_per_thread = 0;  ///< Points along the axis before the last one that a thread computes; at most 32.
};

/// Options of a stencil.
struct StencilOptions {
  /// The largest offset that the update reads.
  Radius radius = 1;
  /// What it reads outside of the grid.
  Boundaries boundary = BoundaryKind::clamp;
  /// Time steps that one launch computes if run() has many (temporal blocking). 0: chosen for the device.
  int steps_per_launch = 0;
  /// For tuning.
  StencilTile tile = {};
};

/// A field of a grid: a tensor, buffer or slice. Valid as long as its memory.
class Field {
 public:
  /// A field in the memory of an operand.
  template <Operand X>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): fields are no operands
  Field(X&& operand) : view_(detail::view_of(operand)) {}
  const detail::View& view() const { return view_; }  ///< Used by the library.

 private:
  detail::View view_;
};

/// One or more fields: `u`, or `{u, v}`.
class Fields {
 public:
  /// No field.
  Fields() = default;
  /// A single field.
  template <Operand X>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): fields are no operands
  Fields(X&& operand) : list_{detail::view_of(operand)} {}
  /// Several fields.
  Fields(std::initializer_list<Field> list) {
    for (const Field& field : list) list_.push_back(field.view());
  }
  const std::vector<detail::View>& views() const { return list_; }  ///< Used by the library.

 private:
  std::vector<detail::View> list_;
};

/// A part of a grid: the positions from `begin` to before `end` along each axis, outermost first.
struct Region {
  std::vector<std::int64_t> begin = {};  ///< Empty: the beginning of the grid.
  std::vector<std::int64_t> end = {};    ///< Empty: the end of the grid.
};

/// Further arguments of Stencil::run and Stencil::apply.
struct StencilArguments {
  /// Fields that the update reads and that do not change. They follow the other fields in its parameters,
  /// have any element types, and broadcast to the shape of the grid.
  Fields coefficients = {};
  /// The points that are computed.
  Region region = {};
  /// The number of the first time step, for step().
  std::int64_t first_step = 0;
};

/// An update of every point of a grid from its neighborhood.
///
/// @code
/// ops::Stencil heat({.radius = 1, .boundary = ops::periodic},
///                   "[](auto u) { return u() + 0.2f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u());
///                   }");
/// heat.run(gpu, temperature, 1000);
/// @endcode
///
/// The update is a lambda expression with one parameter for each field. `u(dy, dx)` is the value at an
/// offset from the point, with one offset for each axis of the grid, outermost first; `u()` is the point
/// itself. u.at(axis), u.extent(axis) and u.step() are its position, the size of the grid and the number of
/// the time step. Values of 16-bit floating-point types are read as float. The update returns the new value,
/// or a std::tuple with one value for each field. Copies are cheap. Thread-safe.
class QUERN_API Stencil {
 public:
  /// Compiles nothing: the first call compiles a kernel for the types and the number of axes.
  Stencil(StencilOptions options, Function update);

  /// Advances fields by `steps` time steps, in place. The fields have the same shape with 1 to 3 axes.
  /// Points outside of `arguments.region` keep their values.
  Receipt run(const On& on, const Fields& fields, std::int64_t steps,
              const StencilArguments& arguments = {}) const;
  /// Computes one time step from `in` to `out`, which must not overlap. Points of `out` outside of
  /// `arguments.region` are not written: the interior and the edges of a grid can be computed separately.
  Receipt apply(const On& on, const Fields& in, const Fields& out,
                const StencilArguments& arguments = {}) const;

  const StencilOptions& options() const { return options_; }  ///< The options.
  const Function& update() const { return update_; }          ///< The update.

 private:
  StencilOptions options_;
  Function update_;
};

}  // namespace quern::ops
