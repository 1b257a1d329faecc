// The members of a device group, shared by all its handles.
//
// Work runs on `stream`, and copies between members on `copy_stream`, so that they overlap. Lock: `mutex_`
// protects the notes; it is never held during calls of devices.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/failure.hpp"
#include "comm/messages_group.hpp"
#include "quern/comm/device_group.hpp"

namespace quern::detail {

struct GroupMember {
  Device device;
  Stream stream, copy_stream;
  std::string name;                // "cuda:0"
  std::string driver;              // "cuda"
  std::shared_ptr<void> identity;  // equal for handles of the same device
  bool is_host = false;            // it computes in host memory
};

class GroupMembers {
 public:
  explicit GroupMembers(std::vector<GroupMember> members);
  static GroupMembers& of(const DeviceGroup& group) { return *group.members_; }

  const std::vector<GroupMember>& list() const { return list_; }
  const GroupMember& at(std::size_t member) const;

  void note(std::size_t member, const std::string& operation);  // for errors of synchronize()
  bool is_lost(std::size_t member) const;
  void set_lost(std::size_t member);
  // Waits for a member's work after an error: the work may use host memory of the caller. Further errors of
  // the member are dropped.
  void abandon(std::size_t member) noexcept;
  // The error of a member, and the loss if it is one.
  GroupError error(std::size_t member, const std::string& operation, const Error& cause, bool is_late);

 private:
  std::vector<GroupMember> list_;
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
  std::vector<bool> is_lost_;
};

GroupMember make_member(const Device& device, std::size_t number);

// Whether the member's device cannot be used any more.
bool is_loss(const Error& error);

}  // namespace quern::detail
