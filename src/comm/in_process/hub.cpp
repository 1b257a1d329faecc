#include "comm/in_process/hub.hpp"

#include <algorithm>

#include "comm/failure.hpp"

namespace quern::comm::in_process_ranks {

namespace {

std::string rank_text(int rank) { return std::to_string(rank); }

bool is_same_call(const Operation& a, const Operation& b) {
  const detail::Call &x = a.call, &y = b.call;
  if (x.kind != y.kind) return false;
  if (x.kind == detail::Kind::barrier) return true;
  const bool has_same_root = !has_root(x.kind) || x.peer == y.peer;
  const bool has_same_function = !is_combining(x.kind) || (x.combine == y.combine && x.element == y.element);
  return a.count == b.count && x.element_bytes == y.element_bytes && has_same_root && has_same_function;
}

}  // namespace

void Hub::check(const Operation& operation) const {
  if (failed_ < 0) return;
  const char* const name = name_of(operation.kind());
  if (!reason_) fail(ErrorKind::io, message::kLeft(name, rank_text(failed_)));
  fail(ErrorKind::io, message::kRankFailed(name, rank_text(failed_), *reason_));
}

template <typename Condition>
void Hub::wait(std::unique_lock<std::mutex>& lock, const Operation& operation, const Deadline& deadline,
               const Condition& condition, const std::string& missing) {
  changed_.wait_until(lock, deadline.end(), [&] { return condition() || failed_ >= 0; });
  if (condition()) return;
  check(operation);
  fail(ErrorKind::timeout,
       message::kTimeout(name_of(operation.kind()), missing.empty() ? missing_ranks() : missing,
                         deadline.seconds()));
}

std::string Hub::missing_ranks() const {
  std::string out;
  for (int rank = 0; rank < size(); ++rank) {
    if (!at(rank).is_here) out += (out.empty() ? "rank " : ", rank ") + rank_text(rank);
  }
  return out;
}

void Hub::compare() {
  const Operation& first = operation_of(0);
  for (int rank = 1; rank < size(); ++rank) {
    const Operation& other = operation_of(rank);
    if (is_same_call(first, other)) continue;
    difference_ = make_error(ErrorKind::invalid_use,
                             message::kDifferentCalls(name_of(first.kind()), "0", description_of(first),
                                                      rank_text(rank), description_of(other)));
    return;
  }
}

void Hub::wait_for_all(std::unique_lock<std::mutex>& lock, int rank, const Deadline& deadline,
                       bool compares) {
  const Operation& operation = operation_of(rank);
  check(operation);
  at(rank).is_here = true;
  if (++count_ == arrivals_.size()) {
    difference_.reset();
    if (compares) compare();
    count_ = 0;
    for (Arrival& arrival : arrivals_) arrival.is_here = false;
    ++generation_;
    changed_.notify_all();
  } else {
    wait(
        lock, operation, deadline, [this, before = generation_] { return generation_ != before; }, "");
  }
  if (difference_) throw AgreedError{*difference_};
}

void Hub::arrive(int rank, const Operation& operation, const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  at(rank).operation = operation;
  wait_for_all(lock, rank, deadline, true);
}

void Hub::sync(int rank, const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  wait_for_all(lock, rank, deadline, false);
}

void Hub::end(const Deadline& deadline) noexcept {
  std::unique_lock lock(mutex_);
  const std::uint64_t before = endings_;
  if (++ended_ == arrivals_.size()) {
    ended_ = 0;
    ++endings_;
    changed_.notify_all();
    return;
  }
  const auto is_over = [&] { return endings_ != before; };
  while (!is_over() && (failed_ < 0 || !deadline.has_passed())) {
    if (failed_ < 0) {
      changed_.wait(lock, [&] { return is_over() || failed_ >= 0; });
    } else {
      changed_.wait_until(lock, deadline.end(), is_over);
    }
  }
}

std::shared_ptr<Hub::Message> Hub::post(int from, int to, const Operation& operation) {
  const std::lock_guard lock(mutex_);
  check(operation);
  auto message = std::make_shared<Message>(Message{.operation = operation});
  messages_[{from, to}].push_back(message);
  changed_.notify_all();
  return message;
}

std::shared_ptr<Hub::Message> Hub::wait_for_message(int from, int to, const Operation& receiver,
                                                    const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  std::deque<std::shared_ptr<Message>>& messages = messages_[{from, to}];
  wait(
      lock, receiver, deadline, [&] { return !messages.empty(); }, "rank " + rank_text(from));
  std::shared_ptr<Message> first = std::move(messages.front());
  messages.pop_front();
  return first;
}

void Hub::take(Message& message, std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  message.error = std::move(error);
  message.is_taken = true;
  changed_.notify_all();
}

void Hub::wait_until_taken(int to, const Message& message, const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  wait(
      lock, message.operation, deadline, [&] { return message.is_taken; }, "rank " + rank_text(to));
  if (message.error) throw AgreedError{*message.error};
}

void Hub::fail_rank(int rank, const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (failed_ < 0) {
    failed_ = rank;
    reason_ = why;
  }
  changed_.notify_all();
}

void Hub::leave(int rank) {
  const std::lock_guard lock(mutex_);
  if (failed_ < 0) failed_ = rank;
  changed_.notify_all();
}

}  // namespace quern::comm::in_process_ranks
