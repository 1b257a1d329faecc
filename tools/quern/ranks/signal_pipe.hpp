// Signals as bytes in a pipe, for a loop with poll().
#pragma once

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include <fcntl.h>
#include <unistd.h>

#include "pipe.hpp"

namespace quern::tool {

// One per process. It is not undone: the process ends afterwards.
class SignalPipe {
 public:
  explicit SignalPipe(std::initializer_list<int> signals) {
    int ends[2] = {-1, -1};
    if (make_pipe(ends) != 0) return;
    for (const int end : ends) (void)::fcntl(end, F_SETFL, O_NONBLOCK);
    reader_ = ends[0];
    writer_ = ends[1];
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    for (const int signal : signals) ::sigaction(signal, &action, nullptr);
  }
  static int file() { return reader_; }
  // The next signal; 0: there is none.
  static int take() {
    unsigned char signal = 0;
    return ::read(reader_, &signal, 1) == 1 ? signal : 0;
  }

 private:
  static void note(int signal) {
    const int before = errno;
    const auto byte = static_cast<unsigned char>(signal);
    (void)!::write(writer_, &byte, 1);
    errno = before;
  }
  static inline int reader_ = -1, writer_ = -1;
};

}  // namespace quern::tool
