// Real device losses, each in its own process: a kernel that corrupts CUDA's context, and implementations of
// OpenCL and Vulkan that start to fail, or are no longer installed.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/api_case.hpp"
#include "base/file.hpp"
#include "base/temporary_folder.hpp"

namespace quern::test {
namespace {

constexpr const char* kText = R"(
__global__ void step(int n, float a, float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * a + (float)i;
}
__global__ void stray(int* x) { x[1ll << 38] = 1; }
)";
constexpr int kCount = 1000;

class Walk {
 public:
  explicit Walk(const Device& device)
      : device_(device),
        step_(device.compile(kText).kernel("step")),
        x_(device.upload(std::vector<float>(kCount, 1.0f))) {}
  void on() {
    for (int i = 0; i < 3; ++i) device_.launch(step_, threads(kCount), kCount, 0.5f, x_);
  }
  Buffer<float>& data() { return x_; }
  std::vector<float> result() const { return x_.download(); }

 private:
  const Device& device_;
  Kernel step_;
  Buffer<float> x_;
};

std::vector<float> expected(int walks) {
  const Device device = open("sim");
  Walk walk(device);
  for (int i = 0; i < walks; ++i) walk.on();
  return walk.result();
}

// Exit codes of a child.
constexpr int kRight = 0, kNotHere = 77, kWrong = 1;

[[noreturn]] void leave(bool is_right, const std::string& says) {
  std::fprintf(stderr, "%s\n", says.c_str());
  ::_exit(is_right ? kRight : kWrong);
}

// In a new process, in which no driver was started.
#define QUERN_IN_CHILD(call)                                            \
  EXPECT_EXIT(                                                          \
      call,                                                             \
      [](int status) {                                                  \
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 255; \
        if (code == kNotHere) std::printf("the device is not here\n");  \
        return code == kRight || code == kNotHere;                      \
      },                                                                \
      "")

class Loss : public testing::Test {
 protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

// The context is shared by the process: another device of it faults, and the session's is lost too. CUDA
// creates no new context in this process: the work continues on another device.
void lose_cuda_context() {
  try {
    std::string told;
    const Session session({.device = "cuda", .on_recovery = [&](const Recovery& r) {
                             told += r.from + " to " + r.to + ": " + r.cause + "\n";
                           }});
    Walk walk(session.device());
    walk.on();
    {
      const Device other = open("cuda");
      auto x = other.upload(std::vector<int>(1));
      other.launch(other.compile(kText).kernel("stray"), grid(1, 1), x);
      try {
        other.synchronize();
        leave(false, "nothing was lost");
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::device_lost) leave(false, error.what());
      }
    }
    walk.on();
    leave(walk.result() == expected(2) && session.losses() == 1, told);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::not_found) ::_exit(kNotHere);
    leave(false, error.what());
  }
}

TEST_F(Loss, WorkOfAContextThatAKernelEndedContinues) { QUERN_IN_CHILD(lose_cuda_context()); }

// The same work loses the device every time: recovery is abandoned, with an error.
void lose_cuda_again_and_again() {
  try {
    const Session session({.device = "cuda", .may_move = false});
    const Device& device = session.device();
    auto x = device.upload(std::vector<int>(1));
    device.launch(device.compile(kText).kernel("stray"), grid(1, 1), x);
    device.synchronize();
    leave(false, "nothing was lost");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::not_found) ::_exit(kNotHere);
    leave(error.kind() == ErrorKind::device_lost &&
              error.message().find("could not be recovered in 4 attempts") != std::string::npos,
          error.what());
  }
}

TEST_F(Loss, AKernelThatEndsEveryContextIsReported) { QUERN_IN_CHILD(lose_cuda_again_and_again()); }

// An implementation that starts to fail: `variable` tells the fake library to.
void lose_library(const char* driver, const char* library_variable, const char* library, const char* variable,
                  const char* value, bool comes_back) {
  ::setenv(library_variable, library, 1);
  try {
    std::string told, to;
    const Session session({.device = driver, .on_recovery = [&](const Recovery& r) {
                             to = r.to;
                             told += r.from + " to " + r.to + ": " + r.cause + "\n";
                           }});
    Walk walk(session.device());
    walk.on();
    (void)walk.result();
    ::setenv(variable, value, 1);
    walk.on();
    const std::vector<float> seen = walk.result();
    const bool has_moved = !to.starts_with(driver);
    leave(seen == expected(2) && session.losses() >= 1 && has_moved != comes_back, told);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::not_found) ::_exit(kNotHere);
    leave(false, error.what());
  }
}

