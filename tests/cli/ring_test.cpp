// quern ring: its output, its errors, and the correctness of its replies.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"

namespace quern::test {
namespace {

const std::string kCounter = std::string(QUERN_SOURCE_DIR) + "/examples/ring/counter.cu";

TEST(Ring, RunPrintsRepliesAndState) {
  const ToolResult r = run_tool({"ring", "run", kCounter, "5", "7", "--on", "cpu"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "5  →  5\n7  →  12\nstate: {12}\n2 calls on ")) << r.out;
  EXPECT_TRUE(has(r.out, "(cpu), persistent: p50 ")) << r.out;
}

TEST(Ring, FilesWithoutAnActorAreReportedInOneSentence) {
  const base::TemporaryFolder folder;
  const std::string file = folder.write("none.cu", "struct State { int n; };\n");
  const ToolResult r = run_tool({"ring", "run", file, "5", "--on", "sim"});
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(
      r.err,
      "quern: does not compile: " + file +
          " has no 'Message'\n"
          "  hint: define State, Message, Reply and on_message; see the example in `quern ring --help`\n");
  const ToolResult kind = run_tool({"ring", "run", kCounter + ":adder", "5", "--on", "sim"});
  EXPECT_TRUE(has(kind.err, "counter.cu has no namespace 'adder'")) << kind.err;
  const ToolResult fields = run_tool({"ring", "run", kCounter, "{5, 6}", "--on", "sim"});
  EXPECT_TRUE(has(fields.err, "'Message' has 1 field; '}' is missing after it")) << fields.err;
}

TEST(Ring, AHandlerThatDoesNotFitIsReportedWithoutGeneratedText) {
  const base::TemporaryFolder folder;
  const std::string path = folder / "a.cu";
  ASSERT_TRUE(base::write_file(path, R"(struct State { long total; };
struct Message { int add; };
using Reply = long;
__device__ Reply on_message(State& state, const Message& message) { return state.total += message.add; }
)")
                  .ok());
  const ToolResult r = run_tool({"ring", "run", path, "5", "--on", "sim"});
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(r.err.find("quern/ring/"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("the actor in " + path + " is invalid: no matching function for call to 'on_message'"),
            std::string::npos)
      << r.err;
  EXPECT_NE(r.err.find("hint: declare `__device__ Reply on_message(State& state, const Message& message, "),
            std::string::npos)
      << r.err;
}

TEST(Ring, BothEnginesAnswerAlike) {
  for (const char* engine : {"persistent", "driven"}) {
    const ToolResult r = run_tool({"ring", "run", kCounter, "5", "{-7}", "--count", "3", "--state", "{100}",
                                   "--engine", engine, "--on", "cpu"});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "5  →  101\n{-7}  →  94\nstate: {94}\n6 calls on ")) << r.out;
    EXPECT_TRUE(has(r.out, engine)) << r.out;
  }
}

TEST(Ring, BuffersKindsAndFailuresAreSeen) {
  const base::TemporaryFolder folder;
  const std::string file = folder / "table.cu";
  ASSERT_TRUE(
      base::write_file(file,
                       "namespace table {\n"
                       "struct State { int asked; };\n"
                       "struct Message { int at; float scale; };\n"
                       "struct Reply { int at; float value; };\n"
                       "__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {\n"
                       "  s.asked += 1;\n"
                       "  if (m.at >= 8) { c.fail(3); return Reply{}; }\n"
                       "  return Reply{m.at, c.buffer<float>(0)[m.at] * m.scale};\n"
                       "}\n}\n")
          .ok());
  const std::vector<std::string> words = {"ring",     "run",         file + ":table", "{3, 0.5}",
                                          "--buffer", "f32[8]=iota", "--on",          "cpu"};
  const ToolResult right = run_tool(words);
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_TRUE(has(right.out, "{3, 0.5}  →  {3, 1.5}\nstate: {1}\n")) << right.out;
  std::vector<std::string> more = words;
  more[3] = "{9, 1}";
  const ToolResult failed = run_tool(more);
  EXPECT_EQ(failed.code, 1) << failed.out;
  EXPECT_TRUE(has(failed.out, "{9, 1}  failed: ")) << failed.out;
}

TEST(Ring, ActorsOfAGroupSendToEachOther) {
  const base::TemporaryFolder folder;
  const std::string kind =
      "struct State { int seen; long sum; };\nusing Message = Number;\nusing Reply = int;\n"
      "__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {\n"
      "  s.seen += 1;\n  s.sum += m.value;\n";
  const std::string file = folder.write(
      "pair.cu", "struct Number { int value; };\nnamespace first {\n" + kind +
                     "  return c.send(1, Number{m.value * 2}) ? m.value : -1;\n}\n}\nnamespace second {\n" +
                     kind + "  if (m.value == 4) c.after_messages(0, Number{100});\n  return 0;\n}\n}\n");
  const ToolResult r =
      run_tool({"ring", "run", file + ":first,second", "1", "2", "3", "--timers", "1", "--on", "cpu"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "3  →  3\nstate of first: {3, 6}\nstate of second: {4, 112}\n")) << r.out;
  const ToolResult rows = run_tool({"ring", "inspect", file + ":first,second,second", "1", "--timers", "1",
                                    "--slots", "128", "--count", "100", "--on", "cpu"});
  EXPECT_EQ(rows.code, 0) << rows.err;
  EXPECT_TRUE(has(rows.out, "second  terminated      100")) << rows.out;
  EXPECT_TRUE(has(rows.out, "second  terminated        0")) << rows.out;
  EXPECT_TRUE(has(run_tool({"ring", "run", file + ":first,", "1", "--on", "sim"}).err,
                  "contains an empty actor name"));
  EXPECT_TRUE(has(run_tool({"ring", "run", file, "1", "--on", "sim"}).err,
                  "name actors in a namespace as " + file + ":NAMESPACE"));
}

// As in the comments of the files.
TEST(Ring, RunsTheExamples) {
  const std::string folder = std::string(QUERN_SOURCE_DIR) + "/examples/ring/";
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"ring", "run"});
    words.insert(words.end(), {"--on", "cpu"});
    const ToolResult r = run_tool(words);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  const std::string pipeline = run({folder + "pipeline.cu:intake,worker,keeper", "{27, 0, 0}", "{97, 0, 0}"});
  EXPECT_TRUE(has(pipeline, "state of worker: {229}\nstate of keeper: {97, 118}\n")) << pipeline;
  const std::string store = run({folder + "store.cu", "{1, 7, 42}", "{0, 7, 0}", "{2, 7, 0}", "{0, 7, 0}",
                                 "--buffer", "u64[131072]=0"});
  EXPECT_TRUE(has(store, "{0, 7, 0}  →  {42, 1}\n{2, 7, 0}  →  {42, 1}\n{0, 7, 0}  →  {0, 0}\nstate: {0}\n"))
      << store;
  const std::string wave = run({folder + "wave.cu", "{0, 32, 32, 0, 1}", "{1, 32, 32, 100, 0}",
                                "{4, 40, 32, 0, 0}", "--shape", "grid", "--state", "{64, 64, 0.999, 0.25, 0}",
                                "--buffer", "f32[4096]=0", "--buffer", "f32[4096]=0"});
  EXPECT_TRUE(has(wave, "state: {64, 64, 0.999, 0.25, 100}\n")) << wave;
}

