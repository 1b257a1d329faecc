// How the kernel of a group gets to run. The persistent engine launches it once, the driven one for each
// batch; to everything above both are two blocks of words in the host's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quern/device.hpp"
#include "ring/inbox.hpp"
#include "ring/layout.hpp"
#include "ring/text.hpp"

namespace quern::ring {

// What an engine is given.
struct EngineParts {
  Device device;
  Module module;
  Plan plan;
  Layout layout;
  Options options;
  std::uint32_t workers = 1;  // that share the actors
  // Of another engine, whose place this one takes or whose work it repeats; else empty.
  Slice<std::uint64_t> own;
  std::uint64_t* to_device = nullptr;  // Driven only
  std::uint64_t* to_host = nullptr;
};

// One launch of many.
struct Burst {
  std::uint64_t number = 0;  // 0: none is under way
  std::uint64_t steps = 0;   // messages and whatever else it may handle, at most
  bool is_first = false;     // drivers make code then
};

class KernelEngine {
 public:
  explicit KernelEngine(EngineParts parts) : parts_(std::move(parts)), losses_(parts_.device.losses()) {}
  virtual ~KernelEngine() = default;
  KernelEngine(const KernelEngine&) = delete;
  KernelEngine& operator=(const KernelEngine&) = delete;

  virtual std::uint64_t* to_device() = 0;
  virtual std::uint64_t* to_host() = 0;

  // `inboxes`: of all actors, then, where there are such, those for urgent messages.
  virtual void start(std::span<const Inbox* const> inboxes) = 0;
  // Does what is to do without waiting for long; false: there was nothing. Called by one thread.
  virtual bool step() = 0;
  virtual bool is_quiet() const = 0;  // nothing is under way that would end by itself
  virtual Burst burst() const { return {}; }
  // Another module of the same layout, while nothing of this one runs.
  void replace(Module module);
  // Nothing of it runs any more; after that, how the kernel ended: empty for as it should.
  virtual bool is_over() = 0;
  virtual std::string how_it_ended() = 0;
  // Waits for what else was launched, when the kernel has faulted or was told to leave.
  virtual void finish() {}
  // Kernels are launched from now on for a device that was lost so often: all is there again.
  void go_on_after(std::uint64_t losses) { losses_ = losses; }
  // The kernel will never return: whatever it uses is left to it.
  virtual void give_up() = 0;

  // The device's own block, while no actor works.
  void read_own(std::uint64_t at, std::span<std::uint64_t> to) const;
  void write_own(std::uint64_t at, std::span<const std::uint64_t> from) const;

  std::uint64_t launches() const { return launches_; }
  const EngineParts& parts() const { return parts_; }
  const Slice<std::uint64_t>& own() const { return own_; }

 protected:
  Buffer<std::uint64_t> allocate_zeros(std::uint64_t words) const;
  void allocate_own();
  void launch(const Stream& stream, const Argument& to_device, const Argument& to_host, std::uint32_t first,
              std::uint32_t blocks);

  EngineParts parts_;
  Buffer<std::uint64_t> allocated_;  // empty: `own_` is another's
  Slice<std::uint64_t> own_;
  Kernel kernel_;
  std::atomic<std::uint64_t> launches_{0};
  std::uint64_t losses_ = 0;
};

std::unique_ptr<KernelEngine> make_persistent(EngineParts parts);
std::unique_ptr<KernelEngine> make_driven(EngineParts parts);

// Whether kernels of the device may run for ever and see memory that the host sees.
bool can_persist(const DeviceInfo& info);

}  // namespace quern::ring
