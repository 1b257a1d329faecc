#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "lang/expand/atomic_part.hpp"
#include "lang/expand/expand.hpp"
#include "lang/expand/messages.hpp"

namespace quern::expand {

namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

bool is_atomic(Op op) {
  return op == Op::kAtomicRmw || op == Op::kAtomicCas || op == Op::kAtomicLoad || op == Op::kAtomicStore;
}

bool is_access(const Inst& i) { return i.is(Op::kLoad) || i.is(Op::kStore) || is_atomic(i.op); }

const Type* accessed(const Inst* i) {
  return i->is(Op::kLoad) || i->is(Op::kAtomicLoad) ? i->type : i->operand(1)->type;
}

class WordLowering {
 public:
  WordLowering(ir::Module& module, ir::Function& function, std::vector<Unlowered>& problems)
      : r_(module, function), b_(r_.b), function_(function), problems_(problems) {}

  void run() {
    find_plain();
    for (const ir::Param* p : std::vector<ir::Param*>(function_.params)) {
      if (p->type->is_ptr()) offsets_[p] = r_.b.module().add_param(&function_, u32(), p->name + "_offset");
    }
    for (Inst* i :
         r_.find([&](const Inst& i) { return is_access(i) || is_null_check(i) || i.is(Op::kPtrToInt); })) {
      if (is_plain(i)) continue;
      r_.before(i);
      if (is_access(*i)) {
        lower(i);
      } else if (i->is(Op::kPtrToInt)) {
        begin_of(i);
      } else {
        compare(i);
      }
    }
    r_.finish();
  }

 private:
  // The target of an access: an object and a byte offset.
  struct Place {
    Value* base = nullptr;
    Value* byte = nullptr;   // u32
    Value* words = nullptr;  // u32: the same in words, if all steps are whole words
  };

  const Type* u32() { return r_.type(TypeKind::kU32); }
  Value* number(uint64_t n) { return r_.number(TypeKind::kU32, n); }

  // A variable that is only loaded and stored as a whole needs no memory.
  void find_plain() {
    std::unordered_set<const Value*> taken;
    pass::traverse(function_.body, [&](const Inst* i) {
      for (size_t k = 0; k < i->operands.size(); ++k) {
        const Inst* var = ir::as_inst(i->operand(k));
        if (var == nullptr || !var->is(Op::kVar)) continue;
        const bool is_whole = k == 0 && (i->is(Op::kLoad) || i->is(Op::kStore)) && !pass::is_volatile(i) &&
                              accessed(i) == var->attr().type;
        if (!is_whole) taken.insert(var);
      }
      if (i->is(Op::kVar) && i->attr().type->is_scalar()) plain_.insert(i);
    });
    for (const Value* v : taken) plain_.erase(v);
  }
  bool is_plain(const Inst* i) const { return is_access(*i) && plain_.count(i->operand(0)) != 0; }

  static bool is_null_check(const Inst& i) {
    return (i.is(Op::kEq) || i.is(Op::kNe)) && i.operand(0)->type->is_ptr();
  }

  void refuse(const Inst* i, const base::MessageText& reason) {
    problems_.push_back({&function_, i->pos, reason.str()});
  }

  // The offset of an argument in its buffer.
  void begin_of(Inst* i) {
    const auto offset = offsets_.find(i->operand(0));
    if (offset == offsets_.end()) return refuse(i, message::kAddressAsInteger());
    r_.replace(i, offset->second);
  }

  // The only remaining question is whether an argument is null.
  void compare(Inst* i) {
    Value* a = i->operand(0);
    if (pass::is_const_zero(a)) a = i->operand(1);
    const auto offset = offsets_.find(a);
    const bool asks_null = pass::is_const_zero(i->operand(0)) || pass::is_const_zero(i->operand(1));
    if (offset == offsets_.end() || !asks_null) {
      refuse(i, message::kComparesPointers());
      return;
    }
    r_.replace(i, b_.compare(i->op, offset->second, number(0xffffffff)));
  }

  // The sum of all steps; in words if each is a multiple of four bytes.
  Place place_of(Value* pointer) {
    std::vector<std::pair<Value*, uint64_t>> steps;
    uint64_t constant = 0;
    bool is_whole = true;
    while (const Inst* i = ir::as_inst(pointer)) {
      if (i->is(Op::kOffset)) {
        const uint64_t scale = i->attr().scale;
        if (const ir::Const* c = ir::as_const(r_.now(i->operand(1)))) {
          constant += static_cast<uint64_t>(ir::int_value(c)) * scale;
        } else {
          steps.emplace_back(b_.convert(r_.now(i->operand(1)), u32()), scale);
          is_whole = is_whole && scale % 4 == 0;
        }
      } else if (!i->is(Op::kSpaceCast)) {
        break;
      }
      pointer = i->operand(0);
    }
    is_whole = is_whole && constant % 4 == 0;
    Place p;
    p.base = pointer;
    const auto offset = offsets_.find(pointer);
    Value* start = offset != offsets_.end() ? offset->second : nullptr;
    if (is_whole) {
      if (start != nullptr) start = b_.op(Op::kShr, u32(), {start, number(2)});
      p.words = sum(steps, start, static_cast<uint32_t>(static_cast<int64_t>(constant) / 4), 4);
    } else {
      p.byte = sum(steps, start, constant, 1);
    }
    return p;
  }
  Value* sum(const std::vector<std::pair<Value*, uint64_t>>& steps, Value* start, uint64_t constant,
             uint64_t unit) {
    Value* out = start;
    const auto add = [&](Value* v) { out = out == nullptr ? v : b_.binary(Op::kAdd, out, v); };
    for (const auto& [index, scale] : steps)
      add(scale == unit ? index : b_.binary(Op::kMul, index, number(scale / unit)));
    if (static_cast<uint32_t>(constant) != 0 || out == nullptr) add(number(static_cast<uint32_t>(constant)));
    return out;
  }
  Value* byte_of(const Place& p) {
    return p.byte != nullptr ? p.byte : b_.op(Op::kShl, u32(), {p.words, number(2)});
  }
  Value* word_pointer(const Place& p, uint64_t more = 0) {
    Value* at = p.words != nullptr ? p.words : b_.op(Op::kShr, u32(), {p.byte, number(2)});
    if (more != 0) at = b_.binary(Op::kAdd, at, number(more));
    return b_.offset(p.base, at, 4);
  }
  Value* shift_of(const Place& p) {
    if (p.words != nullptr) return number(0);
    return b_.op(Op::kShl, u32(), {b_.binary(Op::kAnd, p.byte, number(3)), number(3)});
  }
  static bool is_own(const Place& p) { return ir::as_inst(p.base) != nullptr; }

