// The cases and their results as JSON, for programs that run them elsewhere, such as in a browser
// (tests/web).
#pragma once

#include <vector>

#include "base/result.hpp"
#include "support/case_file.hpp"

namespace quern::test {

// Writes {"sources": {path: text}, "cases": [{"name", "source", "kernel", "grid", "block", "shared",
// "arguments", "reads"}]}. An argument is {"value": bytes}, {"memory": bytes, "size": n} or null; bytes are
// hexadecimal. "reads" lists the positions of the arguments whose contents are expected.
base::Result<> export_cases(const std::vector<Case>& cases, const std::string& path);

// Reads [{"name", "refused": reason} or {"name", "failed": reason} or {"name", "printed", "memory":
// {position: bytes}}] and prints what is wrong. Fails if a case is wrong or missing, or if less than 75 %
// ran.
base::Result<> compare_results(const std::vector<Case>& cases, const std::string& path);

}  // namespace quern::test
