// Reasons why an expression is not constant: clauses that follow "its value is not constant:".
#pragma once

#include "base/message.hpp"

namespace quern::lang::message {

using base::Message;

// Limits of the evaluation
inline constexpr Message<1> kTooManySteps{"the evaluation takes more than {} steps"};
inline constexpr Message<0> kEvaluationTooDeep{"the evaluation nests too deeply"};
inline constexpr Message<1> kCallsTooDeep{"the evaluation calls more than {} functions deep"};
inline constexpr Message<0> kTooManyVariables{"the evaluation needs too many variables"};
inline constexpr Message<0> kObjectTooLarge{"the object is too large"};

// Errors elsewhere
inline constexpr Message<0> kHasError{"it has an error"};
inline constexpr Message<1> kVariableHasError{"'{}' has an error"};

// Functions
inline constexpr Message<1> kNotConstexpr{"{} is not constexpr"};
inline constexpr Message<1> kUsedBeforeBodyEnds{"{} is used before its body ends"};
inline constexpr Message<1> kNoBody{"{} has no body here"};
inline constexpr Message<1> kEndsWithoutReturn{"{} ends without a return"};
inline constexpr Message<0> kCallsNullPointer{"it calls a function through a null pointer"};
inline constexpr Message<0> kVirtualCall{"it calls a virtual function"};
inline constexpr Message<0> kPolymorphicObject{"it creates an object of a class with virtual functions"};
inline constexpr Message<0> kCallsVariadicFunction{"it calls a function with variable arguments"};
inline constexpr Message<0> kUsesGoto{"it uses goto"};
inline constexpr Message<0> kUsesInnerCase{"it uses a case label inside a nested block"};
inline constexpr Message<0> kNoConstantRequired{"no constant is required here"};

// Variables
inline constexpr Message<0> kThisNotConstant{"'this' is not known at compile time"};
inline constexpr Message<1> kNotKnownAtCompileTime{"'{}' is not known at compile time"};
inline constexpr Message<0> kReadsUninitialized{"it reads a variable that has no value yet"};
inline constexpr Message<0> kWritesStaticVariable{"it changes a variable that outlives the evaluation"};
inline constexpr Message<1> kDependsOnItself{"'{}' depends on itself"};
inline constexpr Message<1> kRefersToTemporary{"'{}' refers to a temporary"};
inline constexpr Message<0> kResultPointsToTemporary{"the result points to a temporary"};

// Objects and pointers
inline constexpr Message<0> kReadsOutsideObject{"it reads outside an object"};
inline constexpr Message<0> kIndexOutsideArray{"an index is outside its array"};
inline constexpr Message<0> kReadsEndedObject{
    "it reads through a pointer to an object that no longer exists"};
inline constexpr Message<0> kReadsAsAnotherType{"it reads memory as another type"};
inline constexpr Message<0> kReadsThroughNull{"it reads through a null pointer"};
inline constexpr Message<0> kMovesPointerOutside{"it moves a pointer outside an object"};
inline constexpr Message<0> kOrdersUnrelatedPointers{"it orders pointers to different objects"};
inline constexpr Message<0> kSubtractsUnrelatedPointers{"it subtracts pointers to different objects"};
inline constexpr Message<0> kPointerAsNumber{"it uses a pointer as a number"};
inline constexpr Message<0> kConvertsUnrelatedClasses{"it converts between unrelated classes"};
inline constexpr Message<0> kConvertsToOtherClass{
    "it converts to a class that is not the class of the object"};

// Operations
inline constexpr Message<0> kDeviceOnlyOperation{"it uses an operation that exists only on devices"};
inline constexpr Message<0> kNotNeedsBool{"'!' needs a bool"};
inline constexpr Message<0> kDividesByZero{"it divides by zero"};
inline constexpr Message<0> kComparesEnums{"it compares different enums"};

}  // namespace quern::lang::message
