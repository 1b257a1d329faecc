// Diagnostics of semantic analysis: names, functions, classes, templates. Those of expressions and
// conversions are in messages_expression.hpp.
#pragma once

#include "base/message.hpp"

namespace quern::lang::message {

using base::Message;

// Hints that depend on the program (with_hint)
inline constexpr Message<1> kDidYouMean{"did you mean '{}'?"};
inline constexpr Message<1> kHeaderNotFound{
    "\"{}\" was not found and may contain the declaration: add its directory with -I"};
inline constexpr Message<2> kHeaderElsewhere{
    "add '-I {}': \"{}\" was not found and may contain the declaration"};
inline constexpr Message<2> kHeaderSkipped{"\"{}\" may contain the declaration, but it was skipped: {}"};

// Names
inline constexpr Message<1> kTypeAsValue{"expected a value, got the type '{}'"};
inline constexpr Message<1> kDeclaredNotDefined{"'{}' is declared but not defined"};
inline constexpr Message<1> kStillBeingDefined{"'{}' is not complete here: it is still being defined"};
inline constexpr Message<1> kTypeWithoutSize{"'{}' has no size"};
inline constexpr Message<2> kInInstantiation{"in instantiation of '{}' with {}"};
inline constexpr Message<2> kInInstantiationFrom{"in instantiation of '{}' with {}, called from here"};
inline constexpr Message<1> kInstantiatedTooDeeply{"'{}' is instantiated too deeply"};
inline constexpr Message<0> kFunctionTooDeep{"this function is instantiated too deeply"};

// Kernels
inline constexpr Message<1> kNotKernelName{"'{}' is not the name of a kernel"};
inline constexpr Message<2> kKernelIsTemplate{"'{}' is a template", "name an instance, such as '{}<float>'"};
inline constexpr Message<1> kNotKernel{"'{}' is not a kernel (__global__)"};
inline constexpr Message<0> kLaunchInKernel{"a kernel cannot be called like a function",
                                            "launch it: kernel<<<grid, block>>>(…)"};
inline constexpr Message<1> kLaunchOfFunction{"'{}' cannot be launched: it is not a kernel (__global__)",
                                              "call it"};
inline constexpr Message<1> kLaunchValues{
    "a launch takes 2 to 4 values between '<<<' and '>>>', got {}",
    "write the grid, the block, and optionally the bytes of shared memory and the stream"};

// Calls
inline constexpr Message<1> kNoSuchFunction{"no function named '{}' is in scope"};
inline constexpr Message<1> kNoMatchingFunction{"no matching function for call to '{}'"};
inline constexpr Message<1> kNoMatchingConstructor{"no matching constructor of '{}'"};
inline constexpr Message<3> kNoMatchingFunctionFor{
    "no matching function for call to '{}({})': the nearest is '{}'"};
inline constexpr Message<3> kNoMatchingConstructorFor{
    "no matching constructor of '{}({})': the nearest is '{}'"};
inline constexpr Message<1> kReason{"{}"};
inline constexpr Message<2> kArgumentCount{"it takes {}, got {}"};
inline constexpr Message<3> kOverloadCounts{"its {} overloads take {} arguments, got {}"};
inline constexpr Message<3> kArgumentList{"'{}' expects '{}' for parameter {}, got a list"};
inline constexpr Message<3> kArgumentNotTemporary{"'{}' expects '{}' for parameter {}, got a variable",
                                                  "write std::move"};
inline constexpr Message<3> kArgumentTemporary{"'{}' expects '{}' for parameter {}, got a temporary",
                                               "pass a variable"};
inline constexpr Message<4> kArgumentType{"'{}' expects '{}' for parameter {}, got '{}'"};
inline constexpr Message<2> kObjectConst{"'{}' is not const, so it cannot be called on {}, which is",
                                         "mark it const"};
inline constexpr Message<5> kDefinedTwice{"'{}' is defined twice, in {}:{} and {}:{}", "keep one"};
inline constexpr Message<3> kCallAmbiguous{"call to '{}' is ambiguous: '{}' and '{}' match equally well",
                                           "cast an argument"};
inline constexpr Message<1> kDeletedFunction{"'{}' is deleted"};
inline constexpr Message<1> kHostFunction{"'{}' is a host function",
                                          "mark it __device__ to call it from a kernel"};
inline constexpr Message<1> kHostConstructor{"the constructor of '{}' is a host function",
                                             "mark it __device__ to call it from a kernel"};
inline constexpr Message<1> kHostDestructor{"the destructor of '{}' is a host function",
                                            "mark it __device__ to call it from a kernel"};
inline constexpr Message<1> kHostVariableUsed{
    "'{}' is a host variable", "mark it __device__ or __constant__, or pass it as an argument"};
inline constexpr Message<2> kCannotCall{"'{}' cannot be called: {}"};
inline constexpr Message<2> kCannotUse{"'{}' cannot be used: {}"};
inline constexpr Message<1> kMemberWithoutObject{"'{}' is a member function", "call it on an object"};
inline constexpr Message<2> kNotFunction{"{} is not a function: its type is '{}'"};
inline constexpr Message<1> kResultNotKnown{"the result type of '{}' is not known here",
                                            "write it instead of auto"};
inline constexpr Message<3> kPointerArguments{"the function that {} points to takes {}, got {}"};
inline constexpr Message<1> kMemberPointer{"pointers to members are not supported",
                                           "pass a functor or a lambda instead of '{}'"};

// Intrinsics
inline constexpr Message<2> kIntrinsicNotFloat{"'{}' expects a floating-point number, got '{}'"};
inline constexpr Message<2> kIntrinsicNotNumber{"'{}' expects a number, got '{}'"};
inline constexpr Message<2> kIntrinsicUnsupportedType{"'{}' does not support '{}'"};
inline constexpr Message<1> kIntrinsicUnsupported{"'{}' does not support this"};
inline constexpr Message<3> kIntrinsicConstant{"'{}' expects a constant from 0 to {}, got {}"};
inline constexpr Message<2> kIntrinsicNotPointer{"'{}' expects a pointer, got '{}'"};
inline constexpr Message<3> kIntrinsicArguments{"'{}' takes {} arguments, got {}"};
inline constexpr Message<1> kIntrinsicTypeMissing{"'{}' expects the type in <…>"};
inline constexpr Message<1> kIntrinsicArgumentCount{"'{}' is called with a wrong number of arguments"};
inline constexpr Message<3> kIntrinsicSizes{"'{}' expects types of the same size, got '{}' and '{}'"};
inline constexpr Message<2> kTypeQueryTypes{"'__quern_{}' expects {} types in <…>"};
inline constexpr Message<0> kPrintfFormat{"the format of printf must be a string literal"};
inline constexpr Message<1> kPrintfArgument{"printf cannot print '{}'", "print its members"};
inline constexpr Message<1> kAssertArguments{"assert takes one condition, got {}"};

// Classes and members
inline constexpr Message<1> kPackedClass{
    "'{}' has packed bit-fields or a single packed member, which kernels do not support",
    "pack the whole class, or read the bits from bytes"};
inline constexpr Message<1> kMemberType{"a member cannot be '{}'"};
inline constexpr Message<2> kNoSuchMember{"'{}' has no member '{}'"};
inline constexpr Message<1> kTypeWithoutMembers{"'{}' has no members"};
inline constexpr Message<2> kValueWithoutMembers{"{} ({}) has no members"};
inline constexpr Message<1> kFieldWithoutObject{"'{}' is a non-static member", "use it with an object"};
inline constexpr Message<2> kNotPointer{"{} is not a pointer", "write .{}"};
inline constexpr Message<2> kIsPointer{"{} is a pointer", "write ->{}"};
inline constexpr Message<0> kDefaultComparison{
    "a comparison that is '= default' takes two objects of one class"};
inline constexpr Message<1> kDefaultComparisonArray{
    "an array of {} elements is too large for a comparison that is '= default'", "write a loop"};

// Templates
inline constexpr Message<2> kTemplateArgumentsMissing{"'{}' needs template arguments", "write '{}<…>'"};
inline constexpr Message<3> kTemplateArgumentsNotDeduced{
    "cannot deduce the template arguments of '{}' from ({})", "write '{}<…>'"};
inline constexpr Message<3> kTemplateArgumentCount{"'{}' takes {}, got {}"};
inline constexpr Message<2> kTemplateExpectsType{"template parameter {} of '{}' expects a type"};
inline constexpr Message<2> kTemplateExpectsTemplate{"template parameter {} of '{}' expects a template"};
inline constexpr Message<2> kTemplateExpectsValue{"template parameter {} of '{}' expects a value"};
inline constexpr Message<4> kTemplateValueType{"template parameter {} of '{}' expects '{}', got '{}'"};
inline constexpr Message<2> kTemplateArgumentMissing{"template parameter {} of '{}' has no argument"};
inline constexpr Message<1> kTemplateValueNotConstant{
    "expected a constant: '{}' is not known at compile time"};
inline constexpr Message<2> kConstraintFailed{"'{}' cannot take these arguments: {}"};
inline constexpr Message<2> kConceptFailed{"'{}<{}>' is not satisfied"};
inline constexpr Message<1> kRequirementFailed{"'{}' is not satisfied"};
inline constexpr Message<2> kRequirementFailedWith{"'{}' is not satisfied with {}"};

// Reasons why a function template does not match a call
inline constexpr Message<0> kTooManyTemplateArguments{"it takes fewer template arguments"};
inline constexpr Message<2> kParameterMismatch{"its parameter {} does not match '{}'"};
inline constexpr Message<1> kPackMismatch{"its pack does not match '{}'"};
inline constexpr Message<1> kParameterNotDeduced{"cannot deduce template parameter '{}' from the arguments"};

}  // namespace quern::lang::message
