#include "ring/actor_kernel.hpp"

#include <algorithm>
#include <utility>

#include "ring/failure.hpp"
#include "ring/misfit.hpp"
#include "ring/spawn_plan.hpp"

namespace quern::ring {
namespace {

constexpr std::uint32_t kMostMessage = 4096, kMostProcessorBlocks = 1024;

}  // namespace

ActorKernel::ActorKernel(const Options& options, std::span<const Member> members)
    : options_(options), plan_(plan_members(options, members)) {}

EngineParts ActorKernel::parts(std::string_view source) const {
  EngineParts parts;
  parts.device = device_;
  parts.plan = plan_;
  parts.options = options_;
  parts.module = compile_text(source);
  parts.workers = plan_.workers;
  return parts;
}

void ActorKernel::compile(const Device& device, std::string_view source, Group* group) {
  device_ = device;
  source_ = source;
  has_idle_hook_ = ring::has_idle_hook(source);
  plan_for_device(plan_, options_, device);
  is_on_card_ = device.info().kind != DeviceKind::cpu;
  if (plan_.survives_device_loss) check_recoverable(options_, has_idle_hook_);
  EngineParts parts = this->parts(source);
  if (plan_.kinds.size() > 16) fail(ErrorKind::invalid_use, message::kTooManyKinds());
  check_residency(parts.module);
  const std::vector<Sizes> sizes = verify(parts.module, layout_);
  if (layout_.message_bytes > kMostMessage)
    fail(ErrorKind::invalid_use,
         message::kLargeMessage(std::to_string(layout_.message_bytes - layout_.header_bytes),
                                std::to_string(kMostMessage)));
  parts.layout = layout_;
  for (std::uint32_t a = 0; a < plan_.actors(); ++a) {
    auto actor = std::make_unique<ActorState>();
    actor->group = group;
    actor->index = a;
    actor->sizes = sizes[plan_.kind_of[a]];
    actors_.push_back(std::move(actor));
  }
  adopt(plan_.is_driven ? make_driven(std::move(parts)) : make_persistent(std::move(parts)));
  to_device_ = engine().to_device();
  to_host_ = engine().to_host();
}

Module ActorKernel::compile_text(std::string_view source) const {
  return device_.compile(make_text(plan_, source, options_.module.name), options_.module);
}

// If a source lacks a part of an actor or does not match, this error is reported instead of the diagnostics
// of our surrounding text.
void ActorKernel::explain_failure(const Error& error, std::string_view source) const {
  if (error.kind() != ErrorKind::compile) return;
  const std::string lack = lack_of(plan_, source, options_.module.name);
  if (!lack.empty()) fail(ErrorKind::compile, lack, kActorHint);
  const std::string misfit = misfit_of(error.message());
  if (misfit.empty()) return;
  fail(ErrorKind::compile, message::kInvalidActor(options_.module.name, misfit, kHandlerHint));
}

Module ActorKernel::compile_same(std::string_view source) const {
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
    fail(ErrorKind::invalid_use, message::kReplaceSize(kind.empty() ? "" : kind + "::", what,
                                                       std::to_string(is), std::to_string(was)));
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

void ActorKernel::replace(const Module& module, std::string_view source) {
  engine().replace(module);
  has_idle_hook_ = ring::has_idle_hook(source);
}

void ActorKernel::become_driven() {
  plan_as_driven(plan_, options_, device_.info());
  EngineParts parts = this->parts(source_);
  parts.layout = layout_;
  parts.to_device = to_device_;
  parts.to_host = to_host_;
  Layout there;
  (void)verify(parts.module, there);
  adopt(make_driven(std::move(parts)));
}

// Blocks that wait for each other must all be resident at the same time.
void ActorKernel::check_residency(const Module& module) const {
  if (plan_.shape != Shape::grid || plan_.blocks == 1) return;
  const DeviceInfo& info = device_.info();
  const std::uint64_t each = module.kernel(kRunKernel).occupancy(plan_.threads).max_blocks_per_unit;
  // A CPU runs them in turn; each needs stacks for its threads.
  const std::uint64_t most = info.kind == DeviceKind::cpu ? kMostProcessorBlocks : each * info.compute_units;
  if (most == 0 || plan_.blocks <= most) return;
  fail(ErrorKind::invalid_use,
       message::kTooManyBlocks(std::to_string(plan_.blocks), std::to_string(plan_.threads), info.name,
                               std::to_string(most)));
}

std::vector<Sizes> ActorKernel::verify(const Module& module, Layout& layout) const {
  Buffer<std::uint64_t> report = device_.allocate<std::uint64_t>(kReportWords);
  report.fill(0);
  device_.launch(module.kernel(kReportKernel), quern::grid(1, 1), report);
  return verify_layout(plan_, report.download(), layout);
}

void ActorKernel::adopt(std::unique_ptr<KernelEngine> engine) {
  engines_.push_back(std::move(engine));
  engine_.store(engines_.back().get(), std::memory_order_release);
  is_driven_ = plan_.is_driven;
}

std::vector<const Inbox*> ActorKernel::inboxes() const {
  std::vector<const Inbox*> all;
  for (const auto& actor : actors_) all.push_back(&actor->inbox);
  if (plan_.urgent_slots == 0) return all;
  for (const auto& actor : actors_) all.push_back(&actor->urgent);
  return all;
}

bool ActorKernel::have_all_ended() const {
  return std::all_of(actors_.begin(), actors_.end(), [](const auto& a) { return a->has_ended(); });
}

void ActorKernel::put_command(const ActorState& actor, std::uint64_t command) const {
  const std::atomic_ref<std::uint64_t> word(*control(actor));
  std::uint64_t now = word.load();
  while (!word.compare_exchange_weak(now, (now & kHold) | command)) {
  }
}

}  // namespace quern::ring
