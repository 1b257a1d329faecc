#include "runtime/score.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/temporary_folder.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {
namespace {

using driver::DeviceInfo;
using driver::DeviceKind;

DeviceInfo device(const std::string& driver, uint32_t index, DeviceKind kind,
                  const std::string& version = "") {
  DeviceInfo info;
  info.driver = driver;
  info.index = index;
  info.name = driver + std::to_string(index);
  info.kind = kind;
  info.api_version = version;
  info.code = {driver::CodeKind::kIr};
  return info;
}

std::vector<std::string> ids(const std::vector<DeviceInfo>& all) {
  std::vector<std::string> out;
  for (const DeviceInfo& c : all) out.push_back(c.id());
  return out;
}

using Ids = std::vector<std::string>;

TEST(Score, IsKindVersionMemoryAndUnits) {
  EXPECT_EQ(score(device("a", 0, DeviceKind::discrete, "CUDA 13.0")), 1010);
  EXPECT_EQ(score(device("a", 0, DeviceKind::integrated, "OpenCL 3.0 PoCL")), 507);
  EXPECT_EQ(score(device("a", 0, DeviceKind::virtual_gpu, "Vulkan 1.3.250")), 103);
  EXPECT_EQ(score(device("a", 0, DeviceKind::cpu)),
            60);  // our own driver has no version, and counts as newest
  EXPECT_EQ(score(device("a", 0, DeviceKind::other, "OpenGL ES 3.1")), 17);
  EXPECT_EQ(score(device("a", 0, DeviceKind::simulated)), 0);
  DeviceInfo large = device("a", 0, DeviceKind::discrete, "CUDA 13.0");
  large.memory_bytes = uint64_t{139} << 30;
  large.compute_units = 132;
  EXPECT_EQ(score(large), 1010 + 34 + 14);
  large.memory_bytes = ~uint64_t{0};
  large.compute_units = ~0u;
  EXPECT_EQ(score(large), 1010 + 40 + 20);
  large.code = {driver::CodeKind::kHostFunction};
  EXPECT_EQ(score(large), 1);
}

TEST(Score, OfEqualDevicesTheDriversOrderDecides) {
  std::vector<DeviceInfo> all;
  for (const char* name : {"sim2", "cpu", "opengl", "vulkan", "opencl", "hip", "cuda", "level_zero", "metal"})
    all.push_back(device(name, 0, DeviceKind::discrete, "X 9.0"));
  EXPECT_EQ(ids(ranked(all)), (Ids{"cuda:0", "hip:0", "level_zero:0", "opencl:0", "vulkan:0", "metal:0",
                                   "opengl:0", "cpu:0", "sim2:0"}));
}

TEST(Score, OneCardUnderSeveralDriversIsOne) {
  std::vector<DeviceInfo> all = {device("vulkan", 0, DeviceKind::discrete, "Vulkan 1.3"),
                                 device("vulkan", 1, DeviceKind::discrete, "Vulkan 1.3"),
                                 device("opencl", 0, DeviceKind::discrete, "OpenCL 3.0"),
                                 device("cuda", 0, DeviceKind::discrete, "CUDA 5.0"),
                                 device("opengl", 0, DeviceKind::discrete, "OpenGL 4.6")};
  all[0].uuid = "aa01";
  all[0].memory_bytes = uint64_t{99} << 30;  // more than CUDA reports for the same card
  all[1].uuid = "bb02";
  all[1].pci = "0000:41:00.0";
  all[2].pci = "0000:3b:00.0";
  all[3].uuid = "aa01";
  all[3].pci = "00000000:3b:00.0";
  all[4].uuid = "00000000";  // unknown
  const auto found = ranked(all);
  EXPECT_EQ(ids(found), (Ids{"cuda:0", "opencl:0", "vulkan:0", "opengl:0", "vulkan:1"}));
  EXPECT_EQ(found[0].also_as, (Ids{"opencl:0", "vulkan:0"}));
  EXPECT_EQ(found[1].same_as, "cuda:0");
  EXPECT_EQ(found[2].same_as, "cuda:0");
  EXPECT_EQ(found[0].score, found[2].score);
  EXPECT_TRUE(found[3].same_as.empty() && found[3].also_as.empty());
  EXPECT_TRUE(found[4].same_as.empty() && found[4].also_as.empty());
}

TEST(Score, PartsOfOneCardAreSeveral) {
  std::vector<DeviceInfo> all = {device("cuda", 0, DeviceKind::discrete),
                                 device("cuda", 1, DeviceKind::discrete)};
  all[0].pci = all[1].pci = "0000:3b:00.0";
  all[0].uuid = "aa01";
  all[1].uuid = "aa02";
  EXPECT_TRUE(ranked(all)[0].also_as.empty());
}

TEST(Score, WhatWasMeasuredCountsWhenAsked) {
  const base::TemporaryFolder folder;
  ::setenv("QUERN_CACHE", folder.path().c_str(), 1);
  DeviceInfo a = device("a", 0, DeviceKind::discrete), b = device("b", 0, DeviceKind::discrete);
  EXPECT_FALSE(measured(a));
  EXPECT_TRUE(remember(a, {10, 100}).ok());
  EXPECT_TRUE(remember(b, {1, 1}).ok());
  EXPECT_TRUE(remember(b, {1000, 20000}).ok());
  EXPECT_EQ(measured(a)->gigabytes, 10);
  EXPECT_EQ(measured(b)->gigaflops, 20000);
  EXPECT_EQ(score(a), score(b));
  ::setenv("QUERN_SCORE", "measured", 1);
  EXPECT_EQ(ids(ranked({a, b})), (Ids{"b:0", "a:0"}));
  b.driver_version = "2";  // another driver may be faster or slower
  EXPECT_FALSE(measured(b));
  EXPECT_EQ(ids(ranked({a, b})), (Ids{"a:0", "b:0"}));
  ::unsetenv("QUERN_SCORE");
  ::setenv("QUERN_CACHE", "off", 1);
  EXPECT_EQ(remember(a, {1, 1}).error().message(), message::kNoCacheFolder("QUERN_CACHE is off").text);
  ::unsetenv("QUERN_CACHE");
}

}  // namespace
}  // namespace quern::runtime
