// Every command: its help, its table, its JSON, and its messages for invalid usage.
#include <regex>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/json_value.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "base/variables.hpp"
#include "cli/tool.hpp"

namespace quern::test {
namespace {

const std::string kExamples = std::string(QUERN_SOURCE_DIR) + "/examples";

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  const ToolResult help = run_tool({"--help"});
  for (std::string_view line : base::split_lines(help.out)) {
    if (line.substr(0, 2) != "  ") continue;
    line.remove_prefix(2);
    names.emplace_back(line.substr(0, line.find(' ')));
  }
  return names;
}

TEST(Commands, AreListedAndHaveHelp) {
  const std::vector<std::string> names = command_names();
  EXPECT_GE(names.size(), 12u);
  for (const std::string& name : names) {
    const ToolResult help = run_tool({name, "--help"});
    EXPECT_EQ(help.code, 0) << name;
    EXPECT_EQ(help.out.substr(0, 13 + name.size()), "usage: quern " + name) << help.out;
    EXPECT_NE(help.out.find("exit code"), std::string::npos) << name << " does not say its exit codes";
    EXPECT_EQ(help.err, "");
  }
}

TEST(Commands, NothingIsAskedFor) {
  const ToolResult r = run_tool({});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_NE(r.err.find("usage: quern COMMAND"), std::string::npos);
}

TEST(Commands, UnknownNameSuggestsTheNearest) {
  const ToolResult r = run_tool({"chek"});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.err, "quern: unknown command 'chek'\n  hint: did you mean 'check'?\n");
}

TEST(Commands, UnknownOptionIsNamed) {
  for (const std::string& name : command_names()) {
    const ToolResult r = run_tool({name, "--frobnicate"});
    EXPECT_EQ(r.code, 2) << name;
    EXPECT_NE(r.err.find("--frobnicate"), std::string::npos) << r.err;
  }
}

TEST(Commands, JsonIsValid) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"devices", "--json"},
           {"devices", "-v", "--json"},
           {"backends", "--json"},
           {"probe", "sim", "--json"},
           {"status", "--json"},
           {"env", "--json"},
           {"cache", "list", "--json"},
           {"check", kExamples, "--json"},
           {"demo", "--on", "sim", "--json"},
           {"run", kExamples + "/saxpy.cu", "8", "2", "f32[8]=iota", "f32[8]=1", "--on", "sim", "--json"},
       }) {
    const ToolResult r = run_tool(words);
    EXPECT_EQ(r.code, 0) << words[0] << r.err;
    EXPECT_TRUE(is_json(r.out)) << words[0] << "\n" << r.out;
  }
}

TEST(Commands, OneValueAgrees) {
  const ToolResult one = run_tool({"run", kExamples + "/saxpy.cu", "1", "2", "f32[1]=iota", "f32[1]=1",
                                   "--on", "sim", "--against", "sim"});
  EXPECT_NE(one.out.find("y: 1 value agrees\n"), std::string::npos) << one.out;
  const ToolResult two = run_tool({"run", kExamples + "/saxpy.cu", "2", "2", "f32[2]=iota", "f32[2]=1",
                                   "--on", "sim", "--against", "sim"});
  EXPECT_NE(two.out.find("y: 2 values agree\n"), std::string::npos) << two.out;
}

// A slow device gets less work, so that the total time stays short.
TEST(Commands, TheDemoFitsItsSizesToTheDevice) {
  const ToolResult r = run_tool({"demo", "--json"});
  EXPECT_EQ(r.code, 0) << r.err;
  const auto json = base::parse_json(r.out);
  ASSERT_TRUE(json.ok()) << r.out;
  for (const base::JsonValue& row : json->find("results")->items) {
    const std::string size = row.text_of("size");
    const bool is_smallest = size == "2^14" || size == "32 × 32" || size == "128 × 64" || size == "96 × 64";
    EXPECT_TRUE(is_smallest || row.number_of("seconds") < 2)
        << row.text_of("id") << row.text_of("kernel") << size;
  }
}

