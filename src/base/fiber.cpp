#include "base/fiber.hpp"

#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define QUERN_FIBER_ASAN
#elif defined(__SANITIZE_THREAD__)
#define QUERN_FIBER_TSAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define QUERN_FIBER_ASAN
#elif __has_feature(thread_sanitizer)
#define QUERN_FIBER_TSAN
#endif
#endif

#if defined(QUERN_FIBER_ASAN)
#include <sanitizer/common_interface_defs.h>
#elif defined(QUERN_FIBER_TSAN)
#include <atomic>

#include <sanitizer/tsan_interface.h>
#endif

#if !defined(__aarch64__) && !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace quern::base {

namespace {

constexpr size_t kStackBytes = size_t{256} << 10;  // only touched pages take memory

size_t page_bytes() {
  static const auto kBytes = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return kBytes;
}

}  // namespace

struct Fiber::State {
  char* stack = nullptr;  // the lowest page is a guard
  size_t bytes = 0;
  Entry entry = nullptr;
  void* argument = nullptr;
#if defined(__aarch64__) || defined(__x86_64__)
  void* inside = nullptr;  // stack pointers of both sides
  void* outside = nullptr;
#else
  ucontext_t inside;
  ucontext_t outside;
#endif
  // State for the sanitizers.
  const void* outer_stack = nullptr;
  size_t outer_bytes = 0;
  void* fake_inside = nullptr;
  void* fake_outside = nullptr;
  void* tsan_inside = nullptr;
  void* tsan_outside = nullptr;
};

}  // namespace quern::base

// The switch: saves the callee-saved registers on the current stack, and restores those of the other one. A
// new stack is prepared as if it had been left just before quern_fiber_begin, with the fiber in a
// callee-saved register.
#if defined(__APPLE__)
#define QUERN_NAME(name) "_" name
#define QUERN_FUNCTION(name) ".p2align 4\n.private_extern _" name "\n.globl _" name "\n_" name ":\n"
#define QUERN_END(name) ""
#else
#define QUERN_NAME(name) name
#if defined(__aarch64__)
#define QUERN_TYPE ", %function\n"
#else
#define QUERN_TYPE ", @function\n"
#endif
#define QUERN_FUNCTION(name) \
  ".p2align 4\n.hidden " name "\n.globl " name "\n.type " name QUERN_TYPE name ":\n"
#define QUERN_END(name) ".size " name ", .-" name "\n"
#endif

#if defined(__aarch64__)
asm(".text\n" QUERN_FUNCTION("quern_fiber_switch") R"(
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
)" QUERN_END("quern_fiber_switch") R"(
)" QUERN_FUNCTION("quern_fiber_begin") R"(
  .cfi_startproc
  .cfi_undefined x30
  mov x0, x19
  bl )" QUERN_NAME("quern_fiber_run") R"(
  brk #0
  .cfi_endproc
)" QUERN_END("quern_fiber_begin"));
#elif defined(__x86_64__)
asm(".text\n" QUERN_FUNCTION("quern_fiber_switch") R"(
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
)" QUERN_END("quern_fiber_switch") R"(
)" QUERN_FUNCTION("quern_fiber_begin") R"(
  .cfi_startproc
  .cfi_undefined rip
  movq %r12, %rdi
  call )" QUERN_NAME("quern_fiber_run") R"(
  ud2
  .cfi_endproc
)" QUERN_END("quern_fiber_begin"));
#endif
#undef QUERN_NAME
#undef QUERN_TYPE
#undef QUERN_FUNCTION
#undef QUERN_END

extern "C" {
[[gnu::visibility("hidden")]] void quern_fiber_switch(void** from, void* to);
[[gnu::visibility("hidden")]] void quern_fiber_begin();
[[gnu::visibility("hidden"), gnu::used]] void quern_fiber_run(quern::base::Fiber* fiber);
}

