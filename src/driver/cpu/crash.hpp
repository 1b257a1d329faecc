// A crash inside of generated code in check mode: a fault of the kernel, at the access that was begun last.
// The launch ends and the process goes on; where the processor was not in generated code itself but in what
// that called, nobody knows what is held there, and the process ends with the sentence.
#pragma once

#include <csetjmp>
#include <cstdint>

#include "target/llvm/abi.hpp"

namespace quern::cpu {

struct Task;

// One call of generated code under guard.
struct Guard {
  Task* task = nullptr;
  const quern::llvm::BlockContext* context = nullptr;
  sigjmp_buf back = {};
  volatile int signal = 0;
  volatile uint64_t address = 0;
};

// Whose code this thread runs from here on; null: nobody's. A fiber is told whenever it goes on.
void enter_guard(Guard* guard);

// task.function(&context); under guard where the task is in check mode. `guard` is kept by whoever has to
// call enter_guard, or null.
void run_guarded(Task& task, quern::llvm::BlockContext& context, Guard** guard = nullptr);

}  // namespace quern::cpu
