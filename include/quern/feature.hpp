/// @file
/// Features of devices.
#pragma once

#include <string_view>

#include "quern/export.hpp"
#include "quern/types/feature.hpp"

namespace quern {

/// The name of a feature, as in `has=…`: "fp64".
QUERN_API std::string_view to_string(Feature feature);

}  // namespace quern
