// The instructions by topic. Each function writes the emitter's present instruction if it is one of its own,
// and says whether it was.
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
bool emit_group(Emitter& e);  // barriers, and what the threads of a subgroup do together
bool emit_extended(Emitter& e);

// Of emit_extended: one set each. `number` is the instruction in the set; its operands begin at `first`.
bool emit_glsl(Emitter& e, uint32_t number, size_t first);
bool emit_opencl(Emitter& e, uint32_t number, size_t first);

// ---- memory, as other topics need it
struct Access {
  uint32_t align = 0;  // 0: that of the scalars
  bool is_volatile = false;
};
Val load(Emitter& e, const Val& pointer, const Access& access = {});
void store(Emitter& e, const Val& pointer, const Val& value, const Access& access = {});
// The scalars of an object that a plain pointer points to.
Leaves load_object(Emitter& e, ir::Value* pointer, const TypeInfo& type);
// Of a module's or function's variable that has an initial value.
void initialise(Emitter& e, ir::Value* pointer, const TypeInfo& type, const Val& value);
// The bytes of a constant as it lies in memory; absent when it has parts that are no plain numbers, or too
// many.
std::optional<std::vector<uint8_t>> initial_bytes(Emitter& e, const TypeInfo& type, const Val& value);

// ---- arithmetic that several topics share
ir::Value* dot(Emitter& e, const Leaves& a, const Leaves& b);
ir::Value* clamp(Emitter& e, ir::Value* x, ir::Value* low, ir::Value* high);
// Position of the highest or lowest bit that is one, as i32; -1 when there is none.
ir::Value* highest_bit(Emitter& e, ir::Value* x);
ir::Value* lowest_bit(Emitter& e, ir::Value* x);
ir::Value* count_bits(Emitter& e, ir::Value* x);  // i32

}  // namespace quern::spirv
