// Stores that bypass the caches: of whole cache lines, to write-only buffers, in launches that the device
// considers large enough. Whether this is one, and whether the address is aligned to a line, is tested at run
// time with one comparison: the context has the address bits that must be 0, which are all bits if the launch
// is not.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

// `stores` writes `bytes` from an address on; its argument is the suffix of each store.
void Emitter::store_either_way(const Text& to, uint64_t bytes, const Text& align,
                               const std::function<void(const Text& how)>& stores) {
  const Text usual = ", align " + align;
  const bool may_go_past =
      is_outflow_ && bytes % kCacheLine == 0 && !options_.is_quick && !options_.is_aarch64;
  if (!may_go_past) return stores(usual);
  const Text past = fresh_label("past"), cached = fresh_label("cached"), stored = fresh_label("stored");
  const Text address = def("ptrtoint ptr " + to + " to i64");
  const Text bits = def("and i64 " + address + ", " + context_field(kAtPastMask, "i64"));
  // The common path has no branch: accesses to the first cache suffer from a branch, accesses to memory do
  // not.
  line("br i1 " + def("icmp eq i64 " + bits + ", 0") + ", label %" + past + ", label %" + cached +
       ", !prof !8");
  is_terminated_ = true;
  label(past);
  stores(", align " + std::to_string(kCacheLine) + ", !nontemporal !7");
  br(stored);
  label(cached);
  stores(usual);
  label(stored);
}

}  // namespace quern::llvm
