// Diagnostics of lowering the syntax tree to IR.
#pragma once

#include "base/message.hpp"

namespace quern::lang::message {

using base::Message;

// Kernels and functions
inline constexpr Message<2> kKernelCannotBeCompiled{"kernel '{}' cannot be compiled: {}"};
inline constexpr Message<1> kParameterType{"a parameter cannot have the type '{}'"};
inline constexpr Message<1> kResultWithoutSize{"a function cannot return '{}', which has no size"};
inline constexpr Message<1> kFunctionNotDefined{"'{}' is declared but not defined"};
inline constexpr Message<0> kVariableArguments{
    "functions with variable arguments are not supported in kernels"};
inline constexpr Message<0> kKernelCalled{"a kernel cannot be called from device code"};

// Variables
inline constexpr Message<1> kValueWithoutSize{"a value of type '{}' has no size"};
inline constexpr Message<1> kNotCaptured{"'{}' belongs to another function and is not captured here"};
inline constexpr Message<1> kLocalTensorMap{
    "'{}' is a tensor map in local memory, where the hardware cannot read it",
    "make it a parameter of the kernel, `const __grid_constant__ CUtensorMap`, and pass its address"};
inline constexpr Message<1> kHostVariable{"'{}' is a host variable",
                                          "mark it __device__ or __constant__, or pass it to the kernel"};
inline constexpr Message<1> kExternNotDefined{"'{}' is declared 'extern' but not defined",
                                              "define it in this file or include the file that does"};
inline constexpr Message<2> kVariableWithoutSize{"'{}' has the type '{}', which has no size"};
inline constexpr Message<1> kArraySizeMissing{"'{}' needs an array size",
                                              "only extern __shared__ arrays may leave it out"};
inline constexpr Message<1> kSharedInitializer{"the __shared__ variable '{}' cannot have an initialiser",
                                               "set it in the kernel"};
inline constexpr Message<2> kInitializerNotConstant{
    "the initialiser of '{}' must be known at compile time, but {}"};
inline constexpr Message<1> kPointerInInitializer{
    "the initialiser of '{}' holds a pointer, which has no value before the program runs"};

// Statements
inline constexpr Message<0> kJumpPastDestructor{
    "a jump into a block cannot be structured: an object of the statements has a destructor",
    "use a loop or a flag"};
inline constexpr Message<2> kGotoPastInitialization{"the goto to '{}' jumps past the initialisation of '{}'",
                                                    "declare the variable before the goto"};
inline constexpr Message<0> kCaseOutsideSwitch{"a case label is not inside a switch"};
inline constexpr Message<0> kBreakOutsideLoop{"'break' is not inside a loop or switch"};
inline constexpr Message<0> kContinueOutsideLoop{"'continue' is not inside a loop"};
inline constexpr Message<1> kCasePastInitialization{"this case label jumps past the initialisation of '{}'",
                                                    "put the statements of the case before it in braces"};
inline constexpr Message<1> kCaseRangeTooLarge{"a case range of more than {} values is not supported",
                                               "use if"};

}  // namespace quern::lang::message
