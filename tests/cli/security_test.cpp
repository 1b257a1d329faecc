// Attacks on the tool by another account of the machine, or by the sender of a file.
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"
#include "support/command.hpp"
#include "support/two_users.hpp"

namespace quern::test {
namespace {

using base::TemporaryFolder;

constexpr const char* kKernel = "__global__ void k(int* x) { x[threadIdx.x] = 7; }\n";
constexpr const char* kAsOther = "setpriv --reuid=65534 --regid=65534 --clear-groups ";

#define QUERN_NEED_SETPRIV() \
  QUERN_NEED_ROOT();         \
  if (run_command("setpriv --version").code != 0) GTEST_SKIP() << "SKIPPED: needs setpriv (util-linux)"

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A folder that all users may enter.
void open_to_all(const TemporaryFolder& folder) { ::chmod(folder.path().c_str(), 0755); }

TEST(Security, CodeThatAnotherUserCachedIsNotRun) {
  QUERN_NEED_SETPRIV();
  const TemporaryFolder folder;
  open_to_all(folder);
  const std::string file = folder.write("k.cu", kKernel), cache = folder / "cache";
  std::filesystem::create_directory(cache);
  ASSERT_EQ(::chown(cache.c_str(), kOtherUser, kOtherUser), 0);
  // The tool may be in a folder that the other user cannot enter.
  const std::string copy = folder / "quern";
  std::filesystem::copy_file(QUERN_TOOL, copy);
  const CommandAnswer theirs = run_command("QUERN_CACHE=" + cache + " " + kAsOther + copy + " run " + file +
                                           " 'i32[4]=0' --block 4 --grid 1 --on cpu");
  if (contains(theirs.text, "LLVM")) GTEST_SKIP() << "SKIPPED: LLVM is not installed";
  ASSERT_EQ(theirs.code, 0) << theirs.text;
  ASSERT_FALSE(std::filesystem::is_empty(cache + "/code"));

  const auto r = run_tool({"run", file, "i32[4]=0", "--block", "4", "--grid", "1", "--on", "cpu"},
                          {"QUERN_CACHE=" + cache});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(contains(r.err, "the cache is not used: '" + cache +
                                  "' is not safe to use: it belongs to another user (id 65534"))
      << r.err;
  EXPECT_TRUE(contains(r.err, "hint: set QUERN_CACHE to a folder of your own")) << r.err;
  EXPECT_EQ(r.err.find("not safe"), r.err.rfind("not safe")) << "it is said once: " << r.err;
  const auto shown = run_tool({"cache"}, {"QUERN_CACHE=" + cache});
  EXPECT_TRUE(contains(shown.out, "the cache is disabled: '" + cache + "' is not safe to use")) << shown.out;
  const auto json = run_tool({"cache", "--json"}, {"QUERN_CACHE=" + cache});
  EXPECT_TRUE(contains(json.out, "\"why_not\": ") && is_json(json.out)) << json.out;
  EXPECT_TRUE(contains(run_tool({"status"}, {"QUERN_CACHE=" + cache}).out, "is not safe to use"));
}

// The environment of the user who starts a setuid program must not load libraries or write files with the
// permissions of its owner.
TEST(Security, TheEnvironmentOfASetuidProgramIsNotUsed) {
  QUERN_NEED_SETPRIV();
  const TemporaryFolder folder;
  open_to_all(folder);
  const std::string id = folder / "id", tool = folder / "quern", secret = folder / "secret";
  std::filesystem::create_directory(secret);
  ASSERT_EQ(::chmod(secret.c_str(), 0700), 0);
  std::filesystem::copy_file("/usr/bin/id", id);
  std::filesystem::copy_file(QUERN_TOOL, tool);
  for (const std::string& file : {id, tool}) ASSERT_EQ(::chmod(file.c_str(), 04755), 0);
  if (run_command(kAsOther + id + " -u").text != "0\n")
    GTEST_SKIP() << "SKIPPED: setuid has no effect in " << folder.path() << " (a mount with nosuid)";
  const std::string file = folder.write("k.cu", kKernel);
  const std::string run = std::string(kAsOther) + "env QUERN_STATUS=" + secret +
                          "/status QUERN_TRACE=" + secret + "/trace.json QUERN_RECORD=" + secret +
                          "/record QUERN_CACHE=" + secret + "/cache HOME=" + secret +
                          " QUERN_LLVM=/no/such/library.so " + tool;
  const CommandAnswer shown = run_command(run + " env");
  EXPECT_EQ(shown.code, 0) << shown.text;
  EXPECT_FALSE(contains(shown.text, secret)) << shown.text;
  EXPECT_FALSE(contains(shown.text, "/no/such/library.so")) << shown.text;
  const CommandAnswer ran = run_command(run + " run " + file + " 'i32[4]=0' --block 4 --grid 1 --on sim");
  EXPECT_EQ(ran.code, 0) << ran.text;
  EXPECT_TRUE(std::filesystem::is_empty(secret));
}

TEST(Security, AStatusDoesNotGoThroughALinkOfAnotherUser) {
  QUERN_NEED_SETPRIV();
  const TemporaryFolder folder;
  open_to_all(folder);
  const std::string shared = folder / "tmp", victim = folder.write("victim", "precious\n");
  std::filesystem::create_directory(shared);
  ASSERT_EQ(::chmod(shared.c_str(), 01777), 0);
  for (const char* name : {"status", "trace.json", "record"})
    ASSERT_EQ(run_command(kAsOther + std::string("ln -s ") + victim + " " + shared + "/" + name).code, 0);
  const std::string file = folder.write("k.cu", kKernel);
  const std::vector<std::string> words = {"run",    file, "i32[4]=0", "--block", "4",
                                          "--grid", "1",  "--on",     "sim"};
  for (const std::string variable : {"QUERN_STATUS", "QUERN_TRACE", "QUERN_RECORD"}) {
    const std::string name = variable == "QUERN_STATUS"  ? "status"
                             : variable == "QUERN_TRACE" ? "trace.json"
                                                         : "record";
    const auto r = run_tool(words, {variable + "=" + shared + "/" + name});
    EXPECT_TRUE(contains(r.err, "is a link that another user made or can replace")) << variable << r.err;
    EXPECT_EQ(*base::read_file(victim), "precious\n") << variable;
  }
}

// A pipe in place of a file once made programs wait forever.
TEST(Security, PipesHangNobody) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe", file = folder.write("k.cu", kKernel);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::vector<std::string> words = {"run",    file, "i32[4]=0", "--block", "4",
                                          "--grid", "1",  "--on",     "sim"};
  for (const char* variable : {"QUERN_STATUS", "QUERN_TRACE", "QUERN_RECORD"}) {
    const auto r = run_tool(words, {std::string(variable) + "=" + pipe});
    EXPECT_GE(r.code, 0) << variable << " hangs";
    EXPECT_TRUE(contains(r.err, "the pipe has no reader")) << variable << r.err;
  }
  EXPECT_EQ(run_tool({"status", pipe}).code, 3);
  EXPECT_EQ(run_tool({"emit", file, "--target", "cuda", "-o", pipe}).code, 3);
  const std::string reader = folder.write("r.cu", "#include \"pipe\"\n" + std::string(kKernel));
  EXPECT_EQ(run_tool({"check", reader}).code, 0);
}

