#include "base/try_in_child.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/messages.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"

namespace quern::base {

namespace {

// The child writes one byte (0: success, otherwise the error kind plus one) and then its text.
[[noreturn]] void be_child(int to, const std::function<Result<std::string>()>& attempt) {
  const Result<std::string> result = attempt();
  std::string message(1, '\0');
  if (result.ok()) {
    message += *result;
  } else {
    message[0] = static_cast<char>(static_cast<uint8_t>(result.error().kind()) + 1);
    message += result.error().message() + '\0' + result.error().hint();
  }
  for (size_t done = 0; done < message.size();) {
    const ssize_t n = ::write(to, message.data() + done, message.size() - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  ::_exit(0);  // without exit handlers: they belong to the parent
}

struct Child {
  pid_t id;
  int from;  // its output; closed when it ends
};

Result<Child> start_child(const std::function<Result<std::string>()>& attempt) {
  // One child at a time: a child started by another thread would inherit the write end of our pipe, which
  // would then stay open until that child ends.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  int ends[2];
  if (::pipe(ends) != 0) return Error(ErrorKind::io, message::kPipeFailed(std::strerror(errno)));
  const pid_t child = fork_process();
  if (child == 0) {
    ::close(ends[0]);
    be_child(ends[1], attempt);
  }
  ::close(ends[1]);
  if (child > 0) return Child{child, ends[0]};
  ::close(ends[0]);
  return Error(ErrorKind::io, message::kChildFailed(std::strerror(errno)));
}

// Reads until end of file; false after a timeout.
bool read_all(int from, double seconds, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd wait{from, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char buffer[4096];
    const ssize_t n = ::read(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(buffer, static_cast<size_t>(n));
  }
}

Result<std::string> decode(const std::string& text) {
  if (text[0] == '\0') return text.substr(1);
  const size_t end = text.find('\0', 1);
  Error error(static_cast<ErrorKind>(text[0] - 1), text.substr(1, end - 1));
  if (end != std::string::npos && end + 1 < text.size()) error.add_hint(text.substr(end + 1));
  return error;
}

}  // namespace

Result<std::string> try_in_child(const std::function<Result<std::string>()>& attempt, double seconds,
                                 std::string_view hint) {
  QUERN_TRY_ASSIGN(const Child child, start_child(attempt));
  std::string text;
  const bool in_time = read_all(child.from, seconds, text);
  ::close(child.from);
  if (!in_time) ::kill(child.id, SIGKILL);
  int status = 0;
  while (::waitpid(child.id, &status, 0) < 0 && errno == EINTR) {
  }
  const auto broken = [&](ErrorKind kind, const MessageText& how) {
    return Error(kind, how).add_hint(std::string(hint));
  };
  if (!in_time) return broken(ErrorKind::timeout, message::kChildTimeout(format("%g", seconds)));
  if (WIFSIGNALED(status))
    return broken(ErrorKind::internal, message::kChildCrashed(strsignal(WTERMSIG(status))));
  if (text.empty())
    return broken(ErrorKind::internal, message::kChildExited(std::to_string(WEXITSTATUS(status))));
  return decode(text);
}

}  // namespace quern::base
