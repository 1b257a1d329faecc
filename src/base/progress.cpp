#include "base/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace quern::base {
namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";
constexpr std::size_t kBarWidth = 24;

double rate_of(const ProgressState& state) {
  return state.seconds > 0 ? static_cast<double>(state.done) / state.seconds : 0;
}

std::string render_rate(const ProgressState& state) {
  const double rate = rate_of(state);
  const std::string number =
      rate < 10 ? format("%.1f", rate) : format_count(static_cast<std::uint64_t>(std::round(rate)));
  return number + ' ' + std::string(state.unit) + "/s";
}

// Empty if it is not known.
std::string render_left(const ProgressState& state) {
  const double rate = rate_of(state);
  if (state.total <= state.done || rate <= 0) return {};
  return format_duration(static_cast<double>(state.total - state.done) / rate) + " left";
}

double fraction_of(const ProgressState& state) {
  return std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
}

std::string draw_bar(double fraction) {
  const auto full = static_cast<std::size_t>(fraction * kBarWidth);
  std::string bar = "[";
  for (std::size_t i = 0; i < kBarWidth; ++i) bar += i < full ? "█" : "░";
  return bar + "]";
}

}  // namespace

std::string render_bar(const ProgressState& state, std::size_t width) {
  std::string line(state.label);
  if (state.total != 0) line += "  " + draw_bar(fraction_of(state));
  line += "  " + format_count(state.done);
  if (state.total != 0) line += '/' + format_count(state.total);
  line += ' ' + std::string(state.unit);
  if (rate_of(state) > 0) line += "  " + render_rate(state);
  if (const std::string left = render_left(state); !left.empty()) line += "  " + left;
  if (!state.detail.empty()) line += "  " + std::string(state.detail);
  return fit_width(line, width);
}

std::string render_plain(const ProgressState& state) {
  std::string line = std::string(state.label) + ": " + format_count(state.done);
  if (state.total != 0) line += " of " + format_count(state.total);
  line += ' ' + std::string(state.unit);
  // Rounded down: 100 % means complete.
  if (state.total != 0) line += format(" (%d %%)", static_cast<int>(fraction_of(state) * 100));
  if (rate_of(state) > 0) line += ", " + render_rate(state);
  if (const std::string left = render_left(state); !left.empty()) line += ", " + left;
  if (!state.detail.empty()) line += ", " + std::string(state.detail);
  return line;
}

ProgressOptions default_progress_options(std::FILE* stream) {
  ProgressOptions options;
  options.stream = stream;
  options.terminal = is_terminal(stream);
  return options;
}

Progress::Progress(std::string label, std::uint64_t total, std::string unit, ProgressOptions options)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      options_(std::move(options)),
      start_(now()),
      next_draw_(options_.terminal ? options_.first_after : options_.line_every) {}

Progress::~Progress() { finish(); }

double Progress::now() const {
  if (options_.clock) return options_.clock();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Progress::advance(std::uint64_t count) {
  done_.fetch_add(count, std::memory_order_relaxed);
  const double seconds = now() - start_;
  double due = next_draw_.load(std::memory_order_relaxed);
  const double following = seconds + (options_.terminal ? options_.redraw_every : options_.line_every);
  // The thread that advances the time draws; the others continue.
  if (seconds < due || !next_draw_.compare_exchange_strong(due, following)) return;
  const std::lock_guard lock(mutex_);
  if (!finished_) draw(seconds);
}

void Progress::set_detail(std::string detail) {
  const std::lock_guard lock(mutex_);
  detail_ = std::move(detail);
}

void Progress::hide() {
  const std::lock_guard lock(mutex_);
  clear();
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(finished_, true)) return;
  detail_.clear();
  clear();
  if (line_shown_) draw(now() - start_);
}

void Progress::draw(double seconds) {
  const ProgressState state{label_, unit_, done_.load(std::memory_order_relaxed), total_, seconds, detail_};
  std::string text;
  if (options_.terminal) {
    // One column less than available: a full line would wrap on some terminals.
    clear_line();
    text = render_bar(state, std::max<std::size_t>(terminal_width(options_.stream), 2) - 1);
    bar_shown_ = true;
  } else {
    text = render_plain(state) + '\n';
    line_shown_ = true;
  }
  std::fwrite(text.data(), 1, text.size(), options_.stream);
  std::fflush(options_.stream);
}

void Progress::clear() {
  if (std::exchange(bar_shown_, false)) clear_line();
}

void Progress::clear_line() {
  std::FILE* const to = options_.control != nullptr ? options_.control : options_.stream;
  std::fwrite(kClearLine.data(), 1, kClearLine.size(), to);
  std::fflush(to);
}

}  // namespace quern::base