  // --- accesses ---

  const Type* unsigned_of(uint64_t bytes) {
    return r_.type(bytes == 1 ? TypeKind::kU8 : bytes == 2 ? TypeKind::kU16 : TypeKind::kU32);
  }
  Value* cut(Value* word, Value* shift, const Type* t) {
    Value* bits = b_.convert(b_.op(Op::kShr, u32(), {word, shift}), unsigned_of(t->size));
    return t->is_bool() ? b_.convert(bits, t) : b_.bitcast(bits, t);
  }
  Value* bits_of(Value* v) {
    if (v->type->is_bool()) return b_.convert(v, u32());
    return b_.convert(b_.bitcast(v, unsigned_of(v->type->size)), u32());
  }
  Value* load_word(const Place& p, bool is_volatile) {
    return b_.load(u32(), word_pointer(p), 0, is_volatile);
  }

  void lower(Inst* i) {
    const Type* t = accessed(i);
    if (t->is_ptr()) return refuse(i, message::kPointerInMemory());
    if (t->size > 4) {
      return refuse(i, is_atomic(i->op) ? message::kWideAtomic() : message::kWideAccess());
    }
    const Place p = place_of(i->operand(0));
    if (!is_object(p.base)) {
      return refuse(i, message::kPointerFromMemory());
    }
    const uint32_t align = i->attr().align;
    const bool is_loose = !is_atomic(i->op) && align != 0 && align < t->align && t->size > 1;
    if (is_loose) return loose(i, p);
    if (t->size == 4) {
      i->operands[0] = word_pointer(p);
      i->mutable_attr().align = 0;
      return;
    }
    if (i->is(Op::kLoad)) {
      r_.replace(i, cut(load_word(p, i->attr().is_volatile), shift_of(p), t));
    } else if (i->is(Op::kStore) && is_own(p)) {
      store_own(p, r_.now(i->operand(1)));
      r_.replace(i, nullptr);
    } else {
      r_.replace(i, atomic_part(r_, i, word_pointer(p), shift_of(p)));
    }
  }

  bool is_object(const Value* base) const {
    const Inst* i = ir::as_inst(base);
    if (i != nullptr) return i->is(Op::kVar);
    return base->kind == ir::ValueKind::kGlobal || offsets_.count(base) != 0;
  }

  // Part of a thread-local word.
  void store_own(const Place& p, Value* v) {
    Value* pointer = word_pointer(p);
    Value* shift = shift_of(p);
    Value* ones = b_.op(Op::kShl, u32(), {number(v->type->size == 1 ? 0xff : 0xffff), shift});
    Value* kept = b_.binary(Op::kAnd, b_.load(u32(), pointer), b_.unary(Op::kNot, ones));
    b_.store(pointer, b_.binary(Op::kOr, kept, b_.op(Op::kShl, u32(), {bits_of(v), shift})));
  }

  // Unaligned accesses are done byte by byte.
  void loose(Inst* i, const Place& p) {
    const Type* t = accessed(i);
    const Type* u8 = r_.type(TypeKind::kU8);
    Value* first = byte_of(p);
    const auto at = [&](uint64_t k) {
      Place one;
      one.base = p.base;
      one.byte = k == 0 ? first : b_.binary(Op::kAdd, first, number(k));
      return one;
    };
    if (i->is(Op::kLoad)) {
      Value* word = number(0);
      for (uint64_t k = 0; k < t->size; ++k) {
        const Place one = at(k);
        Value* byte = b_.convert(cut(load_word(one, false), shift_of(one), u8), u32());
        word = b_.binary(Op::kOr, word, b_.op(Op::kShl, u32(), {byte, number(k * 8)}));
      }
      return r_.replace(i, cut(word, number(0), t));
    }
    Value* word = bits_of(r_.now(i->operand(1)));
    for (uint64_t k = 0; k < t->size; ++k) {
      const Place one = at(k);
      Value* byte = b_.convert(b_.op(Op::kShr, u32(), {word, number(k * 8)}), u8);
      if (is_own(one)) {
        store_own(one, byte);
      } else {
        Inst* store = b_.store(p.base, byte);
        atomic_part(r_, store, word_pointer(one), shift_of(one));
        store->parent->remove(store);
      }
    }
    r_.replace(i, nullptr);
  }

  Rewriter r_;
  ir::Builder& b_;
  ir::Function& function_;
  std::vector<Unlowered>& problems_;
  std::unordered_set<const Value*> plain_;
  std::unordered_map<const Value*, Value*> offsets_;  // of pointer parameters
};

}  // namespace

std::vector<Unlowered> lower_words(ir::Module& module, ir::Function& function) {
  std::vector<Unlowered> problems;
  WordLowering(module, function, problems).run();
  return problems;
}

}  // namespace quern::expand
