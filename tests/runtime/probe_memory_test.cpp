#include "runtime/probe_memory.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"

namespace quern::runtime {
namespace {

using base::Error;
using base::ErrorKind;
using Said = base::Result<std::string>;

TEST(ProbeMemory, KeepsWhatADriverSays) {
  const base::TemporaryFolder folder;
  const ProbeMemory memory(folder.path() + "/probes", "here");
  EXPECT_FALSE(memory.find("vulkan").has_value());
  memory.put("vulkan", Said("two\nlines"));
  ASSERT_TRUE(memory.find("vulkan").has_value());
  EXPECT_EQ(**memory.find("vulkan"), "two\nlines");
  EXPECT_FALSE(memory.find("opencl").has_value());
  memory.forget("vulkan");
  EXPECT_FALSE(memory.find("vulkan").has_value());
}

TEST(ProbeMemory, KeepsWhatWentWrong) {
  const base::TemporaryFolder folder;
  const ProbeMemory memory(folder.path(), "here");
  memory.put("vulkan", Said(Error(ErrorKind::kTimeout, "it does not answer").add_hint("wait\nlonger")));
  const auto found = memory.find("vulkan");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->error().kind(), ErrorKind::kTimeout);
  EXPECT_EQ(found->error().message(), "it does not answer");
  EXPECT_EQ(found->error().hint(), "wait longer; `quern backends` tries it again");
}

TEST(ProbeMemory, HoldsForItsSurroundingsOnly) {
  const base::TemporaryFolder folder;
  ProbeMemory(folder.path(), "here").put("vulkan", Said("fine"));
  EXPECT_FALSE(ProbeMemory(folder.path(), "there").find("vulkan").has_value());
}

TEST(ProbeMemory, TakesNothingFromADamagedFile) {
  const base::TemporaryFolder folder;
  const ProbeMemory memory(folder.path(), "here");
  for (const char* text :
       {"", "quern probe 1\n", "quern probe 1\n77\n\nx", "quern probe 2\nok\n\nx", "\n\n\n"}) {
    ASSERT_TRUE(base::write_file(folder.path() + "/vulkan-here", text).ok());
    EXPECT_FALSE(memory.find("vulkan").has_value()) << text;
  }
}

TEST(ProbeMemory, LivesWithoutAFolder) {
  const ProbeMemory memory("/proc/none", "here");
  memory.put("vulkan", Said("fine"));
  EXPECT_FALSE(memory.find("vulkan").has_value());
}

}  // namespace
}  // namespace quern::runtime
