#include "driver/cpu/relocate.hpp"

#include <cstring>

#include <elf.h>

#include "base/text.hpp"
#include "driver/cpu/messages.hpp"

namespace quern::cpu {
namespace {

using base::Error;
using base::ErrorKind;

Error unknown(const char* processor, uint32_t kind) {
  return {ErrorKind::unsupported, message::kUnknownRelocation(std::to_string(kind), processor)};
}
Error too_far(uint32_t kind) {
  return {ErrorKind::internal, message::kRelocationRange(std::to_string(kind))};
}

template <typename T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof(T));
}
uint32_t word(const std::byte* at) {
  uint32_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return value;
}
uint64_t number(const std::byte* at) { return reinterpret_cast<uint64_t>(at); }
bool fits(int64_t value, int bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < (int64_t{1} << (bits - 1));
}

base::Result<> put_page(const Relocation& r, uint64_t target) {
  const int64_t pages =
      static_cast<int64_t>((target & ~uint64_t{4095}) - (number(r.place) & ~uint64_t{4095})) >> 12;
  if (!fits(pages, 21)) return too_far(r.kind);
  const auto imm = static_cast<uint32_t>(pages);
  put(r.place, (word(r.place) & 0x9F00001Fu) | (imm & 3) << 29 | (imm >> 2 & 0x7FFFF) << 5);
  return {};
}

void put_low12(const Relocation& r, uint64_t target, int shift) {
  const auto imm = static_cast<uint32_t>((target & 4095) >> shift);
  put(r.place, (word(r.place) & ~(0xFFFu << 10)) | imm << 10);
}

}  // namespace

base::Result<> relocate_aarch64(const Relocation& r) {
  const uint64_t target = r.symbol + static_cast<uint64_t>(r.addend);
  const auto distance = static_cast<int64_t>(target - number(r.place));
  switch (r.kind) {
    case R_AARCH64_NONE: return {};
    case R_AARCH64_ABS64: put(r.place, target); return {};
    case R_AARCH64_PREL64: put(r.place, distance); return {};
    case R_AARCH64_PREL32:
      if (!fits(distance, 32)) return too_far(r.kind);
      put(r.place, static_cast<int32_t>(distance));
      return {};
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26: {
      int64_t words = distance >> 2;
      if (!fits(words, 26)) {
        put(r.stub, uint32_t{0x58000050});      // ldr x16, the next word
        put(r.stub + 4, uint32_t{0xD61F0200});  // br x16
        put(r.stub + 8, target);
        words = static_cast<int64_t>(number(r.stub) - number(r.place)) >> 2;
        if (!fits(words, 26)) return too_far(r.kind);
      }
      put(r.place, (word(r.place) & 0xFC000000u) | (static_cast<uint32_t>(words) & 0x03FFFFFFu));
      return {};
    }
    case R_AARCH64_ADR_PREL_PG_HI21: return put_page(r, target);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC: put_low12(r, target, 0); return {};
    case R_AARCH64_LDST16_ABS_LO12_NC: put_low12(r, target, 1); return {};
    case R_AARCH64_LDST32_ABS_LO12_NC: put_low12(r, target, 2); return {};
    case R_AARCH64_LDST64_ABS_LO12_NC: put_low12(r, target, 3); return {};
    case R_AARCH64_LDST128_ABS_LO12_NC: put_low12(r, target, 4); return {};
    case R_AARCH64_ADR_GOT_PAGE: put(r.table_entry, target); return put_page(r, number(r.table_entry));
    case R_AARCH64_LD64_GOT_LO12_NC:
      put(r.table_entry, target);
      put_low12(r, number(r.table_entry), 3);
      return {};
    default: return unknown("aarch64", r.kind);
  }
}

base::Result<> relocate_x86_64(const Relocation& r) {
  const uint64_t target = r.symbol + static_cast<uint64_t>(r.addend);
  const auto distance = static_cast<int64_t>(target - number(r.place));
  switch (r.kind) {
    case R_X86_64_NONE: return {};
    case R_X86_64_64: put(r.place, target); return {};
    case R_X86_64_PC64: put(r.place, distance); return {};
    case R_X86_64_PC32:
    case R_X86_64_PLT32: {
      int64_t reach = distance;
      if (!fits(reach, 32) && r.kind == R_X86_64_PLT32) {
        put(r.stub, uint16_t{0x25FF});  // jmp *0(%rip)
        put(r.stub + 2, uint32_t{0});
        put(r.stub + 6, r.symbol);
        reach = static_cast<int64_t>(number(r.stub) + static_cast<uint64_t>(r.addend) - number(r.place));
      }
      if (!fits(reach, 32)) return too_far(r.kind);
      put(r.place, static_cast<int32_t>(reach));
      return {};
    }
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: {
      put(r.table_entry, r.symbol);
      const auto reach =
          static_cast<int64_t>(number(r.table_entry) + static_cast<uint64_t>(r.addend) - number(r.place));
      if (!fits(reach, 32)) return too_far(r.kind);
      put(r.place, static_cast<int32_t>(reach));
      return {};
    }
    default: return unknown("x86_64", r.kind);
  }
}

}  // namespace quern::cpu
