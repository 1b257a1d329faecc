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

/// Compiles a text that must have a kernel and no errors.
Result<lang::Compilation> compile_valid(const Source& source, Failure& failure);
/// Writes the members `diagnostics` and `kernels`.
void write_members(Json& json, const lang::Compilation& compiled);

/// Runs the front end and writes its result as text, so that another instance can load it without compiling.
Result<> translate(const base::JsonValue& request, Json& json, Failure& failure);
/// The module of such a text, without diagnostics and kernels.
Result<lang::Compilation> read_translated(std::string_view text);

/// Writes diagnostics and kernels.
Result<> check(const base::JsonValue& request, Json& json);
/// Writes the code of all kernels for the target that the request names.
Result<> emit(const base::JsonValue& request, Json& json, Failure& failure);

}  // namespace quern::web
