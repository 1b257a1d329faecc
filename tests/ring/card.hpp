// The text of persistent kernels on GPUs, run by the simulator: rings are filled and commands given before it
// starts.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "ring/inbox.hpp"
#include "ring/layout.hpp"
#include "ring/support.hpp"
#include "ring/text.hpp"

namespace quern::ring {

// The blocks of a GPU, with small rings.
inline Plan card_plan(std::uint32_t actors, std::uint32_t workers, Shape shape, std::uint32_t threads) {
  Plan plan;
  plan.kinds = {""};
  plan.kind_of.assign(actors, 0);
  plan.shape = shape;
  plan.workers = workers;
  plan.threads = threads;
  plan.slots = plan.replies = 64;
  plan.events = plan.peer_slots = 16;
  plan.stage_bytes = 4096;
  plan.is_over_bus = true;
  plan.spins = 4;
  plan.longest_sleep = 1024;
  return plan;
}

class Card {
 public:
  Card(Plan plan, const char* source, const Sizes& sizes)
      : plan_(std::move(plan)),
        layout_(make_layout(plan_, sizes)),
        module_(device_.compile(make_text(plan_, source, "actor.cu"))),
        in_(layout_.to_device_words, 0),
        out_(layout_.to_host_words, 0),
        own_(layout_.own_words, 0),
        inboxes_(plan_.actors()),
        urgent_(plan_.urgent_slots == 0 ? 0 : plan_.actors()),
        handled_(plan_.actors(), 0),
        handled_urgent_(plan_.actors(), 0) {
    for (std::uint32_t a = 0; a < plan_.actors(); ++a) {
      start_inbox(inboxes_[a], plan_, layout_, in_.data(), a, &handled_[a],
                  sizes.message - layout_.header_bytes);
      order(a, Command::kRun);
      if (urgent_.empty()) continue;
      urgent_[a].start(
          in_.data() + layout_.urgent_at + std::size_t{a} * plan_.urgent_slots * layout_.slot_words,
          &handled_urgent_[a], plan_.urgent_slots, layout_, sizes.message - layout_.header_bytes);
    }
  }

  const Layout& layout() const { return layout_; }
  void order(std::uint32_t actor, Command command) {
    in_[std::size_t{actor} * kLine] = ++epoch_ << 8 | static_cast<std::uint64_t>(command);
  }
  void tell(std::uint32_t actor, std::uint32_t word, std::uint64_t value) {
    in_[std::size_t{actor} * kLine + word] = value;
  }
  template <class M>
  bool send(std::uint32_t actor, const M& message, std::uint32_t ticket = 0, const Header& header = {}) {
    return write(inboxes_[actor], message, ticket, header);
  }
  template <class M>
  bool send_urgent(std::uint32_t actor, const M& message, std::uint32_t ticket = 0) {
    return write(urgent_[actor], message, ticket, {});
  }

  // One complete launch.
  void run() {
    auto to_device = device_.upload(in_), to_host = device_.upload(out_), own = device_.upload(own_);
    const Argument none(nullptr);
    const std::vector<Argument> arguments{to_device, to_host, own, none,          none,
                                          none,      none,    0u,  plan_.workers, 1024u};
    const std::uint32_t blocks = plan_.shape == Shape::grid ? plan_.blocks : plan_.workers;
    device_.stream().launch_list(module_.kernel(kRunKernel),
                                 grid(blocks, plan_.threads).shared(layout_.flow_bytes), arguments);
    out_ = to_host.download();
    own_ = own.download();
    for (std::uint32_t a = 0; a < plan_.actors(); ++a) {
      handled_[a] = status(a, kHead);
      handled_urgent_[a] = status(a, kUrgentHeadOut);
    }
  }

  std::uint64_t status(std::uint32_t actor, std::uint32_t word) const {
    return out_[layout_.status_at + std::size_t{actor} * kStatusWords + word];
  }
  std::uint64_t own(std::uint32_t actor, std::uint32_t word) const {
    return own_[std::size_t{actor} * kOwnWords + word];
  }
  // Words that workers use to agree on leaving.
  std::span<const std::uint64_t> agreed() const { return std::span(own_).last(kLine); }
  template <class S>
  S state(std::uint32_t actor) const {
    S state{};
    std::memcpy(&state, own_.data() + layout_.states_at + std::size_t{actor} * layout_.state_words,
                sizeof state);
    return state;
  }
  const std::uint64_t* reply(std::uint32_t ticket) const {
    return out_.data() + layout_.replies_at + std::size_t{ticket} * layout_.reply_words;
  }
  std::uint64_t marked_expired(std::uint32_t slot) const { return out_[layout_.expired_at + slot]; }

 private:
  template <class M>
  static bool write(Inbox& inbox, const M& message, std::uint32_t ticket, const Header& header) {
    std::uint64_t at = 0;
    if (!inbox.take(1, at)) return false;
    inbox.write_all(at, 1, ticket, std::as_bytes(std::span<const M, 1>(&message, 1)).data(), header);
    return true;
  }

  Device device_ = open("sim");
  Plan plan_;
  Layout layout_;
  Module module_;
  std::vector<std::uint64_t> in_, out_, own_;
  std::vector<Inbox> inboxes_, urgent_;
  std::vector<std::uint64_t> handled_, handled_urgent_;
  std::uint64_t epoch_ = 0;
};

}  // namespace quern::ring
