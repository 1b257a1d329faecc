// Contexts, memory, queues, lists and events.
#include <chrono>
#include <cstring>

#include "level_zero/device/objects.hpp"

using namespace quern;                   // NOLINT(google-build-using-namespace)
using namespace quern::test_level_zero;  // NOLINT(google-build-using-namespace)

namespace {

ZeResult allocate(ZeContext context, size_t size, size_t alignment, void** to) {
  NEED(context != nullptr, kNullHandle);
  NEED(to != nullptr, kNullPointer);
  NEED(size != 0, kNoSize);
  auto* const c = as<Context>(context);
  alignment = std::max<size_t>(alignment, 64);
  void* const memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  NEED(memory != nullptr, kNoMemory);
  std::memset(memory, 0xA5, std::min<size_t>(size, 1 << 16));  // new memory is not zero
  const std::lock_guard lock(c->mutex);
  c->memory[memory] = size;
  *to = memory;
  return kSuccess;
}

ZeResult allocate_on_device(ZeContext context, const DeviceAllocation* desc, size_t size, size_t alignment,
                            ZeDevice device, void** to) {
  NEED(desc != nullptr, kNullPointer);
  const Device* const d = as<Device>(device);
  NEED(!d->is_lost, kLostCode);
  constexpr size_t kLargest = size_t{4} << 30, kAll = size_t{8} << 30;
  NEED(size <= (desc->next != nullptr ? kAll : kLargest), size <= kAll ? kNoSize : kNoMemory);
  return allocate(context, size, alignment, to);
}

// To a list that is open, or to the thread of an immediate one.
ZeResult append(ZeList list, Step step, ZeEvent signal, uint32_t waits, ZeEvent* events) {
  NEED(list != nullptr, kNullHandle);
  auto* const l = as<List>(list);
  if (l->is_closed) broken_rule("a command is appended to a closed list");
  if (signal != nullptr) step.signal = as<Event>(signal);
  for (uint32_t i = 0; i < waits; ++i) step.waits.push_back(as<Event>(events[i]));
  if (l->worker != nullptr) {
    l->worker->submit({step});
  } else {
    l->steps.push_back(std::move(step));
  }
  return kSuccess;
}

ZeResult copy(ZeList list, void* to, const void* from, size_t size, ZeEvent signal, uint32_t waits,
              ZeEvent* events) {
  NEED(to != nullptr && from != nullptr, kNullPointer);
  Step step;
  step.work = [to, from, size](driver::Stream&) -> base::Result<> {
    std::memmove(to, from, size);
    return {};
  };
  return append(list, std::move(step), signal, waits, events);
}

}  // namespace

ZE(zeContextCreate)(ZeDriver driver, const ContextDesc* desc, ZeContext* to) {
  ENTER(zeContextCreate);
  NEED(desc != nullptr && to != nullptr, kNullPointer);
  for (const auto& d : as<Driver>(driver)->devices) d->is_lost = false;  // a reset device is there again
  *to = handle_of<ZeContext>(new Context);
  return kSuccess;
}

ZE(zeContextDestroy)(ZeContext context) {
  ENTER(zeContextDestroy);
  auto* const c = as<Context>(context);
  if (!c->memory.empty()) broken_rule("a context is destroyed before its memory");
  delete c;
  return kSuccess;
}

ZE(zeMemAllocDevice)
(ZeContext context, const DeviceAllocation* desc, size_t size, size_t alignment, ZeDevice device, void** to) {
  ENTER(zeMemAllocDevice);
  return allocate_on_device(context, desc, size, alignment, device, to);
}

ZE(zeMemAllocShared)
(ZeContext context, const DeviceAllocation* desc, const HostAllocation* host, size_t size, size_t alignment,
 ZeDevice device, void** to) {
  ENTER(zeMemAllocShared);
  NEED(host != nullptr, kNullPointer);
  return allocate_on_device(context, desc, size, alignment, device, to);
}

ZE(zeMemAllocHost)(ZeContext context, const HostAllocation* desc, size_t size, size_t alignment, void** to) {
  ENTER(zeMemAllocHost);
  NEED(desc != nullptr, kNullPointer);
  return allocate(context, size, alignment, to);
}

ZE(zeMemFree)(ZeContext context, void* memory) {
  ENTER(zeMemFree);
  auto* const c = as<Context>(context);
  const std::lock_guard lock(c->mutex);
  if (c->memory.erase(memory) == 0) broken_rule("memory is freed that is not allocated");
  std::free(memory);
  return kSuccess;
}

ZE(zeCommandQueueCreate)(ZeContext context, ZeDevice device, const QueueDesc* desc, ZeQueue* to) {
  ENTER(zeCommandQueueCreate);
  (void)as<Context>(context);
  NEED(desc != nullptr && to != nullptr, kNullPointer);
  *to = handle_of<ZeQueue>(new Queue(*as<Device>(device)));
  return kSuccess;
}

