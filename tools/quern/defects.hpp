// Known driver defects (driver/support/known_defects.hpp) as text and JSON.
#pragma once

#include <string>

#include "base/json.hpp"
#include "driver/interface/info.hpp"

namespace quern::tool {

/// One line per defect of the device: its name, its effect and the workaround. Empty: none is known.
std::string defects_text(const driver::DeviceInfo& info, const std::string& indent);

/// A member `key`: [{"name", "versions", "effect", "action", "reference"}].
void write_defects(base::JsonWriter& json, const driver::DeviceInfo& info, const std::string& key);

/// The whole table in Markdown, for docs/defects.md.
std::string defects_table();

}  // namespace quern::tool
