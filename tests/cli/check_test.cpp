// quern check on typical folders.
#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"

namespace quern::test {
namespace {

class Check : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(base::write_file(folder_.path() + "/" + name, text).ok());
  }
  base::TemporaryFolder folder_;
};

// Also with --json: 3 if there is nothing to check.
TEST_F(Check, NothingToCheck) {
  write("empty.cu", "");
  write("large.cu", "");
  std::filesystem::resize_file(folder_.path() + "/large.cu",
                               std::uintmax_t{1} << 33);  // above the size limit
  for (const char* name : {"empty.cu", "large.cu"}) {
    const std::string file = folder_.path() + "/" + name;
    EXPECT_EQ(run_tool({"check", file}).code, 3) << name;
    const ToolResult r = run_tool({"check", file, "--json"});
    EXPECT_EQ(r.code, 3) << name;
    EXPECT_TRUE(is_json(r.out)) << r.out;
  }
}

TEST_F(Check, AFileThatOthersIncludeIsCheckedThroughThem) {
  write("main.cu", "typedef int Node;\n#include \"kernel.cu\"\n");
  write("kernel.cu", "__global__ void k(Node* p) { p[0] = 1; }\n");
  for (const std::string& spelling : {folder_.path(), folder_.path() + "/.", folder_.path() + "//"}) {
    const ToolResult r = run_tool({"check", spelling});
    EXPECT_EQ(r.code, 0) << r.out;
    EXPECT_NE(r.out.find("1 kernel in 2 files: 1 pass"), std::string::npos) << r.out;
  }
}

// Also if one of the targets rejects the kernel: the file alone does not compile at all.
TEST_F(Check, AFileIsCheckedThroughThoseThatMostTargetsTake) {
  write("a_main.cu", "typedef double Real;\n#include \"kernel.cu\"\n");
  write("kernel.cu", "__global__ void k(Real* p) { atomicAdd(p, Real(2)); }\n");
  write("z_other.cu", "#include \"kernel.cu\"\n");
  const ToolResult r = run_tool({"check", folder_.path(), "--targets", "ir,msl", "--json"});
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.out.find("64 bits"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("is not a type"), std::string::npos) << r.out;
}

TEST_F(Check, TheReasonIsThatOfTheFileThatIncludesIt) {
  write("main.cu", "typedef int Node;\n#include \"kernel.cu\"\n");
  write("kernel.cu", "__global__ void k(Node* p) { p[0] = missing; }\n");
  const ToolResult r = run_tool({"check", folder_.path()});
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.out.find("'missing' is not declared in this scope"), std::string::npos) << r.out;
}

// The reason says why a header was skipped: it is not reported as missing if it exists.
TEST_F(Check, AHeaderThatIsNotReadIsNotReportedAsMissing) {
  write("node.h", "typedef int Node;\n");
  write("endless.cu", "#include \"/dev/zero\"\n__global__ void k(Node* p) { p[0] = 1; }\n");
  write("own.cu", "#include \"node.h\"\n__global__ void k(Node* p) { p[0] = 1; }\n");
  write("thrust.cu", "#include <thrust/sort.h>\n__global__ void k(Node* p) { p[0] = 1; }\n");
  write("absent.cu", "#include \"absent.h\"\n__global__ void k(Node* p) { p[0] = 1; }\n");
  const auto reason = [&](const std::string& name, const std::vector<std::string>& options) {
    std::vector<std::string> words = {"check", folder_.path() + "/" + name};
    words.insert(words.end(), options.begin(), options.end());
    const ToolResult r = run_tool(words);
    EXPECT_EQ(r.code, 1) << name << r.err;
    return r.out;
  };
  const auto expect = [](const std::string& out, const std::string& part, bool is_missing) {
    EXPECT_NE(out.find(part), std::string::npos) << out;
    EXPECT_EQ(out.find("was not found") != std::string::npos, is_missing) << out;
  };
  expect(reason("endless.cu", {}), "cannot read '/dev/zero': it is not a regular file", false);
  expect(reason("own.cu", {"--no-include"}), "\"node.h\" may contain the declaration, but it was skipped",
         false);
  expect(reason("thrust.cu", {}), "thrust is not available", false);
  expect(reason("absent.cu", {}), "\"absent.h\" was not found", true);
}

TEST_F(Check, AnErrorOfSeveralFilesIsSaidOnce) {
  write("common.h", "#error \"not here\"\n");
  write("a.cu", "#include \"common.h\"\n__global__ void a() {}\n");
  write("b.cu", "#include \"common.h\"\n__global__ void b() {}\n");
  const ToolResult r = run_tool({"check", folder_.path()});
  EXPECT_EQ(r.code, 1);
  const size_t first = r.out.find("not here");
  ASSERT_NE(first, std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("not here", first + 1), std::string::npos) << r.out;
}

TEST_F(Check, TheFolderForWhatIsKeptIsMade) {
  write("a.cu", "__global__ void a(int* p) { p[0] = 1; }\n");
  const std::string keep = folder_.path() + "/new/folder";
  EXPECT_EQ(run_tool({"check", folder_.path() + "/a.cu", "--targets", "cuda", "--keep", keep}).code, 0);
  EXPECT_EQ(base::list_files(keep)->size(), 1u);
}

// It contains no information about the kernels.
TEST_F(Check, WhatCannotBeKeptIsOneError) {
  write("a.cu", "__global__ void a(int* p) { p[0] = 1; }\n__global__ void b(int* p) { p[0] = 2; }\n");
  const std::string file = folder_.path() + "/a.cu";
  const ToolResult r = run_tool({"check", file, "--targets", "cuda", "--keep", file + "/in_a_file"});
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.err.find("cannot create the folder"), std::string::npos) << r.err;
}

TEST_F(Check, RecursionIsAccepted) {
  write("a.cu",
        "__device__ int f(int n) {\n  return n < 2 ? 1 : n * f(n - 1);\n}\n"
        "__global__ void k(int* p) { p[0] = f(p[1]); }\n");
  const ToolResult r = run_tool({"check", folder_.path() + "/a.cu"});
  EXPECT_EQ(r.code, 0) << r.out;
}

}  // namespace
}  // namespace quern::test
