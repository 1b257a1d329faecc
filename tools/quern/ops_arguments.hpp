// Arguments of `quern tune` and `quern bench`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "command.hpp"
#include "quern/device.hpp"
#include "quern/ops/element.hpp"
#include "quern/ops/matmul.hpp"
#include "quern/ops/shape.hpp"

namespace quern::tool {

// "512x512x512"; each extent is at least 1.
std::optional<ops::Shape> parse_shape(const std::string& text);
std::string shape_text(const ops::Shape& shape);

// A type of elements, or "tf32": float, of which products may round to TF32.
struct ElementOption {
  ops::Element element{};
  ops::Precision precision = ops::Precision::full;
  friend bool operator==(const ElementOption&, const ElementOption&) = default;
};
inline constexpr const char* kTypeNames = "f64, f32, tf32, f16, bf16, i8, e4m3, e5m2, c64 or c128";
std::optional<ElementOption> parse_type(const std::string& text);
std::string type_text(const ElementOption& type);

// Opens the device for measurements: on the cpu, kernels are fully optimized from the first launch on. Turns
// errors into an outcome.
Outcome with_device(const std::string& which, const std::function<Outcome(const Device&)>& work);

}  // namespace quern::tool
