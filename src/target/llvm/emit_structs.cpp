// Adjacent structs of equal numbers, one for each lane (such as float4): one access to all of them, and
// shuffles between that order and one vector for each member. LLVM maps them to the processor's interleaving
// loads and stores.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

namespace {

constexpr size_t kMostMembers = 4;

std::string vector_of(uint64_t count, std::string_view element) {
  return "<" + std::to_string(count) + " x " + std::string(element) + ">";
}

template <typename Index>
std::string indices(uint64_t count, Index&& index) {
  std::string list;
  for (uint64_t i = 0; i < count; ++i) list += (i > 0 ? ", i32 " : "i32 ") + std::to_string(index(i));
  return vector_of(count, "i32") + " <" + list + ">";
}

}  // namespace

bool Emitter::is_struct_row(const Val& pointer, const ir::Type* type, const std::vector<Leaf>& all) const {
  if (width_ == 1 || all.size() < 2 || all.size() > kMostMembers || !mask_.is_all()) return false;
  if (pointer.rep != Rep::kAffine || pointer.stride != static_cast<int64_t>(type->size)) return false;
  const ir::Type* member = all[0].type;
  if (member->is_bool() || member->is_ptr() || member->size * all.size() != type->size) return false;
  for (size_t k = 0; k < all.size(); ++k) {
    if (all[k].type != member || all[k].offset != k * member->size) return false;
  }
  return true;
}

Val Emitter::load_struct_row(const Val& pointer, const ir::Type* type, const std::vector<Leaf>& all) {
  const ir::Type* member = all[0].type;
  const uint64_t count = all.size();
  const Text row = vector_of(width_ * count, memory_spelling(member));
  const Text everything =
      def("load " + row + ", ptr " + pointer.text + ", align " + std::to_string(member->align));
  std::vector<Val> parts;
  for (uint64_t k = 0; k < count; ++k) {
    parts.push_back(
        vector_val(member, def("shufflevector " + row + " " + everything + ", " + row + " poison, " +
                               indices(width_, [&](uint64_t lane) { return lane * count + k; }))));
  }
  return whole(type, std::move(parts));
}

void Emitter::store_struct_row(const Val& pointer, const std::vector<Leaf>& all, const Val& v) {
  const ir::Type* member = all[0].type;
  const Text element = memory_spelling(member);
  const uint64_t count = all.size();
  std::vector<Text> parts;
  for (const Val& part : v.parts) parts.push_back(as_vector(part));
  uint64_t length = width_;
  while (parts.size() > 1) {  // one after the other
    if (parts.size() % 2 != 0) parts.emplace_back("poison");
    const Text half = vector_of(length, element);
    std::vector<Text> pairs;
    for (size_t k = 0; k < parts.size(); k += 2) {
      pairs.push_back(def("shufflevector " + half + " " + parts[k] + ", " + half + " " + parts[k + 1] + ", " +
                          indices(2 * length, [](uint64_t i) { return i; })));
    }
    parts = std::move(pairs);
    length *= 2;
  }
  const Text joined = vector_of(length, element), row = vector_of(width_ * count, element);
  const Text woven = def("shufflevector " + joined + " " + parts[0] + ", " + joined + " poison, " +
                         indices(width_ * count, [&](uint64_t i) { return i % count * width_ + i / count; }));
  store_either_way(
      pointer.text, width_ * count * member->size, std::to_string(member->align),
      [&](const Text& tail) { line("store " + row + " " + woven + ", ptr " + pointer.text + tail); });
}

}  // namespace quern::llvm
