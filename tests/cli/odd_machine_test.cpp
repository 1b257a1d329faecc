// Unusual machines: no space for output, no threads, no home directory. One clear message and an exit code,
// and nothing left behind.
#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"

namespace quern::test {
namespace {

// The output of a shell for `script`, in which $tool is the tool.
ToolResult run_shell(const std::string& script) {
  ToolResult result;
  std::FILE* pipe = ::popen(("exec 2>&1\ntool='" QUERN_TOOL "'\n" + script).c_str(), "r");
  if (pipe == nullptr) return result;
  char piece[4096];
  for (size_t n = 0; (n = std::fread(piece, 1, sizeof piece, pipe)) != 0;) result.out.append(piece, n);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  return result;
}

class OddMachine : public testing::Test {
 protected:
  std::string file() {
    return folder_.write("a.cu", "__global__ void fill(float v, float* out) { out[threadIdx.x] = v; }\n");
  }
  base::TemporaryFolder folder_;
};

TEST_F(OddMachine, AFullDiskIsReported) {
  const std::vector<std::string> commands = {"--help", "env", "check " + file() + " --all", "emit " + file()};
  for (const std::string& command : commands) {
    const ToolResult r = run_shell("\"$tool\" " + command + " > /dev/full");
    EXPECT_EQ(r.code, 3) << command << ": " << r.out;
    EXPECT_EQ(r.out, "quern: writing to standard output failed: No space left on device\n") << command;
  }
  const ToolResult to_file = run_shell("\"$tool\" emit " + file() + " --target opencl -o /dev/full");
  EXPECT_EQ(to_file.code, 3) << to_file.out;
  EXPECT_NE(to_file.out.find("cannot write '/dev/full': No space left on device"), std::string::npos);
}

TEST_F(OddMachine, AClosedOutputIsReported) {
  const ToolResult r = run_shell("\"$tool\" --help >&-");
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(r.out, "quern: writing to standard output failed: Bad file descriptor\n");
}

TEST_F(OddMachine, ATraceThatDoesNotFitIsReported) {
  const ToolResult r = run_shell("QUERN_TRACE=/dev/full \"$tool\" run " + file() + " 2 f32[4]=0 --on cpu");
  EXPECT_NE(r.out.find("No space left on device; the trace ends here"), std::string::npos) << r.out;
  const ToolResult none =
      run_shell("QUERN_STATUS=/nowhere/status \"$tool\" run " + file() + " 2 f32[4]=0 --on sim");
  EXPECT_NE(none.out.find("cannot write '/nowhere/status'"), std::string::npos) << none.out;
}

TEST_F(OddMachine, ARelativeCacheOfTheDesktopIsNone) {
  const ToolResult r =
      run_shell("cd " + folder_.path() + " && env -u QUERN_CACHE XDG_CACHE_HOME=here \"$tool\" run " +
                file() + " 2 f32[4]=0 --on cpu");
  EXPECT_EQ(r.code, 0) << r.out;
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/here"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Thread stacks exceed the memory limit of the process: no thread can be started.
TEST_F(OddMachine, NoThreads) {
  const std::string limits = "ulimit -s 4000000 && ulimit -v 3500000 || exit 77\n";
  folder_.write("b.cu", "__global__ void none(int* out) { out[0] = 1; }\n");
  (void)file();
  const ToolResult check = run_shell(limits + "\"$tool\" check " + folder_.path());
  if (check.code == 77) GTEST_SKIP() << "the limits cannot be set here";
  EXPECT_EQ(check.code, 0) << check.out;
  EXPECT_NE(check.out.find("2 kernels in 2 files: 2 pass"), std::string::npos) << check.out;
  const ToolResult run =
      run_shell(limits + "QUERN_DRIVERS=cpu \"$tool\" run " + file() + " 2 f32[4]=0 --on cpu");
  EXPECT_EQ(run.code, 3) << run.out;
  EXPECT_NE(run.out.find("starting a thread for a stream failed"), std::string::npos) << run.out;
}
#endif

TEST_F(OddMachine, NoText) {
  folder_.write("utf16.cu", std::string("\xff\xfe#\0i\0n\0t\0", 10));
  const ToolResult r = run_shell("\"$tool\" run " + folder_.path() + "/utf16.cu");
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.out.find("utf16.cu:1:4: error: unexpected zero byte: the source is not UTF-8 text"),
            std::string::npos)
      << r.out;
}

TEST_F(OddMachine, ChainsOfOperators) {
  const auto chain = [&](const std::string& first, const std::string& piece, size_t count) {
    std::string text = "struct S { S* p; };\n__global__ void k(int* out, S* s) { " + first;
    for (size_t i = 0; i < count; ++i) text += piece;
    folder_.write("chain.cu", text + "; }\n");
    return run_shell("\"$tool\" check " + folder_.path() + "/chain.cu");
  };
  EXPECT_EQ(chain("out[0] = out[1]", " + out[2]", 9000).code, 0);
  for (const auto& [first, piece] : {std::pair{"out[0] = out[1]", " + out[2]"},
                                     std::pair{"out[0] = 1", ", out[0] = 1"}, std::pair{"s", "->p"}}) {
    const ToolResult r = chain(first, piece, 100'000);
    EXPECT_EQ(r.code, 1) << piece;
    EXPECT_NE(r.out.find("more than 10,000 operators in a row"), std::string::npos) << r.out;
  }
}

}  // namespace
}  // namespace quern::test
