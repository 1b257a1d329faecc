// Ranks that are processes: tests/comm/ranks.sh runs this program with mpirun.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "comm/exercise.hpp"
#include "support/devices.hpp"

namespace quern::comm {
namespace {

constexpr const char* kNoRanks = "this process is not a rank: see the tests comm_openmpi_* and comm_mpich_*";

int rank_count() {
  const char* const count = std::getenv("QUERN_TEST_RANKS");
  return count != nullptr ? std::atoi(count) : 0;
}

MpiOptions small_chunks() {
  MpiOptions options;
  options.timeout = std::chrono::seconds(30);
  options.chunk_bytes = 1000;
  return options;
}

class MpiRanks : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (rank_count() == 0) GTEST_SKIP() << kNoRanks;
    if (const std::string why = test::why_not(GetParam(), {}); !why.empty()) GTEST_SKIP() << why;
  }
};

INSTANTIATE_TEST_SUITE_P(All, MpiRanks, testing::Values("cpu", "sim", "opencl", "vulkan"), test::device_name);

TEST_P(MpiRanks, AllOperations) {
  const Communicator ranks = mpi(open(GetParam()), small_chunks());
  ASSERT_EQ(ranks.size(), rank_count());
  EXPECT_EQ(ranks.provider().substr(0, 5), "MPI (");
  exercise(ranks);
}

TEST_P(MpiRanks, LargeOperands) {
  const Device gpu = open(GetParam());
  const Communicator ranks = mpi(gpu);
  const std::size_t n = std::string(GetParam()) == "sim" ? 20000 : 1500000;  // more than one chunk
  Buffer<float> data = gpu.upload(std::vector<float>(n, static_cast<float>(ranks.rank() + 1)));
  ranks.all_reduce(gpu, Combine::sum, data, data);
  const auto size = static_cast<float>(ranks.size());
  EXPECT_EQ(data.download(), std::vector<float>(n, size * (size + 1) / 2));
}

// Without the comparison of calls.
TEST(MpiRanksUnchecked, AllOperations) {
  if (rank_count() == 0) GTEST_SKIP() << kNoRanks;
  MpiOptions options = small_chunks();
  options.check = false;
  const Communicator ranks = mpi(open("cpu"), options);
  exercise_types(ranks);
  exercise_movement(ranks);
  exercise_pairs(ranks);
  exercise_reductions(ranks);
}

// The device differs between the ranks.
TEST(MpiRanksMixed, AllOperations) {
  if (rank_count() == 0) GTEST_SKIP() << kNoRanks;
  const Communicator probe = mpi(open("cpu"), small_chunks());
  const bool is_odd = probe.rank() % 2 != 0 && test::why_not("opencl", {}).empty();
  exercise(mpi(open(is_odd ? "opencl" : "sim"), small_chunks()));
}

TEST(MpiRanksFailure, AFailedKernelFailsAllRanks) {
  if (rank_count() == 0) GTEST_SKIP() << kNoRanks;
  const Device gpu = open("sim");
  const Communicator ranks = mpi(gpu, small_chunks());
  const Module module = gpu.compile("__global__ void bad(int* p) { p[100] = 1; }");
  Buffer<int> data = gpu.allocate<int>(4);
  const Error error = error_of([&] {
    if (ranks.rank() == 0) gpu.launch(module.kernel("bad"), grid(1, 1), data);
    ranks.barrier(gpu);
  });
  EXPECT_TRUE(ranks.rank() == 0 || error.kind() == ErrorKind::io) << error.what();
  EXPECT_STRNE(error.what(), "nothing was thrown");
}

TEST(MpiKill, SurvivorsGetAnError) {
  if (rank_count() == 0) GTEST_SKIP() << kNoRanks;
  const Device gpu = open("cpu");
  const Communicator ranks = mpi(gpu);
  const Communicator quick = ranks.with_timeout(std::chrono::seconds(3));
  Buffer<float> data = gpu.upload(std::vector<float>(2000000, 1.0f));
  quick.all_reduce(gpu, Combine::max, data, data);
  const auto begin = std::chrono::steady_clock::now();
  const Error error = error_of([&] {
    for (int round = 0; round < 1000; ++round) {
      if (round == 2 && ranks.rank() == ranks.size() - 1) std::raise(SIGKILL);
      quick.all_reduce(gpu, Combine::max, data, data);
    }
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(error.kind() == ErrorKind::timeout || error.kind() == ErrorKind::io) << error.what();
  EXPECT_LT(elapsed.count(), 10.0);
  EXPECT_EQ(error_of([&] { quick.barrier(gpu); }).kind(), error.kind());
  if (!HasFailure()) std::printf("a survivor has an error after %.1f s: %s\n", elapsed.count(), error.what());
  std::fflush(stdout);
}

TEST(Mpi, NamesWhatIsMissing) {
  MpiOptions options;
  options.implementation = "winmpi";
  EXPECT_COMM_ERROR(invalid_use, "'winmpi' is no MPI implementation", mpi(open("sim"), options));
  options.implementation = "/nowhere/libquern_mpi_none.so";
  EXPECT_COMM_ERROR(not_found, "/nowhere/libquern_mpi_none.so", mpi(open("sim"), options));
  EXPECT_COMM_ERROR(invalid_use, "the device of this process is not open", mpi(Device()));
}

}  // namespace
}  // namespace quern::comm
