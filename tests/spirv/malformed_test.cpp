// Malformed modules, and modules that use unsupported features: rejected with one sentence that names the
// instruction.
#include "base/text.hpp"
#include "spirv/launched.hpp"
#include "spirv/reader/messages.hpp"
#include "support/spirv_assembler.hpp"
#include "support/spirv_text.hpp"

namespace quern::test {
namespace {

using Words = std::vector<uint32_t>;

std::string refusal(const Words& words) {
  auto read = spirv::read(words);
  if (read.ok()) return "it is read";
  EXPECT_EQ(read.error().message().find('\n'), std::string::npos);
  return read.error().message();
}

std::string refusal(const std::string& text) { return refusal(assemble(text)); }

// The message without numbers of words and ids, which every change of a prologue would move.
std::string plain(std::string text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool counts = (text[i] == '%' || text.compare(i, 5, "word ") == 0);
    if (!counts) {
      out += text[i];
      continue;
    }
    const size_t start = text[i] == '%' ? i + 1 : i + 5;
    out += text.substr(i, start - i) + "N";
    i = start;
    while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]))) ++i;
    --i;
  }
  return out;
}

constexpr const char* kReturn = "OpReturn";

TEST(SpirvMalformed, Headers) {
  EXPECT_EQ(refusal(Words{}), spirv::message::kTooFewWords("0").text);
  EXPECT_EQ(refusal(Words{0x12345678, 0x10000, 0, 1, 0}), spirv::message::kMagicNumber("0x12345678").text);
  EXPECT_EQ(refusal(Words{0x07230203, 0x20000, 0, 1, 0}), spirv::message::kVersion("2", "0").str());
  EXPECT_EQ(refusal(Words{0x07230203, 0x10000, 0, 0, 0}), spirv::message::kIdBound("0", "4194304").str());
  EXPECT_EQ(refusal(Words{0x07230203, 0x10000, 0, 0xFFFFFFFF, 0}),
            spirv::message::kIdBound("4294967295", "4194304").str());
  EXPECT_EQ(refusal(Words{0x07230203, 0x10000, 0, 1, 0}), spirv::message::kNoEntryPoint().text);
  auto odd = spirv::read(std::string_view("\x03\x02\x23\x07\x00", 5), {});
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.error().message(), spirv::message::kNotWords("module.spv", "5").text);
}

TEST(SpirvMalformed, CutOffAnywhere) {
  const std::vector<uint32_t> words = assemble(shader("OpStore %element %c1\n OpReturn"));
  ASSERT_TRUE(spirv::read(words).ok());
  for (size_t n = 0; n < words.size(); ++n) {
    const auto read = spirv::read(std::span(words).first(n));
    EXPECT_FALSE(read.ok()) << n;
  }
}

