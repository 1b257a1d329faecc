// While a kernel runs in this process: what the processor refuses is told in a sentence before the end. In
// check mode the device has a handler of its own, which names the line.
#pragma once

#include <csignal>
#include <cstddef>
#include <iterator>
#include <string_view>

#include <unistd.h>

#include "command.hpp"

namespace quern::tool {

class KernelCrash {
 public:
  KernelCrash() {
    struct sigaction action = {};
    action.sa_handler = tell;
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      is_changed_[i] = before_[i].sa_handler == SIG_DFL && ::sigaction(kSignals[i], &action, nullptr) == 0;
    }
  }
  ~KernelCrash() {
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      if (is_changed_[i]) ::sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  KernelCrash(const KernelCrash&) = delete;
  KernelCrash& operator=(const KernelCrash&) = delete;

 private:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr int kSignals[] = {SIGBUS};  // a sanitizer tells more
#else
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
#endif
  static void tell(int /*signal*/) {
    constexpr std::string_view kText =
        "quern: the kernel crashed: it used memory that is not there, or the processor refused an "
        "instruction\n"
        "  hint: --check-device and --on sim tell where\n";
    (void)!::write(STDERR_FILENO, kText.data(), kText.size());
    ::_exit(kFailed);
  }

  struct sigaction before_[std::size(kSignals)] = {};
  bool is_changed_[std::size(kSignals)] = {};
};

}  // namespace quern::tool
