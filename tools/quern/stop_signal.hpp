// Ends a loop when the user presses Ctrl-C, so that its last output is complete. The terminal's state is not
// changed and needs no restoring.
#pragma once

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace quern::tool {

class StopSignal {
 public:
  StopSignal() {
    if (::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) return;  // then the signals end the process
    struct sigaction action = {};
    action.sa_handler = stop;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // a second one ends the process
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction before = {};
      ::sigaction(signal, nullptr, &before);
      if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
    }
  }
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Waits; false: a signal has arrived.
  static bool wait(double seconds) {
    pollfd file = {pipe_[0], POLLIN, 0};
    return ::poll(&file, 1, static_cast<int>(seconds * 1e3)) <= 0;
  }

 private:
  static void stop(int /*signal*/) {
    const int before = errno;
    (void)!::write(pipe_[1], "", 1);
    errno = before;
  }
  static inline int pipe_[2] = {-1, -1};
};

}  // namespace quern::tool
