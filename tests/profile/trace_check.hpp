// Checks a trace against the rules of Chrome's trace events and those of docs/profiling.md.
#pragma once

#include <string>
#include <vector>

#include "base/json_value.hpp"

namespace quern::test {

struct CheckedTrace {
  std::vector<std::string> violations;  // sentences
  base::JsonValue events;
  size_t flows = 0;

  // Slices of all threads with this category.
  std::vector<const base::JsonValue*> slices(const std::string& category) const;
};

CheckedTrace check_trace(const std::string& text);

}  // namespace quern::test
