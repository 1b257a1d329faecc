#include "watcher.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "../command.hpp"
#include "../messages.hpp"
#include "../pipe.hpp"
#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/job_rank.hpp"
#include "base/text.hpp"
#include "protocol.hpp"
#include "signal_pipe.hpp"

namespace quern::tool {

namespace {

using Clock = std::chrono::steady_clock;

// This process gets the signal when its parent ends.
void end_with_parent([[maybe_unused]] int signal) {
#if defined(__linux__)
  ::prctl(PR_SET_PDEATHSIG, signal);
#endif
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the launcher has ended
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// One of the program's streams.
class Lines {
 public:
  Lines(int from, int to, std::string prefix) : from_(from), to_(to), prefix_(std::move(prefix)) {}
  int file() const { return from_.get(); }
  // Reads what is there; false at the end.
  bool copy() {
    std::array<char, 16384> part{};
    const ssize_t size = ::read(from_.get(), part.data(), part.size());
    if (size < 0) return errno == EINTR || errno == EAGAIN;
    if (size == 0) return false;
    text_.append(part.data(), static_cast<size_t>(size));
    write_lines();
    return true;
  }
  // The last line may have no end.
  void finish() {
    if (!text_.empty()) text_ += '\n';
    write_lines();
    from_ = base::Descriptor();
  }

 private:
  void write_lines() {
    size_t begin = 0;
    for (;;) {
      const size_t end = text_.find('\n', begin);
      const bool is_long = (end == std::string::npos ? text_.size() : end) - begin > kMostLine;
      if (!is_long && end == std::string::npos) break;
      const size_t length = is_long ? kMostLine : end - begin;
      write_all(to_, prefix_ + text_.substr(begin, length) + "\n");
      begin += length + (is_long ? 0 : 1);
    }
    text_.erase(0, begin);
  }

  base::Descriptor from_;
  int to_;
  std::string prefix_, text_;
};

class Watcher {
 public:
  Watcher(int out, int err, int events, int rank) : out_(out), err_(err), events_(events), rank_(rank) {}

  bool start(std::span<const std::string_view> words) {
    std::vector<std::string> texts(words.begin(), words.end());
    std::vector<char*> arguments;
    for (std::string& text : texts) arguments.push_back(text.data());
    arguments.push_back(nullptr);
    int out[2], err[2], failure[2];
    if (make_pipe(out) != 0 || make_pipe(err) != 0 || make_pipe(failure) != 0) return false;
    child_ = ::fork();
    if (child_ == 0) {
      end_with_parent(SIGKILL);
      ::signal(SIGPIPE, SIG_DFL);
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(err[1], STDERR_FILENO);
      ::execvp(arguments[0], arguments.data());
      const int why = errno;
      (void)!::write(failure[1], &why, sizeof(why));
      ::_exit(127);
    }
    for (const int end : {out[1], err[1], failure[1]}) ::close(end);
    for (const int end : {out[0], err[0]}) (void)::fcntl(end, F_SETFL, O_NONBLOCK);
    const std::string prefix = "[" + std::to_string(rank_) + "] ";
    streams_.emplace_back(out[0], out_, prefix);
    streams_.emplace_back(err[0], err_, prefix);
    int why = child_ < 0 ? errno : 0;
    const bool has_failed = child_ < 0 || ::read(failure[0], &why, sizeof(why)) == sizeof(why);
    ::close(failure[0]);
    if (has_failed) {
      const auto message = message::kRunFailed(texts[0], std::strerror(why));
      write_all(err_, prefix + "quern: " + message.str() + "\n");
    }
    return child_ > 0;
  }

  // Until the program has ended. Returns its status.
  int run() {
    int status = 0;
    while (::waitpid(child_, &status, WNOHANG) == 0) {
      wait_for_output(50);
      pass_signals();
      if (is_told_ && Clock::now() > deadline_) ::kill(child_, SIGKILL);
    }
    is_running_ = false;
    pass_signals();  // to a group of processes: the program may end before this one sees it
    // Processes that the program has started may hold the streams open.
    const auto limit = Clock::now() + std::chrono::milliseconds(200);
    while (wait_for_output(20) && Clock::now() < limit) {
    }
    for (Lines& stream : streams_) stream.finish();
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  void report_start() const {
    write_all(events_, "start " + std::to_string(rank_) + " " + std::to_string(::getpid()) + "\n");
  }
  void report_end(int status) const {
    write_all(events_, base::format("end %d %d %d\n", rank_, status, is_told_ ? 1 : 0));
  }

 private:
  // False if both streams have ended.
  bool wait_for_output(int milliseconds) {
    std::vector<pollfd> files = {{SignalPipe::file(), POLLIN, 0}};
    for (const Lines& stream : streams_) files.push_back({stream.file(), POLLIN, 0});
    (void)::poll(files.data(), static_cast<nfds_t>(files.size()), milliseconds);
    bool is_open = false;
    for (size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i].file() < 0) continue;
      if (files[i + 1].revents == 0 || streams_[i].copy()) {
        is_open = true;
      } else {
        streams_[i].finish();
      }
    }
    return is_open;
  }

  void pass_signals() {
    while (const int signal = SignalPipe::take()) {
      if (signal == SIGCHLD) continue;
      if (is_running_) ::kill(child_, signal);
      if (signal == SIGUSR1 || signal == SIGUSR2 || is_told_) continue;
      is_told_ = true;
      deadline_ = Clock::now() + std::chrono::milliseconds(static_cast<int>(kRankPatience * 1000));
    }
  }

  const int out_, err_, events_, rank_;
  pid_t child_ = -1;
  std::vector<Lines> streams_;
  bool is_told_ = false, is_running_ = true;
  Clock::time_point deadline_;
};

}  // namespace

int watch_rank(std::span<const std::string_view> words) {
  if (words.size() < 2) return kUsage;
  std::array<int, 3> files{};
  const std::array<const char*, 3> names = {kOutPipe, kErrPipe, kEventPipe};
  for (size_t i = 0; i < names.size(); ++i) {
    files[i] = ::open(base::join_path(words[0], names[i]).c_str(), O_WRONLY | O_CLOEXEC);
    if (files[i] < 0) return kBadInput;
  }
  ::signal(SIGPIPE, SIG_IGN);
  const SignalPipe signals({SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD});
  end_with_parent(SIGTERM);
  const int rank = base::job_rank().value_or(JobRank{}).rank;
  Watcher watcher(files[0], files[1], files[2], rank);
  watcher.report_start();
  const int status = watcher.start(words.subspan(1)) ? watcher.run() : 127;
  watcher.report_end(status);
  return kOk;
}

}  // namespace quern::tool
