#include "ring/handler_replacer.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ring/failure.hpp"
#include "ring/words.hpp"

namespace quern::ring {

void HandlerReplacer::stop_kernel() {
  for (const auto& actor : kernel_.actors()) {
    if (!actor->has_ended()) (void)lifecycle_.order(*actor, Command::kLeave, Lifecycle::kNoLimit);
  }
  Patience patience;
  const auto ends = [](const auto& actor) { return actor->enders != 0; };
  while (!kernel_.plan().is_driven && !termination_.is_dead() && !kernel_.engine().is_over()) {
    if (std::any_of(kernel_.actors().begin(), kernel_.actors().end(), ends))
      fail(ErrorKind::invalid_use, message::kReplaceWhileStopping());
    patience.wait();
  }
  if (termination_.is_dead()) fail(ErrorKind::kernel_fault, message::kReplaceAfterFault());
}

// With the previous commands of the actors.
void HandlerReplacer::start_kernel() {
  for (const auto& actor : kernel_.actors()) {
    if (actor->has_ended()) continue;
    const Command command = actor->phase == Phase::paused ? Command::kPause : Command::kRun;
    kernel_.put_command(*actor, ++actor->epoch << 8 | static_cast<std::uint64_t>(command));
  }
  try {
    control_.launch();
  } catch (const Error& e) {
    termination_.fail_all(e.message());
    throw;
  }
}

void HandlerReplacer::replace(std::string_view source) {
  if (thread_.is_current()) fail(ErrorKind::invalid_use, message::kReplaceInCallback());
  if (kernel_.plan().survives_device_loss) fail(ErrorKind::unsupported, message::kReplaceRecoverable());
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::unique_lock<std::mutex>> locks;
  bool is_over = true;
  for (const auto& actor : kernel_.actors()) {
    locks.emplace_back(actor->order_mutex);
    is_over = is_over && actor->has_ended();
  }
  if (is_over) fail(ErrorKind::invalid_use, message::kReplaceAfterEnd());
  // Some drivers cannot load code while a kernel runs.
  const bool leaves_first = !kernel_.plan().is_driven && kernel_.device().info().kind != DeviceKind::cpu;
  Module module;
  if (!leaves_first) module = kernel_.compile_same(source);
  stop_kernel();
  if (leaves_first) {
    try {
      module = kernel_.compile_same(source);
    } catch (...) {
      thread_.run([&] { start_kernel(); });
      throw;
    }
  }
  thread_.run([&] {
    try {
      kernel_.engine().finish();  // the next batch may be in flight
      kernel_.replace(module, source);
    } catch (...) {
      start_kernel();  // the old one
      throw;
    }
    start_kernel();
  });
}

}  // namespace quern::ring
