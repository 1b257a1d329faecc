// quern run on SPIR-V modules, which use std.gpu by default.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/tool.hpp"
#include "support/spirv_assembler.hpp"
#include "support/spirv_text.hpp"

namespace quern::test {
namespace {

class SpirvFiles : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/quern_cli_XXXXXX";
    folder_ = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::vector<uint32_t> words = assemble(text);
    std::ofstream file(folder_ + "/" + name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size() * 4));
    return folder_ + "/" + name;
  }

  std::string folder_;
};

const std::string kAddSpec = shader(R"(
  %value = OpLoad %u32 %element
  %sum = OpIAdd %u32 %value %by
  OpStore %element %sum
  OpReturn)",
                                    "%by = OpSpecConstant %u32 100", R"(
  OpName %by "by"
  OpDecorate %by SpecId 4)");

TEST_F(SpirvFiles, RunOnStdGpuAutomatically) {
  const std::string file = write("add.spv", kAddSpec);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--on", "std.gpu"}}) {
    std::vector<std::string> words = {"run", file, "u32[16]=iota", "--grid", "2", "--print", "data[6:10]"};
    words.insert(words.end(), more.begin(), more.end());
    const ToolResult r = run_tool(words);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find("main<<<2, 8>>> on SPIR-V simulator (std.gpu)"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("data[6:10]: 106 107 108 109\n"), std::string::npos) << r.out;
  }
}

TEST_F(SpirvFiles, EmittedOnesRunAlikeOnStdGpuAndVulkan) {
  const std::string saxpy = std::string(QUERN_SOURCE_DIR) + "/examples/saxpy.cu",
                    file = folder_ + "/saxpy.spv";
  const ToolResult made = run_tool({"emit", saxpy, "--target", "spirv", "--bindings", "-o", file});
  ASSERT_EQ(made.code, 0) << made.err;
  std::vector<std::string> words = {
      "run", file, "f32[1000]=iota", "f32[1000]=1", "{1000, 3, 0, 0}",  "--grid",
      "4",   "-D", "blockDim.x=256", "--print",     "buffer2[995:1000]"};
  const std::string right = "buffer2[995:1000]: 2986 2989 2992 2995 2998\n";
  const ToolResult alone = run_tool(words);
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_NE(alone.out.find(right), std::string::npos) << alone.out;
  for (const char* more : {"--on", "vulkan", "--against", "std.gpu"}) words.emplace_back(more);
  const ToolResult both = run_tool(words);
  if (both.err.find("not found") != std::string::npos) GTEST_SKIP() << both.err;
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_NE(both.out.find("buffer2: 1,000 values agree\n"), std::string::npos) << both.out;
  EXPECT_NE(both.out.find(right), std::string::npos) << both.out;
}

TEST_F(SpirvFiles, GridCoversTheLargestBuffer) {
  const ToolResult r = run_tool({"run", write("add.spv", kAddSpec), "u32[16]=0"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("main<<<2, 8>>>"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("data: 100 100 100 100 100 100 100 100 …"), std::string::npos) << r.out;
}

TEST_F(SpirvFiles, SpecialisationConstantsAreDefined) {
  const std::string file = write("add.spv", kAddSpec);
  EXPECT_NE(run_tool({"run", file, "u32[8]=0", "-D", "by=7"}).out.find("data: 7 7 7"), std::string::npos);
  EXPECT_NE(run_tool({"run", file, "u32[8]=0", "-D", "4=9"}).out.find("data: 9 9 9"), std::string::npos);
  const ToolResult unknown = run_tool({"run", file, "u32[8]=0", "-D", "to=7"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("the module has no specialization constant 'to'"), std::string::npos)
      << unknown.err;
  EXPECT_NE(unknown.err.find("use one of by"), std::string::npos) << unknown.err;
  const ToolResult wrong = run_tool({"run", file, "u32[8]=0", "-D", "by=x"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("'by' is a u32, but 'x' was given"), std::string::npos) << wrong.err;
}

TEST_F(SpirvFiles, FindingsAreReportedWithTheirLine) {
  const std::string file = write("far.spv", shader(R"(
    OpLine %file 21 5
    %far = OpAccessChain %p_u32 %data %c0 %c8
    OpStore %far %c1
    OpReturn)"));
  const ToolResult r = run_tool({"run", file, "u32[8]=0", "--grid", "1"});
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.out.find("k.comp:21:5: out of bounds: data[8] is written, but data has 8 elements"),
            std::string::npos)
      << r.out;
  const ToolResult json = run_tool({"run", file, "u32[8]=0", "--json"});
  EXPECT_TRUE(is_json(json.out)) << json.out;
  EXPECT_NE(json.out.find("\"line\": 21"), std::string::npos) << json.out;
}

TEST_F(SpirvFiles, WrongPlacesAndWrongFiles) {
  const std::string file = write("add.spv", kAddSpec);
  const ToolResult on_sim = run_tool({"run", file, "u32[8]=0", "--on", "sim"});
  EXPECT_EQ(on_sim.code, 3);
  EXPECT_NE(on_sim.err.find("does not support spirv code"), std::string::npos) << on_sim.err;
  const ToolResult block = run_tool({"run", file, "u32[8]=0", "--block", "3"});
  EXPECT_EQ(block.code, 2);
  EXPECT_NE(block.err.find("block (3,1,1) differs from the compiled block size (8,1,1)"), std::string::npos)
      << block.err;
  const ToolResult entry = run_tool({"run", file + ":other", "u32[8]=0"});
  EXPECT_EQ(entry.code, 3);
  EXPECT_NE(entry.err.find("there is no kernel 'other'"), std::string::npos) << entry.err;
  std::ofstream(folder_ + "/bad.spv") << "not a module at all.";
  const ToolResult bad = run_tool({"run", folder_ + "/bad.spv"});
  EXPECT_EQ(bad.code, 3);
  EXPECT_NE(bad.err.find("magic number 0x07230203"), std::string::npos) << bad.err;
}

TEST_F(SpirvFiles, CudaKernelsRunOnStdGpu) {
  const ToolResult r = run_tool({"run", std::string(QUERN_SOURCE_DIR) + "/examples/saxpy.cu", "10", "3",
                                 "f32[10]=iota", "f32[10]=1", "--on", "std.gpu", "--print", "y[0:4]"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("y[0:4]: 1 4 7 10\n"), std::string::npos) << r.out;
}

TEST_F(SpirvFiles, EmitWritesAModule) {
  const std::string file = folder_ + "/saxpy.spv";
  const std::string source = std::string(QUERN_SOURCE_DIR) + "/examples/saxpy.cu";
  const ToolResult r = run_tool({"emit", source, "--target", "spirv", "-o", file});
  EXPECT_EQ(r.code, 0) << r.err;
  std::ifstream in(file, std::ios::binary);
  uint32_t first = 0;
  in.read(reinterpret_cast<char*>(&first), sizeof first);
  EXPECT_EQ(first, 0x07230203U);
  EXPECT_EQ(run_tool({"emit", source, "--target", "all", "-o", file}).code, 2);
}

}  // namespace
}  // namespace quern::test
