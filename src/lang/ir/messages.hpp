// Texts of the verifier and of the parser of textual IR. Both add the final period.
#pragma once

#include "base/message.hpp"

namespace quern::ir::message {

using base::Message;

// The verifier: functions and blocks. Texts without a subject follow "Kernel NAME" or "Function NAME", then
// the instruction if it is one that is invalid.
inline constexpr Message<1> kFileNotInModule{"is in file {}, which is not in the module"};
inline constexpr Message<0> kResultTypeOfOtherModule{"has a result type of another module"};
inline constexpr Message<0> kResultWithoutSize{"has a result without a size"};
inline constexpr Message<0> kKernelReturnsValue{"returns a value, but kernels return void"};
inline constexpr Message<0> kParameterIndex{"has a parameter with a wrong index"};
inline constexpr Message<0> kParameterTypeOfOtherModule{"has a parameter with a type of another module"};
inline constexpr Message<1> kParameterWithoutSize{"has the parameter {} without a size"};
inline constexpr Message<1> kPointeeOfNonPointer{
    "has the parameter {} with a pointee, but it is not a pointer"};
inline constexpr Message<0> kPointeeOfOtherModule{"has a pointee of another module"};
inline constexpr Message<0> kNoBody{"has no body"};
inline constexpr Message<0> kBodyOfOtherFunction{"has a body that belongs to another function"};
inline constexpr Message<0> kBlockOfOtherInstruction{"has a block that belongs to another instruction"};
inline constexpr Message<0> kBlockOfOtherFunction{"has a block that belongs to another function"};
inline constexpr Message<0> kBlockEnd{"has a block whose end is wrong"};
inline constexpr Message<0> kWronglyLinked{"is wrongly linked into its block"};
inline constexpr Message<0> kTypeOfOtherModule{"names a type of another module"};
inline constexpr Message<2> kBlockCount{"has {} blocks, not {}"};
inline constexpr Message<0> kTerminatorNotLast{"ends its block but is not the last in it"};
inline constexpr Message<0> kInTwoPlaces{"is in two places"};
inline constexpr Message<0> kMissingBlock{"has a missing block"};

// The verifier: operands and control flow
inline constexpr Message<2> kOperandCount{"has {} operands, not {}"};
inline constexpr Message<1> kMissingOperand{"lacks operand {}"};
inline constexpr Message<1> kValueNotVisible{"uses a value that is not visible there as {}"};
inline constexpr Message<1> kParameterOfOtherFunction{"uses a parameter of another function as {}"};
inline constexpr Message<1> kVariableNotInModule{"uses a variable that is not in the module as {}"};
inline constexpr Message<1> kMalformedConstant{"has a malformed constant as {}"};
inline constexpr Message<1> kOperandTypeOfOtherModule{"has {} with a type of another module"};
inline constexpr Message<1> kVoidOperand{"uses a void value as {}"};
inline constexpr Message<0> kYieldOutsideLoop{"is not in the head or the step of a loop"};
inline constexpr Message<0> kNoTarget{"has no target"};
inline constexpr Message<0> kTargetDoesNotEnclose{"has a target that does not enclose it"};
inline constexpr Message<0> kTargetIsIf{"has an if as its target"};
inline constexpr Message<0> kTargetIsNotLoop{"has a target that is not a loop"};
inline constexpr Message<0> kInStepOfTarget{"is in the step of its target"};
inline constexpr Message<2> kReturnType{"returns {} from a function of {}"};
inline constexpr Message<0> kCalleeNotInModule{"calls a function that is not in the module"};
inline constexpr Message<1> kKernelCalled{"calls the kernel {}"};
inline constexpr Message<3> kCallResultType{"has the result type {}, but {} returns {}"};
inline constexpr Message<3> kArgumentCount{"passes {} arguments to {}, which takes {}"};
inline constexpr Message<4> kArgumentType{"passes {} as argument {} to {}, which takes {}"};

// The verifier: types and variables of the module
inline constexpr Message<1> kStructContainsItself{"{} contains itself"};
inline constexpr Message<1> kStructAlignment{"{} has an alignment that is not a power of two"};
inline constexpr Message<1> kStructSize{"{} has a size that is not a multiple of its alignment"};
inline constexpr Message<1> kFieldTypeOfOtherModule{"{} has a field with a type of another module"};
inline constexpr Message<2> kFieldWithoutSize{"{} has the field {} without a size"};
inline constexpr Message<2> kFieldBeyondEnd{"{} has the field {} beyond its end"};
inline constexpr Message<0> kMissingVariable{"The module has a missing variable"};
inline constexpr Message<0> kVariableWithoutName{"There is a variable without a name"};
inline constexpr Message<1> kTwoVariables{"There are two variables named {}"};
inline constexpr Message<1> kPointsOutsideModule{
    "The variable {} points to a variable that is not in the module"};
inline constexpr Message<0> kMissingFunction{"The module has a missing function"};
inline constexpr Message<0> kFunctionWithoutName{"There is a function without a name"};
inline constexpr Message<1> kTwoFunctions{"There are two functions named {}"};
inline constexpr Message<2> kVariableSpace{"{} is in the address space {}, which holds no variables"};
inline constexpr Message<1> kVariableAddressType{"{} has an address of the wrong type"};
inline constexpr Message<1> kVariableTypeOfOtherModule{"{} has a type of another module"};
inline constexpr Message<1> kVariableWithoutSize{"{} has no size"};
inline constexpr Message<1> kVariableAlignment{
    "{} has an alignment that is not a power of two or is less than its type's"};
inline constexpr Message<1> kSharedInitialData{"{} is shared and has initial data"};
inline constexpr Message<3> kInitialDataSize{"{} has {} bytes of initial data for a size of {}"};
inline constexpr Message<1> kPointerToObjectWithoutAddress{
    "{} has a pointer to an object that has no address at load time"};
inline constexpr Message<1> kPointerOutsideInitialData{"{} has a pointer outside of its initial data"};
inline constexpr Message<1> kVariableFileNotInModule{"{} is in a file that is not in the module"};

// The verifier: types of an instruction
inline constexpr Message<3> kOperandType{"has operand {} of type {}, which must be {}"};
inline constexpr Message<2> kResultType{"has the result type {}, which must be {}"};
inline constexpr Message<0> kNoResultType{"has no result type"};
inline constexpr Message<0> kRoundsBetweenIntegers{"rounds between two integers"};
inline constexpr Message<2> kBitcastSize{"changes the size from {} to {}"};
inline constexpr Message<0> kLocalWithoutSize{"has a variable without a size"};
inline constexpr Message<0> kLocalAlignment{
    "has an alignment that is not a power of two or is less than its type's"};
inline constexpr Message<0> kScaleOfZero{"divides by a scale of 0"};
inline constexpr Message<0> kNotParameter{"takes the address of a value that is not a parameter"};
inline constexpr Message<3> kMemberIndex{"names member {} of {}, which has {}"};
inline constexpr Message<4> kMemberType{"takes member {} of {} as {}, which must be {}"};
inline constexpr Message<3> kMemberCount{"has {} members for {}, which has {}"};
inline constexpr Message<1> kAccessWithoutSize{"accesses {}, which has no size"};
inline constexpr Message<0> kAccessAlignment{"has an alignment that is not a power of two"};
inline constexpr Message<0> kStructTypeMissing{"needs a struct type"};
inline constexpr Message<3> kFieldIndex{"names field {} of {}, which has {}"};
inline constexpr Message<2> kSpaceCast{"casts {} to {}, but one of them must be generic"};
inline constexpr Message<0> kDimension{"has a dimension that is not x, y or z"};
inline constexpr Message<0> kAsyncCopySize{"copies neither 4, 8 nor 16 bytes"};
inline constexpr Message<0> kReduceOperation{
    "reduces with an operation other than add, min, max, and, or, xor"};
inline constexpr Message<1> kUnknownMatrix{"names an unknown kind of matrix: {}"};
inline constexpr Message<0> kFragmentMissing{"has no fragment as its result"};
inline constexpr Message<3> kFragmentType{"has a fragment of type {}, which must be [{} x {}]"};
inline constexpr Message<2> kCaseCount{"has {} cases and {} blocks"};
inline constexpr Message<0> kTwoDefaultCases{"has two default cases"};
inline constexpr Message<1> kCaseOutOfRange{"has the case {}, which its type cannot hold"};
inline constexpr Message<1> kDuplicateCase{"has the case {} twice"};

// The verifier: lifetimes
inline constexpr Message<3> kReadsDeadAddress{
    "In {}: The instruction at {}:{} reads the address of a variable whose block has ended"};

// The parser: tokens and literals
inline constexpr Message<2> kExpected{"Expected {}, got {}"};
inline constexpr Message<1> kUnexpectedEnd{"Expected {}, got the end of the text"};
inline constexpr Message<0> kUnterminatedString{"This string has no end"};
inline constexpr Message<0> kMalformedNumber{"This number is malformed or out of range"};
inline constexpr Message<0> kNumberOutOfRange{"This number is out of range"};
inline constexpr Message<0> kUnknownEscape{
    "This string has an escape other than \\n, \\t, \\\", \\\\ and \\xHH"};
inline constexpr Message<0> kOddHexDigits{"Hex data needs two digits for each byte"};
inline constexpr Message<0> kHexDigit{"Hex data has a character that is not a digit"};
inline constexpr Message<0> kConstantWithoutType{"This constant needs a type, as in 5:i32"};
inline constexpr Message<2> kNotValueOfType{"{} is not a value of {}"};
inline constexpr Message<0> kIncompletePosition{"A position needs a line and a column"};
inline constexpr Message<0> kPositionTooLarge{"This position has a file or column beyond 65535"};

// The parser: declarations
inline constexpr Message<0> kFileNumber{"Files must be numbered from 0 in order"};
inline constexpr Message<0> kTooManyFiles{"There are too many files"};
inline constexpr Message<0> kUnknownStruct{"There is no struct of this name above"};
inline constexpr Message<0> kDuplicateStruct{"There is a struct of this name already"};
inline constexpr Message<0> kArraysTooDeep{"Arrays are nested too deeply"};
inline constexpr Message<0> kElementWithoutSize{"An array needs elements with a size"};
inline constexpr Message<0> kArrayTooLarge{"This array is too large"};
inline constexpr Message<0> kUnknownVariable{"There is no variable of this name"};
inline constexpr Message<0> kUnknownVariableAbove{"There is no variable of this name above"};
inline constexpr Message<0> kDuplicateVariable{"There is a variable of this name already"};
inline constexpr Message<0> kUnknownFunction{"There is no function of this name"};
inline constexpr Message<0> kDuplicateFunction{"There is a function of this name already"};

// The parser: instructions
inline constexpr Message<0> kUnknownValue{"There is no value of this name above"};
inline constexpr Message<0> kDuplicateValue{"There is a value of this name already"};
inline constexpr Message<0> kBlocksTooDeep{"Blocks are nested too deeply"};
inline constexpr Message<0> kNoResultToName{"This instruction has no result to name"};
inline constexpr Message<0> kUnnamedResult{"The result of this instruction needs a name"};
inline constexpr Message<2> kUnexpectedWord{"{} does not accept {} here"};
inline constexpr Message<0> kUnknownLabel{"There is no loop, switch or scope of this label above"};
inline constexpr Message<0> kDuplicateLabel{"There is a label of this name already"};

}  // namespace quern::ir::message
