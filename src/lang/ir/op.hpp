// The operations of the IR. The table below is the only list of them: name in the text form, number of
// operands (-1: any), and properties. Typing rules are given next to each group and are enforced by the
// verifier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quern::ir {

// Properties, as bits.
enum : uint32_t {
  kPure = 1,         // no effect and no dependence on memory: may be folded, moved, removed, duplicated
  kReads = 2,        // reads memory
  kWrites = 4,       // writes memory or has another effect: never removed
  kConvergent = 8,   // depends on which threads execute it together: never moved across control flow
  kTerminator = 16,  // last of its block
  kControl = 32,     // owns blocks
  kCommutes = 64,
  kMath = 128,  // float math library function (pure)
};

// clang-format off
#define QUERN_IR_OPS(X)                                                                                               \
  /* Arithmetic: operands and result of one type T (number). Integers wrap. x/0 = 0, x%0 = x, INT_MIN/-1 wraps.      \
     Float operations round to nearest even and are never contracted; a NaN result is the positive quiet NaN. */      \
  X(Add, "add", 2, kPure | kCommutes) X(Sub, "sub", 2, kPure) X(Mul, "mul", 2, kPure | kCommutes)                     \
  X(Div, "div", 2, kPure) X(Rem, "rem", 2, kPure) /* float rem is fmod */                                             \
  X(Neg, "neg", 1, kPure)                                                                                             \
  /* Integers and bool. The amount of a shift has its own integer type and counts modulo the width; shr of a signed   \
     type keeps the sign. `not` on bool is logical. */                                                                \
  X(And, "and", 2, kPure | kCommutes) X(Or, "or", 2, kPure | kCommutes) X(Xor, "xor", 2, kPure | kCommutes)           \
  X(Not, "not", 1, kPure) X(Shl, "shl", 2, kPure) X(Shr, "shr", 2, kPure)                                             \
  X(MulHi, "mulhi", 2, kPure | kCommutes)                                                                             \
  X(Min, "min", 2, kPure | kCommutes) X(Max, "max", 2, kPure | kCommutes) /* floats: if one is NaN, the other */      \
  X(Abs, "abs", 1, kPure)                                                                                             \
  /* Comparisons: operands of one scalar type (numbers, bool, pointers), result bool. Ordered; ne is unordered. */    \
  X(Eq, "eq", 2, kPure | kCommutes) X(Ne, "ne", 2, kPure | kCommutes) X(Lt, "lt", 2, kPure) X(Le, "le", 2, kPure)     \
  X(Gt, "gt", 2, kPure) X(Ge, "ge", 2, kPure)                                                                         \
  X(Select, "select", 3, kPure)  /* bool, T, T; both sides are evaluated; T any type */                               \
  /* convert: between numbers and bool, by value. To bool: != 0. Float to integer truncates, saturates, NaN is 0.     \
     Integer to float and float to float round to nearest even. */                                                    \
  X(Convert, "convert", 1, kPure)                                                                                     \
  X(Bitcast, "bitcast", 1, kPure) /* same size; numbers only */                                                       \
  /* Bits of integers (u32/i32/u64/i64 as noted by the operand's type). Counts are i32; clz(0) = ctz(0) = width */    \
  X(Popc, "popc", 1, kPure) X(Clz, "clz", 1, kPure) X(Ctz, "ctz", 1, kPure) X(Brev, "brev", 1, kPure)                 \
  X(BytePerm, "byte_perm", 3, kPure)         /* u32, u32, u32 selector */                                             \
  X(Funnel, "funnel", 3, kPure)              /* lo u32, hi u32, amount u32 (mod 32): upper word of hi:lo << amount */ \
  X(Dot4, "dot4", 3, kPure)                  /* four bytes of a times four of b plus c; i32 or u32 */                 \
  /* Float functions: operands and result of one float type. `fast` on the instruction allows the approximate form. */\
  X(Fma, "fma", 3, kPure | kMath)                                                                                     \
  X(Sqrt, "sqrt", 1, kPure | kMath) X(Rsqrt, "rsqrt", 1, kPure | kMath) X(Cbrt, "cbrt", 1, kPure | kMath)             \
  X(Rcbrt, "rcbrt", 1, kPure | kMath) X(Hypot, "hypot", 2, kPure | kMath) X(Rhypot, "rhypot", 2, kPure | kMath)       \
  X(Exp, "exp", 1, kPure | kMath) X(Exp2, "exp2", 1, kPure | kMath) X(Exp10, "exp10", 1, kPure | kMath)               \
  X(Expm1, "expm1", 1, kPure | kMath) X(Log, "log", 1, kPure | kMath) X(Log2, "log2", 1, kPure | kMath)               \
  X(Log10, "log10", 1, kPure | kMath) X(Log1p, "log1p", 1, kPure | kMath) X(Logb, "logb", 1, kPure | kMath)           \
  X(Pow, "pow", 2, kPure | kMath)                                                                                     \
  X(Sin, "sin", 1, kPure | kMath) X(Cos, "cos", 1, kPure | kMath) X(Tan, "tan", 1, kPure | kMath)                     \
  X(Sinpi, "sinpi", 1, kPure | kMath) X(Cospi, "cospi", 1, kPure | kMath)                                             \
  X(Asin, "asin", 1, kPure | kMath) X(Acos, "acos", 1, kPure | kMath) X(Atan, "atan", 1, kPure | kMath)               \
  X(Atan2, "atan2", 2, kPure | kMath)                                                                                 \
  X(Sinh, "sinh", 1, kPure | kMath) X(Cosh, "cosh", 1, kPure | kMath) X(Tanh, "tanh", 1, kPure | kMath)               \
  X(Asinh, "asinh", 1, kPure | kMath) X(Acosh, "acosh", 1, kPure | kMath) X(Atanh, "atanh", 1, kPure | kMath)         \
  X(Erf, "erf", 1, kPure | kMath) X(Erfc, "erfc", 1, kPure | kMath) X(Erfinv, "erfinv", 1, kPure | kMath)             \
  X(Erfcinv, "erfcinv", 1, kPure | kMath) X(Erfcx, "erfcx", 1, kPure | kMath)                                         \
  X(Normcdf, "normcdf", 1, kPure | kMath) X(Normcdfinv, "normcdfinv", 1, kPure | kMath)                               \
  X(Tgamma, "tgamma", 1, kPure | kMath) X(Lgamma, "lgamma", 1, kPure | kMath)                                         \
  X(J0, "j0", 1, kPure | kMath) X(J1, "j1", 1, kPure | kMath) X(Y0, "y0", 1, kPure | kMath) X(Y1, "y1", 1, kPure | kMath)\
  X(Floor, "floor", 1, kPure | kMath) X(Ceil, "ceil", 1, kPure | kMath) X(Trunc, "trunc", 1, kPure | kMath)           \
  X(Round, "round", 1, kPure | kMath) X(Rint, "rint", 1, kPure | kMath) /* half away from zero; half to even */       \
  X(Remainder, "remainder", 2, kPure | kMath) X(Copysign, "copysign", 2, kPure | kMath)                               \
  X(Nextafter, "nextafter", 2, kPure | kMath) X(Fdim, "fdim", 2, kPure | kMath)                                       \
  X(Ldexp, "ldexp", 2, kPure | kMath) /* second operand i32 */ X(Ilogb, "ilogb", 1, kPure | kMath) /* result i32 */   \
  X(IsNan, "isnan", 1, kPure) X(IsInf, "isinf", 1, kPure) X(SignBit, "signbit", 1, kPure) /* result bool */           \
  /* Arithmetic with a rounding mode in attr.round (add, sub, mul, div, fma, sqrt, convert); T float. */              \
  X(AddR, "add_r", 2, kPure) X(MulR, "mul_r", 2, kPure) X(DivR, "div_r", 2, kPure) X(FmaR, "fma_r", 3, kPure)         \
  X(SqrtR, "sqrt_r", 1, kPure) X(ConvertR, "convert_r", 1, kPure)                                                     \
  /* Values. undef reads as any value; the simulator reports its use. */                                              \
  X(Extract, "extract", 1, kPure)  /* field or element attr.index of an aggregate value */                            \
  X(Insert, "insert", 2, kPure)    /* aggregate, new member: copy of the aggregate with member attr.index replaced */ \
  X(Construct, "construct", -1, kPure) /* struct or array from all its members */                                     \
  /* Memory. var: a variable of this thread (attr.type) in kLocal space, alive until its block ends, undefined at     \
     first, aligned to attr.align where that is more than the type's; result ptr<local>. Addresses are in bytes. */                                                             \
  X(Var, "var", 0, 0)                                                                                                 \
  X(Load, "load", 1, kReads)       /* ptr; result any sized type; attr.align, attr.is_volatile */                     \
  X(Store, "store", 2, kWrites)    /* ptr, value */                                                                   \
  X(Offset, "offset", 2, kPure)    /* ptr + index * attr.scale bytes; index i32, u32, i64 or u64; same space */       \
  X(FieldPtr, "field", 1, kPure)   /* address of field attr.index of the struct attr.type at ptr */                   \
  X(PtrDiff, "ptr_diff", 2, kPure) /* (a - b) / attr.scale, i64 */                                                    \
  X(PtrToInt, "ptr_to_int", 1, kPure) X(IntToPtr, "int_to_ptr", 1, kPure) /* u64; u32: pass::lower_pointers */         \
  X(SpaceCast, "space_cast", 1, kPure) /* pointer to a pointer of another space (to or from generic) */               \
  X(IsSpace, "is_space", 1, kPure) /* bool: does the generic pointer point into attr.space? */                        \
  X(MemCopy, "mem_copy", 3, kReads | kWrites) /* dst, src, bytes u64 or u32 */                                               \
  X(MemSet, "mem_set", 3, kWrites) /* dst, byte u8, bytes u64 or u32 */                                                      \
  X(AtomicRmw, "atomic", 2, kReads | kWrites)     /* ptr, T; attr.rmw, attr.scope; returns the old value */           \
  X(AtomicCas, "atomic_cas", 3, kReads | kWrites) /* ptr, expected T, desired T; returns the old value */             \
  X(AtomicLoad, "atomic_load", 1, kReads | kWrites) X(AtomicStore, "atomic_store", 2, kWrites)                        \
  /* Thread indices: attr.index is the dimension 0..2; results u32. */                                                \
  X(ThreadId, "thread_id", 0, kPure) X(BlockId, "block_id", 0, kPure) X(BlockDim, "block_dim", 0, kPure)              \
  X(GridDim, "grid_dim", 0, kPure) X(LaneId, "lane_id", 0, kPure) /* linear thread index mod 32 */                    \
  X(ClusterDim, "cluster_dim", 0, kPure) /* blocks of a cluster; 1 without clusters */                                \
  X(DynamicSharedSize, "dynamic_shared_size", 0, kPure) /* u32 bytes */                                               \
  /* Cooperation of threads. A warp is 32 consecutive threads of a block. Masks are u32. */                           \
  X(Barrier, "barrier", 0, kReads | kWrites | kConvergent)                                                            \
  X(BarrierCount, "barrier_count", 1, kReads | kWrites | kConvergent) /* bool -> i32: how many are true */            \
  X(BarrierAnd, "barrier_and", 1, kReads | kWrites | kConvergent) X(BarrierOr, "barrier_or", 1, kReads | kWrites | kConvergent) /* bool -> bool */\
  X(WarpBarrier, "warp_barrier", 1, kReads | kWrites | kConvergent) /* mask */                                        \
  X(GridBarrier, "grid_barrier", 0, kReads | kWrites | kConvergent)                                                   \
  /* Barrier objects: 8 bytes in shared memory, for any number of threads. barrier_form: whether the target supports   \
     them, u32; the pass legalize_forms makes it a constant, and only supported operations remain.                    \
     A token identifies the phase of an arrival. */                                                                    \
  X(BarrierForm, "barrier_form", 0, kPure)                                                                            \
  X(BarrierInit, "barrier_init", 2, kWrites)                       /* ptr, arrivals in a phase u32 */                  \
  X(BarrierArrive, "barrier_arrive", 2, kReads | kWrites)          /* ptr, arrivals u32 -> token u64 */                \
  X(BarrierDrop, "barrier_drop", 1, kReads | kWrites)              /* ptr -> token u64; one arrival fewer in later phases */ \
  X(BarrierPassed, "barrier_passed", 2, kReads | kWrites)          /* ptr, token u64 -> bool: is that phase over? */    \
  X(BarrierParity, "barrier_parity", 2, kReads | kWrites)          /* ptr, u32 -> bool: the last phase of that parity */\
  /* Asynchronous copies from device memory to shared memory: attr.index bytes (4, 8, 16), of which the given number   \
     is read and the rest is zero. async_wait: waits until at most the last attr.index groups of this thread are       \
     pending; a group is all copies issued before its async_commit. async_arrive: the phase of a barrier object        \
     does not complete before this thread's copies do. copy_form: whether the target supports this, u32; the pass      \
     legalize_forms makes it a constant; if it is 0, none of the others remain. */                                       \
  X(CopyForm, "copy_form", 0, kPure)                                                                                  \
  X(AsyncCopy, "async_copy", 3, kReads | kWrites)                  /* to, from, bytes read u32 */                      \
  X(AsyncCommit, "async_commit", 0, kReads | kWrites)                                                                 \
  X(AsyncWait, "async_wait", 0, kReads | kWrites)                                                                     \
  X(AsyncArrive, "async_arrive", 1, kReads | kWrites)              /* ptr of a barrier object */                       \
  /* Clusters: adjacent blocks that run concurrently. map_shared: ptr<shared>, rank u32 -> generic ptr to the same   \
     offset in the shared memory of that block of the cluster. */                                                     \
  X(ClusterBarrier, "cluster_barrier", 0, kReads | kWrites | kConvergent)                                             \
  X(MapShared, "map_shared", 2, kPure)                                                                                \
  X(Fence, "fence", 0, kReads | kWrites) /* attr.scope */                                                             \
  X(ActiveMask, "active_mask", 0, kWrites | kConvergent)                                                              \
  X(Shuffle, "shuffle", 4, kWrites | kConvergent)     /* mask, T, lane/delta/xor u32, width u32; attr.shuffle; T 32/64-bit number */ \
  X(VoteAny, "vote_any", 2, kWrites | kConvergent) X(VoteAll, "vote_all", 2, kWrites | kConvergent) /* mask, bool -> bool */ \
  X(Ballot, "ballot", 2, kWrites | kConvergent)       /* mask, bool -> u32 */                                         \
  X(MatchAny, "match_any", 2, kWrites | kConvergent)  /* mask, T -> u32 */                                            \
  X(MatchAll, "match_all", 2, kWrites | kConvergent)  /* mask, T -> u32 (0 when they differ) */                       \
  X(WarpReduce, "warp_reduce", 2, kWrites | kConvergent) /* mask, T (i32/u32); attr.rmw add,min,max,and,or,xor */     \
  /* Matrices, described by attr.index (matrix.hpp). matrix_form: how the target supports them (MatrixForm), u32; the  \
     pass legalize_matrices makes it a constant, and only supported operations remain. Fragments are the arrays of a     \
     thread's elements: by address in the first four, by value in mma. All threads of a warp take part. */             \
  X(MatrixForm, "matrix_form", 0, kPure)                                                                              \
  X(MatrixFill, "matrix_fill", 2, kWrites)                            /* fragment, value */                            \
  X(MatrixLoad, "matrix_load", 3, kReads | kWrites | kConvergent)     /* fragment, memory, elements in a line u32 */   \
  X(MatrixStore, "matrix_store", 3, kReads | kWrites | kConvergent)   /* memory, fragment, elements in a line u32 */   \
  X(MatrixMultiply, "matrix_multiply", 4, kReads | kWrites | kConvergent) /* d, a, b, c: fragments; d = a * b + c */   \
  X(Mma, "mma", 3, kWrites | kConvergent)                             /* a, b, c -> d */                               \
  X(MatrixRows, "matrix_rows", 1, kReads | kWrites | kConvergent)     /* ptr<shared> -> fragment of half or bfloat16 */\
  /* Other effects. */                                                                                                \
  X(Printf, "printf", -1, kWrites) /* attr.text: the format; scalars; ptr operands for %s of string globals */        \
  X(Assert, "assert", 1, kWrites)  /* bool; attr.text: the condition's text; false ends the launch with an error */   \
  X(Trap, "trap", 0, kWrites) X(Clock, "clock", 0, kWrites) /* u64 */ X(GlobalTimer, "global_timer", 0, kWrites)      \
  X(NanoSleep, "nanosleep", 1, kWrites) /* u32 */                                                                     \
  X(Call, "call", -1, kReads | kWrites | kConvergent) /* attr.callee */                                               \
  /* Control. Conditions are bool. At the end of a block, control continues after its construct (loops: step). */     \
  X(If, "if", 1, kControl | kWrites)         /* cond; blocks: then, else */                                           \
  X(Loop, "loop", 0, kControl | kWrites)     /* blocks: head, body, step; head and step may end in yield */           \
  X(Switch, "switch", 1, kControl | kWrites) /* integer; one block per attr.cases entry; no fall-through */           \
  X(Scope, "scope", 0, kControl | kWrites)   /* one block, run once; a target for exit */                             \
  X(Yield, "yield", 1, kTerminator | kWrites)  /* end of a loop's head or step: false leaves the loop */              \
  X(Exit, "exit", 0, kTerminator | kWrites)    /* leave attr.target: an enclosing loop, switch or scope */            \
  X(Continue, "continue", 0, kTerminator | kWrites) /* go to the step of attr.target: an enclosing loop */            \
  X(Return, "return", -1, kTerminator | kWrites)    /* 0 or 1 operands */                                             \
  X(Unreachable, "unreachable", 0, kTerminator | kWrites)
