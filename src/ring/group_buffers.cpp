// The buffers of actors: their content in checkpoints and recovery points, and access by others on the device
// of a session.
#include <algorithm>

#include "ring/failure.hpp"
#include "ring/group.hpp"

namespace quern::ring {
namespace {

bool rests(const ActorState& actor) { return actor.phase == Phase::paused || actor.has_ended(); }

bool is_memory(const Argument& argument) {
  return argument.kind() == Argument::Kind::memory && argument.memory().memory != nullptr;
}

}  // namespace

void Group::acquire_buffers() {
  if (std::any_of(options_.buffers.begin(), options_.buffers.end(), is_memory))
    exclusive_access_ = extension::exclusive_access(device_, options_.buffers);
}

void Group::copy_buffers(bool to_host, std::vector<std::vector<std::byte>>& contents) {
  contents.resize(options_.buffers.size());
  const auto copy = [&] {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (!is_memory(options_.buffers[i])) continue;
      const quern::detail::Bytes& bytes = options_.buffers[i].memory();
      if (to_host) {
        contents[i].resize(bytes.size);
        quern::detail::download(contents[i].data(), bytes, bytes.size, 1);
      } else {
        quern::detail::upload(bytes, contents[i].data(), bytes.size, 1);
      }
    }
  };
  if (exclusive_access_ != nullptr) {
    exclusive_access_->keep(copy);
  } else {
    copy();
  }
}

void Group::check_buffers(const std::vector<std::vector<std::byte>>& contents,
                          const std::string& whose) const {
  const auto count = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " buffer" : " buffers"); };
  if (contents.size() != options_.buffers.size())
    fail(ErrorKind::invalid_use,
         whose + " has " + count(contents.size()) + ", and this actor has " +
             std::to_string(options_.buffers.size()),
         "spawn the actor with the same Options::buffers");
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const std::size_t size = is_memory(options_.buffers[i]) ? options_.buffers[i].memory().size : 0;
    if (contents[i].size() == size) continue;
    fail(ErrorKind::invalid_use, whose + " has " + std::to_string(contents[i].size()) + " bytes for buffer " +
                                     std::to_string(i) + ", which has " + std::to_string(size) + " here");
  }
}

bool Group::all_rest() const {
  return std::all_of(actors_.begin(), actors_.end(), [](const auto& a) { return rests(*a); });
}

// All actors rest: others may use their buffers. From here on, the session's log contains the buffers'
// content.
void Group::open_buffers() {
  if (!survives_device_loss_ || is_on_own_thread()) return;
  const std::lock_guard<std::mutex> lock(exclusive_access_mutex_);
  if (exclusive_access_ == nullptr || !all_rest() || is_open_) return;
  for (;;) {
    want_point();
    if (!survives_device_loss_) return;
    if (is_dead_) break;  // nothing uses them any more
    const std::uint64_t losses = losses_;
    copy_buffers(false, point_.buffers);
    if (losses == losses_ && !is_lost()) break;
  }
  is_open_ = true;
  exclusive_access_->open(true);
}

void Group::close_buffers(ActorState& actor) {
  const std::lock_guard<std::mutex> lock(exclusive_access_mutex_);
  if (is_open_) {
    // While they are open, the session's log has their content: a point without it must not be restored.
    if (exclusive_access_->take_touched()) want_point();
    exclusive_access_->open(false);
    is_open_ = false;
  }
  actor.phase = Phase::active;  // from now on it works
}

}  // namespace quern::ring
