// Runs the command-line tool as a user would.
#pragma once

#include <string>
#include <vector>

namespace quern::test {

struct ToolResult {
  int code = -1;  // -1: it did not end by itself
  std::string out;
  std::string err;
};

// `environment`: "NAME=value" entries in addition.
ToolResult run_tool(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment = {});

// Whether the text is one JSON value.
bool is_json(const std::string& text);

}  // namespace quern::test
