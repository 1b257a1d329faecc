#include "lang/text/token.hpp"

#include <algorithm>
#include <cstring>

namespace quern::lang {

namespace {

struct NamedToken {
  std::string_view text;
  Tok kind;
};

constexpr NamedToken kNamedTokens[] = {
#define X(name) {#name, Tok::kw_##name},
    QUERN_KEYWORDS(X)
#undef X
    // C++'s alternative spellings of its operators.
    {"and", Tok::kAmpAmp},
    {"and_eq", Tok::kAmpEqual},
    {"bitand", Tok::kAmp},
    {"bitor", Tok::kPipe},
    {"compl", Tok::kTilde},
    {"not", Tok::kExclaim},
    {"not_eq", Tok::kExclaimEqual},
    {"or", Tok::kPipePipe},
    {"or_eq", Tok::kPipeEqual},
    {"xor", Tok::kCaret},
    {"xor_eq", Tok::kCaretEqual},
};

constexpr std::string_view kSpellings[] = {"end of file",
                                           "identifier",
                                           "number",
                                           "string",
                                           "character",
                                           "unknown character",
#define X(name, spelling) spelling,
                                           QUERN_PUNCTUATORS(X)
#undef X
#define X(name) #name,
                                               QUERN_KEYWORDS(X)
#undef X
};

constexpr size_t kFirstSlots = 1024;
constexpr size_t kStoreBlock = 8192;

uint64_t load(const char* p, size_t n) {
  uint64_t word = 0;
  std::memcpy(&word, p, n);
  return word;
}

// Reads eight bytes per step; identifiers are short, so most take one or two multiplications.
uint32_t hash_of(std::string_view text) {
  constexpr uint64_t kMul = 0x9E3779B97F4A7C15u;
  const char* p = text.data();
  size_t n = text.size();
  uint64_t h = n * kMul;
  for (; n > 8; n -= 8, p += 8) {
    h = (h ^ load(p, 8)) * kMul;
    h ^= h >> 29;
  }
  uint64_t tail = 0;
  if (n >= 4) {
    tail = load(p, 4) | (load(p + n - 4, 4) << 32);
  } else if (n != 0) {
    const auto byte = [p](size_t i) { return static_cast<uint64_t>(static_cast<unsigned char>(p[i])); };
    tail = byte(0) | (byte(n / 2) << 8) | (byte(n - 1) << 16);
  }
  h = (h ^ tail) * kMul;
  return static_cast<uint32_t>(h >> 32);
}

}  // namespace

IdentTable::IdentTable() : slots_(kFirstSlots) {
  for (const NamedToken& named : kNamedTokens) get(named.text)->keyword = named.kind;
}

Ident* IdentTable::get(std::string_view text) {
  const uint32_t hash = hash_of(text);
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i].ident != nullptr; i = (i + 1) & mask) {
    if (slots_[i].hash == hash && slots_[i].ident->text == text) return slots_[i].ident;
  }
  return insert(text, hash);
}

Ident* IdentTable::insert(std::string_view text, uint32_t hash) {
  if ((idents_.size() + 1) * 2 > slots_.size()) grow();
  Ident& ident = idents_.emplace_back();
  ident.text = store(text);
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].ident != nullptr) i = (i + 1) & mask;
  slots_[i] = {hash, &ident};
  return &ident;
}

void IdentTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.ident == nullptr) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].ident != nullptr) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

std::string_view IdentTable::store(std::string_view text) {
  if (text.size() > free_size_) {
    free_size_ = std::max(text.size(), kStoreBlock);
    blocks_.push_back(std::make_unique<char[]>(free_size_));
    free_ = blocks_.back().get();
  }
  char* place = free_;
  std::memcpy(place, text.data(), text.size());
  free_ += text.size();
  free_size_ -= text.size();
  return {place, text.size()};
}

std::string_view spelling(Tok kind) { return kSpellings[static_cast<size_t>(kind)]; }

}  // namespace quern::lang
