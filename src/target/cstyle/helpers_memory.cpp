// Copies, and atomic operations that a language lacks, built from its compare-and-swap.
#include "target/cstyle/helpers.hpp"

namespace quern::target::cstyle {

namespace {

constexpr HelperText kHelpers[] = {
    {"copy", R"(@fn void quern_copy$suffix($to@u8* to, $from@u8* from, @u64 n) {
  for (@u64 i = 0; i < n; ++i) to[i] = from[i];
}
)"},
    {"set", R"(@fn void quern_set$suffix($to@u8* to, @u8 value, @u64 n) {
  for (@u64 i = 0; i < n; ++i) to[i] = value;
}
)"},
    // $0 the type, $1 the unsigned integer of its size; $value from a (the old value) and v.
    {"atomic", R"(@fn @$0 quern_atomic_$0_$1$suffix(@volatile $space@$1* p, @$0 v) {
  @$1 old = *p;
  for (;;) {
    @$0 a = $from(old);
    @$1 seen = $cas(p, old, $to($value));
    if (seen == old) return a;
    old = seen;
  }
}
)"},
    // 16 bits inside of the enclosing word.
    {"atomic16", R"(@fn @u16 quern_atomic16$suffix(@volatile $space@u16* p, @u16 v, @u16 expected) {
  @volatile $space@u32* word = (@volatile $space@u32*)((@address)p & ~(@address)3);
  @u32 shift = ((@u32)(@address)p & 2u) * 8u;
  @u32 old = *word;
  for (;;) {
    @u16 a = (@u16)(old >> shift);
    if ($stop) return a;
    @u32 seen = $cas(word, old, (old & ~(0xffffu << shift)) | ((@u32)($value) << shift));
    if (seen == old) return a;
    old = seen;
  }
}
)"},
};

}  // namespace

std::span<const HelperText> memory_helpers() { return kHelpers; }

}  // namespace quern::target::cstyle
