// Objects: loading, and relocations for both architectures.
#include "driver/cpu/object.hpp"

#include <cstring>

#include <elf.h>
#include <gtest/gtest.h>

#include "cpu/cpu_device.hpp"
#include "driver/cpu/api.hpp"
#include "driver/cpu/compiler.hpp"
#include "driver/cpu/helpers.hpp"
#include "driver/cpu/processor.hpp"
#include "target/llvm/abi.hpp"

namespace quern::cpu {
namespace {

constexpr const char* kText = R"(
@number = external global i32
@table = private constant [4 x i32] [i32 1, i32 10, i32 100, i32 1000]
declare i64 @far(i64)
define i64 @kernel(i64 %i) nounwind {
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %t = load i32, ptr %p
  %n = load i32, ptr @number
  %s = add i32 %t, %n
  %w = zext i32 %s to i64
  %r = call i64 @far(i64 %w)
  ret i64 %r
}
)";

int32_t number = 5;
uint64_t twice(uint64_t x) { return 2 * x; }

const void* known(std::string_view name) {
  if (name == "number") return &number;
  return name == "far" ? reinterpret_cast<const void*>(&twice) : nullptr;
}

#define NEED_LLVM() \
  if (!llvm_api().ok()) GTEST_SKIP() << "LLVM is not installed"

TEST(CpuObject, LoadsAndRuns) {
  NEED_LLVM();
  auto object = compile_object(kText, host_processor(), Effort::kFull);
  ASSERT_TRUE(object.ok()) << object.error().to_string();
  auto loaded = CodeObject::load(*object, known);
  ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
  const void* at = (*loaded)->find("kernel");
  ASSERT_NE(at, nullptr);
  const auto kernel = reinterpret_cast<uint64_t (*)(uint64_t)>(const_cast<void*>(at));
  EXPECT_EQ(kernel(0), 12u);
  EXPECT_EQ(kernel(2), 210u);
  EXPECT_EQ((*loaded)->find("nothing"), nullptr);
}

TEST(CpuObject, UnknownSymbolsAreNamed) {
  NEED_LLVM();
  auto object = compile_object(kText, host_processor(), Effort::kFull);
  ASSERT_TRUE(object.ok());
  auto loaded = CodeObject::load(*object, [](std::string_view) -> const void* { return nullptr; });
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().kind(), base::ErrorKind::not_found);
}

TEST(CpuObject, BrokenObjectsAreRefused) {
  NEED_LLVM();
  auto object = compile_object(kText, host_processor(), Effort::kFull);
  ASSERT_TRUE(object.ok());
  EXPECT_FALSE(CodeObject::load("", known).ok());
  EXPECT_FALSE(CodeObject::load(
                   "no object at all, but long enough to hold a header, or so one might think.....", known)
                   .ok());
  for (size_t keep = 0; keep < object->size(); keep += 37) {
    auto loaded = CodeObject::load(object->substr(0, keep), known);
    EXPECT_FALSE(loaded.ok()) << keep;
  }
}

// Sums of sizes in a corrupted object must not wrap around, and nothing outside of it is read.
TEST(CpuObject, NumbersOutOfRangeAreRefused) {
  NEED_LLVM();
  const auto object = compile_object(kText, host_processor(), Effort::kFull);
  ASSERT_TRUE(object.ok());
  Elf64_Ehdr header;
  std::memcpy(&header, object->data(), sizeof(header));
  const auto loads = [](const std::string& bytes) { return CodeObject::load(bytes, known).ok(); };
  const auto with_header = [&](auto&& change) {
    std::string bytes = *object;
    Elf64_Ehdr changed = header;
    change(changed);
    std::memcpy(bytes.data(), &changed, sizeof(changed));
    return bytes;
  };
  EXPECT_FALSE(loads(with_header([](Elf64_Ehdr& h) { h.e_shoff = ~uint64_t{0} - 63; })));
  for (size_t s = 0; s < header.e_shnum; ++s) {
    const auto with_section = [&](auto&& change) {
      std::string bytes = *object;
      char* const at = bytes.data() + header.e_shoff + s * sizeof(Elf64_Shdr);
      Elf64_Shdr section;
      std::memcpy(&section, at, sizeof(section));
      change(section);
      std::memcpy(at, &section, sizeof(section));
      return bytes;
    };
    for (const uint64_t align : {uint64_t{1} << 63, ~uint64_t{0}, uint64_t{3}, uint64_t{8192}})
      EXPECT_FALSE(loads(with_section([&](Elf64_Shdr& h) { h.sh_addralign = align; }))) << s;
    EXPECT_FALSE(loads(with_section([&](Elf64_Shdr& h) { h.sh_offset = ~uint64_t{0} - 7, h.sh_size = 16; })))
        << s;
    // A section without a type that must be copied, and names in a section without bytes.
    EXPECT_FALSE(loads(with_section([&](Elf64_Shdr& h) {
      h.sh_type = SHT_NULL, h.sh_flags = SHF_ALLOC, h.sh_offset = uint64_t{1} << 40, h.sh_size = 64;
    }))) << s;
    (void)loads(
        with_section([&](Elf64_Shdr& h) { h.sh_type = SHT_NOBITS, h.sh_offset = uint64_t{1} << 40; }));
  }
}

// The code of both architectures is linked here; only this one's can run.
TEST(CpuObject, RelocatesForBothProcessors) {
  NEED_LLVM();
  Processor arm;
  arm.triple = "aarch64-unknown-linux-gnu";
  arm.cpu = "generic";
  Processor intel;
  intel.triple = "x86_64-unknown-linux-gnu";
  intel.cpu = "x86-64";
  for (const Processor& p : {arm, intel}) {
    auto object = compile_object(kText, p, Effort::kFull);
    ASSERT_TRUE(object.ok()) << object.error().to_string();
    auto linked = link_image(*object, known);
    ASSERT_TRUE(linked.ok()) << p.triple << ": " << linked.error().to_string();
    EXPECT_EQ(*linked, "linked");
  }
}

TEST(CpuHelpers, AreAllThere) {
#define X(name, type) EXPECT_NE(helper_address(#name), nullptr) << #name;
  QUERN_LLVM_HELPERS(X)
#undef X
  EXPECT_EQ(helper_address("system"), nullptr);
}

}  // namespace
}  // namespace quern::cpu
