// The devices that the table of known driver defects applies to.
#include "driver/support/known_defects.hpp"

#include <set>

#include <gtest/gtest.h>

namespace quern::driver {
namespace {

DeviceInfo device(std::string driver, std::string name, std::string driver_version,
                  std::string api_version = {}) {
  DeviceInfo info;
  info.driver = std::move(driver);
  info.name = std::move(name);
  info.driver_version = std::move(driver_version);
  info.api_version = std::move(api_version);
  return info;
}

TEST(KnownDefects, LoopLimitIsOfEveryDriverOnLlvmpipe) {
  const std::string name = "llvmpipe (LLVM 15.0.6, 128 bits)";
  EXPECT_TRUE(has_defect(device("vulkan", name, "Mesa 22.3.6 (LLVM 15.0.6)"), Defect::kLoopLimit));
  EXPECT_TRUE(has_defect(device("opengl", name, "4.5 (Core Profile) Mesa 24.3.4"), Defect::kLoopLimit));
  EXPECT_FALSE(has_defect(device("opengl", name, "4.5 (Core Profile) Mesa 25.0.7-2"), Defect::kLoopLimit));
  EXPECT_TRUE(has_defect(device("gles", name, "OpenGL ES 3.2 Mesa 22.3.6"), Defect::kLoopLimit));
}

TEST(KnownDefects, OtherDevicesHaveTheirOwnOnly) {
  const DeviceInfo radv = device("vulkan", "AMD Radeon RX 7900 XTX (RADV NAVI31)", "Mesa 24.1.0");
  EXPECT_FALSE(has_defect(radv, Defect::kLoopLimit));
  EXPECT_TRUE(has_defect(radv, Defect::kWidenedComparison));
  EXPECT_TRUE(defects_of(device("vulkan", "NVIDIA H200", "580.65.06")).empty());
  EXPECT_TRUE(defects_of(device("cpu", "llvmpipe", "Mesa 22.3.6")).empty());
  const DeviceInfo pocl = device("opencl", "pthread-neoverse-v1", "3.1", "OpenCL 3.0 PoCL 3.1  Linux");
  std::set<Defect> of_pocl;
  for (const KnownDefect* d : defects_of(pocl)) of_pocl.insert(d->id);
  EXPECT_EQ(of_pocl, (std::set<Defect>{Defect::kSlowBinaries, Defect::kBranchAfterBarrier}));
}

// PoCL names itself in the API version, and from 5.0 on has its own version only in the driver version.
TEST(KnownDefects, AVersionMayBeTheDriversAlone) {
  const std::string name = "cpu--0xd40", api = "OpenCL 3.0 PoCL HSTR: cpu-aarch64-unknown-linux-gnu-(null)";
  EXPECT_TRUE(has_defect(device("opencl", name, "6.0+debian", api), Defect::kCompilerAborts));
  EXPECT_FALSE(has_defect(device("opencl", name, "3.1+debian", api), Defect::kCompilerAborts));
  EXPECT_TRUE(has_defect(device("opencl", name, "3.1+debian", api), Defect::kSlowBinaries));
  EXPECT_FALSE(
      has_defect(device("opencl", "NVIDIA H200", "580.65.06", "OpenCL 3.0 CUDA"), Defect::kCompilerAborts));
}

TEST(KnownDefects, VersionsAreWritten) {
  KnownDefect d{};
  d.product = "PoCL";
  d.first = {3, 0};
  d.last = {6, 1};
  EXPECT_EQ(versions_text(d), "PoCL 3.0 to 6.1");
  d.last = kEveryLater;
  EXPECT_EQ(versions_text(d), "PoCL 3.0 and later");
  d.first = kFirstVersion;
  EXPECT_EQ(versions_text(d), "PoCL, all versions");
}

TEST(KnownDefects, EveryRowIsComplete) {
  std::set<std::string_view> names;
  for (const KnownDefect& d : known_defects()) {
    EXPECT_TRUE(names.insert(d.name).second) << d.name;
    for (const std::string_view text : {d.name, d.drivers, d.product, d.effect, d.action, d.reference}) {
      EXPECT_FALSE(text.empty()) << d.name;
      EXPECT_EQ(text.find('|'), std::string_view::npos) << d.name << " would break the table";
    }
    EXPECT_LE(d.first, d.last) << d.name;
  }
}

}  // namespace
}  // namespace quern::driver
