/// @file
/// This process: its place in a job, and its environment.
#pragma once

#include <optional>
#include <string>

#include "quern/export.hpp"
#include "quern/types/job_rank.hpp"

namespace quern {

/// The place of this process in its job, from the variables of the launcher: Open MPI, MPICH and its
/// relatives, MVAPICH, PMIx or Slurm. Nothing if it is the only process. MPI need not be initialized.
/// Thread-safe unless the program calls setenv concurrently.
[[nodiscard]] QUERN_API std::optional<JobRank> job_rank();

namespace extension {

/// An environment variable, by the rules of this library: nothing if it is unset or empty, or if the program
/// has more rights than its user (setuid, setgid, capabilities). Thread-safe unless the program calls setenv
/// concurrently.
[[nodiscard]] QUERN_API std::optional<std::string> environment(const char* name);

}  // namespace extension
}  // namespace quern
