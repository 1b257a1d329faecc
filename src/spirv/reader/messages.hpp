// Texts of the errors of the SPIR-V reader.
#pragma once

#include "base/message.hpp"

namespace quern::spirv::message {

using base::Message;

// The file
inline constexpr Message<2> kNotWords{"{} has {} bytes, but SPIR-V consists of 4-byte words"};
inline constexpr Message<1> kTooFewWords{"the module has {} words, but its header alone has 5"};
inline constexpr Message<1> kMagicNumber{
    "the module starts with {} instead of SPIR-V's magic number 0x07230203"};
inline constexpr Message<2> kVersion{"the module has SPIR-V version {}.{}",
                                     "versions 1.0 to 1.6 are supported"};
inline constexpr Message<2> kIdBound{"the module's id bound is {}", "it must be from 1 to {}"};
inline constexpr Message<4> kInstructionTooLong{
    "{} at word {} has {} words, but only {} are left in the module"};
inline constexpr Message<2> kResultMissing{"{} at word {} lacks its result"};
inline constexpr Message<4> kResultBeyondBound{
    "{} at word {} has the result %{}, but the module's id bound is {}"};
inline constexpr Message<1> kInconsistent{"the module is not consistent: {}"};
inline constexpr Message<0> kNoEntryPoint{"the module has no compute entry point (GLCompute or Kernel)"};

// The module. From here on, the subject of a text is the instruction: "OpLoad at word 7 uses …".
inline constexpr Message<1> kDefinedTwice{"defines %{}, which is already defined"};
inline constexpr Message<0> kOutsideFunction{"is not supported outside of a function"};
inline constexpr Message<1> kUnknownImport{"imports '{}'", "only GLSL.std.450 and OpenCL.std are supported"};
inline constexpr Message<1> kAddressingModel{"requests addressing model {}",
                                             "Logical, Physical64 and PhysicalStorageBuffer64 are supported"};
inline constexpr Message<0> kInsideFunction{"is inside of a function"};
inline constexpr Message<0> kAfterFirstBlock{"is after the function's first block"};
inline constexpr Message<0> kNoTerminator{"is in a block without a terminator"};
inline constexpr Message<0> kOutsideBlocks{"is in a function, but outside of its blocks"};
inline constexpr Message<0> kNoFunctionEnd{"is the last instruction, but the function has no OpFunctionEnd"};
inline constexpr Message<0> kTooManyValues{"exceeds the simulator's limit: the module has too many values"};

// Entry points
inline constexpr Message<0> kNoName{"has no name"};
inline constexpr Message<1> kDuplicateEntryPoint{"is the second entry point named '{}'"};
inline constexpr Message<0> kLocalSizeNotConstant{"has a local size that is not a constant"};
inline constexpr Message<0> kNoLocalSize{"has no local size"};
inline constexpr Message<1> kLocalSizeDimension{"has a local size of {} in one dimension"};
inline constexpr Message<4> kLocalSizeTooLarge{"has a local size of ({},{},{})", "the limit is {} threads"};
inline constexpr Message<0> kParametersOfEntryPoint{
    "has parameters, which only entry points of the Kernel model may have"};
inline constexpr Message<0> kParameterType{"is a parameter of an unsupported type"};
inline constexpr Message<0> kBufferNotBlock{"is a buffer whose type is not a block"};
inline constexpr Message<0> kBlockSize{"is a block whose size is not supported"};
inline constexpr Message<0> kVariableStorage{"is in an unsupported storage class"};
inline constexpr Message<0> kInputNotBuiltIn{
    "is an input that is not a built-in, which compute entry points do not have"};
inline constexpr Message<0> kBuiltInType{"is a built-in whose type is not an integer"};
inline constexpr Message<1> kBuiltIn{"is built-in {}, which is not supported with its type"};

// Types
inline constexpr Message<1> kUnknownType{"names type %{}, which is not defined"};
inline constexpr Message<1> kTypeNotDefinedBefore{"names type %{}, which is not defined before it"};
inline constexpr Message<0> kTypeNotSupported{"is a type that the simulator does not support",
                                              "it supports buffers only"};
inline constexpr Message<1> kTypeTooDeep{"is nested more than {} deep"};
inline constexpr Message<1> kBits{"has {} bits, which is not supported"};
inline constexpr Message<1> kElementType{"has elements of type %{}, which is not allowed"};
inline constexpr Message<1> kElementCount{"has {} elements", "2 to 16 are allowed"};
inline constexpr Message<1> kElementWithoutSize{"has elements of type %{}, which have no size"};
inline constexpr Message<1> kLength{"has the length %{}, which is not a positive constant"};
inline constexpr Message<1> kMemberWithoutSize{"has a member of type %{}, which has no size"};
inline constexpr Message<0> kMemberAfterRuntimeArray{"has a member after a runtime array"};
inline constexpr Message<0> kForwardPointer{"does not match its forward pointer declaration"};
inline constexpr Message<1> kForwardPointerDefined{
    "declares type %{} as a forward pointer, but it is already defined"};
inline constexpr Message<1> kMatrixStride{"has a MatrixStride of {}"};
inline constexpr Message<2> kMatrixStrideTooSmall{
    "has a MatrixStride of {}, less than the {} bytes of a row or column"};
inline constexpr Message<2> kArrayStride{"has elements of {} bytes every {} bytes"};
inline constexpr Message<0> kTypeTooLarge{"is larger than the simulator's memory"};

// Constants and variables
inline constexpr Message<1> kValueType{"has the type %{}, which values cannot have"};
inline constexpr Message<0> kNotBoolType{"has a type that is not bool"};
inline constexpr Message<0> kConstantNotSupported{"is a constant that the simulator does not support"};
inline constexpr Message<1> kConstantType{"does not match its type %{}"};
inline constexpr Message<0> kNotNumberType{"has a type that is not a number"};
inline constexpr Message<0> kConstantWords{"has a number of words that does not match its type"};
inline constexpr Message<1> kConstantTooLarge{"is a constant with more than {} scalars"};
inline constexpr Message<1> kPartNotConstant{"has the part %{}, which is not a constant"};
inline constexpr Message<1> kPartOfConstant{"has the part %{}, which does not match its type"};
inline constexpr Message<0> kOperationWithoutResult{"names an operation without a result"};
inline constexpr Message<0> kNotConstant{"computes a value that is not constant"};
inline constexpr Message<1> kVariableNotPointer{"has the type %{}, which is not a pointer"};
inline constexpr Message<1> kVariableOfUnknownType{"has type %{}, which is not defined"};
inline constexpr Message<1> kVariableOfModuleStorage{
    "is in storage class {}, which is invalid for a variable of the module"};
inline constexpr Message<2> kTooManyBuffers{"is an array of {} buffers", "up to {} can be bound"};
inline constexpr Message<1> kInitialNotConstant{"has the initial value %{}, which is not a constant"};
inline constexpr Message<0> kVariableTooLarge{"is larger than the simulator's memory for such variables"};
inline constexpr Message<0> kInitialNotPlain{"has an initial value that does not consist of plain numbers"};
inline constexpr Message<1> kInitialType{"has an initial value whose type is not %{}"};
inline constexpr Message<0> kVariableNotFunction{
    "is a variable of a function, but its type is not a pointer to storage class Function"};
inline constexpr Message<0> kVariableWithoutSize{"is a variable without a size"};

// Functions and control flow
inline constexpr Message<0> kNoBody{"has no body", "calling functions of other modules is not supported"};
inline constexpr Message<1> kFunctionResultType{"has the invalid result type %{}"};
inline constexpr Message<1> kNotAFunction{"names %{}, which is not a function"};
inline constexpr Message<1> kRecursion{"calls %{} recursively, which is not allowed"};
inline constexpr Message<1> kCallsTooDeep{"is nested in more than {} calls"};
inline constexpr Message<0> kArguments{"passes arguments that do not match the function's parameters"};
inline constexpr Message<0> kPassesBuffers{"passes a whole array of buffers to a function"};
inline constexpr Message<0> kPassesTooManyScalars{"passes a value with too many scalars to a function"};
inline constexpr Message<0> kReturnsNothing{"returns nothing from a function with a result"};
inline constexpr Message<0> kReturnsValue{"returns a value from a function without a result"};
inline constexpr Message<1> kUnknownBlock{"branches to %{}, which is not a block of this function"};
inline constexpr Message<1> kBranchIntoLoop{"branches into the middle of a loop at %{}",
                                            "loops with several entries have no structured form"};
inline constexpr Message<1> kNoValueForEdge{"has no value for the edge from %{}"};
inline constexpr Message<1> kRegionsTooDeep{"is nested more than {} regions deep"};
inline constexpr Message<0> kEndsFragment{"ends a fragment, which a compute module does not have"};
inline constexpr Message<0> kCaseWithoutTarget{"has a case without a target"};
inline constexpr Message<1> kDuplicateCase{"has the case {} twice"};

// Operands and results
inline constexpr Message<0> kNotSupported{"is not supported"};
inline constexpr Message<0> kNotSupportedBySimulator{"is not supported by the simulator"};
inline constexpr Message<0> kMissingOperand{"lacks an operand"};
inline constexpr Message<1> kUnknownValue{"uses %{}, which is not a value defined before it"};
inline constexpr Message<1> kIntegerConstantRequired{"uses %{} where an integer constant is required"};
inline constexpr Message<1> kOperandOfType{"has an operand of type {}"};
inline constexpr Message<2> kOperandType{"has an operand of type {} where {} is required"};
inline constexpr Message<0> kOperandTooNarrow{"has an operand with too few components"};
inline constexpr Message<0> kOperandsTooNarrow{"has operands with too few components"};
inline constexpr Message<2> kOperandNotInteger{"has %{} as operand {}, which is not an integer"};
inline constexpr Message<0> kOperandNotPointer{"has an operand that is not a pointer"};
inline constexpr Message<0> kArrayAsBuffer{"uses a whole array of buffers as one buffer"};
inline constexpr Message<2> kTooManyScalars{
    "takes a value of type %{} as a whole, which has more than {} scalars"};
inline constexpr Message<1> kResultType{"has a result of type {}"};
inline constexpr Message<1> kResultDoesNotMatch{
    "has a result of type %{}, which does not match its operands"};
inline constexpr Message<0> kResultNotInteger{"has a result that is not an integer"};
inline constexpr Message<0> kComponentCount{
    "has operands whose number of components differs from its result's"};
inline constexpr Message<0> kOperandComponentCount{
    "has an operand whose number of components differs from its result's"};
inline constexpr Message<0> kConditionComponentCount{
    "has a condition whose number of components differs from its result's"};
inline constexpr Message<0> kOperandSizes{"has operands of different sizes"};

// Arithmetic
inline constexpr Message<0> kShiftNotInteger{"shifts by a value that is not an integer"};
inline constexpr Message<0> kBitsNotInteger{"counts or reverses the bits of a value that is not an integer"};
inline constexpr Message<0> kResultNotPair{"has a result that is not a pair of its operands' type"};
inline constexpr Message<0> kConversion{"does not support a conversion between these types"};
inline constexpr Message<0> kNotFloatVector{"has an operand that is not a float vector"};
inline constexpr Message<0> kNotThreeComponents{"multiplies vectors that do not have three components"};
inline constexpr Message<0> kNotSquareMatrix{"has an operand that is not a square matrix"};
inline constexpr Message<0> kNotFractionAndExponent{
    "has a result that is not a pair of fraction and exponent"};
inline constexpr Message<0> kExponentNotInteger{"has an exponent that is not an integer"};
inline constexpr Message<0> kNotTwoHalves{"does not pack exactly two halves"};
inline constexpr Message<0> kSearchNotInteger{"searches bits of a value that is not an integer"};
inline constexpr Message<0> kNotMatrixOrVector{"has an operand that is neither a matrix nor a float vector"};
inline constexpr Message<0> kMatrixSizes{"has operands whose sizes do not match"};
inline constexpr Message<0> kDotNotIntegers{"multiplies values that are not integers"};
inline constexpr Message<0> kDotNotPacked{"multiplies a number that is not marked as a packed vector"};
inline constexpr Message<0> kSaturatesWide{"saturates to more than 32 bits"};
inline constexpr Message<0> kCombinesNonNumbers{"combines the bits of values that are not numbers"};
inline constexpr Message<1> kNotInstructionSet{"names %{}, which is not an imported instruction set"};
inline constexpr Message<1> kExtendedInstruction{"is extended instruction {}, which is not supported"};
inline constexpr Message<0> kStoresResult{"stores a result to an object of the wrong type"};

// Composites
inline constexpr Message<2> kUnknownPart{"names part {} of type %{}, which has no such part"};
inline constexpr Message<0> kPartOfPartialValue{"takes a part of a value that is not available as a whole"};
inline constexpr Message<0> kInsertedType{"inserts a value of the wrong type"};
inline constexpr Message<1> kPartType{"has %{} as a part, which has the wrong type"};
inline constexpr Message<0> kSelectedCount{"selects a number of components that differs from its result's"};
inline constexpr Message<0> kNoComponents{"takes a component of a value without components"};
inline constexpr Message<0> kCopiedType{"copies to a type that does not match"};

// Memory
inline constexpr Message<1> kAlignment{"is aligned to {}, which is not a power of two"};
inline constexpr Message<1> kIndexNotInteger{"is indexed by %{}, which is not an integer"};
inline constexpr Message<2> kStructIndex{"indexes a struct with %{}, which is not a constant below {}"};
inline constexpr Message<1> kIndexedType{"indexes type %{}, which has no parts"};
inline constexpr Message<0> kNoElementOfBuffers{"does not select an element of an array of buffers"};
inline constexpr Message<2> kAccessedType{"has a result of type %{}, but refers to an object of type %{}"};
inline constexpr Message<0> kLengthOfNonArray{"queries the length of an object that is not a runtime array"};
inline constexpr Message<0> kLengthOfUnknownBuffer{
    "queries the length of an array whose buffer is not known"};
inline constexpr Message<0> kCopiesDifferent{"copies between objects of different types"};
inline constexpr Message<0> kCopiesLargeDifferent{"copies between large objects of different types"};
inline constexpr Message<1> kLoadsWithoutSize{"loads a whole object of type %{}, which has no fixed size"};
inline constexpr Message<1> kStoredType{"stores a value to an object of type %{}, which does not match"};
inline constexpr Message<0> kNotPointerToNumber{"uses a pointer that does not point to a number"};
inline constexpr Message<0> kLoadsNothing{"loads nothing"};
inline constexpr Message<1> kDereferencesUnknown{"dereferences a pointer to type %{}, which is not defined"};

// Atomics and groups
inline constexpr Message<0> kScope{"has an unsupported scope"};
inline constexpr Message<1> kAtomicType{"works on an object of type %{}, which is not a number"};
inline constexpr Message<0> kAtomicBits{"combines the bits of a value that is not an integer"};
inline constexpr Message<0> kFlagNotInteger{"works on a flag that is not an integer"};
inline constexpr Message<0> kScopeLargerThanWorkgroup{"synchronizes more threads than those of a workgroup"};
inline constexpr Message<0> kScopeLargerThanSubgroup{"has a scope larger than a subgroup"};
inline constexpr Message<0> kNotBallot{"has a result that is not a ballot"};
inline constexpr Message<0> kGroupOperation{"combines a subgroup with an unsupported operation"};
inline constexpr Message<0> kClusterSize{"has clusters whose size is not a power of two"};
inline constexpr Message<1> kGroupType{"combines values of type {}"};
inline constexpr Message<0> kSwapDirection{"swaps in an unknown direction"};
inline constexpr Message<0> kRotatedClusters{"rotates clusters of an invalid size"};

}  // namespace quern::spirv::message
