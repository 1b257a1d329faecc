#include "comm/mpi/gpu_support.hpp"

#include <array>

#include <dlfcn.h>

#include "comm/messages.hpp"
#include "quern/process.hpp"

namespace quern::comm {

namespace {

// The component has loaded the library, and its symbols are visible to all.
template <typename Function>
Function* symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// mpi-ext.h of Open MPI and its relatives.
bool reports_open_mpi(bool is_cuda) {
  auto* const query = symbol<int()>(is_cuda ? "MPIX_Query_cuda_support" : "MPIX_Query_rocm_support");
  return query != nullptr && query() == 1;
}

// mpi.h of MPICH.
bool reports_mpich(bool is_cuda) {
  constexpr int kCuda = 0, kHip = 2;
  auto* const query = symbol<int(int, int*)>("MPIX_GPU_query_support");
  int is_supported = 0;
  return query != nullptr && query(is_cuda ? kCuda : kHip, &is_supported) == 0 && is_supported != 0;
}

bool is_on(const char* variable) { return extension::environment(variable).value_or("0") != "0"; }

// HPE Cray MPICH; MVAPICH.
bool says_environment(bool is_cuda) {
  return is_on("MPICH_GPU_SUPPORT_ENABLED") || is_on(is_cuda ? "MV2_USE_CUDA" : "MV2_USE_ROCM");
}

}  // namespace

std::string why_not_gpu_aware(const std::string& driver, const std::string& implementation) {
  const bool is_cuda = driver == "cuda";
  if (!is_cuda && driver != "hip") return message::kTransportDriver(driver).text;
  if (const auto chosen = extension::environment("QUERN_MPI_GPU"))
    return *chosen != "0" && *chosen != "off" ? std::string() : message::kGpuAwareOff().text;
  if (reports_open_mpi(is_cuda) || reports_mpich(is_cuda) || says_environment(is_cuda)) return {};
  return message::kNotGpuAware(implementation).text;
}

}  // namespace quern::comm
