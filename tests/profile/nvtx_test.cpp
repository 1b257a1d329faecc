#include <cstdlib>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "quern/profile.hpp"

namespace quern::test {

namespace {

// Before the first range of the process.
const int kSet = ::setenv("NVTX_INJECTION64_PATH", QUERN_FAKE_NVTX, 1);

TEST(Nvtx, RangesGoToTheDomainQuern) {
  ASSERT_EQ(kSet, 0);
  {
    const Range outer("load");
    const Range inner("parse");
    EXPECT_EQ(Range::innermost(), &inner);
  }
  EXPECT_EQ(Range::innermost(), nullptr);
  void* library = ::dlopen(QUERN_FAKE_NVTX, RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto heard = reinterpret_cast<const char* (*)()>(::dlsym(library, "heard_ranges"));
  ASSERT_NE(heard, nullptr);
  EXPECT_NE(std::string(heard()).find("quern:+load quern:+parse quern:- quern:- "), std::string::npos)
      << heard();
}

}  // namespace

}  // namespace quern::test
