// Handles crashes of kernels that run in this process: prints a message and ends the tool with its exit code
// for failures. In check mode the device has its own handler, which reports the line.
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
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // the device's handler may leave it with a jump
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      if (!is_chained_[i]) (void)::sigaction(kSignals[i], &action, &before_[i]);
    }
  }
  ~KernelCrash() {
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      struct sigaction now = {};
      is_chained_[i] = ::sigaction(kSignals[i], nullptr, &now) == 0 && now.sa_sigaction != handle;
      if (!is_chained_[i]) (void)::sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  KernelCrash(const KernelCrash&) = delete;
  KernelCrash& operator=(const KernelCrash&) = delete;

 private:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr int kSignals[] = {SIGBUS};  // a sanitizer reports more
#else
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
#endif

  // The previous handler belongs to the device or the runtime, which report the kernel.
  static void handle(int signal, siginfo_t* info, void* context) {
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      if (kSignals[i] != signal) continue;
      if ((before_[i].sa_flags & SA_SIGINFO) != 0) {
        before_[i].sa_sigaction(signal, info, context);
      } else {
        constexpr std::string_view kText =
            "quern: the kernel crashed: it accessed memory out of bounds, or an instruction is invalid\n"
            "  hint: run it with --check-device or --on sim to find the line\n";
        (void)!::write(STDERR_FILENO, kText.data(), kText.size());
      }
    }
    ::_exit(kFailed);
  }

  inline static struct sigaction before_[std::size(kSignals)] = {};
  inline static bool is_chained_[std::size(kSignals)] = {};  // a handler installed later calls this one
};

}  // namespace quern::tool
