// Reports which kernels were running when the process crashes. For devices whose kernels run in this process:
// an invalid access in a kernel raises a signal, which would otherwise end the process without a message.
#pragma once

#include <string_view>

namespace quern::runtime {

class Device;

// Records the handlers of the program and of sanitizers, once. Call it before the first driver starts:
// drivers that contain LLVM install handlers too.
void record_signal_handlers();

// Installs a handler for SIGSEGV, SIGBUS, SIGILL and SIGFPE, once, unless the program or a sanitizer has one.
// A handler that appeared since record_signal_handlers() belongs to a driver and is called afterwards. The
// handler writes to standard error; the process then ends by the signal.
void install_crash_report();

// The kernel that a stream runs, for the report. Not thread-safe.
class RunningKernel {
 public:
  RunningKernel() = default;
  ~RunningKernel();
  RunningKernel(const RunningKernel&) = delete;
  RunningKernel& operator=(const RunningKernel&) = delete;

  void begin(std::string_view kernel, const Device& device);
  // The kernels of a recording, which is replayed without streams.
  void begin_recording(std::string_view file, const Device& device);
  void end();  // nothing is running

  struct Slot;

 private:
  bool take_slot(const Device& device);

  Slot* slot_ = nullptr;
};

}  // namespace quern::runtime
