// A Level Zero driver for tests: SPIR-V kernels run on the processor, through Quern's reader of SPIR-V and
// its driver `cpu`. It is stricter than real drivers: handles are checked, commands between two barriers of a
// list run in reverse order, and an object that is destroyed while commands use it aborts the program.
//
// QUERN_ODD_LEVEL_ZERO makes it odd; words with commas between:
//   no-driver, denied, no-device   zeInit or zeDeviceGet fail in these ways
//   npu          the device is none for kernels
//   gpu          the device is a discrete GPU at PCI address 0000:03:00.0
//   two          there are two devices, which can access each other
//   strangers    as `two`, and they cannot
//   tiles        the device has two sub-devices
//   flat         as ZE_FLAT_DEVICE_HIERARCHY=COMBINED with a card of two tiles: both are devices
//   no-copy      there is no copy engine
//   no-clock     events have no timestamps
//   host-only    memory that moves cannot be used by both sides at the same time
//   spills       kernels spill registers unless they are compiled for subgroups of 8
//   lost         what runs from now on loses the device
//   lost-once    the next command loses the device; it works when it is opened again
//   NAME=CODE    the function of that name returns that code: zeMemAllocDevice=0x70000003
//   call N=CODE  the N-th call from now on returns that code, and all commands are synchronous
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "driver/interface/driver.hpp"
#include "driver/level_zero/api.hpp"
#include "driver/sim/spirv_code.hpp"

namespace quern::test_level_zero {

using namespace quern::level_zero;  // NOLINT(google-build-using-namespace)

// Codes that it returns itself.
inline constexpr ZeResult kLostCode = 0x70000001, kNoMemory = 0x70000003, kBuildFailure = 0x70000004,
                          kDenied = 0x70010000, kUninitialized = 0x78000001, kNoFeature = 0x78000003,
                          kInvalidArgument = 0x78000004, kNullHandle = 0x78000005, kNullPointer = 0x78000007,
                          kNoSize = 0x78000009, kBadBinary = 0x7800000F, kNoKernel = 0x78000011,
                          kBadGroupSize = 0x78000013, kBadIndex = 0x78000015, kBadSize = 0x78000016;

bool is_odd(std::string_view word);
ZeResult injected(std::string_view function);  // the code that it is to return; kSuccess: none
bool is_injecting();  // `call N=CODE`: a wait may have failed, and the caller cannot know what is in flight
[[noreturn]] void broken_rule(const char* what);

// Objects by kind: a handle of another kind, or one that was destroyed, breaks a rule.
enum class Kind : uint32_t {
  kGone,
  kDriver = 0x51000001,
  kDevice,
  kContext,
  kQueue,
  kList,
  kPool,
  kEvent,
  kModule,
  kLog,
  kKernel,
};

struct Object {
  explicit Object(Kind k) : kind(k) { ++live(); }
  ~Object() {
    kind = Kind::kGone;
    --live();
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  static std::atomic<int>& live();
  volatile Kind kind;
};

template <typename T, typename Handle>
T* as(Handle handle) {
  auto* const object = reinterpret_cast<T*>(handle);
  if (object->kind != T::kKind) broken_rule("a handle of another kind, or of a destroyed object, is used");
  return object;
}
template <typename Handle>
Handle handle_of(Object* object) {
  return reinterpret_cast<Handle>(object);
}

struct Device : Object {
  static constexpr Kind kKind = Kind::kDevice;
  explicit Device(uint32_t i) : Object(kKind), index(i) {}
  uint32_t index;
  std::atomic<bool> is_lost = false;
};

struct Driver : Object {
  static constexpr Kind kKind = Kind::kDriver;
  Driver() : Object(kKind) {}
  std::unique_ptr<driver::Device> cpu;
  std::vector<std::unique_ptr<Device>> devices;
};
Driver& the_driver();

struct Context : Object {
  static constexpr Kind kKind = Kind::kContext;
  Context() : Object(kKind) {}
  std::mutex mutex;
  std::map<void*, size_t> memory;
};

struct Pool : Object {
  static constexpr Kind kKind = Kind::kPool;
  Pool() : Object(kKind) {}
  uint32_t flags = 0, count = 0;
};

struct Event : Object {
  static constexpr Kind kKind = Kind::kEvent;
  Event() : Object(kKind) {}
  std::atomic<int> users = 0;  // commands in flight
  bool is_signaled = false;    // with signals_mutex()
  uint64_t start = 0, end = 0;
};
std::mutex& signals_mutex();
std::condition_variable& signals();
uint64_t ticks_now();  // of the device's clock

struct Module : Object {
  static constexpr Kind kKind = Kind::kModule;
  Module() : Object(kKind) {}
  std::string spirv, flags;
  driver::Code code;
  std::vector<spirv::Entry> entries;
  std::shared_ptr<driver::Module> program;
  uint32_t subgroup_size = 32;
};

struct Log : Object {
  static constexpr Kind kKind = Kind::kLog;
  Log() : Object(kKind) {}
  std::string text;
};

// The processor's kernel, with the program that it uses.
struct NativeKernel {
  std::shared_ptr<driver::Module> program;
  std::unique_ptr<driver::Kernel> kernel;  // destroyed first
};

struct Kernel : Object {
  static constexpr Kind kKind = Kind::kKernel;
  Kernel() : Object(kKind) {}
  Module* module = nullptr;
  const spirv::Entry* entry = nullptr;
  std::shared_ptr<NativeKernel> native;
  std::vector<std::optional<std::vector<std::byte>>> arguments;  // workgroup memory: its size
  driver::Dim3 block{0, 0, 0};
};

struct Step {
  bool is_barrier = false;
  std::function<base::Result<>(driver::Stream&)> work;
  Event* signal = nullptr;
  std::vector<Event*> waits;
  std::shared_ptr<std::atomic<int>> ends;  // the last step of a list: counts its executions
};

// Executes steps in order, on a separate thread.
class Worker {
 public:
  explicit Worker(Device& device);
  ~Worker();
  void submit(const std::vector<Step>& steps);

 private:
  void run();
  void run_batch(std::deque<Step> batch);
  void finish(Step& step, uint64_t start);

  Device& device_;
  std::unique_ptr<driver::Stream> stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Step> steps_;
  std::atomic<int> unfinished_ = 0;  // steps; one that signals an event is finished before it does
  bool is_stopped_ = false;
  std::thread thread_;
};

struct Queue : Object {
  static constexpr Kind kKind = Kind::kQueue;
  explicit Queue(Device& device) : Object(kKind), worker(device) {}
  Worker worker;
};

struct List : Object {
  static constexpr Kind kKind = Kind::kList;
  explicit List(uint32_t group) : Object(kKind), is_copy_only(group == 1) {}
  bool is_copy_only;
  bool is_closed = false;
  std::unique_ptr<Worker> worker;  // of immediate lists
  std::vector<Step> steps;         // of others
  std::shared_ptr<std::atomic<int>> in_flight = std::make_shared<std::atomic<int>>(0);
};

}  // namespace quern::test_level_zero

#define ZE(name) extern "C" [[gnu::visibility("default")]] ZeResult name
#define ENTER(name)                                                           \
  do {                                                                        \
    if (const ZeResult odd_ = injected(#name); odd_ != kSuccess) return odd_; \
  } while (false)
#define NEED(condition, code)      \
  do {                             \
    if (!(condition)) return code; \
  } while (false)
