// Functions that emitted text calls where WGSL has no operation with exactly the IR's semantics.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace quern::target::wgsl {

class Helpers {
 public:
  // Adds the function "quern_NAME" to the text, after all functions that it calls.
  std::string use(std::string_view name);
  // A function that is specific to an object, added once.
  std::string use_made(const std::string& name, const std::string& text);
  const std::string& text() const { return text_; }
  bool has(std::string_view name) const { return known_.count(std::string(name)) != 0; }

 private:
  void require(std::string_view text);

  std::set<std::string> known_;
  std::string text_;
};

}  // namespace quern::target::wgsl
