#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using ir::Op;
using ir::Type;
using ir::Value;

namespace {

// The part of a value selected by literal indices: its first leaf and its type.
struct Part {
  uint64_t first = 0;
  const TypeInfo* type = nullptr;
};

Part find_part(Emitter& e, Id whole, std::span<const uint32_t> indices) {
  Part part{0, &e.type(whole)};
  for (const uint32_t index : indices) {
    const TypeInfo* below = e.types().member(*part.type, index);
    if (below == nullptr) {
      e.fail(message::kUnknownPart(std::to_string(index), std::to_string(part.type->id)));
      return part;
    }
    part.first += e.types().first_leaf(*part.type, index);
    part.type = below;
  }
  return part;
}

bool is_whole(Emitter& e, const Val& v, const Part& part) {
  const bool fits = !v.is_zero && part.first + part.type->leaves <= v.leaves.size();
  if (!fits) e.fail(message::kPartOfPartialValue());
  return fits;
}

void extract(Emitter& e) {
  const Val whole = e.arg(0);
  const Part part = find_part(e, whole.type, e.words(1));
  if (e.failed() || !is_whole(e, whole, part)) return;
  const auto from = whole.leaves.begin() + static_cast<long>(part.first);
  e.define(Leaves(from, from + static_cast<long>(part.type->leaves)));
}

void insert(Emitter& e) {
  const Val fresh = e.arg(0);
  Val whole = e.arg(1);
  const Part part = find_part(e, whole.type, e.words(2));
  if (e.failed() || !is_whole(e, whole, part)) return;
  if (fresh.leaves.size() != part.type->leaves) return e.fail(message::kInsertedType());
  for (size_t k = 0; k < fresh.leaves.size(); ++k) {
    Value*& at = whole.leaves[part.first + k];
    at = e.leaf(fresh, k, at->type);
  }
  e.define(std::move(whole.leaves));
}

void construct(Emitter& e) {
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  Leaves out;
  for (const Id id : e.words(0)) {
    const Val v = e.value(id);
    if (v.is_table || v.is_zero || out.size() + v.leaves.size() > results.size())
      return e.fail(message::kPartType(std::to_string(id)));
    for (size_t k = 0; k < v.leaves.size(); ++k) out.push_back(e.leaf(v, k, results[out.size()]));
  }
  e.define(std::move(out));
}

void shuffle(Emitter& e) {
  constexpr uint32_t kNothing = ~0u;
  const Val a = e.arg(0), b = e.arg(1);
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  const std::span<const uint32_t> picks = e.words(2);
  if (picks.size() != results.size()) return e.fail(message::kSelectedCount());
  Leaves out;
  for (size_t k = 0; k < picks.size() && !e.failed(); ++k) {
    if (picks[k] == kNothing) {
      out.push_back(e.b.module().undef(results[k]));
    } else if (picks[k] < a.leaves.size()) {
      out.push_back(e.leaf(a, picks[k], results[k]));
    } else {
      out.push_back(e.leaf(b, picks[k] - a.leaves.size(), results[k]));
    }
  }
  e.define(std::move(out));
}

void extract_dynamic(Emitter& e) {
  const Val v = e.arg(0);
  Value* index = e.integer_arg(1);
  if (v.leaves.empty()) return e.fail(message::kNoComponents());
  Value* found = v.leaves[0];
  for (size_t k = 1; k < v.leaves.size(); ++k)
    found =
        e.b.select(e.b.compare(Op::kEq, index, e.number(index->type, k)), e.leaf(v, k, found->type), found);
  e.define(Leaves{found});
}

void insert_dynamic(Emitter& e) {
  const Val v = e.arg(0), fresh = e.arg(1);
  Value* index = e.integer_arg(2);
  Leaves out;
  for (size_t k = 0; k < v.leaves.size(); ++k) {
    Value* here = e.b.compare(Op::kEq, index, e.number(index->type, k));
    out.push_back(e.b.select(here, e.leaf(fresh, 0, v.leaves[k]->type), v.leaves[k]));
  }
  e.define(std::move(out));
}

void undefined(Emitter& e) {
  Leaves out;
  for (const Type* t : e.leaf_types(e.result_type())) out.push_back(e.b.module().undef(t));
  e.define(std::move(out));
}

// The same numbers, possibly with another type.
void copy(Emitter& e) {
  Val v = e.arg(0);
  const std::vector<const Type*> results =
      v.is_zero ? std::vector<const Type*>() : e.leaf_types(e.result_type());
  if (results.size() != v.leaves.size()) return e.fail(message::kCopiedType());
  for (size_t k = 0; k < results.size() && !v.is_table; ++k) v.leaves[k] = e.leaf(v, k, results[k]);
  e.define(std::move(v));
}

}  // namespace

bool emit_composite(Emitter& e) {
  switch (e.at().opcode) {
    case Opcode::kUndef: undefined(e); return true;
    case Opcode::kCompositeExtract: extract(e); return true;
    case Opcode::kCompositeInsert: insert(e); return true;
    case Opcode::kCompositeConstruct: construct(e); return true;
    case Opcode::kVectorShuffle: shuffle(e); return true;
    case Opcode::kVectorExtractDynamic: extract_dynamic(e); return true;
    case Opcode::kVectorInsertDynamic: insert_dynamic(e); return true;
    case Opcode::kCopyObject:
    case Opcode::kExpectKHR:
    case Opcode::kCopyLogical: copy(e); return true;
    default: return false;
  }
}

}  // namespace quern::spirv
