// k-means clustering of points in the plane: assign each point to the nearest center, then move each center
// to the mean of its points. Blocks add up in shared memory first, so that few atomic operations reach global
// memory. The clusters are well separated; the program checks that it finds them.
//
//   kmeans [DEVICE] [POINTS]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <quern/inline.hpp>

QUERN_CODE(
    constexpr int kClusters = 8;
    struct Point { float x, y; };
    struct Sum { float x, y; unsigned count; };)

QUERN_KERNEL(assign, (int n, const Point* points, const Point* centers, int* labels, Sum* sums), {
  __shared__ Sum block_sums[kClusters];
  if (threadIdx.x < kClusters) block_sums[threadIdx.x] = Sum{0.0f, 0.0f, 0u};
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int nearest = 0;
    float least = 3.0e38f;
    for (int c = 0; c < kClusters; ++c) {
      float dx = points[i].x - centers[c].x;
      float dy = points[i].y - centers[c].y;
      float distance = dx * dx + dy * dy;
      if (distance < least) {
        least = distance;
        nearest = c;
      }
    }
    labels[i] = nearest;
    atomicAdd(&block_sums[nearest].x, points[i].x);
    atomicAdd(&block_sums[nearest].y, points[i].y);
    atomicAdd(&block_sums[nearest].count, 1u);
  }
  __syncthreads();
  if (threadIdx.x < kClusters && block_sums[threadIdx.x].count != 0) {
    atomicAdd(&sums[threadIdx.x].x, block_sums[threadIdx.x].x);
    atomicAdd(&sums[threadIdx.x].y, block_sums[threadIdx.x].y);
    atomicAdd(&sums[threadIdx.x].count, block_sums[threadIdx.x].count);
  }
})

// A center without points stays where it is. Clears the sums for the next iteration.
QUERN_KERNEL(update, (Point * centers, Sum* sums, unsigned* counts), {
  int c = threadIdx.x;
  if (sums[c].count != 0) {
    centers[c].x = sums[c].x / static_cast<float>(sums[c].count);
    centers[c].y = sums[c].y / static_cast<float>(sums[c].count);
  }
  counts[c] = sums[c].count;
  sums[c] = Sum{0.0f, 0.0f, 0u};
})

namespace {

// The true centers lie on a circle; point i belongs to center i % kClusters.
Point true_center(int cluster) {
  const float angle = 0.785398f * static_cast<float>(cluster);
  return {10.0f * std::cos(angle), 10.0f * std::sin(angle)};
}

int run(const char* device, int n) {
  const quern::Device gpu = quern::open(device);
  std::mt19937 random(7);
  std::normal_distribution<float> spread(0.0f, 0.5f);
  std::vector<Point> points(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const Point center = true_center(i % kClusters);
    points[static_cast<std::size_t>(i)] = {center.x + spread(random), center.y + spread(random)};
  }
  // The initial centers: the first point of each cluster.
  auto on_device = gpu.upload(points, "points");
  auto centers = gpu.upload(std::vector<Point>(points.begin(), points.begin() + kClusters), "centers");
  auto sums = gpu.upload(std::vector<Sum>(kClusters), "sums");
  auto labels = gpu.allocate<int>(points.size());
  auto counts = gpu.allocate<unsigned>(kClusters);

  for (int iteration = 0; iteration < 10; ++iteration) {
    gpu.launch(assign, quern::grid((n + 127) / 128, 128), n, on_device, centers, labels, sums);
    gpu.launch(update, quern::grid(1, kClusters), centers, sums, counts);
  }

  const std::vector<Point> found = centers.download();
  const std::vector<unsigned> sizes = counts.download();
  const std::vector<int> label = labels.download();
  std::printf("%s (%s): %d points\n", gpu.name().c_str(), gpu.driver().c_str(), n);
  float farthest = 0.0f;
  for (int c = 0; c < kClusters; ++c) {
    const Point center = true_center(c), at = found[static_cast<std::size_t>(c)];
    std::printf("  cluster %d: (%6.2f, %6.2f), %u points\n", c, static_cast<double>(at.x),
                static_cast<double>(at.y), sizes[static_cast<std::size_t>(c)]);
    farthest = std::max(farthest, std::hypot(at.x - center.x, at.y - center.y));
  }
  int misplaced = 0;
  for (int i = 0; i < n; ++i) misplaced += label[static_cast<std::size_t>(i)] != i % kClusters ? 1 : 0;
  std::printf("centers are within %.2f of the true ones; %d points are in another cluster\n",
              static_cast<double>(farthest), misplaced);
  return farthest < 0.5f && misplaced == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 2 ? std::atoi(argv[2]) : 100'000;
  if (n < 8 * kClusters) {
    std::fprintf(stderr, "usage: kmeans [DEVICE] [POINTS]     POINTS is at least %d\n", 8 * kClusters);
    return 2;
  }
  try {
    return run(argc > 1 ? argv[1] : "", n);
  } catch (const quern::Error& error) {
    std::fprintf(stderr, "kmeans: %s\n", error.what());
    return 3;
  }
}
