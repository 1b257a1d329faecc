#include "comm/member.hpp"

#include <exception>
#include <string>
#include <utility>

#include "comm/failure.hpp"
#include "quern/extension.hpp"

namespace quern::comm::detail {

namespace {

constexpr char kDeviceKey = 0;  // its address identifies the data of this library

// An object of the device: equal for all handles to it.
std::shared_ptr<void> identity_of(const Device& device) {
  return extension::device_data(device, &kDeviceKey, [] { return std::make_shared<char>(); });
}

// What the provider or the stream threw.
Error current_error(const Call& call) {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return make_error(ErrorKind::out_of_memory, message::kNoHostMemory(name_of(call.kind)));
  } catch (const std::exception& error) {
    return make_error(ErrorKind::internal, message::kUnexpected(name_of(call.kind), error.what()));
  }
}

}  // namespace

void Task::finish(std::optional<Error> error, std::optional<Transport> transport) {
  const std::lock_guard lock(mutex_);
  transport_ = transport;
  error_ = std::move(error);
  is_done_ = true;
  ended_.notify_all();
}

std::optional<Transport> Task::transport() const {
  const std::lock_guard lock(mutex_);
  return transport_;
}

bool Task::done() const {
  const std::lock_guard lock(mutex_);
  return is_done_;
}

void Task::check() const {
  if (error_) throw Error(*error_);
}

void Task::wait() const {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return is_done_; });
  check();
}

bool Task::wait_for(std::chrono::nanoseconds limit) const {
  std::unique_lock lock(mutex_);
  if (!ended_.wait_for(lock, limit, [this] { return is_done_; })) return false;
  check();
  return true;
}

Member::Member(Device device, std::unique_ptr<Provider> provider)
    : device_(std::move(device)), provider_(std::move(provider)) {}

Member::~Member() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Member::check_device(const On& on, const Call& call) const {
  const Device other = on.stream().device();
  if (identity_of(other) != identity_of(device_))
    fail(ErrorKind::invalid_use, message::kWrongDevice(name_of(call.kind), other.name(), device_.name()));
}

std::shared_ptr<Task> Member::submit(const On& on, const Call& call, const Options& options,
                                     bool is_blocking) {
  check_device(on, call);
  auto task = std::make_shared<Task>(checked(call, options, provider_->rank(), provider_->size()),
                                     on.stream().record());
  if (is_blocking && take_turn()) {
    run(*task);
  } else {
    enqueue(task);
  }
  if (is_blocking) task->wait();
  return task;
}

bool Member::take_turn() {
  const std::lock_guard lock(mutex_);
  if (is_running_ || !queue_.empty()) return false;
  return is_running_ = true;
}

void Member::enqueue(const std::shared_ptr<Task>& task) {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { run_queue(); });
  queue_.push_back(task);
  changed_.notify_all();
}

void Member::run_queue() {
  for (;;) {
    std::shared_ptr<Task> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !is_running_ && (is_ending_ || !queue_.empty()); });
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
      is_running_ = true;
    }
    run(*task);
  }
}

// Only one thread is here: `is_running_` is set.
void Member::run(Task& task) {
  std::optional<Error> error;
  std::optional<Transport> transport;
  try {
    carry_out(task);
    transport = provider_->used_transport();
  } catch (const AgreedError& agreed) {
    error = agreed.error;
  } catch (...) {
    error = current_error(task.operation.call);
    if (!failure_) provider_->give_up(task.operation, *error);
    if (!failure_) failure_ = error;
  }
  {
    const std::lock_guard lock(mutex_);
    is_running_ = false;
    last_transport_ = transport;
    changed_.notify_all();
  }
  task.finish(std::move(error), transport);
}

std::optional<Transport> Member::last_transport() {
  const std::lock_guard lock(mutex_);
  return last_transport_;
}

void Member::carry_out(const Task& task) {
  if (failure_) throw Error(*failure_);
  task.ready.wait();
  provider_->run(task.operation, Deadline(task.operation.options.timeout));
}

}  // namespace quern::comm::detail
