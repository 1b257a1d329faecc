// From IR to code that a device takes. One call for all kinds; each kind has a folder of its own below.
//
// What a kernel's parameters become, where the code has no pointers (Glsl, GlslEs, Wgsl): the n-th pointer
// parameter is the storage buffer at binding n of set 0; the __device__ and __constant__ variables that the
// kernel uses follow (KernelInfo::variables), one binding each. All other parameters form one block in their
// C layout, followed by one u32 for each pointer parameter: the byte offset of the argument in its buffer
// (0xffffffff: the argument is null). driver/interface/arguments.hpp packs that block. A pointer inside of a
// struct parameter counts as one more pointer parameter behind all others (ParamRole::kField); its bytes in
// the struct are not looked at. So it is in other code for devices without Feature::kAddresses.
// Glsl and GlslEs: the block is the uniform block at binding 0; the report, where the kernel needs kPrint or
// kAssert, is the binding behind the variables; a text of several kernels has each behind `#ifdef ENTRY`.
// Wgsl: the report likewise; the block is the uniform buffer at group 1, binding 0, rounded up to 16 bytes
// and followed by 16 that are zero; parameters to const and __constant__ variables are `read`, all others
// `read_write`; sizes are override constants (docs/targets.md). Where the code has pointers (CudaCpp, HipCpp,
// OpenclC, SpirvKernel), parameters stay as they are.
//
// Spirv: pointers are numbers of 64 bits. For devices with Feature::kAddresses there are no bindings: the
// block of arguments has the user's parameters in their C layout, pointers as addresses, then from a multiple
// of 8 on the address of each variable in the order of Code::variables, then that of the report where the
// kernel needs kPrint or kAssert. Up to 128 bytes it is the push constants; beyond, they hold its address
// (KernelInfo::block_bytes, block_by_address; driver/interface/arguments.hpp packs it). For other devices the
// n-th pointer parameter is the storage buffer at binding n of set 0, all variables follow, and the report is
// binding 0 of set 1. The block ends with the user's parameters; beyond 128 bytes it is binding 1 of set 1.
// A pointer in it is the number of a buffer that is bound (its binding + 1) << kBufferShift, plus the offset;
// two that are one buffer must have one number, a variable its own. Specialisation constants 0, 1, 2 are the
// size of a block, 3 is the dynamic shared memory in bytes. Options::native with kWarps says that subgroups
// are our warps, as below; Options::floats, which modes entry points may have.
//
// OpenclC and SpirvKernel kernels take hidden parameters behind the user's, in this order:
//  - a ulong byte offset for each pointer parameter, unless the device has Feature::kAddresses (then a
//  pointer
//    argument is the address itself)
//  - a pointer to each variable, in the order of Code::variables
//  - where the kernel needs kDynamicShared: that memory (__local) and its size in bytes (uint)
//  - where it needs kPrint or kAssert: a report (__global uint*, see driver/interface/report.hpp)
//
// Msl kernels take buffers in this order: one for each pointer parameter (bound at the place of the argument;
// anything where that is null); one for each variable, in the order of Code::variables; where the kernel
// needs kPrint or kAssert, the report; last the block of plain parameters as above (KernelInfo::block_bytes;
// a u32 is 0xffffffff where a pointer is null and means nothing else), with the dynamic shared memory in
// bytes as one more u32 where the kernel needs kDynamicShared; that memory is threadgroup(0). Options::native
// with kWarps says that SIMD-groups are our warps: 32 threads that follow each other in the block and run
// together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "driver/interface/info.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target {

struct Options {
  driver::CodeKind kind = driver::CodeKind::kIr;
  driver::FeatureSet features;  // that the device has: what is not there is lowered, or refused with a reason
  driver::FeatureSet
      native;  // of these, what the device's own code has without lowering (DeviceInfo::native)
  driver::FloatModes floats;         // what the code may ask for
  std::vector<ir::Matrix> matrices;  // that the device has units for (DeviceInfo::matrices)
  driver::Limits limits;
  bool line_marks = true;  // marks to the user's lines, where the language has them
  driver::Math math = driver::Math::kExact;
  std::string version;  // of the language, where it matters: "430", "310 es", "CL1.2", "3.1"
};

// Whether kernels can be written in that language at all.
bool can_emit(driver::CodeKind kind);

// Of a device that lacks nothing: for text that is to be looked at.
driver::FeatureSet every_feature();
// Options::native of the devices that a language is usually for; likewise.
driver::FeatureSet usual_native(driver::CodeKind kind);
// Options::matrices likewise, for that version of the language.
std::vector<ir::Matrix> usual_matrices(driver::CodeKind kind, const std::string& version);

// All kernels of a prepared module. What the target cannot express is kUnsupported, with the reason and the
// place in the user's text; where others of the module can be expressed, the code has those and says of each
// that it has not why (KernelInfo::refused).
base::Result<driver::Code> emit(const std::shared_ptr<const ir::Module>& module, const std::string& name,
                                const Options& options);

}  // namespace quern::target
