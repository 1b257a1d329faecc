#include "quern/ring/actor.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "quern/ring.hpp"
#include "ring/failure.hpp"
#include "ring/group.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

ActorState& require(const std::shared_ptr<ActorState>& state) {
  if (state == nullptr) fail(ErrorKind::invalid_use, message::kEmptyActor());
  return *state;
}

ActorState& for_messages(const std::shared_ptr<ActorState>& state, std::span<const std::byte> messages) {
  ActorState& actor = require(state);
  const std::size_t each = actor.sizes.message;
  if (messages.size() % each != 0 || messages.empty())
    fail(ErrorKind::invalid_use,
         message::kMessageSize(std::to_string(messages.size()), std::to_string(each)));
  return actor;
}

}  // namespace

const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::created: return "created";
    case Phase::launched: return "launched";
    case Phase::active: return "active";
    case Phase::paused: return "paused";
    case Phase::draining: return "draining";
    case Phase::terminated: return "terminated";
    case Phase::failed: return "failed";
  }
  return "";
}

const char* to_string(Engine engine) {
  switch (engine) {
    case Engine::automatic: return "automatic";
    case Engine::persistent: return "persistent";
    case Engine::driven: return "driven";
  }
  return "";
}

const Sizes& Actor::sizes() const { return require(state_).sizes; }
std::uint32_t Actor::index() const { return require(state_).index; }
Engine Actor::engine() const {
  return require(state_).group->kernel().is_driven() ? Engine::driven : Engine::persistent;
}

Phase Actor::phase() const {
  const ActorState& actor = require(state_);
  const Phase phase = actor.phase;
  // The device has answered the first command, and nobody has checked yet.
  if (phase == Phase::launched && (look(actor.group->kernel().status(actor) + kAnswer) >> 8) != 0)
    return Phase::active;
  return phase;
}

std::string Actor::error() const {
  ActorState& actor = require(state_);
  const std::lock_guard<std::mutex> lock(actor.mutex);
  return actor.error;
}

Telemetry Actor::telemetry() const {
  ActorState& actor = require(state_);
  Telemetry t = actor.group->telemetry(actor);
  t.phase = phase();
  const std::lock_guard<std::mutex> lock(actor.mutex);
  t.overflow = actor.overflow.size();
  return t;
}

void Actor::send(std::span<const std::byte> message, const Delivery& delivery) const {
  ActorState& actor = for_messages(state_, message);
  Mailbox& mailbox = actor.group->mailbox();
  mailbox.send(actor, message, mailbox.prepare(delivery));
}

bool Actor::try_send(std::span<const std::byte> message, const Delivery& delivery) const {
  ActorState& actor = for_messages(state_, message);
  Mailbox& mailbox = actor.group->mailbox();
  return mailbox.try_send(actor, message, mailbox.prepare(delivery));
}

detail::Call Actor::call(std::span<const std::byte> message, const Delivery& delivery) const {
  ActorState& actor = for_messages(state_, message);
  if (message.size() != actor.sizes.message)
    fail(ErrorKind::invalid_use, message::kOneMessage(std::to_string(message.size() / actor.sizes.message)));
  Mailbox& mailbox = actor.group->mailbox();
  Sending how = mailbox.prepare(delivery);
  const std::uint32_t ticket = how.ticket = mailbox.take_ticket(actor);
  try {
    mailbox.send(actor, message, how);
  } catch (...) {
    mailbox.replies().give_back(ticket);
    throw;
  }
  return {state_, ticket};
}

Timer Actor::send_after(std::chrono::nanoseconds delay, std::span<const std::byte> message) const {
  ActorState& actor = for_messages(state_, message);
  return Timer(actor.group->timers().set(actor, delay, {}, message));
}

Timer Actor::send_every(std::chrono::nanoseconds period, std::span<const std::byte> message) const {
  ActorState& actor = for_messages(state_, message);
  if (period.count() <= 0) fail(ErrorKind::invalid_use, message::kZeroPeriod());
  return Timer(actor.group->timers().set(actor, period, period, message));
}

void Actor::subscribe(std::function<void(std::span<const std::byte>)> function) const {
  subscribe_stamped(
      [function = std::move(function)](std::span<const std::byte> event, std::uint64_t) { function(event); });
}

void Actor::subscribe_stamped(std::function<void(std::span<const std::byte>, std::uint64_t)> function) const {
  ActorState& actor = require(state_);
  const std::lock_guard<std::mutex> lock(actor.mutex);
  actor.subscribers.push_back(std::move(function));
}

void Actor::pause() const { require(state_).group->lifecycle().pause(*state_); }
void Actor::resume() const { require(state_).group->lifecycle().resume(*state_); }
void Actor::drain() const { require(state_).group->lifecycle().drain(*state_); }
bool Actor::stop(std::chrono::nanoseconds limit) const {
  return require(state_).group->lifecycle().stop(*state_, limit);
}
void Actor::kill() const { require(state_).group->lifecycle().kill(*state_); }

void Actor::replace(std::string_view source) const { require(state_).group->replacer().replace(source); }

std::vector<std::byte> Actor::state() const {
  ActorState& actor = require(state_);
  const ActorKernel& kernel = actor.group->kernel();
  const Layout& layout = kernel.layout();
  std::vector<std::uint64_t> words((actor.sizes.state + 7) / 8);
  actor.group->lifecycle().at_rest(actor, [&] {
    kernel.engine().read_own(layout.states_at + std::uint64_t{actor.index} * layout.state_words, words);
  });
  std::vector<std::byte> out(actor.sizes.state);
  std::memcpy(out.data(), words.data(), out.size());
  return out;
}

std::vector<Actor> spawn(const Device& device, std::string_view source, const Options& common,
                         std::span<const Member> members) {
  const std::shared_ptr<Group> group = Group::create(device, source, common, members);
  std::vector<Actor> actors;
  for (const auto& actor : group->kernel().actors())
    actors.push_back(ActorState::make(std::shared_ptr<ActorState>(group, actor.get())));
  return actors;
}

Actor spawn(const Device& device, std::string_view source, const Options& options) {
  const Member member{options.kind, options.state};
  return spawn(device, source, options, std::span<const Member>(&member, 1)).front();
}

namespace {

std::string read_source(const std::string& path) {
  const auto refuse = [&](int code) {
    fail(code == ENOENT ? ErrorKind::not_found : ErrorKind::io,
         message::kSourceFile(path, std::generic_category().message(code)));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse(EISDIR);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(errno != 0 ? errno : EIO);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Actor spawn_file(const Device& device, const std::string& path, const Options& options) {
  return spawn(device, read_source(path), options);
}

std::vector<Actor> spawn_file(const Device& device, const std::string& path, const Options& common,
                              std::span<const Member> members) {
  return spawn(device, read_source(path), common, members);
}

namespace detail {

void check_sizes(const Actor& actor, const Sizes& own) {
  const Sizes& device = actor.sizes();
  const auto check = [](const char* what, std::uint32_t here, std::uint32_t there) {
    if (here == there) return;
    fail(ErrorKind::invalid_use, message::kTypeSize(what, std::to_string(there), std::to_string(here)));
  };
  check("State", own.state, device.state);
  check("Message", own.message, device.message);
  check("Reply", own.reply, device.reply);
}

}  // namespace detail

}  // namespace quern::ring
