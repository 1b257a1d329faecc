// Replaces the handler of running actors: their kernel leaves between two messages, and one with the new text
// is launched. Rings and states stay in place; new messages wait in the rings.
#include <algorithm>
#include <future>

#include "ring/failure.hpp"
#include "ring/group.hpp"
#include "ring/words.hpp"

namespace quern::ring {

bool Group::run_job() {
  if (!has_jobs_.load(std::memory_order_acquire)) return false;
  std::vector<std::function<void()>> jobs;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    jobs.swap(jobs_);
    has_jobs_ = false;
  }
  for (const auto& job : jobs) job();
  return true;
}

void Group::on_own_thread(const std::function<void()>& work) {
  std::promise<void> done;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    jobs_.emplace_back([&] {
      try {
        work();
        done.set_value();
      } catch (...) {
        done.set_exception(std::current_exception());
      }
    });
    has_jobs_ = true;
  }
  wake();
  done.get_future().get();
}

Module Group::compile_same(std::string_view source) const {
  Module module;
  Layout other;
  std::vector<Sizes> sizes;
  try {
    module = compile_text(source);
    sizes = verify(module, other);
    (void)module.kernel(kRunKernel);  // errors of the new handler are reported here, while the old one runs
  } catch (const Error& error) {
    explain_failure(error, source);
    throw;
  }
  const auto check = [&](std::size_t actor, const char* what, std::uint32_t is, std::uint32_t was) {
    if (is == was) return;
    const std::string& kind = plan_.kinds[plan_.kind_of[actor]];
    fail(ErrorKind::invalid_use, "replace failed: the new handler's " + (kind.empty() ? "" : kind + "::") +
                                     what + " has " + std::to_string(is) + " bytes; the actor's has " +
                                     std::to_string(was));
  };
  for (std::size_t a = 0; a < actors_.size(); ++a) {
    const Sizes& is = sizes[plan_.kind_of[a]];
    const Sizes& was = actors_[a]->sizes;
    check(a, "State", is.state, was.state);
    check(a, "Message", is.message, was.message);
    check(a, "Reply", is.reply, was.reply);
  }
  return module;
}

void Group::stop_kernel() {
  for (const auto& actor : actors_) {
    if (!actor->has_ended()) (void)order(*actor, Command::kLeave, std::chrono::hours(24 * 365));
  }
  Patience patience;
  const auto ends = [](const auto& actor) { return actor->enders != 0; };
  while (!plan_.is_driven && !is_dead_ && !engine().is_over()) {
    if (std::any_of(actors_.begin(), actors_.end(), ends))
      fail(ErrorKind::invalid_use, "replace failed: another thread is stopping the actors");
    patience.wait();
  }
  if (is_dead_) fail(ErrorKind::kernel_fault, "replace failed: the kernel has ended");
}

// With the previous commands of the actors.
void Group::start_kernel() {
  for (const auto& actor : actors_) {
    if (actor->has_ended()) continue;
    const Command command = actor->phase == Phase::paused ? Command::kPause : Command::kRun;
    put_command(*actor, ++actor->epoch << 8 | static_cast<std::uint64_t>(command));
  }
  try {
    is_idle_ = false;
    allow();
    write_time();
    engine().start(inboxes());
  } catch (const Error& e) {
    is_dead_ = true;
    fail_all(e.message());
    throw;
  }
}

void Group::replace(std::string_view source) {
  if (is_on_own_thread())
    fail(ErrorKind::invalid_use, "deadlock: a callback replaces the handler of its own actors");
  if (plan_.survives_device_loss)
    fail(ErrorKind::unsupported,
         "replace failed: the handler of recoverable persistent actors cannot be replaced, because messages "
         "may be handled again",
         "use Engine::driven");
  const std::lock_guard<std::mutex> lock(replace_mutex_);
  std::vector<std::unique_lock<std::mutex>> locks;
  bool is_over = true;
  for (const auto& actor : actors_) {
    locks.emplace_back(actor->order_mutex);
    is_over = is_over && actor->has_ended();
  }
  if (is_over) fail(ErrorKind::invalid_use, "replace failed: the actors have ended");
  // Some drivers cannot load code while a kernel runs.
  const bool leaves_first = !plan_.is_driven && device_.info().kind != DeviceKind::cpu;
  Module module;
  if (!leaves_first) module = compile_same(source);
  stop_kernel();
  if (leaves_first) {
    try {
      module = compile_same(source);
    } catch (...) {
      on_own_thread([&] { start_kernel(); });
      throw;
    }
  }
  on_own_thread([&] {
    try {
      engine().finish();  // the next batch may be in flight
      engine().replace(module);
    } catch (...) {
      start_kernel();  // the old one
      throw;
    }
    has_idle_ = has_idle_hook(source);
    start_kernel();
  });
}

}  // namespace quern::ring
