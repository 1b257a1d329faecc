#include "lang/text/diagnostic.hpp"

#include <algorithm>

namespace quern::lang {

base::MessageText with_hint(base::MessageText message, base::MessageText hint) {
  message.hint = std::move(hint.text);
  return message;
}

base::MessageText because(base::MessageText problem, const base::MessageText& reason) {
  problem.text += ": " + reason.text;
  problem.hint = reason.hint;
  return problem;
}

Diagnostic* Diagnostics::error(SourceLoc loc, uint32_t length, base::MessageText message) {
  return add({Severity::kError, loc, length, std::move(message), {}});
}

Diagnostic* Diagnostics::warning(SourceLoc loc, uint32_t length, base::MessageText message) {
  return add({Severity::kWarning, loc, length, std::move(message), {}});
}

Diagnostic* Diagnostics::add(Diagnostic d) {
  const bool is_error = d.severity == Severity::kError;
  if (is_error) ++attempts_;
  if (mute_depth_ != 0) {
    if (is_error) {
      ++muted_errors_;
      muted_ = std::move(d.message);
    }
    return nullptr;
  }
  if (is_error && log_.size() < kLongestLog) log_.push_back({d.loc, d.message.str()});
  if (d.loc && is_error) {
    // Lines are identified by the address of their text, which is unique.
    const char* line = sources_.line_text(d.loc).data();
    if (std::ranges::find(error_lines_, line) != error_lines_.end()) return nullptr;
    if (error_lines_.size() < kRememberedLines) error_lines_.push_back(line);
  }
  if (is_error) ++error_count_;
  size_t same_severity = 0;
  size_t same_message = 0;
  for (const Diagnostic& kept : list_) {
    if (kept.severity != d.severity) continue;
    ++same_severity;
    if (kept.message.text == d.message.text && kept.message.hint == d.message.hint) ++same_message;
  }
  if (same_severity >= limit_ || same_message >= kSameMessage) return nullptr;
  list_.push_back(std::move(d));
  if (is_error && annotate_) annotate_(list_.back());
  return &list_.back();
}

void Diagnostics::log_again(size_t entry) {
  ++attempts_;
  if (log_.size() < kLongestLog) log_.push_back(Logged(log_[entry]));
}

}  // namespace quern::lang
