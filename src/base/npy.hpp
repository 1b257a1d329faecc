// NumPy's .npy files, for arrays as input and output: versions 1 to 3, little-endian, C order, the basic
// element types. Everything else is rejected with a specific error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::base {

enum class NpyType : std::uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
};

std::string_view to_string(NpyType type);  // NumPy's name: "float32"
std::size_t npy_size(NpyType type);        // bytes of one element

struct NpyArray {
  NpyType type = NpyType::kFloat32;
  std::vector<std::size_t> shape;  // empty: a scalar
  std::string data;                // bytes of the elements, little-endian

  std::size_t count() const;  // number of elements; shape must not overflow, as parse_npy guarantees
};

// Validates everything, including that the shape does not overflow and matches the number of bytes.
Result<NpyArray> parse_npy(std::string_view file);

// Writes the whole file. `data` must have exactly the size of `shape`; otherwise the error says the sizes.
Result<std::string> format_npy(NpyType type, std::span<const std::size_t> shape,
                               std::span<const std::byte> data);

Result<NpyArray> read_npy(const std::string& path);
Result<void> write_npy(const std::string& path, NpyType type, std::span<const std::size_t> shape,
                       std::span<const std::byte> data);

}  // namespace quern::base
