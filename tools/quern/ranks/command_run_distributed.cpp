// quern run-distributed: starts the ranks of an MPI program on this machine, and ends all of them if one
// fails.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "../command.hpp"
#include "../messages.hpp"
#include "base/descriptor.hpp"
#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/program_path.hpp"
#include "base/text.hpp"
#include "launcher.hpp"
#include "protocol.hpp"
#include "signal_pipe.hpp"

namespace quern::tool {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Arguments::Option kRankOptions[] = {
    {"-n", true}, {"--on", true}, {"--mpi", true}, {"--help"}, {"-h"}};

constexpr std::string_view kRankHelp =
    R"(usage: quern run-distributed -n N [--on DEVICE] [--mpi openmpi|mpich|PATH] -- PROGRAM [ARGUMENT…]

Starts N ranks of a program on this machine with the installed launcher (mpirun) of Open MPI or MPICH. Each line of output
begins with the rank in brackets; lines above 4000 bytes are divided. If a rank fails, or on Ctrl-C, all ranks are ended:
they get SIGTERM, and 3 seconds later SIGKILL. Standard input goes to rank 0 unless it is a terminal.

  -n N           number of ranks, 1 to 1024
  --on DEVICE    QUERN_DEVICE for all ranks; comm::open_for_rank() gives each rank a device of its own
  --mpi NAME     openmpi, mpich or the path of an mpirun; default: QUERN_MPI, or the first in PATH

examples:
  quern run-distributed -n 4 -- ./simulate 1000
  quern run-distributed -n 2 --on cuda -- ./simulate 1000
  quern profile -o run -- quern run-distributed -n 4 -- ./simulate 1000

exit code: the highest of the ranks (128 plus the signal number if a signal ended one); 2 invalid usage; 3 MPI is not
installed, or the ranks cannot be started
)";

constexpr auto kPatience = std::chrono::seconds(5);  // for the watchers, then for the launcher
constexpr unsigned kMostRanks = 1024;

// The folder with the named pipes (protocol.hpp).
class Pipes {
 public:
  Pipes() {
    std::string path = base::join_path(base::env_text("TMPDIR").value_or("/tmp"), "quern-ranks-XXXXXX");
    if (::mkdtemp(path.data()) == nullptr) return;
    std::error_code ignored;
    path_ = std::filesystem::absolute(path, ignored).string();
    const std::array<const char*, 3> names = {kOutPipe, kErrPipe, kEventPipe};
    is_complete_ = true;
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string name = base::join_path(path_, names[i]);
      // Open for writing, too: the pipe has no end while ranks come and go.
      if (::mkfifo(name.c_str(), 0600) == 0)
        files[i] = base::Descriptor(::open(name.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
      is_complete_ = is_complete_ && files[i].get() >= 0;
    }
  }
  ~Pipes() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;
  const std::string& path() const { return path_; }
  bool is_complete() const { return is_complete_; }

  std::array<base::Descriptor, 3> files;

 private:
  std::string path_;
  bool is_complete_ = false;
};

// Runs the launcher until all ranks have ended.
class Job {
 public:
  Job(Pipes& pipes, unsigned ranks) : pipes_(pipes), ranks_(ranks) {}

  bool start(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::fflush(stdout);
    const pid_t self = ::getpid();
    launcher_ = ::fork();
    if (launcher_ != 0) return launcher_ > 0;
    ::setpgid(0, 0);  // Ctrl-C is for this process, which ends the ranks in order
#if defined(__linux__)
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (::getppid() != self) ::_exit(127);
    if (::isatty(STDIN_FILENO) != 0) {  // a process in the background must not read from a terminal
      const int none = ::open("/dev/null", O_RDONLY);
      ::dup2(none, STDIN_FILENO);
    }
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }

  // Returns the exit code.
  int run() {
    while (!has_ended()) {
      copy(50);
      while (const int signal = SignalPipe::take()) {
        if (signal == SIGCHLD) continue;
        if (stopped_by_ == 0) stopped_by_ = signal;
        end_all();
      }
      if (is_ending_) press();
    }
    while (copy(0)) {
    }
    return code();
  }

  size_t started() const { return watchers_.size(); }

 private:
  struct Watcher {
    pid_t process = 0;
    bool has_ended = false;
  };

  bool has_ended() {
    if (!has_launcher_ended_ && ::waitpid(launcher_, &status_, WNOHANG) == launcher_) {
      has_launcher_ended_ = true;
      end_all();  // ranks that are left
    }
    const bool is_all = all_ended();
    if (is_all && watchers_.size() == ranks_) end_all();  // a launcher that waits for nothing
    return has_launcher_ended_ && is_all;
  }

  bool all_ended() const {
    return std::all_of(watchers_.begin(), watchers_.end(), [](const auto& w) { return w.second.has_ended; });
  }

  void signal_watchers(int signal) const {
    for (const auto& [rank, watcher] : watchers_) {
      if (!watcher.has_ended) ::kill(watcher.process, signal);
    }
  }

