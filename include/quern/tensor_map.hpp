/// @file
/// Tensor maps: descriptions of tensors in device memory for the Tensor Memory Accelerator of NVIDIA devices
/// with compute capability 9.0 or later. A tensor map is a kernel argument of the type `CUtensorMap`.
///
///     __global__ void k(const __grid_constant__ CUtensorMap map, ...) {
///       asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
///                    " [%0], [%1, {%3, %4}], [%2];" :: "r"(to), "l"(&map), "r"(bar), "r"(x), "r"(y)
///                    : "memory");
///
///     const quern::TensorMap map(matrix, {.rank = 2, .sizes = {columns, rows}, .box = {32, 64}});
///     gpu.launch(k, config, map, ...);
#pragma once

#include "quern/buffer.hpp"
#include "quern/export.hpp"
#include "quern/types/tensor_map.hpp"

namespace quern {

/// Describes a tensor in device memory for tensor copies (CUDA's CUtensorMap). Copyable; does not own the
/// memory: it is valid as long as its buffer, and a launch with it later throws Error with kind
/// `invalid_use`. A kernel may write through a map of read-only memory: this is not checked.
class QUERN_API TensorMap {
 public:
  /// Without a tensor.
  TensorMap() = default;
  /// Describes the tensor that begins where the slice begins. The slice must contain all its elements. Throws
  /// Error with kind `invalid_use` if the options break a limit of TensorMapOptions, with kind `unsupported`
  /// if the device has no tensor copies.
  template <typename T>
  TensorMap(const Slice<T>& memory, const TensorMapOptions& options) : TensorMap(memory.bytes(), options) {}

  /// The options, with all strides.
  const TensorMapOptions& options() const { return options_; }

  /// Used by the library.
  const detail::EncodedTensorMap& encoded() const { return encoded_; }
  /// Used by the library.
  const detail::Bytes& memory() const { return memory_; }

 private:
  TensorMap(const detail::Bytes& memory, const TensorMapOptions& options);

  detail::EncodedTensorMap encoded_;
  detail::Bytes memory_;
  TensorMapOptions options_;
};

}  // namespace quern
