// The instructions of SPIR-V by name: number, and whether an instruction has a result and a result type. All
// instructions listed here are known by name in messages; the readers define which of them are supported.
#pragma once

#include <cstdint>
#include <string>

namespace quern::spirv {

// What follows the first word: other operands, a result, or a result type and a result.
enum class Form : uint8_t { kNone, kResult, kTyped };

// clang-format off
#define QUERN_SPIRV_OPS(X)                                                                                            \
  X(Nop, 0, kNone) X(Undef, 1, kTyped) X(SourceContinued, 2, kNone) X(Source, 3, kNone)                               \
  X(SourceExtension, 4, kNone) X(Name, 5, kNone) X(MemberName, 6, kNone) X(String, 7, kResult) X(Line, 8, kNone)      \
  X(Extension, 10, kNone) X(ExtInstImport, 11, kResult) X(ExtInst, 12, kTyped) X(MemoryModel, 14, kNone)              \
  X(EntryPoint, 15, kNone) X(ExecutionMode, 16, kNone) X(Capability, 17, kNone) X(TypeVoid, 19, kResult)              \
  X(TypeBool, 20, kResult) X(TypeInt, 21, kResult) X(TypeFloat, 22, kResult) X(TypeVector, 23, kResult)               \
  X(TypeMatrix, 24, kResult) X(TypeImage, 25, kResult) X(TypeSampler, 26, kResult)                                    \
  X(TypeSampledImage, 27, kResult) X(TypeArray, 28, kResult) X(TypeRuntimeArray, 29, kResult)                         \
  X(TypeStruct, 30, kResult) X(TypeOpaque, 31, kResult) X(TypePointer, 32, kResult) X(TypeFunction, 33, kResult)      \
  X(TypeEvent, 34, kResult) X(TypeDeviceEvent, 35, kResult) X(TypeReserveId, 36, kResult)                             \
  X(TypeQueue, 37, kResult) X(TypePipe, 38, kResult) X(TypeForwardPointer, 39, kNone) X(ConstantTrue, 41, kTyped)     \
  X(ConstantFalse, 42, kTyped) X(Constant, 43, kTyped) X(ConstantComposite, 44, kTyped)                               \
  X(ConstantSampler, 45, kTyped) X(ConstantNull, 46, kTyped) X(SpecConstantTrue, 48, kTyped)                          \
  X(SpecConstantFalse, 49, kTyped) X(SpecConstant, 50, kTyped) X(SpecConstantComposite, 51, kTyped)                   \
  X(SpecConstantOp, 52, kTyped) X(Function, 54, kTyped) X(FunctionParameter, 55, kTyped) X(FunctionEnd, 56, kNone)    \
  X(FunctionCall, 57, kTyped) X(Variable, 59, kTyped) X(ImageTexelPointer, 60, kTyped) X(Load, 61, kTyped)            \
  X(Store, 62, kNone) X(CopyMemory, 63, kNone) X(CopyMemorySized, 64, kNone) X(AccessChain, 65, kTyped)               \
  X(InBoundsAccessChain, 66, kTyped) X(PtrAccessChain, 67, kTyped) X(ArrayLength, 68, kTyped)                         \
  X(GenericPtrMemSemantics, 69, kTyped) X(InBoundsPtrAccessChain, 70, kTyped) X(Decorate, 71, kNone)                  \
  X(MemberDecorate, 72, kNone) X(DecorationGroup, 73, kResult) X(GroupDecorate, 74, kNone)                            \
  X(GroupMemberDecorate, 75, kNone) X(VectorExtractDynamic, 77, kTyped) X(VectorInsertDynamic, 78, kTyped)            \
  X(VectorShuffle, 79, kTyped) X(CompositeConstruct, 80, kTyped) X(CompositeExtract, 81, kTyped)                      \
  X(CompositeInsert, 82, kTyped) X(CopyObject, 83, kTyped) X(Transpose, 84, kTyped) X(SampledImage, 86, kTyped)       \
  X(ImageSampleImplicitLod, 87, kTyped) X(ImageSampleExplicitLod, 88, kTyped)                                         \
  X(ImageSampleDrefImplicitLod, 89, kTyped) X(ImageSampleDrefExplicitLod, 90, kTyped)                                 \
  X(ImageSampleProjImplicitLod, 91, kTyped) X(ImageSampleProjExplicitLod, 92, kTyped)                                 \
  X(ImageSampleProjDrefImplicitLod, 93, kTyped) X(ImageSampleProjDrefExplicitLod, 94, kTyped)                         \
  X(ImageFetch, 95, kTyped) X(ImageGather, 96, kTyped) X(ImageDrefGather, 97, kTyped) X(ImageRead, 98, kTyped)        \
  X(ImageWrite, 99, kNone) X(Image, 100, kTyped) X(ImageQueryFormat, 101, kTyped) X(ImageQueryOrder, 102, kTyped)     \
  X(ImageQuerySizeLod, 103, kTyped) X(ImageQuerySize, 104, kTyped) X(ImageQueryLod, 105, kTyped)                      \
  X(ImageQueryLevels, 106, kTyped) X(ImageQuerySamples, 107, kTyped) X(ConvertFToU, 109, kTyped)                      \
  X(ConvertFToS, 110, kTyped) X(ConvertSToF, 111, kTyped) X(ConvertUToF, 112, kTyped) X(UConvert, 113, kTyped)        \
  X(SConvert, 114, kTyped) X(FConvert, 115, kTyped) X(QuantizeToF16, 116, kTyped) X(ConvertPtrToU, 117, kTyped)       \
  X(SatConvertSToU, 118, kTyped) X(SatConvertUToS, 119, kTyped) X(ConvertUToPtr, 120, kTyped)                         \
  X(PtrCastToGeneric, 121, kTyped) X(GenericCastToPtr, 122, kTyped) X(GenericCastToPtrExplicit, 123, kTyped)          \
  X(Bitcast, 124, kTyped) X(SNegate, 126, kTyped) X(FNegate, 127, kTyped) X(IAdd, 128, kTyped)                        \
  X(FAdd, 129, kTyped) X(ISub, 130, kTyped) X(FSub, 131, kTyped) X(IMul, 132, kTyped) X(FMul, 133, kTyped)            \
  X(UDiv, 134, kTyped) X(SDiv, 135, kTyped) X(FDiv, 136, kTyped) X(UMod, 137, kTyped) X(SRem, 138, kTyped)            \
  X(SMod, 139, kTyped) X(FRem, 140, kTyped) X(FMod, 141, kTyped) X(VectorTimesScalar, 142, kTyped)                    \
  X(MatrixTimesScalar, 143, kTyped) X(VectorTimesMatrix, 144, kTyped) X(MatrixTimesVector, 145, kTyped)               \
  X(MatrixTimesMatrix, 146, kTyped) X(OuterProduct, 147, kTyped) X(Dot, 148, kTyped) X(IAddCarry, 149, kTyped)        \
  X(ISubBorrow, 150, kTyped) X(UMulExtended, 151, kTyped) X(SMulExtended, 152, kTyped) X(Any, 154, kTyped)            \
  X(All, 155, kTyped) X(IsNan, 156, kTyped) X(IsInf, 157, kTyped) X(IsFinite, 158, kTyped)                            \
  X(IsNormal, 159, kTyped) X(SignBitSet, 160, kTyped) X(LessOrGreater, 161, kTyped) X(Ordered, 162, kTyped)           \
  X(Unordered, 163, kTyped) X(LogicalEqual, 164, kTyped) X(LogicalNotEqual, 165, kTyped) X(LogicalOr, 166, kTyped)    \
  X(LogicalAnd, 167, kTyped) X(LogicalNot, 168, kTyped) X(Select, 169, kTyped) X(IEqual, 170, kTyped)                 \
  X(INotEqual, 171, kTyped) X(UGreaterThan, 172, kTyped) X(SGreaterThan, 173, kTyped)                                 \
  X(UGreaterThanEqual, 174, kTyped) X(SGreaterThanEqual, 175, kTyped) X(ULessThan, 176, kTyped)                       \
  X(SLessThan, 177, kTyped) X(ULessThanEqual, 178, kTyped) X(SLessThanEqual, 179, kTyped)                             \
  X(FOrdEqual, 180, kTyped) X(FUnordEqual, 181, kTyped) X(FOrdNotEqual, 182, kTyped)                                  \
  X(FUnordNotEqual, 183, kTyped) X(FOrdLessThan, 184, kTyped) X(FUnordLessThan, 185, kTyped)                          \
  X(FOrdGreaterThan, 186, kTyped) X(FUnordGreaterThan, 187, kTyped) X(FOrdLessThanEqual, 188, kTyped)                 \
  X(FUnordLessThanEqual, 189, kTyped) X(FOrdGreaterThanEqual, 190, kTyped) X(FUnordGreaterThanEqual, 191, kTyped)     \
  X(ShiftRightLogical, 194, kTyped) X(ShiftRightArithmetic, 195, kTyped) X(ShiftLeftLogical, 196, kTyped)             \
  X(BitwiseOr, 197, kTyped) X(BitwiseXor, 198, kTyped) X(BitwiseAnd, 199, kTyped) X(Not, 200, kTyped)                 \
  X(BitFieldInsert, 201, kTyped) X(BitFieldSExtract, 202, kTyped) X(BitFieldUExtract, 203, kTyped)                    \
  X(BitReverse, 204, kTyped) X(BitCount, 205, kTyped) X(DPdx, 207, kTyped) X(DPdy, 208, kTyped)                       \
  X(Fwidth, 209, kTyped) X(DPdxFine, 210, kTyped) X(DPdyFine, 211, kTyped) X(FwidthFine, 212, kTyped)                 \
  X(DPdxCoarse, 213, kTyped) X(DPdyCoarse, 214, kTyped) X(FwidthCoarse, 215, kTyped) X(EmitVertex, 218, kNone)        \
  X(EndPrimitive, 219, kNone) X(EmitStreamVertex, 220, kNone) X(EndStreamPrimitive, 221, kNone)                       \
  X(ControlBarrier, 224, kNone) X(MemoryBarrier, 225, kNone) X(AtomicLoad, 227, kTyped) X(AtomicStore, 228, kNone)    \
  X(AtomicExchange, 229, kTyped) X(AtomicCompareExchange, 230, kTyped) X(AtomicCompareExchangeWeak, 231, kTyped)      \
  X(AtomicIIncrement, 232, kTyped) X(AtomicIDecrement, 233, kTyped) X(AtomicIAdd, 234, kTyped)                        \
  X(AtomicISub, 235, kTyped) X(AtomicSMin, 236, kTyped) X(AtomicUMin, 237, kTyped) X(AtomicSMax, 238, kTyped)         \
  X(AtomicUMax, 239, kTyped) X(AtomicAnd, 240, kTyped) X(AtomicOr, 241, kTyped) X(AtomicXor, 242, kTyped)             \
  X(Phi, 245, kTyped) X(LoopMerge, 246, kNone) X(SelectionMerge, 247, kNone) X(Label, 248, kResult)                   \
  X(Branch, 249, kNone) X(BranchConditional, 250, kNone) X(Switch, 251, kNone) X(Kill, 252, kNone)                    \
  X(Return, 253, kNone) X(ReturnValue, 254, kNone) X(Unreachable, 255, kNone) X(LifetimeStart, 256, kNone)            \
  X(LifetimeStop, 257, kNone) X(GroupAsyncCopy, 259, kTyped) X(GroupWaitEvents, 260, kNone)                           \
  X(GroupAll, 261, kTyped) X(GroupAny, 262, kTyped) X(GroupBroadcast, 263, kTyped) X(GroupIAdd, 264, kTyped)          \
  X(GroupFAdd, 265, kTyped) X(GroupFMin, 266, kTyped) X(GroupUMin, 267, kTyped) X(GroupSMin, 268, kTyped)             \
  X(GroupFMax, 269, kTyped) X(GroupUMax, 270, kTyped) X(GroupSMax, 271, kTyped) X(ReadPipe, 274, kTyped)              \
  X(WritePipe, 275, kTyped) X(ReservedReadPipe, 276, kTyped) X(ReservedWritePipe, 277, kTyped)                        \
  X(ReserveReadPipePackets, 278, kTyped) X(ReserveWritePipePackets, 279, kTyped) X(CommitReadPipe, 280, kNone)        \
  X(CommitWritePipe, 281, kNone) X(IsValidReserveId, 282, kTyped) X(GetNumPipePackets, 283, kTyped)                   \
  X(GetMaxPipePackets, 284, kTyped) X(GroupReserveReadPipePackets, 285, kTyped)                                       \
  X(GroupReserveWritePipePackets, 286, kTyped) X(GroupCommitReadPipe, 287, kNone)                                     \
  X(GroupCommitWritePipe, 288, kNone) X(EnqueueMarker, 291, kTyped) X(EnqueueKernel, 292, kTyped)                     \
  X(GetKernelNDrangeSubGroupCount, 293, kTyped) X(GetKernelNDrangeMaxSubGroupSize, 294, kTyped)                       \
  X(GetKernelWorkGroupSize, 295, kTyped) X(GetKernelPreferredWorkGroupSizeMultiple, 296, kTyped)                      \
  X(RetainEvent, 297, kNone) X(ReleaseEvent, 298, kNone) X(CreateUserEvent, 299, kTyped)                              \
  X(IsValidEvent, 300, kTyped) X(SetUserEventStatus, 301, kNone) X(CaptureEventProfilingInfo, 302, kNone)             \
  X(GetDefaultQueue, 303, kTyped) X(BuildNDRange, 304, kTyped) X(ImageSparseSampleImplicitLod, 305, kTyped)           \
  X(ImageSparseSampleExplicitLod, 306, kTyped) X(ImageSparseSampleDrefImplicitLod, 307, kTyped)                       \
  X(ImageSparseSampleDrefExplicitLod, 308, kTyped) X(ImageSparseSampleProjImplicitLod, 309, kTyped)                   \
  X(ImageSparseSampleProjExplicitLod, 310, kTyped) X(ImageSparseSampleProjDrefImplicitLod, 311, kTyped)               \
  X(ImageSparseSampleProjDrefExplicitLod, 312, kTyped) X(ImageSparseFetch, 313, kTyped)                               \
  X(ImageSparseGather, 314, kTyped) X(ImageSparseDrefGather, 315, kTyped)                                             \
  X(ImageSparseTexelsResident, 316, kTyped) X(NoLine, 317, kNone) X(AtomicFlagTestAndSet, 318, kTyped)                \
  X(AtomicFlagClear, 319, kNone) X(ImageSparseRead, 320, kTyped) X(SizeOf, 321, kTyped)                               \
  X(TypePipeStorage, 322, kResult) X(ConstantPipeStorage, 323, kTyped) X(CreatePipeFromPipeStorage, 324, kTyped)      \
  X(GetKernelLocalSizeForSubgroupCount, 325, kTyped) X(GetKernelMaxNumSubgroups, 326, kTyped)                         \
  X(TypeNamedBarrier, 327, kResult) X(NamedBarrierInitialize, 328, kTyped) X(MemoryNamedBarrier, 329, kNone)          \
  X(ModuleProcessed, 330, kNone) X(ExecutionModeId, 331, kNone) X(DecorateId, 332, kNone)                             \
  X(GroupNonUniformElect, 333, kTyped) X(GroupNonUniformAll, 334, kTyped) X(GroupNonUniformAny, 335, kTyped)          \
  X(GroupNonUniformAllEqual, 336, kTyped) X(GroupNonUniformBroadcast, 337, kTyped)                                    \
  X(GroupNonUniformBroadcastFirst, 338, kTyped) X(GroupNonUniformBallot, 339, kTyped)                                 \
  X(GroupNonUniformInverseBallot, 340, kTyped) X(GroupNonUniformBallotBitExtract, 341, kTyped)                        \
  X(GroupNonUniformBallotBitCount, 342, kTyped) X(GroupNonUniformBallotFindLSB, 343, kTyped)                          \
  X(GroupNonUniformBallotFindMSB, 344, kTyped) X(GroupNonUniformShuffle, 345, kTyped)                                 \
  X(GroupNonUniformShuffleXor, 346, kTyped) X(GroupNonUniformShuffleUp, 347, kTyped)                                  \
  X(GroupNonUniformShuffleDown, 348, kTyped) X(GroupNonUniformIAdd, 349, kTyped)                                      \
  X(GroupNonUniformFAdd, 350, kTyped) X(GroupNonUniformIMul, 351, kTyped) X(GroupNonUniformFMul, 352, kTyped)         \
  X(GroupNonUniformSMin, 353, kTyped) X(GroupNonUniformUMin, 354, kTyped) X(GroupNonUniformFMin, 355, kTyped)         \
  X(GroupNonUniformSMax, 356, kTyped) X(GroupNonUniformUMax, 357, kTyped) X(GroupNonUniformFMax, 358, kTyped)         \
  X(GroupNonUniformBitwiseAnd, 359, kTyped) X(GroupNonUniformBitwiseOr, 360, kTyped)                                  \
  X(GroupNonUniformBitwiseXor, 361, kTyped) X(GroupNonUniformLogicalAnd, 362, kTyped)                                 \
  X(GroupNonUniformLogicalOr, 363, kTyped) X(GroupNonUniformLogicalXor, 364, kTyped)                                  \
  X(GroupNonUniformQuadBroadcast, 365, kTyped) X(GroupNonUniformQuadSwap, 366, kTyped) X(CopyLogical, 400, kTyped)    \
  X(PtrEqual, 401, kTyped) X(PtrNotEqual, 402, kTyped) X(PtrDiff, 403, kTyped) X(TerminateInvocation, 4416, kNone)    \
  X(SubgroupBallotKHR, 4421, kTyped) X(SubgroupFirstInvocationKHR, 4422, kTyped) X(SubgroupAllKHR, 4428, kTyped)      \
  X(SubgroupAnyKHR, 4429, kTyped) X(SubgroupAllEqualKHR, 4430, kTyped) X(GroupNonUniformRotateKHR, 4431, kTyped)      \
  X(SubgroupReadInvocationKHR, 4432, kTyped) X(SDot, 4450, kTyped) X(UDot, 4451, kTyped) X(SUDot, 4452, kTyped)       \
  X(SDotAccSat, 4453, kTyped) X(UDotAccSat, 4454, kTyped) X(SUDotAccSat, 4455, kTyped)                                \
  X(TypeCooperativeMatrixKHR, 4456, kResult) X(CooperativeMatrixLoadKHR, 4457, kTyped)                                \
  X(CooperativeMatrixStoreKHR, 4458, kNone) X(CooperativeMatrixMulAddKHR, 4459, kTyped)                               \
  X(ReadClockKHR, 5056, kTyped) X(DemoteToHelperInvocation, 5380, kNone) X(IsHelperInvocationEXT, 5381, kTyped)       \
  X(AtomicFMinEXT, 5614, kTyped) X(AtomicFMaxEXT, 5615, kTyped) X(AssumeTrueKHR, 5630, kNone)                         \
  X(ExpectKHR, 5631, kTyped) X(DecorateString, 5632, kNone) X(MemberDecorateString, 5633, kNone)                      \
  X(AtomicFAddEXT, 6035, kTyped)
// clang-format on

enum class Opcode : uint16_t {
#define X(name, number, form) k##name = number,
  QUERN_SPIRV_OPS(X)
#undef X
};

// "OpLoad", or "opcode 4711" if it is not listed.
std::string name(Opcode opcode);

// kNone if it is not listed.
Form form(Opcode opcode);

}  // namespace quern::spirv
