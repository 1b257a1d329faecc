// Parses kernel arguments from the command line, and formats values for output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/npy.hpp"
#include "base/result.hpp"
#include "lang/ir/ir.hpp"

namespace quern::runtime {

// A buffer on the host: `count` elements of `lanes` numbers each.
struct HostBuffer {
  ir::TypeKind type = ir::TypeKind::kF32;
  uint32_t lanes = 1;
  uint64_t count = 0;
  std::vector<size_t> shape;
  std::vector<std::byte> bytes;
  bool is_undefined = false;  // no initial value was given

  uint64_t element_bytes() const;
};

// Parses "f32[1024]=rand:7", "f32x4[16]", "@in.npy", "i32[64]=@raw.bin". If the element type is a known
// struct, also its name: "Particle[100]={1, 2, 0}".
base::Result<HostBuffer> parse_buffer(std::string_view text, const ir::Type* element = nullptr);

// Whether a buffer may be passed for a parameter `T*`; the error contains the correct form.
base::Result<void> check_buffer(const HostBuffer& buffer, const ir::Param& param);

// Parses a number or a struct in braces into the parameter's layout.
base::Result<std::vector<std::byte>> parse_value(std::string_view text, const ir::Type* type,
                                                 std::string_view param);

std::string print_value(const ir::Type* type, const std::byte* bytes);
std::string print_number(ir::TypeKind kind, const std::byte* bytes);
std::optional<base::NpyType> npy_type(ir::TypeKind kind);

}  // namespace quern::runtime
