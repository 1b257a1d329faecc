// The numbers of SPIR-V that the emitter uses (from the specification), and a list of instructions as words.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace quern::target::spirv {

using Id = uint32_t;

enum class Code : uint16_t {
  kUndef = 1,
  kSource = 3,
  kName = 5,
  kString = 7,
  kLine = 8,
  kExtension = 10,
  kExtInstImport = 11,
  kExtInst = 12,
  kMemoryModel = 14,
  kEntryPoint = 15,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeVoid = 19,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypeRuntimeArray = 29,
  kTypeStruct = 30,
  kTypePointer = 32,
  kTypeFunction = 33,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstant = 43,
  kConstantComposite = 44,
  kConstantNull = 46,
  kSpecConstant = 50,
  kSpecConstantComposite = 51,
  kSpecConstantOp = 52,
  kFunction = 54,
  kFunctionParameter = 55,
  kFunctionEnd = 56,
  kFunctionCall = 57,
  kVariable = 59,
  kLoad = 61,
  kStore = 62,
  kAccessChain = 65,
  kPtrAccessChain = 67,
  kDecorate = 71,
  kMemberDecorate = 72,
  kMemberName = 6,
  kCompositeConstruct = 80,
  kCompositeExtract = 81,
  kConvertFToU = 109,
  kConvertFToS = 110,
  kConvertSToF = 111,
  kConvertUToF = 112,
  kUConvert = 113,
  kSConvert = 114,
  kFConvert = 115,
  kConvertPtrToU = 117,
  kConvertUToPtr = 120,
  kPtrCastToGeneric = 121,
  kGenericCastToPtr = 122,
  kGenericCastToPtrExplicit = 123,
  kBitcast = 124,
  kSNegate = 126,
  kFNegate = 127,
  kIAdd = 128,
  kFAdd = 129,
  kISub = 130,
  kFSub = 131,
  kIMul = 132,
  kFMul = 133,
  kUDiv = 134,
  kSDiv = 135,
  kFDiv = 136,
  kLogicalEqual = 164,
  kLogicalNotEqual = 165,
  kLogicalOr = 166,
  kLogicalAnd = 167,
  kLogicalNot = 168,
  kSelect = 169,
  kIEqual = 170,
  kINotEqual = 171,
  kUGreaterThan = 172,
  kSGreaterThan = 173,
  kUGreaterThanEqual = 174,
  kSGreaterThanEqual = 175,
  kULessThan = 176,
  kSLessThan = 177,
  kULessThanEqual = 178,
  kSLessThanEqual = 179,
  kFOrdEqual = 180,
  kFUnordNotEqual = 183,
  kFOrdLessThan = 184,
  kFOrdGreaterThan = 186,
  kFOrdLessThanEqual = 188,
  kFOrdGreaterThanEqual = 190,
  kShiftRightLogical = 194,
  kShiftRightArithmetic = 195,
  kShiftLeftLogical = 196,
  kBitwiseOr = 197,
  kBitwiseXor = 198,
  kBitwiseAnd = 199,
  kNot = 200,
  kBitFieldSExtract = 202,
  kBitReverse = 204,
  kBitCount = 205,
  kControlBarrier = 224,
  kMemoryBarrier = 225,
  kAtomicLoad = 227,
  kAtomicStore = 228,
  kAtomicExchange = 229,
  kAtomicCompareExchange = 230,
  kAtomicIAdd = 234,
  kAtomicISub = 235,
  kAtomicSMin = 236,
  kAtomicUMin = 237,
  kAtomicSMax = 238,
  kAtomicUMax = 239,
  kAtomicAnd = 240,
  kAtomicOr = 241,
  kAtomicXor = 242,
  kPhi = 245,
  kLoopMerge = 246,
  kSelectionMerge = 247,
  kLabel = 248,
  kBranch = 249,
  kBranchConditional = 250,
  kSwitch = 251,
  kReturn = 253,
  kReturnValue = 254,
  kUnreachable = 255,
  kNoLine = 317,
  kGroupNonUniformAll = 334,
  kGroupNonUniformAny = 335,
  kGroupNonUniformBallot = 339,
  kGroupNonUniformShuffle = 345,
  kTypeMatrix = 4456,  // SPV_KHR_cooperative_matrix
  kMatrixLoad = 4457,
  kMatrixStore = 4458,
  kMatrixMulAdd = 4459,
  kReadClock = 5056,
  kAtomicFAdd = 6035,
};

// Of the set GLSL.std.450.
enum class Glsl : uint32_t {
  kRoundEven = 2,
  kTrunc = 3,
  kFAbs = 4,
  kFloor = 8,
  kCeil = 9,
  kSin = 13,
  kCos = 14,
  kTan = 15,
  kPow = 26,
  kExp = 27,
  kLog = 28,
  kExp2 = 29,
  kLog2 = 30,
  kSqrt = 31,
  kInverseSqrt = 32,
  kFma = 50,
  kFindILsb = 73,
  kFindUMsb = 75,
};

enum class Storage : uint32_t {
  kUniformConstant = 0,
  kInput = 1,
  kWorkgroup = 4,
  kCrossWorkgroup = 5,
  kPrivate = 6,
  kFunction = 7,
  kGeneric = 8,
  kPushConstant = 9,
  kStorageBuffer = 12,
  kPhysical = 5349,
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
  kArrayStride = 6,
  kBuiltIn = 11,
  kAliased = 20,
  kBinding = 33,
  kDescriptorSet = 34,
  kOffset = 35,
  kFuncParamAttr = 38,
  kNoContraction = 42,
  kAlignment = 44,
};

enum class BuiltIn : uint32_t {
  kNumWorkgroups = 24,
  kWorkgroupSize = 25,
  kWorkgroupId = 26,
  kLocalInvocationId = 27,
};

enum class Scope : uint32_t { kDevice = 1, kWorkgroup = 2, kSubgroup = 3 };

inline constexpr uint32_t kAcquireRelease = 0x8;
inline constexpr uint32_t kMakeAvailable = 0x2000, kMakeVisible = 0x4000;  // of Vulkan's memory model
inline constexpr uint32_t kUniformMemory = 0x40;
inline constexpr uint32_t kWorkgroupMemory = 0x100;
inline constexpr uint32_t kCrossWorkgroupMemory = 0x200;

// Operands of loads and stores.
inline constexpr uint32_t kVolatile = 1;
inline constexpr uint32_t kAligned = 2;
inline constexpr uint32_t kNonPrivate = 0x20;  // of Vulkan's memory model: others see it

class Words {
 public:
  void add(Code code, std::initializer_list<uint32_t> operands) {
    add(code, std::span<const uint32_t>(operands.begin(), operands.size()));
  }
  void add(Code code, std::span<const uint32_t> operands);
  // With a string after the operands, and more operands after that.
  void add(Code code, std::initializer_list<uint32_t> operands, std::string_view text,
           std::span<const uint32_t> behind = {});
  void append(const Words& other) { words_.insert(words_.end(), other.words_.begin(), other.words_.end()); }
  const std::vector<uint32_t>& all() const { return words_; }

 private:
  std::vector<uint32_t> words_;
};

}  // namespace quern::target::spirv
