// quern profile and quern status, as a user calls them.
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.hpp"
#include "cli/tool.hpp"

namespace quern::test {

namespace {

class ProfileCommand : public testing::Test {
 protected:
  ProfileCommand()
      : folder_((std::filesystem::temp_directory_path() / ("quern-profile-" + std::to_string(::getpid())))
                    .string()) {
    std::filesystem::create_directories(folder_);
  }
  ~ProfileCommand() override { std::filesystem::remove_all(folder_); }

  ToolResult profile(std::vector<std::string> more) const {
    std::vector<std::string> all = {"profile", "-o", folder_ + "/app"};
    all.insert(all.end(), more.begin(), more.end());
    return run_tool(all, {"QUERN_CACHE=" + folder_ + "/cache"});
  }
  static std::vector<std::string> saxpy() {
    return {"--",
            QUERN_TOOL,
            "run",
            QUERN_SOURCE_DIR "/examples/saxpy.cu",
            "1000",
            "3",
            "f32[1000]=iota",
            "f32[1000]=1",
            "--on",
            "sim",
            "--repeat",
            "4"};
  }

  std::string folder_;
};

// Ctrl-C and similar signals end the program, and its profile is shown.
TEST_F(ProfileCommand, SignalsAreForTheProgram) {
  for (const auto& [signal, code] : {std::pair{"INT", 130}, std::pair{"TERM", 143}}) {
    const std::string run = std::string("\"" QUERN_TOOL "\" run ") + QUERN_SOURCE_DIR +
                            "/examples/saxpy.cu 10 3 f32[10]=iota f32[10]=1 --on sim; kill -" + signal +
                            " $PPID; exec sleep 20";
    const ToolResult r = run_tool({"profile", "-o", folder_ + "/app", "--", "sh", "-c", run},
                                  {"QUERN_CACHE=" + folder_ + "/cache", "TMPDIR=" + folder_});
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_NE(r.out.find("saxpy  "), std::string::npos) << r.out;
    EXPECT_TRUE(std::filesystem::remove(folder_ + "/app.trace.json"));
    for (const auto& left : std::filesystem::directory_iterator(folder_))
      EXPECT_EQ(left.path().filename().string().find("quern-trace"), std::string::npos) << left.path();
  }
}

TEST_F(ProfileCommand, AFolderForTracesThatIsRelative) {
  const std::string run = "cd / && \"" QUERN_TOOL "\" run " QUERN_SOURCE_DIR
                          "/examples/saxpy.cu 10 3 f32[10]=iota f32[10]=1 --on sim";
  const ToolResult r = run_tool({"profile", "-o", folder_ + "/app", "--", "sh", "-c", run},
                                {"QUERN_CACHE=" + folder_ + "/cache", "TMPDIR=."});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("saxpy  "), std::string::npos) << r.out;
}

TEST_F(ProfileCommand, ShowsATableAndWritesTwoFiles) {
  const ToolResult r = profile(saxpy());
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("calls  "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("saxpy  "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("/app.trace.json (open it with https://ui.perfetto.dev)"), std::string::npos) << r.out;
  const auto trace = base::read_file(folder_ + "/app.trace.json");
  ASSERT_TRUE(trace.ok());
  EXPECT_TRUE(is_json(*trace));
  const auto page = base::read_file(folder_ + "/app.html");
  ASSERT_TRUE(page.ok());
  EXPECT_NE(page->find("<svg"), std::string::npos);
  for (const char* foreign : {"<script", "src=", "href=", "url(", "@import", "http:", "https:"})
    EXPECT_EQ(page->find(foreign), std::string::npos) << foreign;
}

// The charts are 1000 units wide, and a character takes about 6 of them.
TEST_F(ProfileCommand, LabelsOfBarsStayInsideOfTheChart) {
  ASSERT_EQ(profile(saxpy()).code, 0);
  const std::string page = base::read_file(folder_ + "/app.html").value_or("");
  int count = 0;
  for (size_t at = page.find("</rect><text x=\""); at != std::string::npos;
       at = page.find("</rect><text x=\"", at + 1)) {
    const size_t number = at + std::string("</rect><text x=\"").size();
    const size_t label = page.find('>', number) + 1;
    const size_t end = page.find("</text>", label);
    EXPECT_LE(std::stod(page.substr(number)) + 6.0 * static_cast<double>(end - label), 1000)
        << page.substr(label, end - label);
    ++count;
  }
  EXPECT_GT(count, 3);
}

// On a narrow screen, tables and charts scroll in a box; the page itself does not.
TEST_F(ProfileCommand, WideContentScrollsInItsOwnBox) {
  ASSERT_EQ(profile(saxpy()).code, 0);
  const std::string page = base::read_file(folder_ + "/app.html").value_or("");
  int count = 0;
  for (const char* wide : {"<table", "<svg"}) {
    for (size_t at = page.find(wide); at != std::string::npos; at = page.find(wide, at + 1)) {
      EXPECT_TRUE(page.substr(0, at).ends_with("<div class=\"wide\">")) << page.substr(at, 60);
      ++count;
    }
  }
  EXPECT_EQ(count, 4);
  EXPECT_EQ(page.find("counted counted"), std::string::npos);
}

TEST_F(ProfileCommand, WritesJsonAlone) {
  std::vector<std::string> words = saxpy();
  words.insert(words.begin(), "--json");
  const ToolResult r = profile(words);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(is_json(r.out)) << r.out;
  EXPECT_NE(r.out.find("\"name\": \"saxpy\""), std::string::npos);
  EXPECT_NE(r.err.find("saxpy<<<"), std::string::npos);  // the program's own output
}

// Once, the second process overwrote the trace of the first.
TEST_F(ProfileCommand, ProcessesHaveATraceEach) {
  std::string command;
  for (const std::string& word : saxpy()) command += word == "--" ? "" : " '" + word + "'";
  const ToolResult r = profile({"-o", folder_ + "/two", "--", "sh", "-c", command + ";" + command});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("1 of 2 processes: quern\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("2 of 2 processes: quern\n"), std::string::npos) << r.out;
  for (const char* file : {"/two.trace.json", "/two.2.trace.json", "/two.html", "/two.2.html"})
    EXPECT_TRUE(std::filesystem::exists(folder_ + file)) << file;
  const ToolResult json = profile({"--json", "--", "sh", "-c", command + ";" + command});
  EXPECT_TRUE(is_json(json.out)) << json.out;
}

TEST_F(ProfileCommand, PassesTheExitCodeOn) {
  EXPECT_EQ(profile({"--", "sh", "-c", "exit 41"}).code, 41);
  const ToolResult killed = profile({"--", "sh", "-c", "kill -9 $$"});
  EXPECT_EQ(killed.code, 137);
  EXPECT_NE(killed.err.find("'sh' was terminated by signal 9"), std::string::npos);
}

TEST_F(ProfileCommand, SaysWhatItCannotProfile) {
  const ToolResult other = profile({"--", "true"});
  EXPECT_EQ(other.code, 3);
  EXPECT_EQ(other.err,
            "quern: 'true' wrote no trace: it does not use Quern, or opened no device\n"
            "  hint: check with ldd whether the program uses libquern.so\n");
  const ToolResult missing = profile({"--", "/no/such/program"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_EQ(missing.err, "quern: not found: running '/no/such/program' failed: No such file or directory\n");
  EXPECT_EQ(profile({}).code, 2);
}

TEST_F(ProfileCommand, ATraceThatCannotBeWrittenIsReported) {
  const std::vector<std::string> all = saxpy();
  const ToolResult r = run_tool({all.begin() + 2, all.end()},
                                {"QUERN_TRACE=/nowhere/trace.json", "QUERN_CACHE=" + folder_ + "/cache"});
  EXPECT_EQ(r.code, 0);  // the program itself continues
  EXPECT_NE(r.err.find("cannot write the trace '/nowhere/trace.json': No such file or directory"),
            std::string::npos)
      << r.err;
}

TEST_F(ProfileCommand, AProgramKeepsItsStatus) {
  const std::vector<std::string> all = saxpy();
  const std::string file = folder_ + "/status";
  const ToolResult ran = run_tool({all.begin() + 2, all.end()}, {"QUERN_STATUS=" + file});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const ToolResult shown = run_tool({"status", file});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find(": ended, written "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("errors     none"), std::string::npos) << shown.out;
  EXPECT_TRUE(is_json(run_tool({"status", "--json", file}).out));
  const ToolResult wrong = run_tool({"status", QUERN_SOURCE_DIR "/README.md"});
  EXPECT_EQ(wrong.code, 3);
  EXPECT_NE(wrong.err.find("is not a status file"), std::string::npos);
}

TEST_F(ProfileCommand, StatusShowsWhatWentWrongLately) {
  std::filesystem::create_directories(folder_ + "/cache");
  ASSERT_TRUE(base::write_file(
                  folder_ + "/cache/errors",
                  "{\"time\":1,\"program\":\"app\",\"kind\":\"device lost\",\"text\":\"device lost: it is "
                  "gone\\n  on X (cuda)\"}\nnot json\n")
                  .ok());
  const ToolResult r = run_tool({"status"}, {"QUERN_CACHE=" + folder_ + "/cache", "QUERN_DRIVERS=sim"});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("recent: 1 device lost\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(", app: device lost: it is gone\n    on X (cuda)\n"), std::string::npos) << r.out;
}

}  // namespace

}  // namespace quern::test