ZE(zeCommandQueueDestroy)(ZeQueue stream) {
  ENTER(zeCommandQueueDestroy);
  delete as<Queue>(stream);
  return kSuccess;
}

ZE(zeCommandQueueExecuteCommandLists)(ZeQueue stream, uint32_t count, ZeList* lists, void*) {
  ENTER(zeCommandQueueExecuteCommandLists);
  auto* const q = as<Queue>(stream);
  for (uint32_t i = 0; i < count; ++i) {
    auto* const l = as<List>(lists[i]);
    if (!l->is_closed) broken_rule("a list is executed that is not closed");
    std::vector<Step> steps = l->steps;
    if (steps.empty()) continue;
    steps.back().ends = l->in_flight;
    ++*l->in_flight;
    q->worker.submit(steps);
  }
  return kSuccess;
}

ZE(zeCommandListCreate)(ZeContext context, ZeDevice device, const ListDesc* desc, ZeList* to) {
  ENTER(zeCommandListCreate);
  (void)as<Context>(context);
  (void)as<Device>(device);
  NEED(desc != nullptr && to != nullptr, kNullPointer);
  *to = handle_of<ZeList>(new List(desc->group));
  return kSuccess;
}

ZE(zeCommandListCreateImmediate)(ZeContext context, ZeDevice device, const QueueDesc* desc, ZeList* to) {
  ENTER(zeCommandListCreateImmediate);
  (void)as<Context>(context);
  NEED(desc != nullptr && to != nullptr, kNullPointer);
  auto* const list = new List(desc->group);
  list->worker = std::make_unique<Worker>(*as<Device>(device));
  *to = handle_of<ZeList>(list);
  return kSuccess;
}

ZE(zeCommandListDestroy)(ZeList list) {
  ENTER(zeCommandListDestroy);
  auto* const l = as<List>(list);
  const bool is_lost = the_driver().devices[0]->is_lost || the_driver().devices[1]->is_lost;
  if (*l->in_flight != 0 && !is_lost && !is_injecting())
    broken_rule("a command list is destroyed while it is executed");
  delete l;
  return kSuccess;
}

ZE(zeCommandListClose)(ZeList list) {
  ENTER(zeCommandListClose);
  as<List>(list)->is_closed = true;
  return kSuccess;
}

ZE(zeCommandListAppendBarrier)(ZeList list, ZeEvent signal, uint32_t waits, ZeEvent* events) {
  ENTER(zeCommandListAppendBarrier);
  Step step;
  step.is_barrier = true;
  return append(list, std::move(step), signal, waits, events);
}

ZE(zeCommandListAppendMemoryCopy)
(ZeList list, void* to, const void* from, size_t size, ZeEvent signal, uint32_t waits, ZeEvent* events) {
  ENTER(zeCommandListAppendMemoryCopy);
  return copy(list, to, from, size, signal, waits, events);
}

ZE(zeCommandListAppendMemoryCopyFromContext)
(ZeList list, void* to, ZeContext context, const void* from, size_t size, ZeEvent signal, uint32_t waits,
 ZeEvent* events) {
  ENTER(zeCommandListAppendMemoryCopyFromContext);
  (void)as<Context>(context);
  return copy(list, to, from, size, signal, waits, events);
}

ZE(zeCommandListAppendMemoryFill)
(ZeList list, void* to, const void* pattern, size_t width, size_t size, ZeEvent signal, uint32_t waits,
 ZeEvent* events) {
  ENTER(zeCommandListAppendMemoryFill);
  NEED(to != nullptr && pattern != nullptr, kNullPointer);
  NEED(width != 0 && width <= (as<List>(list)->is_copy_only ? 1 : 16) && size % width == 0, kInvalidArgument);
  const auto* const bytes = static_cast<const std::byte*>(pattern);
  Step step;
  step.work = [to, size,
               value = std::vector<std::byte>(bytes, bytes + width)](driver::Stream&) -> base::Result<> {
    for (size_t i = 0; i < size; i += value.size())
      std::memcpy(static_cast<std::byte*>(to) + i, value.data(), value.size());
    return {};
  };
  return append(list, std::move(step), signal, waits, events);
}

