// Compilation without a device: diagnostics for editors, and the code for a target.
#pragma once

#include "base/json_value.hpp"
#include "web/describe.hpp"

namespace quern::web {

/// The text and options of a request: source, defines, kernels, math.
struct Source {
  std::string text;
  lang::CompileOptions options;
  driver::Math math = driver::Math::exact;
};

/// The most bytes of a text.
inline constexpr size_t kLargestSource = size_t{4} << 20;

Result<Source> read_source(const base::JsonValue& request);
lang::Compilation compile(const Source& source);

/// Writes diagnostics and kernels.
Result<> check(const base::JsonValue& request, Json& json);
/// Writes the code of all kernels for the target that the request names.
Result<> emit(const base::JsonValue& request, Json& json, Failure& failure);

/// The error of a text without a valid kernel; `failure` gets its diagnostics.
base::Error rejected(std::shared_ptr<const lang::Compilation> compilation, Failure& failure);

}  // namespace quern::web
