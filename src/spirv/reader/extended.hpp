// Shared code of the extended instruction sets: their operands follow the set and the number, and most
// instructions work component by component.
#pragma once

#include "spirv/reader/instructions.hpp"

namespace quern::spirv {

enum class Takes : uint8_t { kFloats, kSigned, kUnsigned };

class Extended {
 public:
  Extended(Emitter& emitter, size_t first_operand) : e(emitter), first(first_operand) {}

  Val arg(size_t k) { return e.arg(first + k); }
  ir::Builder& b() { return e.b; }

  // fn(scalars of the operands) for each component of the result; scalar operands are broadcast.
  template <typename Fn>
  void each(size_t operands, Takes takes, Fn&& fn) {
    std::vector<Val> args;
    for (size_t k = 0; k < operands; ++k) args.push_back(arg(k));
    Leaves out;
    const std::vector<const ir::Type*> results = e.leaf_types(e.result_type());
    for (size_t i = 0; i < results.size() && !e.failed(); ++i) {
      const ir::Type* type = operand_type(results[i], takes);
      Leaves in;
      for (const Val& a : args) in.push_back(e.leaf(a, a.leaves.size() == 1 ? 0 : i, type));
      if (!e.failed()) out.push_back(e.as(fn(in), results[i]));
    }
    e.define(std::move(out));
  }

  // One IR operation per component.
  void map(ir::Op op, size_t operands, Takes takes = Takes::kFloats) {
    each(operands, takes, [&](const Leaves& in) { return e.b.op(op, in[0]->type, in, ir::Attr()); });
  }

  // The scalars of a float vector; empty, with a failure, for other operands.
  Leaves floats(size_t k);
  // Two vectors of the same size.
  bool pair(size_t k, Leaves& a, Leaves& b);

  ir::Value* real(const ir::Value* like, double n) { return e.real(like->type, n); }
  ir::Value* length_of(const Leaves& v);

  // Stores through the operand's pointer, component by component.
  void store_to(size_t k, Leaves leaves);

  Emitter& e;
  size_t first;

 private:
  const ir::Type* operand_type(const ir::Type* result, Takes takes);
};

// x - floor(x) and similar functions, on scalars.
ir::Value* fract_of(Extended& x, ir::Value* v);
ir::Value* sign_of(Extended& x, ir::Value* v);
ir::Value* smooth_step(Extended& x, const Leaves& in);
void normalize(Extended& x);
void cross(Extended& x);
void distance(Extended& x);
// Fraction in [0.5, 1) and exponent (i32) of each component.
struct Parts {
  ir::Value* fraction;
  ir::Value* exponent;
};
Parts parts_of(Extended& x, ir::Value* v);

}  // namespace quern::spirv
