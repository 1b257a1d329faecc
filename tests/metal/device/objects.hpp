// A Metal for tests: it answers the entry points of the Objective-C runtime and of Metal.framework that the
// driver uses, and runs Metal text on the CPU. It is stricter than Metal: an unknown selector, an object that
// is used after its last release, an autoreleased object without a pool, and a command buffer that is
// committed with an open encoder abort the program.
//
// QUERN_ODD_METAL makes it odd; words with commas between:
//   no-device    there is none
//   crash        asking for the devices crashes
//   discrete     the device has memory of its own
//   two          there are two devices
//   old          macOS 12, without setMathMode:, gpuAddress and Apple 7's SIMD-groups
//   wide         SIMD-groups have 64 threads
//   no-clock     the device has no sampleTimestamps:gpuTimestamp:
//   lost         command buffers that are committed from now on fail with error 11 (device removed)
//   lost-once    the next one does
//   fails=CODE   command buffers fail with that error
//   stale        no archive file is accepted, as after an update of macOS
//   SELECTOR     messages with that selector return nil: newCommandQueueWithMaxCommandBufferCount:
//   call N       the N-th message from now on that may return nil does, or the N-th command buffer fails
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "driver/metal/api.hpp"
#include "metal/device/program.hpp"

namespace quern::test_metal {

bool is_odd(std::string_view word);
int64_t odd_number(std::string_view word);  // of `word=NUMBER`; 0: it is not there
bool fails(std::string_view selector);      // whether this message is to return nil
[[noreturn]] void broken_rule(const std::string& what);

enum class Kind : uint8_t {
  kString,
  kError,
  kArray,
  kProcessInfo,
  kOptions,
  kDevice,
  kQueue,
  kCommands,
  kCompute,
  kBlit,
  kBuffer,
  kLibrary,
  kFunction,
  kPipeline,
  kEvent,
  kUrl,
  kArchiveOptions,
  kPipelineOptions,
  kArchive,
  kStringClass,
  kOptionsClass,
  kProcessInfoClass,
  kUrlClass,
  kArrayClass,
  kArchiveOptionsClass,
  kPipelineOptionsClass,
  kGone,
};

struct Object {
  explicit Object(Kind k, bool is_constant_ = false) : kind(k), is_constant(is_constant_) {
    if (!is_constant) ++live();
  }
  virtual ~Object() {
    kind = Kind::kGone;
    if (!is_constant) --live();
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  static std::atomic<int>& live();

  Kind kind;
  const bool is_constant;  // never released
  std::atomic<int> references{1};
};

Object* retain(Object* object);
void release(Object* object);
Object* autorelease(Object* object);

// A reference of an object of this device.
template <typename T>
class Own {
 public:
  Own() = default;
  explicit Own(T* object) : object_(static_cast<T*>(retain(object))) {}
  Own(const Own& o) : object_(static_cast<T*>(retain(o.object_))) {}
  Own(Own&& o) noexcept : object_(std::exchange(o.object_, nullptr)) {}
  Own& operator=(Own o) noexcept {
    std::swap(object_, o.object_);
    return *this;
  }
  ~Own() { release(object_); }
  T* get() const { return object_; }
  T* operator->() const { return object_; }

 private:
  T* object_ = nullptr;
};

struct String : Object {
  explicit String(std::string t) : Object(Kind::kString), text(std::move(t)) {}
  std::string text;
};

struct NativeError : Object {
  NativeError(std::string d, int64_t c, std::string t)
      : Object(Kind::kError), domain(std::move(d)), code(c), text(std::move(t)) {}
  std::string domain;
  int64_t code;
  std::string text;
};

struct Device : Object {
  explicit Device(uint32_t i) : Object(Kind::kDevice, true), index(i) {}
  uint32_t index;
  std::atomic<uint64_t> allocated{0};
};

struct Array : Object {
  Array() : Object(Kind::kArray) {}
  std::vector<Own<Object>> items;
};

struct Options : Object {
  Options() : Object(Kind::kOptions) {}
  bool is_fast = true;
  uint64_t version = 0;
};

struct Buffer : Object {
  Buffer(Device& d, uint64_t n, bool is_private_);
  ~Buffer() override;
  Device& device;
  uint64_t bytes;
  bool is_private;
  std::byte* memory;
};

struct Library : Object {
  Library() : Object(Kind::kLibrary) {}
  std::shared_ptr<const Program> program;
};

struct Function : Object {
  Function() : Object(Kind::kFunction) {}
  std::string identity;  // of the program and the function
  std::shared_ptr<const Program> program;
  Program::Kernel kernel;
};

struct Pipeline : Object {
  Pipeline() : Object(Kind::kPipeline) {}
  std::shared_ptr<const Program> program;
  Program::Kernel kernel;
};

// A path; of an NSURL.
struct Url : Object {
  explicit Url(std::string p) : Object(Kind::kUrl), path(std::move(p)) {}
  std::string path;
};

struct ArchiveOptions : Object {
  ArchiveOptions() : Object(Kind::kArchiveOptions) {}
  Own<Url> url;
};

// The identities of functions: in a file, one per line.
struct Archive : Object {
  Archive() : Object(Kind::kArchive) {}
  std::mutex mutex;
  std::set<std::string> functions;
};

struct PipelineOptions : Object {
  PipelineOptions() : Object(Kind::kPipelineOptions) {}
  Own<Function> function;
  Own<Array> archives;
};

struct Event : Object {
  Event() : Object(Kind::kEvent) {}
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t value = 0;
};

struct Commands;

// Executes command buffers in order on a separate thread, which ends with the queue.
struct Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Own<Commands>> commands;
  bool is_stopped = false;
};

struct Queue : Object {
  Queue();
  ~Queue() override;
  std::shared_ptr<Worker> worker = std::make_shared<Worker>();
};

struct Commands : Object {
  explicit Commands(Queue* q) : Object(Kind::kCommands), queue(q) {}
  ~Commands() override;
  Own<Queue> queue;
  std::vector<std::function<void()>> steps;
  bool has_encoder = false;
  int64_t failure = 0;  // the error code with which it is to fail

  std::mutex mutex;
  std::condition_variable changed;
  uint64_t status = 0;
  Own<NativeError> error;
  double start = 0, end = 0;
};

struct Binding {
  Own<Buffer> buffer;
  uint64_t offset = 0;
  std::shared_ptr<std::vector<std::byte>> bytes;
};

// Compute and blit encoders.
struct Encoder : Object {
  Encoder(Kind k, Commands* c) : Object(k), commands(c) { c->has_encoder = true; }
  ~Encoder() override;
  Own<Commands> commands;
  bool is_ended = false;
  Own<Pipeline> pipeline;
  std::vector<Binding> bindings;
  std::vector<Own<Buffer>> used;
  uint64_t shared_bytes = 0;
};

uint64_t clock_now();  // nanoseconds of the device's clock

using Method = void (*)();
Method find_method(Kind kind, const std::string& selector);  // null: there is none

}  // namespace quern::test_metal