TEST(SpirvMalformed, LengthsOfInstructions) {
  EXPECT_EQ(refusal(Words{0x07230203, 0x10000, 0, 9, 0, 0x0000'0011}),
            spirv::message::kInstructionTooLong("OpCapability", "5", "0", "1").text);
  EXPECT_EQ(refusal(Words{0x07230203, 0x10000, 0, 9, 0, 0x0009'0011, 1}),
            spirv::message::kInstructionTooLong("OpCapability", "5", "9", "2").text);
  EXPECT_EQ(refusal(Words{0x07230203, 0x10000, 0, 9, 0, 0x0001'0013}),
            spirv::message::kResultMissing("OpTypeVoid", "5").text);
  EXPECT_EQ(refusal(Words{0x07230203, 0x10000, 0, 9, 0, 0x0002'0013, 9}),
            spirv::message::kResultBeyondBound("OpTypeVoid", "5", "9", "9").text);
}

TEST(SpirvMalformed, IdsDefinedTwiceOrNever) {
  EXPECT_EQ(plain(refusal(shader(kReturn, "%c1 = OpConstant %u32 5"))),
            "%N = OpConstant (word N) defines %N, which is already defined");
  EXPECT_EQ(plain(refusal(shader("OpStore %element %nothing\n OpReturn"))),
            "OpStore (word N) uses %N, which is not a value defined before it");
  EXPECT_EQ(plain(refusal(shader(kReturn, "%bad = OpConstant %nothing 5"))),
            "%N = OpConstant (word N) has the type %N, which values cannot have");
  EXPECT_EQ(plain(refusal(shader("%x = OpIAdd %nothing %c1 %c1\n OpReturn"))),
            "%N = OpIAdd (word N) names type %N, which is not defined");
}

TEST(SpirvMalformed, TypesThatContainThemselves) {
  EXPECT_EQ(plain(refusal(shader(kReturn, "%a = OpTypeStruct %b\n %b = OpTypeStruct %a"))),
            "%N = OpTypeStruct (word N) names type %N, which is not defined before it");
  EXPECT_EQ(plain(refusal(shader(kReturn, "%a = OpTypeArray %a %c4"))),
            "%N = OpTypeArray (word N) names type %N, which is not defined before it");
}

TEST(SpirvMalformed, TypesThatCannotBe) {
  const auto of = [](const char* type) { return plain(refusal(shader(kReturn, type))); };
  EXPECT_EQ(of("%t = OpTypeInt 24 0"), "%N = OpTypeInt (word N) has 24 bits, which is not supported");
  EXPECT_EQ(of("%t = OpTypeFloat 128"), "%N = OpTypeFloat (word N) has 128 bits, which is not supported");
  EXPECT_EQ(of("%t = OpTypeVector %u32 1"), "%N = OpTypeVector (word N) has 1 elements; 2 to 16 are allowed");
  EXPECT_EQ(of("%t = OpTypeVector %void 2"),
            "%N = OpTypeVector (word N) has elements of type %N, which is not allowed");
  EXPECT_EQ(of("%t = OpTypeMatrix %f32 2"),
            "%N = OpTypeMatrix (word N) has elements of type %N, which is not allowed");
  EXPECT_EQ(of("%t = OpTypeArray %u32 %c0"),
            "%N = OpTypeArray (word N) has the length %N, which is not a positive constant");
  EXPECT_EQ(of("%t = OpTypeArray %u32 %f32"),
            "%N = OpTypeArray (word N) has the length %N, which is not a positive constant");
  EXPECT_EQ(of("%t = OpTypeStruct %array %u32"),
            "%N = OpTypeStruct (word N) has a member after a runtime array");
  EXPECT_EQ(
      of("%t = OpTypeImage %f32 1 0 0 0 2 0"),
      "%N = OpTypeImage (word N) is a type that the simulator does not support; it supports buffers only");
}

TEST(SpirvMalformed, HugeAndDeepTypes) {
  EXPECT_EQ(plain(refusal(shader(kReturn, R"(
    %big = OpConstant %u32 0xFFFFFFFF
    %t1 = OpTypeArray %u32 %big
    %t2 = OpTypeArray %t1 %c264
  )"))),
            "%N = OpTypeArray (word N) is larger than the simulator's memory");
  std::string deep = "%s0 = OpTypeStruct %u32\n";
  for (int k = 1; k < 60; ++k) deep += base::format("%%s%d = OpTypeStruct %%s%d\n", k, k - 1);
  EXPECT_EQ(plain(refusal(shader(kReturn, deep))), "%N = OpTypeStruct (word N) is nested more than 48 deep");
}

TEST(SpirvMalformed, OperandsOfTheWrongKind) {
  EXPECT_EQ(plain(refusal(shader("%x = OpFAdd %f32 %c1 %c2\n OpReturn"))),
            "%N = OpFAdd (word N) has an operand of type u32 where f32 is required");
  EXPECT_EQ(plain(refusal(shader("%x = OpIAdd %v3u32 %c1 %c2\n OpReturn"))),
            "%N = OpIAdd (word N) has an operand with too few components");
  EXPECT_EQ(plain(refusal(shader("%x = OpLoad %u32 %c1\n OpReturn"))),
            "%N = OpLoad (word N) has an operand that is not a pointer");
  EXPECT_EQ(plain(refusal(shader("%x = OpIAdd %u32 %c1\n OpReturn"))),
            "%N = OpIAdd (word N) lacks an operand");
  EXPECT_EQ(plain(refusal(shader("%x = OpCompositeExtract %u32 %gid 7\n OpReturn"))),
            "%N = OpCompositeExtract (word N) names part 7 of type %N, which has no such part");
  EXPECT_EQ(plain(refusal(shader("%x = OpAccessChain %p_u32 %data %c4 %i\n OpReturn"))),
            "%N = OpAccessChain (word N) indexes a struct with %N, which is not a constant below 1");
  EXPECT_EQ(plain(refusal(shader("%x = OpAccessChain %p_u32 %data %c0\n OpReturn"))),
            "%N = OpAccessChain (word N) has a result of type %N, but refers to an object of type %N");
}

TEST(SpirvMalformed, WholeBuffersAreNoValues) {
  EXPECT_EQ(plain(refusal(shader("%x = OpLoad %block %data\n OpReturn"))),
            "%N = OpLoad (word N) takes a value of type %N as a whole, which has more than 16384 scalars");
}

TEST(SpirvMalformed, BlocksAndBranches) {
  EXPECT_EQ(plain(refusal(shader("OpBranch %nowhere"))),
            "OpBranch (word N) branches to %N, which is not a block of this function");
  EXPECT_EQ(plain(refusal(shader("OpStore %element %c1"))),
            "OpFunctionEnd (word N) is in a block without a terminator");
  EXPECT_EQ(
      plain(refusal(shader("OpBranch %next\n %next = OpLabel\n %p = OpPhi %u32 %c1 %other\n OpReturn"))),
      "%N = OpPhi (word N) has no value for the edge from %N");
  EXPECT_EQ(plain(refusal(shader("OpKill"))),
            "OpKill (word N) ends a fragment, which a compute module does not have");
}

TEST(SpirvMalformed, LoopsWithTwoEntries) {
  EXPECT_EQ(plain(refusal(shader(R"(
    %c = OpULessThan %bool %i %c4
    OpBranchConditional %c %a %b
    %a = OpLabel
    OpBranch %b
    %b = OpLabel
    %d = OpULessThan %bool %i %c8
    OpBranchConditional %d %a %end
    %end = OpLabel
    OpReturn)"))),
            "OpBranchConditional (word N) branches into the middle of a loop at %N; loops with several "
            "entries have no structured form");
}

TEST(SpirvMalformed, NestingIsLimited) {
  std::string body;
  for (int k = 0; k < 400; ++k) {
    body += base::format(
        "OpSelectionMerge %%m%d None\n OpBranchConditional %%cond %%t%d %%m%d\n %%t%d = OpLabel\n", k, k, k,
        k);
  }
  for (int k = 399; k >= 0; --k) body += base::format("OpBranch %%m%d\n %%m%d = OpLabel\n", k, k);
  const std::string text = shader("%cond = OpULessThan %bool %i %c4\n" + body + "OpReturn");
  EXPECT_EQ(plain(refusal(text)).substr(plain(refusal(text)).find("is nested")),
            spirv::message::kRegionsTooDeep("150").text);
}

// Long, but not deep.
TEST(SpirvMalformed, ManyBlocksInARowAreFine) {
  std::string body;
  for (int k = 0; k < 3000; ++k) {
    body += base::format(
        "OpSelectionMerge %%m%d None\n OpBranchConditional %%cond %%t%d %%m%d\n %%t%d = OpLabel\n"
        "OpStore %%element %%c1\n OpBranch %%m%d\n %%m%d = OpLabel\n",
        k, k, k, k, k, k);
  }
  EXPECT_EQ(refusal(shader("%cond = OpULessThan %bool %i %c4\n" + body + "OpReturn")), "it is read");
}

TEST(SpirvMalformed, FunctionsThatCallThemselves) {
  EXPECT_EQ(plain(refusal(shader("%x = OpFunctionCall %void %f\n OpReturn\n OpFunctionEnd\n"
                                 "%f = OpFunction %void None %fn\n %fl = OpLabel\n"
                                 "%y = OpFunctionCall %void %f\n OpReturn"))),
            "%N = OpFunctionCall (word N) calls %N recursively, which is not allowed");
  EXPECT_EQ(plain(refusal(shader("%x = OpFunctionCall %void %c1\n OpReturn"))),
            "%N = OpFunctionCall (word N) names %N, which is not a function");
}

TEST(SpirvMalformed, WhatIsNotUnderstood) {
  EXPECT_EQ(plain(refusal(shader("%x = OpImageRead %u32 %c1 %c2\n OpReturn"))),
            "%N = OpImageRead (word N) is not supported by the simulator");
  std::vector<uint32_t> words = assemble(shader(kReturn));
  words.insert(words.end() - 2, {0x0001'FFF0});
  EXPECT_EQ(plain(refusal(words)), "opcode 65520 (word N) is not supported by the simulator");
  EXPECT_EQ(plain(refusal(shader("OpControlBarrier %c1 %c1 %c264\n OpReturn"))),
            "OpControlBarrier (word N) synchronizes more threads than those of a workgroup");
  EXPECT_EQ(plain(refusal("OpMemoryModel 1 GLSL450")),
            "OpMemoryModel (word N) requests addressing model 1; Logical, Physical64 and "
            "PhysicalStorageBuffer64 are supported");
  EXPECT_EQ(
      plain(refusal("%x = OpExtInstImport \"Some.Set\"")),
      "%N = OpExtInstImport (word N) imports 'Some.Set'; only GLSL.std.450 and OpenCL.std are supported");
}

TEST(SpirvMalformed, LocalSizes) {
  EXPECT_EQ(plain(refusal(shader(kReturn, "", "", "0 1 1"))),
            "OpEntryPoint (word N) has a local size of 0 in one dimension");
  EXPECT_EQ(plain(refusal(shader(kReturn, "", "", "64 32 1"))),
            "OpEntryPoint (word N) has a local size of (64,32,1); the limit is 1024 threads");
}

TEST(SpirvMalformed, StridesThatOverlap) {
  EXPECT_EQ(
      plain(refusal(shader(kReturn, "%narrow = OpTypeArray %u32 %c4", "OpDecorate %narrow ArrayStride 2"))),
      "%N = OpTypeArray (word N) has elements of 4 bytes every 2 bytes");
}

// Every word of a small module replaced by invalid values: an error, never a crash.
TEST(SpirvMalformed, AnyWordMayBeWrong) {
  const std::vector<uint32_t> words = assemble(shader(R"(
    %own = OpVariable %pf_u32 Function %c4
    %low = OpULessThan %bool %i %c4
    OpSelectionMerge %join None
    OpBranchConditional %low %yes %join
    %yes = OpLabel
    %v = OpLoad %u32 %element
    OpStore %own %v
    OpBranch %join
    %join = OpLabel
    %x = OpPhi %u32 %c1 %start %v %yes
    %w = OpLoad %u32 %own
    %s = OpIAdd %u32 %w %x
    OpStore %element %s
    OpReturn)"));
  ASSERT_TRUE(spirv::read(words).ok());
  size_t refused = 0;
  for (size_t at = 5; at < words.size(); ++at) {
    for (const uint32_t wrong : {0u, 1u, 7u, words[at] + 1, words[at] ^ 0x10000u, ~0u}) {
      std::vector<uint32_t> copy = words;
      copy[at] = wrong;
      refused += spirv::read(copy).ok() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, words.size());
}

}  // namespace
}  // namespace quern::test
