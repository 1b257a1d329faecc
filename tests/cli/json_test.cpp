// --json: the values of buffers, and one object for every failure.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/json_value.hpp"
#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"

namespace quern::test {
namespace {

const std::string kJsonSaxpy = std::string(QUERN_SOURCE_DIR) + "/examples/saxpy.cu";

TEST(Json, EveryFailureIsOneObject) {
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* kind;
  };
  const Case cases[] = {
      {{"run", "/no/such.cu", "--json"}, 3, ""},
      {{"run", "--json"}, 2, "invalid use"},
      {{"run", kJsonSaxpy, "1", "2", "f32[1]", "f32[1]", "--on", "abacus", "--json"}, 3, "not found"},
      {{"run", kJsonSaxpy, "--frobnicate", "--json"}, 2, "invalid use"},
      {{"replay", "/no/such.qrec", "--json"}, 3, ""},
      {{"replay", "--json"}, 2, "invalid use"},
      {{"demo", "--on", "abacus", "--json"}, 3, "not found"},
      {{"probe", "abacus", "--json"}, 3, "not found"},
      {{"check", "/no/such.cu", "--json"}, 3, "not found"},
      {{"check", "--json"}, 2, "invalid use"},
      {{"status", "/no/such", "--json"}, 3, ""},
      {{"cache", "polish", "--json"}, 2, "invalid use"},
      {{"profile", "--json"}, 2, "invalid use"},
      {{"devices", "word", "--json"}, 2, "invalid use"},
      {{"default", "--json"}, 3, "not found"},
      {{"summary", "--json"}, 3, "not found"},
      {{"ring", "run", "/no/such.cu", "5", "--json", "--on", "sim"}, 3, ""},
      {{"ring", "dance", "--json"}, 2, "invalid use"},
  };
  for (const Case& c : cases) {
    const ToolResult r = run_tool(c.words, {"QUERN_DEVICE=abacus"});
    const std::string what = c.words[0] + " " + c.words[1] + "\n" + r.out + r.err;
    EXPECT_EQ(r.code, c.code) << what;
    const base::JsonValue json = parsed(r.out);
    const base::JsonValue* error = json.find("error");
    ASSERT_NE(error, nullptr) << what;
    EXPECT_NE(error->text_of("message"), "") << what;
    EXPECT_NE(error->text_of("kind"), "") << what;
    EXPECT_NE(error->find("hint"), nullptr) << what;
    if (*c.kind != 0) {
      EXPECT_EQ(error->text_of("kind"), c.kind) << what;
    }
  }
}

TEST(Json, RunHasTheValuesOfBuffers) {
  const ToolResult r =
      run_tool({"run", kJsonSaxpy, "4", "2", "f32[4]=iota", "f32[4]=1", "--on", "sim", "--json"});
  EXPECT_EQ(r.code, 0) << r.err;
  const base::JsonValue json = parsed(r.out);
  const base::JsonValue* buffers = json.find("runs")->items[0].find("buffers");
  ASSERT_NE(buffers, nullptr) << r.out;
  ASSERT_EQ(buffers->items.size(), 1u) << r.out;
  const base::JsonValue& y = buffers->items[0];
  EXPECT_EQ(y.text_of("name"), "y");
  EXPECT_EQ(y.text_of("type"), "float*");
  EXPECT_EQ(y.number_of("count"), 4);
  std::vector<double> values;
  for (const base::JsonValue& v : y.find("values")->items) values.push_back(v.number);
  EXPECT_EQ(values, (std::vector<double>{1, 3, 5, 7}));
}

TEST(Json, ValuesAreBoundedUnlessAllAreWanted) {
  const auto count = [](std::vector<std::string> more) {
    std::vector<std::string> words = {"run",         kJsonSaxpy, "5000", "2",     "f32[5000]=iota",
                                      "f32[5000]=1", "--on",     "sim",  "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const ToolResult r = run_tool(words);
    EXPECT_EQ(r.code, 0) << r.err;
    const base::JsonValue json = parsed(r.out);
    const base::JsonValue& y = json.find("runs")->items[0].find("buffers")->items[0];
    EXPECT_EQ(y.number_of("count"), 5000);
    return y.find("values")->items.size();
  };
  EXPECT_EQ(count({}), 1000u);
  EXPECT_EQ(count({"--values", "7"}), 7u);
  EXPECT_EQ(count({"--values", "all"}), 5000u);
  EXPECT_EQ(count({"--print", "y[10:15]"}), 5u);
  EXPECT_EQ(run_tool({"run", kJsonSaxpy, "1", "2", "f32[1]", "f32[1]", "--json", "--values", "many"}).code,
            2);
}

TEST(Json, ValuesKeepTheirTypes) {
  const base::TemporaryFolder folder;
  const std::string path = folder / "types.cu";
  ASSERT_TRUE(base::write_file(path, R"(
struct P { int a; float b[2]; };
__global__ void k(P* p, long long* wide, float* odd, bool* flags) {
  p[0] = {-3, {0.5f, 0.1f}};
  wide[0] = 9007199254740993ll;
  wide[1] = -9007199254740993ll;
  odd[0] = 0.0f / odd[1];
  flags[0] = true;
})")
                  .ok());
  const ToolResult r = run_tool({"run", path, "P[1]=0", "i64[2]=0", "f32[2]=0", "bool[1]=0", "--threads", "1",
                                 "--on", "sim", "--json"});
  EXPECT_EQ(r.code, 0) << r.err;
  std::string flat;
  for (const char c : r.out) {
    if (c != ' ' && c != '\n') flat += c;
  }
  EXPECT_NE(flat.find("\"values\":[[-3,[0.5,0.1]]]"), std::string::npos) << r.out;
  EXPECT_NE(flat.find("\"values\":[9007199254740993,-9007199254740993]"), std::string::npos) << r.out;
  EXPECT_NE(flat.find("nan\",0]"), std::string::npos) << r.out;
  EXPECT_NE(flat.find("\"values\":[true]"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace quern::test
