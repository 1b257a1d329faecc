// Defective drivers: a library that is missing, invalid or empty, crashes while loading, or is outdated. One
// message with a hint; other devices work.
#include <filesystem>

#include <gtest/gtest.h>

#include "base/shared_library.hpp"
#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"
#include "support/devices.hpp"

#ifndef QUERN_CRASHING_LIBRARY
#define QUERN_CRASHING_LIBRARY ""
#endif

namespace quern::test {
namespace {

bool is_egl_here() {
  constexpr std::string_view kNames[] = {"libEGL.so.1"};
  return base::SharedLibrary::open(kNames, "").ok();
}

class BadDriver : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) { return folder_.write(name, text); }
  // The manifest that leads Vulkan and EGL to the library.
  std::string manifest(const std::string& library) {
    return write("manifest.json", R"({"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", )"
                                  R"("library_path": ")" +
                                      library + R"("}})");
  }
  // The device cannot be opened for that reason; the tool still runs on others.
  void expect(const std::string& device, std::vector<std::string> environment, const std::string& why,
              const std::string& hint) {
    // No remembered results of other libraries.
    environment.push_back("QUERN_CACHE=" + folder_ / ("cache" + std::to_string(++caches_)));
    const std::string program = write("one.cu", "__global__ void one(int* a) { *a = 1; }\n");
    const ToolResult r = run_tool({"run", program, "i32[1]", "--on", device}, environment);
    EXPECT_NE(r.code, 0);
    EXPECT_NE(r.err.find("device '" + device + "' cannot be opened: "), std::string::npos) << r.err;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
    EXPECT_NE(r.err.find("hint: " + hint), std::string::npos) << r.err;
    const ToolResult other = run_tool({"run", program, "i32[1]", "--on", "sim"}, environment);
    EXPECT_EQ(other.code, 0) << other.err;
  }

  base::TemporaryFolder folder_;
  int caches_ = 0;
};

constexpr const char* kCrash = "it crashed (Segmentation fault)";
constexpr const char* kReinstall = "update or reinstall this driver (other devices work without it)";

TEST_F(BadDriver, Opencl) {
  constexpr const char* kHint = "install your GPU's OpenCL driver; for the CPU: pocl-opencl-icd";
  expect("opencl", {"QUERN_OPENCL_LIBRARY=/nowhere/libOpenCL.so"}, "is not found", kHint);
  expect("opencl", {"QUERN_OPENCL_LIBRARY=" + write("libtext.so", "no library")},
         "the library was found but cannot be loaded: ", kHint);
  expect("opencl", {std::string("QUERN_OPENCL_LIBRARY=") + QUERN_CRASHING_LIBRARY}, kCrash, kReinstall);
}

TEST_F(BadDriver, LevelZero) {
  constexpr const char* kHint = "install the Level Zero loader (libze1) and your GPU's driver";
  expect("level_zero", {"QUERN_LEVEL_ZERO_LIBRARY=/nowhere/libze_loader.so.1"}, "is not found", kHint);
  expect("level_zero", {"QUERN_LEVEL_ZERO_LIBRARY=" + write("libtext.so", "no library")},
         "the library was found but cannot be loaded: ", kHint);
  expect("level_zero", {std::string("QUERN_LEVEL_ZERO_LIBRARY=") + QUERN_CRASHING_LIBRARY}, kCrash,
         kReinstall);
}

TEST_F(BadDriver, Metal) {
  constexpr const char* kHint = "use macOS 12 or later: Metal is part of it and does not exist elsewhere";
  expect("metal", {"QUERN_METAL_LIBRARY=/nowhere/Metal"}, "is not found", kHint);
  expect("metal", {"QUERN_METAL_LIBRARY=" + write("libtext.so", "no library")},
         "the library was found but cannot be loaded: ", kHint);
  expect("metal", {std::string("QUERN_METAL_LIBRARY=") + QUERN_CRASHING_LIBRARY}, kCrash, kReinstall);
  expect("metal", {"QUERN_METAL_LIBRARY=libm.so.6"}, "'libm.so.6' has no function 'objc_getClass'",
         "update the library: it may be too old");
#ifdef QUERN_METAL_DEVICE
  const std::string device = std::string("QUERN_METAL_LIBRARY=") + QUERN_METAL_DEVICE;
  expect("metal", {device, "QUERN_ODD_METAL=no-device"}, "Metal finds no device",
         "check with 'system_profiler SPDisplaysDataType' that the GPU supports Metal");
  expect("metal", {device, "QUERN_ODD_METAL=crash"}, kCrash, kReinstall);
#endif
}

