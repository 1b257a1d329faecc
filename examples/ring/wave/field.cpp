#include "field.hpp"

#include <algorithm>
#include <utility>

namespace wave {
namespace {

constexpr State kStart{0, 0, 0.999f, 0.25f, 0};
constexpr int kRadius = 3;

// Two fields take turns: the newest is in the first one while `steps` is even.
constexpr const char* kText = R"(
struct State { int width, height; float damping, speed; unsigned steps; };
struct Message { int kind; int x, y; int steps; float value; };
struct Reply { unsigned steps; float value; };
constexpr int kImpulse = 0, kSteps = 1, kDamping = 2, kSpeed = 3, kValue = 4, kClear = 5, kRadius = 3;

// A smooth hump: a single cell would make waves that the grid cannot carry.
__device__ void impulse(const State& state, float* now, const Message& m, unsigned thread, unsigned threads) {
  const int side = 2 * kRadius + 1;
  for (int i = thread; i < side * side; i += threads) {
    const int dx = i % side - kRadius, dy = i / side - kRadius;
    const int x = m.x + dx, y = m.y + dy;
    if (x < 1 || y < 1 || x >= state.width - 1 || y >= state.height - 1) continue;
    const float far = (float)(dx * dx + dy * dy) / (float)(kRadius * kRadius + 1);
    if (far < 1.0f) now[y * state.width + x] += m.value * (1.0f - far) * (1.0f - far);
  }
}

__device__ void step(const State& state, const float* now, float* before, unsigned thread, unsigned threads) {
  const int width = state.width, cells = state.width * state.height;
  for (int i = thread; i < cells; i += threads) {
    const int x = i % width, y = i / width;
    if (x < 1 || y < 1 || x >= width - 1 || y >= state.height - 1) continue;
    const float around = now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4.0f * now[i];
    before[i] = state.damping * (2.0f * now[i] - before[i] + state.speed * around);
  }
}

__device__ Reply on_message(State& state, const Message& m, quern::ring::Context& context) {
  const bool is_odd = (state.steps & 1u) != 0;
  float* now = context.buffer<float>(is_odd ? 1 : 0);
  float* before = context.buffer<float>(is_odd ? 0 : 1);
  const unsigned thread = context.thread(), threads = context.threads();
  const unsigned steps = state.steps + (m.kind == kSteps ? (unsigned)m.steps : 0u);
  if (m.kind == kImpulse) impulse(state, now, m, thread, threads);
  if (m.kind == kClear) {
    for (int i = thread; i < state.width * state.height; i += threads) now[i] = before[i] = 0.0f;
  }
  for (int s = 0; m.kind == kSteps && s < m.steps; ++s) {
    step(state, now, before, thread, threads);
    float* const other = now;
    now = before;
    before = other;
    context.sync();
  }
  context.sync();  // all have read the state, and nobody replies before all are done
  if (thread == 0) {
    state.steps = steps;
    if (m.kind == kDamping) state.damping = m.value;
    if (m.kind == kSpeed) state.speed = m.value;
  }
  return Reply{steps, now[m.y * state.width + m.x]};
}
)";

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
    options.threads = std::min(512u, device.info().max_block_threads);
  }
  options.buffers = {first_, second_};
  const auto bytes = std::as_bytes(std::span<const State, 1>(&state, 1));
  options.state.assign(bytes.begin(), bytes.end());
  actor_ = quern::ring::spawn(device, kText, options).as<State, Message, Reply>();
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
