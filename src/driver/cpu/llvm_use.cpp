#include "driver/cpu/llvm_use.hpp"

#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "base/fork.hpp"
#include "driver/cpu/messages.hpp"

namespace quern::cpu {
namespace {

struct Uses {
  std::mutex mutex;
  std::condition_variable ended;
  int count = 0;
  uint64_t ended_uses = 0;
  bool is_exiting = false;
  uint32_t generation = base::fork_generation();  // threads of the parent do not exist after a fork
};

Uses& uses() {
  static Uses& leaked = *new Uses;  // threads may use it until the process has ended
  return leaked;
}

void wait_for_uses() {
  Uses& u = uses();
  if (u.generation != base::fork_generation()) return;
  std::unique_lock lock(u.mutex);
  u.is_exiting = true;
  u.ended.wait(lock, [&u] { return u.count == 0; });
}

}  // namespace

base::Result<LlvmUse> LlvmUse::begin() {
  QUERN_TRY_ASSIGN(const LlvmApi* api, llvm_api());
  Uses& u = uses();
  const std::lock_guard lock(u.mutex);
  if (u.is_exiting) return base::Error(base::ErrorKind::invalid_use, message::kExiting());
  ++u.count;
  return LlvmUse(*api);
}

LlvmUse::~LlvmUse() {
  if (api_ == nullptr) return;
  Uses& u = uses();
  const std::lock_guard lock(u.mutex);
  // Handlers run in reverse order, so this one runs before the destructors of all objects that LLVM has
  // created up to now. It creates some when it uses them for the first time: later uses register the handler
  // again, but not often.
  ++u.ended_uses;
  if (!u.is_exiting && (u.ended_uses & (u.ended_uses - 1)) == 0) (void)std::atexit(wait_for_uses);
  if (--u.count == 0) u.ended.notify_all();
}

}  // namespace quern::cpu
