#include "base/shared_library.hpp"

#include <array>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"

namespace quern::base {
namespace {

#if defined(__APPLE__)
constexpr std::string_view kMathLibrary = "libm.dylib";
#else
constexpr std::string_view kMathLibrary = "libm.so.6";
#endif

TEST(SharedLibrary, FindsTheFirstThatLoads) {
  const std::array<std::string_view, 2> names = {"libquern_no_such.so", kMathLibrary};
  const Result<SharedLibrary> library = SharedLibrary::open(names, "");
  ASSERT_TRUE(library.ok()) << library.error().to_string();
  EXPECT_EQ(library->name(), kMathLibrary);
  double (*cosine)(double) = nullptr;
  ASSERT_TRUE(library->load("cos", cosine).ok());
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_EQ(library->find("quern_no_such_function"), nullptr);
}

TEST(SharedLibrary, AMissingFunctionIsNamed) {
  const std::array<std::string_view, 1> names = {kMathLibrary};
  const SharedLibrary library = SharedLibrary::open(names, "").value();
  void (*function)() = nullptr;
  const Result<void> result = library.load("quern_no_such_function", function);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(),
            "'" + std::string(kMathLibrary) + "' has no function 'quern_no_such_function'");
  EXPECT_EQ(function, nullptr);
}

TEST(SharedLibrary, AMissingLibraryIsReportedWithTheHint) {
  const std::array<std::string_view, 3> names = {"libquern_a.so.1", "libquern_a.so",
                                                 "/nowhere/libquern_a.so"};
  const Result<SharedLibrary> library = SharedLibrary::open(names, "install ROCm's runtime");
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().kind(), ErrorKind::not_found);
  EXPECT_EQ(library.error().message(), "'libquern_a.so.1' is not found (looked for 3 names)");
  EXPECT_EQ(library.error().hint(), "install ROCm's runtime");
}

TEST(SharedLibrary, AFileThatIsNoLibraryIsDistinguishedFromAMissingOne) {
  const TemporaryFolder folder;
  const std::string path = folder / "libbroken.so";
  ASSERT_TRUE(write_file(path, "not a library").ok());
  const std::array<std::string_view, 2> names = {"libquern_a.so.1", path};
  const Result<SharedLibrary> library = SharedLibrary::open(names, "");
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().kind(), ErrorKind::unsupported);
  EXPECT_EQ(library.error().message().rfind("the library was found but cannot be loaded: " + path, 0), 0u)
      << library.error().message();
}

TEST(SharedLibrary, NoNamesAreAMistake) {
  EXPECT_EQ(SharedLibrary::open({}, "").error().kind(), ErrorKind::invalid_use);
}

}  // namespace
}  // namespace quern::base
