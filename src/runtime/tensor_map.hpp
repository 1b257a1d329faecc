// Tensor maps as kernel arguments: checks, and the encoding by the driver.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "quern/types/tensor_map.hpp"
#include "runtime/stream.hpp"

namespace quern::runtime {

// The options with all strides. Fails if they break a limit that CUDA documents.
base::Result<TensorMapOptions> complete(const TensorMapOptions& options);

// The bytes from the first element of a tensor to the end of the last one. `options` are complete.
uint64_t tensor_bytes(const TensorMapOptions& options);

// The map of the tensor that begins where the slice begins. `options` are complete.
base::Result<driver::EncodedTensorMap> encode_tensor_map(const Slice& memory,
                                                         const TensorMapOptions& options);

}  // namespace quern::runtime
