// Compiles OpenCL code in a child process first, for drivers whose compiler may abort. The child is a
// separate program (tools/opencl_compiler) that is embedded in this library and started from memory: a fork
// of the user's process would inherit the driver's locks without the threads that hold them.
#pragma once

#include <string>
#include <string_view>

namespace quern::opencl {

struct CompileTask {
  std::string_view library;  // as for dlopen
  std::string_view device_name, device_version;
  std::string_view options;  // for clBuildProgram
  std::string_view
      work_group;  // in the format of POCL_BINARY_SPECIALIZE_WG; empty: only the program is built
  std::string_view code;
  bool is_il = false;
};

struct CompileOutcome {
  enum class Kind { kReturned, kDied, kNotStarted };
  Kind kind = Kind::kReturned;
  std::string reason;  // kDied: the compiler's last output; kNotStarted: why the child was not started
};

/// Compiles `task` in a child process and waits for it. Thread-safe. Does not throw.
CompileOutcome compile_in_child(const CompileTask& task);

}  // namespace quern::opencl
