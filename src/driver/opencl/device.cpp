#include "driver/opencl/device.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "driver/opencl/messages.hpp"
#include "driver/support/identity.hpp"
#include "driver/support/known_defects.hpp"
#include "driver/support/language_limits.hpp"

namespace quern::opencl {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Feature;

class Query {
 public:
  Query(const Api& api, DeviceId id) : api_(api), id_(id) {}

  template <typename T>
  T get(uint32_t what, T otherwise = {}) const {
    T value = otherwise;
    return api_.clGetDeviceInfo(id_, what, sizeof value, &value, nullptr) == 0 ? value : otherwise;
  }

  std::string text(uint32_t what) const {
    return text_of([&](size_t bytes, void* to, size_t* size) {
      return api_.clGetDeviceInfo(id_, what, bytes, to, size);
    });
  }

 private:
  const Api& api_;
  DeviceId id_;
};

bool has_word(std::string_view list, std::string_view word) {
  for (const std::string_view w : base::split(list, ' ')) {
    if (w == word) return true;
  }
  return false;
}

template <typename... Functions>
bool are_here(Functions... functions) {
  return ((functions != nullptr) && ...);
}

// Device memory that the host cannot access is faster than shared memory. Shared memory is used only if it
// alone supports atomics between host and device.
bool has_usm(const Api& api, const Query& q) {
  const auto host = q.get<uint64_t>(kUsmHost), svm = q.get<uint64_t>(kDeviceSvm);
  const bool is_less = (svm & kCapFine) != 0 && (svm & kCapAtomics) != 0 && (host & kCapAtomics) == 0;
  return has_word(q.text(kDeviceExtensions), "cl_intel_unified_shared_memory") && !is_less &&
         (q.get<uint64_t>(kUsmDevice) & kUsmAccess) != 0 && (host & kUsmAccess) != 0 &&
         are_here(api.clMemFreeINTEL, api.clDeviceMemAllocINTEL, api.clHostMemAllocINTEL,
                  api.clSetKernelArgMemPointerINTEL, api.clEnqueueMemcpyINTEL, api.clEnqueueMemFillINTEL,
                  api.clSetKernelExecInfo);
}

// clBuildProgram compiles SPIR-V too: a device without a compiler accepts binaries only.
bool has_compiler(const Query& q) { return q.get<uint32_t>(kDeviceCompilerAvailable) != 0; }

bool takes_il(const Api& api, const Query& q) {
  return has_compiler(q) && api.clCreateProgramWithIL != nullptr &&
         q.get<uint32_t>(kDeviceAddressBits) == 64 && q.text(kDeviceIl).find("SPIR-V") != std::string::npos;
}

driver::FeatureSet features_of(const Api& api, const Query& q) {
  driver::FeatureSet f = driver::kMadeByEmitters;
  f.add(Feature::timestamps);
  const std::string extensions = q.text(kDeviceExtensions);
  if (q.get<uint64_t>(kDeviceDoubleConfig) != 0) f.add(Feature::fp64);
  if (has_word(extensions, "cl_khr_int64_base_atomics") &&
      has_word(extensions, "cl_khr_int64_extended_atomics")) {
    f.add(Feature::atomics64);
    if (f.has(Feature::fp64)) f.add(Feature::atomics_f64);
  }
  // Kernels use 64-bit addresses.
  if (q.get<uint32_t>(kDeviceAddressBits) != 64) return f;
  const bool has_generic =
      q.get<uint32_t>(kDeviceGenericPointers) != 0 || q.text(kDeviceVersion).starts_with("OpenCL 2.");
  if (has_generic && takes_il(api, q)) f.add(Feature::generic_pointers);  // OpenCL C text has none
  if (has_usm(api, q)) {
    f.add(Feature::addresses);
    f.add(Feature::shared_memory);
    if ((q.get<uint64_t>(kUsmHost) & kCapAtomics) != 0) f.add(Feature::system_scope);
    return f;
  }
  const auto svm = q.get<uint64_t>(kDeviceSvm);
  const bool can_share =
      are_here(api.clSVMAlloc, api.clSVMFree, api.clEnqueueSVMMemcpy, api.clEnqueueSVMMemFill,
               api.clSetKernelArgSVMPointer, api.clSetKernelExecInfo);
  if (can_share && (svm & kCapCoarse) != 0) f.add(Feature::addresses);
  if (can_share && (svm & kCapFine) != 0) f.add(Feature::shared_memory);
  if (can_share && (svm & kCapFine) != 0 && (svm & kCapAtomics) != 0) f.add(Feature::system_scope);
  return f;
}

driver::Limits limits_of(const Query& q) {
  const auto narrow = [](size_t n) { return static_cast<uint32_t>(std::min<size_t>(n, UINT32_MAX)); };
  driver::Limits l;
  l.block_threads = narrow(q.get<size_t>(kDeviceWorkGroupSize, 1));
  const auto sizes = q.get<std::array<size_t, 3>>(kDeviceWorkItemSizes, {1, 1, 1});
  l.block = {narrow(sizes[0]), narrow(sizes[1]), narrow(sizes[2])};
  if (q.get<uint32_t>(kDeviceAddressBits) == 32) l.grid.x = UINT32_MAX / driver::Limits().block_threads;
  l.shared_bytes = q.get<uint64_t>(kDeviceLocalMemory);
  l.buffer_bytes = q.get<uint64_t>(kDeviceMaxAlloc);
  l.argument_bytes = q.get<size_t>(kDeviceMaxParameterSize, 1024);
  l.warp_size = 1;
  return driver::within_language(l);
}

driver::DeviceKind kind_of(const Query& q) {
  constexpr uint64_t kCpu = 2, kGpu = 4;
  const auto type = q.get<uint64_t>(kDeviceType);
  if ((type & kCpu) != 0) return driver::DeviceKind::cpu;
  if ((type & kGpu) == 0) return driver::DeviceKind::other;
  return q.get<uint32_t>(kDeviceUnified) != 0 ? driver::DeviceKind::integrated : driver::DeviceKind::discrete;
}

}  // namespace

