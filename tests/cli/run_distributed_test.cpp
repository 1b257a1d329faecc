// quern run-distributed and quern profile --merge, as a user calls them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/tool.hpp"

namespace quern::test {
namespace {

class RunDistributed : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (ranks({"-n", "1", "--", "true"}).code == 3) GTEST_SKIP() << GetParam() << " is not installed";
  }
  static ToolResult ranks(std::vector<std::string> more) {
    std::vector<std::string> all = {"run-distributed", "--mpi", GetParam()};
    all.insert(all.end(), more.begin(), more.end());
    return run_tool(all);
  }
  static ToolResult shell(const char* count, const std::string& script) {
    return ranks({"-n", count, "--", "sh", "-c", "r=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; " + script});
  }
};

INSTANTIATE_TEST_SUITE_P(All, RunDistributed, testing::Values("openmpi", "mpich"),
                         [](const auto& set) { return std::string(set.param); });

TEST_P(RunDistributed, PrefixesLinesAndReturnsTheWorstCode) {
  const ToolResult r = shell("3", "echo here $((r * 10)); echo problem >&2; printf unfinished");
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* const line : {"[0] here 0\n", "[1] here 10\n", "[2] here 20\n", "[1] unfinished\n"})
    EXPECT_NE(r.out.find(line), std::string::npos) << r.out;
  EXPECT_NE(r.err.find("[2] problem\n"), std::string::npos) << r.err;
  const ToolResult failed = shell("2", "exit $((r * 5))");
  EXPECT_EQ(failed.code, 5) << failed.err;
  EXPECT_NE(failed.err.find("rank 1 ended with exit code 5; all ranks are ended"), std::string::npos);
}

// The others would run for 10 minutes. With MPICH, one of them ignores SIGTERM.
TEST_P(RunDistributed, ADeadRankEndsTheOthers) {
  const std::string ignores = GetParam() == std::string("mpich") ? "[ $r != 2 ] || trap '' TERM; " : "";
  const ToolResult r = shell("3", ignores + "[ $r = 1 ] || exec sleep 600; sleep 0.3; kill -9 $$");
  EXPECT_EQ(r.code, 137) << r.err;
  EXPECT_NE(r.err.find("rank 1 was terminated by signal 9"), std::string::npos) << r.err;
}

// Rank 0 finds the process of the tool among its ancestors.
TEST_P(RunDistributed, ASignalEndsAllRanks) {
  const ToolResult r =
      shell("2",
            "[ $r = 0 ] || exec sleep 600; p=$PPID; "
            "until tr '\\0' ' ' </proc/$p/cmdline | grep -q 'run-distri[b]uted'; do "
            "p=$(cut -d' ' -f4 /proc/$p/stat); [ $p -gt 1 ] || exit 9; done; kill -INT $p; exec sleep 600");
  EXPECT_EQ(r.code, 130) << r.err;
}

TEST_P(RunDistributed, ProfilesOfRanksMergeIntoOneTrace) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("quern-merge-" + std::to_string(::getpid()))).string();
  std::filesystem::create_directories(folder);
  const ToolResult r = run_tool({"profile",
                                 "-o",
                                 folder + "/app",
                                 "--",
                                 QUERN_TOOL,
                                 "run-distributed",
                                 "--mpi",
                                 GetParam(),
                                 "-n",
                                 "2",
                                 "--on",
                                 "sim",
                                 "--",
                                 QUERN_TOOL,
                                 "run",
                                 QUERN_SOURCE_DIR "/examples/saxpy.cu",
                                 "10",
                                 "3",
                                 "f32[10]=iota",
                                 "f32[10]=1"},
                                {"QUERN_CACHE=" + folder + "/cache"});
  EXPECT_EQ(r.code, 0) << r.err;
  const std::string first = folder + "/app.rank0.trace.json", second = folder + "/app.rank1.trace.json";
  const ToolResult merged = run_tool({"profile", "--merge", second, first, "-o", folder + "/all.trace.json"});
  EXPECT_EQ(merged.code, 0) << merged.err;
  const auto text = base::read_file(folder + "/all.trace.json");
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(is_json(*text));
  for (const char* const part : {R"("rank 0: quern)", R"("rank 1: quern)", R"("pid":1)", R"("pid":2)"})
    EXPECT_NE(text->find(part), std::string::npos) << part;
  EXPECT_EQ(text->find(R"("pid":3)"), std::string::npos);
  EXPECT_NE(text->find(": stream "), std::string::npos);  // the device's name before its stream
  std::filesystem::remove_all(folder);
}

TEST(RunDistributedUsage, SaysWhatIsWrong) {
  EXPECT_EQ(run_tool({"run-distributed", "-n", "2"}).code, 2);
  EXPECT_EQ(run_tool({"run-distributed", "--", "true"}).code, 2);
  EXPECT_EQ(run_tool({"run-distributed", "-n", "0", "--", "true"}).code, 2);
  EXPECT_EQ(run_tool({"run-distributed", "-n", "2", "--mpi", "winmpi", "--", "true"}).code, 2);
  const ToolResult none = run_tool({"run-distributed", "-n", "2", "--", "true"}, {"PATH=/nowhere"});
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("no launcher of MPI was found in PATH"), std::string::npos) << none.err;
  EXPECT_EQ(run_tool({"profile", "--merge", "a.json"}).code, 2);
}

}  // namespace
}  // namespace quern::test
