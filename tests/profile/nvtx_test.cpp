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
    const ProfileRange outer("load");
    const ProfileRange inner("parse");
    EXPECT_EQ(ProfileRange::innermost(), &inner);
  }
  EXPECT_EQ(ProfileRange::innermost(), nullptr);
  void* library = ::dlopen(QUERN_FAKE_NVTX, RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto logged = reinterpret_cast<const char* (*)()>(::dlsym(library, "logged_ranges"));
  ASSERT_NE(logged, nullptr);
  EXPECT_NE(std::string(logged()).find("quern:+load quern:+parse quern:- quern:- "), std::string::npos)
      << logged();
}

}  // namespace

}  // namespace quern::test
