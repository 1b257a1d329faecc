#include <algorithm>
#include <bit>
#include <cmath>

#include "driver/interface/messages.hpp"
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"
#include "lang/ir/eval.hpp"

namespace quern::sim {

namespace {

constexpr uint64_t kGlobalKey = object_key(Tag::kGlobal, 0);
constexpr uint64_t kSharedKey = object_key(Tag::kShared, 0);
constexpr uint32_t kMaxPolls = 8;  // by one thread before others get their turn: it seems to wait for them
constexpr uint64_t kNan32 = 0x7FC0'0000;
constexpr uint64_t kNan64 = 0x7FF8'0000'0000'0000;

inline float f32(uint64_t v) { return std::bit_cast<float>(static_cast<uint32_t>(v)); }
inline double f64(uint64_t v) { return std::bit_cast<double>(v); }
inline int32_t i32(uint64_t v) { return static_cast<int32_t>(v); }
inline int64_t i64(uint64_t v) { return static_cast<int64_t>(v); }
inline uint32_t u32(uint64_t v) { return static_cast<uint32_t>(v); }

// The IR has a single NaN, regardless of the host's hardware.
inline uint64_t bits(float v) { return v == v ? std::bit_cast<uint32_t>(v) : kNan32; }
inline uint64_t bits(double v) { return v == v ? std::bit_cast<uint64_t>(v) : kNan64; }
inline uint64_t bits(int32_t v) { return static_cast<uint32_t>(v); }
inline uint64_t bits(int64_t v) { return static_cast<uint64_t>(v); }

inline uint64_t extend(uint64_t v, uint32_t shift) {
  return static_cast<uint64_t>(static_cast<int64_t>(v << shift) >> shift);
}

inline uint64_t divide32(int32_t a, int32_t b) {
  if (b == -1) return 0u - static_cast<uint32_t>(a);
  return bits(a / b);
}
inline uint64_t divide64(int64_t a, int64_t b) {
  if (b == -1) return 0 - static_cast<uint64_t>(a);
  return bits(a / b);
}

inline uint64_t pointer_difference(uint64_t a, uint64_t b, uint64_t scale) {
  return scale == 0 ? 0 : divide64(i64(a - b), i64(scale));
}

template <typename Float>
inline int32_t to_i32(Float v) {
  if (std::isnan(v)) return 0;
  if (v >= static_cast<Float>(2147483648.0)) return INT32_MAX;
  if (v <= static_cast<Float>(-2147483648.0)) return INT32_MIN;
  return static_cast<int32_t>(v);
}

// A NaN operand returns the other one; -0 is less than +0.
inline uint64_t min_max(uint64_t a, uint64_t b, bool want_max) {
  const float x = f32(a), y = f32(b);
  if (x != x) return y != y ? kNan32 : b;
  if (y != y) return a;
  const bool less = x < y || (x == y && (a >> 31) != 0);
  return less != want_max ? a : b;
}

inline uint64_t address_of(const Ins& i, const uint64_t* r) {
  return r[i.a] + extend(r[i.b], i.sub & 63) * i.c + static_cast<uint64_t>(static_cast<int64_t>(i.d));
}

}  // namespace

uint64_t Machine::evaluate(const EvalInfo& info, const uint64_t* in, size_t count) const {
  uint64_t out = 0;
  ir::evaluate(info.inst->op, info.inst->type, std::span<const ir::Type* const>(info.types.data(), count),
               std::span<const uint64_t>(in, count), info.inst->attr(), out);
  return out;
}

// clang-format off
#define DO(name, expression) case OpCode::k##name: r[i.dst] = (expression); ++ip; break
#define UNLESS(name, condition) case OpCode::kUnless##name: ip = (condition) ? ip + 1 : code + i.c; break
#define A r[i.a]
#define B r[i.b]
#define PC static_cast<uint32_t>(ip - code)
// After a memory access the thread may be interrupted.
#define END_ACCESS ++ip; if (steps >= budget || stopped_) goto out; break
#define LOAD(name, T, key, table, count, shared)                                                                      \
  case OpCode::k##name: {                                                                                             \
    const uint64_t address = address_of(i, r);                                                                        \
    const uint64_t object = (address >> kObjectShift) - key;                                                          \
    if (object < count && fast_load<T, shared>(me, table[object], address & kOffsetMask, PC, r[i.dst])) {             \
      if (i.sub & kSubMaybe) flags[i.dst] = 0;                                                                        \
    } else {                                                                                                          \
      r[i.dst] = load_scalar(b, t, PC, address, sizeof(T), (i.sub & kSubMaybe) != 0);                                 \
    }                                                                                                                 \
    END_ACCESS;                                                                                                       \
  }