TEST_F(BadDriver, OneOfOpenclsOwn) {
  // Loaders that ignore the variable, or are missing, find other devices or none.
  write("text.icd", write("libtext.so", "no library") + "\n");
  const std::vector<std::string> environment = {"OCL_ICD_VENDORS=" + folder_.path(),
                                                "QUERN_CACHE=" + folder_.path()};
  const ToolResult r = run_tool({"devices"}, environment);
  EXPECT_EQ(r.code, 0) << r.err;
  write("text.icd", std::string(QUERN_CRASHING_LIBRARY) + "\n");
  const ToolResult crashed = run_tool({"devices"}, environment);
  EXPECT_EQ(crashed.code, 0) << crashed.err;
  EXPECT_NE(crashed.out.find("simulator"), std::string::npos) << crashed.out;
}

TEST_F(BadDriver, Vulkan) {
  constexpr const char* kHint =
      "install libvulkan1 and your GPU's Vulkan driver; for the CPU: mesa-vulkan-drivers";
  expect("vulkan", {"QUERN_VULKAN=/nowhere/libvulkan.so"}, "is not found", kHint);
  const std::string text = write("libtext.so", "no library");
  expect("vulkan", {"QUERN_VULKAN=" + text}, "the library was found but cannot be loaded: ", kHint);
  expect("vulkan", {std::string("QUERN_VULKAN=") + QUERN_CRASHING_LIBRARY}, kCrash, kReinstall);
  for (const char* const variable : {"VK_DRIVER_FILES=", "VK_ICD_FILENAMES="}) {
    expect("vulkan", {variable + manifest(text)}, "", kHint);
    expect("vulkan", {variable + manifest(QUERN_CRASHING_LIBRARY)}, kCrash, kReinstall);
  }
}

TEST_F(BadDriver, Webgpu) {
  constexpr const char* kHint = "install wgpu-native or Dawn and set QUERN_WEBGPU_LIBRARY to its library";
  expect("webgpu", {"QUERN_WEBGPU_LIBRARY=/nowhere/libwgpu_native.so"}, "is not found", kHint);
  expect("webgpu", {"QUERN_WEBGPU_LIBRARY=" + write("libtext.so", "no library")},
         "the library was found but cannot be loaded: ", kHint);
  expect("webgpu", {"QUERN_WEBGPU_LIBRARY=libm.so.6"}, "'libm.so.6' has no function 'wgpuCreateInstance'",
         kHint);
  expect("webgpu", {std::string("QUERN_WEBGPU_LIBRARY=") + QUERN_CRASHING_LIBRARY}, kCrash, kReinstall);
#ifdef QUERN_FAKE_WEBGPU
  expect("webgpu", {std::string("QUERN_WEBGPU_LIBRARY=") + QUERN_FAKE_WEBGPU}, "finds no adapter",
         "install your GPU's Vulkan driver");
#endif
}

#ifdef QUERN_FAKE_VULKAN
// A driver that loads but does not work (tests/vulkan/fake_vulkan.cpp).
TEST_F(BadDriver, VulkanThatDoesNotServe) {
  const std::string library = std::string("QUERN_VULKAN=") + QUERN_FAKE_VULKAN;
  const std::string preload = std::string("LD_PRELOAD=") + QUERN_GENERIC_PROCESSOR;
  const std::string program = write("one.cu", "__global__ void one(int* a) { *a = 1; }\n");
  if (const ToolResult r = run_tool({"run", program, "i32[1]", "--on", "vulkan"}, {library, preload});
      r.code != 0)
    GTEST_SKIP() << "Vulkan does not run here: " << r.err;
  constexpr const char* kUpdate = "update your GPU's Vulkan driver";
  expect("vulkan", {library, preload, "QUERN_FAKE_VULKAN=old"},
         "supports only Vulkan 1.0, but 1.1 is required", kUpdate);
  expect("vulkan", {library, preload, "QUERN_FAKE_VULKAN=old-driver"},
         "supports only Vulkan 1.0, but 1.1 is required", kUpdate);
  expect("vulkan", {library, preload, "QUERN_FAKE_VULKAN=no-compute"}, "has no compute queue", kUpdate);
  const ToolResult lost =
      run_tool({"run", program, "i32[1]", "--on", "vulkan"}, {library, preload, "QUERN_FAKE_VULKAN=lost"});
  EXPECT_NE(lost.code, 0);
  EXPECT_NE(lost.err.find("device lost: "), std::string::npos) << lost.err;
  EXPECT_NE(lost.err.find("hint: "), std::string::npos) << lost.err;
}
#endif

