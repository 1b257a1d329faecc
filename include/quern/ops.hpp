/// @file
/// Operations on tensors, for every device. See docs/ops.md.
///
/// @code
/// ops::Tensor<float> x(gpu, {1000, 1000}), y(gpu, {1000, 1000});
/// ops::transform(gpu, "[](float v) { return v * v; }", x, y);
/// float total = ops::sum(gpu, y);
/// @endcode
///
/// Rules for all operations:
/// - The first argument is a device or a stream (On). Inputs come next, results last.
/// - Operands are tensors, buffers or slices (Operand). Tensors may have any strides.
/// - Operations are asynchronous unless they return a value. They can be recorded in a graph.
/// - The returned Receipt names the last kernel; it is empty if there was nothing to do.
/// - Temporary memory comes from the device's pool.
/// - Wrong shapes throw Error with kind `invalid_use`; the message contains the shapes.
#pragma once

#include "quern/ops/activate.hpp"
#include "quern/ops/attention.hpp"
#include "quern/ops/blas.hpp"
#include "quern/ops/concatenate.hpp"
#include "quern/ops/convolution.hpp"
#include "quern/ops/element.hpp"
#include "quern/ops/embedding.hpp"
#include "quern/ops/fft.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/gather.hpp"
#include "quern/ops/histogram.hpp"
#include "quern/ops/matmul.hpp"
#include "quern/ops/normalize.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/quantize.hpp"
#include "quern/ops/random.hpp"
#include "quern/ops/reduce.hpp"
#include "quern/ops/scan.hpp"
#include "quern/ops/search.hpp"
#include "quern/ops/segment.hpp"
#include "quern/ops/select.hpp"
#include "quern/ops/shape.hpp"
#include "quern/ops/softmax.hpp"
#include "quern/ops/solve.hpp"
#include "quern/ops/sort.hpp"
#include "quern/ops/sparse.hpp"
#include "quern/ops/stencil.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/ops/top_k.hpp"
#include "quern/ops/transform.hpp"
