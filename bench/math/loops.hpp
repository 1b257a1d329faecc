// Vector math libraries of the machine: SLEEF, or glibc's libmvec if that is missing.
#pragma once

#include <optional>
#include <string>

namespace quern::bench {

// A function of such a library, for floats and the processor's widest registers.
class VectorFunction {
 public:
  // Finds a function by its C name ("expf"); nothing if no library has it.
  static std::optional<VectorFunction> find(const std::string& name, int arguments);

  const std::string& origin() const { return origin_; }
  // out[i] = f(x[i], y[i]); n is a multiple of 16.
  void run(int n, const float* x, const float* y, float* out) const;

 private:
  void* function_ = nullptr;
  int arguments_ = 1;
  std::string origin_;
};

}  // namespace quern::bench