  void end_all() {
    if (is_ending_) return;
    is_ending_ = true;
    deadline_ = Clock::now() + kPatience;
    signal_watchers(SIGTERM);
  }

  // The next stronger means, each after some time.
  void press() {
    if (Clock::now() < deadline_) return;
    deadline_ = Clock::now() + kPatience;
    ++step_;
    signal_watchers(SIGKILL);
    if (!has_launcher_ended_) ::kill(launcher_, step_ == 1 ? SIGTERM : SIGKILL);
    if (step_ < 2) return;
    for (auto& [rank, watcher] : watchers_) watcher.has_ended = true;  // killed: they cannot report it
  }

  // Waits for output and events, and handles them. False: there were none.
  bool copy(int milliseconds) {
    std::array<pollfd, 4> files{};
    for (size_t i = 0; i < 3; ++i) files[i] = {pipes_.files[i].get(), POLLIN, 0};
    files[3] = {SignalPipe::file(), POLLIN, 0};
    if (::poll(files.data(), 4, milliseconds) <= 0) return false;
    bool is_any = false;
    for (size_t i = 0; i < 3; ++i) {
      std::array<char, 65536> text{};
      const ssize_t size = ::read(pipes_.files[i].get(), text.data(), text.size());
      if (size <= 0) continue;
      is_any = true;
      if (i == 2) {
        events_.append(text.data(), static_cast<size_t>(size));
        continue;
      }
      std::FILE* const to = i == 0 ? stdout : stderr;
      std::fwrite(text.data(), 1, static_cast<size_t>(size), to);
      std::fflush(to);
    }
    for (size_t end = events_.find('\n'); end != std::string::npos; end = events_.find('\n')) {
      handle(events_.substr(0, end));
      events_.erase(0, end + 1);
    }
    return is_any;
  }

  void handle(const std::string& event) {
    std::istringstream in(event);
    std::string what;
    int rank = 0, value = 0, is_told = 0;
    in >> what >> rank >> value >> is_told;
    if (what == "start") {
      watchers_[rank] = {value, false};
      if (is_ending_) ::kill(value, SIGTERM);
    }
    if (what != "end") return;
    watchers_[rank].has_ended = true;
    if (is_told == 0) worst_ = std::max(worst_, value);
    if (is_told == 0 && value != 0 && !is_ending_) {
      if (value > 128) {
        std::fprintf(stderr, "quern: rank %d was terminated by signal %d; all ranks are ended\n", rank,
                     value - 128);
      } else {
        std::fprintf(stderr, "quern: rank %d ended with exit code %d; all ranks are ended\n", rank, value);
      }
      end_all();
    }
  }

  int code() const {
    if (stopped_by_ != 0) return 128 + stopped_by_;
    if (worst_ != 0) return worst_;
    const int own = WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
    return watchers_.size() == ranks_ && step_ == 0 ? 0 : own;
  }

  Pipes& pipes_;
  const size_t ranks_;
  pid_t launcher_ = -1;
  int status_ = 0, worst_ = 0, stopped_by_ = 0, step_ = 0;
  bool has_launcher_ended_ = false, is_ending_ = false;
  std::map<int, Watcher> watchers_;
  std::string events_;
  Clock::time_point deadline_;
};

Outcome run_ranks(const Arguments& arguments) {
  if (arguments.operands().empty()) return fail(kUsage, message::kRanksNeedProgram());
  const std::string count = arguments.value("-n").value_or("");
  const auto ranks = base::parse_uint(count);
  if (!ranks || *ranks == 0 || *ranks > kMostRanks)
    return fail(kUsage, message::kInvalidValue(count, "-n", "a number of ranks from 1 to 1024"));
  std::string wanted = base::env_text("QUERN_MPI").value_or("");
  if (wanted.find('/') != std::string::npos) wanted.clear();  // of a component, not of a launcher
  const auto launcher = find_launcher(arguments.value("--mpi").value_or(wanted));
  if (!launcher.ok())
    return fail(launcher.error().kind() == base::ErrorKind::invalid_use ? kUsage : kBadInput,
                launcher.error());
  if (const auto device = arguments.value("--on")) ::setenv("QUERN_DEVICE", device->c_str(), 1);
  Pipes pipes;
  if (!pipes.is_complete()) return fail(kBadInput, message::kRanksFailed(std::strerror(errno)));
  std::vector<std::string> program = {base::program_path(), kRankCommand, pipes.path()};
  program.insert(program.end(), arguments.operands().begin(), arguments.operands().end());
  const SignalPipe signals({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD});
  const auto number = static_cast<unsigned>(*ranks);
  Job job(pipes, number);
  if (!job.start(command_line(*launcher, number, program)))
    return fail(kBadInput, message::kRanksFailed(std::strerror(errno)));
  const int code = job.run();
  if (job.started() < number && code < 128)
    return fail(kBadInput, message::kRanksMissing(std::to_string(job.started()), count));
  return code;
}

}  // namespace

constinit const Command kRunDistributedCommand = {
    "run-distributed", "run a program as several ranks on this machine", kRankHelp, kRankOptions, run_ranks};

}  // namespace quern::tool
