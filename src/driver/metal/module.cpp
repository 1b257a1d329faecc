#include <algorithm>

#include "base/hash.hpp"
#include "driver/metal/device.hpp"
#include "driver/metal/messages.hpp"

namespace quern::metal {

using base::Error;
using base::ErrorKind;

namespace {

// Copies and fills that blits do not support.
constexpr const char* kByteKernels = R"(#include <metal_stdlib>
using namespace metal;
struct quern_bytes_arguments {
  ulong to, from, bytes;
};
kernel void quern_copy_bytes(device uchar* to [[buffer(0)]], device const uchar* from [[buffer(1)]], constant quern_bytes_arguments& args [[buffer(2)]], uint3 threadIdx [[thread_position_in_threadgroup]], uint3 blockIdx [[threadgroup_position_in_grid]], uint3 blockDim [[threads_per_threadgroup]], uint3 gridDim [[threadgroups_per_grid]]) {
  for (ulong i = ulong(blockIdx.x) * blockDim.x + threadIdx.x; i < args.bytes; i += ulong(gridDim.x) * blockDim.x) to[args.to + i] = from[args.from + i];
}
kernel void quern_fill_bytes(device uchar* to [[buffer(0)]], constant quern_bytes_arguments& args [[buffer(1)]], uint3 threadIdx [[thread_position_in_threadgroup]], uint3 blockIdx [[threadgroup_position_in_grid]], uint3 blockDim [[threads_per_threadgroup]], uint3 gridDim [[threadgroups_per_grid]]) {
  for (ulong i = ulong(blockIdx.x) * blockDim.x + threadIdx.x; i < args.bytes; i += ulong(gridDim.x) * blockDim.x) to[args.to + i] = uchar(args.from >> ((i & 7) * 8));
}
)";

// "3.2" as a MTLLanguageVersion: 0x30002.
uint64_t language_version(const std::string& text) {
  return static_cast<uint64_t>(text[0] - '0') << 16 | static_cast<uint64_t>(text[2] - '0');
}

}  // namespace

Result<Ref> Device::compile(const std::string& text, const std::string& name, driver::Math math) {
  const Ref options(*api_, api_->send<Id>(api_->objc_getClass("MTLCompileOptions"), Sel::kNew));
  if (!options) return failed("making compile options", nullptr, ErrorKind::out_of_memory);
  const bool is_fast = math == driver::Math::fast;
  if (api_->responds(options.get(), Sel::kSetMathMode)) {  // macOS 15
    api_->send(options.get(), Sel::kSetMathMode, is_fast ? kMathFast : kMathSafe);
  } else {
    api_->send(options.get(), Sel::kSetFastMath, static_cast<signed char>(is_fast));
  }
  api_->send(options.get(), Sel::kSetLanguageVersion, language_version(found_.info.code_version));
  Id error = nullptr;
  Ref library(*api_, api_->send<Id>(id(), Sel::kNewLibrary, api_->string_of(text), options.get(), &error));
  if (!library) return failed("compiling " + name, error, ErrorKind::compile);
  return library;
}

// `identity`: of the module; empty: the pipeline is not kept.
Result<Ref> Device::make_pipeline(Id library, const std::string& entry, const std::string& name,
                                  const std::string& identity) {
  const Ref function(*api_, api_->send<Id>(library, Sel::kNewFunction, api_->string_of(entry)));
  if (!function) return Error(ErrorKind::not_found, message::kNoFunction(name, found_.info.name, entry));
  if (!identity.empty()) {
    const std::string key = base::Hasher().add_field(identity).add_field(entry).finish().to_string();
    if (Ref kept = archived_pipeline(function.get(), "metal-" + key, name)) return kept;
  }
  Id error = nullptr;
  Ref pipeline(*api_, api_->send<Id>(id(), Sel::kNewPipeline, function.get(), &error));
  if (!pipeline) return failed("making a pipeline for kernel '" + name + "'", error, ErrorKind::compile);
  return pipeline;
}

Result<> Device::make_byte_kernels() {
  const std::lock_guard lock(bytes_mutex_);
  if (fill_bytes_) return {};
  QUERN_TRY_ASSIGN(byte_library_, compile(kByteKernels, "the byte kernels", driver::Math::exact));
  QUERN_TRY_ASSIGN(copy_bytes_, make_pipeline(byte_library_.get(), "quern_copy_bytes", "copy of bytes"));
  QUERN_TRY_ASSIGN(fill_bytes_, make_pipeline(byte_library_.get(), "quern_fill_bytes", "fill of bytes"));
  return {};
}

std::string Device::identity_of(const driver::Code& code) const {
  const driver::DeviceInfo& i = found_.info;
  base::Hasher hasher;
  for (const std::string& part : {i.name, i.driver_version, i.code_version, code.bytes})
    hasher.add_field(part);
  return hasher.add(static_cast<uint32_t>(code.math)).finish().to_string();
}

Result<std::unique_ptr<driver::Module>> Device::load(const driver::Code& code) {
  QUERN_TRY(alive());
  const Pool pool(*api_);
  if (code.kind != driver::CodeKind::kMsl)
    return Error(ErrorKind::unsupported, message::kOtherCode(code.name, driver::name(code.kind)));
  if (code.is_raw) return Error(ErrorKind::unsupported, message::kRawCode(code.name));
  auto program = std::make_unique<Module>();
  program->code = code;
  program->code.module.reset();
  program->code.bytes.clear();
  QUERN_TRY_ASSIGN(program->library, compile(code.bytes, code.name, code.math));
  program->identity = identity_of(code);
  QUERN_TRY(make_variables(*program));
  return std::unique_ptr<driver::Module>(std::move(program));
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Module& program, std::string_view name) {
  QUERN_TRY(alive());
  const Pool pool(*api_);
  auto& p = static_cast<Module&>(program);
  auto kernel = std::make_unique<Kernel>();
  kernel->program = &p;
  QUERN_TRY_ASSIGN(const driver::KernelInfo* const found, find_kernel(p.code, name));
  kernel->info = *found;
  QUERN_TRY_ASSIGN(kernel->pipeline, make_pipeline(p.library.get(), found->entry, found->name, p.identity));
  const Id pipeline = kernel->pipeline.get();
  kernel->execution_width = static_cast<uint32_t>(api_->send<uint64_t>(pipeline, Sel::kExecutionWidth));
  const bool has_warps = found_.info.native.has(driver::Feature::warps);
  if (found->needs.has(driver::Feature::warps) && has_warps && kernel->execution_width != 32)
    return Error(ErrorKind::unsupported, message::kOtherWidth(found->name, found_.info.name,
                                                              std::to_string(kernel->execution_width)));
  const auto most = static_cast<uint32_t>(api_->send<uint64_t>(pipeline, Sel::kMaxTotalThreads));
  kernel->max_threads = std::min(most, found_.info.limits.block_threads);
  return std::unique_ptr<driver::Kernel>(std::move(kernel));
}

// Metal does not report how many blocks a compute unit holds.
driver::Occupancy Device::occupancy(driver::Kernel& kernel, uint32_t, uint64_t) {
  const auto& k = static_cast<Kernel&>(kernel);
  if (k.execution_width == 0 || k.execution_width > k.max_threads) return {};
  return {0, 0, k.max_threads / k.execution_width * k.execution_width};
}

}  // namespace quern::metal
