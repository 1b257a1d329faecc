#include "driver/cpu/recipe.hpp"

#include <cstring>
#include <vector>

#include <elf.h>
#include <link.h>

#include "base/environment.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "lang/ir/text.hpp"
#include "target/llvm/abi.hpp"

namespace quern::cpu {
namespace {

constexpr std::string_view kForm = "recipe 1";
constexpr size_t kParts = 11;

// The build id among the notes of a segment.
std::string id_among(const std::byte* notes, size_t size) {
  const auto padded = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes + at, sizeof(head));
    const size_t name = at + sizeof(head), text = name + padded(head.n_namesz);
    if (text + head.n_descsz > size) break;
    const bool is_gnu = head.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0;
    if (is_gnu && head.n_type == NT_GNU_BUILD_ID)
      return {reinterpret_cast<const char*>(notes + text), head.n_descsz};
    at = text + padded(head.n_descsz);
  }
  return {};
}

// Called for each loaded program and library, until the one that contains `id_among` is found.
int look_at(dl_phdr_info* info, size_t, void* result) {
  const auto own = reinterpret_cast<uintptr_t>(&id_among);
  bool is_here = false;
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const auto& p = info->dlpi_phdr[i];
    const uintptr_t first = info->dlpi_addr + p.p_vaddr;
    is_here = is_here || (p.p_type == PT_LOAD && own >= first && own - first < p.p_memsz);
  }
  if (!is_here) return 0;
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const auto& p = info->dlpi_phdr[i];
    if (p.p_type != PT_NOTE) continue;
    std::string id = id_among(reinterpret_cast<const std::byte*>(info->dlpi_addr + p.p_vaddr), p.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(result) = std::move(id);
  }
  return 1;
}

void add_options(base::Hasher& hasher, const llvm::Options& o) {
  for (const uint64_t x :
       {uint64_t{o.width}, static_cast<uint64_t>(o.shape), uint64_t{o.is_ragged},
        uint64_t{o.has_masked_memory}, uint64_t{o.is_aarch64}, uint64_t{o.has_fma}, uint64_t{o.is_quick},
        uint64_t{o.is_thread}, uint64_t{o.has_comments}, uint64_t{o.is_fused}, uint64_t{o.is_fast},
        uint64_t{o.has_lines}, uint64_t{o.marks_places}, uint64_t{o.has_byte_products}})
    hasher.add(x);
}

}  // namespace

std::string build_id() {
  static const std::string kId = [] {
    std::string id;
    ::dl_iterate_phdr(look_at, &id);
    return id;
  }();
  return kId;
}

std::string to_text(const Recipe& r) {
  return base::format("%s\n%u\n%d\n%d\n%d\n%llu\n%llu\n%d\n%d\n", std::string(kForm).c_str(), r.own.width,
                      r.own.is_ragged ? 1 : 0, r.own.is_quick ? 1 : 0, static_cast<int>(r.effort),
                      static_cast<unsigned long long>(r.patience),
                      static_cast<unsigned long long>(r.record_bytes), r.is_abreast ? 1 : 0,
                      r.is_by_rows ? 1 : 0) +
         r.entry + "\n" + r.object_key;
}

std::optional<Recipe> recipe_from(std::string_view text, const llvm::Options& asked) {
  const std::vector<std::string_view> parts = base::split(text, '\n');
  if (parts.size() != kParts || parts[0] != kForm) return std::nullopt;
  std::vector<uint64_t> numbers;
  for (size_t i = 1; i + 2 < kParts; ++i) {
    const auto number = base::parse_uint(parts[i]);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  Recipe r;
  r.own = asked;
  r.own.width = static_cast<uint32_t>(numbers[0]);
  r.own.is_ragged = numbers[1] != 0;
  r.own.is_quick = numbers[2] != 0;
  r.effort = numbers[3] == static_cast<uint64_t>(Effort::kQuick) ? Effort::kQuick : Effort::kFull;
  r.patience = numbers[4];
  r.record_bytes = numbers[5];
  r.is_abreast = numbers[6] != 0;
  r.is_by_rows = numbers[7] != 0;
  r.entry = parts[kParts - 2];
  r.object_key = parts[kParts - 1];
  return r;
}

std::string recipe_key(const std::string& machine, const std::string& declarations,
                       const ir::Function& kernel, const llvm::Options& asked, std::optional<Effort> effort) {
  const bool is_watched = asked.has_lines || base::env_text("QUERN_CPU_DUMP").has_value();
  if (is_watched || build_id().empty()) return {};
  base::Hasher hasher;
  hasher.add_field(kForm)
      .add_field(build_id())
      .add_field(machine)
      .add_field(declarations)
      .add_field(ir::print(kernel));
  add_options(hasher, asked);
  hasher.add(effort ? static_cast<uint64_t>(*effort) : ~uint64_t{0});
  return hasher.finish().to_string();
}

}  // namespace quern::cpu
