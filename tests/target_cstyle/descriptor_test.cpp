#include "target/descriptor.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "target/target.hpp"

namespace quern::target {
namespace {

using driver::CodeKind;

TEST(Descriptor, EachKindAndSuffixIsListedOnce) {
  std::set<CodeKind> kinds;
  std::set<std::string_view> suffixes;
  for (const Descriptor* d : descriptors()) {
    EXPECT_TRUE(kinds.insert(d->kind).second) << driver::name(d->kind);
    EXPECT_EQ(find_descriptor(d->kind), d);
    EXPECT_EQ(can_emit(d->kind), d->emit != nullptr);
    for (const std::string_view suffix : d->suffixes) {
      if (suffix.empty()) continue;
      EXPECT_TRUE(suffixes.insert(suffix).second) << suffix;
      EXPECT_EQ(find_descriptor_of_file("folder/kernel" + std::string(suffix)), d);
    }
  }
}

TEST(Descriptor, FilesOfTheKernelLanguageAreNoNativeCode) {
  EXPECT_EQ(find_descriptor_of_file("kernel.cu"), nullptr);
  EXPECT_EQ(find_descriptor_of_file("ptx"), nullptr);
}

TEST(Descriptor, KindsWithoutDescriptorCannotBeEmitted) {
  EXPECT_EQ(find_descriptor(CodeKind::kHipObject), nullptr);
  EXPECT_FALSE(can_emit(CodeKind::kHipObject));
  EXPECT_FALSE(can_emit(CodeKind::kCubin));
}

TEST(Descriptor, VersionsBelongToTheirLanguage) {
  const auto takes = [](CodeKind kind, std::string_view text) {
    const Descriptor* const d = find_descriptor(kind);
    return d != nullptr && d->is_version != nullptr && d->is_version(text);
  };
  EXPECT_TRUE(takes(CodeKind::kPtx, "sm_90"));
  EXPECT_FALSE(takes(CodeKind::kPtx, "90"));
  EXPECT_TRUE(takes(CodeKind::kGlsl, "450 core"));
  EXPECT_FALSE(takes(CodeKind::kGlsl, "310 es"));
  EXPECT_TRUE(takes(CodeKind::kGlslEs, "310 es"));
  EXPECT_FALSE(takes(CodeKind::kGlslEs, "430"));
  EXPECT_TRUE(takes(CodeKind::kMsl, "3.1"));
  EXPECT_FALSE(takes(CodeKind::kWgsl, "1"));
}

}  // namespace
}  // namespace quern::target
