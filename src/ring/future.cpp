#include "quern/ring/future.hpp"

#include "ring/failure.hpp"
#include "ring/group.hpp"
#include "ring/stamp.hpp"
#include "ring/words.hpp"

namespace quern::ring::detail {

Call& Call::operator=(Call&& other) noexcept {
  std::swap(actor_, other.actor_);
  std::swap(ticket_, other.ticket_);
  std::swap(stamp_, other.stamp_);
  return *this;
}

Call::~Call() {
  if (ticket_ == 0) return;
  actor_->group->mailbox().replies().abandon(ticket_, actor_->sizes.reply);
}

bool Call::ready() const { return ticket_ != 0 && actor_->group->mailbox().is_reply_over(*actor_, ticket_); }

bool Call::wait_for(std::chrono::nanoseconds limit) const {
  const Clock::time_point until = Clock::now() + limit;
  Patience patience;
  while (!ready()) {
    if (Clock::now() > until) return false;
    patience.wait();
  }
  return true;
}

void Call::take(void* reply, std::size_t bytes) {
  if (ticket_ == 0) fail(ErrorKind::invalid_use, message::kReplyTaken());
  Group& group = *actor_->group;
  Mailbox& mailbox = group.mailbox();
  if (group.lifecycle().waits_for_this_thread() && !ready())
    fail(ErrorKind::invalid_use, message::kReplyInCallback());
  Patience patience(group.kernel().is_over_bus());
  while (!mailbox.is_reply_over(*actor_, ticket_)) patience.wait();
  const std::uint32_t ticket = std::exchange(ticket_, 0);
  Replies& replies = mailbox.replies();
  if (!replies.has_come(ticket, actor_->sizes.reply)) {
    const bool was_dropped = replies.is_void(ticket);
    replies.give_back(ticket);
    if (was_dropped) fail(ErrorKind::kernel_fault, message::kMessageDropped());
    const std::lock_guard<std::mutex> lock(actor_->mutex);
    fail(actor_->error.empty() ? ErrorKind::invalid_use : ErrorKind::kernel_fault,
         message::kEndedBeforeReply(actor_->error.empty() ? "" : ": " + actor_->error));
  }
  const std::uint32_t code =
      replies.read(ticket, static_cast<std::byte*>(reply), static_cast<std::uint32_t>(bytes));
  stamp_ = replies.stamp(ticket);
  if (stamp_ != 0) merge_stamp(stamp_);
  replies.give_back(ticket);
  if (code == kExpiredCode) fail(ErrorKind::timeout, message::kDeadlineMissed());
  if (code != 0) fail(ErrorKind::bad_input, message::kHandlerRejected(std::to_string(code)));
}

void Call::resume_later(std::coroutine_handle<> handle) const {
  actor_->group->awaiters().add(*actor_, ticket_, handle);
}

}  // namespace quern::ring::detail
