// From IR to code that a device accepts. One call for all kinds; each kind has its own folder below.
//
// Parameters of kernels without pointers (Glsl, GlslEs, Wgsl): the n-th pointer parameter is the storage
// buffer at binding n of set 0; the __device__ and __constant__ variables that the kernel uses follow
// (KernelInfo::variables), one binding each. All other parameters form one block in their C layout, followed
// by one u32 for each pointer parameter: the byte offset of the argument in its buffer (0xffffffff: the
// argument is null). driver/interface/arguments.hpp packs that block. A pointer inside of a struct parameter
// counts as one more pointer parameter after all others (ParamRole::kField); its bytes in the struct are
// ignored. The same holds for other code for devices without Feature::addresses.
// Glsl and GlslEs: the block is the uniform block at binding 0; the report, if the kernel needs kPrint or
// kAssert, is the binding after the variables; in a text of several kernels, each is guarded by `#ifdef
// ENTRY`.
// Wgsl: the report likewise; the block is the uniform buffer at group 1, binding 0, rounded up to 16 bytes
// and followed by 16 zero bytes; parameters to const and __constant__ variables are `read`, all others
// `read_write`; sizes are override constants (docs/targets.md). If the code has pointers (CudaCpp, HipCpp,
// OpenclC, SpirvKernel), parameters are unchanged.
//
// Spirv: pointers are 64-bit numbers. For devices with Feature::addresses there are no bindings: the
// argument block has the user's parameters in their C layout, pointers as addresses, then, aligned to 8
// bytes, the address of each variable in the order of Code::variables, then that of the report if the kernel
// needs kPrint or kAssert. Up to 128 bytes, the block is the push constants; beyond that, they hold its
// address (KernelInfo::block_bytes, block_by_address; driver/interface/arguments.hpp packs it). For other
// devices the n-th pointer parameter is the storage buffer at binding n of set 0, all variables follow, and
// the report is binding 0 of set 1. The block ends with the user's parameters; beyond 128 bytes it is binding
// 1 of set 1. A pointer in it is the number of a bound buffer (its binding + 1) << kBufferShift, plus the
// offset; two parameters with the same buffer must have the same number, a variable has its own.
// Specialisation constants 0, 1, 2 are the block size, 3 is the dynamic shared memory in bytes.
// Options::native with kWarps means that subgroups are warps, as below; Options::floats gives the float modes
// that entry points may have.
//
// OpenclC and SpirvKernel kernels take hidden parameters after the user's, in this order:
//  - a ulong byte offset for each pointer parameter, unless the device has Feature::addresses (then
//    a pointer argument is the address itself)
//  - a pointer to each variable, in the order of Code::variables
//  - if the kernel needs kDynamicShared: that memory (__local) and its size in bytes (uint)
//  - if it needs kPrint or kAssert: a report (__global uint*, see driver/interface/report.hpp)
//
// Msl kernels take buffers in this order: one for each pointer parameter (bound at the offset of the
// argument; any buffer if that is null); one for each variable, in the order of Code::variables; if the
// kernel needs kPrint or kAssert, the report; last the block of plain parameters as above
// (KernelInfo::block_bytes; a u32 is 0xffffffff if a pointer is null and is otherwise ignored), with the
// dynamic shared memory in bytes as one more u32 if the kernel needs kDynamicShared; that memory is
// threadgroup(0). Options::native with kWarps means that SIMD-groups are warps: 32 consecutive threads of the
// block that run together.
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
  driver::FeatureSet features;  // features of the device: others are lowered, or refused with a reason
  driver::FeatureSet
      native;  // of these, what the device's code supports without lowering (DeviceInfo::native)
  driver::FloatModes floats;         // what the code may require
  std::vector<ir::Matrix> matrices;  // with hardware support (DeviceInfo::matrices)
  driver::Limits limits;
  bool checks_library = false;  // DeviceInfo::checks_library
  bool line_marks = true;       // line directives for the user's source, if the language has them
  driver::Math math = driver::Math::exact;
  std::string version;  // of the language, if it matters: "430", "310 es", "CL1.2", "3.1"
  std::string api;      // of the device, in refusals: "Level Zero"; empty: the usual one of the language
};

// Whether code can be generated in that language at all.
bool can_emit(driver::CodeKind kind);

// Of a device with all features: for text that a person reads.
driver::FeatureSet every_feature();
// Options::native of the devices that usually run the language; for the same purpose.
driver::FeatureSet usual_native(driver::CodeKind kind);
// Options::matrices likewise, for that version of the language.
std::vector<ir::Matrix> usual_matrices(driver::CodeKind kind, const std::string& version);

// All kernels of a prepared module. Fails with ErrorKind::unsupported, the reason and the position in the
// user's text if the target cannot express a kernel. If other kernels of the module can be expressed, the
// code has those, and KernelInfo::refused gives the reason for each missing one.
base::Result<driver::Code> emit(const std::shared_ptr<const ir::Module>& module, const std::string& name,
                                const Options& options);

}  // namespace quern::target
