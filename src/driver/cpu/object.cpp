#include "driver/cpu/object.hpp"

#include <cstring>
#include <vector>

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/round_up.hpp"
#include "base/text.hpp"
#include "driver/cpu/messages.hpp"
#include "driver/cpu/relocate.hpp"
#include "driver/cpu/shown_code.hpp"

namespace quern::cpu {

using base::Error;
using base::ErrorKind;
using base::format;

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;
constexpr uint64_t kMostAlign = 4096;  // guaranteed by mmap

Error broken(const std::string& what) { return {ErrorKind::bad_input, message::kInvalidObject(what)}; }

// Both are far below 2^63 (kMostBytes, kMostAlign): the sum cannot overflow.

}  // namespace

// Code and stubs on separate pages; then the address table and all data.
class ObjectLoader {
 public:
  ObjectLoader(std::string_view bytes, const Resolver& resolve) : bytes_(bytes), resolve_(resolve) {}

  base::Result<std::unique_ptr<CodeObject>> load(bool may_run) {
    QUERN_TRY(read_header(may_run));
    QUERN_TRY(place_sections());
    std::unique_ptr<CodeObject> object(new CodeObject());
    QUERN_TRY(map(*object));
    for (size_t s = 0; s < sections_.size(); ++s) {
      if (sections_[s].sh_type == SHT_RELA) QUERN_TRY(relocate(sections_[s]));
    }
    QUERN_TRY(collect_symbols(*object));
    if (may_run) QUERN_TRY(protect(*object));
    object->code_bytes_ = code_bytes_;
    object->places_ = places_;
    return object;
  }

 private:
  template <typename T>
  base::Result<T> read(uint64_t at) const {
    T value;
    if (at > bytes_.size() || sizeof(T) > bytes_.size() - at) return broken("it is truncated");
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }

