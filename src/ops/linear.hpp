// Arguments of linear algebra.
#pragma once

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/messages_linear.hpp"

namespace quern::ops {

// A scalar of the type in which real elements are computed (real_accumulator).
inline Argument scalar_of(Element accumulator, double value) {
  return accumulator == Element::f64 ? Argument(value) : Argument(static_cast<float>(value));
}

}  // namespace quern::ops