#ifdef QUERN_ODD_OPENCL
TEST_F(Loss, AnOpenClThatFailsIsLeft) {
  QUERN_IN_CHILD(
      lose_library("opencl", "QUERN_OPENCL_LIBRARY", QUERN_ODD_OPENCL, "QUERN_ODD_OPENCL", "lost", false));
}
TEST_F(Loss, AnOpenClThatDisappearsIsLeft) {
  QUERN_IN_CHILD(lose_library("opencl", "QUERN_OPENCL_LIBRARY", QUERN_ODD_OPENCL, "QUERN_ODD_OPENCL",
                              "lost,no-platform,no-device", false));
}
// The device is still listed, but cannot be opened, like a corrupted CUDA context.
TEST_F(Loss, AnOpenClThatCannotBeOpenedAgainIsLeft) {
  QUERN_IN_CHILD(lose_library("opencl", "QUERN_OPENCL_LIBRARY", QUERN_ODD_OPENCL, "QUERN_ODD_OPENCL",
                              "lost,no-context", false));
}
#endif
#ifdef QUERN_LEVEL_ZERO_DEVICE
TEST_F(Loss, ALevelZeroThatFailsIsLeft) {
  QUERN_IN_CHILD(lose_library("level_zero", "QUERN_LEVEL_ZERO_LIBRARY", QUERN_LEVEL_ZERO_DEVICE,
                              "QUERN_ODD_LEVEL_ZERO", "lost", false));
}
// It is lost once: the session opens it again.
TEST_F(Loss, ALevelZeroThatRecoversIsKept) {
  QUERN_IN_CHILD(lose_library("level_zero", "QUERN_LEVEL_ZERO_LIBRARY", QUERN_LEVEL_ZERO_DEVICE,
                              "QUERN_ODD_LEVEL_ZERO", "lost-once", true));
}
TEST_F(Loss, ALevelZeroWithoutItsDeviceIsLeft) {
  QUERN_IN_CHILD(lose_library("level_zero", "QUERN_LEVEL_ZERO_LIBRARY", QUERN_LEVEL_ZERO_DEVICE,
                              "QUERN_ODD_LEVEL_ZERO", "lost,no-device", false));
}
#endif
#ifdef QUERN_METAL_DEVICE
TEST_F(Loss, AMetalThatFailsIsLeft) {
  QUERN_IN_CHILD(
      lose_library("metal", "QUERN_METAL_LIBRARY", QUERN_METAL_DEVICE, "QUERN_ODD_METAL", "lost", false));
}
TEST_F(Loss, AMetalThatRecoversIsKept) {
  QUERN_IN_CHILD(
      lose_library("metal", "QUERN_METAL_LIBRARY", QUERN_METAL_DEVICE, "QUERN_ODD_METAL", "lost-once", true));
}
#endif
TEST_F(Loss, AVulkanThatFailsIsLeft) {
  QUERN_IN_CHILD(
      lose_library("vulkan", "QUERN_VULKAN", QUERN_FAKE_VULKAN, "QUERN_FAKE_VULKAN", "lost", false));
}

// A session saved on Vulkan is continued by another process in which Vulkan is not installed.
void save_on_vulkan(const std::string& manifest, const std::string& file) {
  ::setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  ::setenv("VK_ICD_FILENAMES", manifest.c_str(), 1);
  try {
    Session session({.device = "vulkan"});
    Walk walk(session.device());
    walk.on();
    session.keep("x", walk.data());
    session.save(file);
    leave(session.device().driver() == "vulkan", "saved");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::not_found) ::_exit(kNotHere);
    leave(false, error.what());
  }
}

void go_on_elsewhere(const std::string& manifest, const std::string& file) {
  ::setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  ::setenv("VK_ICD_FILENAMES", manifest.c_str(), 1);
  try {
    Session session({.device = "vulkan", .policy = Policy::allow});
    Walk walk(session.device());
    session.keep("x", walk.data());
    session.restore(file);
    walk.on();
    leave(walk.result() == expected(2) && session.device().driver() != "vulkan" &&
              !session.device().fallback_reason().empty(),
          session.device().driver() + ": " + session.device().fallback_reason());
  } catch (const Error& error) {
    leave(false, error.what());
  }
}

TEST_F(Loss, ADriverThatIsNoLongerInstalledIsGoneWithout) {
  const std::string folder = (std::filesystem::temp_directory_path() / "quern_disappearing_driver")
                                 .string();  // known to both processes
  const std::string manifest = folder + "/icd.json", file = folder + "/state";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(base::write_file(manifest, R"({"file_format_version": "1.0.0",
    "ICD": {"api_version": "1.3.0", "library_path": "libvulkan_lvp.so"}})")
                  .ok());
  QUERN_IN_CHILD(save_on_vulkan(manifest, file));
  std::filesystem::remove(manifest);
  if (std::filesystem::exists(file)) {
    QUERN_IN_CHILD(go_on_elsewhere(manifest, file));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace quern::test
