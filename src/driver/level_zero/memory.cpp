#include <numeric>

#include "base/text.hpp"
#include "driver/level_zero/device.hpp"
#include "driver/support/messages.hpp"

namespace quern::level_zero {

using base::Error;
using base::ErrorKind;
using driver::Feature;
using driver::MemoryKind;

namespace {

constexpr size_t kAlignment = 256;  // of new memory: what cudaMalloc promises

void* at(driver::Place p) { return reinterpret_cast<void*>(p.buffer->address + p.offset); }

}  // namespace

Result<void*> Device::allocate_at(uint64_t bytes, MemoryKind kind) {
  const ZeContext context = context_->id.get();
  void* at = nullptr;
  ZeResult code = kSuccess;
  const RelaxedLimits relaxed;
  DeviceAllocation device;
  if (found_.has_large_buffers && bytes > found_.max_allocation) device.next = &relaxed;
  const HostAllocation host;
  // Memory that moves may be accessed by both at the same time only where the device says so.
  const bool is_managed = kind == MemoryKind::managed ||
                          (kind == MemoryKind::shared && (found_.shared_access & kAccessConcurrent) != 0);
  if (kind == MemoryKind::device) {
    code = api_->zeMemAllocDevice(context, &device, bytes, kAlignment, found_.id, &at);
  } else if (is_managed) {
    code = api_->zeMemAllocShared(context, &device, &host, bytes, kAlignment, found_.id, &at);
  } else {
    code = api_->zeMemAllocHost(context, &host, bytes, kAlignment, &at);
  }
  if (code != kSuccess) return failed("allocating " + base::format_bytes(bytes), code);
  return at;
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, MemoryKind kind) {
  QUERN_TRY(alive());
  if (kind == MemoryKind::shared && !found_.info.features.has(Feature::shared_memory))
    return Error(ErrorKind::unsupported, driver::message::kNoSharedMemory(found_.info.name));
  auto memory = allocate_at(bytes == 0 ? 1 : bytes, kind);
  if (!memory.ok()) return check(std::move(memory).error()).error();
  auto buffer = std::make_unique<Buffer>(context_, *memory);
  buffer->bytes = bytes;
  buffer->kind = kind;
  buffer->address = reinterpret_cast<uint64_t>(*memory);
  if (kind != MemoryKind::device) buffer->host = static_cast<std::byte*>(*memory);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

// Devices of one driver copy from each other directly, where one can access the other's memory.
Result<> Device::copy_from(driver::Stream& stream, driver::Place to, driver::Device& other,
                           driver::Place from, uint64_t bytes) {
  QUERN_TRY(alive());
  auto* const peer = dynamic_cast<Device*>(&other);
  uint8_t can_access = 0;
  if (peer != nullptr && peer->api_ == api_ && peer->found_.driver == found_.driver) {
    if (peer->found_.id == found_.id) {
      can_access = 1;
    } else if (api_->zeDeviceCanAccessPeer(found_.id, peer->found_.id, &can_access) != kSuccess) {
      can_access = 0;
    }
  }
  if (can_access == 0) return CommandDevice::copy_from(stream, to, other, from, bytes);
  if (bytes == 0) return {};
  auto& q = static_cast<Stream&>(stream);
  QUERN_TRY(switch_to(q, Engine::kCompute));
  QUERN_TRY(order(q));
  q.needs_barrier = true;
  if (const ZeResult code = api_->zeCommandListAppendMemoryCopyFromContext(
          q.compute.get(), at(to), peer->context_->id.get(), at(from), bytes, nullptr, 0, nullptr);
      code != kSuccess)
    return check(failed("copying " + base::format_bytes(bytes) + " from " + peer->found_.info.name, code));
  return {};
}

// Sysman lists the memory of all tiles of a card.
bool Device::is_own_memory(ZesMemory module) const {
  if (!found_.subdevice) return true;
  SysmanMemoryProperties p;
  return api_->zesMemoryGetProperties != nullptr && api_->zesMemoryGetProperties(module, &p) == kSuccess &&
         p.is_on_subdevice != 0 && p.subdevice == *found_.subdevice;
}

uint64_t Device::free_memory() {
  if (found_.sysman == nullptr || api_->zesDeviceEnumMemoryModules == nullptr ||
      api_->zesMemoryGetState == nullptr)
    return 0;
  const auto modules = list_of<ZesMemory>([&](uint32_t* count, ZesMemory* to) {
    return api_->zesDeviceEnumMemoryModules(found_.sysman, count, to);
  });
  return std::accumulate(modules.begin(), modules.end(), uint64_t{0}, [&](uint64_t sum, ZesMemory module) {
    SysmanMemoryState state;
    const bool counts = is_own_memory(module) && api_->zesMemoryGetState(module, &state) == kSuccess;
    return counts ? sum + state.free_bytes : sum;
  });
}

// Fills by the device; others are uploads.
bool Device::can_fill(const driver::Command& c) const {
  return c.to.offset % c.width == 0 && c.width <= compute_.max_fill_pattern;
}

Result<> Device::append(ZeList list, const driver::Command& c) {
  using Kind = driver::Command::Kind;
  switch (c.kind) {
    case Kind::kLaunch: return append_launch(list, static_cast<Kernel&>(*c.kernel), c.launch);
    case Kind::kUpload:
      QUERN_ZE(zeCommandListAppendMemoryCopy(list, at(c.to), c.source, c.bytes, nullptr, 0, nullptr));
      return {};
    case Kind::kDownload:
      QUERN_ZE(zeCommandListAppendMemoryCopy(list, c.target, at(c.from), c.bytes, nullptr, 0, nullptr));
      return {};
    case Kind::kCopy:
      QUERN_ZE(zeCommandListAppendMemoryCopy(list, at(c.to), at(c.from), c.bytes, nullptr, 0, nullptr));
      return {};
    case Kind::kFill:
      QUERN_ZE(
          zeCommandListAppendMemoryFill(list, at(c.to), &c.value, c.width, c.bytes, nullptr, 0, nullptr));
      return {};
  }
  return Error(ErrorKind::internal, driver::message::kUnknownCommand());
}

}  // namespace quern::level_zero
