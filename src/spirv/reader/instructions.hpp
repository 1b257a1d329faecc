// The instructions by topic. Each function emits the current instruction if it handles it, and returns
// whether it did.
#pragma once

#include "spirv/reader/emitter.hpp"

namespace quern::spirv {

bool emit_arithmetic(Emitter& e);  // integers, floats, bits
bool emit_comparison(Emitter& e);  // comparisons, logic, select
bool emit_conversion(Emitter& e);
bool emit_composite(Emitter& e);
bool emit_matrix(Emitter& e);  // and dot products
bool emit_memory(Emitter& e);
bool emit_atomic(Emitter& e);
bool emit_group(Emitter& e);  // barriers and subgroup operations
bool emit_extended(Emitter& e);

// For emit_extended: one set each. `number` is the instruction in the set; its operands begin at `first`.
bool emit_glsl(Emitter& e, uint32_t number, size_t first);
bool emit_opencl(Emitter& e, uint32_t number, size_t first);

// ---- memory, for other topics
struct Access {
  uint32_t align = 0;  // 0: that of the scalars
  bool is_volatile = false;
};
Val load(Emitter& e, const Val& pointer, const Access& access = {});
void store(Emitter& e, const Val& pointer, const Val& value, const Access& access = {});
// The scalars of an object that a pointer refers to.
Leaves load_object(Emitter& e, ir::Value* pointer, const TypeInfo& type);
// Stores the initial value of a module's or function's variable.
void initialise(Emitter& e, ir::Value* pointer, const TypeInfo& type, const Val& value);
// The bytes of a constant in memory; absent if parts of it are not plain numbers, or if it is too large.
std::optional<std::vector<uint8_t>> initial_bytes(Emitter& e, const TypeInfo& type, const Val& value);

// ---- arithmetic that several topics share
ir::Value* dot(Emitter& e, const Leaves& a, const Leaves& b);
ir::Value* clamp(Emitter& e, ir::Value* x, ir::Value* low, ir::Value* high);
// Position of the highest or lowest set bit, as i32; -1 if there is none.
ir::Value* highest_bit(Emitter& e, ir::Value* x);
ir::Value* lowest_bit(Emitter& e, ir::Value* x);
ir::Value* count_bits(Emitter& e, ir::Value* x);  // i32

}  // namespace quern::spirv
