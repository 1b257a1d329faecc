// Neutral elements, as arguments of kernels.
#pragma once

#include "quern/argument.hpp"
#include "quern/ops/element.hpp"
#include "quern/ops/function.hpp"

namespace quern::ops {

// Of a combination in the type of an accumulator (accumulator_of).
Argument identity_of(Combine combine, Element accumulator);
// A value of any element type. `bytes` must live until the launch returns.
Argument value_of(Element element, const void* bytes);

}  // namespace quern::ops
