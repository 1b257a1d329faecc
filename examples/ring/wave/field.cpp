#include "field.hpp"

#include <algorithm>
#include <utility>

namespace wave {
namespace {

constexpr State kStart{0, 0, 0.999f, 0.25f, 0};
constexpr int kRadius = 3;

// Two fields alternate: the newest is in the first one while `steps` is even.
#ifdef QUERN_SOURCE_DIR
constexpr const char* kSource = QUERN_SOURCE_DIR "/examples/ring/wave.cu";
#else
constexpr const char* kSource = "wave.cu";  // in the current folder
#endif

}  // namespace

Field::Field(const quern::Device& device, Size size)
    : size_(size),
      first_(device.upload(std::vector<float>(static_cast<std::size_t>(size.cells()), 0.0f))),
      second_(device.upload(std::vector<float>(static_cast<std::size_t>(size.cells()), 0.0f))) {
  State state = kStart;
  state.width = size.width;
  state.height = size.height;
  quern::ring::Options options;
  options.shape = quern::ring::Shape::grid;
  if (device.info().kind == quern::DeviceKind::cpu) {
    options.blocks = 1;
    options.threads = 64;
  } else {
    options.blocks = std::min(16u, std::max(1u, device.info().compute_units));
    options.threads = std::min(512u, device.info().limits.block_threads);
  }
  options.buffers = {first_, second_};
  const auto bytes = std::as_bytes(std::span<const State, 1>(&state, 1));
  options.state.assign(bytes.begin(), bytes.end());
  actor_ = quern::ring::spawn_file(device, kSource, options).as<State, Message, Reply>();
}

std::vector<float> Field::read() const {
  const Reply reply = call({Kind::kValue, 0, 0, 0, 0});
  return (reply.steps & 1u) == 0 ? first_.download() : second_.download();
}

HostField::HostField(Size size)
    : size_(size), state_(kStart), now_(static_cast<std::size_t>(size.cells()), 0.0f), before_(now_) {}

void HostField::step() {
  const auto width = static_cast<std::size_t>(size_.width), height = static_cast<std::size_t>(size_.height);
  for (std::size_t y = 1; y + 1 < height; ++y) {
    for (std::size_t x = 1; x + 1 < width; ++x) {
      const std::size_t i = y * width + x;
      const float around = now_[i - 1] + now_[i + 1] + now_[i - width] + now_[i + width] - 4.0f * now_[i];
      before_[i] = state_.damping * (2.0f * now_[i] - before_[i] + state_.speed * around);
    }
  }
  std::swap(now_, before_);
}

float HostField::handle(const Message& m) {
  if (m.kind == Kind::kImpulse) {
    for (int dy = -kRadius; dy <= kRadius; ++dy) {
      for (int dx = -kRadius; dx <= kRadius; ++dx) {
        const int x = m.x + dx, y = m.y + dy;
        if (x < 1 || y < 1 || x >= size_.width - 1 || y >= size_.height - 1) continue;
        const float far = static_cast<float>(dx * dx + dy * dy) / static_cast<float>(kRadius * kRadius + 1);
        if (far < 1.0f) at(x, y) += m.value * (1.0f - far) * (1.0f - far);
      }
    }
  }
  for (int s = 0; m.kind == Kind::kSteps && s < m.steps; ++s) step();
  if (m.kind == Kind::kDamping) state_.damping = m.value;
  if (m.kind == Kind::kSpeed) state_.speed = m.value;
  if (m.kind == Kind::kClear) {
    std::fill(now_.begin(), now_.end(), 0.0f);
    std::fill(before_.begin(), before_.end(), 0.0f);
  }
  return at(m.x, m.y);
}

}  // namespace wave
