// Arguments of `quern tune` and `quern bench`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "command.hpp"
#include "quern/device.hpp"
#include "quern/ops/element.hpp"
#include "quern/ops/shape.hpp"

namespace quern::tool {

// "512x512x512"; each extent is at least 1.
std::optional<ops::Shape> parse_shape(const std::string& text);
std::string shape_text(const ops::Shape& shape);

std::optional<ops::Element> parse_type(const std::string& text);  // floating-point or complex
std::string type_text(ops::Element element);

// Opens the device for measurements: on the cpu, kernels are fully optimized from the first launch on. Turns
// errors into an outcome.
Outcome with_device(const std::string& which, const std::function<Outcome(const Device&)>& work);

}  // namespace quern::tool