TEST(Commands, SimulatorIsListedAndVerified) {
  EXPECT_NE(run_tool({"devices"}).out.find("sim:0"), std::string::npos);
  const ToolResult r = run_tool({"probe", "sim"});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("right"), std::string::npos) << r.out;
}

TEST(Commands, DeviceThatIsNotThere) {
  const ToolResult r = run_tool({"probe", "abacus"});
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(r.err.substr(0, 50), "quern: not found: there is no device 'abacus'\n  hi") << r.err;
}

TEST(Commands, EnvReportsValuesAndErrors) {
  const ToolResult right = run_tool({"env"}, {"QUERN_MATH=fused"});
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_TRUE(std::regex_search(right.out, std::regex("QUERN_MATH +fused +environment"))) << right.out;
  const ToolResult wrong = run_tool({"env"}, {"QUERN_MTAH=fused", "QUERN_SYNC=perhaps"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_EQ(wrong.err,
            "quern: unknown environment variable QUERN_MTAH: did you mean QUERN_MATH?\n"
            "quern: the environment variable QUERN_SYNC is 'perhaps', but it must be 1, on, yes, true, 0, "
            "off, no or "
            "false\n");
}

TEST(Commands, CacheIsEmptiedAndSaysHowItIsUsed) {
  const base::TemporaryFolder folder;
  const std::vector<std::string> here = {"QUERN_CACHE=" + folder.path()};
  EXPECT_EQ(run_tool({"cache", "export"}, here).err, "quern: quern cache export requires a file name\n");
  EXPECT_EQ(run_tool({"cache", "polish"}, here).code, 2);
  EXPECT_EQ(run_tool({"cache", "import", "/does/not/exist"}, here).code, 3);
  EXPECT_EQ(run_tool({"cache", "clear"}, here).code, 0);
  EXPECT_EQ(run_tool({"cache"}, here).out, folder / "code: 0 entries, 0 B of 1.0 GiB\n");
  EXPECT_EQ(run_tool({"cache", "verify"}, here).out, "all entries are valid\n");
}

TEST(Commands, RunsAreComparedBetweenDevices) {
  const base::TemporaryFolder folder;
  const std::string file =
      folder.write("two.cu",
                   "__global__ void same(float* out) { out[threadIdx.x] = 1.0f / (threadIdx.x + 1); }\n"
                   "__global__ void where(unsigned long long* out) { out[0] = (unsigned long long)out; }\n");
  const ToolResult same =
      run_tool({"run", file + ":same", "f32[8]", "--block", "8", "--on", "cpu", "--against", "sim"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.out.find(" (cpu)"), std::string::npos) << same.out;
  EXPECT_NE(same.out.find(" (sim)"), std::string::npos) << same.out;
  EXPECT_NE(same.out.find("out: 8 values agree"), std::string::npos) << same.out;
  const ToolResult other =
      run_tool({"run", file + ":where", "u64[1]", "--block", "1", "--on", "cpu", "--against", "sim"});
  EXPECT_EQ(other.code, 1) << other.out;
  EXPECT_NE(other.out.find("out: 1 of 1 value differs, first number 0: "), std::string::npos) << other.out;
}

TEST(Commands, RunReportsCachedCode) {
  const base::TemporaryFolder folder;
  const std::vector<std::string> here = {"QUERN_CACHE=" + folder.path()};
  const std::string saxpy = std::string(QUERN_SOURCE_DIR) + "/examples/saxpy.cu";
  const auto run = [&](const char* device) {
    return run_tool({"run", saxpy, "64", "2", "f32[64]=iota", "f32[64]=1", "--on", device}, here).out;
  };
  const std::string first = run("cpu"), again = run("cpu");
  EXPECT_NE(first.find("compiled in "), std::string::npos) << first;
  EXPECT_EQ(first.find(", from cache"), std::string::npos) << first;
  EXPECT_NE(again.find(", from cache\n"), std::string::npos) << again;
  (void)run("sim");  // which caches nothing
  EXPECT_EQ(run("sim").find(", from cache"), std::string::npos);
}

TEST(Commands, WithoutACacheSaysWhy) {
  EXPECT_EQ(run_tool({"cache"}, {"QUERN_CACHE=off"}).out, "the cache is disabled: QUERN_CACHE is off\n");
  EXPECT_EQ(run_tool({"cache", "list"}, {"QUERN_CACHE=", "XDG_CACHE_HOME=", "HOME="}).out,
            "the cache is disabled: none of QUERN_CACHE, XDG_CACHE_HOME and HOME names a folder\n");
  EXPECT_EQ(run_tool({"cache"}, {"QUERN_CACHE=/dev/null"}).out,
            "the cache is disabled: cannot open the folder '/dev/null': Not a directory\n");
  const base::TemporaryFolder folder;
  for (const char* verb : {"verify", "trim", "clear"}) {
    const ToolResult r = run_tool({"cache", verb}, {"QUERN_CACHE=off"});
    EXPECT_EQ(r.code, 3) << verb;
    EXPECT_EQ(r.err, "quern: the cache is disabled: QUERN_CACHE is off\n") << verb;
  }
  EXPECT_EQ(run_tool({"cache", "export", folder / "all"}, {"QUERN_CACHE=off"}).code, 3);
  EXPECT_FALSE(base::read_file(folder / "all").ok());
}

TEST(Commands, WordsThatNobodyReadsAreRefused) {
  for (const char* name : {"devices", "backends", "default", "summary", "env", "demo", "man"}) {
    const ToolResult r = run_tool({name, "cuda"});
    EXPECT_EQ(r.code, 2) << name;
    EXPECT_EQ(r.err, "quern: 'cuda' is an unexpected argument\n  hint: quern " + std::string(name) +
                         " takes options only\n");
  }
  const ToolResult both = run_tool({"run", kExamples + "/saxpy.cu", "1", "1", "f32[1]=0", "f32[1]=0",
                                    "--grid", "4", "--threads", "7", "--on", "sim"});
  EXPECT_EQ(both.code, 2) << both.out;
  EXPECT_NE(both.err.find("--grid and --threads cannot be combined"), std::string::npos);
}

TEST(Commands, HelpOfACommand) {
  EXPECT_EQ(run_tool({"help", "cache"}).out, run_tool({"cache", "--help"}).out);
  EXPECT_EQ(run_tool({"help", "cash"}).code, 2);
}

// An invalid value is an error or a warning that names the variable; it never moves the program to another
// device.
TEST(Commands, AWrongVariableIsReported) {
  const ToolResult right = run_tool({"default"}, {"QUERN_DRIVERS=cpu,native"});
  ASSERT_EQ(right.code, 0) << right.err;
  const auto wrong_value = [](const base::Variable& v) -> std::string {
    const std::string name = v.name;
    if (!v.library_of.empty()) return "/nowhere/lib.so";
    if (name == "QUERN_DEVICE") return "no such device";
    if (name == "QUERN_DRIVERS") return "cpu,natve";
    if (name == "QUERN_SIM") return "seed=x";
    if (name == "QUERN_FAULTS") return "no such call";
    if (name == "QUERN_CPU_VECTORS") return "mmx";
    if (name == "QUERN_RECORD") return "/nowhere/record";
    return v.kind == base::Variable::Kind::kText ? "" : "no such value";
  };
  size_t tried = 0;
  for (const base::Variable& v : base::variables()) {
    const std::string value = wrong_value(v);
    if (value.empty()) continue;  // any text is allowed
    std::string drivers = "QUERN_DRIVERS=cpu,native";
    if (!v.library_of.empty()) drivers += "," + std::string(v.library_of);
    if (std::string_view(v.name) == "QUERN_SIM") drivers += ",sim";
    // LLVM is loaded when the first kernel is compiled.
    std::vector<std::string> command = {"default"};
    if (v.library_of == "cpu") command = {"run", kExamples + "/saxpy.cu", "1", "1", "f32[1]=0", "f32[1]=0"};
    const ToolResult r = run_tool(command, {drivers, std::string(v.name) + "=" + value, "QUERN_CACHE=off"});
    ++tried;
    EXPECT_NE(r.err.find(v.name), std::string::npos) << v.name << ": " << r.out << r.err;
    if (v.is_forgiving) {
      EXPECT_EQ(r.out, right.out) << v.name;
    } else {
      EXPECT_NE(r.code, 0) << v.name << ": " << r.out << r.err;
    }
  }
  EXPECT_GT(tried, 25u);
  const ToolResult zero = run_tool({"default"}, {"QUERN_DRIVERS=cpu,native", "QUERN_CPU_THREADS=0"});
  EXPECT_NE(
      zero.err.find("the environment variable QUERN_CPU_THREADS is '0', but it must be a whole number from 1 "
                    "to 1024"),
      std::string::npos)
      << zero.err;
  const ToolResult score = run_tool({"default"}, {"QUERN_DRIVERS=native", "QUERN_SCORE=best"});
  EXPECT_EQ(score.err,
            "quern: warning: the environment variable QUERN_SCORE is 'best', but it must be one of table, "
            "measured\n");
  const ToolResult flag = run_tool({"backends", "--quick"}, {"QUERN_DRIVERS=cpu", "QUERN_CPU_DEBUG=on"});
  EXPECT_EQ(flag.out.find("QUERN_CPU_DEBUG"), std::string::npos) << flag.out;
}

// The output may lack kernels: the exit code reports it, also with -o.
TEST(Commands, EmitReportsWhatIsMissing) {
  const base::TemporaryFolder folder;
  const std::string file = folder.write("two.cu",
                                        "__global__ void good(int* p) { *p = 1; }\n"
                                        "__global__ void bad(int* p) { *p = x; }\n");
  for (const char* target : {"opencl", "cpu"}) {
    const ToolResult r = run_tool({"emit", file, "--target", target, "-o", folder / "out"});
    EXPECT_EQ(r.code, 1) << target;
    EXPECT_NE(r.err.find("'x' is not declared in this scope"), std::string::npos) << r.err;
  }
  const ToolResult arch = run_tool({"emit", kExamples + "/saxpy.cu", "--target", "glsl", "--arch", "sm_90"});
  EXPECT_EQ(arch.code, 2) << arch.out;
  EXPECT_NE(arch.err.find("--target glsl does not support --arch 'sm_90'"), std::string::npos) << arch.err;
  const ToolResult all = run_tool({"emit", kExamples + "/saxpy.cu", "--target", "all", "--arch", "sm_90"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out.find("#version sm_90"), std::string::npos);
  EXPECT_NE(all.out.find(".target sm_90"), std::string::npos);
  const ToolResult es = run_tool({"emit", kExamples + "/saxpy.cu", "--target", "essl", "--arch", "320 es"});
  EXPECT_NE(es.out.find("#version 320 es\n"), std::string::npos) << es.err;
  EXPECT_NE(run_tool({"emit", file, "--target", "x"}).err.find("ptx, cpu, llvm, all"), std::string::npos);
}

TEST(Commands, EmitReportsTemplatesWithoutAnInstance) {
  const base::TemporaryFolder folder;
  const std::string text = "template <class T> __global__ void k(T* p) { *p = 1; }\n";
  const ToolResult none = run_tool({"emit", folder.write("none.cu", text), "--target", "opencl"});
  EXPECT_EQ(none.code, 1) << none.out;
  EXPECT_NE(none.err.find("none.cu:1: kernel 'k' is skipped: a template that is not launched"),
            std::string::npos)
      << none.err;
  const ToolResult one =
      run_tool({"emit", folder.write("one.cu", text + "template __global__ void k<short>(short*);\n"),
                "--target", "opencl"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_NE(one.out.find("// kernel k<short>"), std::string::npos) << one.out;
}

// Code for another processor requires neither that processor nor, as LLVM IR, LLVM.
TEST(Commands, EmitsForOtherProcessors) {
  const std::string saxpy = kExamples + "/saxpy.cu";
  const ToolResult text = run_tool({"emit", saxpy, "--target", "llvm", "--cpu", "avx512"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("load <16 x float>"), std::string::npos) << text.out;
  struct Kind {
    const char* cpu;
    const char* row;
  };
  for (const Kind& kind : {Kind{"x86-64-v4", "(%r"}, Kind{"aarch64", "v0.4s"}}) {
    const ToolResult r = run_tool({"emit", saxpy, "--target", "cpu", "--cpu", kind.cpu, "--block", "64"});
    if (r.code != 0) {
      EXPECT_NE(r.err.find("LLVM"), std::string::npos) << r.err;
      GTEST_SKIP() << r.err;
    }
    EXPECT_NE(r.out.find(kind.row), std::string::npos) << kind.cpu << "\n" << r.out;
  }
  EXPECT_NE(run_tool({"emit", saxpy, "--target", "cpu", "--cpu", "x86-64-v4"}).out.find("%zmm"),
            std::string::npos);
  EXPECT_EQ(run_tool({"emit", saxpy, "--target", "cpu", "--block", "0"}).code, 2);
  const ToolResult wrong = run_tool({"emit", saxpy, "--target", "cpu", "--cpu", "pentium"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("unknown processor 'pentium'"), std::string::npos) << wrong.err;
}

TEST(Commands, DriversCanBeLeftOut) {
  const ToolResult r = run_tool({"backends", "--quick"}, {"QUERN_DRIVERS=cpu"});
  EXPECT_NE(r.out.find("excluded by QUERN_DRIVERS"), std::string::npos) << r.out;
}

TEST(Commands, SummaryShowsTheRequest) {
  const ToolResult r = run_tool({"summary"}, {"QUERN_DEVICE=sim"});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("requested sim"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("selected sim:0 (simulator): QUERN_DEVICE=sim selects it"), std::string::npos)
      << r.out;
}

TEST(Commands, CompletionKnowsEveryCommand) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const ToolResult r = run_tool({"completion", shell});
    EXPECT_EQ(r.code, 0);
    for (const std::string& name : command_names())
      EXPECT_NE(r.out.find(name), std::string::npos) << shell << name;
  }
  EXPECT_EQ(run_tool({"completion", "tcsh"}).code, 2);
}

TEST(Commands, ManualPageKnowsEveryCommand) {
  const ToolResult r = run_tool({"man"});
  for (const std::string& name : command_names())
    EXPECT_NE(r.out.find(".SS " + name + "\n"), std::string::npos) << name;
}

// If the tool is built with the address sanitizer, which ends it with its own exit code after a leak.
TEST(Commands, LeakNothing) {
  const std::string saxpy = kExamples + "/saxpy.cu";
  const std::vector<std::string> leaks = {"ASAN_OPTIONS=detect_leaks=1"};
  EXPECT_EQ(run_tool({"check", kExamples}, leaks).code, 0);
  EXPECT_EQ(run_tool({"run", saxpy, "100", "2", "f32[100]=1", "f32[100]=2", "--on", "sim"}, leaks).code, 0);
  EXPECT_EQ(run_tool({"run", saxpy, "100", "2", "f32[100]=1", "--on", "sim"}, leaks).code, 2);
}

}  // namespace
}  // namespace quern::test
