// Whether the loaded MPI library accepts device memory.
#pragma once

#include <string>

namespace quern::comm {

// Why MPI cannot access the memory of devices of this driver ("cuda", "hip"); empty: it can. It asks the
// library, and then the environment variables of implementations that have no such question. QUERN_MPI_GPU
// has priority.
std::string why_not_gpu_aware(const std::string& driver, const std::string& implementation);

}  // namespace quern::comm
