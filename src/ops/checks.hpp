// Checks of operands that several operations share. They throw Error with kind `invalid_use` or
// `unsupported`.
#pragma once

#include "ops/engine.hpp"

namespace quern::ops {

bool is_real_type(Element element);         // double, float, half, bfloat16
bool is_index(Element element);             // integers of 32 and 64 bits
Element real_accumulator(Element element);  // double for double, float for the others

// The element type is real.
void check_real(const char* operation, const detail::View& view);
// `out` is writable, and has the type and shape of `in`.
void check_result(const char* operation, const detail::View& in, const detail::View& out);
void check_writable(const char* operation, const detail::View& out);
// `name`: of the operand in messages.
void check_element(const char* operation, const char* name, const detail::View& view, Element wanted);
void check_indices(const char* operation, const char* name, const detail::View& view);
void check_shape(const char* operation, const char* name, const detail::View& view, const Shape& wanted);

// Whether the last axis can be accessed in pieces of 16 bytes: it is contiguous, a multiple of a piece long,
// and every row of it is aligned.
bool has_pieces(const Device& device, const detail::View& view);
// Whether its first element is at a multiple of 16 bytes.
bool is_aligned(const Device& device, const detail::View& view);
std::int64_t elements_of_piece(Element element);  // 16 bytes

}  // namespace quern::ops
