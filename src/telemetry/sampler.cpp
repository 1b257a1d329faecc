#include "telemetry/sampler.hpp"

#include <algorithm>
#include <utility>

namespace quern::telemetry {

Sampler::Sampler(std::chrono::duration<double> interval, Callback callback)
    : interval_(interval), callback_(std::move(callback)), thread_([this] { run(); }) {}

Sampler::~Sampler() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Sampler::add(const DeviceInfo& device) {
  const std::lock_guard lock(mutex_);
  added_.push_back(device);
  wake_.notify_one();
}

void Sampler::run() {
  auto next = Rate::Clock::now();
  for (bool is_last = false; !is_last;) {  // the last reading is taken at the end, however soon that is
    std::vector<DeviceInfo> added;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_until(lock, next, [this] { return is_ending_ || !added_.empty(); });
      is_last = is_ending_;
      added.swap(added_);
    }
    for (DeviceInfo& device : added) {
      const std::string id = device.id();
      const bool is_known = std::any_of(sampled_.begin(), sampled_.end(),
                                        [&](const Sampled& s) { return s.device.id() == id; });
      if (!is_known) {
        auto monitor = std::make_unique<Monitor>(device);
        sampled_.push_back({std::move(device), std::move(monitor)});
      }
    }
    for (const Sampled& s : sampled_) callback_(s.device, s.monitor->read());
    next = Rate::Clock::now() + std::chrono::duration_cast<Rate::Clock::duration>(interval_);
  }
}

}  // namespace quern::telemetry
