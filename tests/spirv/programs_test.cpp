// Programs in GLSL and OpenCL C with their inputs and results, compiled by the tools of those languages if
// they are installed. A file contains several programs, divided by lines that begin with `//---`;
// support/case_file.hpp describes the format of the cases.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/file.hpp"
#include "base/text.hpp"
#include "spirv/launched.hpp"
#include "support/llvm_tools.hpp"

namespace quern::test {
namespace {

std::vector<Case> load(std::string_view extension) {
  auto cases = read_cases(std::string(QUERN_SOURCE_DIR) + "/tests/spirv", extension);
  if (!cases.ok()) {
    ADD_FAILURE() << cases.error().to_string();
    return {};
  }
  return *cases;
}

// The program that contains a line, with all lines at their positions in the file.
std::string part_around(const std::string& file, uint32_t line) {
  auto text = base::read_file(file);
  if (!text.ok()) return {};
  std::vector<std::string_view> lines = base::split_lines(*text);
  size_t first = 0, last = lines.size();
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("//---")) continue;
    if (i < line) first = i;
    if (i >= line && last == lines.size()) last = i;
  }
  std::string part;
  for (size_t i = 0; i < last; ++i) part += (i < first ? "" : std::string(lines[i])) + "\n";
  return part;
}

// Whether the tool is installed; checked once.
bool has_tool(const std::string& name) {
  static std::map<std::string, bool> known;
  const auto [at, is_new] = known.try_emplace(name, false);
  if (is_new) at->second = std::system((name + " --version >/dev/null 2>&1").c_str()) == 0;
  return at->second;
}

// A folder that is removed with the test.
class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/quern_spirv_XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Empty, after failing the test, if the tools reject the program.
std::string compiled(const Case& c, const std::vector<std::string>& commands, const std::string& extension) {
  static std::map<std::string, std::string> known;  // many cases share a program
  const std::string part = part_around(c.file, c.line);
  std::string& bytes = known[part];
  if (!bytes.empty()) return bytes;
  const Scratch scratch;
  std::ofstream(scratch / ("program" + extension)) << part;
  for (std::string command : commands) {
    command = base::replace_all(command, "IN", scratch / ("program" + extension));
    command = base::replace_all(command, "MID", scratch / "program.bc");
    command = base::replace_all(command, "OUT", scratch / "program.spv");
    if (std::system((command + " >" + (scratch / "log") + " 2>&1").c_str()) != 0) {
      ADD_FAILURE() << c.file << ":" << c.line << ": " << command << "\n"
                    << *base::read_file(scratch / "log");
      return {};
    }
  }
  bytes = *base::read_file(scratch / "program.spv");
  return bytes;
}

spirv::Options options_of(const Case& c) {
  spirv::Options options;
  for (const std::string& text : c.specs) {
    const size_t equals = text.find('=');
    options.specializations.push_back({static_cast<uint32_t>(*base::parse_uint(text.substr(0, equals))),
                                       static_cast<uint64_t>(*base::parse_int(text.substr(equals + 1)))});
  }
  return options;
}

void run_case(const Case& c, const std::string& bytes) {
  if (bytes.empty()) return;
  Launched launched(bytes, options_of(c));
  if (!launched.ok()) return;
  sim::LaunchOptions options;
  options.seed = c.seed;
  if (c.checks == "overflow") options.checks |= sim::kCheckOverflow;
  if (c.checks == "shifts") options.checks |= sim::kCheckShifts;
  launched.run(c.kernel, c.arguments, {c.grid[0], c.grid[1], c.grid[2]}, options,
               {c.block[0], c.block[1], c.block[2]});
  if (testing::Test::HasFatalFailure()) return;
  expect_reports(launched, c);
  expect_values(launched, c);
  EXPECT_TRUE(!c.expected.empty() || !c.reports.empty()) << c.file << ":" << c.line << ": expects nothing";
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return test_name(info.param.file, info.param.kernel, info.param.line);
}

class Glsl : public testing::TestWithParam<Case> {};

TEST_P(Glsl, OnTheSimulator) {
  if (!has_tool("glslangValidator"))
    GTEST_SKIP() << "glslangValidator is not installed (Debian and Ubuntu: glslang-tools)";
  std::string target = "vulkan1.2";
  const std::string part = part_around(GetParam().file, GetParam().line);
  if (const size_t at = part.find("//target "); at != std::string::npos)
    target = part.substr(at + 9, part.find('\n', at) - at - 9);
  const std::string compile = "glslangValidator -V -g -S comp --target-env " + target + " IN -o OUT";
  run_case(GetParam(), compiled(GetParam(), {compile}, ".comp"));
}

INSTANTIATE_TEST_SUITE_P(Programs, Glsl, testing::ValuesIn(load(".comp")), name_of);

class OpenClC : public testing::TestWithParam<Case> {};

TEST_P(OpenClC, OnTheSimulator) {
  static const std::string suffix = llvm_suffix("clang", "llvm-spirv");
  if (suffix.empty())
    GTEST_SKIP() << "clang and llvm-spirv of one version are not installed (Debian and Ubuntu: clang-N, "
                    "llvm-spirv-N)";
  const std::string compile =
      "clang" + suffix +
      " -x cl -cl-std=CL2.0 -target spir64 -Xclang -finclude-default-header -O1 -gline-tables-only "
      "-fno-discard-value-names -emit-llvm -c IN -o MID";
  const std::string translate = "llvm-spirv" + suffix + " MID -o OUT";
  run_case(GetParam(), compiled(GetParam(), {compile, translate}, ".cl"));
}

INSTANTIATE_TEST_SUITE_P(Programs, OpenClC, testing::ValuesIn(load(".cl")), name_of);

// The folder must not shrink unnoticed.
TEST(SpirvPrograms, AreEnough) {
  std::map<std::string, int> right;
  size_t defects = 0;
  for (const char* extension : {".comp", ".cl"}) {
    for (const Case& c : load(extension)) {
      if (c.reports.empty()) {
        ++right[part_around(c.file, c.line)];
      } else {
        ++defects;
      }
    }
  }
  EXPECT_GE(right.size(), 60u);
  EXPECT_GE(defects, 15u);
}

}  // namespace
}  // namespace quern::test
