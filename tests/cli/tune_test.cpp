// quern tune, quern bench.
#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/json_value.hpp"
#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"
#include "support/devices.hpp"

namespace quern::test {
namespace {

TEST(TuneCommand, MeasuresStoresAndLists) {
  const base::TemporaryFolder cache;
  const std::vector<std::string> environment{"QUERN_CACHE=" + cache.path()};
  EXPECT_TRUE(has(run_tool({"tune", "--list"}, environment).out, "nothing was tuned"));
  const ToolResult r =
      run_tool({"tune", "reduce", "1000", "--on", "sim", "--rounds", "3", "--json"}, environment);
  EXPECT_EQ(r.code, 0) << r.err;
  const base::JsonValue json = parsed(r.out);
  EXPECT_EQ(json.text_of("driver"), "sim");
  EXPECT_EQ(json.text_of("operation"), "reduce");
  ASSERT_EQ(json.find("results")->items.size(), 1u);
  const base::JsonValue& result = json.find("results")->items[0];
  EXPECT_EQ(result.text_of("shape"), "1000");
  EXPECT_EQ(result.text_of("source"), "measured");
  EXPECT_GT(result.find("candidates")->items.size(), 2u);
  EXPECT_EQ(result.find("candidates")->items[0].find("variant")->number_of("threads"), 256);

  const ToolResult list = run_tool({"tune", "--list"}, environment);
  EXPECT_TRUE(has(list.out, "ops::reduce  1024")) << list.out;
  const base::JsonValue listed = parsed(run_tool({"tune", "--list", "--json"}, environment).out);
  ASSERT_EQ(listed.find("tunings")->items.size(), 1u);
  EXPECT_EQ(listed.find("tunings")->items[0].text_of("reason"), result.text_of("reason"));
}

TEST(TuneCommand, PrintsATableOfCandidates) {
  const base::TemporaryFolder cache;
  const ToolResult r = run_tool({"tune", "rms_norm", "4x256", "--type", "f16", "--on", "sim", "--rounds=3"},
                                {"QUERN_CACHE=" + cache.path()});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "rms_norm 4x256, f16")) << r.out;
  EXPECT_TRUE(has(r.out, "width=32")) << r.out;
  EXPECT_TRUE(has(r.out, "chosen")) << r.out;
}

TEST(TuneCommand, ExplainsWrongArguments) {
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* text;
  };
  const Case cases[] = {
      {{"tune"}, 2, "tune requires an operation and a shape"},
      {{"tune", "matmul", "5xx5"}, 2, "invalid value '5xx5' for the shape"},
      {{"tune", "matmul", "5x0x5"}, 2, "invalid value '5x0x5' for the shape"},
      {{"tune", "matmul", "5x5", "--on", "sim"}, 2, "does not describe a problem"},
      {{"tune", "polish", "5x5", "--on", "sim"}, 2, "the operation has no variants"},
      {{"tune", "reduce", "5", "--type", "f8"}, 2, "invalid value 'f8' for --type"},
      {{"tune", "reduce", "5", "--rounds", "1"}, 2, "invalid value '1' for --rounds"},
      {{"tune", "reduce", "5", "--seconds", "0"}, 2, "invalid value '0' for --seconds"},
      {{"tune", "reduce", "5", "--on", "abacus"}, 3, "abacus"},
      {{"bench"}, 2, "bench requires what to measure"},
      {{"bench", "rings"}, 2, "unknown subcommand 'rings'"},
      {{"bench", "ops", "more"}, 2, "'more' is an unexpected argument"},
      {{"bench", "ops", "--against", "friends"}, 2, "invalid value 'friends' for --against"},
      {{"bench", "ops", "--on", "abacus"}, 3, "abacus"},
  };
  for (const Case& c : cases) {
    const ToolResult r = run_tool(c.words);
    EXPECT_EQ(r.code, c.code) << c.words[0] << r.err;
    EXPECT_TRUE(has(r.err, c.text)) << r.err;
    std::vector<std::string> as_json = c.words;
    as_json.emplace_back("--json");
    EXPECT_NE(parsed(run_tool(as_json).out).find("error"), nullptr) << r.err;
  }
}