// The path of a temporary file once went through a shell.
TEST(Security, EmitRunsNoShell) {
  const TemporaryFolder folder;
  const std::string file = folder.write("k.cu", kKernel), temporary = folder / "a'; touch pwned; '";
  std::filesystem::create_directories(temporary);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto r = run_tool({"emit", file, "--target", "spirv"}, {"TMPDIR=" + temporary});
  std::filesystem::current_path(before);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "OpEntryPoint") || contains(r.out, "install spirv-dis to list them")) << r.out;
  EXPECT_FALSE(base::file_exists(folder / "pwned"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST(Security, NoFilesAreIncludedIfForbidden) {
  const TemporaryFolder folder;
  folder.write("secret.h", "#error top_secret_value\n");
  const std::string file = folder.write("k.cu", "#include \"secret.h\"\n" + std::string(kKernel));
  EXPECT_TRUE(contains(run_tool({"emit", file}).err, "top_secret_value"));
  const auto r = run_tool({"emit", file, "--no-include"});
  EXPECT_FALSE(contains(r.err + r.out, "top_secret")) << r.err;
  const auto checked = run_tool({"check", file, "--no-include"});
  EXPECT_FALSE(contains(checked.err + checked.out, "top_secret")) << checked.err;
}

TEST(Security, AnEndlessHeaderTakesNoMemory) {
  const TemporaryFolder folder;
  const std::string file = folder.write("k.cu", "#include \"/dev/zero\"\n" + std::string(kKernel));
  const auto r = run_tool({"check", file});
  EXPECT_EQ(r.code, 0) << r.err;
}

// Files control what is printed; terminal control sequences must be filtered.
TEST(Security, ControlSequencesOfFilesAreNotPrinted) {
  const TemporaryFolder folder;
  const std::string evil = "\x1b]0;title\x07\x1b[2J";
  const std::string status = folder.write(
      "app.status",
      R"({"process": 1, "running": false, "time": 0, "program": "\u001b]0;title\u0007",)"
      R"( "devices": [{"id": "\u009b2J", "name": "\u001b[2J"}], "last_errors": [{"text": "\u001b[2J"}]})");
  const std::string printing = folder.write(
      "print.cu", "__global__ void k(int* x) { printf(\"\\033]0;title\\007\\033[2J\"); x[0] = 1; }\n");
  const std::string named = folder.write("\x1b[2J.cu", "__global__ void k( {\n");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"status", status},
           {"status", "--json", status},
           {"run", printing, "i32[1]=0", "--block", "1", "--grid", "1", "--on", "sim"},
           {"check", named},
           {"check", "--all", folder.path()},
           {"run", named, "1"},
           {"status", evil},
           {evil}}) {
    const auto r = run_tool(words);
    EXPECT_EQ((r.out + r.err).find('\x1b'), std::string::npos) << words[0] << ": " << r.out << r.err;
    EXPECT_EQ((r.out + r.err).find('\x07'), std::string::npos) << words[0];
    EXPECT_TRUE(contains(r.out + r.err, "\\u001b[2J") || contains(r.out + r.err, "?[2J"))
        << words[0] << r.out << r.err;
  }
}

TEST(Security, AHomeThatIsNoAbsolutePathIsNotUsed) {
  const TemporaryFolder folder;
  const auto r = run_tool({"cache"}, {"QUERN_CACHE=", "XDG_CACHE_HOME=", "HOME=here"});
  EXPECT_EQ(r.out, "the cache is disabled: none of QUERN_CACHE, XDG_CACHE_HOME and HOME names a folder\n");
}

TEST(Security, ImportingSaysWhatItMeans) {
  EXPECT_TRUE(
      contains(run_tool({"cache", "--help"}).out, "Programs will run its code with your permissions"));
  const TemporaryFolder folder;
  const std::string archive = folder.write("archive", "quern archive 1\n");
  const auto r = run_tool({"cache", "import", archive}, {"QUERN_CACHE=" + (folder / "cache")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "your programs now run the code")) << r.out;
}

}  // namespace
}  // namespace quern::test
