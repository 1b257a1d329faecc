// Bad input: one clear message, a nonzero exit code, never a crash.
#include <gtest/gtest.h>

#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"

namespace quern::test {
namespace {

class BadInput : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) { return folder_.write(name, text); }
  // The tool fails with the code and one message that contains the text.
  static void expect(const std::vector<std::string>& words, int code, const std::string& text) {
    const ToolResult r = run_tool(words);
    EXPECT_EQ(r.code, code) << r.out << r.err;
    EXPECT_NE((r.err + r.out).find(text), std::string::npos) << r.out << r.err;
  }

  base::TemporaryFolder folder_;
};

constexpr const char* kFill =
    "__global__ void fill(int n, float v, float* out) { if (threadIdx.x < n) out[threadIdx.x] = v; }\n";

TEST_F(BadInput, BuffersOfStructs) {
  const std::string path = write("p.cu",
                                 "namespace a { struct Dot { float x; int id; }; }\n"
                                 "__global__ void move(a::Dot* d) { d[threadIdx.x].x += 1; }\n");
  const ToolResult r = run_tool({"run", path, "Dot[2]={2.5, 7}", "--on", "sim"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("d: {3.5, 7} {3.5, 7}"), std::string::npos) << r.out;
  expect({"run", path, "a::Dot[2]=0", "--on", "sim"}, 0, "d: {1, 0} {1, 0}");
  expect({"run", path, "Dot[2]=3", "--on", "sim"}, 2, "write structs as 0, as {a, b, …} for each element");
  expect({"run", path, "Dott[2]=0", "--on", "sim"}, 2, "'Dott' is not a type");
  expect({"run", path, "f32[3]=0", "--on", "sim"}, 2, "Dot[COUNT]=0, or {a, b, …}");
  expect({"run", path, "Dot[2]={1, 2, 3}", "--on", "sim"}, 2, "has 2 fields");
}

TEST_F(BadInput, MathIsOneOfThree) {
  const std::string path = write("f.cu", kFill);
  expect({"run", path, "1", "1", "f32[1]", "--on", "sim", "--math", "loose"}, 2,
         "invalid value 'loose' for --math\n  hint: use exact, fused or fast");
}

TEST_F(BadInput, MissingFile) {
  expect({"check", folder_.path() + "/none.cu"}, 3, "none.cu");
  expect({"emit", folder_.path() + "/none.cu"}, 3, "No such file or directory");
  expect({"run", folder_.path() + "/none.cu"}, 3, "No such file or directory");
}

TEST_F(BadInput, FolderWithoutKernels) { expect({"check", folder_.path()}, 3, "no"); }

TEST_F(BadInput, KernelThatDoesNotExist) {
  const std::string path = write("a.cu", kFill);
  expect({"run", path + ":fil", "1", "2", "f32[4]", "--on", "sim"}, 3, "did you mean 'fill'?");
}

TEST_F(BadInput, WrongArgumentCount) {
  const std::string path = write("a.cu", kFill);
  expect({"run", path, "1", "--on", "sim"}, 2, "'fill' takes 3 arguments, 1 were given");
  expect({"run", path, "1", "2", "f32[4]", "5", "--on", "sim"}, 2, "'fill' takes 3 arguments, 4 were given");
}

TEST_F(BadInput, WrongArgumentTypes) {
  const std::string path = write("a.cu", kFill);
  expect({"run", path, "f32[4]", "2", "f32[4]", "--on", "sim"}, 2,
         "parameter 'n' is int, but a buffer was given");
  expect({"run", path, "4", "2", "7", "--on", "sim"}, 2, "parameter 'out' is float*, but '7' was given");
  expect({"run", path, "4", "2", "i32[4]", "--on", "sim"}, 2, "a buffer of i32 does not fit");
  expect({"run", path, "four", "2", "f32[4]", "--on", "sim"}, 2, "four");
  expect({"run", path, "99999999999", "2", "f32[4]", "--on", "sim"}, 2, "99999999999");
}

TEST_F(BadInput, SizesThatOverflow) {
  const std::string path = write("a.cu", kFill);
  expect({"run", path, "4", "2", "f32[99999999999999999999]", "--on", "sim"}, 2, "99999999999999999999");
  expect({"run", path, "4", "2", "f32[4611686018427387904]=0", "--on", "sim"}, 2, "4611686018427387904");
  expect({"run", path, "4", "2", "f32[4]", "--grid", "4294967296", "--on", "sim"}, 2, "--grid");
  expect({"run", path, "4", "2", "f32[4]", "--block", "2048", "--on", "sim"}, 2, "1024 threads in total");
  expect({"run", path, "4", "2", "f32[4]", "--block", "0", "--on", "sim"}, 2, "--block");
  expect({"run", path, "4", "2", "f32[4]", "--shared", "99999999999", "--on", "sim"}, 2, "shared memory");
  expect({"run", path, "4", "2", "f32[4]", "--max-registers", "4294967297", "--on", "sim"}, 2,
         "for --max-registers\n  hint: use a count of 1 to 1024");
}

TEST_F(BadInput, TextThatIsNoText) {
  expect({"check", write("a.cu", "__global__ void k(int* p) { p[0] = \xff\xfe; }\n")}, 1, "a.cu:1:36");
  expect({"check", write("b.cu", "__global__ void k(int* p) { p[0] = 1;")}, 1, "b.cu:1");
  expect({"check", write("c.cu", "__global__ void k(int* p) { /* never closed")}, 1, "c.cu:1");
}

TEST_F(BadInput, IncludesInACircle) {
  write("x.cuh", "#include \"y.cuh\"\n");
  write("y.cuh", "#include \"x.cuh\"\n");
  expect({"check", write("a.cu", "#include \"x.cuh\"\n__global__ void k() {}\n")}, 1, "include");
}

TEST_F(BadInput, VirtualBases) {
  expect({"check", write("a.cu",
                         "struct A { int x; };\n"
                         "struct B : virtual A {};\n"
                         "__global__ void k(int* p) { B b; p[0] = b.x; }\n")},
         1, "virtual base classes are not supported in kernels");
}

TEST_F(BadInput, WrongPartsAndFiles) {
  const std::string path = write("a.cu", kFill);
  expect({"run", path, "4", "2", "f32[4]", "--print", "out[2:9]", "--on", "sim"}, 2,
         "is outside 'out', which has 4 elements");
  expect({"run", path, "4", "2", "f32[4]", "--print", "in", "--on", "sim"}, 2, "'fill' has no buffer 'in'");
  expect({"run", path, "4", "2", "f32[4]", "--save", "out", "--on", "sim"}, 2,
         "for --save\n  hint: use NAME=FILE.npy");
  expect({"run", path, "4", "2", "f32[4]", "--save", "out=/nowhere/x.npy", "--on", "sim"}, 3,
         "/nowhere/x.npy");
  expect({"run", path, "4", "2", "@" + folder_.path() + "/none.npy", "--on", "sim"}, 3, "none.npy");
  expect({"run", path, "4", "2", "@" + write("bad.npy", "not numpy"), "--on", "sim"}, 3, "bad.npy");
}

TEST_F(BadInput, OptionsOfTheSimulatorElsewhere) {
  const std::string path = write("a.cu", kFill);
  expect({"run", path, "4", "2", "f32[4]", "--seed", "7", "--on", "cpu"}, 2, "--seed requires the simulator");
  expect({"run", path, "4", "2", "f32[4]", "--seed", "x", "--on", "sim"}, 2,
         "option 'seed' is 'x'\n  while opening simulator (sim:0)\n  hint: use a number");
  expect({"run", path, "4", "2", "f32[4]", "--checks", "all,luck", "--on", "sim"}, 2,
         "option 'check' is 'luck'");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(BadInput, AKernelThatCrashesIsReported) {
  const std::string path = write("a.cu", "__global__ void k(int n, float* out) { out[n] = 1; }\n");
  const ToolResult r = run_tool({"run", path, "0", "0", "--on", "cpu"});  // a null pointer
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.err.find("quern: the process crashed while kernel 'k' was running on "), 0u) << r.err;
  expect({"run", path, "0", "0", "--on", "cpu", "--check-device"}, 1, "a.cu:1:");
}
#endif

TEST_F(BadInput, AFindingIsCodeOne) {
  const std::string path = write("a.cu", "__global__ void k(float* out) { out[threadIdx.x + 1] = 1; }\n");
  const ToolResult r = run_tool({"run", path, "f32[4]=0", "--block", "4", "--grid", "1", "--on", "sim"});
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.out.find("a.cu:1:"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("out of bounds"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace quern::test
