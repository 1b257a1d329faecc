#include "base/job_rank.hpp"

#include <cstdlib>
#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

namespace quern::base {
namespace {

using Variables = std::initializer_list<std::pair<const char*, const char*>>;

// The result with these variables alone.
std::optional<JobRank> rank_with(Variables variables) {
  for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  const std::optional<JobRank> out = job_rank();
  for (const auto& [name, value] : variables) ::unsetenv(name);
  return out;
}

void expect_rank(Variables variables, const JobRank& wanted) {
  const std::optional<JobRank> rank = rank_with(variables);
  ASSERT_TRUE(rank.has_value());
  EXPECT_EQ(rank->rank, wanted.rank);
  EXPECT_EQ(rank->size, wanted.size);
  EXPECT_EQ(rank->local_rank, wanted.local_rank);
  EXPECT_EQ(rank->local_size, wanted.local_size);
}

TEST(JobRank, OfEachLauncher) {
  expect_rank({{"OMPI_COMM_WORLD_RANK", "5"},
               {"OMPI_COMM_WORLD_SIZE", "8"},
               {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
               {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
               {"SLURM_PROCID", "0"},
               {"SLURM_NTASKS", "1"}},
              {5, 8, 1, 4});
  expect_rank({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}},
              {3, 4, 1, 2});
  expect_rank({{"SLURM_PROCID", "9"},
               {"SLURM_NTASKS", "11"},
               {"SLURM_LOCALID", "1"},
               {"SLURM_NODEID", "2"},
               {"SLURM_TASKS_PER_NODE", "4(x2),3"}},
              {9, 11, 1, 3});
  expect_rank({{"PMIX_RANK", "2"}}, {2, 3, 2, 0});
}

TEST(JobRank, OneProcessIsNoJob) {
  EXPECT_FALSE(rank_with({}).has_value());
  EXPECT_FALSE(rank_with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}).has_value());
  EXPECT_FALSE(rank_with({{"PMI_RANK", "one"}, {"PMI_SIZE", "2"}}).has_value());
  EXPECT_FALSE(rank_with({{"PMI_RANK", "7"}, {"PMI_SIZE", "4"}}).has_value());
}

}  // namespace
}  // namespace quern::base
