#include "driver/cpu/fiber.hpp"

#include <cstdint>
#include <cstring>

#include <sys/mman.h>

// quern_switch_stack(save, to): keeps what a function must keep on the stack, its pointer in *save, and goes
// on where `to` was kept. quern_enter_fiber is where a fresh stack begins.
#if defined(__aarch64__)
asm(R"(
  .text
  .p2align 2
  .globl quern_switch_stack
  .hidden quern_switch_stack
  .type quern_switch_stack, %function
quern_switch_stack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .globl quern_enter_fiber
  .hidden quern_enter_fiber
  .type quern_enter_fiber, %function
quern_enter_fiber:
  mov x0, x19
  blr x20
  brk #1
)");
#elif defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .globl quern_switch_stack
  .hidden quern_switch_stack
  .type quern_switch_stack, @function
quern_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .globl quern_enter_fiber
  .hidden quern_enter_fiber
  .type quern_enter_fiber, @function
quern_enter_fiber:
  movq %r12, %rdi
  callq *%r13
  ud2
)");
#endif

extern "C" {
void quern_switch_stack(void** save, void* to);
void quern_enter_fiber();
}

namespace quern::cpu {
namespace {

constexpr size_t kStackBytes = 256 << 10;  // only what is touched is taken
constexpr size_t kGuardBytes = 64 << 10;   // behind its end: a page of any size

}  // namespace

std::unique_ptr<Fiber> Fiber::create() {
  void* memory = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::unique_ptr<Fiber> fiber(new Fiber());
  fiber->stack_ = static_cast<std::byte*>(memory);
  if (::mprotect(memory, kGuardBytes, PROT_NONE) != 0) return nullptr;
  return fiber;
}

Fiber::~Fiber() {
  if (stack_ != nullptr) ::munmap(stack_, kStackBytes);
}

void Fiber::start(void (*function)(void*), void* argument) {
  std::byte* top = stack_ + kStackBytes;
#if defined(__aarch64__)
  auto* frame = reinterpret_cast<uint64_t*>(top - 160);
  std::memset(frame, 0, 160);
  frame[0] = reinterpret_cast<uint64_t>(argument);
  frame[1] = reinterpret_cast<uint64_t>(function);
  frame[11] = reinterpret_cast<uint64_t>(&quern_enter_fiber);
#else
  auto* frame = reinterpret_cast<uint64_t*>(top - 64);
  std::memset(frame, 0, 64);
  frame[2] = reinterpret_cast<uint64_t>(function);  // r13
  frame[3] = reinterpret_cast<uint64_t>(argument);  // r12
  frame[6] = reinterpret_cast<uint64_t>(&quern_enter_fiber);
#endif
  here_ = frame;
}

void Fiber::resume() { quern_switch_stack(&caller_, here_); }
void Fiber::suspend() { quern_switch_stack(&here_, caller_); }

}  // namespace quern::cpu
