// Filters text for a terminal that may contain bytes from untrusted files: control sequences could move the
// cursor, hide output, or make the terminal send input. Tools pass their whole output through this filter.
#pragma once

#include <string>
#include <string_view>

namespace quern::base {

/// Keeps its state between calls, so that a character or sequence may be split. Not thread-safe.
///
/// Passes printable UTF-8, '\n', '\t', "\r\n" and the color sequences that paint() and the renderer of
/// diagnostics produce. Other control characters, and those that change the direction of text, become \u001b
/// (as in JSON); bytes that are not UTF-8 become U+FFFD.
class TerminalFilter {
 public:
  std::string feed(std::string_view text);
  /// Returns the rest of an incomplete character or sequence at the end of the output.
  std::string finish();

 private:
  std::string filter(bool is_last);

  std::string pending_;
};

}  // namespace quern::base
