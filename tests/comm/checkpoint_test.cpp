#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "comm/exercise.hpp"
#include "support/devices.hpp"

namespace quern::comm {
namespace {

namespace fs = std::filesystem;

class CommCheckpoint : public testing::Test {
 protected:
  CommCheckpoint() : folder_(fs::temp_directory_path() / ("quern-comm-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
  }
  ~CommCheckpoint() override { fs::remove_all(folder_); }

  // A part of 0, 1, …, `count` - 1 plus `step`, divided unequally: the last rank has the rest.
  static std::vector<int> part_of(const Communicator& rank, int count, int step) {
    const int length = count / (rank.size() + 1);
    const bool is_last = rank.rank() + 1 == rank.size();
    const int first = length * rank.rank();
    std::vector<int> out(static_cast<std::size_t>(is_last ? count - first : length));
    std::iota(out.begin(), out.end(), first + step);
    return out;
  }
  std::vector<Communicator> ranks(std::size_t size) const {
    return in_process(std::vector<Device>(size, gpu_), {.timeout = std::chrono::seconds(30)});
  }
  void save(std::size_t size, int count, int step) const {
    for_each_rank(ranks(size), [&](const Communicator& rank) {
      Buffer<int> part = gpu_.upload(part_of(rank, count, step));
      Buffer<double> both = gpu_.upload(std::vector<double>(3, step));
      checkpoint(rank, folder_, static_cast<std::uint64_t>(step),
                 std::vector<SavedArray>{{"part", part}, {"both", both, Spread::copies}});
    });
  }
  // The step; -1: there is no checkpoint.
  void expect_saved(std::size_t size, int count, int step) const {
    for_each_rank(ranks(size), [&](const Communicator& rank) {
      Buffer<int> part = gpu_.upload(std::vector<int>(part_of(rank, count, 0).size(), -1));
      Buffer<double> both = gpu_.upload(std::vector<double>(3, -1));
      const auto found =
          restore(rank, folder_, std::vector<SavedArray>{{"both", both, Spread::copies}, {"part", part}});
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->step, static_cast<std::uint64_t>(step));
      EXPECT_EQ(part.download(), part_of(rank, count, step));
      EXPECT_EQ(both.download(), std::vector<double>(3, step));
    });
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  Device gpu_ = open("sim");
  fs::path folder_;
};

TEST_F(CommCheckpoint, OtherNumbersOfRanks) {
  save(4, 1000, 7);
  for (const std::size_t size : {4, 1, 2, 5}) expect_saved(size, 1000, 7);
  save(3, 1000, 8);
  expect_saved(2, 1000, 8);
  EXPECT_EQ(files(), 2u);  // the manifest and one folder
}

TEST_F(CommCheckpoint, SeveralBlocks) {
  save(2, 900000, 1);
  expect_saved(3, 900000, 1);
}

TEST_F(CommCheckpoint, NoneYet) {
  Buffer<int> part = gpu_.allocate<int>(4);
  EXPECT_FALSE(restore(ranks(1).front(), folder_, std::vector<SavedArray>{{"part", part}}).has_value());
}

// The last rank's file is larger than the limit.
TEST_F(CommCheckpoint, AFullDiskLeavesTheLastOne) {
  save(3, 9000, 1);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit all{}, small{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &all), 0);
  small = all;
  small.rlim_cur = 12000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Error error = error_of([&] { save(3, 9000, 2); });
  ::setrlimit(RLIMIT_FSIZE, &all);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_NE(std::string(error.what()).find("comm::checkpoint failed: rank 2"), std::string::npos)
      << error.what();
  expect_saved(3, 9000, 1);
  EXPECT_EQ(files(), 2u);
  save(3, 9000, 3);
  expect_saved(3, 9000, 3);
}

TEST_F(CommCheckpoint, AnInterruptedOneIsRemoved) {
  save(2, 100, 1);
  fs::create_directories(folder_ / "data-2");
  std::ofstream(folder_ / "data-2" / "rank-0") << "begun";
  std::ofstream(folder_ / "manifest.tmp") << "quern-check";
  expect_saved(2, 100, 1);
  save(2, 100, 2);
  expect_saved(2, 100, 2);
  EXPECT_FALSE(fs::exists(folder_ / "data-1"));
}

TEST_F(CommCheckpoint, DamageIsFound) {
  save(2, 1000, 1);
  std::fstream file(folder_ / "data-1" / "rank-1", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(1000);
  file.put('!');
  file.close();
  EXPECT_COMM_ERROR(io, "rank", expect_saved(2, 1000, 1));
  std::ofstream(folder_ / "manifest", std::ios::app) << "more\n";
  EXPECT_COMM_ERROR(io, "is not a manifest of this version, or is damaged", expect_saved(2, 1000, 1));
}

TEST_F(CommCheckpoint, Differences) {
  save(2, 1000, 1);
  EXPECT_COMM_ERROR(invalid_use, "has 1000 elements in the checkpoint, and 900", expect_saved(2, 900, 1));
  const Communicator one = ranks(1).front();
  Buffer<int> part = gpu_.allocate<int>(4);
  Buffer<float> other = gpu_.allocate<float>(1000);
  Buffer<double> wide = gpu_.allocate<double>(1000);
  EXPECT_COMM_ERROR(not_found, "has no array 'x'",
                    restore(one, folder_, std::vector<SavedArray>{{"x", part}}));
  EXPECT_COMM_ERROR(not_found, "elements of 8 bytes",
                    restore(one, folder_, std::vector<SavedArray>{{"part", wide}}));
  EXPECT_COMM_ERROR(invalid_use, "two arrays are named 'x'",
                    checkpoint(one, folder_, 1, std::vector<SavedArray>{{"x", part}, {"x", other}}));
  EXPECT_COMM_ERROR(invalid_use, "is no name of an array",
                    checkpoint(one, folder_, 1, std::vector<SavedArray>{{"a b", part}}));
  EXPECT_COMM_ERROR(invalid_use, "the ranks pass different arrays",
                    for_each_rank(ranks(2), [&](const Communicator& rank) {
                      checkpoint(rank, folder_, static_cast<std::uint64_t>(rank.rank()),
                                 std::vector<SavedArray>{{"part", part}});
                    }));
}

}  // namespace
}  // namespace quern::comm
