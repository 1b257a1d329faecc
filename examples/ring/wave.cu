// A wave field that all threads of a grid compute together (wave.cpp, docs/ring_examples.md). A message is a
// kind, a position, a number of steps and a value: an impulse, 100 steps, the value at a position:
//
//   quern ring run examples/ring/wave.cu '{0, 32, 32, 0, 1}' '{1, 32, 32, 100, 0}' '{4, 40, 32, 0, 0}' --shape grid
//     --state '{64, 64, 0.999, 0.25, 0}' --buffer 'f32[4096]=0' --buffer 'f32[4096]=0'
struct State { int width, height; float damping, speed; unsigned steps; };
struct Message { int kind; int x, y; int steps; float value; };
struct Reply { unsigned steps; float value; };
constexpr int kImpulse = 0, kSteps = 1, kDamping = 2, kSpeed = 3, kValue = 4, kClear = 5, kRadius = 3;

// A smooth hump: a single cell would create waves that the grid cannot represent.
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
  context.sync();  // all threads have read the state, and the reply is sent after all are done
  if (thread == 0) {
    state.steps = steps;
    if (m.kind == kDamping) state.damping = m.value;
    if (m.kind == kSpeed) state.speed = m.value;
  }
  return Reply{steps, now[m.y * state.width + m.x]};
}
