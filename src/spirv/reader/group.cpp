// Barriers and subgroup operations. A subgroup is a warp; the active invocations are those that run together
// at that point, given by the simulator's active mask.
#include "base/text.hpp"
#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

namespace {

constexpr uint64_t kScopeWorkgroup = to_word(Scope::kWorkgroup), kScopeSubgroup = to_word(Scope::kSubgroup),
                   kScopeInvocation = to_word(Scope::kInvocation);

void control_barrier(Emitter& e) {
  switch (e.constant_arg(0)) {
    case kScopeWorkgroup: e.b.emit(Op::kBarrier, nullptr, {}); break;
    case kScopeSubgroup: {
      Value* mask = e.b.emit(Op::kActiveMask, e.kind(TypeKind::kU32), {});
      e.b.emit(Op::kWarpBarrier, nullptr, {mask});
      break;
    }
    case kScopeInvocation: break;
    default: e.fail(message::kScopeLargerThanWorkgroup());
  }
}

void memory_barrier(Emitter& e) {
  const uint64_t scope = e.constant_arg(0);
  if (scope == kScopeInvocation) return;
  ir::Inst* fence = e.b.emit(Op::kFence, nullptr, {});
  fence->mutable_attr().scope = scope == 0                                            ? ir::Scope::kSystem
                                : scope == kScopeWorkgroup || scope == kScopeSubgroup ? ir::Scope::kBlock
                                                                                      : ir::Scope::kDevice;
}

class Group {
 public:
  explicit Group(Emitter& e) : e_(e), b_(e.b), u32_(e.kind(TypeKind::kU32)), bool_(e.kind(TypeKind::kBool)) {}

  bool is_subgroup(size_t operand) {
    const bool right = e_.constant_arg(operand) == kScopeSubgroup;
    if (!right) e_.fail(message::kScopeLargerThanSubgroup());
    return right && !e_.failed();
  }

  Value* mask() {
    if (mask_ == nullptr) mask_ = b_.emit(Op::kActiveMask, u32_, {});
    return mask_;
  }
  Value* lane() { return b_.emit(Op::kLaneId, u32_, {}); }
  Value* word(uint64_t n) { return e_.number(u32_, n); }

  Value* as_word(Value* v) { return b_.convert(e_.as(v, e_.unsigned_type(v->type)), u32_); }

  // One scalar of another lane. Shuffles move 32 and 64 bits; smaller values are widened to a word.
  Value* from_lane(Value* v, Value* by, ir::ShuffleKind kind, uint32_t width = 32) {
    const Type* type = v->type;
    Value* sent = v;
    if (type->is_ptr()) {
      sent = b_.op(Op::kPtrToInt, e_.kind(TypeKind::kU64), {v});
    } else if (type->is_bool()) {
      sent = b_.convert(v, u32_);
    } else if (type->size < 4) {
      sent = b_.convert(b_.bitcast(v, e_.kind(type->size == 1 ? TypeKind::kU8 : TypeKind::kU16)), u32_);
    }
    ir::Inst* got = b_.emit(Op::kShuffle, sent->type, {mask(), sent, by, word(width)});
    got->mutable_attr().shuffle = kind;
    if (type->is_ptr()) return b_.op(Op::kIntToPtr, type, {got});
    if (type->is_bool()) return b_.convert(got, bool_);
    if (type->size >= 4) return got;
    return b_.bitcast(b_.convert(got, e_.kind(type->size == 1 ? TypeKind::kU8 : TypeKind::kU16)), type);
  }

  void shuffle(size_t value, Value* by, ir::ShuffleKind kind, uint32_t width = 32) {
    const Val v = e_.arg(value);
    Leaves out;
    for (Value* x : v.leaves) out.push_back(from_lane(x, by, kind, width));
    e_.define(std::move(out));
  }

  Value* first_lane() { return b_.convert(lowest_bit(e_, mask()), u32_); }

  void vote(Op op, size_t value) {
    e_.define(Leaves{b_.emit(op, bool_, {mask(), e_.scalar_arg(value, bool_)})});
  }

  void all_equal(size_t value) {
    const Val v = e_.arg(value);
    Value* same = e_.b.module().constant_bool(true);
    for (Value* x : v.leaves) {
      Value* first = from_lane(x, first_lane(), ir::ShuffleKind::kIndex);
      Value* equal = b_.compare(Op::kEq, x, first);
      same = b_.binary(Op::kAnd, same, b_.emit(Op::kVoteAll, bool_, {mask(), equal}));
    }
    e_.define(Leaves{same});
  }

