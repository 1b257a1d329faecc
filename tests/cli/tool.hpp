// Runs the command-line tool as a user would.
#pragma once

#include <string>
#include <vector>

#include "base/json_value.hpp"

namespace quern::test {

struct ToolResult {
  int code = -1;  // -1: terminated by a signal
  std::string out;
  std::string err;
};

// `environment`: additional "NAME=value" entries.
ToolResult run_tool(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment = {});

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Whether the text is one JSON value.
bool is_json(const std::string& text);
// The JSON value of the text; the test fails if it is none.
base::JsonValue parsed(const std::string& text);

}  // namespace quern::test
