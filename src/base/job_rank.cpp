#include "base/job_rank.hpp"

#include <initializer_list>

#include "base/environment.hpp"
#include "base/text.hpp"

namespace quern::base {

namespace {

constexpr std::uint64_t kMostRanks = 1u << 24;

// The first of the variables that is a number.
std::optional<int> number_in(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const std::optional<std::string> text = env_text(name);
    const std::optional<std::uint64_t> number = text ? parse_uint(*text) : std::nullopt;
    if (number && *number < kMostRanks) return static_cast<int>(*number);
  }
  return std::nullopt;
}

// "4(x2),3" is 4 on each of the first two machines and 3 on the third.
std::optional<int> tasks_of_machine(const std::string& tasks, int machine) {
  for (const std::string_view part : split(tasks, ',')) {
    const std::size_t times = part.find("(x");
    const std::optional<std::uint64_t> count = parse_uint(part.substr(0, times));
    std::optional<std::uint64_t> machines = 1;
    if (times != std::string_view::npos)
      machines = parse_uint(part.substr(times + 2, part.size() - times - 3));
    if (!count || !machines || *count >= kMostRanks || *machines >= kMostRanks) return std::nullopt;
    if (machine < static_cast<int>(*machines)) return static_cast<int>(*count);
    machine -= static_cast<int>(*machines);
  }
  return std::nullopt;
}

std::optional<int> tasks_of_slurm() {
  const std::optional<int> machine = number_in({"SLURM_NODEID"});
  for (const char* const name : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
    const std::optional<std::string> tasks = env_text(name);
    if (tasks && machine) return tasks_of_machine(*tasks, *machine);
  }
  return std::nullopt;
}

}  // namespace

// mpirun in a Slurm allocation sets its own variables in addition to Slurm's, so they come first.
std::optional<JobRank> job_rank() {
  const std::optional<int> rank =
      number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"});
  const std::optional<int> size = number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                             "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"});
  if (!rank || size.value_or(2) < 2 || *rank >= size.value_or(*rank + 1)) return std::nullopt;
  JobRank out{.rank = *rank, .size = size.value_or(*rank + 1)};
  out.local_rank = number_in({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK",
                              "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})
                       .value_or(*rank);
  std::optional<int> count = number_in(
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"});
  if (!count) count = tasks_of_slurm();
  out.local_size = count.value_or(0);
  return out;
}

std::string job_rank_text() {
  const std::optional<JobRank> place = job_rank();
  return place ? "rank " + std::to_string(place->rank) : std::string();
}

}  // namespace quern::base