namespace quern::base {

#if defined(__aarch64__) || defined(__x86_64__)

namespace {

// Prepares a stack as quern_fiber_switch leaves one.
void* new_stack(char* top, Fiber* fiber) {
#if defined(__aarch64__)
  constexpr size_t kWords = 20, kFiber = 0, kReturn = 11;
#else
  // Two words above are unused, so that quern_fiber_begin calls with a stack aligned to 16 bytes.
  constexpr size_t kWords = 9, kFiber = 3, kReturn = 6;
#endif
  auto* frame = reinterpret_cast<uint64_t*>(top) - kWords;
  for (size_t i = 0; i < kWords; ++i) frame[i] = 0;
  frame[kFiber] = reinterpret_cast<uint64_t>(fiber);
  frame[kReturn] = reinterpret_cast<uint64_t>(&quern_fiber_begin);
  return frame;
}

}  // namespace

void Fiber::start(Entry entry, void* argument) {
  state_->entry = entry;
  state_->argument = argument;
  state_->inside = new_stack(state_->stack + state_->bytes, this);
}

static void switch_to(Fiber::State& state, bool inwards) {
  if (inwards) {
    quern_fiber_switch(&state.outside, state.inside);
  } else {
    quern_fiber_switch(&state.inside, state.outside);
  }
}

#else

// makecontext passes ints: a pointer is passed as two.
static void begin_context(unsigned high, unsigned low) {
  quern_fiber_run(reinterpret_cast<Fiber*>((uint64_t{high} << 32) | low));
}

void Fiber::start(Entry entry, void* argument) {
  state_->entry = entry;
  state_->argument = argument;
  ::getcontext(&state_->inside);
  state_->inside.uc_stack.ss_sp = state_->stack + page_bytes();
  state_->inside.uc_stack.ss_size = state_->bytes - page_bytes();
  state_->inside.uc_link = nullptr;
  const auto self = reinterpret_cast<uint64_t>(this);
  ::makecontext(&state_->inside, reinterpret_cast<void (*)()>(&begin_context), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

static void switch_to(Fiber::State& state, bool inwards) {
  ::swapcontext(inwards ? &state.outside : &state.inside, inwards ? &state.inside : &state.outside);
}

#endif

std::unique_ptr<Fiber> Fiber::create() {
  const size_t bytes = kStackBytes + page_bytes();
  void* memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (::mprotect(memory, page_bytes(), PROT_NONE) !=
      0) {  // without a guard page an overflow would hit other memory
    (void)::munmap(memory, bytes);
    return nullptr;
  }
  std::unique_ptr<Fiber> fiber(new Fiber());
  fiber->state_->stack = static_cast<char*>(memory);
  fiber->state_->bytes = bytes;
  return fiber;
}

#if defined(QUERN_FIBER_TSAN)
// The sanitizer supports a limited number of threads, including fibers: beyond a limit it is not informed of
// further ones. If those change threads it loses track of their calls, so the limit is as high as possible.
static std::atomic<int> told_fibers{0};
#if defined(__x86_64__)
constexpr int kMostTold = 6000;
#else
constexpr int kMostTold = 128;
#endif
#endif

Fiber::Fiber() : state_(std::make_unique<State>()) {
#if defined(QUERN_FIBER_TSAN)
  if (told_fibers.fetch_add(1) < kMostTold) {
    state_->tsan_inside = __tsan_create_fiber(0);
  } else {
    told_fibers.fetch_sub(1);
  }
#endif
}

Fiber::~Fiber() {
#if defined(QUERN_FIBER_TSAN)
  if (state_->tsan_inside != nullptr) {
    __tsan_destroy_fiber(state_->tsan_inside);
    told_fibers.fetch_sub(1);
  }
#endif
  if (state_->stack != nullptr) ::munmap(state_->stack, state_->bytes);
}

void Fiber::run() {
#if defined(QUERN_FIBER_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, &state_->outer_stack, &state_->outer_bytes);
#endif
  state_->entry(state_->argument);
  suspend();  // never resumed
}

void Fiber::resume() { enter_switch(true); }
void Fiber::suspend() { enter_switch(false); }

void Fiber::enter_switch(bool inwards) {
#if defined(QUERN_FIBER_ASAN)
  if (inwards) {
    __sanitizer_start_switch_fiber(&state_->fake_outside, state_->stack, state_->bytes);
    switch_to(*state_, true);
    __sanitizer_finish_switch_fiber(state_->fake_outside, nullptr, nullptr);
  } else {
    __sanitizer_start_switch_fiber(&state_->fake_inside, state_->outer_stack, state_->outer_bytes);
    switch_to(*state_, false);
    __sanitizer_finish_switch_fiber(state_->fake_inside, &state_->outer_stack, &state_->outer_bytes);
  }
#else
#if defined(QUERN_FIBER_TSAN)
  if (state_->tsan_inside != nullptr) {
    if (inwards) state_->tsan_outside = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inwards ? state_->tsan_inside : state_->tsan_outside, 0);
  }
#endif
  switch_to(*state_, inwards);
#endif
}

}  // namespace quern::base

// The first function on a new stack.
void quern_fiber_run(quern::base::Fiber* fiber) { fiber->run(); }
