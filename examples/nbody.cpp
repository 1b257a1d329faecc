// N-body: all-pairs gravity, tiled through shared memory. A time step is two kernels; a graph holds ten steps
// and is submitted as a whole. The result is compared with the same integration on the host.
//
//   nbody [DEVICE] [BODIES] [STEPS]       STEPS is rounded up to a multiple of 10
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <quern/inline.hpp>

QUERN_CODE(
    struct Body { float x, y, z, mass; };
    struct Velocity { float x, y, z; };)

// Each block loads 64 bodies at a time into shared memory and adds up their attraction.
QUERN_KERNEL(accelerate, (int n, float dt, const Body* bodies, Velocity* velocities), {
  __shared__ Body tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Body self = bodies[i < n ? i : 0];
  float ax = 0.0f;
  float ay = 0.0f;
  float az = 0.0f;
  for (int first = 0; first < n; first += 64) {
    int j = first + threadIdx.x;
    if (j < n) tile[threadIdx.x] = bodies[j];
    __syncthreads();
    int count = n - first < 64 ? n - first : 64;
    for (int k = 0; k < count; ++k) {
      float dx = tile[k].x - self.x;
      float dy = tile[k].y - self.y;
      float dz = tile[k].z - self.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float pull = tile[k].mass * inverse * inverse * inverse;
      ax += dx * pull;
      ay += dy * pull;
      az += dz * pull;
    }
    __syncthreads();
  }
  if (i < n) {
    velocities[i].x += ax * dt;
    velocities[i].y += ay * dt;
    velocities[i].z += az * dt;
  }
})

QUERN_KERNEL(move, (int n, float dt, Body* bodies, const Velocity* velocities), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bodies[i].x += velocities[i].x * dt;
  bodies[i].y += velocities[i].y * dt;
  bodies[i].z += velocities[i].z * dt;
})

namespace {

constexpr float kTimeStep = 0.01f;
constexpr int kStepsPerGraph = 10;

std::vector<Body> random_bodies(int n) {
  std::mt19937 random(42);
  std::uniform_real_distribution<float> place(-1.0f, 1.0f);
  std::vector<Body> bodies(static_cast<std::size_t>(n));
  for (Body& b : bodies) b = {place(random), place(random), place(random), 1.0f / static_cast<float>(n)};
  return bodies;
}

void step_on_host(std::vector<Body>& bodies, std::vector<Velocity>& velocities) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double ax = 0, ay = 0, az = 0;
    for (const Body& other : bodies) {
      const double dx = other.x - bodies[i].x, dy = other.y - bodies[i].y, dz = other.z - bodies[i].z;
      const double inverse = 1.0 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
      const double pull = other.mass * inverse * inverse * inverse;
      ax += dx * pull, ay += dy * pull, az += dz * pull;
    }
    velocities[i].x += static_cast<float>(ax) * kTimeStep;
    velocities[i].y += static_cast<float>(ay) * kTimeStep;
    velocities[i].z += static_cast<float>(az) * kTimeStep;
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].x += velocities[i].x * kTimeStep;
    bodies[i].y += velocities[i].y * kTimeStep;
    bodies[i].z += velocities[i].z * kTimeStep;
  }
}

int run(const char* device, int n, int steps) {
  const quern::Device gpu = quern::open(device);
  std::vector<Body> expected = random_bodies(n);
  std::vector<Velocity> expected_velocities(expected.size());
  auto bodies = gpu.upload(expected, "bodies");
  auto velocities = gpu.upload(expected_velocities, "velocities");

  const quern::LaunchConfig launch = quern::grid((n + 63) / 64, 64);
  const quern::Graph ten_steps = gpu.record([&](const quern::Stream& stream) {
    for (int i = 0; i < kStepsPerGraph; ++i) {
      stream.launch(accelerate, launch, n, kTimeStep, bodies, velocities);
      stream.launch(move, launch, n, kTimeStep, bodies, velocities);
    }
  });
  const int runs = (steps + kStepsPerGraph - 1) / kStepsPerGraph;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) gpu.stream().run(ten_steps);
  gpu.synchronize();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  for (int i = 0; i < runs * kStepsPerGraph; ++i) step_on_host(expected, expected_velocities);
  const std::vector<Body> result = bodies.download();
  double difference = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    difference = std::max<double>(difference, std::abs(result[i].x - expected[i].x));
    difference = std::max<double>(difference, std::abs(result[i].y - expected[i].y));
    difference = std::max<double>(difference, std::abs(result[i].z - expected[i].z));
  }
  const double pairs = static_cast<double>(n) * n * runs * kStepsPerGraph;
  std::printf("%s (%s): %d bodies, %d steps, %.3g interactions per second\n", gpu.name().c_str(),
              gpu.driver().c_str(), n, runs * kStepsPerGraph, pairs / seconds);
  std::printf("largest difference from the host: %.2g\n", difference);
  return difference < 1e-5 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 2 ? std::atoi(argv[2]) : 2048, steps = argc > 3 ? std::atoi(argv[3]) : 20;
  if (n < 1 || steps < 1) {
    std::fprintf(stderr, "usage: nbody [DEVICE] [BODIES] [STEPS]\n");
    return 2;
  }
  try {
    return run(argc > 1 ? argv[1] : "", n, steps);
  } catch (const quern::Error& error) {
    std::fprintf(stderr, "nbody: %s\n", error.what());
    return 3;
  }
}
