// The driven engine: the host launches the kernel for each batch of messages. The device has copies of both
// blocks: the host writes changes of one before a batch and reads the other after it. At most two batches are
// in flight, so that one is ready when the other ends.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

#include "quern/error.hpp"
#include "ring/engine.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

class Driven final : public KernelEngine {
 public:
  explicit Driven(EngineParts parts) : KernelEngine(std::move(parts)) {
    // With a watchdog, a batch must be short.
    if (parts_.plan.is_watched) parts_.options.batch = std::min(parts_.options.batch, kWatchedBatch);
    allocate_own();
    to_device_ = allocate_zeros(parts_.layout.to_device_words);
    to_host_ = allocate_zeros(parts_.layout.to_host_words);
    host_to_device_ = parts_.to_device;
    host_to_host_ = parts_.to_host;
    if (host_to_device_ == nullptr) {
      blocks_[0].resize(parts_.layout.to_device_words);
      blocks_[1].resize(parts_.layout.to_host_words);
      host_to_device_ = blocks_[0].data();
      host_to_host_ = blocks_[1].data();
    }
    for (Batch& b : batches_) {
      b.control.resize(parts_.layout.inbox_at);
      b.answers.resize(parts_.layout.to_host_words);
    }
    stream_ = parts_.device.create_stream();
  }

  ~Driven() override {
    if (!is_given_up_) finish();
  }

  std::uint64_t* to_device() override { return host_to_device_; }
  std::uint64_t* to_host() override { return host_to_host_; }

  void start(std::span<const Inbox* const> inboxes) override {
    finish();
    inboxes_.assign(inboxes.begin(), inboxes.end());
    const bool is_again = launches() != 0;
    if (is_again) take_what_faulted();
    // Copies the host's content, of another engine or repaired after a fault, to the device.
    if (is_again || !parts_.own.empty() || parts_.to_host != nullptr)
      to_host_.upload(std::span<const std::uint64_t>(host_to_host_, parts_.layout.to_host_words));
    // After a fault the device may be further than it reported, and others write to slots that it has read.
    std::vector<std::uint64_t> own(actors() * kOwnWords);
    read_own(0, own);
    had_ = std::exchange(given_, {});
    had_.resize(inboxes_.size());
    for (std::size_t i = 0; i < inboxes_.size(); ++i) {
      const std::uint64_t* const mine = &own[i % actors() * kOwnWords];
      given_.push_back(
          std::max(look(&host_to_host_[head_at(i)]), mine[i < actors() ? kHead : kOwnUrgentHead]));
    }
    last_control_.assign(parts_.layout.inbox_at, ~std::uint64_t{0});
    error_.clear();
    first_ = count_ = 0;
    wants_more_ = true;
    has_ended_ = false;
  }

  bool step() override {
    const std::lock_guard<std::mutex> lock(mutex_);  // another thread may kill
    if (has_ended_) return false;
    try {
      bool did = false;
      if (count_ < batches_.size() && has_work()) {
        submit(batches_[(first_ + count_) % batches_.size()]);
        ++count_;
        did = true;
      }
      if (count_ != 0 && batches_[first_].done.reached()) {
        Batch& batch = batches_[first_];
        batch.done.wait();  // throws if it failed
        take_answers(batch);
        first_ = (first_ + 1) % batches_.size();
        --count_;
        did = true;
      }
      return did;
    } catch (const Error& e) {
      error_ = e.message();
      has_ended_ = true;
      return true;
    }
  }

  bool is_quiet() const override { return has_ended_ || (count_ == 0 && !has_work()); }
  bool is_over() override { return has_ended_; }

