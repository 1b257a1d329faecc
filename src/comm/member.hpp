// One rank: its provider, and its operations in order.
//
// Blocking calls run on the calling thread if nothing is in progress. All others run on a thread of the
// member, which starts with the first of them. Lock: `mutex_`, never held while an operation runs.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "comm/operation.hpp"
#include "comm/provider.hpp"
#include "quern/device.hpp"
#include "quern/event.hpp"

namespace quern::comm::detail {

// An operation and its end. Thread-safe.
class Task {
 public:
  Task(Operation operation, Event ready) : operation(operation), ready(std::move(ready)) {}

  void finish(std::optional<Error> error, std::optional<Transport> transport);
  std::optional<Transport> transport() const;  // when it is complete
  bool done() const;
  void wait() const;  // throws the error
  bool wait_for(std::chrono::nanoseconds limit) const;

  const Operation operation;
  const Event ready;  // the stream's work before the operation

 private:
  void check() const;

  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  bool is_done_ = false;
  std::optional<Error> error_;
  std::optional<Transport> transport_;
};

class Member {
 public:
  Member(Device device, std::unique_ptr<Provider> provider);
  ~Member();  // waits for asynchronous operations
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  const Device& device() const { return device_; }
  const Provider& provider() const { return *provider_; }
  std::optional<Transport> last_transport();

  // Checks the call. A blocking call is complete when it returns, and throws the error of the operation.
  std::shared_ptr<Task> submit(const On& on, const Call& call, const Options& options, bool is_blocking);

 private:
  void check_device(const On& on, const Call& call) const;
  bool take_turn();  // whether nothing is in progress
  void enqueue(const std::shared_ptr<Task>& task);
  void run_queue();
  void run(Task& task);
  void carry_out(const Task& task);

  const Device device_;
  const std::unique_ptr<Provider> provider_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Task>> queue_;
  bool is_running_ = false, is_ending_ = false;
  std::optional<Transport> last_transport_;
  std::optional<Error> failure_;  // only accessed by the running operation
  std::thread thread_;
};

struct Access {
  static Request request(std::shared_ptr<Task> task) { return Request(std::move(task)); }
  static Communicator communicator(std::shared_ptr<Member> member, const Options& options) {
    return {std::move(member), options};
  }
};

}  // namespace quern::comm::detail
