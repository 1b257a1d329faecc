// The kernel of a group: its plan, its code, the engine that runs it, and the memory that it shares with the
// host.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quern/error.hpp"
#include "quern/extension.hpp"
#include "ring/actor_state.hpp"
#include "ring/engine.hpp"
#include "ring/words.hpp"

namespace quern::ring {

// Owns the actors' states, the compiled module, the engines and both shared blocks.
// No lock: everything is constant once compile() has returned, except for two cases. The engine in use is an
// atomic pointer, and earlier engines live as long as this object. replace() and become_driven() change the
// code and the plan; only the service thread calls them. All other functions may be called from any thread.
class ActorKernel {
 public:
  ActorKernel(const Options& options, std::span<const Member> members);

  // Creates the actors' states and an engine; nothing is launched. `group` is stored in the states.
  void compile(const Device& device, std::string_view source, Group* group);
  // Throws a better error than `error` if the source does not define actors properly.
  void explain_failure(const Error& error, std::string_view source) const;
  // Compiles a handler for the same types as the current one.
  Module compile_same(std::string_view source) const;
  // Exchanges the code while nothing runs.
  void replace(const Module& module, std::string_view source);
  // Continues on a device without persistent kernels, or for which this kernel was not planned.
  void become_driven();

  const Device& device() const { return device_; }
  const Options& options() const { return options_; }
  const Plan& plan() const { return plan_; }
  const Layout& layout() const { return layout_; }
  const std::vector<std::unique_ptr<ActorState>>& actors() const { return actors_; }
  std::vector<const Inbox*> inboxes() const;  // as KernelEngine::start() takes them
  bool have_all_ended() const;

  KernelEngine& engine() const { return *engine_.load(std::memory_order_acquire); }
  bool is_driven() const { return is_driven_.load(std::memory_order_relaxed); }
  bool has_idle_hook() const { return has_idle_hook_; }  // service thread
  // Whether a GPU answers while its kernel runs.
  bool is_over_bus() const { return is_on_card_ && !is_driven_; }

  std::uint64_t* to_device() const { return to_device_; }
  std::uint64_t* to_host() const { return to_host_; }
  // The line of the host's block with an actor's command, and its status in the device's block.
  std::uint64_t* control(const ActorState& actor) const {
    return to_device_ + std::size_t{actor.index} * kLine;
  }
  std::uint64_t* status(const ActorState& actor) const {
    return to_host_ + layout_.status_at + std::size_t{actor.index} * kStatusWords;
  }
  // Writes a command; the bit that makes the kernel leave stays unchanged.
  void put_command(const ActorState& actor, std::uint64_t command) const;
  // Head of its ring: earlier messages were handled. Space for more may become available later.
  std::uint64_t head(const ActorState& actor) const {
    return plan_.survives_device_loss ? look(status(actor) + kHead) : actor.inbox.head();
  }

 private:
  Module compile_text(std::string_view source) const;
  void check_residency(const Module& module) const;
  std::vector<Sizes> verify(const Module& module, Layout& layout) const;
  EngineParts parts(std::string_view source) const;
  void adopt(std::unique_ptr<KernelEngine> engine);

  Device device_;
  Options options_;
  Plan plan_;
  Layout layout_;
  std::string source_;
  std::vector<std::unique_ptr<ActorState>> actors_;
  std::vector<std::unique_ptr<KernelEngine>> engines_;  // the last one is in use
  std::atomic<KernelEngine*> engine_{nullptr};
  std::atomic<bool> is_driven_{false};
  bool is_on_card_ = false;  // of the device it was spawned on
  bool has_idle_hook_ = false;
  std::uint64_t* to_device_ = nullptr;
  std::uint64_t* to_host_ = nullptr;
};

}  // namespace quern::ring
