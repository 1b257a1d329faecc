// For drivers whose compiler may abort: code is compiled in a child process before this process compiles it.
// An abort is then an error of that kernel alone.
#include <algorithm>

#include "base/environment.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "driver/opencl/compiler_process.hpp"
#include "driver/opencl/device.hpp"
#include "driver/opencl/messages.hpp"

namespace quern::opencl {

using base::Error;
using base::ErrorKind;
using driver::CodeKind;

Result<> Device::try_compiler(const driver::Code& code, const std::string& work_group) {
  if (!tries_compiler_ || code.kind == CodeKind::kOpenclBinary) return {};
  const std::string method = base::env_text("POCL_WORK_GROUP_METHOD").value_or("");
  const std::string key =
      "compiled-" +
      base::Hasher().add_field(cache_key(code)).add_field(work_group).add_field(method).finish().to_string();
  if (store_.find(key)) return {};
  const std::string options = build_options(code);
  const CompileOutcome outcome = compile_in_child({.library = api_->library,
                                                   .device_name = info_.name,
                                                   .device_version = info_.api_version,
                                                   .options = options,
                                                   .work_group = work_group,
                                                   .code = code.bytes,
                                                   .is_il = code.kind == CodeKind::kSpirvKernel});
  using Kind = CompileOutcome::Kind;
  if (outcome.kind == Kind::kReturned) {
    store_.put(key, info_.driver + " " + code.name, "compiled");
    return {};
  }
  if (outcome.kind == Kind::kNotStarted) {
    if (!has_warned_.exchange(true))
      base::log(base::LogLevel::kWarning,
                "%s's compiler may abort, and compiling in a child process failed: %s; an "
                "abort ends this program",
                info_.name.c_str(), outcome.reason.c_str());
    return {};
  }
  const std::string kernel = code.kernels.size() == 1 ? "'" + code.kernels[0].name + "' of " : "";
  return Error(ErrorKind::unsupported, message::kCompilerAborted(kernel, code.name, info_.name,
                                                                 info_.driver_version, outcome.reason));
}

// PoCL compiles a kernel again for each block size, and for grids wider than about 65,535.
Result<> Device::try_work_group(Kernel& kernel, const driver::Launch& launch) {
  if (!tries_compiler_) return {};
  constexpr size_t kSmall = 32768;
  const Range range(launch);
  const bool is_small = *std::max_element(range.global, range.global + 3) < kSmall;
  const std::string size = base::format("%zu-%zu-%zu-goffs0", range.local[0], range.local[1], range.local[2]);
  const std::string work_group = size + "-smallgrid" + (is_small ? "" : "," + size);
  if (kernel.tried.contains(work_group)) return {};
  const bool is_sized = launch.block.count() > kernel.general_threads;
  const driver::Code& code = kernel.program->tried;
  QUERN_TRY(is_sized ? try_compiler(sized_code(code, launch.block), work_group)
                     : try_compiler(code, work_group));
  kernel.tried.insert(work_group);
  return {};
}

}  // namespace quern::opencl