  base::Result<> read_header(bool may_run) {
    QUERN_TRY_ASSIGN(const auto header, read<Elf64_Ehdr>(0));
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL) {
      return broken("it is not a 64-bit relocatable ELF object");
    }
    machine_ = header.e_machine;
    if (machine_ != EM_AARCH64 && machine_ != EM_X86_64)
      return Error(ErrorKind::unsupported, message::kOtherMachine(std::to_string(unsigned{machine_})));
#if defined(__aarch64__)
    constexpr uint16_t kOwn = EM_AARCH64;
#else
    constexpr uint16_t kOwn = EM_X86_64;
#endif
    if (may_run && machine_ != kOwn) return Error(ErrorKind::unsupported, message::kOtherProcessor());
    if (header.e_shoff > bytes_.size()) return broken("it is truncated");
    for (uint64_t s = 0; s < header.e_shnum; ++s) {
      QUERN_TRY_ASSIGN(const auto section, read<Elf64_Shdr>(header.e_shoff + s * sizeof(Elf64_Shdr)));
      QUERN_TRY(check_section(section));
      sections_.push_back(section);
      if (section.sh_type == SHT_SYMTAB) symtab_ = s;
    }
    if (symtab_ == 0) return broken("it has no symbols");
    return {};
  }

  base::Result<> check_section(const Elf64_Shdr& section) const {
    if (section.sh_type != SHT_NOBITS &&
        (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset))
      return broken("a section is outside of the file");
    if (section.sh_size > kMostBytes) return broken("a section is larger than 1 GiB");
    if (section.sh_addralign > kMostAlign || (section.sh_addralign & (section.sh_addralign - 1)) != 0)
      return broken(format("a section has an alignment of %llu bytes",
                           static_cast<unsigned long long>(section.sh_addralign)));
    return {};
  }

  base::Result<> place_sections() {
    places_.assign(sections_.size(), 0);
    const auto place = [&](bool is_code) {
      for (size_t s = 0; s < sections_.size(); ++s) {
        const Elf64_Shdr& section = sections_[s];
        if ((section.sh_flags & SHF_ALLOC) == 0 || ((section.sh_flags & SHF_EXECINSTR) != 0) != is_code)
          continue;
        size_ = base::round_up(size_, std::max<uint64_t>(1, section.sh_addralign));
        places_[s] = size_;
        size_ += section.sh_size;  // at most 2^16 sections of 2^30 bytes
      }
    };
    place(true);
    const uint64_t symbols = sections_[symtab_].sh_size / sizeof(Elf64_Sym);
    stubs_at_ = base::round_up(size_, 16);
    const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    code_bytes_ = base::round_up(stubs_at_ + symbols * kStubBytes, page);
    table_at_ = code_bytes_;
    size_ = table_at_ + symbols * sizeof(uint64_t);
    place(false);
    size_ = base::round_up(size_ + sizeof(uint64_t), page);  // a wide relocation at the end stays inside
    if (size_ > kMostBytes) return broken("it is larger than 1 GiB");
    return {};
  }

  base::Result<> map(CodeObject& object) {
    void* memory = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return Error(ErrorKind::out_of_memory, message::kNoMemoryForCode());
    object.memory_ = static_cast<std::byte*>(memory);
    object.bytes_ = size_;
    base_ = object.memory_;
    for (size_t s = 0; s < sections_.size(); ++s) {
      const Elf64_Shdr& section = sections_[s];
      if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_type == SHT_NOBITS) continue;
      std::memcpy(base_ + places_[s], bytes_.data() + section.sh_offset, section.sh_size);
    }
    return {};
  }

  base::Result<Elf64_Sym> symbol(uint64_t index) const {
    if (index >= sections_[symtab_].sh_size / sizeof(Elf64_Sym)) return broken("a symbol is missing");
    return read<Elf64_Sym>(sections_[symtab_].sh_offset + index * sizeof(Elf64_Sym));
  }

  base::Result<std::string> name_of(const Elf64_Sym& s) const {
    const uint64_t strings = sections_[symtab_].sh_link;
    if (strings >= sections_.size() || sections_[strings].sh_type != SHT_STRTAB ||
        s.st_name >= sections_[strings].sh_size)
      return broken("a name is missing");
    const char* from = bytes_.data() + sections_[strings].sh_offset + s.st_name;
    return std::string(from, ::strnlen(from, sections_[strings].sh_size - s.st_name));
  }

  base::Result<uint64_t> address_of(const Elf64_Sym& s) const {
    if (s.st_shndx == SHN_ABS) return uint64_t{s.st_value};
    if (s.st_shndx != SHN_UNDEF) {
      if (s.st_shndx >= sections_.size()) return broken("a symbol is in no section");
      if (s.st_value > sections_[s.st_shndx].sh_size) return broken("a symbol is outside of its section");
      return reinterpret_cast<uint64_t>(base_) + places_[s.st_shndx] + s.st_value;
    }
    QUERN_TRY_ASSIGN(const std::string name, name_of(s));
    const void* at = resolve_(name);
    if (at == nullptr) return Error(ErrorKind::not_found, message::kUndefinedSymbol(name));
    return reinterpret_cast<uint64_t>(at);
  }

  base::Result<> relocate(const Elf64_Shdr& table) {
    const uint64_t target = table.sh_info;
    if (target >= sections_.size()) return broken("relocations for no section");
    if ((sections_[target].sh_flags & SHF_ALLOC) == 0) return {};
    for (uint64_t k = 0; k < table.sh_size / sizeof(Elf64_Rela); ++k) {
      QUERN_TRY_ASSIGN(const auto entry, read<Elf64_Rela>(table.sh_offset + k * sizeof(Elf64_Rela)));
      const uint64_t index = ELF64_R_SYM(entry.r_info);
      QUERN_TRY_ASSIGN(const Elf64_Sym s, symbol(index));
      Relocation r;
      r.kind = static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info));
      r.addend = entry.r_addend;
      const uint64_t room = sections_[target].sh_size;
      if (entry.r_offset > room || room - entry.r_offset < sizeof(uint32_t))
        return broken("a relocation is outside of its section");
      r.place = base_ + places_[target] + entry.r_offset;
      if (r.kind != 0) {
        QUERN_TRY_ASSIGN(r.symbol, address_of(s));
      }
      r.table_entry = base_ + table_at_ + index * sizeof(uint64_t);
      r.stub = base_ + stubs_at_ + index * kStubBytes;
      QUERN_TRY(machine_ == EM_AARCH64 ? relocate_aarch64(r) : relocate_x86_64(r));
    }
    return {};
  }

  base::Result<> collect_symbols(CodeObject& object) {
    for (uint64_t k = 1; k < sections_[symtab_].sh_size / sizeof(Elf64_Sym); ++k) {
      QUERN_TRY_ASSIGN(const Elf64_Sym s, symbol(k));
      // An absolute symbol is a number, not an address in this object.
      const bool is_here = s.st_shndx != SHN_UNDEF && s.st_shndx != SHN_ABS;
      if (!is_here || ELF64_ST_BIND(s.st_info) != STB_GLOBAL) continue;
      QUERN_TRY_ASSIGN(const uint64_t at, address_of(s));
      QUERN_TRY_ASSIGN(const std::string name, name_of(s));
      object.symbols_[name] = reinterpret_cast<const void*>(at);
    }
    return {};
  }

  base::Result<> protect(const CodeObject& object) const {
    if (::mprotect(object.memory_, code_bytes_, PROT_READ | PROT_EXEC) != 0)
      return Error(ErrorKind::unsupported, message::kNotExecutable());
    __builtin___clear_cache(reinterpret_cast<char*>(object.memory_),
                            reinterpret_cast<char*>(object.memory_ + code_bytes_));
    return {};
  }

  std::string_view bytes_;
  const Resolver& resolve_;
  uint16_t machine_ = 0;
  std::vector<Elf64_Shdr> sections_;
  std::vector<uint64_t> places_;
  size_t symtab_ = 0;
  uint64_t size_ = 0, stubs_at_ = 0, table_at_ = 0, code_bytes_ = 0;
  std::byte* base_ = nullptr;
};

base::Result<std::unique_ptr<CodeObject>> CodeObject::load(std::string_view bytes, const Resolver& resolve) {
  return ObjectLoader(bytes, resolve).load(true);
}

base::Result<std::string> link_image(std::string_view bytes, const Resolver& resolve) {
  QUERN_TRY_ASSIGN(const std::unique_ptr<CodeObject> object, ObjectLoader(bytes, resolve).load(false));
  const void* entry = object->find("kernel");
  return entry != nullptr ? std::string("linked") : std::string();
}

CodeObject::CodeObject() = default;

void CodeObject::show(std::string_view bytes, const std::string& name) {
  shown_ = std::make_unique<ShownCode>(bytes, memory_, places_, code_bytes_, name);
}

CodeObject::~CodeObject() {
  shown_.reset();
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

const void* CodeObject::find(const std::string& symbol) const {
  const auto at = symbols_.find(symbol);
  return at != symbols_.end() ? at->second : nullptr;
}

}  // namespace quern::cpu
