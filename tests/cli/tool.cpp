#include "cli/tool.hpp"

#include <cctype>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quern::test {

namespace {

[[noreturn]] void be_tool(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment, int out, int err) {
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
#ifdef __SANITIZE_ADDRESS__
  // Leak detection takes seconds per process on some machines: only the test for leaks enables it.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:verify_asan_link_order=0", 1);
#endif
#ifdef __SANITIZE_THREAD__
  ::setenv("TSAN_OPTIONS", "handle_segv=0:die_after_fork=0", 1);
#endif
  for (const std::string& e : environment) {
    const size_t equals = e.find('=');
    ::setenv(e.substr(0, equals).c_str(), e.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> argv{const_cast<char*>(QUERN_TOOL)};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  ::alarm(60);
  ::execv(QUERN_TOOL, argv.data());
  ::_exit(127);
}

void read_both(int out, int err, ToolResult& result) {
  pollfd ends[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  for (int open = 2; open > 0;) {
    if (::poll(ends, 2, -1) < 0) continue;
    for (int i = 0; i < 2; ++i) {
      if ((ends[i].revents & (POLLIN | POLLHUP)) == 0) continue;
      char buffer[4096];
      const ssize_t n = ::read(ends[i].fd, buffer, sizeof buffer);
      if (n > 0) {
        texts[i]->append(buffer, static_cast<size_t>(n));
      } else {
        ends[i].fd = -1;
        --open;
      }
    }
  }
}

// A JSON validator: nothing is stored.
class Json {
 public:
  explicit Json(const std::string& text) : at_(text.c_str()) {}
  bool whole() { return value() && (blank(), *at_ == '\0'); }

 private:
  void blank() {
    while (*at_ != '\0' && std::strchr(" \t\r\n", *at_) != nullptr) ++at_;
  }
  bool take(char c) {
    blank();
    if (*at_ != c) return false;
    ++at_;
    return true;
  }
  bool word(const char* text) {
    const size_t n = std::strlen(text);
    if (std::strncmp(at_, text, n) != 0) return false;
    at_ += n;
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    while (*at_ != '"') {
      if (static_cast<unsigned char>(*at_) < 0x20) return false;
      if (*at_ == '\\' && *++at_ == '\0') return false;
      ++at_;
    }
    ++at_;
    return true;
  }
  bool number() {
    const char* start = at_;
    while (*at_ != '\0' &&
           (std::isdigit(static_cast<unsigned char>(*at_)) != 0 || std::strchr("+-.eE", *at_) != nullptr))
      ++at_;
    return at_ != start;
  }
  template <typename Item>
  bool list(char close, const Item& item) {
    if (take(close)) return true;
    do {
      if (!item()) return false;
    } while (take(','));
    return take(close);
  }
  bool value() {
    blank();
    if (take('{')) return list('}', [this] { return string() && take(':') && value(); });
    if (take('[')) return list(']', [this] { return value(); });
    if (*at_ == '"') return string();
    return word("true") || word("false") || word("null") || number();
  }

  const char* at_;
};

}  // namespace

ToolResult run_tool(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  ToolResult result;
  int out[2], err[2];
  if (::pipe(out) != 0 || ::pipe(err) != 0) return result;
  const pid_t child = ::fork();
  if (child == 0) be_tool(arguments, environment, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  if (child > 0) read_both(out[0], err[0], result);
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  if (child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status))
    result.code = WEXITSTATUS(status);
  return result;
}

bool is_json(const std::string& text) { return Json(text).whole(); }

base::JsonValue parsed(const std::string& text) {
  auto value = base::parse_json(text);
  EXPECT_TRUE(value.ok()) << text;
  return value.ok() ? std::move(*value) : base::JsonValue();
}

}  // namespace quern::test
