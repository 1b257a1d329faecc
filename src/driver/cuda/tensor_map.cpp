// Tensor maps: the enumerators of quern/types/tensor_map.hpp have the values of CUDA's.
#include <cstring>

#include "driver/cuda/device.hpp"

namespace quern::cuda {

Result<driver::EncodedTensorMap> Device::encode_tensor_map(driver::Place tensor,
                                                           const driver::TensorMapOptions& options) {
  constexpr uint32_t kFirst = 90;
  if (api_->encode_tiled == nullptr || info_.compute_capability < kFirst)
    return driver::Device::encode_tensor_map(tensor, options);
  QUERN_TRY(use());
  struct alignas(64) Aligned {
    driver::EncodedTensorMap map;
  } out;
  QUERN_DO(nullptr, encode_tiled(&out.map, static_cast<int>(options.element), options.rank,
                                 tensor.buffer->address + tensor.offset, options.sizes.data(),
                                 options.strides.data(), options.box.data(), options.element_strides.data(),
                                 static_cast<int>(options.interleave), static_cast<int>(options.swizzle),
                                 static_cast<int>(options.promotion), static_cast<int>(options.fill)));
  return out.map;
}

}  // namespace quern::cuda