driver::DeviceInfo describe(const Api& api, DeviceId id) {
  const Query q(api, id);
  driver::DeviceInfo info;
  info.name = q.text(kDeviceName);
  info.driver = "opencl";
  info.kind = kind_of(q);
  info.vendor = q.text(kDeviceVendor);
  info.driver_version = q.text(kDriverVersion);
  info.api_version = q.text(kDeviceVersion);
  info.guards_shifts = driver::has_defect(info, driver::Defect::kShiftedNegation);
  info.memory_bytes = q.get<uint64_t>(kDeviceGlobalMemory);
  info.compute_units = q.get<uint32_t>(kDeviceComputeUnits);
  info.clock_mhz = q.get<uint32_t>(kDeviceClock);
  info.features = features_of(api, q);
  info.limits = limits_of(q);
  if (takes_il(api, q)) info.code.push_back(driver::CodeKind::kSpirvKernel);
  if (has_compiler(q)) info.code.push_back(driver::CodeKind::kOpenclC);
  info.code.push_back(driver::CodeKind::kOpenclBinary);
  const std::string extensions = q.text(kDeviceExtensions);
  if (has_word(extensions, "cl_khr_device_uuid"))
    info.uuid = driver::hex_of(q.get<std::array<uint8_t, 16>>(kDeviceUuid));
  if (has_word(extensions, "cl_khr_pci_bus_info")) {
    const auto bus = q.get<std::array<uint32_t, 4>>(kDevicePciBus);
    info.pci = driver::pci_of(bus[0], bus[1], bus[2], bus[3]);
  }
  constexpr uint64_t kCorrectDivision = 1 << 7;
  const bool exact = (q.get<uint64_t>(kDeviceSingleConfig) & kCorrectDivision) != 0;
  info.details = {
      {"language", q.text(kDeviceLanguage)},
      {"IL", q.text(kDeviceIl)},
      {"memory", has_usm(api, q)                             ? "unified shared memory"
                 : info.features.has(Feature::shared_memory) ? "shared with the host, fine-grained"
                 : info.features.has(Feature::addresses)     ? "shared virtual memory, coarse-grained"
                                                             : "buffer objects"},
      {"division", exact ? "correctly rounded on request" : "not correctly rounded"},
      {"extensions", extensions}};
  return info;
}

Result<std::unique_ptr<driver::Device>> Device::open(std::shared_ptr<const Api> api, DeviceId id,
                                                     driver::DeviceInfo info, Context native,
                                                     driver::KeepAlive keep_alive) {
  const Query q(*api, id);
  if (q.get<uint32_t>(kDeviceAvailable) == 0)
    return Error(ErrorKind::unsupported, message::kNotAvailable(info.name));
  std::unique_ptr<Device> device(new Device(std::move(api), id, std::move(info)));
  device->keep_alive_ = std::move(keep_alive);
  QUERN_TRY(device->start(native));
  return std::unique_ptr<driver::Device>(std::move(device));
}

Result<> Device::start(Context native) {
  const Query q(*api_, id_);
  loss_->set_name(info_.name);
  if (native != nullptr) {
    QUERN_CL(*api_, clRetainContext(native));
    context_ = Owned<Context>(native, api_->clReleaseContext);
  } else {
    QUERN_TRY_ASSIGN(context_,
                     QUERN_CL_MAKE(clCreateContext, clReleaseContext, nullptr, 1, &id_, nullptr, nullptr));
  }
  can_record_ = are_here(api_->clEnqueueCommandBufferKHR, api_->clReleaseCommandBufferKHR,
                         api_->clFinalizeCommandBufferKHR, api_->clCommandNDRangeKernelKHR,
                         api_->clCreateCommandBufferKHR) &&
                (q.get<uint64_t>(kDeviceCommandBuffers) & kSimultaneousUse) != 0;
  is_unified_ = has_usm(*api_, q);
  tries_compiler_ = driver::has_defect(info_, driver::Defect::kCompilerAborts);
  has_null_ = info_.vendor.find("NVIDIA") == std::string::npos;  // accepts null, but passes no argument then
  QUERN_TRY(make_own_stream());
  clock_.emplace([this] { return align_by_marks(); }, false);
  const Result<> aligned = clock_->align();
  if (aligned.ok() || aligned.error().kind() != ErrorKind::unsupported) return aligned;
  clock_.reset();
  info_.features.remove(Feature::timestamps);
  return {};
}

// Drivers return various codes after a kernel has corrupted the context. An error that the caller did not
// cause is therefore followed by a check whether the context still works.
Result<> Device::check(Result<> result) {
  if (!result.ok() && result.error().kind() == ErrorKind::device_lost)
    return loss_->lose(result.error().message());
  QUERN_TRY(alive());
  const bool is_kernels_own = !result.ok() && result.error().kind() == ErrorKind::kernel_fault;
  if (result.ok() || is_kernels_own || !is_dead()) return result;
  return loss_->lose(result.error().message() + "; the context is unusable");
}

bool Device::is_dead() {
  const auto stream = create_stream({});
  return !stream.ok() || !set_mark(**stream).ok() ||
         api_->clFinish(static_cast<Stream&>(**stream).id.get()) != 0;
}

}  // namespace quern::opencl
