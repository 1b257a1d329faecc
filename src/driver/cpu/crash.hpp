// A crash in generated code in check mode is a fault of the kernel, reported at the most recent access. The
// launch ends and the process continues. If the crash is in a function that generated code called, locks may
// be held; the process then prints the message and ends.
#pragma once

#include <csetjmp>
#include <cstdint>

#include "target/llvm/abi.hpp"

namespace quern::cpu {

struct Task;

// One guarded call of generated code.
struct Guard {
  Task* task = nullptr;
  const quern::llvm::BlockContext* context = nullptr;
  sigjmp_buf back = {};
  volatile int signal = 0;
  volatile uint64_t address = 0;
};

// Sets the guard for the code that this thread runs from now on; null: none. Call it whenever a fiber
// resumes.
void enter_guard(Guard* guard);

// Calls task.function(&context), guarded if the task is in check mode. `guard` receives the guard for callers
// that must call enter_guard(); may be null.
void run_guarded(Task& task, quern::llvm::BlockContext& context, Guard** guard = nullptr);

}  // namespace quern::cpu
