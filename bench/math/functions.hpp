// Every function of the math library: how a kernel calls it, its arguments, and its exact result.
#pragma once

#include <span>

namespace quern::bench {

struct MathFunction {
  const char* name;                     // as CUDA has it
  const char* call;                     // of x, y, z and w
  double low, high;                     // arguments
  double (*exact)(double x, double y);  // null: not compared with a host function
  double bound;                         // CUDA's bound, in units in the last place; 0: not compared
  const char* vector;                   // the name that vector libraries have for it; null: none
  float (*scalar)(float x, float y);    // of the host's C library; null: none
};

std::span<const MathFunction> float_functions();

}  // namespace quern::bench
