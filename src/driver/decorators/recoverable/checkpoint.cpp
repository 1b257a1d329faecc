// Checkpoints: copies of modified buffers, so that only later work must be replayed.
#include "driver/decorators/recoverable/core.hpp"

namespace quern::recoverable {

using Clock = std::chrono::steady_clock;

namespace {

constexpr int kShare = 20;  // a checkpoint may take 1/20 of the time

}  // namespace

bool Core::is_due(bool is_waiting) {
  const std::lock_guard lock(mutex_);
  if (log_.calls().empty()) return false;
  if (log_.bytes() > options_.log_bytes || log_.calls().size() > 4 * options_.log_calls) return true;
  if (!is_waiting) return false;
  const auto age = Clock::now() - last_checkpoint_;
  if (age < kShare * checkpoint_cost_) return false;
  return age > options_.log_time || log_.calls().size() > options_.log_calls;
}

Result<> Core::checkpoint() {
  return attempt<std::unique_lock<std::shared_mutex>>([this](driver::Device&) { return checkpoint_here(); });
}

std::vector<std::shared_ptr<BufferState>> Core::written() {
  auto all = living(buffers_);
  std::erase_if(all,
                [](const auto& b) { return !b->is_written || !b->is_wanted || b->host_backed != nullptr; });
  return all;
}

Result<> Core::copy_here(const std::vector<std::shared_ptr<BufferState>>& buffers) {
  if (buffers.empty()) return {};
  QUERN_TRY_ASSIGN(driver::Stream* const stream, own_stream());
  for (const auto& b : buffers) {
    copies_.emplace_back(b->bytes);
    QUERN_TRY(device_->download(*stream, copies_.back().data(), b->place(0), b->bytes));
  }
  return device_->synchronize(*stream);
}

Result<> Core::checkpoint_here() {
  const auto start = Clock::now();
  QUERN_TRY(finish());
  const std::lock_guard lock(mutex_);
  const auto buffers = written();
  if (auto copied = copy_here(buffers); !copied.ok()) {
    if (is_loss(copied.error())) return copied;
    if (own_stream_ != nullptr) (void)device_->synchronize(*own_stream_);  // some copies may be in flight
    copies_.clear();
    return copied;
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    buffers[i]->shadow = std::move(copies_[i]);
    buffers[i]->is_written = false;
  }
  copies_.clear();
  log_.clear();
  last_checkpoint_ = Clock::now();
  checkpoint_cost_ = last_checkpoint_ - start;
  return {};
}

}  // namespace quern::recoverable