TEST(BenchCommand, ChecksEveryResultAndDraws) {
  const base::TemporaryFolder folder;
  const std::string plot = folder / "ops.svg";
  const ToolResult r =
      run_tool({"bench", "ops", "--on", "sim", "--quick", "--json", "--against", "vendor", "--plot", plot});
  EXPECT_EQ(r.code, 0) << r.err;
  const base::JsonValue json = parsed(r.out);
  EXPECT_GT(json.number_of("copy_gigabytes_per_second"), 0);
  const auto& rows = json.find("rows")->items;
  EXPECT_GE(rows.size(), 7u);
  for (const base::JsonValue& row : rows) {
    EXPECT_TRUE(row.find("correct")->truth) << row.text_of("operation") << row.text_of("wrong");
    EXPECT_GT(row.number_of("rate"), 0);
    EXPECT_NE(row.text_of("kernel"), "");
    EXPECT_NE(row.text_of("no_vendor"), "");  // there is none for the simulator
  }
  const auto svg = base::read_file(plot);
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(svg->find("<svg "), 0u);
  EXPECT_TRUE(has(*svg, "matmul f32 32x32x32"));
  EXPECT_TRUE(has(*svg, "</svg>"));
}

// The fake computes correctly, as `quern bench` checks.
TEST(BenchCommand, MeasuresTheVendorsLibrary) {
  if (const std::string why = why_not("cpu", {}); !why.empty()) GTEST_SKIP() << why;
  const base::TemporaryFolder folder;
  std::filesystem::create_symlink(QUERN_FAKE_VENDOR, folder / "libblis.so.4");
  const std::vector<std::string> environment{"QUERN_VENDOR_LIBRARIES=" + folder.path()};
  const std::string plot = folder / "ops.svg";
  const std::vector<std::string> words{"bench", "ops", "--on", "cpu", "--quick", "--against", "vendor"};
  std::vector<std::string> as_json = words;
  as_json.insert(as_json.end(), {"--json", "--plot", plot});
  const ToolResult r = run_tool(as_json, environment);
  EXPECT_EQ(r.code, 0) << r.err;
  const base::JsonValue json = parsed(r.out);
  for (const base::JsonValue& row : json.find("rows")->items) {
    EXPECT_TRUE(row.find("correct")->truth) << row.text_of("wrong");
    const std::string name = row.text_of("operation") + " " + row.text_of("type");
    if (name == "matmul f32" || name == "matmul f64") {
      EXPECT_EQ(row.text_of("vendor"), "blis 1.0");
      EXPECT_EQ(row.text_of("kernel").find("quern_ops::matmul"), 0u);
      EXPECT_GT(row.number_of("vendor_seconds"), 0);
      EXPECT_GT(row.number_of("vendor_rate"), 0);
      EXPECT_GT(row.number_of("ratio"), 0);
    } else {
      EXPECT_NE(row.text_of("no_vendor"), "") << name;
    }
    if (name == "matmul f32") {
      EXPECT_GT(row.number_of("vendor_share"), 0);
    }
  }
  const auto svg = base::read_file(plot);
  ASSERT_TRUE(svg.ok());
  EXPECT_TRUE(has(*svg, "blis 1.0")) << *svg;
  const ToolResult table = run_tool(words, environment);
  EXPECT_TRUE(has(table.out, "vendor share")) << table.out;
  EXPECT_TRUE(has(table.out, "blis 1.0")) << table.out;
}

TEST(TuneCommand, TunesTransforms) {
  const base::TemporaryFolder cache;
  const ToolResult r =
      run_tool({"tune", "fft", "4x16", "--on", "sim", "--rounds", "3"}, {"QUERN_CACHE=" + cache.path()});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "fft 4x16, c64")) << r.out;
  EXPECT_TRUE(has(r.out, "elements=16")) << r.out;
  EXPECT_EQ(run_tool({"tune", "fft", "4x16", "--type", "f32", "--on", "sim"}).code, 3);
}

TEST(BenchCommand, PrintsATable) {
  const ToolResult r = run_tool({"bench", "ops", "--on", "sim"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "copies")) << r.out;
  EXPECT_TRUE(has(r.out, "softmax")) << r.out;
  EXPECT_FALSE(has(r.out, "wrong")) << r.out;
}

}  // namespace
}  // namespace quern::test
