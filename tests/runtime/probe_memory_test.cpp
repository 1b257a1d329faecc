#include "runtime/probe_memory.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

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
  memory.put("vulkan", Said(Error(ErrorKind::timeout, "it does not answer").add_hint("wait\nlonger")));
  const auto found = memory.find("vulkan");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->error().kind(), ErrorKind::timeout);
  EXPECT_EQ(found->error().message(), "it does not answer");
  EXPECT_EQ(found->error().hint(), "wait\nlonger; `quern backends` tries it again");
}

TEST(ProbeMemory, HoldsForItsSurroundingsOnly) {
  const base::TemporaryFolder folder;
  ProbeMemory(folder.path(), "here").put("vulkan", Said("fine"));
  const ProbeMemory there(folder.path(), "there");
  EXPECT_FALSE(there.find("vulkan").has_value());
  there.put("vulkan", Said("other\ttext \\n"));
  EXPECT_EQ(**there.find("vulkan"), "other\ttext \\n");
  EXPECT_EQ(**ProbeMemory(folder.path(), "here").find("vulkan"), "fine");
  there.forget("vulkan");
  EXPECT_FALSE(there.find("vulkan").has_value());
  EXPECT_TRUE(ProbeMemory(folder.path(), "here").find("vulkan").has_value());
}

TEST(ProbeMemory, ADriverHasOneFileThatDoesNotGrow) {
  const base::TemporaryFolder folder;
  for (int i = 0; i < 40; ++i)
    ProbeMemory(folder.path(), "place" + std::to_string(i)).put("vulkan", Said("fine"));
  EXPECT_EQ(base::list_files(folder.path())->size(), 1u);
  EXPECT_FALSE(ProbeMemory(folder.path(), "place20").find("vulkan").has_value());
  EXPECT_TRUE(ProbeMemory(folder.path(), "place39").find("vulkan").has_value());
}

TEST(ProbeMemory, TakesNothingFromADamagedFile) {
  const base::TemporaryFolder folder;
  const ProbeMemory memory(folder.path(), "here");
  for (const char* text : {"", "quern probe 2\n", "quern probe 2\nhere\t77\t\tx\n",
                           "quern probe 1\nhere\tok\t\tx\n", "quern probe 2\nhere\tok\n", "\n\n\n"}) {
    ASSERT_TRUE(base::write_file(folder.path() + "/vulkan", text).ok());
    EXPECT_FALSE(memory.find("vulkan").has_value()) << text;
  }
}

TEST(ProbeMemory, LivesWithoutAFolder) {
  const ProbeMemory memory("/proc/none", "here");
  memory.put("vulkan", Said("fine"));
  EXPECT_FALSE(memory.find("vulkan").has_value());
}

// The result for a library does not apply to another one in its place.
TEST(ProbeMemory, KnowsFilesByTimeAndSize) {
  const base::TemporaryFolder folder;
  const std::string library = folder.write("libdriver.so", "broken");
  ::setenv("QUERN_VULKAN", library.c_str(), 1);
  const std::string before = probe_surroundings();
  EXPECT_EQ(before, probe_surroundings());
  folder.write("libdriver.so", "repaired");
  EXPECT_NE(before, probe_surroundings());
  ::unsetenv("QUERN_VULKAN");
}

}  // namespace
}  // namespace quern::runtime