  Burst burst() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (count_ == 0 || has_ended_) return {};
    const Batch& batch = batches_[first_];
    return {batch.number, batch.steps, !has_answers_};
  }

  std::string how_it_ended() override { return error_; }

  // Batches in flight after a failure fail too.
  void finish() override {
    try {
      stream_.synchronize();
    } catch (const Error&) {  // reported by how_it_ended()
    }
  }

  void give_up() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    struct Left {
      Stream stream;
      Buffer<std::uint64_t> own, to_device, to_host;
      EngineParts parts;
      std::array<Batch, 2> batches;
      std::array<std::vector<std::uint64_t>, 2> blocks;
    };
    new Left{std::move(stream_),  std::move(allocated_), std::move(to_device_), std::move(to_host_), parts_,
             std::move(batches_), std::move(blocks_)};
    is_given_up_ = has_ended_ = true;
  }

 private:
  struct Batch {
    std::vector<std::uint64_t> control, answers;
    Event done;
    std::uint64_t number = 0, steps = 0;
  };

  std::size_t actors() const { return parts_.plan.actors(); }
  std::size_t status_at(std::size_t actor) const { return parts_.layout.status_at + actor * kStatusWords; }
  // By the actor of the ring: the word in which the device reports its progress.
  std::size_t head_at(std::size_t ring) const {
    return ring < actors() ? status_at(ring) + kHead : status_at(ring - actors()) + kUrgentHeadOut;
  }
  std::size_t slots_at(std::size_t ring) const {
    const Layout& l = parts_.layout;
    return ring < actors() ? l.inbox_at + ring * parts_.plan.slots * l.slot_words
                           : l.urgent_at + (ring - actors()) * parts_.plan.urgent_slots * l.slot_words;
  }

  // Messages or commands that the device has not seen, or a timer that is due.
  bool has_work() const {
    if (wants_more_ && count_ == 0) return true;
    for (std::size_t i = 0; i < inboxes_.size(); ++i) {
      if (inboxes_[i]->tail() != given_[i] && inboxes_[i]->is_written(given_[i])) return true;
    }
    for (std::size_t a = 0; a < actors(); ++a) {
      const std::size_t line = a * kLine;
      if (look(&host_to_device_[line]) != last_control_[line]) return true;
      if (count_ == 0 && is_due(a)) return true;
    }
    return false;
  }

  bool is_due(std::size_t actor) const {
    if (parts_.plan.timers == 0) return false;
    const std::uint64_t* const status = &host_to_host_[status_at(actor)];
    const std::uint64_t due = status[kNextDue];
    return due != 0 && due <= look(&host_to_device_[actor * kLine + kControlTime]) && !rests(status);
  }

  static bool rests(const std::uint64_t* status) {
    const auto answer = static_cast<Answer>(status[kAnswer] & 255);
    return answer == Answer::kPaused || answer == Answer::kStopped || answer == Answer::kGone;
  }

  void submit(Batch& batch) {
    wants_more_ = false;
    for (std::size_t i = 0; i < batch.control.size(); ++i) batch.control[i] = look(&host_to_device_[i]);
    last_control_ = batch.control;
    // Other work of an actor: messages of peers, timers, on_start, on_idle and on_stop.
    batch.steps = actors() * kWatchedTurns * (std::uint64_t{kWatchedBatch} + parts_.plan.timers + 3);
    for (std::size_t i = 0; i < inboxes_.size(); ++i) batch.steps += give(i);
    batch.number = launches() + 1;
    stream_.upload(to_device_.slice(0, batch.control.size()), batch.control);
    launch(stream_, to_device_, to_host_, 0,
           parts_.plan.shape == Shape::grid ? parts_.options.blocks : parts_.workers);
    stream_.download(std::span<std::uint64_t>(batch.answers), to_host_);
    batch.done = stream_.record();
  }

  // The written messages that are not on the device yet, in at most two pieces.
  std::uint64_t give(std::size_t ring) {
    const Inbox& inbox = *inboxes_[ring];
    const std::uint64_t begin = given_[ring];
    std::uint64_t end = begin;
    // Messages of a launch that faulted may be there; they are handled as if they had been passed again.
    const std::uint64_t most = std::max(std::min(inbox.tail(), begin + parts_.options.batch), had_[ring]);
    while (end < most && inbox.is_written(end)) ++end;
    while (given_[ring] < end) {
      const std::uint64_t at = given_[ring] % inbox.capacity();
      const std::uint64_t count = std::min(end - given_[ring], inbox.capacity() - at);
      const std::size_t words = parts_.layout.slot_words;
      const std::size_t first = slots_at(ring) + at * words;
      stream_.upload(to_device_.slice(first, count * words),
                     std::span<const std::uint64_t>(inbox.slot(given_[ring]), count * words));
      given_[ring] += count;
    }
    return end - begin;
  }

  // Heads and answers last: a reader that sees them also sees the replies.
  void take_block(const std::vector<std::uint64_t>& answers) {
    const auto take = [&](std::size_t i) {
      if (look_relaxed(&host_to_host_[i]) != answers[i]) put(&host_to_host_[i], answers[i]);
    };
    for (std::size_t i = parts_.layout.replies_at; i < answers.size(); ++i) take(i);
    for (std::size_t i = parts_.layout.status_at; i < parts_.layout.replies_at; ++i) take(i);
  }

  // A batch that faulted may have handled messages before the fault; the host knows how many, and has skipped
  // the one that was being handled.
  void take_what_faulted() {
    std::vector<std::uint64_t>& answers = batches_[0].answers;
    to_host_.download(std::span<std::uint64_t>(answers));
    for (std::size_t i = 0; i < inboxes_.size(); ++i)
      answers[head_at(i)] = std::max(answers[head_at(i)], look(&host_to_host_[head_at(i)]));
    take_block(answers);
  }

  void take_answers(const Batch& batch) {
    const std::vector<std::uint64_t>& answers = batch.answers;
    has_answers_ = true;
    take_block(answers);
    for (std::size_t i = 0; i < inboxes_.size(); ++i) {
      const std::uint64_t* const status = &answers[status_at(i % actors())];
      if (!rests(status) && (answers[head_at(i)] != given_[i] || status[kPeerDepth] != 0)) wants_more_ = true;
    }
    // Commands are answered when there is nothing else to do, and a launch may end before that.
    for (std::size_t a = 0; a < actors(); ++a) {
      const std::uint64_t order = (batch.control[a * kLine] & ~kHold) >> 8;
      if (order != answers[status_at(a) + kAnswer] >> 8) wants_more_ = true;
    }
  }

  Buffer<std::uint64_t> to_device_, to_host_;
  std::uint64_t *host_to_device_ = nullptr, *host_to_host_ = nullptr;
  std::array<std::vector<std::uint64_t>, 2> blocks_;  // their memory, unless it belongs to another engine
  std::vector<std::uint64_t> last_control_;
  std::vector<const Inbox*> inboxes_;
  std::vector<std::uint64_t> given_,
      had_;  // by ring: messages that the device has; before it was restarted
  std::array<Batch, 2> batches_;
  std::size_t first_ = 0, count_ = 0;
  Stream stream_;
  std::string error_;
  bool wants_more_ = true;  // a batch left unfinished work
  bool has_answers_ = false;
  mutable std::mutex mutex_;  // guards a step, and abandoning
  std::atomic<bool> has_ended_{false};
  bool is_given_up_ = false;
};

}  // namespace

std::unique_ptr<KernelEngine> make_driven(EngineParts parts) {
  return std::make_unique<Driven>(std::move(parts));
}

}  // namespace quern::ring