TEST(Ring, WhatIsWrongIsSaidInOneSentence) {
  const auto error = [](const std::vector<std::string>& words, int code) {
    std::vector<std::string> all = {"ring"};
    all.insert(all.end(), words.begin(), words.end());
    const ToolResult r = run_tool(all);
    EXPECT_EQ(r.code, code) << r.out;
    EXPECT_EQ(r.out, "");
    return r.err;
  };
  EXPECT_EQ(error({}, 2),
            "quern: ring requires bench, run, top or inspect\n"
            "  hint: see the examples in `quern ring --help`\n");
  EXPECT_EQ(error({"tpo"}, 2),
            "quern: unknown subcommand 'tpo'\n"
            "  hint: use 'top'\n");
  EXPECT_TRUE(has(error({"run"}, 2), "requires a file with an actor"));
  EXPECT_TRUE(has(error({"bench", "--count", "5"}, 2), "ring bench does not support --count"));
  EXPECT_TRUE(has(error({"run", kCounter, "1", "--seconds", "5"}, 2), "ring run does not support --seconds"));
  EXPECT_TRUE(has(error({"top", "--engine", "driven"}, 2), "--engine requires a file with an actor"));
  EXPECT_TRUE(has(error({"run", kCounter, "1", "--threads", "4294967297", "--on", "cpu"}, 3), "threads"));
  EXPECT_TRUE(has(error({"run", kCounter, "--on", "cpu"}, 2), "no message given for"));
  EXPECT_TRUE(has(error({"run", kCounter, "x", "--on", "cpu"}, 2), "hint: write the fields add"));
  EXPECT_TRUE(has(error({"run", kCounter, "1", "--shape", "circle", "--on", "cpu"}, 2),
                  "invalid value 'circle' for --shape\n  hint: use thread, block, grid, parallel"));
  EXPECT_TRUE(has(error({"run", kCounter, "1", "--count", "0", "--on", "cpu"}, 2),
                  "for --count\n  hint: use a count of at least 1"));
  EXPECT_TRUE(has(error({"run", "/does/not/exist.cu", "1", "--on", "cpu"}, 3), "/does/not/exist.cu"));
  EXPECT_TRUE(has(error({"run", kCounter, "1", "--on", "abacus"}, 3), "there is no device 'abacus'"));
  const std::string saxpy = std::string(QUERN_SOURCE_DIR) + "/examples/saxpy.cu";
  EXPECT_TRUE(has(error({"run", saxpy, "1", "--on", "cpu"}, 3), "has no valid actor"));
}

