/// @file
/// Tuning of operations. See docs/tuning.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quern/device.hpp"
#include "quern/export.hpp"
#include "quern/ops/element.hpp"
#include "quern/ops/matmul.hpp"
#include "quern/ops/shape.hpp"
#include "quern/tune.hpp"

namespace quern::ops {

/// An operation with variants.
struct TunableOperation {
  std::string name;     ///< "matmul"
  std::string extents;  ///< What a problem's shape consists of: "MxNxK".
  std::string summary;  ///< One line.
};
/// All operations that tune() accepts.
QUERN_API std::vector<TunableOperation> tunable_operations();

/// Measures the variants of an operation for a problem and stores the result: tune(gpu, "matmul", {512, 512,
/// 512}, Element::f32). The operands are temporary and contiguous. Calls of the operation use the result for
/// all shapes whose extents have the same values when rounded up to powers of two: in this process from now
/// on, and in others when they open the device. Throws Error with kind `invalid_use` or `unsupported` if
/// there is no such operation, or it does not support the shape or the type. In products of 8-bit elements,
/// the second operand is stored by column; results are float for 8-bit floats. `precision`: of products of
/// float.
QUERN_API TuneResult tune(const Device& device, std::string_view operation, const Shape& shape,
                          Element element = Element::f32, const TuneOptions& options = {},
                          Precision precision = Precision::full);

}  // namespace quern::ops