  // A ballot is four words, of which a subgroup of 32 uses the first.
  void ballot(size_t value) {
    Value* yes = b_.emit(Op::kBallot, u32_, {mask(), e_.scalar_arg(value, bool_)});
    define_words(yes);
  }
  void define_words(Value* first) {
    const std::vector<const Type*> results = e_.leaf_types(e_.result_type());
    Leaves out;
    for (const Type* t : results) {
      if (t->kind != TypeKind::kU32 && t->kind != TypeKind::kI32) return e_.fail(message::kNotBallot());
      out.push_back(e_.as(out.empty() ? first : word(0), t));
    }
    e_.define(std::move(out));
  }

  Value* bit(Value* bits, Value* index) {
    Value* down = b_.op(Op::kShr, u32_, {bits, index});
    Value* is_set = b_.compare(Op::kNe, b_.binary(Op::kAnd, down, word(1)), word(0));
    return b_.binary(Op::kAnd, is_set, b_.compare(Op::kLt, index, word(32)));
  }

  // Lanes up to this one (or below it).
  Value* lanes_before(bool and_this) {
    Value* below = b_.binary(Op::kSub, b_.op(Op::kShl, u32_, {word(1), lane()}), word(1));
    if (!and_this) return below;
    return b_.binary(Op::kOr, below, b_.op(Op::kShl, u32_, {word(1), lane()}));
  }

  void bit_count(uint32_t operation, size_t value) {
    Value* bits = e_.leaf(e_.arg(value), 0, u32_);
    if (operation == 1) bits = b_.binary(Op::kAnd, bits, lanes_before(true));
    if (operation == 2) bits = b_.binary(Op::kAnd, bits, lanes_before(false));
    define_integer(count_bits(e_, bits));
  }
  void define_integer(Value* v) { e_.define(Leaves{b_.convert(v, e_.integer_result())}); }

  // Combines the lanes in sequence: all of a cluster, an inclusive scan, or an exclusive scan.
  struct Fold {
    Op op = Op::kAdd;
    const Type* type = nullptr;  // type of the operands
    uint32_t operation = 0;
    uint32_t cluster = 32;
  };
  Value* combine(Value* x, const Fold& f, Value* neutral) {
    ir::Inst* sum = e_.variable(f.type, {});
    ir::Inst* index = e_.variable(u32_, {});
    b_.store(sum, neutral);
    b_.store(index, word(0));
    Value* self = lane();
    Value* active = mask();
    ir::Inst* loop = b_.make_loop();
    ir::Block* const here = b_.block();
    b_.at(loop->blocks[0]);
    b_.yield(b_.compare(Op::kLt, b_.load(u32_, index), word(32)));
    b_.at(loop->blocks[1]);
    Value* i = b_.load(u32_, index);
    Value* there = bit(active, i);
    // Inactive lanes are skipped: the lane's own value is used instead.
    Value* got = from_lane(x, b_.select(there, i, self), ir::ShuffleKind::kIndex);
    if (f.operation == 1) there = b_.binary(Op::kAnd, there, b_.compare(Op::kLe, i, self));
    if (f.operation == 2) there = b_.binary(Op::kAnd, there, b_.compare(Op::kLt, i, self));
    if (f.operation == 3) {
      Value* size = word(f.cluster);
      there = b_.binary(Op::kAnd, there,
                        b_.compare(Op::kEq, b_.binary(Op::kDiv, i, size), b_.binary(Op::kDiv, self, size)));
    }
    Value* old = b_.load(f.type, sum);
    b_.store(sum, b_.select(there, b_.op(f.op, f.type, {old, got}), old));
    b_.at(loop->blocks[2]);
    b_.store(index, b_.binary(Op::kAdd, b_.load(u32_, index), word(1)));
    b_.at(here);
    return b_.load(f.type, sum);
  }

