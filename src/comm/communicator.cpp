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

std::optional<Transport> Request::transport() const {
  return task_ == nullptr ? std::nullopt : task_->transport();
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
std::vector<TransportInfo> Communicator::transports() const {
  return member_for(member_, "transports").provider().transports();
}
std::vector<TransportChoice> Communicator::transport_choices() const {
  return member_for(member_, "transport_choices").provider().transport_choices();
}
std::optional<Transport> Communicator::last_transport() const {
  return member_for(member_, "last_transport").last_transport();
}

std::string_view to_string(Transport transport) {
  switch (transport) {
    case Transport::staged: break;
    case Transport::gpu_aware_mpi: return "gpu_aware_mpi";
    case Transport::ipc: return "ipc";
    case Transport::nccl: return "nccl";
  }
  return "staged";
}

}  // namespace quern::comm