#define STORE(name, T, key, table, count, shared)                                                                     \
  case OpCode::k##name: {                                                                                             \
    const uint64_t address = address_of(i, r);                                                                        \
    const uint64_t object = (address >> kObjectShift) - key;                                                          \
    if ((i.sub & kSubMaybe) != 0 && flags[i.dst] != 0) {                                                              \
      store_undefined(b, t, PC, address, sizeof(T));                                                                  \
    } else if (!(object < count && fast_store<T, shared>(me, table[object], address & kOffsetMask, PC, r[i.dst]))) {  \
      store_scalar(b, t, PC, address, sizeof(T), r[i.dst]);                                                           \
    }                                                                                                                 \
    END_ACCESS;                                                                                                       \
  }
#define LOAD_LOCAL(name, T)                                                                                           \
  case OpCode::k##name: {                                                                                             \
    const uint64_t address = address_of(i, r);                                                                        \
    const uint64_t object = (address >> kLocalObjectShift) - local_key, offset = address & kLocalOffsetMask;          \
    const LocalVar* v = object < local_count ? locals + object : nullptr;                                             \
    if (v != nullptr && offset + sizeof(T) <= v->size && ((offset | v->align_bit) & (sizeof(T) - 1)) == 0 &&          \
        (!check_local || all_defined<T>(t.local_defined, v->offset + offset))) {                                      \
      T value;                                                                                                        \
      std::memcpy(&value, t.local + v->offset + offset, sizeof(T));                                                   \
      r[i.dst] = value;                                                                                               \
      if (i.sub & kSubMaybe) flags[i.dst] = 0;                                                                        \
    } else {                                                                                                          \
      r[i.dst] = load_scalar(b, t, PC, address, sizeof(T), (i.sub & kSubMaybe) != 0);                                 \
    }                                                                                                                 \
    ++ip;                                                                                                             \
    if (stopped_) goto out;                                                                                           \
    break;                                                                                                            \
  }
#define STORE_LOCAL(name, T)                                                                                          \
  case OpCode::k##name: {                                                                                             \
    const uint64_t address = address_of(i, r);                                                                        \
    const uint64_t object = (address >> kLocalObjectShift) - local_key, offset = address & kLocalOffsetMask;          \
    const LocalVar* v = object < local_count ? locals + object : nullptr;                                             \
    if ((i.sub & kSubMaybe) != 0 && flags[i.dst] != 0) {                                                              \
      store_undefined(b, t, PC, address, sizeof(T));                                                                  \
    } else if (v != nullptr && offset + sizeof(T) <= v->size && ((offset | v->align_bit) & (sizeof(T) - 1)) == 0) {   \
      const T value = static_cast<T>(r[i.dst]);                                                                       \
      const uint64_t at = v->offset + offset;                                                                         \
      std::memcpy(t.local + at, &value, sizeof(T));                                                                   \
      t.local_defined[at >> 3] = static_cast<uint8_t>(t.local_defined[at >> 3] | (((1u << sizeof(T)) - 1) << (at & 7)));\
    } else {                                                                                                          \
      store_scalar(b, t, PC, address, sizeof(T), r[i.dst]);                                                           \
    }                                                                                                                 \
    ++ip;                                                                                                             \
    if (stopped_) goto out;                                                                                           \
    break;                                                                                                            \
  }