 private:
  Emitter& e_;
  ir::Builder& b_;
  const Type* u32_;
  const Type* bool_;
  Value* mask_ = nullptr;
};

enum class Taken : uint8_t { kInts, kSigned, kUnsigned, kFloats, kBools };

Value* neutral(Emitter& e, Op op, const Type* type) {
  const uint32_t bits = type->is_bool() ? 1 : type->bits();
  const uint64_t ones = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  switch (op) {
    case Op::kMul: return e.number(type, 1);
    case Op::kAnd: return e.number(type, ones);
    case Op::kMin:
      if (type->is_float()) return e.real(type, __builtin_inf());
      return e.number(type, type->is_signed() ? ones >> 1 : ones);
    case Op::kMax:
      if (type->is_float()) return e.real(type, -__builtin_inf());
      return e.number(type, type->is_signed() ? (ones >> 1) + 1 : 0);
    case Op::kAdd: return type->is_float() ? e.real(type, -0.0) : e.zero(type);
    default: return e.zero(type);
  }
}

// `operation` and the value follow the scope; the cluster size follows them.
void arithmetic(Emitter& e, Op op, Taken taken) {
  Group g(e);
  if (!g.is_subgroup(0)) return;
  Group::Fold fold;
  fold.op = op;
  fold.operation = e.word(1);
  if (fold.operation > 3) return e.fail(message::kGroupOperation());
  if (fold.operation == 3) fold.cluster = static_cast<uint32_t>(e.constant_arg(3));
  if (fold.cluster == 0 || (fold.cluster & (fold.cluster - 1)) != 0) return e.fail(message::kClusterSize());
  const Val v = e.arg(2);
  Leaves out;
  for (size_t k = 0; k < v.leaves.size() && !e.failed(); ++k) {
    const Type* own = v.leaves[k]->type;
    const bool right = taken == Taken::kFloats  ? own->is_float()
                       : taken == Taken::kBools ? own->is_bool()
                                                : own->is_int();
    if (!right) return e.fail(message::kGroupType(to_string(own)));
    fold.type = taken == Taken::kSigned     ? e.signed_type(own)
                : taken == Taken::kUnsigned ? e.unsigned_type(own)
                                            : own;
    out.push_back(e.as(g.combine(e.leaf(v, k, fold.type), fold, neutral(e, op, fold.type)), own));
  }
  e.define(std::move(out));
}

bool emit_arithmetic_of_group(Emitter& e) {
  switch (e.at().opcode) {
    case Opcode::kGroupIAdd:
    case Opcode::kGroupNonUniformIAdd: arithmetic(e, Op::kAdd, Taken::kInts); return true;
    case Opcode::kGroupFAdd:
    case Opcode::kGroupNonUniformFAdd: arithmetic(e, Op::kAdd, Taken::kFloats); return true;
    case Opcode::kGroupNonUniformIMul: arithmetic(e, Op::kMul, Taken::kInts); return true;
    case Opcode::kGroupNonUniformFMul: arithmetic(e, Op::kMul, Taken::kFloats); return true;
    case Opcode::kGroupSMin:
    case Opcode::kGroupNonUniformSMin: arithmetic(e, Op::kMin, Taken::kSigned); return true;
    case Opcode::kGroupUMin:
    case Opcode::kGroupNonUniformUMin: arithmetic(e, Op::kMin, Taken::kUnsigned); return true;
    case Opcode::kGroupFMin:
    case Opcode::kGroupNonUniformFMin: arithmetic(e, Op::kMin, Taken::kFloats); return true;
    case Opcode::kGroupSMax:
    case Opcode::kGroupNonUniformSMax: arithmetic(e, Op::kMax, Taken::kSigned); return true;
    case Opcode::kGroupUMax:
    case Opcode::kGroupNonUniformUMax: arithmetic(e, Op::kMax, Taken::kUnsigned); return true;
    case Opcode::kGroupFMax:
    case Opcode::kGroupNonUniformFMax: arithmetic(e, Op::kMax, Taken::kFloats); return true;
    case Opcode::kGroupNonUniformBitwiseAnd: arithmetic(e, Op::kAnd, Taken::kInts); return true;
    case Opcode::kGroupNonUniformBitwiseOr: arithmetic(e, Op::kOr, Taken::kInts); return true;
    case Opcode::kGroupNonUniformBitwiseXor: arithmetic(e, Op::kXor, Taken::kInts); return true;
    case Opcode::kGroupNonUniformLogicalAnd: arithmetic(e, Op::kAnd, Taken::kBools); return true;
    case Opcode::kGroupNonUniformLogicalOr: arithmetic(e, Op::kOr, Taken::kBools); return true;
    case Opcode::kGroupNonUniformLogicalXor: arithmetic(e, Op::kXor, Taken::kBools); return true;
    default: return false;
  }
}

// Quad swap: horizontal, vertical, or diagonal.
void quad_swap(Emitter& e, Group& g) {
  const uint64_t direction = e.constant_arg(2);
  if (direction > 2) return e.fail(message::kSwapDirection());
  g.shuffle(1, g.word(direction + 1), ir::ShuffleKind::kXor);
}

void rotate(Emitter& e, Group& g) {
  uint64_t size = 32;
  if (e.has(3)) size = e.constant_arg(3);
  if (size == 0 || size > 32 || (size & (size - 1)) != 0) return e.fail(message::kRotatedClusters());
  Value* to = e.b.binary(Op::kAdd, g.lane(), g.as_word(e.integer_arg(2)));
  g.shuffle(1, to, ir::ShuffleKind::kIndex, static_cast<uint32_t>(size));
}

void emit_with_scope(Emitter& e) {
  Group g(e);
  if (!g.is_subgroup(0)) return;
  using ir::ShuffleKind;
  switch (e.at().opcode) {
    case Opcode::kGroupNonUniformElect:
      e.define(Leaves{e.b.compare(Op::kEq, g.lane(), g.first_lane())});
      return;
    case Opcode::kGroupAll:
    case Opcode::kGroupNonUniformAll: return g.vote(Op::kVoteAll, 1);
    case Opcode::kGroupAny:
    case Opcode::kGroupNonUniformAny: return g.vote(Op::kVoteAny, 1);
    case Opcode::kGroupNonUniformAllEqual: return g.all_equal(1);
    case Opcode::kGroupBroadcast:
    case Opcode::kGroupNonUniformBroadcast:
    case Opcode::kGroupNonUniformShuffle:
      return g.shuffle(1, g.as_word(e.integer_arg(2)), ShuffleKind::kIndex);
    case Opcode::kGroupNonUniformBroadcastFirst: return g.shuffle(1, g.first_lane(), ShuffleKind::kIndex);
    case Opcode::kGroupNonUniformShuffleXor:
      return g.shuffle(1, g.as_word(e.integer_arg(2)), ShuffleKind::kXor);
    case Opcode::kGroupNonUniformShuffleUp:
      return g.shuffle(1, g.as_word(e.integer_arg(2)), ShuffleKind::kUp);
    case Opcode::kGroupNonUniformShuffleDown:
      return g.shuffle(1, g.as_word(e.integer_arg(2)), ShuffleKind::kDown);
    case Opcode::kGroupNonUniformQuadBroadcast:
      return g.shuffle(1, g.as_word(e.integer_arg(2)), ShuffleKind::kIndex, 4);
    case Opcode::kGroupNonUniformQuadSwap: return quad_swap(e, g);
    case Opcode::kGroupNonUniformRotateKHR: return rotate(e, g);
    case Opcode::kGroupNonUniformBallot: return g.ballot(1);
    case Opcode::kGroupNonUniformInverseBallot:
      e.define(Leaves{g.bit(e.leaf(e.arg(1), 0, e.kind(TypeKind::kU32)), g.lane())});
      return;
    case Opcode::kGroupNonUniformBallotBitExtract:
      e.define(Leaves{g.bit(e.leaf(e.arg(1), 0, e.kind(TypeKind::kU32)), g.as_word(e.integer_arg(2)))});
      return;
    case Opcode::kGroupNonUniformBallotBitCount: return g.bit_count(e.word(1), 2);
    case Opcode::kGroupNonUniformBallotFindLSB:
      return g.define_integer(lowest_bit(e, e.leaf(e.arg(1), 0, e.kind(TypeKind::kU32))));
    case Opcode::kGroupNonUniformBallotFindMSB:
      return g.define_integer(highest_bit(e, e.leaf(e.arg(1), 0, e.kind(TypeKind::kU32))));
    default: e.fail(message::kNotSupported());
  }
}

bool emit_older(Emitter& e) {
  Group g(e);
  switch (e.at().opcode) {
    case Opcode::kSubgroupBallotKHR: g.ballot(0); return true;
    case Opcode::kSubgroupFirstInvocationKHR:
      g.shuffle(0, g.first_lane(), ir::ShuffleKind::kIndex);
      return true;
    case Opcode::kSubgroupAllKHR: g.vote(Op::kVoteAll, 0); return true;
    case Opcode::kSubgroupAnyKHR: g.vote(Op::kVoteAny, 0); return true;
    case Opcode::kSubgroupAllEqualKHR: g.all_equal(0); return true;
    case Opcode::kSubgroupReadInvocationKHR:
      g.shuffle(0, g.as_word(e.integer_arg(1)), ir::ShuffleKind::kIndex);
      return true;
    default: return false;
  }
}

}  // namespace

bool emit_group(Emitter& e) {
  switch (e.at().opcode) {
    case Opcode::kControlBarrier: control_barrier(e); return true;
    case Opcode::kMemoryBarrier: memory_barrier(e); return true;
    case Opcode::kGroupAll:
    case Opcode::kGroupAny:
    case Opcode::kGroupBroadcast:
    case Opcode::kGroupNonUniformRotateKHR:
    case Opcode::kGroupNonUniformQuadBroadcast:
    case Opcode::kGroupNonUniformQuadSwap: emit_with_scope(e); return true;
    default: break;
  }
  if (e.at().opcode >= Opcode::kGroupNonUniformElect &&
      e.at().opcode <= Opcode::kGroupNonUniformShuffleDown) {
    emit_with_scope(e);
    return true;
  }
  return emit_arithmetic_of_group(e) || emit_older(e);
}

}  // namespace quern::spirv
