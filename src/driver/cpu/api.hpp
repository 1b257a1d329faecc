// The functions of LLVM's C API that are used, loaded at run time.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace quern::cpu {

// Types of the C API, as far as they are needed here.
using LlvmContext = struct LlvmContextOpaque*;
using LlvmModule = struct LlvmModuleOpaque*;
using LlvmBuffer = struct LlvmBufferOpaque*;
using LlvmTarget = struct LlvmTargetOpaque*;
using LlvmMachine = struct LlvmMachineOpaque*;
using LlvmPassOptions = struct LlvmPassOptionsOpaque*;
using LlvmError = struct LlvmErrorOpaque*;
using LlvmData = struct LlvmDataOpaque*;

// Result, name, parameters. Functions that explain errors come first.
#define QUERN_LLVM_API(X)                                                                          \
  X(void, LLVMDisposeMessage, (char*))                                                             \
  X(char*, LLVMGetErrorMessage, (LlvmError))                                                       \
  X(void, LLVMDisposeErrorMessage, (char*))                                                        \
  X(LlvmContext, LLVMContextCreate, (void))                                                        \
  X(void, LLVMContextDispose, (LlvmContext))                                                       \
  X(LlvmBuffer, LLVMCreateMemoryBufferWithMemoryRangeCopy, (const char*, size_t, const char*))     \
  X(const char*, LLVMGetBufferStart, (LlvmBuffer))                                                 \
  X(size_t, LLVMGetBufferSize, (LlvmBuffer))                                                       \
  X(void, LLVMDisposeMemoryBuffer, (LlvmBuffer))                                                   \
  X(int, LLVMParseIRInContext, (LlvmContext, LlvmBuffer, LlvmModule*, char**))                     \
  X(void, LLVMDisposeModule, (LlvmModule))                                                         \
  X(int, LLVMVerifyModule, (LlvmModule, int, char**))                                              \
  X(void, LLVMSetTarget, (LlvmModule, const char*))                                                \
  X(int, LLVMGetTargetFromTriple, (const char*, LlvmTarget*, char**))                              \
  X(LlvmMachine, LLVMCreateTargetMachine,                                                          \
    (LlvmTarget, const char*, const char*, const char*, int, int, int))                            \
  X(void, LLVMDisposeTargetMachine, (LlvmMachine))                                                 \
  X(LlvmData, LLVMCreateTargetDataLayout, (LlvmMachine))                                           \
  X(void, LLVMSetModuleDataLayout, (LlvmModule, LlvmData))                                         \
  X(void, LLVMDisposeTargetData, (LlvmData))                                                       \
  X(int, LLVMTargetMachineEmitToMemoryBuffer, (LlvmMachine, LlvmModule, int, char**, LlvmBuffer*)) \
  X(LlvmPassOptions, LLVMCreatePassBuilderOptions, (void))                                         \
  X(void, LLVMDisposePassBuilderOptions, (LlvmPassOptions))                                        \
  X(LlvmError, LLVMRunPasses, (LlvmModule, const char*, LlvmMachine, LlvmPassOptions))

// Functions that older libraries lack; null then.
#define QUERN_LLVM_OPTIONAL(X) X(void, LLVMSetTargetMachineGlobalISel, (LlvmMachine, int))

// A library contains only the targets it was built with.
#define QUERN_LLVM_TARGETS(X)        \
  X(LLVMInitializeAArch64TargetInfo) \
  X(LLVMInitializeAArch64Target)     \
  X(LLVMInitializeAArch64TargetMC)   \
  X(LLVMInitializeAArch64AsmPrinter) \
  X(LLVMInitializeX86TargetInfo)     \
  X(LLVMInitializeX86Target) X(LLVMInitializeX86TargetMC) X(LLVMInitializeX86AsmPrinter)

struct LlvmApi {
#define X(result, name, parameters) result(*name) parameters = nullptr;
  QUERN_LLVM_API(X)
  QUERN_LLVM_OPTIONAL(X)
#undef X
  std::string library;  // the loaded library
  std::string version;  // "19.1.7"; before 16 only the number in the library's name
  unsigned major = 0;   // 0: not known
};

// Loads the library; called once. kNotFound: none is installed.
base::Result<const LlvmApi*> llvm_api();

// The library that would be loaded, without loading it: a versioned name, for cache keys. Empty: not known.
std::string llvm_library_name();

}  // namespace quern::cpu