// clang-format on

enum class Op : uint8_t {
#define X(id, text, arity, properties) k##id,
  QUERN_IR_OPS(X)
#undef X
};

inline constexpr size_t kOpCount = 0
#define X(id, text, arity, properties) +1
    QUERN_IR_OPS(X)
#undef X
    ;

struct OpInfo {
  std::string_view name;
  int arity;
  uint32_t properties;
};

const OpInfo& info(Op op);
inline bool has(Op op, uint32_t property) { return (info(op).properties & property) != 0; }

// Which members of Attr (ir.hpp) an operation uses, as bits. The others are neither printed nor compared.
enum : uint32_t {
  kAttrType = 1,
  kAttrScale = 2,
  kAttrIndex = 4,
  kAttrDimension = 8,  // Attr::index as 0..2
  kAttrAlign = 16,
  kAttrVolatile = 32,
  kAttrFast = 64,
  kAttrStray = 128,
  kAttrRmw = 256,
  kAttrScope = 512,
  kAttrShuffle = 1024,
  kAttrRound = 2048,
  kAttrSpace = 4096,
  kAttrUnroll = 8192,
  kAttrTarget = 16384,
  kAttrCallee = 32768,
  kAttrText = 65536,
  kAttrCases = 131072,
};
uint32_t attributes(Op op);

enum class Rmw : uint8_t {
  kAdd,
  kSub,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kExchange,
  kInc,
  kDec
};  // inc/dec as CUDA's
enum class Scope : uint8_t { kBlock, kDevice, kSystem };
enum class ShuffleKind : uint8_t { kIndex, kUp, kDown, kXor };
enum class Rounding : uint8_t { kNearest, kZero, kUp, kDown };

std::string_view name(Rmw rmw);
std::string_view name(Scope scope);
std::string_view name(ShuffleKind kind);
std::string_view name(Rounding rounding);

}  // namespace quern::ir
