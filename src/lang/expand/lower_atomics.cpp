#include <optional>
#include <unordered_set>

#include "lang/expand/atomic_part.hpp"
#include "lang/expand/expand.hpp"
#include "lang/pass/walk.hpp"

namespace quern::expand {

namespace {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::Type;
using ir::TypeKind;
using ir::Value;

bool is_atomic(const Inst& i) {
  return i.is(Op::kAtomicRmw) || i.is(Op::kAtomicCas) || i.is(Op::kAtomicLoad) || i.is(Op::kAtomicStore);
}

const Type* accessed(const Inst& i) { return i.is(Op::kAtomicLoad) ? i.type : i.operand(1)->type; }

bool is_plain(const Inst& i) {
  if (i.operand(0)->type->space == ir::Space::kLocal) return false;
  const Type* t = accessed(i);
  if (t->size < 4) return false;
  if (!i.is(Op::kAtomicRmw)) return true;
  const Rmw rmw = i.attr().rmw;
  if (rmw == Rmw::kInc || rmw == Rmw::kDec) return false;
  return rmw == Rmw::kExchange || t->is_int();
}

class AtomicLowering {
 public:
  explicit AtomicLowering(Rewriter& r) : r_(r), b_(r.b) {}

  void run(const std::function<bool(const Inst&)>& is_native) {
    for (Inst* i : r_.find([&](const Inst& i) { return is_atomic(i) && !is_plain(i) && !is_native(i); })) {
      r_.before(i);
      r_.replace(i, lower(i));
    }
    r_.finish();
  }

 private:
  Value* lower(Inst* i) {
    if (i->operand(0)->type->space == ir::Space::kLocal) return alone(i);
    return accessed(*i)->size < 4 ? part(i) : whole(i);
  }

  // Computes the new value from the old one.
  Value* wanted(const Inst* i, Value* a) {
    Value* v = r_.now(i->operand(i->is(Op::kAtomicCas) ? 2 : 1));
    if (!i->is(Op::kAtomicRmw)) return v;
    const Type* t = a->type;
    Value* one = b_.module().constant(t, 1);
    Value* zero = b_.module().constant(t, 0);
    switch (i->attr().rmw) {
      case Rmw::kAdd: return b_.binary(Op::kAdd, a, v);
      case Rmw::kSub: return b_.binary(Op::kSub, a, v);
      case Rmw::kMin: return b_.binary(Op::kMin, a, v);
      case Rmw::kMax: return b_.binary(Op::kMax, a, v);
      case Rmw::kAnd: return b_.binary(Op::kAnd, a, v);
      case Rmw::kOr: return b_.binary(Op::kOr, a, v);
      case Rmw::kXor: return b_.binary(Op::kXor, a, v);
      case Rmw::kInc: return b_.select(b_.compare(Op::kGe, a, v), zero, b_.binary(Op::kAdd, a, one));
      case Rmw::kDec: {
        Value* is_end = b_.binary(Op::kOr, b_.compare(Op::kEq, a, zero), b_.compare(Op::kGt, a, v));
        return b_.select(is_end, v, b_.binary(Op::kSub, a, one));
      }
      default: return v;
    }
  }

  // Thread-local memory: no other thread can access it.
  Value* alone(Inst* i) {
    Value* pointer = r_.now(i->operand(0));
    if (i->is(Op::kAtomicStore)) {
      b_.store(pointer, r_.now(i->operand(1)));
      return nullptr;
    }
    Value* old = b_.load(accessed(*i), pointer);
    if (i->is(Op::kAtomicLoad)) return old;
    Value* next = wanted(i, old);
    if (i->is(Op::kAtomicCas)) next = b_.select(b_.compare(Op::kEq, old, r_.now(i->operand(1))), next, old);
    b_.store(pointer, next);
    return old;
  }

  Value* word_atomic(const Inst* i, Op op, const Type* type, std::initializer_list<Value*> operands) {
    Inst* made = b_.emit(op, op == Op::kAtomicStore ? nullptr : type, operands);
    made->mutable_attr().scope = i->attr().scope;
    return made;
  }

  // Repeats until no other thread has intervened. `next(word)` returns the new value of the word, and may
  // leave the loop; returns the old word.
  template <typename Next>
  Value* repeat(const Inst* i, Value* pointer, const Type* word, Next&& next) {
    Inst* seen = b_.var(word, "seen");
    b_.store(seen, word_atomic(i, Op::kAtomicLoad, word, {pointer}));
    Inst* loop = b_.make_loop();
    ir::Block* after = loop->parent;
    Inst* where = loop->next;
    b_.at(loop->blocks[1]);
    Value* old = b_.load(word, seen);
    Value* made = next(old, loop);
    Value* found = word_atomic(i, Op::kAtomicCas, word, {pointer, old, made});
    b_.store(seen, found);
    Inst* done = b_.make_if(b_.compare(Op::kEq, found, old));
    b_.at(done->blocks[0]);
    b_.exit(loop);
    b_.at(after, where);
    return b_.load(word, seen);
  }

  Value* whole(Inst* i) {
    const Type* t = accessed(*i);
    const Type* word = r_.type(t->size == 8 ? TypeKind::kU64 : TypeKind::kU32);
    Value* old = repeat(i, r_.now(i->operand(0)), word,
                        [&](Value* bits, Inst*) { return b_.bitcast(wanted(i, b_.bitcast(bits, t)), word); });
    return b_.bitcast(old, t);
  }

