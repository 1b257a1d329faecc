// The place of this process in a job of several processes.
#pragma once

#include <optional>
#include <string>

#include "quern/types/job_rank.hpp"

namespace quern::base {

// From the variables of the launcher. Nothing if the process is the only one. Thread-safe as env_text().
std::optional<JobRank> job_rank();

// "rank 2", or empty if the process is the only one.
std::string job_rank_text();

}  // namespace quern::base
