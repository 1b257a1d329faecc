// Internal parts of evaluate(): integers, floats, and math functions. Private to eval*.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "lang/ir/ir.hpp"

namespace quern::ir {

// `type` is the type of the first operand.
bool evaluate_int(Op op, const Type* result, const Type* type, std::span<const uint64_t> in, uint64_t& out);
bool evaluate_float(Op op, TypeKind kind, std::span<const uint64_t> in, Rounding mode, uint64_t& out);
bool evaluate_compare(Op op, const Type* type, uint64_t a, uint64_t b, uint64_t& out);

int64_t sign_extended(const Type* type, uint64_t bits);
uint32_t value_width(const Type* type);  // in bits; bool: 1

}  // namespace quern::ir
