// Small files of the operating system that contain one value, as in /sys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "telemetry/reading.hpp"

namespace quern::telemetry {

// The text without surrounding spaces. The error names the file and says why.
base::Result<std::string> read_value(const std::string& path);
// The first number of the text: "45000" and "1200 MHz".
base::Result<double> read_number(const std::string& path);
std::optional<double> number_in(std::string_view text);

// Names of the entries of a folder that start with `prefix`, sorted. Empty if there is no such folder.
std::vector<std::string> entries(const std::string& folder, std::string_view prefix);

// Sets the field to the number in the file times `scale`, or says why it is absent.
void set_from_file(Reading& to, Field field, const std::string& path, double scale);

}  // namespace quern::telemetry
