// Diagnostics of the parser.
#pragma once

#include "base/message.hpp"

namespace quern::lang::message {

using base::Message;

// Missing tokens: the token, one of the places below, and the token that was found.
inline constexpr Message<2> kTokenMissing{"'{}' is missing {}"};
inline constexpr Message<3> kTokenMissingBefore{"'{}' is missing {}, before {}"};
inline constexpr Message<0> kAfterAsm{"after 'asm'"};
inline constexpr Message<0> kAfterConstraint{"after the constraint"};
inline constexpr Message<0> kAfterOperand{"after the operand"};
inline constexpr Message<0> kAfterInlinePtx{"after the inline PTX"};
inline constexpr Message<0> kAfterBindingNames{"after the names"};
inline constexpr Message<0> kAfterRange{"after the range"};
inline constexpr Message<0> kInRangeLoop{"in the range loop"};
inline constexpr Message<0> kBeforeParameters{"before the parameters"};
inline constexpr Message<0> kAfterParameters{"after the parameters"};
inline constexpr Message<0> kAfterFunctionName{"after the function's name"};
inline constexpr Message<0> kAfterMemberName{"after the member's name"};
inline constexpr Message<0> kInConditional{"in the conditional expression"};
inline constexpr Message<0> kAfterIndex{"after the index"};
inline constexpr Message<0> kAtEndOfList{"at the end of the list"};
inline constexpr Message<0> kAfterCaptures{"after the captures"};
inline constexpr Message<0> kAfterCastType{"after the cast's type"};
inline constexpr Message<0> kAfterCastValue{"after the value to cast"};
inline constexpr Message<0> kAfterSizeofPack{"after sizeof..."};
inline constexpr Message<0> kAfterPackName{"after the pack's name"};
inline constexpr Message<0> kAtStartOfBlock{"at the start of the block"};
inline constexpr Message<0> kAfterBreak{"after 'break'"};
inline constexpr Message<0> kAfterContinue{"after 'continue'"};
inline constexpr Message<0> kAfterGoto{"after 'goto'"};
inline constexpr Message<0> kAfterDeclaration{"after the declaration"};
inline constexpr Message<0> kAfterStaticAssert{"after static_assert"};
inline constexpr Message<0> kAfterTypedef{"after the typedef"};
inline constexpr Message<0> kAfterIf{"after 'if'"};
inline constexpr Message<0> kAfterCondition{"after the condition"};
inline constexpr Message<0> kAfterWhile{"after 'while'"};
inline constexpr Message<0> kAfterLoop{"after the loop"};
inline constexpr Message<0> kAfterFor{"after 'for'"};
inline constexpr Message<0> kAfterLoopCondition{"after the loop's condition"};
inline constexpr Message<0> kAfterLoopHead{"after the loop's head"};
inline constexpr Message<0> kAfterSwitch{"after 'switch'"};
inline constexpr Message<0> kAfterSwitchValue{"after the switch's value"};
inline constexpr Message<0> kAfterCase{"after the case"};
inline constexpr Message<0> kAfterExtent{"after the array's extent"};
inline constexpr Message<0> kEndOfText{"the end"};

inline constexpr Message<0> kParenMissing{"')' is missing"};
inline constexpr Message<0> kParameterParenMissing{"')' is missing after the parameters"};
inline constexpr Message<1> kArgumentParenMissing{"'{}' is missing after the arguments"};
inline constexpr Message<0> kParenNotClosed{"this '(' is never closed"};
inline constexpr Message<0> kSemicolonMissing{"';' is missing"};
inline constexpr Message<1> kSemicolonMissingBefore{"';' is missing before '{}'"};
inline constexpr Message<0> kSemicolonAfterDeclaration{"';' is missing after the declaration"};
inline constexpr Message<0> kSemicolonAfterReturn{"';' is missing after 'return'"};
inline constexpr Message<0> kBraceMissing{"'}' is missing at the end of the block"};
inline constexpr Message<0> kEnumCommaMissing{"',' is missing between enumerators"};
inline constexpr Message<0> kTemplateCloseMissing{"'>' is missing at the end of the template arguments"};
inline constexpr Message<0> kCastOpenMissing{"'<' is missing after the cast"};
inline constexpr Message<0> kDecltypeOpenMissing{"'(' is missing after decltype"};
inline constexpr Message<0> kRequiresBraceMissing{"'{' is missing after 'requires'"};

// Names
inline constexpr Message<0> kNameMissing{"a name is missing here"};
inline constexpr Message<1> kNameMissingAfter{"a name is missing after '{}'"};
inline constexpr Message<0> kMemberNameMissing{"a member's name is missing"};
inline constexpr Message<0> kEnumeratorNameMissing{"an enumerator's name is missing"};
inline constexpr Message<0> kVariableNameMissing{"a variable's name is missing"};
inline constexpr Message<1> kNotDeclared{"'{}' is not declared in this scope"};
inline constexpr Message<1> kNotType{"'{}' does not name a type"};
inline constexpr Message<1> kNotScope{"'{}' is not a class, enum or namespace"};
inline constexpr Message<1> kNoSuchStruct{"no struct named '{}' is in scope"};
inline constexpr Message<0> kNoSuchEnum{"no enum of this name is in scope"};
inline constexpr Message<2> kNoSuchMemberType{"'{}' has no type '{}'"};
inline constexpr Message<1> kNamespaceAsValue{"expected a value, got the namespace '{}'"};
inline constexpr Message<1> kNotValue{"'{}' is not a value"};
inline constexpr Message<1> kSeveralFunctions{"'{}' names several functions", "cast it to the intended type"};
inline constexpr Message<2> kTemplateAsValue{"'{}' is a template", "name an instance: '{}<…>'"};
inline constexpr Message<1> kUsedInOwnInitializer{"'{}' is used in its own initialiser"};

// Expressions
inline constexpr Message<0> kExpressionMissing{"expected an expression"};
inline constexpr Message<1> kNotExpression{"expected an expression, not '{}'"};
inline constexpr Message<0> kTooManyOperators{"this expression has more than 10,000 operators in a row",
                                              "use a variable"};
inline constexpr Message<0> kExpressionTooDeep{"this expression is nested too deeply"};
inline constexpr Message<0> kBracesTooDeep{"these braces are nested too deeply"};
inline constexpr Message<0> kGnuConditional{"'a ?: b' is a GNU extension", "write 'a ? a : b'"};
inline constexpr Message<0> kUnexpectedAndAnd{"unexpected '&&'"};
inline constexpr Message<0> kThisOutsideMember{"'this' can be used only in a non-static member function"};
inline constexpr Message<0> kNumberTooLarge{"this number does not fit into 64 bits"};
inline constexpr Message<1> kNoLiteralOperator{"no literal operator '{}' is in scope"};
inline constexpr Message<0> kWideString{"wide string literals are not supported in kernels",
                                        "remove the prefix"};

// Features that kernels lack
inline constexpr Message<0> kExceptions{"exceptions are not supported in kernels"};
inline constexpr Message<0> kTypeid{"typeid is not supported in kernels"};
inline constexpr Message<0> kDynamicCast{"dynamic_cast is not supported in kernels"};
inline constexpr Message<0> kMemberPointers{"pointers to members are not supported in kernels"};
inline constexpr Message<0> kInNew{"in a new-expression"};
inline constexpr Message<1> kOwnNew{"'{}' has its own operator new, which kernels do not support"};
inline constexpr Message<0> kPlacementForm{"'new (…)' takes one address"};
inline constexpr Message<0> kNewArrayForm{"an array made by 'new' can only be value-initialized",
                                          "assign its elements in a loop"};
inline constexpr Message<1> kDeleteNeedsPointer{"'delete' needs a pointer to an object, got '{}'"};
inline constexpr Message<0> kThreadLocal{"thread_local is not supported in kernels", "use a local variable"};
inline constexpr Message<1> kVectorAttribute{"'{}' is not supported in kernels",
                                             "use types such as float4 or long"};
inline constexpr Message<0> kNoUniqueAddress{"[[no_unique_address]] is not supported in kernels",
                                             "make it a base class"};
inline constexpr Message<0> kVirtualBase{"virtual base classes are not supported in kernels"};
inline constexpr Message<0> kTypedefAlignment{"a typedef cannot have an alignment in kernels",
                                              "give it to the members of that type"};

// Inline PTX
inline constexpr Message<0> kConstraintMissing{"a constraint such as \"r\" is missing here"};
inline constexpr Message<1> kPtxConstraint{"inline PTX with the constraint \"{}\" is not supported",
                                           "write the operation in CUDA C++"};
inline constexpr Message<1> kPtxUnsupported{"inline PTX '{}' is not supported",
                                            "write the operation in CUDA C++"};
inline constexpr Message<1> kPtxCarry{"inline PTX '{}' with the carry of another statement is not supported",
                                      "write the operation in CUDA C++"};
inline constexpr Message<2> kPtxOperand{"inline PTX '{}' in '{}' is not supported",
                                        "write the operation in CUDA C++"};
inline constexpr Message<0> kPtxOutputNotVariable{"the output operand of inline PTX must be a variable"};
inline constexpr Message<0> kPtxNotString{"inline PTX must be one string literal"};
inline constexpr Message<0> kPtxAsValue{"inline PTX is a statement, not a value"};

// Types
inline constexpr Message<0> kTypeMissing{"a type is missing here"};
inline constexpr Message<0> kDeclaratorNameMissing{"expected a name or ')'"};
inline constexpr Message<1> kTypeDeclaresName{"expected a type, which cannot declare '{}'"};
inline constexpr Message<1> kConceptNeedsAuto{"'{}' is a concept", "write 'auto' after it"};
inline constexpr Message<1> kArrayEmpty{"an array needs at least one element, got {}"};
inline constexpr Message<1> kArrayTooLarge{"an array of {} elements is too large"};
inline constexpr Message<0> kArrayBytesTooLarge{"this array is too large"};
inline constexpr Message<1> kExtentMissing{"the extent of '{}' is missing"};

// Functions
inline constexpr Message<1> kParameterDeduced{"'{}' cannot be the type of this parameter",
                                              "write the type out"};
inline constexpr Message<0> kParameterVoid{"a parameter cannot be void"};
inline constexpr Message<1> kParameterTwice{"there are two parameters named '{}'"};
inline constexpr Message<0> kReturnsArray{"a function cannot return an array"};
inline constexpr Message<2> kKernelReturnsValue{"a kernel must return void, but '{}' returns '{}'"};
inline constexpr Message<2> kReturnValueMissing{"'{}' returns '{}', but this return has no value"};
inline constexpr Message<1> kReturnValueInVoid{"'{}' returns void and cannot return a value"};
inline constexpr Message<0> kResultFromList{"cannot deduce the result type from a list", "write it out"};
inline constexpr Message<1> kResultNotDeduced{"cannot deduce the result type from '{}'"};

// Classes and enums
inline constexpr Message<2> kNotMemberOrBase{"'{}' is not a member or base of '{}'"};
inline constexpr Message<0> kBaseNotClass{"a base class must be a class"};
inline constexpr Message<1> kMemberDeduced{"a member cannot have the type '{}'", "write the type out"};
inline constexpr Message<2> kMemberTwice{"'{}' has two members named '{}'"};
inline constexpr Message<1> kBitFieldType{"a bit-field must be an integer or an enum, not '{}'"};
inline constexpr Message<3> kBitFieldWidth{"a bit-field of '{}' must have 1 to {} bits, not {}"};

// Variables and their initialisers
inline constexpr Message<0> kReferenceNeedsOneInitializer{"a reference needs one initialiser"};
inline constexpr Message<1> kNeedsOneInitializer{"{} needs one initialiser"};
inline constexpr Message<1> kAutoNeedsInitializer{"{} is declared 'auto' and needs an initialiser"};
inline constexpr Message<1> kReferenceNeedsInitializer{"the reference {} needs an initialiser"};
inline constexpr Message<2> kTypeNotDeduced{"cannot deduce the type of {} from '{}'"};
inline constexpr Message<1> kTypeFromList{"cannot deduce the type of {} from a list", "write it out"};
inline constexpr Message<2> kConstexprNotConstant{"'{}' is constexpr, but its value is not constant: {}"};
inline constexpr Message<3> kConceptNotSatisfied{"'{}' is of type '{}', for which {}"};
inline constexpr Message<1> kDeclaredTwice{"'{}' is declared twice in this block"};
inline constexpr Message<1> kVariableVoid{"'{}' cannot be void"};
inline constexpr Message<0> kSharedSizeUnknown{
    "shared memory of unknown size must be declared 'extern __shared__'"};
inline constexpr Message<0> kSharedInitialized{"shared memory cannot have an initialiser",
                                               "let one thread write it and synchronise"};
inline constexpr Message<3> kBindingCount{"'{}' has {}, but the binding names {}"};

// Lambdas
inline constexpr Message<0> kCaptureNameMissing{"a variable's name is missing in the capture list"};
inline constexpr Message<1> kCannotCapture{"'{}' is not a variable in this scope and cannot be captured"};
inline constexpr Message<1> kCaptureMissing{"'{}' belongs to the surrounding function",
                                            "capture it with [=] or [&]"};
inline constexpr Message<0> kLambdaBodyMissing{"the lambda's body is missing"};

// Templates and packs
inline constexpr Message<1> kTemplateArgumentsMissingHere{"'{}' needs template arguments here"};
inline constexpr Message<0> kTemplateParameterSize{"a template parameter has no size here"};
inline constexpr Message<0> kTemplateParameterValue{"a template parameter has no value here"};
inline constexpr Message<1> kPackNotExpanded{"the pack '{}' must be expanded with '...'"};
inline constexpr Message<0> kPackLengthsDiffer{"packs of different lengths are expanded together"};
inline constexpr Message<0> kNoPackInExpansion{"this expansion contains no parameter pack"};
inline constexpr Message<1> kFoldOfEmptyPack{"'{}' has no value for a pack without elements",
                                             "write (init op ... op pack)"};

// Statements
inline constexpr Message<0> kStatementsTooDeep{"statements are nested too deeply here"};
inline constexpr Message<0> kBreakMisplaced{"'break' is not inside a loop or switch"};
inline constexpr Message<0> kContinueMisplaced{"'continue' is not inside a loop"};
inline constexpr Message<1> kLabelOutsideSwitch{"'{}' is not inside a switch"};
inline constexpr Message<0> kGotoLabelMissing{"a label is missing after 'goto'"};
inline constexpr Message<1> kNoSuchLabel{"there is no label '{}' in this function"};
inline constexpr Message<0> kDoWhileMissing{"'while' is missing after the body of 'do'"};
inline constexpr Message<1> kSwitchNotInteger{"a switch expects an integer, got '{}'"};
inline constexpr Message<1> kNotRange{"'{}' cannot be used in a range-based for",
                                      "use an array or a class with begin() and end()"};
inline constexpr Message<0> kAssertionFailed{"static assertion failed"};
inline constexpr Message<1> kAssertionFailedText{"static assertion failed: {}"};
inline constexpr Message<1> kLibraryAssertion{"{}"};

// Launches in kernels
inline constexpr Message<0> kLaunchNotClosed{"'>>>' is missing after the configuration of the launch"};
inline constexpr Message<0> kLaunchConfiguration{"expected ',' or '>>>' in the configuration of the launch"};
inline constexpr Message<0> kLaunchWithoutArguments{"expected '(' after '>>>'",
                                                    "write () if the kernel takes no arguments"};
inline constexpr Message<0> kLaunchNotByName{"a launch needs the name of a kernel",
                                             "launch each possible kernel by its name"};

}  // namespace quern::lang::message