  // 8 or 16 bits of a word.
  Value* part(Inst* i) {
    const Type* word = r_.type(TypeKind::kU32);
    Value* pointer = r_.now(i->operand(0));
    Value* at = b_.op(Op::kPtrToInt, r_.type(TypeKind::kU64), {pointer});
    Value* in_word = b_.convert(b_.binary(Op::kAnd, at, r_.number(TypeKind::kU64, 3)), word);
    Value* by = b_.op(Op::kShl, word, {in_word, r_.number(TypeKind::kU32, 3)});
    Value* back = b_.unary(Op::kNeg, b_.convert(in_word, r_.type(TypeKind::kI64)));
    return part_at(i, b_.offset(pointer, back, 1), by);
  }

 public:
  Value* part_at(Inst* i, Value* around, Value* by) {
    const Type* t = accessed(*i);
    const Type* word = r_.type(TypeKind::kU32);
    const Type* bits = r_.type(t->size == 1 ? TypeKind::kU8 : TypeKind::kU16);
    Value* ones = b_.op(Op::kShl, word, {r_.number(TypeKind::kU32, t->size == 1 ? 0xff : 0xffff), by});
    const auto get = [&](Value* w) {
      Value* part = b_.convert(b_.op(Op::kShr, word, {w, by}), bits);
      return t->is_bool() ? b_.convert(part, t) : b_.bitcast(part, t);
    };
    if (i->is(Op::kAtomicLoad)) return get(word_atomic(i, Op::kAtomicLoad, word, {around}));
    Value* old = repeat(i, around, word, [&](Value* w, Inst* loop) {
      Value* now = get(w);
      if (i->is(Op::kAtomicCas)) {
        Inst* differs = b_.make_if(b_.compare(Op::kNe, now, r_.now(i->operand(1))));
        ir::Block* after = differs->parent;
        b_.at(differs->blocks[0]);
        b_.exit(loop);
        b_.at(after);
      }
      Value* next = wanted(i, now);
      next = t->is_bool() ? b_.convert(next, word) : b_.convert(b_.bitcast(next, bits), word);
      Value* kept = b_.binary(Op::kAnd, w, b_.unary(Op::kNot, ones));
      return b_.binary(Op::kOr, kept, b_.op(Op::kShl, word, {next, by}));
    });
    return i->type->is_void() ? nullptr : get(old);
  }

 private:
  Rewriter& r_;
  ir::Builder& b_;
};

bool is_wide(const Inst& i) { return is_atomic(i) && accessed(i)->size == 8; }

// The operation if its words can be combined one after the other: subtraction counts as addition.
std::optional<Rmw> splittable(const Inst& i) {
  if (!i.is(Op::kAtomicRmw) || !i.type->is_int()) return std::nullopt;
  switch (i.attr().rmw) {
    case Rmw::kAdd:
    case Rmw::kSub: return Rmw::kAdd;
    case Rmw::kAnd:
    case Rmw::kOr:
    case Rmw::kXor: return i.attr().rmw;
    default: return std::nullopt;
  }
}

// The lower words first; a sum carries into the upper ones.
void split(Rewriter& r, Inst* i) {
  r.before(i);
  const Type* u32 = r.type(TypeKind::kU32);
  const Rmw rmw = *splittable(*i);
  Value* v = r.b.bitcast(i->operand(1), r.type(TypeKind::kU64));
  if (i->attr().rmw == Rmw::kSub) v = r.b.unary(Op::kNeg, v);
  Value* low = r.b.convert(v, u32);
  Value* high = r.b.convert(r.b.op(Op::kShr, v->type, {v, r.number(TypeKind::kU32, 32)}), u32);
  const auto combine = [&](Value* at, Value* by) {
    Inst* made = r.b.emit(Op::kAtomicRmw, u32, {at, by});
    made->mutable_attr() = i->attr();
    made->mutable_attr().rmw = rmw;
    return made;
  };
  Value* old = combine(i->operand(0), low);
  if (rmw == Rmw::kAdd) {
    Value* carries = r.b.compare(Op::kLt, r.b.binary(Op::kAdd, old, low), low);
    high = r.b.binary(Op::kAdd, high, r.b.convert(carries, u32));
  }
  combine(r.b.offset(i->operand(0), r.number(TypeKind::kU32, 1), 4), high);
  r.replace(i, nullptr);
}

}  // namespace

bool can_split_wide_atomics(const ir::Function& function) {
  std::unordered_set<const Value*> used;
  pass::traverse(function.body, [&](const Inst* i) {
    for (const Value* v : i->operands) used.insert(v);
  });
  std::optional<Rmw> kind;
  bool can_split = true;
  pass::traverse(function.body, [&](const Inst* i) {
    if (!is_wide(*i)) return;
    const std::optional<Rmw> own = splittable(*i);
    can_split = can_split && own && own == kind.value_or(*own) && used.count(i) == 0;
    kind = own;
  });
  return can_split;
}

void split_wide_atomics(ir::Module& module) {
  for (ir::Function* f : module.functions) {
    if (!can_split_wide_atomics(*f)) continue;
    Rewriter r(module, *f);
    for (Inst* i : r.find(is_wide)) split(r, i);
    r.finish();
  }
}

Value* atomic_part(Rewriter& r, Inst* i, Value* around, Value* by) {
  return AtomicLowering(r).part_at(i, around, by);
}

void lower_atomics(ir::Module& module, const std::function<bool(const Inst&)>& is_native) {
  for (ir::Function* f : module.functions) {
    Rewriter r(module, *f);
    AtomicLowering(r).run(is_native);
  }
}

}  // namespace quern::expand