// A device that is lost while it works: one message with a hint, and others work.
TEST_F(BadDriver, IsLostInTheMiddle) {
  const std::string program = write("one.cu", "__global__ void one(int* a) { *a = 1; }\n");
  const ToolResult r = run_tool({"run", program, "i32[1]", "--on", "cpu"}, {"QUERN_FAULTS=launch:0=lost"});
  EXPECT_NE(r.code, 0);
  EXPECT_NE(r.err.find("device lost: "), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("hint: run it again, or on another device with --on"), std::string::npos) << r.err;
}

// More memory than a device has: reported with both numbers before the launch.
TEST_F(BadDriver, KernelsOverTheLimits) {
  const std::string program = write("large.cu",
                                    "__global__ void large(int* a) {\n"
                                    "  __shared__ int room[1 << 24];\n"
                                    "  room[threadIdx.x] = 1;\n"
                                    "  __syncthreads();\n"
                                    "  *a = room[a[0]];\n"
                                    "}\n");
  for (const char* const device : each_driver({"std.gpu"})) {
    const std::string small = write("one.cu", "__global__ void one(int* a) { *a = 1; }\n");
    if (run_tool({"run", small, "i32[1]", "--on", device}).code != 0) continue;  // not available
    const ToolResult shared = run_tool({"run", program, "i32[1]=0", "--on", device});
    EXPECT_NE(shared.code, 0) << device;
    EXPECT_NE(shared.err.find("shared "), std::string::npos) << device << ": " << shared.err;
    const ToolResult threads = run_tool({"run", small, "i32[1]", "--on", device, "--block", "4096"});
    EXPECT_NE(threads.code, 0) << device;
    EXPECT_NE(threads.err.find("4096"), std::string::npos) << device << ": " << threads.err;
  }
}

TEST_F(BadDriver, Opengl) {
  constexpr const char* kHint = "install your GPU's driver; for the CPU: libegl1 and libgl1-mesa-dri";
  const std::string variable = "__EGL_VENDOR_LIBRARY_FILENAMES=";
  for (const char* const device : {"opengl", "gles"}) {
    expect(device, {variable + "/nowhere/none.json"}, "", kHint);
    expect(device, {variable + manifest(write("libtext.so", "no library"))}, "", kHint);
  }
  if (!is_egl_here()) GTEST_SKIP() << "libEGL.so.1 is not installed";
  expect("opengl", {variable + manifest(QUERN_CRASHING_LIBRARY)}, kCrash, kReinstall);
  expect("opengl", {"MESA_GL_VERSION_OVERRIDE=3.3"}, "creating an EGL context for OpenGL 4.3 failed",
         "update your GPU's driver: it is too old, or has no compute shaders");
}

// A failure is remembered for the failed library and for the program's file, not for their paths.
TEST_F(BadDriver, IsTriedAgainWhenItsLibraryIsAnother) {
  const std::string library = folder_.path() + "/libdriver.so";
  std::filesystem::copy_file(QUERN_CRASHING_LIBRARY, library);
  const std::vector<std::string> environment = {"QUERN_VULKAN=" + library, "QUERN_CACHE=" + folder_.path()};
  const std::string program = write("one.cu", "__global__ void one(int* a) { *a = 1; }\n");
  const auto says = [&] { return run_tool({"run", program, "i32[1]", "--on", "vulkan"}, environment).err; };
  EXPECT_NE(says().find(kCrash), std::string::npos);
  EXPECT_NE(says().find("`quern backends` tries it again"), std::string::npos);  // remembered
  write("libdriver.so", "no library");
  EXPECT_NE(says().find("the library was found but cannot be loaded"), std::string::npos) << says();
}

}  // namespace
}  // namespace quern::test
