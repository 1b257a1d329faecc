#include "base/terminal.hpp"

#include <array>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/environment.hpp"

namespace quern::base {
namespace {

// A program may have replaced a standard stream (by a filter).
int descriptor_of(std::FILE* stream) {
  const int descriptor = ::fileno(stream);
  if (descriptor >= 0) return descriptor;
  return stream == stdout ? STDOUT_FILENO : stream == stderr ? STDERR_FILENO : -1;
}

}  // namespace

bool is_terminal(std::FILE* stream) {
  const int descriptor = descriptor_of(stream);
  return descriptor >= 0 && ::isatty(descriptor) == 1 && env_text("TERM").value_or("dumb") != "dumb";
}

bool wants_colour(std::FILE* stream) { return !env_text("NO_COLOR") && is_terminal(stream); }

std::size_t terminal_width(std::FILE* stream) {
  constexpr std::size_t kUnknown = 80;
  winsize size{};
  const int descriptor = descriptor_of(stream);
  if (descriptor < 0 || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUnknown;
  return size.ws_col;
}

std::string paint(std::string_view text, Style style, bool colour) {
  constexpr std::array<std::string_view, 7> kCodes = {"", "1", "2", "31", "32", "33", "34"};
  if (!colour || style == Style::kPlain || text.empty()) return std::string(text);
  std::string painted = "\x1b[";
  painted += kCodes[static_cast<std::size_t>(style)];
  painted += 'm';
  painted += text;
  painted += "\x1b[0m";
  return painted;
}

}  // namespace quern::base
