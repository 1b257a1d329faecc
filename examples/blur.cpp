// A box blur as a kernel template over the pixel type and the radius. The kernel's source is a string here (a
// file works the same way: Device::load), and each instantiation is compiled when it is first requested by
// name.
//
//   blur [DEVICE]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <quern/quern.hpp>

namespace {

constexpr const char* kSource = R"(
template <typename T> struct Accumulator { using type = float; };
template <> struct Accumulator<unsigned char> { using type = unsigned; };

// Pixels outside of the picture repeat the edge.
template <typename Pixel, int Radius>
__global__ void blur(int width, int height, const Pixel* from, Pixel* to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  typename Accumulator<Pixel>::type sum = 0;
  #pragma unroll
  for (int dy = -Radius; dy <= Radius; ++dy) {
    for (int dx = -Radius; dx <= Radius; ++dx) {
      int column = min(max(x + dx, 0), width - 1);
      int row = min(max(y + dy, 0), height - 1);
      sum += from[row * width + column];
    }
  }
  constexpr int kPixels = (2 * Radius + 1) * (2 * Radius + 1);
  to[y * width + x] = static_cast<Pixel>(sum / kPixels);
}
)";

constexpr int kWidth = 301, kHeight = 203;

template <typename Pixel, typename Sum>
std::vector<Pixel> blur_on_host(const std::vector<Pixel>& from, int radius) {
  std::vector<Pixel> to(from.size());
  const int pixels = (2 * radius + 1) * (2 * radius + 1);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      Sum sum = 0;
      for (int row = y - radius; row <= y + radius; ++row) {
        for (int column = x - radius; column <= x + radius; ++column) {
          const int inside = std::clamp(row, 0, kHeight - 1) * kWidth + std::clamp(column, 0, kWidth - 1);
          sum += from[static_cast<std::size_t>(inside)];
        }
      }
      to[static_cast<std::size_t>(y * kWidth + x)] = static_cast<Pixel>(sum / static_cast<Sum>(pixels));
    }
  }
  return to;
}

// Blurs a test picture and returns whether every pixel equals the host's.
template <typename Pixel, typename Sum>
bool check(const quern::Device& gpu, const quern::Module& module, const std::string& type, int radius) {
  std::vector<Pixel> picture(kWidth * kHeight);
  for (std::size_t i = 0; i < picture.size(); ++i) picture[i] = static_cast<Pixel>(i * i / 7 % 256);
  auto from = gpu.upload(picture), to = gpu.upload(std::vector<Pixel>(picture.size()));

  const std::string name = "blur<" + type + ", " + std::to_string(radius) + ">";
  const quern::Receipt receipt =
      gpu.launch(module.kernel(name), quern::threads(kWidth, kHeight).timed(), kWidth, kHeight, from, to);
  const bool is_right = to.download() == blur_on_host<Pixel, Sum>(picture, radius);
  std::printf("  %-24s %8.3f ms   %s\n", name.c_str(), receipt.seconds().value() * 1e3,
              is_right ? "equal" : "DIFFERENT");
  return is_right;
}

int run(const char* device) {
  const quern::Device gpu = quern::open(device);
  const quern::Module module = gpu.compile(kSource, {.name = "blur.cu"});
  std::printf("%s (%s):\n", gpu.name().c_str(), gpu.driver().c_str());
  bool is_right = check<std::uint8_t, unsigned>(gpu, module, "unsigned char", 1);
  is_right &= check<std::uint8_t, unsigned>(gpu, module, "unsigned char", 4);
  is_right &= check<float, float>(gpu, module, "float", 2);
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "");
  } catch (const quern::Error& error) {
    std::fprintf(stderr, "blur: %s\n", error.what());
    return 3;
  }
}
