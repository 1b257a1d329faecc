// A kernel that was compiled once is launched without generating its code again, and never with the code of
// another one.
#include "driver/cpu/recipe.hpp"

#include <atomic>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/store_watch.hpp"
#include "cpu/cpu_device.hpp"
#include "lang/compile.hpp"
#include "lang/ir/text.hpp"

namespace quern::cpu {
namespace {

TEST(Recipe, IsReadAsItWasWritten) {
  Recipe r;
  r.own.width = 16;
  r.own.is_quick = r.is_abreast = true;
  r.effort = Effort::kQuick;
  r.patience = ~uint64_t{0};
  r.record_bytes = 4096;
  r.entry = "kernel";
  r.object_key = "0123456789abcdef";
  llvm::Options asked;
  asked.width = 64;
  asked.has_fma = true;
  const auto read = recipe_from(to_text(r), asked);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->own.width, 16u);
  EXPECT_TRUE(read->own.is_quick && read->own.has_fma && read->is_abreast && !read->is_by_rows);
  EXPECT_EQ(read->effort, Effort::kQuick);
  EXPECT_EQ(read->patience, ~uint64_t{0});
  EXPECT_EQ(read->record_bytes, 4096u);
  EXPECT_EQ(read->entry, "kernel");
  EXPECT_EQ(read->object_key, "0123456789abcdef");
}

TEST(Recipe, WhatIsNoneIsNotRead) {
  const std::string text = to_text({});
  EXPECT_FALSE(recipe_from("", {}));
  EXPECT_FALSE(recipe_from(text + "\nmore", {}));
  EXPECT_FALSE(recipe_from("recipe 0" + text.substr(8), {}));
  EXPECT_FALSE(recipe_from(text.substr(0, text.size() / 2), {}));
}

std::string key_of(const std::string& source, const llvm::Options& options, std::optional<Effort> effort,
                   const std::string& machine = "one") {
  const lang::Compilation compiled = lang::compile("test.cu", source);
  return recipe_key(machine, ir::print_declarations(compiled.module), *compiled.module.find_function("k"),
                    options, effort);
}

TEST(Recipe, KeyCoversEverythingThatCodeDependsOn) {
  if (build_id().empty()) GTEST_SKIP() << "the linker made no build id";
  const std::string source = "__device__ int v[4]; __global__ void k(int* out) { out[0] = v[1]; }";
  const std::string key = key_of(source, {}, {});
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(key_of(source, {}, {}), key);
  EXPECT_NE(key_of("__device__ int w, v[4]; __global__ void k(int* out) { out[0] = v[1]; }", {}, {}), key);
  EXPECT_NE(key_of("__device__ int v[4]; __global__ void k(int* out) { out[0] = v[2]; }", {}, {}), key);
  EXPECT_NE(key_of(source, {}, {}, "another"), key);
  EXPECT_NE(key_of(source, {}, Effort::kFull), key);
  EXPECT_NE(key_of(source, {}, Effort::kQuick), key_of(source, {}, Effort::kFull));
  llvm::Options other;
  other.is_fused = true;
  EXPECT_NE(key_of(source, other, {}), key);
  other = {};
  other.has_lines = true;
  EXPECT_EQ(key_of(source, other, {}), "");  // includes file names
}

std::atomic<int> found, missing;

class RecipeOfDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (build_id().empty()) GTEST_SKIP() << "the linker made no build id";
    folder_ = testing::TempDir() + "quern_recipes";
    std::filesystem::remove_all(folder_);
    ::setenv("QUERN_CACHE", folder_.c_str(), 1);
    device_ = std::move(*make_driver()->open(0, {{"width", "8"}}));
    base::store_watch = [](std::string_view what, std::string_view) {
      if (what == "found") ++found;
      if (what == "missing") ++missing;
    };
  }
  void TearDown() override {
    base::store_watch = nullptr;
    std::filesystem::remove_all(folder_);
  }

  // out[i] = i * factor, by a new program; returns the last one.
  int32_t last_of(const std::string& factor) {
    found = missing = 0;
    const std::string source =
        "__global__ void k(int* out) { out[threadIdx.x] = threadIdx.x * " + factor + "; }";
    driver::Code code;
    code.module = std::make_shared<ir::Module>(lang::compile("test.cu", source).module);
    const auto program = std::move(*device_->load(code));
    const auto kernel = std::move(*device_->kernel(*program, "k"));
    const auto stream = std::move(*device_->create_stream({}));
    const auto memory = std::move(*device_->allocate(256, driver::MemoryKind::device));
    const std::vector<driver::Argument> arguments{{{memory.get(), 0}, nullptr, 0}};
    EXPECT_TRUE(device_->launch(*stream, *kernel, {{1, 1, 1}, {64, 1, 1}, 0, arguments, false}).ok());
    EXPECT_TRUE(device_->synchronize(*stream).ok());
    return reinterpret_cast<const int32_t*>(memory->host)[63];
  }

  std::string folder_;
  std::unique_ptr<driver::Device> device_;
};

TEST_F(RecipeOfDevice, IsKeptAndUsed) {
  EXPECT_EQ(last_of("3"), 189);
  EXPECT_EQ(found, 0);
  EXPECT_EQ(last_of("3"), 189);
  EXPECT_EQ(found, 2);  // the recipe and the object
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(last_of("5"), 315);
}

// The recipe is the smaller file. The object it names may have been removed.
TEST_F(RecipeOfDevice, WithoutItsObjectTheKernelIsCompiled) {
  EXPECT_EQ(last_of("3"), 189);
  for (const auto& file : std::filesystem::directory_iterator(folder_ + "/code")) {
    if (file.file_size() > 600) std::filesystem::remove(file.path());
  }
  EXPECT_EQ(last_of("3"), 189);
  EXPECT_EQ(found, 1);
  EXPECT_EQ(last_of("3"), 189);
  EXPECT_EQ(missing, 0);
}

// Several machines may share the folder: none gets code with another's instructions.
TEST_F(RecipeOfDevice, OfAnotherProcessorIsNotUsed) {
  EXPECT_EQ(last_of("3"), 189);
  auto lesser = make_driver()->open(0, {{"width", "8"}, {"vectors", "avx2"}});
  if (!lesser.ok() || host_processor().vectors == "AVX2")
    GTEST_SKIP() << "there are no two kinds of vectors with masks here";
  device_ = std::move(*lesser);
  EXPECT_EQ(last_of("3"), 189);
  EXPECT_EQ(found, 0);
}

}  // namespace
}  // namespace quern::cpu
