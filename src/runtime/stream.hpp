// A stream of a device that checks all calls before the driver sees them: ranges, devices of the arguments,
// launch limits. Thread-safe: calls are serialized.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/crash_report.hpp"
#include "runtime/device.hpp"
#include "runtime/launch_check.hpp"

namespace quern::runtime {

class ArgumentBinder;
class Graph;
class Kernel;
class Recording;
struct SplitMemory;
}  // namespace quern::runtime

namespace quern::profile {
class Track;
}

namespace quern::runtime {

// A range of a device's memory.
struct Slice {
  Memory* memory = nullptr;
  uint64_t offset = 0;
  uint64_t bytes = 0;

  bool is_inside() const {  // within its memory
    return offset <= memory->bytes() && bytes <= memory->bytes() - offset;
  }
  driver::Place place() const { return memory->place(offset); }
};

// An argument as passed by the host, checked against the parameter at launch.
struct HostArgument : HostValue {
  Slice slice;  // memory, texture, surface, tensor map

  bool has_memory() const { return slice.memory != nullptr; }
};

using quern::LaunchConfig;

class Event {
 public:
  Event(std::shared_ptr<Device> device, std::unique_ptr<driver::Event> event)
      : device_(std::move(device)), event_(std::move(event)) {}
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Device& device() const { return *device_; }
  driver::Event& native() const { return *event_; }
  Result<bool> reached();
  Result<> wait();          // also writes the output of kernels
  Result<uint64_t> time();  // nanoseconds of the host's steady clock

 private:
  std::shared_ptr<Device> device_;
  std::unique_ptr<driver::Event> event_;
};

class Stream {
 public:
  // A persistent stream is for a persistent kernel: functions that wait for all work of the device do not
  // wait for it.
  static Result<std::unique_ptr<Stream>> create(Device& device, const driver::StreamOptions& options,
                                                bool is_persistent = false);
  // A stream of a driver stream that another library owns. Closing it does not reuse the driver stream.
  static Result<std::unique_ptr<Stream>> adopt(Device& device, std::unique_ptr<driver::Stream> driver_stream);
  // Records commands for a graph instead of submitting them.
  static std::unique_ptr<Stream> recorder(Device& device);
  Recording take_recording();
  bool is_recording() const { return recording_ != nullptr; }
  ~Stream();  // waits for its work
  // Destroys the stream after its work has finished. Work that runs for more than 10 s is abandoned: the
  // device keeps the stream, and a warning is logged. Work that uses host memory is always waited for.
  static void close(std::unique_ptr<Stream> stream);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device& device() const { return device_; }
  uint32_t number() const { return number_; }  // on its device; 1 is the default stream

  // The host memory must stay valid and unchanged until the copy has completed.
  Result<> upload(const Slice& to, const void* from, uint64_t bytes);
  Result<> download(void* to, const Slice& from, uint64_t bytes);
  // Also between this device and another one: ordered after the work on the other device's default stream,
  // and complete when the call returns.
  Result<> copy(const Slice& to, const Slice& from);
  Result<> fill(const Slice& to, uint64_t value, uint32_t width);
  // Lets the device generate the code of a launch in advance, so that the launch takes only its run time. The
  // time counts as the kernel's compile time.
  Result<> prepare(Kernel& kernel, const LaunchConfig& config);
  // Returns the configuration as launched; its `arguments` are not set.
  Result<driver::Launch> launch(Kernel& kernel, const LaunchConfig& config,
                                std::span<const HostArgument> arguments);
  Result<> run(Graph& graph);
  Result<> prepare(Graph& graph);  // so that its next run only runs
  Result<std::shared_ptr<Event>> record();
  Result<> wait(Event& event);
  Result<> synchronize();
  Result<> call(std::function<void()> function);
  // Calls `work` with the driver's stream while no other call uses it. `work` may submit.
  Result<> use_driver_stream(const std::function<Result<>(driver::Stream& driver_stream)>& work);

  // For variables of a program: the place belongs to the driver. Blocking.
  Result<> upload_to(const driver::Place& to, const void* from, uint64_t bytes);
  Result<> download_from(const driver::Place& from, void* to, uint64_t bytes);

  // Waits, and returns the output of kernel printf that was not written yet instead of writing it.
  Result<std::string> take_output();
  std::vector<driver::Finding> take_findings();

 private:
  friend class Device;
  friend class DeviceLaunches;
  // Exceptions of host functions, reported by the next wait.
  struct Thrown {
    void put(base::ErrorKind of_kind, std::string_view what);
    void put_current();  // the exception that is being handled
    std::optional<std::pair<base::ErrorKind, std::string>> take();
    std::mutex mutex;
    std::optional<std::pair<base::ErrorKind, std::string>> first;
  };
  Stream(Device& device, std::unique_ptr<driver::Stream> driver_stream, int priority);
  Result<> check(const Slice& slice, const char* doing) const;
  Result<> finish();        // waits and writes the output of kernels; the mutex is held
  Result<> write_output();  // the mutex is held
  Result<> wait_for_work();
  bool is_over_in_time();  // see close()
  Result<> copy_across(const Slice& to, const Slice& from);
  static Result<> copy_by_host(Stream& target, const Slice& to, Stream& source, const Slice& from);
  Result<> report_checks();  // violations found by check mode in the launch; the mutex is held
  // A copy of any kind between `memories`, submitted or recorded.
  Result<> submit(const driver::Command& command, std::initializer_list<Memory*> memories);
  static Result<> no_part_of_graphs(const char* what);
  Result<> check_recording() const;

  // A launch whose arguments are bound; `arguments` may be empty. Locks the mutex.
  Result<driver::Launch> launch_bound(Kernel& kernel, const LaunchConfig& config, ArgumentBinder& binder,
                                      std::span<const HostArgument> arguments);
  // One launch of the driver, and all launches of a split kernel; the mutex is held.
  Result<> launch_once(Kernel& kernel, const driver::Launch& launch, std::span<const HostArgument> arguments);
  Result<> launch_split(Kernel& kernel, const driver::Launch& launch, std::span<const HostArgument> arguments,
                        const SplitMemory& memory);

  // While a profile is active (profile_stream.cpp); the mutex is held.
  profile::Track& track();
  Result<> launch_profiled(Kernel& kernel, const driver::Launch& launch,
                           std::span<const HostArgument> arguments);
  Result<> submit_profiled(const driver::Command& command);
  Result<> run_profiled(Graph& graph);
  void close_track();

  Device& device_;
  std::unique_ptr<driver::Stream> driver_stream_;  // null while recording
  int priority_;
  bool is_mortal_ = false;  // a persistent stream on a recoverable device
  bool is_adopted_ = false;
  uint32_t number_ = 0;
  std::shared_ptr<profile::Track> track_;  // null: not profiled so far
  std::unique_ptr<Recording> recording_;
  bool is_recorded_ = false;  // the recording has ended: later commands are ignored
  std::mutex mutex_;
  std::atomic<bool> busy_{false};    // work was submitted and is not known to be complete
  std::atomic<bool> prints_{false};  // a kernel that calls printf was launched since the stream was last idle
  RunningKernel running_;            // if kernels run in this process
  bool uses_host_memory_ = false;    // a copy or a callback was submitted since the stream was last idle
  std::atomic<int> visitors_{0};     // threads that found it in the device's list and still use it
  std::shared_ptr<Thrown> thrown_;
};

}  // namespace quern::runtime
