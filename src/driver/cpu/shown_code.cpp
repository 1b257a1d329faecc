#include "driver/cpu/shown_code.hpp"

#include <cstring>
#include <mutex>

#include <elf.h>
#include <unistd.h>

#include "base/log.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"

namespace quern::cpu {

// As defined by gdb's JIT interface.
struct GdbEntry {
  GdbEntry* next = nullptr;
  GdbEntry* previous = nullptr;
  const char* file = nullptr;
  uint64_t bytes = 0;
};

struct GdbList {
  uint32_t version = 1;
  uint32_t action = 0;
  GdbEntry* relevant = nullptr;
  GdbEntry* first = nullptr;
};

}  // namespace quern::cpu

// gdb sets a breakpoint on one and reads the other, by these names.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming,cppcoreguidelines-avoid-non-const-global-variables)
extern quern::cpu::GdbList __jit_debug_descriptor;
void __jit_debug_register_code();
__attribute__((used)) quern::cpu::GdbList __jit_debug_descriptor;
__attribute__((used, noinline)) void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming,cppcoreguidelines-avoid-non-const-global-variables)
}

namespace quern::cpu {
namespace {

constexpr uint32_t kRegister = 1, kUnregister = 2;

std::mutex& gdb_mutex() {
  static std::mutex mutex;
  return mutex;
}

void notify_gdb(uint32_t action, GdbEntry* entry) {
  __jit_debug_descriptor.action = action;
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_register_code();
}

void notify_perf(const std::byte* code, uint64_t bytes, const std::string& name) {
  const std::string path = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
  // The name is predictable and set by perf: a file, link or pipe that another user created there is not
  // used.
  const auto file = base::open_output(path, base::OutputMode::kAppend, "perf's map of code", 0600);
  if (!file.ok()) {
    base::log(base::LogLevel::kWarning, "%s", file.error().message().c_str());
    return;
  }
  const std::string line =
      base::format("%llx %llx %s\n", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(code)),
                   static_cast<unsigned long long>(bytes), name.c_str());
  (void)base::write_all(file->get(), line);
}

}  // namespace

ShownCode::ShownCode(std::string_view object, const std::byte* memory, const std::vector<uint64_t>& places,
                     uint64_t code_bytes, const std::string& name)
    : object_(object), entry_(std::make_unique<GdbEntry>()) {
  Elf64_Ehdr header;
  std::memcpy(&header, object_.data(), sizeof(header));
  for (size_t s = 0; s < places.size(); ++s) {
    char* const at = object_.data() + header.e_shoff + s * sizeof(Elf64_Shdr);
    Elf64_Shdr section;
    std::memcpy(&section, at, sizeof(section));
    if ((section.sh_flags & SHF_ALLOC) != 0) section.sh_addr = reinterpret_cast<uint64_t>(memory) + places[s];
    std::memcpy(at, &section, sizeof(section));
  }
  entry_->file = object_.data();
  entry_->bytes = object_.size();
  const std::lock_guard<std::mutex> lock(gdb_mutex());
  entry_->next = __jit_debug_descriptor.first;
  if (entry_->next != nullptr) entry_->next->previous = entry_.get();
  __jit_debug_descriptor.first = entry_.get();
  notify_gdb(kRegister, entry_.get());
  notify_perf(memory, code_bytes, name);
}

ShownCode::~ShownCode() {
  const std::lock_guard<std::mutex> lock(gdb_mutex());
  if (entry_->previous != nullptr) entry_->previous->next = entry_->next;
  if (entry_->next != nullptr) entry_->next->previous = entry_->previous;
  if (__jit_debug_descriptor.first == entry_.get()) __jit_debug_descriptor.first = entry_->next;
  notify_gdb(kUnregister, entry_.get());
}

}  // namespace quern::cpu
