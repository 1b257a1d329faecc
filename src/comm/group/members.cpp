#include "comm/group/members.hpp"

#include "quern/extension.hpp"

namespace quern::detail {

namespace {

using comm::fail;

constexpr char kIdentityKey = 0;

// The lines after the first one: location and context of the cause.
std::string context_of(const Error& cause) {
  const std::string text = cause.what();
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? std::string() : text.substr(end);
}

}  // namespace

bool is_loss(const Error& error) {
  return error.kind() == ErrorKind::device_lost || error.kind() == ErrorKind::timeout;
}

GroupMember make_member(const Device& device, std::size_t number) {
  if (!device) fail(ErrorKind::invalid_use, comm::message::kClosedMember(std::to_string(number)));
  const DeviceInfo& info = device.info();
  GroupMember member;
  member.device = device;
  member.stream = device.create_stream();
  member.copy_stream = device.create_stream();
  member.name = info.id();
  member.driver = info.driver;
  member.identity =
      extension::device_data(device, &kIdentityKey, [] { return std::make_shared<std::byte>(); });
  const Buffer<std::byte> probe = device.allocate<std::byte>(1);
  member.is_host = !probe.host().empty();
  return member;
}

GroupMembers::GroupMembers(std::vector<GroupMember> members)
    : list_(std::move(members)), notes_(list_.size()), is_lost_(list_.size()) {}

const GroupMember& GroupMembers::at(std::size_t member) const {
  if (member >= list_.size())
    fail(ErrorKind::invalid_use,
         comm::message::kNoMember(std::to_string(member), std::to_string(list_.size())));
  return list_[member];
}

void GroupMembers::note(std::size_t member, const std::string& operation) {
  const std::lock_guard lock(mutex_);
  notes_[member] = operation;
}

bool GroupMembers::is_lost(std::size_t member) const {
  const std::lock_guard lock(mutex_);
  return is_lost_[member];
}

void GroupMembers::set_lost(std::size_t member) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (list_[i].identity == list_[member].identity) is_lost_[i] = true;
  }
}

void GroupMembers::abandon(std::size_t member) noexcept {
  for (const Stream* const stream : {&list_[member].stream, &list_[member].copy_stream}) {
    try {
      stream->synchronize();
    } catch (const Error& error) {
      if (is_loss(error)) set_lost(member);
    }
  }
}

GroupError GroupMembers::error(std::size_t member, const std::string& operation, const Error& cause,
                               bool is_late) {
  if (is_loss(cause)) set_lost(member);
  std::string note;
  if (is_late) {
    const std::lock_guard lock(mutex_);
    note = notes_[member];
  }
  const std::string number = std::to_string(member), &name = list_[member].name;
  const base::MessageText text =
      note.empty() ? comm::message::kMemberFailed(operation, number, name, cause.message())
                   : comm::message::kMemberFailedAfter(operation, number, name, note, cause.message());
  Error::Parts parts;
  parts.kind = cause.kind();
  parts.message = text.text;
  parts.hint = cause.hint();
  parts.device = cause.device();
  parts.kernel = cause.kernel();
  parts.stream = cause.stream();
  parts.text = std::string(to_string(cause.kind())) + ": " + parts.message + context_of(cause);
  return {std::move(parts), member};
}

}  // namespace quern::detail
