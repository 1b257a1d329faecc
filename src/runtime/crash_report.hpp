// Says which kernels were running when the process crashes. For devices whose kernels run in this process:
// an invalid access in a kernel is a signal there, and without this the process would end without a word.
#pragma once

#include <string_view>

namespace quern::runtime {

class Device;

// Installs a handler for SIGSEGV, SIGBUS, SIGILL and SIGFPE, once, unless the program or a sanitizer has one.
// The handler writes to the standard error; the process then ends by the signal. To be called before a driver
// compiles: LLVM installs handlers of its own, and goes back to earlier ones when they are called.
void install_crash_report();

// The kernel that a stream runs, as the report shows it. Not thread-safe.
class RunningKernel {
 public:
  RunningKernel() = default;
  ~RunningKernel();
  RunningKernel(const RunningKernel&) = delete;
  RunningKernel& operator=(const RunningKernel&) = delete;

  void begin(std::string_view kernel, const Device& device);
  void end();  // nothing is running any more

  struct Slot;

 private:
  Slot* slot_ = nullptr;
};

}  // namespace quern::runtime
