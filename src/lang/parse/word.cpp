#include "lang/parse/word.hpp"

namespace quern::lang {

namespace {

struct Entry {
  std::string_view text;
  Word word;
};

// Ident::decls of a word points at its entry.
constexpr Entry kWords[] = {
    {"__global__", Word::kGlobal},
    {"__device__", Word::kDevice},
    {"__host__", Word::kHost},
    {"__shared__", Word::kShared},
    {"__constant__", Word::kConstant},
    {"__managed__", Word::kManaged},
    {"__inline__", Word::kInline},
    {"__inline", Word::kInline},
    {"__forceinline__", Word::kInline},
    {"__forceinline", Word::kInline},
    {"__noinline__", Word::kNoInline},
    {"__restrict__", Word::kRestrict},
    {"__restrict", Word::kRestrict},
    {"restrict", Word::kRestrict},
    {"__const", Word::kConst},
    {"__const__", Word::kConst},
    {"__volatile__", Word::kVolatile},
    {"__volatile", Word::kVolatile},
    {"__signed__", Word::kSigned},
    {"__launch_bounds__", Word::kLaunchBounds},
    {"__align__", Word::kAlign},
    {"__builtin_align__", Word::kAlign},
    {"__attribute__", Word::kAttribute},
    {"__attribute", Word::kAttribute},
    {"__declspec", Word::kAttribute},
    {"__quern_unroll__", Word::kUnroll},
    {"__asm__", Word::kAsm},
    {"__asm", Word::kAsm},
    {"__alignof__", Word::kAlignof},
    {"__alignof", Word::kAlignof},
    {"__typeof__", Word::kTypeof},
    {"typeof", Word::kTypeof},
    {"__grid_constant__", Word::kIgnored},
    {"__extension__", Word::kIgnored},
    {"__cdecl", Word::kIgnored},
    {"__stdcall", Word::kIgnored},
    {"__cluster_dims__", Word::kClusterDims},
    {"__maxnreg__", Word::kIgnoredWithArgs},
    {"__block_size__", Word::kIgnoredWithArgs},
    {"consteval", Word::kConsteval},
    {"constinit", Word::kIgnored},
};

}  // namespace

void install_words(IdentTable& idents) {
  for (const Entry& entry : kWords) idents.get(entry.text)->decls = const_cast<Entry*>(&entry);
}

Word word_of(const Token& token) {
  if (token.kind != Tok::kIdentifier || token.ident->decls == nullptr) return Word::kNone;
  return static_cast<const Entry*>(token.ident->decls)->word;
}

bool takes_arguments(Word word) {
  switch (word) {
    case Word::kLaunchBounds:
    case Word::kClusterDims:
    case Word::kAlign:
    case Word::kAttribute:
    case Word::kUnroll:
    case Word::kIgnoredWithArgs:
    case Word::kTypeof: return true;
    default: return false;
  }
}

}  // namespace quern::lang
