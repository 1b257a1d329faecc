#include "runtime/tensor_map.hpp"

#include <string>

#include "base/text.hpp"
#include "runtime/device.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;

constexpr uint64_t kMostSize = uint64_t{1} << 32;    // of a dimension
constexpr uint64_t kMostStride = uint64_t{1} << 40;  // of a stride
constexpr uint64_t kMostBox = 256;
constexpr uint64_t kMostElementStride = 8;
constexpr uint64_t kPiece = 16;  // bytes that are copied together

uint64_t element_bytes(TensorElement element) {
  switch (element) {
    case TensorElement::uint8: return 1;
    case TensorElement::uint16:
    case TensorElement::float16:
    case TensorElement::bfloat16: return 2;
    case TensorElement::uint64:
    case TensorElement::int64:
    case TensorElement::float64: return 8;
    case TensorElement::uint32:
    case TensorElement::int32:
    case TensorElement::float32:
    case TensorElement::float32_flush:
    case TensorElement::tensor_float32:
    case TensorElement::tensor_float32_flush: return 4;
  }
  return 0;
}

bool is_integer(TensorElement element) { return element < TensorElement::float16; }

// Of interleaved tensors: the bytes of a slice.
uint64_t slice_bytes(TensorInterleave interleave) {
  return interleave == TensorInterleave::bytes32 ? 32 : kPiece;
}

uint64_t swizzle_bytes(TensorSwizzle swizzle) { return kPiece << static_cast<unsigned>(swizzle); }

// "creating a tensor map failed: " and the reason.
Error wrong(const base::MessageText& why) { return Error(ErrorKind::invalid_use, why); }

bool is_known(const TensorMapOptions& o) {
  return o.element <= TensorElement::tensor_float32_flush && o.interleave <= TensorInterleave::bytes32 &&
         o.swizzle <= TensorSwizzle::bytes128 && o.promotion <= TensorPromotion::bytes256 &&
         o.fill <= TensorFill::nan;
}

Result<> check_kinds(const TensorMapOptions& o) {
  if (!is_known(o)) return wrong(message::kTensorOption());
  const uint32_t least = o.interleave == TensorInterleave::none ? 1 : 3;
  if (o.rank < least || o.rank > kMaxTensorMapRank)
    return wrong(message::kTensorRank(std::to_string(o.rank), std::to_string(least)));
  if (o.interleave == TensorInterleave::bytes32 && o.swizzle != TensorSwizzle::bytes32)
    return wrong(message::kTensorInterleave());
  if (o.fill == TensorFill::nan && is_integer(o.element)) return wrong(message::kTensorFill());
  return {};
}

Result<> check_range(const char* what, uint32_t dimension, uint64_t value, uint64_t most) {
  if (value >= 1 && value <= most) return {};
  return wrong(
      message::kTensorRange(what, std::to_string(dimension), std::to_string(value), std::to_string(most)));
}

Result<> check_dimensions(const TensorMapOptions& o) {
  for (uint32_t i = 0; i < o.rank; ++i) {
    QUERN_TRY(check_range("size", i, o.sizes[i], kMostSize));
    QUERN_TRY(check_range("box size", i, o.box[i], kMostBox));
    QUERN_TRY(check_range("element stride", i, o.element_strides[i], kMostElementStride));
  }
  return {};
}

// The innermost dimension of the box, which is contiguous in shared memory.
Result<> check_box(const TensorMapOptions& o) {
  if (o.interleave != TensorInterleave::none) return {};
  const uint64_t bytes = o.box[0] * element_bytes(o.element);
  if (bytes % kPiece != 0) return wrong(message::kTensorBoxBytes(std::to_string(bytes)));
  if (o.swizzle != TensorSwizzle::none && bytes > swizzle_bytes(o.swizzle))
    return wrong(message::kTensorSwizzle(std::to_string(bytes), std::to_string(swizzle_bytes(o.swizzle))));
  return {};
}

Result<> set_strides(TensorMapOptions& o) {
  uint64_t dense = o.sizes[0] * element_bytes(o.element);  // below 2^40: each stride is checked
  const uint64_t multiple = slice_bytes(o.interleave);
  for (uint32_t i = 0; i + 1 < o.rank; ++i) {
    uint64_t& stride = o.strides[i];
    const bool is_dense = stride == 0;
    if (is_dense) stride = dense;
    if (stride % multiple != 0 || stride >= kMostStride) {
      return wrong(message::kTensorStride(std::to_string(i + 1), std::to_string(stride),
                                          is_dense ? " without gaps" : "", std::to_string(multiple)));
    }
    // The product is at most 2^72.
    dense = o.sizes[i + 1] > kMostStride / stride ? kMostStride : stride * o.sizes[i + 1];
  }
  return {};
}

Result<> check_memory(const Slice& memory, const TensorMapOptions& options) {
  const driver::Place place = memory.place();
  const uint64_t address = place.buffer->address + place.offset;
  const uint64_t align = slice_bytes(options.interleave), needed = tensor_bytes(options);
  if (address % align != 0)
    return wrong(message::kTensorAddress(std::to_string(memory.offset), std::to_string(align)));
  if (!memory.is_inside() || needed > memory.bytes) {
    return wrong(message::kTensorMemory(needed == UINT64_MAX ? "more than 2^63" : std::to_string(needed),
                                        std::to_string(memory.bytes)));
  }
  return {};
}

}  // namespace

base::Result<TensorMapOptions> complete(const TensorMapOptions& options) {
  TensorMapOptions out = options;
  QUERN_TRY(check_kinds(out));
  QUERN_TRY(check_dimensions(out));
  QUERN_TRY(check_box(out));
  QUERN_TRY(set_strides(out));
  return out;
}

// How far the slices of the innermost dimension of interleaved tensors reach is up to the program: only the
// first one is counted.
uint64_t tensor_bytes(const TensorMapOptions& options) {
  constexpr uint64_t kMost = uint64_t{1} << 63;
  uint64_t bytes = options.interleave == TensorInterleave::none
                       ? options.sizes[0] * element_bytes(options.element)
                       : slice_bytes(options.interleave);
  for (uint32_t i = 1; i < options.rank; ++i) {
    const uint64_t steps = options.sizes[i] - 1, stride = options.strides[i - 1];
    if (steps > (kMost - bytes) / stride) return UINT64_MAX;
    bytes += steps * stride;
  }
  return bytes;
}

base::Result<driver::EncodedTensorMap> encode_tensor_map(const Slice& memory,
                                                         const TensorMapOptions& options) {
  QUERN_TRY(check_memory(memory, options));
  return memory.memory->device().native().encode_tensor_map(memory.place(), options);
}

}  // namespace quern::runtime
