// The persistent engine: a kernel that is launched once, and blocks of memory that host and device share.
#include <mutex>
#include <utility>

#include "quern/error.hpp"
#include "ring/engine.hpp"
#include "ring/failure.hpp"

namespace quern::ring {
namespace {

class Persistent final : public KernelEngine {
 public:
  explicit Persistent(EngineParts parts) : KernelEngine(std::move(parts)) {
    allocate_own();
    to_device_ = allocate(parts_.layout.to_device_words);
    to_host_ = allocate(parts_.layout.to_host_words);
  }

  std::uint64_t* to_device() override { return to_device_.host().data(); }
  std::uint64_t* to_host() override { return to_host_.host().data(); }

  void start(std::span<const Inbox* const>) override {
    take_lanes().clear();
    // A CPU runs the blocks of a launch sequentially, so each worker has its own launch.
    const bool is_cpu = parts_.device.info().kind == DeviceKind::cpu;
    const std::uint32_t launches = is_cpu && parts_.plan.shape != Shape::grid ? parts_.workers : 1;
    for (std::uint32_t i = 0; i < launches; ++i) {
      Lane lane{extension::create_persistent_stream(parts_.device), {}};
      // After a loss without recovery, the memory of the kernel does not exist.
      if (extension::losses(parts_.device) != losses_)
        fail(ErrorKind::device_lost, message::kLostBeforeLaunch(parts_.device.name()));
      launch(lane.stream, to_device_, to_host_, i, launches == 1 ? blocks() : 1);
      lane.end = lane.stream.record();
      const std::lock_guard lock(lanes_mutex_);
      lanes_.push_back(std::move(lane));
    }
  }

  bool step() override { return false; }
  bool is_quiet() const override { return false; }

  bool is_over() override {
    const std::lock_guard lock(lanes_mutex_);
    try {
      for (const Lane& lane : lanes_) {
        if (!lane.end.reached()) return false;
      }
    } catch (const Error&) {  // reported by how_it_ended()
    }
    return true;
  }

  std::string how_it_ended() override {
    const std::lock_guard lock(lanes_mutex_);
    for (const Lane& lane : lanes_) {
      try {
        lane.stream.synchronize();
      } catch (const Error& e) {
        return e.message();
      }
    }
    return {};
  }

  void give_up() override {
    // Memory that the kernel accesses must not be freed before the process ends.
    struct Left {
      std::vector<Lane> lanes;
      Buffer<std::uint64_t> own, to_device, to_host;
      EngineParts parts;
    };
    new Left{take_lanes(), std::move(allocated_), std::move(to_device_), std::move(to_host_), parts_};
  }

 private:
  struct Lane {
    Stream stream;
    Event end;
  };

  std::vector<Lane> take_lanes() {
    const std::lock_guard lock(lanes_mutex_);
    return std::exchange(lanes_, {});
  }

  std::uint32_t blocks() const {
    return parts_.plan.shape == Shape::grid ? parts_.options.blocks : parts_.workers;
  }

  Buffer<std::uint64_t> allocate(std::uint32_t words) const {
    const MemoryKind kind = parts_.plan.survives_device_loss                   ? MemoryKind::host_backed
                            : parts_.device.info().has(Feature::mapped_memory) ? MemoryKind::mapped
                                                                               : MemoryKind::device;
    Buffer<std::uint64_t> buffer = parts_.device.allocate<std::uint64_t>(words, kind, "ring");
    if (buffer.host().empty()) fail(ErrorKind::unsupported, message::kNoSharedMemory(parts_.device.name()));
    for (std::uint64_t& word : buffer.host()) word = 0;
    return buffer;
  }

  Buffer<std::uint64_t> to_device_, to_host_;
  std::mutex lanes_mutex_;  // a thread that kills an actor abandons them while the group's thread checks them
  std::vector<Lane> lanes_;
};

}  // namespace

bool can_persist(const DeviceInfo& info) {
  return info.has(Feature::persistent) && (info.has(Feature::mapped_memory) || info.kind == DeviceKind::cpu);
}

std::unique_ptr<KernelEngine> make_persistent(EngineParts parts) {
  return std::make_unique<Persistent>(std::move(parts));
}

}  // namespace quern::ring
