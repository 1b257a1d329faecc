// Devices, memory, libraries and the classes of Foundation.
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "metal/device/methods.hpp"

namespace quern::test_metal {

namespace {

using metal::Size;
using metal::SystemVersion;

constexpr uint64_t kMemory = uint64_t{8} << 30, kLargestBuffer = uint64_t{4} << 30;
constexpr uint64_t kSharedMemory = 32 << 10;

// ---- NSObject

signed char responds(Object* self, void*, const std::string* selector) {
  if (is_odd("no-clock") && *selector == "sampleTimestamps:gpuTimestamp:") return 0;
  if (is_odd("old") && *selector == "setMathMode:") return 0;
  return find_method(self->kind, *selector) != nullptr ? 1 : 0;
}

// ---- NSString, NSError, NSArray, NSProcessInfo

Object* string_with_utf8(Object*, void*, const char* text) { return autorelease(new String(text)); }
const char* utf8(String* self, void*) { return self->text.c_str(); }
Object* description(NativeError* self, void*) { return autorelease(new String(self->text)); }
Object* domain(NativeError* self, void*) { return autorelease(new String(self->domain)); }
int64_t code(NativeError* self, void*) { return self->code; }
uint64_t count(Array* self, void*) { return self->items.size(); }
Object* object_at(Array* self, void*, uint64_t index) { return self->items.at(index).get(); }
Object* process_info(Object*, void*) {
  static auto* const info = new Object(Kind::kProcessInfo, true);
  return info;
}
SystemVersion system_version(Object*, void*) { return {is_odd("old") ? 12 : 15, 1, 2}; }

// ---- MTLCompileOptions

Object* new_options(Object*, void*) { return fails("new") ? nullptr : new Options; }
void set_fast_math(Options* self, void*, signed char yes) { self->is_fast = yes != 0; }
void set_math_mode(Options* self, void*, int64_t mode) {
  if (is_odd("old")) broken_rule("setMathMode: is sent to macOS 12");
  self->is_fast = mode == metal::kMathFast;
}
void set_language_version(Options* self, void*, uint64_t version) { self->version = version; }

// ---- MTLDevice

Object* name(Device* self, void*) {
  return autorelease(new String(self->index == 0 ? "Metal test device" : "second Metal test device"));
}
uint64_t registry_id(Device* self, void*) { return 0x100000a00 + self->index; }
signed char has_unified_memory(Device*, void*) { return is_odd("discrete") ? 0 : 1; }
signed char is_low_power(Device*, void*) { return 0; }
signed char is_removable(Device*, void*) { return 0; }
uint64_t working_set_size(Device*, void*) { return kMemory; }
uint64_t allocated_size(Device* self, void*) { return self->allocated; }
uint64_t max_buffer_length(Device*, void*) { return kLargestBuffer; }
uint64_t max_threadgroup_memory(Device*, void*) { return kSharedMemory; }
Size max_threads(Device*, void*) { return {1024, 1024, 1024}; }
signed char supports_family(Device*, void*, int64_t family) {
  if (is_odd("old")) return 0;
  return family == metal::kFamilyMetal3 || family == metal::kFamilyApple7 ? 1 : 0;
}
void sample_timestamps(Device*, void*, uint64_t* host, uint64_t* device) { *host = *device = clock_now(); }

Object* new_queue(Device*, void*, uint64_t) {
  return fails("newCommandQueueWithMaxCommandBufferCount:") ? nullptr : new Queue;
}
Object* new_event(Device*, void*) { return fails("newSharedEvent") ? nullptr : new Event; }

Object* new_buffer(Device* self, void*, uint64_t bytes, uint64_t options) {
  if (bytes == 0 || bytes > kLargestBuffer) broken_rule("a buffer of that size is not allowed");
  if (fails("newBufferWithLength:options:") || self->allocated + bytes > kMemory) return nullptr;
  auto* const buffer = new Buffer(*self, bytes, options == metal::kStoragePrivate);
  if (buffer->memory != nullptr) return buffer;
  release(buffer);
  return nullptr;
}

Object* new_library(Device*, void*, String* text, Options* options, Object** error) {
  if (fails("newLibraryWithSource:options:error:")) {
    give_error(error, "MTLLibraryErrorDomain", 2, "Compiler encountered an internal error");
    return nullptr;
  }
  auto program = Program::make(text->text, options->is_fast);
  if (!program.ok()) {
    give_error(error, "MTLLibraryErrorDomain", 3, program.error().message());
    return nullptr;
  }
  auto* const library = new Library;
  library->program = *program;
  return library;
}

Object* new_function(Library* self, void*, String* name) {
  const Program::Kernel* const kernel = self->program->find(name->text);
  if (kernel == nullptr || fails("newFunctionWithName:")) return nullptr;
  auto* const function = new Function;
  function->program = self->program;
  function->kernel = *kernel;
  function->identity = self->program->identity() + " " + name->text;
  return function;
}

Object* new_pipeline(Device*, void*, Function* function, Object** error) {
  if (fails("newComputePipelineStateWithFunction:error:")) {
    give_error(error, "AGXMetal", 3, "Compiler encountered XPC_ERROR_CONNECTION_INTERRUPTED");
    return nullptr;
  }
  return pipeline_of(*function);
}

uint64_t max_total_threads(Pipeline* self, void*) {
  return self->kernel.max_threads != 0 ? self->kernel.max_threads : 1024;
}
uint64_t execution_width(Pipeline*, void*) { return is_odd("wide") ? 64 : 32; }

// ---- MTLBuffer, MTLSharedEvent

std::byte* contents(Buffer* self, void*) {
  return self->is_private || fails("contents") ? nullptr : self->memory;
}
uint64_t gpu_address(Buffer* self, void*) {
  if (is_odd("old")) broken_rule("gpuAddress is sent to macOS 12");
  return reinterpret_cast<uint64_t>(self->memory);
}
uint64_t signaled_value(Event* self, void*) {
  const std::lock_guard lock(self->mutex);
  return self->value;
}

signed char wait_signaled(Event* self, void*, uint64_t value, uint64_t milliseconds) {
  std::unique_lock lock(self->mutex);
  const auto is_there = [&] { return self->value >= value; };
  return self->changed.wait_for(lock, std::chrono::milliseconds(milliseconds), is_there) ? 1 : 0;
}
void set_signaled_value(Event* self, void*, uint64_t value) {
  {
    const std::lock_guard lock(self->mutex);
    self->value = value;
  }
  self->changed.notify_all();
}

Methods make_methods() {
  Methods m;
  for (int k = 0; k < static_cast<int>(Kind::kGone); ++k)
    m.add(static_cast<Kind>(k), "respondsToSelector:", responds);
  add_command_methods(m);
  add_device_methods(m);
  add_archive_methods(m);
  return m;
}

// Never destroyed: threads of the program may still send messages when it ends.
Device* device_at(uint32_t index) {
  static Device* const devices[] = {new Device(0), new Device(1)};
  return devices[index];
}

}  // namespace

Buffer::Buffer(Device& d, uint64_t n, bool is_private_)
    : Object(Kind::kBuffer), device(d), bytes(n), is_private(is_private_) {
  constexpr size_t kAlignment = 256;
  memory =
      static_cast<std::byte*>(std::aligned_alloc(kAlignment, (n + kAlignment - 1) / kAlignment * kAlignment));
  device.allocated += bytes;
}

Buffer::~Buffer() {
  std::free(memory);
  device.allocated -= bytes;
}

void give_error(Object** to, const char* domain, int64_t code, std::string text) {
  if (to != nullptr) *to = autorelease(new NativeError(domain, code, std::move(text)));
}

Object* pipeline_of(const Function& function) {
  auto* const pipeline = new Pipeline;
  pipeline->program = function.program;
  pipeline->kernel = function.kernel;
  return pipeline;
}

Method find_method(Kind kind, const std::string& selector) {
  static const auto* const methods = new Methods(make_methods());
  return methods->find(kind, selector);
}

void add_device_methods(Methods& m) {
  m.add(Kind::kStringClass, "stringWithUTF8String:", string_with_utf8);
  m.add(Kind::kString, "UTF8String", utf8);
  m.add(Kind::kError, "localizedDescription", description);
  m.add(Kind::kError, "domain", domain);
  m.add(Kind::kError, "code", code);
  m.add(Kind::kArray, "count", count);
  m.add(Kind::kArray, "objectAtIndex:", object_at);
  m.add(Kind::kProcessInfoClass, "processInfo", process_info);
  m.add(Kind::kProcessInfo, "operatingSystemVersion", system_version);
  m.add(Kind::kOptionsClass, "new", new_options);
  m.add(Kind::kOptions, "setFastMathEnabled:", set_fast_math);
  m.add(Kind::kOptions, "setMathMode:", set_math_mode);
  m.add(Kind::kOptions, "setLanguageVersion:", set_language_version);
  m.add(Kind::kDevice, "name", name);
  m.add(Kind::kDevice, "registryID", registry_id);
  m.add(Kind::kDevice, "hasUnifiedMemory", has_unified_memory);
  m.add(Kind::kDevice, "isLowPower", is_low_power);
  m.add(Kind::kDevice, "isRemovable", is_removable);
  m.add(Kind::kDevice, "recommendedMaxWorkingSetSize", working_set_size);
  m.add(Kind::kDevice, "currentAllocatedSize", allocated_size);
  m.add(Kind::kDevice, "maxBufferLength", max_buffer_length);
  m.add(Kind::kDevice, "maxThreadgroupMemoryLength", max_threadgroup_memory);
  m.add(Kind::kDevice, "maxThreadsPerThreadgroup", max_threads);
  m.add(Kind::kDevice, "supportsFamily:", supports_family);
  m.add(Kind::kDevice, "sampleTimestamps:gpuTimestamp:", sample_timestamps);
  m.add(Kind::kDevice, "newCommandQueueWithMaxCommandBufferCount:", new_queue);
  m.add(Kind::kDevice, "newSharedEvent", new_event);
  m.add(Kind::kDevice, "newBufferWithLength:options:", new_buffer);
  m.add(Kind::kDevice, "newLibraryWithSource:options:error:", new_library);
  m.add(Kind::kDevice, "newComputePipelineStateWithFunction:error:", new_pipeline);
  m.add(Kind::kLibrary, "newFunctionWithName:", new_function);
  m.add(Kind::kPipeline, "maxTotalThreadsPerThreadgroup", max_total_threads);
  m.add(Kind::kPipeline, "threadExecutionWidth", execution_width);
  m.add(Kind::kBuffer, "contents", contents);
  m.add(Kind::kBuffer, "gpuAddress", gpu_address);
  m.add(Kind::kEvent, "signaledValue", signaled_value);
  m.add(Kind::kEvent, "setSignaledValue:", set_signaled_value);
  m.add(Kind::kEvent, "waitUntilSignaledValue:timeoutMS:", wait_signaled);
}

}  // namespace quern::test_metal

extern "C" [[gnu::visibility("default")]] void* MTLCopyAllDevices() {
  using namespace quern::test_metal;  // NOLINT(google-build-using-namespace)
  auto* const all = new Array;
  if (is_odd("crash")) (void)std::raise(SIGSEGV);
  if (!is_odd("no-device")) all->items.emplace_back(device_at(0));
  if (is_odd("two")) all->items.emplace_back(device_at(1));
  return all;
}

extern "C" [[gnu::visibility("default")]] void* MTLCreateSystemDefaultDevice() {
  using namespace quern::test_metal;  // NOLINT(google-build-using-namespace)
  return is_odd("no-device") ? nullptr : device_at(0);
}
