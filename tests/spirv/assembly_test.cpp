// Modules in assembly: constructs that front ends rarely emit, and tests that must run without tools.
#include "spirv/launched.hpp"
#include "support/spirv_assembler.hpp"
#include "support/spirv_text.hpp"

namespace quern::test {
namespace {

// The buffer after a run over `given` without findings.
std::string after(const std::string& text, const std::string& given = "u32[8]=iota") {
  Launched l(assemble(text));
  if (!l.ok()) return "not read";
  l.run("main", {given}, {1, 1, 1});
  EXPECT_EQ(l.rendered(), "");
  return l.all("data");
}

TEST(SpirvAssembly, LoadsAddsAndStores) {
  EXPECT_EQ(after(shader(R"(
    %value = OpLoad %u32 %element
    %sum = OpIAdd %u32 %value %c8
    OpStore %element %sum
    OpReturn)")),
            "8 9 10 11 12 13 14 15");
}

TEST(SpirvAssembly, EitherByteOrder) {
  std::vector<uint32_t> words = assemble(shader(R"(
    OpStore %element %c3
    OpReturn)"));
  for (uint32_t& w : words) w = __builtin_bswap32(w);
  Launched l(words);
  l.run("main", {"u32[8]"}, {1, 1, 1});
  EXPECT_EQ(l.all("data"), "3 3 3 3 3 3 3 3");
}

TEST(SpirvAssembly, PhisAtAJoin) {
  EXPECT_EQ(after(shader(R"(
    %low = OpULessThan %bool %i %c4
    OpSelectionMerge %join None
    OpBranchConditional %low %yes %no
    %yes = OpLabel
    %a = OpIMul %u32 %i %c2
    OpBranch %join
    %no = OpLabel
    OpBranch %join
    %join = OpLabel
    %x = OpPhi %u32 %a %yes %c8 %no
    %y = OpPhi %u32 %c1 %yes %i %no
    %sum = OpIAdd %u32 %x %y
    OpStore %element %sum
    OpReturn)")),
            "1 3 5 7 12 13 14 15");
}

// Both phis of the loop read the other's old value.
TEST(SpirvAssembly, PhisThatSwap) {
  EXPECT_EQ(after(shader(R"(
    OpBranch %head
    %head = OpLabel
    %a = OpPhi %u32 %c0 %start %b %next
    %b = OpPhi %u32 %c1 %start %a %next
    %k = OpPhi %u32 %c0 %start %k1 %next
    %more = OpULessThan %bool %k %i
    OpLoopMerge %out %next None
    OpBranchConditional %more %next %out
    %next = OpLabel
    %k1 = OpIAdd %u32 %k %c1
    OpBranch %head
    %out = OpLabel
    OpStore %element %a
    OpReturn)")),
            "0 1 0 1 0 1 0 1");
}

// A value of a loop's body is used after the loop, without a phi.
TEST(SpirvAssembly, ValuesOutliveTheirLoop) {
  EXPECT_EQ(after(shader(R"(
    OpBranch %head
    %head = OpLabel
    %k = OpPhi %u32 %c0 %start %k1 %next
    OpLoopMerge %out %next None
    OpBranch %body
    %body = OpLabel
    %square = OpIMul %u32 %k %k
    %done = OpUGreaterThanEqual %bool %square %i
    OpBranchConditional %done %out %next
    %next = OpLabel
    %k1 = OpIAdd %u32 %k %c1
    OpBranch %head
    %out = OpLabel
    OpStore %element %square
    OpReturn)")),
            "0 1 4 4 4 9 9 9");
}

TEST(SpirvAssembly, SwitchWithTwoValuesForOneTarget) {
  EXPECT_EQ(after(shader(R"(
    OpSelectionMerge %join None
    OpSwitch %i %other 1 %one 3 %one 5 %five 6 %other
    %one = OpLabel
    OpStore %element %c1
    OpBranch %five
    %five = OpLabel
    %f = OpPhi %u32 %c2 %start %c3 %one
    OpStore %element %f
    OpBranch %join
    %other = OpLabel
    OpStore %element %c8
    OpBranch %join
    %join = OpLabel
    OpReturn)")),
            "8 3 8 3 8 2 8 8");
}

TEST(SpirvAssembly, UnreachableBlocksAreNotRead) {
  EXPECT_EQ(after(shader(R"(
    OpStore %element %c2
    OpReturn
    %never = OpLabel
    %bad = OpImageWrite %u32 %c0 %c0
    OpUnreachable)")),
            "2 2 2 2 2 2 2 2");
}

TEST(SpirvAssembly, OperationsOnSpecConstants) {
  const std::string text = shader(R"(
    %x = OpIAdd %u32 %twice %picked
    OpStore %element %x
    OpReturn)",
                                  R"(
    %n = OpSpecConstant %u32 5
    %flag = OpSpecConstantFalse %bool
    %twice = OpSpecConstantOp %u32 IMul %n %c2
    %more = OpSpecConstantOp %bool UGreaterThan %twice %c8
    %picked = OpSpecConstantOp %u32 Select %more %n %c0
    %pair = OpSpecConstantComposite %v3u32 %n %c1 %twice
    %third = OpSpecConstantOp %u32 CompositeExtract %pair 2
    )",
                                  R"(
    OpDecorate %n SpecId 7
    OpDecorate %flag SpecId 8
    OpName %n "count"
    )");
  EXPECT_EQ(after(text), "15 15 15 15 15 15 15 15");
  Launched l(assemble(text), {.name = "m.spv", .specializations = {{7, 3}}});
  l.run("main", {"u32[8]"}, {1, 1, 1});
  EXPECT_EQ(l.all("data"), "6 6 6 6 6 6 6 6");
  ASSERT_EQ(l.program.spec_constants.size(), 2u);
  EXPECT_EQ(l.program.spec_constants[0].id, 7u);
  EXPECT_EQ(l.program.spec_constants[0].name, "count");
  EXPECT_EQ(l.program.spec_constants[0].bits, 3u);
  EXPECT_EQ(l.program.spec_constants[1].type->kind, ir::TypeKind::kBool);
}

// The built-in constant has precedence over the execution mode.
TEST(SpirvAssembly, WorkgroupSizeConstant) {
  Launched l(assemble(shader("OpStore %element %c1\n OpReturn", R"(
    %size = OpConstantComposite %v3u32 %c4 %c2 %c1
  )",
                             "OpDecorate %size BuiltIn WorkgroupSize")));
  ASSERT_TRUE(l.ok());
  EXPECT_EQ(*l.program.entries[0].local_size, (spirv::LocalSize{4, 2, 1}));
}

TEST(SpirvAssembly, TwoEntryPointsInOneModule) {
  std::string text = shader("OpStore %element %c1\n OpReturn");
  const std::string first = "OpEntryPoint GLCompute %main \"main\" %gid";
  text.replace(
      text.find(first), first.size(),
      first + "\n OpEntryPoint GLCompute %other \"other\" %gid\n OpExecutionMode %other LocalSize 2 1 1");
  text += R"(
    %other = OpFunction %void None %fn
    %go = OpLabel
    OpReturn
    OpFunctionEnd
  )";
  Launched l(assemble(text));
  ASSERT_TRUE(l.ok());
  ASSERT_EQ(l.program.entries.size(), 2u);
  EXPECT_EQ(l.program.find("main")->resources.size(), 1u);
  EXPECT_EQ(l.program.find("other")->resources.size(), 0u);  // only the resources that it uses are bound
  EXPECT_EQ(l.program.find("other")->local_size->x, 2u);
  EXPECT_EQ(l.program.find("third"), nullptr);
}

TEST(SpirvAssembly, InterfaceDescribesTheBuffer) {
  Launched l(
      assemble(shader("OpStore %element %c1\n OpReturn", "", "OpMemberDecorate %block 0 NonWritable")));
  const spirv::Resource& r = l.program.entries.at(0).resources.at(0);
  EXPECT_EQ(r.kind, spirv::ResourceKind::kStorageBuffer);
  EXPECT_EQ(r.name, "data");
  EXPECT_EQ(r.element->kind, ir::TypeKind::kU32);
  EXPECT_EQ(r.least_bytes, 0u);
  EXPECT_FALSE(r.is_written);
  EXPECT_FALSE(r.length.has_value());
}

TEST(SpirvAssembly, BindingsGoBySetThenNumber) {
  Launched l(assemble(shader(R"(
    %e2 = OpAccessChain %p_u32 %late %c0 %i
    %e3 = OpAccessChain %p_u32 %early %c0 %i
    OpStore %element %c1
    OpStore %e2 %c2
    OpStore %e3 %c3
    OpReturn)",
                             R"(
    %late = OpVariable %p_block StorageBuffer
    %early = OpVariable %p_block StorageBuffer
  )",
                             R"(
    OpName %late "late"
    OpName %early "early"
    OpDecorate %late DescriptorSet 1
    OpDecorate %late Binding 0
    OpDecorate %early DescriptorSet 0
    OpDecorate %early Binding 9
  )")));
  l.run("main", {"u32[8]", "u32[8]", "u32[8]"}, {1, 1, 1});
  EXPECT_EQ(l.program.entries[0].resources[1].name, "early");
  EXPECT_EQ(l.program.entries[0].resources[2].name, "late");
  EXPECT_EQ(l.all("early"), "3 3 3 3 3 3 3 3");
  EXPECT_EQ(l.all("late"), "2 2 2 2 2 2 2 2");
}

TEST(SpirvAssembly, AddressesThatTheHostPutIntoMemory) {
  const std::vector<uint32_t> words = assemble(R"(
    OpCapability Shader
    OpMemoryModel 5348 GLSL450
    OpEntryPoint GLCompute %main "main"
    OpExecutionMode %main LocalSize 1 1 1
    OpName %params "params"
    OpMemberDecorate %node 0 Offset 0
    OpMemberDecorate %node 1 Offset 8
    OpMemberDecorate %push 0 Offset 0
    OpDecorate %push Block
    OpTypeForwardPointer %p_node 5349
    %void = OpTypeVoid
    %bool = OpTypeBool
    %u32 = OpTypeInt 32 0
    %u64 = OpTypeInt 64 0
    %node = OpTypeStruct %u32 %p_node
    %p_node = OpTypePointer 5349 %node
    %pp_u32 = OpTypePointer 5349 %u32
    %pp_node = OpTypePointer 5349 %p_node
    %push = OpTypeStruct %p_node
    %p_push = OpTypePointer PushConstant %push
    %ps_node = OpTypePointer PushConstant %p_node
    %fn = OpTypeFunction %void
    %c0 = OpConstant %u32 0
    %c1 = OpConstant %u32 1
    %zero = OpConstant %u64 0 0
    %params = OpVariable %p_push PushConstant
    %main = OpFunction %void None %fn
    %start = OpLabel
    %firstp = OpAccessChain %ps_node %params %c0
    %first = OpLoad %p_node %firstp
    OpBranch %head
    %head = OpLabel
    %at = OpPhi %p_node %first %start %next %body
    %sum = OpPhi %u32 %c0 %start %total %body
    %bits = OpConvertPtrToU %u64 %at
    %end = OpIEqual %bool %bits %zero
    OpLoopMerge %out %body None
    OpBranchConditional %end %out %body
    %body = OpLabel
    %vp = OpAccessChain %pp_u32 %at %c0
    %v = OpLoad %u32 %vp Aligned 4
    %total = OpIAdd %u32 %sum %v
    %np = OpAccessChain %pp_node %at %c1
    %next = OpLoad %p_node %np Aligned 8
    OpBranch %head
    %out = OpLabel
    %rp = OpAccessChain %pp_u32 %first %c0
    OpStore %rp %sum Aligned 4
    OpReturn
    OpFunctionEnd
  )");
  auto read = spirv::read(words);
  ASSERT_TRUE(read.ok()) << read.error().to_string();
  sim::Device device;
  struct Node {
    uint32_t value;
    uint32_t pad;
    uint64_t next;
  };
  uint64_t next = 0, first = 0;
  for (uint32_t value : {5u, 30u, 700u}) {
    const Node n{value, 0, next};
    first = next = *device.upload_new(std::span<const Node>(&n, 1), "node");
  }
  sim::Binding binding;
  binding.value.resize(8);
  std::memcpy(binding.value.data(), &first, 8);
  sim::LaunchConfig config;
  const spirv::Entry entry = read->entries[0];
  ASSERT_TRUE(sim::bind_resources(entry, std::span(&binding, 1), config).ok());
  auto program = device.load(std::make_shared<ir::Module>(std::move(read->module)));
  auto result = device.launch(**program, "main", config);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_TRUE(result->clean());
  EXPECT_EQ(device.download_as<uint32_t>(first, 1)->at(0), 735u);
}

TEST(SpirvAssembly, LinesComeFromOpLine) {
  Launched l(assemble(shader(R"(
    OpLine %file 12 7
    %far = OpAccessChain %p_u32 %data %c0 %c8
    OpLine %file 13 3
    OpStore %far %c1
    OpNoLine
    OpReturn)")));
  l.run("main", {"u32[8]"}, {1, 1, 1});
  EXPECT_EQ(l.kinds(), "out of bounds at 13");
  EXPECT_TRUE(
      l.rendered().starts_with("k.comp:13:3: out of bounds: data[8] is written, but data has 8 elements"))
      << l.rendered();
}

// Without line information, a report names the instruction, its result and its word.
TEST(SpirvAssembly, WithoutLinesTheInstructionIsNamed) {
  Launched l(assemble(shader(R"(
    %far = OpAccessChain %p_u32 %data %c0 %c8
    %v = OpLoad %u32 %far
    OpStore %element %v
    OpReturn)")),
             {.name = "m.spv", .specializations = {}});
  l.run("main", {"u32[8]=0"}, {1, 1, 1});
  EXPECT_NE(l.rendered().find("m.spv:"), std::string::npos) << l.rendered();
  EXPECT_NE(l.rendered().find("= OpLoad (word "), std::string::npos) << l.rendered();
}

TEST(SpirvAssembly, UndefinedValuesAreReportedWhereTheyAreUsed) {
  Launched l(assemble(shader(R"(
    %none = OpUndef %u32
    OpLine %file 5 1
    %sum = OpIAdd %u32 %none %i
    OpStore %element %sum
    OpReturn)")));
  l.run("main", {"u32[8]"}, {1, 1, 1});
  EXPECT_EQ(l.kinds(), "uninitialized at 5");
}

TEST(SpirvAssembly, WorkgroupVariablesThatStartAsZero) {
  EXPECT_EQ(after(shader(R"(
    %e = OpAccessChain %pw_u32 %tile %i
    %v = OpLoad %u32 %e
    %w = OpIAdd %u32 %v %c1
    OpStore %element %w
    OpReturn)",
                         R"(
    %tile_type = OpTypeArray %u32 %c8
    %pw_tile = OpTypePointer Workgroup %tile_type
    %pw_u32 = OpTypePointer Workgroup %u32
    %zeros = OpConstantNull %tile_type
    %tile = OpVariable %pw_tile Workgroup %zeros
  )")),
            "1 1 1 1 1 1 1 1");
}

TEST(SpirvAssembly, CopiesOfMemory) {
  EXPECT_EQ(after(shader(R"(
    %own = OpVariable %pf_u32 Function %c4
    %other = OpVariable %pf_u32 Function
    OpCopyMemory %other %own
    %v = OpLoad %u32 %other
    %w = OpCopyObject %u32 %v
    OpStore %element %w
    OpReturn)")),
            "4 4 4 4 4 4 4 4");
}

// A loop with a single entry and without a merge instruction, as in the Kernel model.
TEST(SpirvAssembly, KernelModelWithoutMergeInstructions) {
  Launched l(assemble(R"(
    OpCapability Kernel
    OpCapability Addresses
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %sum "sum"
    OpName %out "out"
    OpName %n "n"
    %void = OpTypeVoid
    %bool = OpTypeBool
    %u32 = OpTypeInt 32 0
    %u64 = OpTypeInt 64 0
    %ptr = OpTypePointer CrossWorkgroup %u32
    %fn = OpTypeFunction %void %ptr %u32
    %c0 = OpConstant %u32 0
    %c1 = OpConstant %u32 1
    %w1 = OpConstant %u64 1 0
    %sum = OpFunction %void None %fn
    %out = OpFunctionParameter %ptr
    %n = OpFunctionParameter %u32
    %start = OpLabel
    %none = OpIEqual %bool %n %c0
    OpBranchConditional %none %end %loop
    %loop = OpLabel
    %k = OpPhi %u32 %c0 %start %k1 %skip
    %s = OpPhi %u32 %c0 %start %s1 %skip
    %odd = OpBitwiseAnd %u32 %k %c1
    %is_odd = OpINotEqual %bool %odd %c0
    OpBranchConditional %is_odd %add %skip
    %add = OpLabel
    %t = OpIAdd %u32 %s %k
    OpBranch %skip
    %skip = OpLabel
    %s1 = OpPhi %u32 %s %loop %t %add
    %k1 = OpIAdd %u32 %k %c1
    %more = OpULessThan %bool %k1 %n
    OpBranchConditional %more %loop %end
    %end = OpLabel
    %r = OpPhi %u32 %c0 %start %s1 %skip
    %at = OpInBoundsPtrAccessChain %ptr %out %w1
    OpStore %at %r Aligned 4
    OpReturn
    OpFunctionEnd
  )"));
  ASSERT_TRUE(l.ok());
  EXPECT_FALSE(l.program.entries[0].local_size.has_value());
  l.run("sum", {"u32[2]=0", "10"}, {1, 1, 1});
  EXPECT_EQ(l.rendered(), "");
  EXPECT_EQ(l.all("out"), "0 25");
}

TEST(SpirvAssembly, BindWantsOneBindingEach) {
  Launched l(assemble(shader("OpStore %element %c1\n OpReturn")));
  sim::LaunchConfig config;
  auto bound = sim::bind_resources(l.program.entries[0], {}, config);
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.error().message(), "entry point 'main' has 1 resource, but 0 were given");
}

}  // namespace
}  // namespace quern::test