TEST(Ring, BenchChecksItsAnswers) {
  const ToolResult r = run_tool({"ring", "bench", "--on", "cpu", "--calls", "50"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "50 calls, 0 lost")) << r.out;
  EXPECT_TRUE(has(r.out, "checksum correct")) << r.out;
  EXPECT_TRUE(has(r.out, "same by launches")) << r.out;
}

TEST(Ring, InspectShowsActorsAndTheirTimes) {
  const ToolResult r = run_tool({"ring", "inspect", "--on", "cpu", "--count", "20"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* part : {"source  terminated       60", "square  terminated       60",
                           "sum     terminated       60", "time of a message on the device's clock"})
    EXPECT_TRUE(has(r.out, part)) << part << "\n" << r.out;
}

TEST(Ring, TopShowsATableForAWhile) {
  const ToolResult r =
      run_tool({"ring", "top", kCounter, "1", "--on", "cpu", "--seconds", "1", "--every", "0.4"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "handled")) << r.out;
  EXPECT_FALSE(has(r.out, "\033[")) << "a pipe gets no control codes";
}

TEST(Ring, JsonIsValid) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"ring", "run", kCounter, "1", "--on", "cpu", "--json"},
           {"ring", "bench", "--on", "cpu", "--calls", "20", "--json"},
           {"ring", "inspect", "--on", "cpu", "--count", "2", "--json"},
           {"ring", "top", "--on", "cpu", "--seconds", "0.3", "--every", "0.1", "--json"},
       }) {
    const ToolResult r = run_tool(words);
    EXPECT_EQ(r.code, 0) << words[1] << r.err;
    EXPECT_TRUE(is_json(r.out)) << words[1] << "\n" << r.out;
    if (words[1] == "bench") {
      EXPECT_TRUE(has(r.out, "\"throttled\": [")) << r.out;
    }
  }
}

}  // namespace
}  // namespace quern::test
