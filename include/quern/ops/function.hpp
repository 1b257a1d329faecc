/// @file
/// Functions in the kernel language for operations.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace quern::ops {

/// A function in the kernel language, compiled for the device: a lambda expression as text.
///
/// @code
/// ops::transform(gpu, "[](float x) { return x * x; }", x, y);
/// ops::reduce(gpu, "[](int a, int b) { return a | b; }", flags, all, 0);
/// @endcode
class Function {
 public:
  /// A lambda expression without captures. `code` precedes it: functions and types that it uses.
  Function(const char* lambda, std::string code = {}) : lambda_(lambda), code_(std::move(code)) {}
  /// A lambda expression without captures. `code` precedes it: functions and types that it uses.
  Function(std::string lambda, std::string code = {}) : lambda_(std::move(lambda)), code_(std::move(code)) {}
  const std::string& lambda() const { return lambda_; }  ///< The lambda expression.
  const std::string& code() const { return code_; }      ///< The code before it.

 private:
  std::string lambda_, code_;
};

/// A predefined function of two values. `min` and `max` ignore NaN, as fmin and fmax do.
enum class Combine : std::uint8_t { sum, product, min, max };

}  // namespace quern::ops
