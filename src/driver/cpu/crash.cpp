#include "driver/cpu/crash.hpp"

#include <array>
#include <csignal>
#include <memory>

#include <ucontext.h>

#include "driver/cpu/task.hpp"

namespace quern::cpu {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
constexpr size_t kHandlerStack = size_t{64} << 10;

thread_local Guard* current = nullptr;

struct sigaction& before(int signal) {
  static std::array<struct sigaction, kSignals.size()> all{};
  size_t k = 0;
  while (k + 1 < kSignals.size() && kSignals[k] != signal) ++k;
  return all[k];
}

uint64_t code_address(const void* context) {
  const mcontext_t& m = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__aarch64__)
  return m.pc;
#else
  return static_cast<uint64_t>(m.gregs[REG_RIP]);
#endif
}

// Calls the previous handler; without one, the process ends as it would have.
void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& old = before(signal);
  if ((old.sa_flags & SA_SIGINFO) != 0) return old.sa_sigaction(signal, info, context);
  if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) return old.sa_handler(signal);
  (void)::sigaction(signal, &old, nullptr);  // the fault is raised again
}

void handle(int signal, siginfo_t* info, void* context) {
  Guard* const guard = current;
  if (guard == nullptr || guard->signal != 0) return pass_on(signal, info, context);
  guard->signal = signal;
  guard->address = reinterpret_cast<uint64_t>(info->si_addr);
  if (guard->task->has_code(code_address(context))) siglongjmp(guard->back, 1);
  guard->task->write_crash(*guard);
  pass_on(signal, info, context);
}

void install() {
  static const bool kDone = [] {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // left by siglongjmp
    for (const int signal : kSignals) (void)::sigaction(signal, &action, &before(signal));
    return true;
  }();
  (void)kDone;
}

// A signal stack: the thread's own stack may be exhausted.
class HandlerStack {
 public:
  HandlerStack() : bytes_(std::make_unique<char[]>(kHandlerStack)) {
    stack_t own{};
    own.ss_sp = bytes_.get();
    own.ss_size = kHandlerStack;
    stack_t old{};
    has_own_ = ::sigaltstack(nullptr, &old) == 0 && (old.ss_flags & SS_DISABLE) != 0 &&
               ::sigaltstack(&own, nullptr) == 0;
  }
  ~HandlerStack() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    if (has_own_) (void)::sigaltstack(&none, nullptr);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  std::unique_ptr<char[]> bytes_;
  bool has_own_ = false;
};

}  // namespace

__attribute__((noinline)) void enter_guard(Guard* guard) {
  if (guard != nullptr) {
    install();
    thread_local HandlerStack stack;
  }
  current = guard;
}

void run_guarded(Task& task, quern::llvm::BlockContext& context, Guard** kept) {
  if (!task.is_guarded) return task.function(&context);
  Guard guard;
  guard.task = &task;
  guard.context = &context;
  if (kept != nullptr) *kept = &guard;
  enter_guard(&guard);
  if (sigsetjmp(guard.back, 0) == 0) {
    task.function(&context);
  } else {
    guard.task->crashed(guard);
  }
  if (kept != nullptr) *kept = nullptr;
  enter_guard(nullptr);
}

}  // namespace quern::cpu
