// The wave field of the benchmarks of commands and steps: 256 × 256 cells, the same arithmetic as an actor of
// shape `grid`, as plain kernels and on the host.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace quern::bench {

inline constexpr int kSide = 256;
inline constexpr int kCells = kSide * kSide;
inline constexpr int kMiddle = kCells / 2 + kSide / 2;

enum class Kind : int { kImpulse, kSteps, kSample };

struct FieldMessage {
  Kind kind;
  int cell;
  int steps;
  float value;
};
struct FieldState {
  unsigned steps;  // done so far: odd, and the newest field is in the second buffer
};

// The 300 commands of the mixed workload: impulses, single steps and samples in turn.
inline std::vector<FieldMessage> mixed_workload() {
  std::vector<FieldMessage> out;
  for (int i = 0; i < 100; ++i) {
    const int cell = (1 + i * 37 % (kSide - 2)) * kSide + 1 + i * 101 % (kSide - 2);
    out.push_back({Kind::kImpulse, cell, 0, 1.0f + 0.01f * static_cast<float>(i)});
    out.push_back({Kind::kSteps, 0, 1, 0});
    out.push_back({Kind::kSample, cell, 0, 0});
  }
  return out;
}

// The field on the host; `run` returns the samples.
class HostField {
 public:
  std::vector<float> run(const std::vector<FieldMessage>& messages) {
    std::vector<float> samples;
    for (const FieldMessage& m : messages) {
      if (m.kind == Kind::kImpulse) now_[static_cast<std::size_t>(m.cell)] += m.value;
      if (m.kind == Kind::kSample) samples.push_back(now_[static_cast<std::size_t>(m.cell)]);
      for (int s = 0; s < m.steps; ++s) step();
    }
    return samples;
  }
  const std::vector<float>& now() const { return now_; }

 private:
  void step() {
    for (std::size_t y = 1; y + 1 < kSide; ++y) {
      for (std::size_t x = 1; x + 1 < kSide; ++x) {
        const std::size_t i = y * kSide + x;
        const float around = now_[i - 1] + now_[i + 1] + now_[i - kSide] + now_[i + kSide] - 4.0f * now_[i];
        before_[i] = 0.999f * (2.0f * now_[i] - before_[i] + 0.25f * around);
      }
    }
    std::swap(now_, before_);
  }
  std::vector<float> now_ = std::vector<float>(kCells, 0.0f), before_ = now_;
};

inline constexpr const char* kFieldActor = R"(
constexpr int kSide = 256, kCells = kSide * kSide;
struct State { unsigned steps; };
struct Message { int kind; int cell; int steps; float value; };
using Reply = float;
__device__ float next(const float* now, const float* before, int i) {
  float around = now[i - 1] + now[i + 1] + now[i - kSide] + now[i + kSide] - 4.0f * now[i];
  return 0.999f * (2.0f * now[i] - before[i] + 0.25f * around);
}
__device__ Reply on_message(State& state, const Message& message, quern::ring::Context& context) {
  const bool is_odd = (state.steps & 1u) != 0;
  float* now = context.buffer<float>(is_odd ? 1 : 0);
  float* before = context.buffer<float>(is_odd ? 0 : 1);
  if (message.kind == 0) {
    if (context.thread() == 0) now[message.cell] += message.value;
    return 0;
  }
  if (message.kind == 2) return now[message.cell];
  for (int s = 0; s < message.steps; ++s) {
    for (int i = context.thread(); i < kCells; i += context.threads()) {
      const int x = i % kSide, y = i / kSide;
      if (x > 0 && y > 0 && x < kSide - 1 && y < kSide - 1) before[i] = next(now, before, i);
    }
    float* const other = now;
    now = before;
    before = other;
    context.sync();
  }
  if (context.thread() == 0) state.steps += message.steps;
  return 0;
}
)";

