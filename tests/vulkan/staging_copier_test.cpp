#include "driver/support/staging_copier.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quern::driver {
namespace {

bool is_none(std::byte b) { return b == std::byte{0}; }

// Copies of every length in sequence: threads that are late for one join the next.
void copy_all(void (StagingCopier::*copy)(std::byte*, const std::byte*, size_t)) {
  StagingCopier staging_copier(3);
  std::vector<std::byte> from((1 << 20) + 77), to(from.size());
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 31 + i / 4099);
  for (size_t bytes = 99; bytes <= from.size(); bytes = bytes * 5 / 2) {
    for (int again = 0; again < 8; ++again) {
      std::fill(to.begin(), to.end(), std::byte{0});
      const size_t size = bytes - static_cast<size_t>(again);
      const size_t odd = again == 3 ? 5 : again > 4 ? 16 : 0;  // its start
      (staging_copier.*copy)(to.data() + odd, from.data() + again, size - odd);
      const auto end = to.begin() + static_cast<std::ptrdiff_t>(size);
      ASSERT_TRUE(std::equal(to.begin() + static_cast<std::ptrdiff_t>(odd), end, from.begin() + again));
      ASSERT_TRUE(std::all_of(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(odd), is_none));
      ASSERT_TRUE(std::all_of(end, to.end(), is_none));
    }
  }
}

TEST(StagingCopier, CopyWhatTheyAreGiven) { copy_all(&StagingCopier::copy); }
TEST(StagingCopier, PackWhatTheyAreGiven) { copy_all(&StagingCopier::pack); }

TEST(StagingCopier, WakeAgain) {
  StagingCopier staging_copier(2);
  std::vector<std::byte> from(1 << 20, std::byte{7}), to(from.size());
  for (int i = 0; i < 3; ++i) {
    staging_copier.copy(to.data(), from.data(), from.size());
    EXPECT_EQ(to, from);
    std::fill(to.begin(), to.end(), std::byte{0});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the threads fall asleep
  }
}

}  // namespace
}  // namespace quern::driver