// What the kernel is given when the launch is appended.
ZE(zeCommandListAppendLaunchKernel)
(ZeList list, ZeKernel kernel, const GroupCount* groups, ZeEvent signal, uint32_t waits, ZeEvent* events) {
  ENTER(zeCommandListAppendLaunchKernel);
  NEED(groups != nullptr, kNullPointer);
  NEED(!as<List>(list)->is_copy_only, kNoFeature);
  const Kernel& k = *as<Kernel>(kernel);
  NEED(k.block.count() != 0, kBadGroupSize);
  struct Launched {
    std::shared_ptr<NativeKernel> kernel;
    std::vector<std::vector<std::byte>> bytes;
    driver::Launch launch;
  };
  auto launched = std::make_shared<Launched>();
  launched->kernel = k.native;
  launched->bytes.resize(k.arguments.size());
  for (size_t i = 0; i < k.arguments.size(); ++i) {
    NEED(k.arguments[i].has_value(), kInvalidArgument);
    launched->bytes[i] = *k.arguments[i];
    if (k.entry->resources[i].kind != spirv::ResourceKind::kWorkgroupMemory) continue;
    uint64_t size = 0;  // becomes the place in the launch's shared memory
    std::memcpy(&size, launched->bytes[i].data(), sizeof size);
    std::memcpy(launched->bytes[i].data(), &launched->launch.shared_bytes, sizeof size);
    launched->launch.shared_bytes += (size + 15) / 16 * 16;
  }
  launched->launch.grid = {groups->x, groups->y, groups->z};
  launched->launch.block = k.block;
  Step step;
  step.work = [launched](driver::Stream& stream) -> base::Result<> {
    std::vector<driver::Argument> arguments(launched->bytes.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      arguments[i].value = launched->bytes[i].data();
      arguments[i].bytes = static_cast<uint32_t>(launched->bytes[i].size());
    }
    driver::Launch launch = launched->launch;
    launch.arguments = arguments;
    driver::Device& cpu = *the_driver().cpu;
    QUERN_TRY(cpu.launch(stream, *launched->kernel->kernel, launch));
    return cpu.synchronize(stream);
  };
  return append(list, std::move(step), signal, waits, events);
}

ZE(zeEventPoolCreate)(ZeContext context, const EventPoolDesc* desc, uint32_t, ZeDevice*, ZeEventPool* to) {
  ENTER(zeEventPoolCreate);
  (void)as<Context>(context);
  NEED(desc != nullptr && to != nullptr, kNullPointer);
  auto* const pool = new Pool;
  pool->flags = desc->flags;
  pool->count = desc->count;
  *to = handle_of<ZeEventPool>(pool);
  return kSuccess;
}

ZE(zeEventPoolDestroy)(ZeEventPool pool) {
  ENTER(zeEventPoolDestroy);
  delete as<Pool>(pool);
  return kSuccess;
}

ZE(zeEventCreate)(ZeEventPool pool, const EventDesc* desc, ZeEvent* to) {
  ENTER(zeEventCreate);
  NEED(desc != nullptr && desc->index < as<Pool>(pool)->count, kInvalidArgument);
  *to = handle_of<ZeEvent>(new Event);
  return kSuccess;
}

ZE(zeEventDestroy)(ZeEvent event) {
  ENTER(zeEventDestroy);
  auto* const e = as<Event>(event);
  const bool is_lost = the_driver().devices[0]->is_lost || the_driver().devices[1]->is_lost;
  for (int i = 0; i < 100 && e->users != 0 && is_injecting(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (e->users != 0 && !is_lost) broken_rule("an event is destroyed while commands use it");
  delete e;
  return kSuccess;
}

ZE(zeEventHostSynchronize)(ZeEvent event, uint64_t timeout) {
  ENTER(zeEventHostSynchronize);
  const Event* const e = as<Event>(event);
  std::unique_lock lock(signals_mutex());
  const auto is_lost = [] { return the_driver().devices[0]->is_lost || the_driver().devices[1]->is_lost; };
  while (!e->is_signaled) {
    if (is_lost()) return kLostCode;
    if (timeout == 0) return kNotReady;
    signals().wait_for(lock, std::chrono::milliseconds(20));
  }
  return kSuccess;
}

ZE(zeEventQueryStatus)(ZeEvent event) {
  ENTER(zeEventQueryStatus);
  const std::lock_guard lock(signals_mutex());
  return as<Event>(event)->is_signaled ? kSuccess : kNotReady;
}

ZE(zeEventHostReset)(ZeEvent event) {
  ENTER(zeEventHostReset);
  auto* const e = as<Event>(event);
  const std::lock_guard lock(signals_mutex());
  if (e->users != 0) broken_rule("an event is reset while commands use it");
  e->is_signaled = false;
  return kSuccess;
}

ZE(zeEventQueryKernelTimestamp)(ZeEvent event, Timestamps* to) {
  ENTER(zeEventQueryKernelTimestamp);
  const Event* const e = as<Event>(event);
  const std::lock_guard lock(signals_mutex());
  NEED(e->is_signaled, kNotReady);
  to->global_start = to->context_start = e->start & 0xFFFFFFFF;
  to->global_end = to->context_end = e->end & 0xFFFFFFFF;
  return kSuccess;
}
