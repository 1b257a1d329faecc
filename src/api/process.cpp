#include "quern/process.hpp"

#include "base/environment.hpp"
#include "base/job_rank.hpp"

namespace quern {

std::optional<JobRank> job_rank() { return base::job_rank(); }

namespace extension {
std::optional<std::string> environment(const char* name) { return base::env_text(name); }
}  // namespace extension

}  // namespace quern
