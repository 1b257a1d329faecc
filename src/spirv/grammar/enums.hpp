// The enumerations of the SPIR-V specification, for readers and writers. opcode.hpp has the instructions.
#pragma once

#include <cstdint>

namespace quern::spirv {

using Id = uint32_t;

inline constexpr uint32_t kMagic = 0x0723'0203;

/// The value of an enumeration as a word of a module.
template <typename Enum>
constexpr uint32_t to_word(Enum value) {
  return static_cast<uint32_t>(value);
}

enum class StorageClass : uint32_t {
  kUniformConstant = 0,
  kInput = 1,
  kUniform = 2,
  kOutput = 3,
  kWorkgroup = 4,
  kCrossWorkgroup = 5,
  kPrivate = 6,
  kFunction = 7,
  kGeneric = 8,
  kPushConstant = 9,
  kStorageBuffer = 12,
  kPhysicalStorageBuffer = 5349,
};

enum class Capability : uint32_t {
  kShader = 1,
  kAddresses = 4,
  kKernel = 6,
  kFloat16 = 9,
  kFloat64 = 10,
  kInt64 = 11,
  kInt64Atomics = 12,
  kInt16 = 22,
  kGenericPointer = 38,
  kInt8 = 39,
  kGroupNonUniform = 61,
  kGroupNonUniformVote = 62,
  kGroupNonUniformBallot = 64,
  kGroupNonUniformShuffle = 65,
  kStorageBuffer16Bit = 4433,
  kStorageBuffer8Bit = 4448,
  kDenormPreserve = 4464,
  kSignedZeroInfNanPreserve = 4466,
  kRoundingModeRte = 4467,
  kShaderClock = 5055,
  kBFloat16 = 5116,
  kBFloat16Matrix = 5118,
  kVulkanMemoryModel = 5345,
  kVulkanMemoryModelDevice = 5346,
  kPhysicalAddresses = 5347,
  kCooperativeMatrix = 6022,
  kAtomicFloat32Add = 6033,
};

enum class Decoration : uint32_t {
  kSpecId = 1,
  kBlock = 2,
  kBufferBlock = 3,
  kRowMajor = 4,
  kColMajor = 5,
  kArrayStride = 6,
  kMatrixStride = 7,
  kPacked = 10,
  kBuiltIn = 11,
  kAliased = 20,
  kVolatile = 21,
  kConstant = 22,
  kNonWritable = 24,
  kSaturatedConversion = 28,
  kBinding = 33,
  kDescriptorSet = 34,
  kOffset = 35,
  kFuncParamAttr = 38,
  kRoundingMode = 39,
  kNoContraction = 42,
  kAlignment = 44,
};

enum class BuiltIn : uint32_t {
  kNumWorkgroups = 24,
  kWorkgroupSize = 25,
  kWorkgroupId = 26,
  kLocalInvocationId = 27,
  kGlobalInvocationId = 28,
  kLocalInvocationIndex = 29,
  kWorkDim = 30,
  kGlobalSize = 31,
  kEnqueuedWorkgroupSize = 32,
  kGlobalOffset = 33,
  kGlobalLinearId = 34,
  kSubgroupSize = 36,
  kSubgroupMaxSize = 37,
  kNumSubgroups = 38,
  kNumEnqueuedSubgroups = 39,
  kSubgroupId = 40,
  kSubgroupLocalInvocationId = 41,
  kSubgroupEqMask = 4416,
  kSubgroupGeMask = 4417,
  kSubgroupGtMask = 4418,
  kSubgroupLeMask = 4419,
  kSubgroupLtMask = 4420,
  kDeviceIndex = 4438,
};

enum class ExecutionModel : uint32_t { kGlCompute = 5, kKernel = 6 };

enum class ExecutionMode : uint32_t {
  kLocalSize = 17,
  kContractionOff = 31,
  kLocalSizeId = 38,
  kDenormPreserve = 4459,
  kSignedZeroInfNanPreserve = 4461,
  kRoundingModeRte = 4462,
  kMaximallyReconverges = 6023,
};

enum class AddressingModel : uint32_t { kLogical = 0, kPhysical64 = 2, kPhysicalStorageBuffer64 = 5348 };

enum class MemoryModel : uint32_t { kGlsl450 = 1, kOpenCl = 2, kVulkan = 3 };

enum class FunctionParameterAttribute : uint32_t { kByVal = 2, kNoAlias = 4, kNoWrite = 6 };

enum class Scope : uint32_t { kDevice = 1, kWorkgroup = 2, kSubgroup = 3, kInvocation = 4 };

/// Bits of memory semantics.
namespace memory_semantics {
inline constexpr uint32_t kAcquireRelease = 0x8;
inline constexpr uint32_t kUniformMemory = 0x40;
inline constexpr uint32_t kWorkgroupMemory = 0x100;
inline constexpr uint32_t kCrossWorkgroupMemory = 0x200;
inline constexpr uint32_t kMakeAvailable = 0x2000, kMakeVisible = 0x4000;  // Vulkan memory model
}  // namespace memory_semantics

/// Bits of the memory operands of loads and stores.
namespace memory_operands {
inline constexpr uint32_t kVolatile = 1;
inline constexpr uint32_t kAligned = 2;
inline constexpr uint32_t kNonPrivate = 0x20;  // Vulkan memory model: visible to other invocations
}  // namespace memory_operands

}  // namespace quern::spirv
