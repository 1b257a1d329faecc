// Prefixes of modules in assembly, so that a test shows only its subject.
#pragma once

#include <string>

namespace quern::test {

// A Shader module with one storage buffer `data` of u32 (set 0, binding 0) and an entry point `main` with the
// given body: %i is the invocation's index, %element the pointer to data[%i], %value its value. The body must
// terminate its last block.
inline std::string shader(const std::string& body, const std::string& declarations = "",
                          const std::string& decorations = "", const std::string& local_size = "8 1 1") {
  return R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "main" %gid
    OpExecutionMode %main LocalSize )" +
         local_size + R"(
    %file = OpString "k.comp"
    OpName %data "data"
    OpDecorate %gid BuiltIn GlobalInvocationId
    OpDecorate %array ArrayStride 4
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %block Block
    OpDecorate %data DescriptorSet 0
    OpDecorate %data Binding 0
    )" + decorations +
         R"(
    %void = OpTypeVoid
    %bool = OpTypeBool
    %u32 = OpTypeInt 32 0
    %i32 = OpTypeInt 32 1
    %f32 = OpTypeFloat 32
    %v3u32 = OpTypeVector %u32 3
    %fn = OpTypeFunction %void
    %c0 = OpConstant %u32 0
    %c1 = OpConstant %u32 1
    %c2 = OpConstant %u32 2
    %c3 = OpConstant %u32 3
    %c4 = OpConstant %u32 4
    %c8 = OpConstant %u32 8
    %c264 = OpConstant %u32 264
    %array = OpTypeRuntimeArray %u32
    %block = OpTypeStruct %array
    %p_block = OpTypePointer StorageBuffer %block
    %p_u32 = OpTypePointer StorageBuffer %u32
    %p_in = OpTypePointer Input %v3u32
    %pi_u32 = OpTypePointer Input %u32
    %pf_u32 = OpTypePointer Function %u32
    %data = OpVariable %p_block StorageBuffer
    %gid = OpVariable %p_in Input
    )" + declarations +
         R"(
    %main = OpFunction %void None %fn
    %start = OpLabel
    %ip = OpAccessChain %pi_u32 %gid %c0
    %i = OpLoad %u32 %ip
    %element = OpAccessChain %p_u32 %data %c0 %i
    )" + body +
         R"(
    OpFunctionEnd
  )";
}

}  // namespace quern::test