#define LOAD_FIXED(name, T)                                                                                           \
  case OpCode::k##name: {                                                                                             \
    if (!check_local || all_defined<T>(t.local_defined, i.c)) {                                                       \
      T value;                                                                                                        \
      std::memcpy(&value, t.local + i.c, sizeof(T));                                                                  \
      r[i.dst] = value;                                                                                               \
      if (i.sub & kSubMaybe) flags[i.dst] = 0;                                                                        \
    } else {                                                                                                          \
      load_fixed(t, b, PC, sizeof(T));                                                                                \
    }                                                                                                                 \
    ++ip;                                                                                                             \
    if (stopped_) goto out;                                                                                           \
    break;                                                                                                            \
  }
#define STORE_FIXED(name, T)                                                                                          \
  case OpCode::k##name: {                                                                                             \
    const T value = static_cast<T>(r[i.dst]);                                                                         \
    std::memcpy(t.local + i.c, &value, sizeof(T));                                                                    \
    t.local_defined[i.c >> 3] = static_cast<uint8_t>(t.local_defined[i.c >> 3] | (((1u << sizeof(T)) - 1) << (i.c & 7)));\
    if ((i.sub & kSubMaybe) != 0 && flags[i.dst] != 0) undefine_local(t, i, sizeof(T));                               \
    ++ip;                                                                                                             \
    break;                                                                                                            \
  }
#define ANY(name, T)                                                                                                  \
  case OpCode::kLoad##name: {                                                                                         \
    r[i.dst] = load_scalar(b, t, PC, address_of(i, r), sizeof(T), (i.sub & kSubMaybe) != 0);                          \
    END_ACCESS;                                                                                                       \
  }                                                                                                                   \
  case OpCode::kStore##name: {                                                                                        \
    if ((i.sub & kSubMaybe) != 0 && flags[i.dst] != 0) {                                                              \
      store_undefined(b, t, PC, address_of(i, r), sizeof(T));                                                         \
    } else {                                                                                                          \
      store_scalar(b, t, PC, address_of(i, r), sizeof(T), r[i.dst]);                                                  \
    }                                                                                                                 \
    END_ACCESS;                                                                                                       \
  }

