// Forwards terminating signals to the profiled program, so that its profile up to then is shown. A terminal
// sends them to both processes, so only signals from elsewhere are forwarded. They are blocked until the
// program's process id is known.
#pragma once

#include <csignal>
#include <cstddef>
#include <iterator>

#include <sys/types.h>

namespace quern::tool {

class PassedSignals {
 public:
  PassedSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : kPassed) sigaddset(&held, signal);
    ::sigprocmask(SIG_BLOCK, &held, &mask_);
  }
  ~PassedSignals() {
    for (size_t i = 0; i < std::size(kPassed); ++i) {
      if (is_changed_[i]) ::sigaction(kPassed[i], &before_[i], nullptr);
    }
    release();
  }
  PassedSignals(const PassedSignals&) = delete;
  PassedSignals& operator=(const PassedSignals&) = delete;

  void release() const { ::sigprocmask(SIG_SETMASK, &mask_, nullptr); }
  void pass_to(pid_t program) {
    program_ = program;
    struct sigaction action = {};
    action.sa_sigaction = pass;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (size_t i = 0; i < std::size(kPassed); ++i) {
      ::sigaction(kPassed[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;
      is_changed_[i] = ::sigaction(kPassed[i], &action, nullptr) == 0;
    }
    release();
  }

 private:
  static constexpr int kPassed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  static void pass(int signal, siginfo_t* info, void* /*context*/) {
    if (info->si_code <= 0) ::kill(program_, signal);  // sent by a process, not by a terminal
  }

  static inline volatile pid_t program_ = 0;
  sigset_t mask_ = {};
  struct sigaction before_[std::size(kPassed)] = {};
  bool is_changed_[std::size(kPassed)] = {};
};

}  // namespace quern::tool
