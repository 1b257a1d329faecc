// Diagnostics: what is wrong, where in the user's text, and how to fix it. One sentence each.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.hpp"
#include "lang/text/source.hpp"

namespace quern::lang {

enum class Severity : uint8_t { kError, kWarning, kNote };

struct Diagnostic {
  Severity severity = Severity::kError;
  SourceLoc loc;
  uint32_t length = 1;  // bytes to underline, starting at loc
  // Which message, the problem ("no function named 'sqrtt' is in scope") and the hint ("did you mean
  // 'sqrt'?"). The table of the area (messages.hpp) has the texts.
  base::MessageText message;
  std::vector<Diagnostic> notes;
};

// `message` with the text of `hint` as its hint.
base::MessageText with_hint(base::MessageText message, base::MessageText hint);
// "problem: reason", with the hint of the reason.
base::MessageText because(base::MessageText problem, const base::MessageText& reason);

// Collects the diagnostics of one compilation. Prevents cascades: at most one error per source line is kept,
// an error with the same message is kept at most `kSameMessage` times, and after `limit` errors the rest is
// only counted.
class Diagnostics {
 public:
  static constexpr size_t kSameMessage = 3;

  explicit Diagnostics(const SourceMap& sources, size_t limit = 20) : sources_(sources), limit_(limit) {}

  // Returns the kept diagnostic (to add notes), or nullptr when it was suppressed.
  Diagnostic* error(SourceLoc loc, uint32_t length, base::MessageText message);
  Diagnostic* error(SourceLoc loc, base::MessageText message) { return error(loc, 1, std::move(message)); }
  Diagnostic* warning(SourceLoc loc, uint32_t length, base::MessageText message);

  bool has_errors() const { return error_count_ != 0; }
  size_t error_count() const { return error_count_; }
  // Every error that was not muted, kept or suppressed: the first error since a point in time can be found
  // here.
  struct Logged {
    SourceLoc loc;
    std::string message;  // with its hint
  };
  const std::vector<Logged>& log() const { return log_; }
  // Repeats an entry of the log: its subject was requested again. Nothing is shown.
  void log_again(size_t entry);
  size_t attempts() const { return attempts_; }  // every error() so far, kept, suppressed or muted
  const std::vector<Diagnostic>& all() const { return list_; }
  const SourceMap& sources() const { return sources_; }

  // While muted, errors are counted into `muted_errors` instead of being kept: for tentative analysis
  // (SFINAE).
  void push_mute() { ++mute_depth_; }
  void pop_mute() { --mute_depth_; }
  size_t muted_errors() const { return muted_errors_; }
  const base::MessageText& muted() const { return muted_; }  // the last muted message
  std::string muted_message() const { return muted_.str(); }

  // Called with every error that is kept: adds notes about its context.
  void set_annotate(std::function<void(Diagnostic&)> annotate) { annotate_ = std::move(annotate); }

  // All diagnostics as text:  file:line:col: error: message, the source line, and a caret line.
  std::string render(bool colour = false) const;

 private:
  friend class Tentative;
  friend class Definite;
  static constexpr size_t kRememberedLines = 256;
  static constexpr size_t kLongestLog = 10'000;

  Diagnostic* add(Diagnostic d);

  const SourceMap& sources_;
  size_t limit_;
  size_t error_count_ = 0;
  size_t mute_depth_ = 0;
  size_t guess_depth_ = 0;
  size_t muted_errors_ = 0;
  size_t attempts_ = 0;
  base::MessageText muted_;
  std::vector<Logged> log_;
  std::vector<Diagnostic> list_;
  std::function<void(Diagnostic&)> annotate_;
  std::vector<const char*> error_lines_;  // the lines that have an error, by the address of their text
};

// RAII: errors are muted during its lifetime and discarded at its end, for tentative analysis. A guess stays
// muted even inside a Definite.
class Tentative {
 public:
  enum class Kind : uint8_t { kAttempt, kGuess };

  explicit Tentative(Diagnostics& diagnostics, Kind kind = Kind::kAttempt)
      : diagnostics_(diagnostics), before_(diagnostics.attempts_), is_guess_(kind == Kind::kGuess) {
    diagnostics_.push_mute();
    if (is_guess_) ++diagnostics_.guess_depth_;
  }
  Tentative(const Tentative&) = delete;
  Tentative& operator=(const Tentative&) = delete;
  ~Tentative() {
    if (is_guess_) --diagnostics_.guess_depth_;
    diagnostics_.pop_mute();
    diagnostics_.attempts_ = before_;
  }
  bool failed() const { return diagnostics_.attempts_ != before_; }

 private:
  Diagnostics& diagnostics_;
  size_t before_;
  bool is_guess_;
};

// The opposite, nested: work that is done once and cached (such as completing a class) reports its errors
// even if a tentative analysis triggered it.
class Definite {
 public:
  explicit Definite(Diagnostics& diagnostics) : diagnostics_(diagnostics), muted_(diagnostics.mute_depth_) {
    diagnostics_.mute_depth_ = diagnostics_.guess_depth_;
  }
  Definite(const Definite&) = delete;
  Definite& operator=(const Definite&) = delete;
  ~Definite() { diagnostics_.mute_depth_ = muted_; }

 private:
  Diagnostics& diagnostics_;
  size_t muted_;
};

std::string render(const Diagnostic& diagnostic, const SourceMap& sources, bool colour = false);

}  // namespace quern::lang
