#include "terminal.hpp"

#include <csignal>
#include <cstdio>
#include <string_view>

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace wave {
namespace {

termios found;
volatile std::sig_atomic_t interrupted = 0;

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

bool Terminal::is_here() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

Terminal::Terminal() {
  ::tcgetattr(STDIN_FILENO, &found);
  termios raw = found;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    columns_ = size.ws_col;
    rows_ = size.ws_row;
  }
  write_all("\033[?1049h\033[?25l\033[2J");  // alternate screen, without the cursor
}

Terminal::~Terminal() {
  write_all("\033[0m\033[?25h\033[?1049l");
  ::tcsetattr(STDIN_FILENO, TCSANOW, &found);
}

bool Terminal::was_interrupted() const { return interrupted != 0; }

Key Terminal::read(char& character) const {
  if (::read(STDIN_FILENO, &character, 1) != 1) return Key::kNone;
  if (character != '\033') return Key::kOther;
  char rest[2] = {};
  if (::read(STDIN_FILENO, rest, 2) != 2 || rest[0] != '[') return Key::kNone;
  switch (rest[1]) {
    case 'A': return Key::kUp;
    case 'B': return Key::kDown;
    case 'C': return Key::kRight;
    case 'D': return Key::kLeft;
    default: return Key::kNone;
  }
}

void Terminal::draw(const std::string& text) const { write_all("\033[H" + text); }

}  // namespace wave
