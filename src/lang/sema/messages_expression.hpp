// Diagnostics of expressions: operators, assignments, conversions, casts, initialisation.
#pragma once

#include "base/message.hpp"

namespace quern::lang::message {

using base::Message;

// Hints that depend on the operands (with_hint)
inline constexpr Message<2> kDefineUnaryOperator{"define operator{}({})"};
inline constexpr Message<3> kDefineBinaryOperator{"define operator{}({}, {})"};
inline constexpr Message<0> kDefineIndexOperator{"define operator[]"};
inline constexpr Message<1> kCastScopedEnum{"write static_cast<int>(…) around the '{}'"};
inline constexpr Message<0> kCastOneOfThem{"cast one of them"};
inline constexpr Message<0> kCastToElementPointer{"cast it to a pointer to the element's type"};
inline constexpr Message<1> kWriteRemainder{"write {}(a, b)"};
inline constexpr Message<1> kWriteStaticCast{"write static_cast<{}>(…)"};
inline constexpr Message<1> kWriteReinterpretCast{"write reinterpret_cast<{}>(…)"};
inline constexpr Message<0> kUseReinterpretCast{"write reinterpret_cast"};
inline constexpr Message<0> kUseStaticCastOrBits{"write static_cast, or __float_as_int or similar for bits"};

// Assignments
inline constexpr Message<1> kCannotAssign{"cannot assign to {}"};
inline constexpr Message<2> kCannotAssignWith{"cannot assign to {} with '{}'"};
inline constexpr Message<1> kCannotChange{"cannot change {}"};
inline constexpr Message<0> kIsConstant{"it is a constant"};
inline constexpr Message<0> kIsNotVariable{"it is not a variable"};
inline constexpr Message<1> kAssignToConst{"cannot assign to {}: it is const"};
inline constexpr Message<1> kChangeConst{"cannot change {}: it is const"};
inline constexpr Message<2> kAssignToConstantMemory{"cannot assign to {}: '{}' is __constant__"};
inline constexpr Message<2> kChangeConstantMemory{"cannot change {}: '{}' is __constant__"};
inline constexpr Message<1> kAssignToArray{"cannot assign to the array {}", "assign its elements"};
inline constexpr Message<4> kAssignResultType{"'{}' gives '{}', {} is '{}'"};

// Operators
inline constexpr Message<3> kOperands{"'{}' cannot take '{}' and '{}'"};
inline constexpr Message<1> kOperandList{"'{}' cannot take a list", "name its type: T{…}"};
inline constexpr Message<2> kOperandVoid{"'{}' expects values, but {} has no value"};
inline constexpr Message<2> kOperandsNotIntegers{"'{}' expects integers, got '{}'"};
inline constexpr Message<2> kPointerStep{"'{}' cannot be used on '{}'"};
inline constexpr Message<2> kNotNumberOrPointer{"'{}' expects a number or a pointer, got '{}'"};
inline constexpr Message<2> kUnaryNotInteger{"'{}' expects an integer, got '{}'"};
inline constexpr Message<2> kUnaryNotNumber{"'{}' expects a number, got '{}'"};
inline constexpr Message<1> kOperatorUnsupported{"'{}' is not supported in kernels"};
inline constexpr Message<2> kCannotCompare{"cannot compare '{}' with '{}'"};
inline constexpr Message<0> kBranchWithoutValue{"one branch of '?:' has a value, the other has none"};
inline constexpr Message<0> kBranchList{"'?:' cannot take a list", "name its type: T{…}"};
inline constexpr Message<2> kBranchTypes{"the branches of '?:' are '{}' and '{}'", "cast one of them"};

// Pointers and arrays
inline constexpr Message<1> kDereferenceNotPointer{"'*' expects a pointer, got '{}'"};
inline constexpr Message<1> kDereferenceVoid{"cannot dereference '{}'",
                                             "cast it to a pointer to the element's type"};
inline constexpr Message<0> kAddressOfTemporary{"'&' expects a variable, got a temporary"};
inline constexpr Message<1> kAddressOfBitField{"{} is a bit-field, which has no address"};
inline constexpr Message<1> kIndexCount{"'[]' takes one index, got {}"};
inline constexpr Message<2> kIndexNotPointer{"'[]' expects an array or a pointer, but {} is '{}'"};
inline constexpr Message<0> kIndexList{"an index must be an integer, got a list"};
inline constexpr Message<1> kIndexNotInteger{"an index must be an integer, got '{}'"};
inline constexpr Message<1> kIndexVoid{"cannot index '{}'", "cast it to a pointer to the element's type"};

// Conversions
inline constexpr Message<2> kCannotConvert{"cannot convert '{}' to '{}'"};
inline constexpr Message<3> kConversionDrops{"cannot convert '{}' to '{}': it drops {}"};
inline constexpr Message<1> kCannotMakeFromList{"cannot make '{}' from this list"};
inline constexpr Message<2> kConversionAmbiguous{"converting '{}' to '{}' is ambiguous", "write a cast"};
inline constexpr Message<1> kNoValue{"{} has no value"};
inline constexpr Message<2> kNoValueFor{"{} has no value, but {} expects one"};
inline constexpr Message<3> kExpectsType{"{} expects '{}', got '{}'"};
inline constexpr Message<1> kReferenceToBitField{
    "{} is a bit-field, and references cannot bind to bit-fields"};
inline constexpr Message<2> kReferenceNeedsTemporary{"'{}' expects a temporary, but {} is a variable",
                                                     "write std::move"};
inline constexpr Message<1> kReferenceNeedsVariable{"'{}' expects a variable, got a temporary"};
inline constexpr Message<3> kBindingDrops{"cannot bind '{}' to '{}': it drops {}"};
inline constexpr Message<1> kConditionVoid{"expected a condition, but {} has no value"};
inline constexpr Message<1> kConditionType{"expected a condition, got '{}'"};
inline constexpr Message<1> kConstantNotInteger{"expected an integer constant, got '{}'"};
inline constexpr Message<0> kConstantExpected{"expected a constant"};
inline constexpr Message<1> kConstantExpectedBut{"expected a constant: {}"};

// Casts: the cast, the type of the value, and the type to convert it to
inline constexpr Message<3> kCast{"{} cannot convert '{}' to '{}'"};
inline constexpr Message<3> kCastTemporary{"{} cannot convert '{}' to '{}': expected a variable"};
inline constexpr Message<3> kCastDropsConst{"{} cannot convert '{}' to '{}': it drops const"};
inline constexpr Message<3> kCastDropsVolatile{"{} cannot convert '{}' to '{}': it drops volatile"};
inline constexpr Message<3> kCastUnrelated{"{} cannot convert '{}' to '{}': the classes are not related"};
inline constexpr Message<3> kCastTooFewBits{"{} cannot convert '{}' to '{}': it has too few bits",
                                            "write size_t"};
inline constexpr Message<0> kDynamicCastUnsupported{"dynamic_cast is not supported in kernels",
                                                    "write static_cast"};
inline constexpr Message<2> kCastValueCount{"'{}' takes one value, got {}"};

// Initialisation
inline constexpr Message<1> kNoDefaultConstructor{"'{}' has no default constructor"};
inline constexpr Message<2> kOnlyConstructor{"'{}' has no default constructor, only '{}'"};
inline constexpr Message<2> kNoConstructorFor{"'{}' has no constructor that takes ({})"};
inline constexpr Message<2> kTooManyObjects{
    "an array of {} objects that need a constructor is too large: the limit is {}"};
inline constexpr Message<3> kStringTooLong{"'{}' has {} elements, the string has {}"};
inline constexpr Message<1> kReferenceUninitialized{"a reference '{}' must refer to something"};
inline constexpr Message<2> kMemberReferenceUninitialized{"the reference '{}' of '{}' must be initialised"};
inline constexpr Message<1> kArrayNeedsList{"an array expects a list {…} of elements, got '{}'"};
inline constexpr Message<2> kVariableNeedsList{"{} expects a list {…} of elements, got '{}'"};
inline constexpr Message<2> kInitializerCount{"'{}' takes one initialiser, got {}"};
inline constexpr Message<2> kTooManyInitializers{"too many initialisers: '{}' has {}"};
inline constexpr Message<1> kArrayMember{"an array has no member '{}'"};
inline constexpr Message<1> kDesignatorWithConstructor{
    "'{}' has constructors, so members cannot be named in its list"};

}  // namespace quern::lang::message
