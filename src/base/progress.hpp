// Progress of long operations. On a terminal one line is redrawn, with a bar, the rate and the time left;
// elsewhere a plain line is printed occasionally, so that a log stays readable. Short operations print
// nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace quern::base {

struct ProgressState {
  std::string_view label;
  std::string_view unit;  // plural: "files"
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0: not known; then there is no bar and no time left
  double seconds = 0;       // since the start
  std::string_view detail;  // the current item
};

// The line as text, at most `width` columns: "check  [█████░░░░░]  512/1,024 files  103 files/s  5.0 s left".
std::string render_bar(const ProgressState& state, std::size_t width);
// The line for a log: "check: 512 of 1,024 files (50 %), 103 files/s, 5.0 s left".
std::string render_plain(const ProgressState& state);

struct ProgressOptions {
  std::FILE* stream = stderr;     // must outlive the Progress
  std::FILE* control = nullptr;   // for sequences that clear the line, if `stream` filters them
  bool terminal = false;          // see default_progress_options
  double first_after = 0.5;       // delay of the first output; shorter work prints nothing
  double redraw_every = 0.1;      // on a terminal
  double line_every = 10;         // in a log
  std::function<double()> clock;  // seconds; empty: the steady clock
};

// Options for the stream: redrawing on a terminal, lines elsewhere.
ProgressOptions default_progress_options(std::FILE* stream = stderr);

// Reports from construction to finish() or destruction. Thread-safe; advance costs one atomic addition
// between redraws.
class Progress {
 public:
  Progress(std::string label, std::uint64_t total, std::string unit,
           ProgressOptions options = default_progress_options());
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void advance(std::uint64_t count = 1);
  void set_detail(std::string detail);

  // Clears the bar, so that the next output starts on a clean line. Other output must be printed between
  // hide() and the next advance().
  void hide();
  // Ends the report: clears the bar on a terminal; prints a last line to a log that has shown lines. Later
  // calls do nothing.
  void finish();

 private:
  double now() const;
  void draw(double seconds);
  void clear();
  void clear_line();

  const std::string label_;
  const std::string unit_;
  const std::uint64_t total_;
  const ProgressOptions options_;
  const double start_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<double> next_draw_;
  std::mutex mutex_;  // guards the members below, and the stream
  std::string detail_;
  bool bar_shown_ = false;
  bool line_shown_ = false;
  bool finished_ = false;
};

}  // namespace quern::base