void Machine::execute(BlockState& b, Thread& t, uint64_t budget) {
  const Ins* const code = code_.code.data();
  const Ins* ip = code + t.pc;
  uint64_t* const r = t.slots;
  uint32_t* const flags = t.flags;
  Region* const regions = memory_.regions().data();
  const uint64_t region_count = memory_.regions().size();
  Region* const shared = b.shared_regions.data();
  const uint64_t shared_count = b.shared_regions.size();
  const LocalVar* const locals = code_.locals.data();
  const uint64_t local_count = code_.locals.size();
  const uint64_t local_key = local_address(t.index, 0, 0) >> kLocalObjectShift;
  const bool check_local = (checks_ & kCheckUninitialized) != 0;
  Asker me{t.id, now_, grid_time_, b.time, id_shift_};
  uint64_t steps = 0;
  polls_ = 0;

  for (;;) {
    const Ins& i = *ip;
    ++steps;
    switch (i.op) {
      DO(Add32, u32(A + B));
      DO(Add64, A + B);
      DO(AddF32, bits(f32(A) + f32(B)));
      DO(AddF64, bits(f64(A) + f64(B)));
      DO(Sub32, u32(A - B));
      DO(Sub64, A - B);
      DO(SubF32, bits(f32(A) - f32(B)));
      DO(SubF64, bits(f64(A) - f64(B)));
      DO(Mul32, u32(A * B));
      DO(Mul64, A * B);
      DO(MulF32, bits(f32(A) * f32(B)));
      DO(MulF64, bits(f64(A) * f64(B)));
      DO(DivF32, bits(f32(A) / f32(B)));
      DO(DivF64, bits(f64(A) / f64(B)));
      case OpCode::kDivI32: case OpCode::kDivI64: case OpCode::kDivU64:
      case OpCode::kRemI32: case OpCode::kRemI64: case OpCode::kRemU64: {
        const uint64_t x = A, y = B;
        if (y == 0) {
          report_division(b, t, PC);
          const bool is_rem = i.op >= OpCode::kRemI32;
          r[i.dst] = is_rem ? x : 0;
          ++ip;
          if (stopped_) goto out;
          break;
        }
        switch (i.op) {
          case OpCode::kDivI32: r[i.dst] = divide32(i32(x), i32(y)); break;
          case OpCode::kDivI64: r[i.dst] = divide64(i64(x), i64(y)); break;
          case OpCode::kDivU64: r[i.dst] = x / y; break;
          case OpCode::kRemI32: r[i.dst] = i32(y) == -1 ? 0 : bits(i32(x) % i32(y)); break;
          case OpCode::kRemI64: r[i.dst] = i64(y) == -1 ? 0 : bits(i64(x) % i64(y)); break;
          default: r[i.dst] = x % y; break;
        }
        ++ip;
        break;
      }
      DO(And, A & B);
      DO(Or, A | B);
      DO(Xor, A ^ B);
      DO(Shl32, u32(A << (B & 31)));
      DO(Shl64, A << (B & 63));
      DO(ShrI32, bits(i32(A) >> (B & 31)));
      DO(ShrI64, bits(i64(A) >> (B & 63)));
      DO(ShrU32, A >> (B & 31));
      DO(ShrU64, A >> (B & 63));
      DO(MinI32, i32(A) < i32(B) ? A : B);
      DO(MinI64, i64(A) < i64(B) ? A : B);
      DO(MinU64, A < B ? A : B);
      DO(MaxI32, i32(A) > i32(B) ? A : B);
      DO(MaxI64, i64(A) > i64(B) ? A : B);
      DO(MaxU64, A > B ? A : B);
      DO(MinF32, min_max(A, B, false));
      DO(MaxF32, min_max(A, B, true));
      DO(Eq, A == B ? 1 : 0);
      DO(Ne, A != B ? 1 : 0);
      DO(LtI32, i32(A) < i32(B) ? 1 : 0);
      DO(LtI64, i64(A) < i64(B) ? 1 : 0);
      DO(LtU64, A < B ? 1 : 0);
      DO(LtF32, f32(A) < f32(B) ? 1 : 0);
      DO(LtF64, f64(A) < f64(B) ? 1 : 0);
      DO(LeI32, i32(A) <= i32(B) ? 1 : 0);
      DO(LeI64, i64(A) <= i64(B) ? 1 : 0);
      DO(LeU64, A <= B ? 1 : 0);
      DO(LeF32, f32(A) <= f32(B) ? 1 : 0);
      DO(LeF64, f64(A) <= f64(B) ? 1 : 0);
      DO(EqF32, f32(A) == f32(B) ? 1 : 0);
      DO(EqF64, f64(A) == f64(B) ? 1 : 0);
      DO(NeF32, f32(A) != f32(B) ? 1 : 0);
      DO(NeF64, f64(A) != f64(B) ? 1 : 0);
      DO(Neg32, u32(0 - A));
      DO(Neg64, 0 - A);
      DO(Not32, u32(~A));
      DO(Not64, ~A);
      DO(Fma32, bits(std::fma(f32(A), f32(B), f32(r[i.c]))));
      DO(Fma64, bits(std::fma(f64(A), f64(B), f64(r[i.c]))));
      DO(Extend, extend(A, i.sub) << i.c >> i.c);
      DO(I32ToF32, bits(static_cast<float>(i32(A))));
      DO(U32ToF32, bits(static_cast<float>(u32(A))));
      DO(I32ToF64, bits(static_cast<double>(i32(A))));
      DO(U32ToF64, bits(static_cast<double>(u32(A))));
      DO(F32ToI32, bits(to_i32(f32(A))));
      DO(F64ToI32, bits(to_i32(f64(A))));
      DO(F32ToF64, bits(static_cast<double>(f32(A))));
      DO(F64ToF32, bits(static_cast<float>(f64(A))));
      DO(Select, r[A != 0 ? i.b : i.c]);
      DO(Eval1, evaluate(code_.evals[static_cast<uint32_t>(i.d)], &r[i.a], 1));
      case OpCode::kEval2: {
        const uint64_t in[2] = {A, B};
        const EvalInfo& info = code_.evals[static_cast<uint32_t>(i.d)];
        if (in[1] == 0 && !info.types[0]->is_float() && (info.inst->is(ir::Op::kDiv) || info.inst->is(ir::Op::kRem))) {
          report_division(b, t, PC);
        }
        r[i.dst] = evaluate(info, in, 2);
        ++ip;
        if (stopped_) goto out;
        break;
      }
      case OpCode::kEval3: {
        const uint64_t in[3] = {A, B, r[i.c]};
        r[i.dst] = evaluate(code_.evals[static_cast<uint32_t>(i.d)], in, 3);
        ++ip;
        break;
      }
      case OpCode::kOverflowAdd: case OpCode::kOverflowSub: case OpCode::kOverflowMul: case OpCode::kOverflowNeg:
      case OpCode::kOverflowDiv:
        check_overflow(b, t, i, PC);
        ++ip;
        if (stopped_) goto out;
        break;
      case OpCode::kShiftCheck:
        check_shift(b, t, i, PC);
        ++ip;
        if (stopped_) goto out;
        break;
      DO(Mov, A);
      case OpCode::kMovMaybe:
        r[i.dst] = A;
        flags[i.dst] = flags[i.a];
        ++ip;
        break;
      case OpCode::kMovDefined:
        r[i.dst] = A;
        flags[i.dst] = 0;
        ++ip;
        break;
      case OpCode::kMovBytes:
        std::memcpy(r + i.dst, r + i.a, size_t{i.c} * 8);
        std::memcpy(flags + i.dst, flags + i.a, size_t{i.c} * 4);
        ++ip;
        break;
      case OpCode::kCopyFlags:
        flags[i.dst] = flags[i.a] == 0 ? 0 : flags[i.a] | kUndefinedBytes;
        ++ip;
        break;
      case OpCode::kSelectMaybe: {
        const bool first = A != 0;
        const uint32_t from = first ? i.b : i.c;
        if (i.d == 1) {
          r[i.dst] = r[from];
          flags[i.dst] = (i.sub & (first ? 1 : 2)) != 0 ? flags[from] : 0;
        } else {
          std::memcpy(r + i.dst, r + from, static_cast<size_t>(i.d) * 8);
          std::memcpy(flags + i.dst, flags + from, static_cast<size_t>(i.d) * 4);
        }
        ++ip;
        break;
      }
      case OpCode::kUndefine:
        flags[i.dst] = (static_cast<uint32_t>(i.d) << kOriginShift) | i.sub;
        ++ip;
        break;
      case OpCode::kCheckDefined:
        if (flags[i.a] != 0) check_defined(b, t, PC, i.a);
        ++ip;
        if (stopped_) goto out;
        break;
      case OpCode::kExtract: case OpCode::kExtractBytes:
        extract(b, t, i, PC);
        ++ip;
        if (stopped_) goto out;
        break;
      case OpCode::kInsert: case OpCode::kInsertBytes:
        insert(t, i);
        ++ip;
        break;
      case OpCode::kZeroBytes:
        std::memset(r + i.dst, 0, size_t{i.c} * 8);
        std::memset(flags + i.dst, 0, size_t{i.c} * 4);
        ++ip;
        break;
      DO(Offset, address_of(i, r));

      LOAD(LoadG8, uint8_t, kGlobalKey, regions, region_count, false)
      LOAD(LoadG16, uint16_t, kGlobalKey, regions, region_count, false)
      LOAD(LoadG32, uint32_t, kGlobalKey, regions, region_count, false)
      LOAD(LoadG64, uint64_t, kGlobalKey, regions, region_count, false)
      LOAD(LoadS8, uint8_t, kSharedKey, shared, shared_count, true)
      LOAD(LoadS16, uint16_t, kSharedKey, shared, shared_count, true)
      LOAD(LoadS32, uint32_t, kSharedKey, shared, shared_count, true)
      LOAD(LoadS64, uint64_t, kSharedKey, shared, shared_count, true)
      STORE(StoreG8, uint8_t, kGlobalKey, regions, region_count, false)
      STORE(StoreG16, uint16_t, kGlobalKey, regions, region_count, false)
      STORE(StoreG32, uint32_t, kGlobalKey, regions, region_count, false)
      STORE(StoreG64, uint64_t, kGlobalKey, regions, region_count, false)
      STORE(StoreS8, uint8_t, kSharedKey, shared, shared_count, true)
      STORE(StoreS16, uint16_t, kSharedKey, shared, shared_count, true)
      STORE(StoreS32, uint32_t, kSharedKey, shared, shared_count, true)
      STORE(StoreS64, uint64_t, kSharedKey, shared, shared_count, true)
      LOAD_LOCAL(LoadL8, uint8_t)
      LOAD_LOCAL(LoadL16, uint16_t)
      LOAD_LOCAL(LoadL32, uint32_t)
      LOAD_LOCAL(LoadL64, uint64_t)
      STORE_LOCAL(StoreL8, uint8_t)
      STORE_LOCAL(StoreL16, uint16_t)
      STORE_LOCAL(StoreL32, uint32_t)
      STORE_LOCAL(StoreL64, uint64_t)
      ANY(X8, uint8_t)
      ANY(X16, uint16_t)
      ANY(X32, uint32_t)
      ANY(X64, uint64_t)
      LOAD_FIXED(LoadV8, uint8_t)
      LOAD_FIXED(LoadV16, uint16_t)
      LOAD_FIXED(LoadV32, uint32_t)
      LOAD_FIXED(LoadV64, uint64_t)
      STORE_FIXED(StoreV8, uint8_t)
      STORE_FIXED(StoreV16, uint16_t)
      STORE_FIXED(StoreV32, uint32_t)
      STORE_FIXED(StoreV64, uint64_t)

      case OpCode::kLoadSlow: case OpCode::kStoreSlow: {
        // Old code relies on lockstep warps around volatile shared memory: its lanes are synchronized first.
        if (code_.accesses[i.c].is_volatile && tag_of(A) == Tag::kShared && wait_soft(b, t, PC)) goto waits;
        t.soft_done = false;
        if (i.op == OpCode::kLoadSlow) load_slow(b, t, PC); else store_slow(b, t, PC);
        me.now = now_;
        ++ip;
        if (steps >= budget || stopped_ || polls_ >= kMaxPolls) goto out;
        break;
      }
      case OpCode::kVarBegin: {
        const LocalVar& v = locals[i.c];
        set_undefined(t.local_defined, v.offset, v.size);
        ++ip;
        break;
      }
      case OpCode::kMemCopy: mem_copy(b, t, PC); END_ACCESS;
      case OpCode::kMemSet: mem_set(b, t, PC); END_ACCESS;
      case OpCode::kAtomicRmw: case OpCode::kAtomicCas: case OpCode::kAtomicLoad: case OpCode::kAtomicStore:
        atomic(b, t, PC);
        ++ip;
        me.now = now_;
        if (steps >= budget || stopped_ || polls_ >= kMaxPolls) goto out;
        break;
      DO(PtrDiff, pointer_difference(A, B, r[i.c]));
      DO(MapShared, mapped_address(A, static_cast<uint32_t>(B)));
      DO(SharedAddress, shared_number(A));
      DO(SharedPointer, shared_pointer(b, t, PC));
      case OpCode::kAsyncCopy: async_copy(b, t, PC); END_ACCESS;
      case OpCode::kAsyncCommit: async_commit(b, t); END_ACCESS;
      case OpCode::kAsyncWait: async_wait(b, t, i.c); END_ACCESS;
      case OpCode::kIsSpace: {
        const auto space = static_cast<ir::Space>(i.sub);
        const Tag tag = tag_of(A);
        const uint64_t object = (A >> kObjectShift) - kGlobalKey;
        const bool constant = tag == Tag::kGlobal && object < region_count && regions[object].is_constant;
        r[i.dst] = space == ir::Space::kGeneric || (space == ir::Space::kGlobal && tag == Tag::kGlobal && !constant) ||
                   (space == ir::Space::kConstant && constant) || (space == ir::Space::kShared && tag == Tag::kShared) ||
                   (space == ir::Space::kLocal && tag == Tag::kLocal);
        ++ip;
        break;
      }

      case OpCode::kBarrier: case OpCode::kBarrierCount: case OpCode::kBarrierAnd: case OpCode::kBarrierOr:
        t.pc = PC;
        arrive_barrier(b, t, PC);
        goto waits;
      case OpCode::kGridBarrier:
        t.pc = PC;
        arrive_grid(b, t);
        goto waits;
      case OpCode::kClusterBarrier:
        t.pc = PC;
        arrive_cluster(b, t);
        goto waits;
      case OpCode::kWarpBarrier: case OpCode::kShuffle: case OpCode::kWarpValue:
        t.pc = PC;
        arrive_warp(b, t, PC);
        goto waits;
      case OpCode::kActiveMask:
        t.pc = PC;
        wait_soft(b, t, PC);
        goto waits;
      case OpCode::kFence:
        fence(b, t, static_cast<ir::Scope>(i.sub));
        ++ip;
        goto out;

      case OpCode::kPrintf:
        print(b, t, i, PC);
        ++ip;
        if (stopped_) goto out;
        break;
      case OpCode::kAssert:
        if (A == 0) {
          if (Report* report = new_report(ReportKind::kAssert, b, t, PC)) {
            report->set(driver::message::kAssertion(code_.asserts[i.c]));
          }
          stop();
          goto out;
        }
        ++ip;
        break;
      case OpCode::kCheckError:
        report_texture(b, t, i, PC);
        ++ip;
        if (stopped_) goto out;
        break;
      case OpCode::kPtx:
        t.pc = PC;
        if (execute_ptx(b, t)) goto waits;
        ++ip;
        goto out;
      case OpCode::kTrap: case OpCode::kUnreachable:
        if (Report* report = new_report(ReportKind::kTrap, b, t, PC)) {
          report->set(i.op == OpCode::kTrap ? driver::message::kTrap() : message::kUnreachable());
        }
        stop();
        goto out;
      DO(Clock, steps_ + steps);
      DO(Timer, steps_ + steps);
      case OpCode::kNanoSleep:
        note_poll(b);
        ++ip;
        goto out;

      case OpCode::kJump:
        ip = code + i.c;
        break;
      case OpCode::kJumpBack:
        ip = code + i.c;
        if (steps >= budget) goto out;
        break;
      case OpCode::kJumpUnless:
        ip = A != 0 ? ip + 1 : code + i.c;
        break;
      case OpCode::kSwitch: {
        const SwitchInfo& info = code_.switches[i.c];
        const uint64_t on = A;
        const auto it = std::lower_bound(info.targets.begin(), info.targets.end(), on,
                                         [](const auto& target, uint64_t v) { return target.first < v; });
        ip = code + (it != info.targets.end() && it->first == on ? it->second : info.otherwise);
        break;
      }
      case OpCode::kReturn:
        t.pc = PC;
        thread_ended(b, t, PC);
        goto waits;
      UNLESS(Eq, A == B);
      UNLESS(Ne, A != B);
      UNLESS(LtI32, i32(A) < i32(B));
      UNLESS(LtI64, i64(A) < i64(B));
      UNLESS(LtU64, A < B);
      UNLESS(LtF32, f32(A) < f32(B));
      UNLESS(LtF64, f64(A) < f64(B));
      UNLESS(LeI32, i32(A) <= i32(B));
      UNLESS(LeI64, i64(A) <= i64(B));
      UNLESS(LeU64, A <= B);
      UNLESS(LeF32, f32(A) <= f32(B));
      UNLESS(LeF64, f64(A) <= f64(B));
    }
  }
out:
  t.pc = PC;
waits:  // the thread it waited for has set its program counter
  b.steps += steps;
  steps_ += steps;
}
// clang-format on

}  // namespace quern::sim
