// Runs the kernel of a group. The persistent engine launches it once, the driven one for each batch; the
// layers above see two blocks of words in host memory for both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quern/device.hpp"
#include "quern/extension.hpp"
#include "ring/inbox.hpp"
#include "ring/layout.hpp"
#include "ring/text.hpp"

namespace quern::ring {

// The inputs of an engine.
struct EngineParts {
  Device device;
  Module module;
  Plan plan;
  Layout layout;
  Options options;
  std::uint32_t workers = 1;  // that share the actors
  // Memory of another engine that this one replaces or replays; otherwise empty.
  Slice<std::uint64_t> own;
  std::uint64_t* to_device = nullptr;  // driven only
  std::uint64_t* to_host = nullptr;
};

// One of many launches.
struct Burst {
  std::uint64_t number = 0;  // 0: none in flight
  std::uint64_t steps = 0;   // maximum number of messages and other steps
  bool is_first = false;     // drivers compile code then
};

class KernelEngine {
 public:
  explicit KernelEngine(EngineParts parts)
      : parts_(std::move(parts)), losses_(extension::losses(parts_.device)) {}
  virtual ~KernelEngine() = default;
  KernelEngine(const KernelEngine&) = delete;
  KernelEngine& operator=(const KernelEngine&) = delete;

  virtual std::uint64_t* to_device() = 0;
  virtual std::uint64_t* to_host() = 0;

  // `inboxes`: those of all actors, followed by those for urgent messages, if any.
  virtual void start(std::span<const Inbox* const> inboxes) = 0;
  // Makes progress without blocking for long; false: nothing to do. Called by one thread.
  virtual bool step() = 0;
  virtual bool is_quiet() const = 0;  // no work in flight that ends without a command
  virtual Burst burst() const { return {}; }
  // Replaces the module by another one of the same layout, while nothing runs.
  void replace(Module module);
  // Nothing runs any more; then returns how the kernel ended: empty if normally.
  virtual bool is_over() = 0;
  virtual std::string how_it_ended() = 0;
  // Waits for other launches after the kernel has faulted or was ordered to leave.
  virtual void finish() {}
  // Kernels launched from now on are for the device after this number of losses: everything is restored.
  void go_on_after(std::uint64_t losses) { losses_ = losses; }
  // The kernel will never return: everything it uses is leaked.
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
  Buffer<std::uint64_t> allocated_;  // empty: `own_` belongs to another engine
  Slice<std::uint64_t> own_;
  Kernel kernel_;
  std::atomic<std::uint64_t> launches_{0};
  std::uint64_t losses_ = 0;
};

std::unique_ptr<KernelEngine> make_persistent(EngineParts parts);
std::unique_ptr<KernelEngine> make_driven(EngineParts parts);

// Whether the device supports persistent kernels that see host memory.
bool can_persist(const DeviceInfo& info);

}  // namespace quern::ring