// The same for many steps in one phase: a block loads its tile and a halo of eight cells to shared memory,
// computes up to eight steps there, after which the tile itself is correct, and only then waits for the other
// blocks. The fields are read from one pair of buffers and written to the other.
inline constexpr const char* kTiledActor = R"(
constexpr int kSide = 256, kTile = 32, kHalo = 8, kPart = kTile + 2 * kHalo, kTiles = (kSide / kTile) * (kSide / kTile);
struct State { unsigned phases; };
struct Message { int kind; int cell; int steps; float value; };
using Reply = float;
__device__ void tile_steps(int tile, int steps, const float* now, const float* before, float* now_out, float* before_out) {
  __shared__ float a[kPart * kPart];
  __shared__ float b[kPart * kPart];
  const int left = tile % (kSide / kTile) * kTile - kHalo, top = tile / (kSide / kTile) * kTile - kHalo;
  for (int i = threadIdx.x; i < kPart * kPart; i += blockDim.x) {
    const int x = left + i % kPart, y = top + i / kPart;
    const bool is_inside = x >= 0 && y >= 0 && x < kSide && y < kSide;
    a[i] = is_inside ? now[y * kSide + x] : 0.0f;
    b[i] = is_inside ? before[y * kSide + x] : 0.0f;
  }
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    float* const from = s % 2 == 0 ? a : b;
    float* const to = s % 2 == 0 ? b : a;
    for (int i = threadIdx.x; i < kPart * kPart; i += blockDim.x) {
      const int u = i % kPart, v = i / kPart, x = left + u, y = top + v;
      if (u <= s || v <= s || u >= kPart - 1 - s || v >= kPart - 1 - s) continue;
      if (x < 1 || y < 1 || x >= kSide - 1 || y >= kSide - 1) continue;
      const float around = from[i - 1] + from[i + 1] + from[i - kPart] + from[i + kPart] - 4.0f * from[i];
      to[i] = 0.999f * (2.0f * from[i] - to[i] + 0.25f * around);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < kTile * kTile; i += blockDim.x) {
    const int u = i % kTile, v = i / kTile, at = (v + kHalo) * kPart + u + kHalo;
    const int cell = (top + kHalo + v) * kSide + left + kHalo + u;
    now_out[cell] = steps % 2 == 0 ? a[at] : b[at];
    before_out[cell] = steps % 2 == 0 ? b[at] : a[at];
  }
  __syncthreads();
}
__device__ Reply on_message(State& state, const Message& message, quern::ring::Context& context) {
  unsigned phases = state.phases;
  float* const now = context.buffer<float>((phases & 1u) != 0 ? 2 : 0);
  if (message.kind == 0) {
    if (context.thread() == 0) now[message.cell] += message.value;
    return 0;
  }
  if (message.kind == 2) return now[message.cell];
  for (int done = 0; done < message.steps; done += kHalo) {
    const int steps = message.steps - done < kHalo ? message.steps - done : kHalo;
    const int from = (phases & 1u) != 0 ? 2 : 0, to = 2 - from;
    for (int tile = blockIdx.x; tile < kTiles; tile += gridDim.x)
      tile_steps(tile, steps, context.buffer<float>(from), context.buffer<float>(from + 1), context.buffer<float>(to),
                 context.buffer<float>(to + 1));
    ++phases;
    context.sync();
  }
  if (context.thread() == 0) state.phases = phases;
  return 0;
}
)";

// As a CUDA programmer would write them.
inline constexpr const char* kFieldKernels = R"(
#define SIDE 256
struct Command { int kind; int cell; int steps; float value; };
extern "C" __global__ void step(const float* now, float* before) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= SIDE - 1 || y >= SIDE - 1) return;
  int i = y * SIDE + x;
  float around = now[i - 1] + now[i + 1] + now[i - SIDE] + now[i + SIDE] - 4.0f * now[i];
  before[i] = 0.999f * (2.0f * now[i] - before[i] + 0.25f * around);
}
extern "C" __global__ void impulse(const Command* command, float* now) { now[command->cell] += command->value; }
extern "C" __global__ void sample(const Command* command, const float* now, float* out) {
  *out = now[command->cell];
}
)";

}  // namespace quern::bench
