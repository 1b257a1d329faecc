#include "quern/comm/communicator.hpp"

#include "comm/failure.hpp"
#include "comm/member.hpp"

namespace quern::comm {

namespace {

detail::Member& member_for(const std::shared_ptr<detail::Member>& member, const char* operation) {
  if (member == nullptr) fail(ErrorKind::invalid_use, message::kNoCommunicator(operation));
  return *member;
}

}  // namespace

bool Request::done() const { return task_ == nullptr || task_->done(); }

void Request::wait() const {
  if (task_ != nullptr) task_->wait();
}

bool Request::wait_for(std::chrono::nanoseconds limit) const {
  return task_ == nullptr || task_->wait_for(limit);
}

Request AsyncCollectives::submit(const On& on, const detail::Call& call) const {
  return detail::Access::request(member_for(member_, name_of(call.kind)).submit(on, call, options_, false));
}

void Communicator::submit(const On& on, const detail::Call& call) const {
  (void)member_for(member_, name_of(call.kind)).submit(on, call, options_, true);
}

int Communicator::rank() const { return member_for(member_, "rank").provider().rank(); }
int Communicator::size() const { return member_for(member_, "size").provider().size(); }
Device Communicator::device() const { return member_for(member_, "device").device(); }
std::string Communicator::provider() const { return member_for(member_, "provider").provider().name(); }

}  // namespace quern::comm
