// The operations of the IR. The table below is the only list of them: name in the text form, number of
// operands (-1: any), properties, group and signature. The printer, the parser, the verifier and the
// intrinsics `__quern_NAME` follow the signature; passes, emitters and the simulator dispatch by group.
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
  kMath = 128,        // float math library function (pure)
  kBasic = 256,       // every target language has it: on floats, or on 32-bit integers if it is about bits
  kSameInWarp = 512,  // all threads of a warp that take part get the same result
};

// Operations of one group are handled by the same function of an emitter or pass.
enum class OpGroup : uint8_t {
  kArithmetic,
  kComparison,
  kValue,  // conversions, and members of aggregates
  kBits,
  kFloat,
  kPointer,
  kMemory,
  kAtomic,
  kIndex,      // position of the thread, and sizes
  kBarrier,    // of the block, the cluster or the grid
  kBlockVote,  // a barrier with a result
  kWarp,
  kBarrierObject,
  kAsyncCopy,
  kTexture,
  kMatrix,
  kPtx,
  kEffect,
  kControl,
};

// A signature has a letter for each operand, a colon, and a letter for the result.
//   b i u l q c  bool, i32, u32, i64, u64, u8;  v  no result
//   p pointer;  n any integer;  z u32 or u64 (a size)
//   N number;  I integer;  B integer or bool;  W 32-bit or 64-bit integer;  D i32 or u32;  F float;
//   M 32-bit or 64-bit number;  S scalar;  A any type: all upper-case letters of a signature mean one type
// "*:v": the verifier checks the operands by a function. "": also the result, whose type is written.
// clang-format off
#define QUERN_IR_OPS(X)                                                                                                         \
  /* Arithmetic: operands and result of one type T (number). Integers wrap. x/0 = 0, x%0 = x, INT_MIN/-1 wraps.                 \
     Float operations round to nearest even and are never contracted; a NaN result is the positive quiet NaN. */                \
  X(Add, "add", 2, kPure | kCommutes | kBasic, kArithmetic, "NN:N")                                                             \
  X(Sub, "sub", 2, kPure | kBasic, kArithmetic, "NN:N")                                                                         \
  X(Mul, "mul", 2, kPure | kCommutes | kBasic, kArithmetic, "NN:N")                                                             \
  X(Div, "div", 2, kPure, kArithmetic, "NN:N")                                                                                  \
  X(Rem, "rem", 2, kPure, kArithmetic, "NN:N") /* float rem is fmod */                                                          \
  X(Neg, "neg", 1, kPure | kBasic, kArithmetic, "N:N")                                                                          \
  /* Integers and bool. The amount of a shift has its own integer type and counts modulo the width; shr of a                    \
     signed type keeps the sign. `not` on bool is logical. */                                                                   \
  X(And, "and", 2, kPure | kCommutes, kArithmetic, "BB:B")                                                                      \
  X(Or, "or", 2, kPure | kCommutes, kArithmetic, "BB:B")                                                                        \
  X(Xor, "xor", 2, kPure | kCommutes, kArithmetic, "BB:B")                                                                      \
  X(Not, "not", 1, kPure, kArithmetic, "B:B")                                                                                   \
  X(Shl, "shl", 2, kPure, kArithmetic, "In:I")                                                                                  \
  X(Shr, "shr", 2, kPure, kArithmetic, "In:I")                                                                                  \
  X(MulHi, "mulhi", 2, kPure | kCommutes, kArithmetic, "II:I")                                                                  \
  X(Min, "min", 2, kPure | kCommutes, kArithmetic, "NN:N")                                                                      \
  X(Max, "max", 2, kPure | kCommutes, kArithmetic, "NN:N") /* floats: if one is NaN, the other */                               \
  X(Abs, "abs", 1, kPure | kBasic, kArithmetic, "N:N")                                                                          \
  /* Comparisons: operands of one scalar type (numbers, bool, pointers), result bool. Ordered; ne is unordered.                 \
     */                                                                                                                         \
  X(Eq, "eq", 2, kPure | kCommutes | kBasic, kComparison, "SS:b")                                                               \
  X(Ne, "ne", 2, kPure | kCommutes | kBasic, kComparison, "SS:b")                                                               \
  X(Lt, "lt", 2, kPure | kBasic, kComparison, "SS:b")                                                                           \
  X(Le, "le", 2, kPure | kBasic, kComparison, "SS:b")                                                                           \
  X(Gt, "gt", 2, kPure | kBasic, kComparison, "SS:b")                                                                           \
  X(Ge, "ge", 2, kPure | kBasic, kComparison, "SS:b")                                                                           \
  X(Select, "select", 3, kPure, kValue, "bAA:A") /* bool, T, T; both sides are evaluated; T any type */                         \
  /* convert: between numbers and bool, by value. To bool: != 0. Float to integer truncates, saturates, NaN is                  \
     0. Integer to float and float to float round to nearest even. */                                                           \
  X(Convert, "convert", 1, kPure | kBasic, kValue, "")                                                                          \
  X(Bitcast, "bitcast", 1, kPure, kValue, "") /* same size; numbers only */                                                     \
  /* Bits of integers (u32/i32/u64/i64 as noted by the operand's type). Counts are i32; clz(0) = ctz(0) = width                 \
     */                                                                                                                         \
  X(Popc, "popc", 1, kPure | kBasic, kBits, "W:i")                                                                              \
  X(Clz, "clz", 1, kPure | kBasic, kBits, "W:i")                                                                                \
  X(Ctz, "ctz", 1, kPure | kBasic, kBits, "W:i")                                                                                \
  X(Brev, "brev", 1, kPure | kBasic, kBits, "W:W")                                                                              \
  X(BytePerm, "byte_perm", 3, kPure, kBits, "uuu:u") /* u32, u32, u32 selector */                                               \
  X(Funnel, "funnel", 3, kPure, kBits, "uuu:u") /* lo u32, hi u32, amount u32 (mod 32): upper word of hi:lo << amount */        \
  X(Dot4, "dot4", 3, kPure, kBits, "DDD:D") /* four bytes of a times four of b plus c; i32 or u32 */                            \
  /* Float functions: operands and result of one float type. `fast` on the instruction allows the approximate                   \
     form. */                                                                                                                   \
  X(Fma, "fma", 3, kPure | kMath, kFloat, "FFF:F")                                                                              \
  X(Sqrt, "sqrt", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Rsqrt, "rsqrt", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Cbrt, "cbrt", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Rcbrt, "rcbrt", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Hypot, "hypot", 2, kPure | kMath, kFloat, "FF:F")                                                                           \
  X(Rhypot, "rhypot", 2, kPure | kMath, kFloat, "FF:F")                                                                         \
  X(Exp, "exp", 1, kPure | kMath, kFloat, "F:F")                                                                                \
  X(Exp2, "exp2", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Exp10, "exp10", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Expm1, "expm1", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Log, "log", 1, kPure | kMath, kFloat, "F:F")                                                                                \
  X(Log2, "log2", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Log10, "log10", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Log1p, "log1p", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Logb, "logb", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Pow, "pow", 2, kPure | kMath, kFloat, "FF:F")                                                                               \
  X(Sin, "sin", 1, kPure | kMath, kFloat, "F:F")                                                                                \
  X(Cos, "cos", 1, kPure | kMath, kFloat, "F:F")                                                                                \
  X(Tan, "tan", 1, kPure | kMath, kFloat, "F:F")                                                                                \
  X(Sinpi, "sinpi", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Cospi, "cospi", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Asin, "asin", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Acos, "acos", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Atan, "atan", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Atan2, "atan2", 2, kPure | kMath, kFloat, "FF:F")                                                                           \
  X(Sinh, "sinh", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Cosh, "cosh", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Tanh, "tanh", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Asinh, "asinh", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Acosh, "acosh", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Atanh, "atanh", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Erf, "erf", 1, kPure | kMath, kFloat, "F:F")                                                                                \
  X(Erfc, "erfc", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Erfinv, "erfinv", 1, kPure | kMath, kFloat, "F:F")                                                                          \
  X(Erfcinv, "erfcinv", 1, kPure | kMath, kFloat, "F:F")                                                                        \
  X(Erfcx, "erfcx", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Normcdf, "normcdf", 1, kPure | kMath, kFloat, "F:F")                                                                        \
  X(Normcdfinv, "normcdfinv", 1, kPure | kMath, kFloat, "F:F")                                                                  \
  X(Tgamma, "tgamma", 1, kPure | kMath, kFloat, "F:F")                                                                          \
  X(Lgamma, "lgamma", 1, kPure | kMath, kFloat, "F:F")                                                                          \
  X(J0, "j0", 1, kPure | kMath, kFloat, "F:F")                                                                                  \
  X(J1, "j1", 1, kPure | kMath, kFloat, "F:F")                                                                                  \
  X(Y0, "y0", 1, kPure | kMath, kFloat, "F:F")                                                                                  \
  X(Y1, "y1", 1, kPure | kMath, kFloat, "F:F")                                                                                  \
  X(Floor, "floor", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Ceil, "ceil", 1, kPure | kMath, kFloat, "F:F")                                                                              \
  X(Trunc, "trunc", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Round, "round", 1, kPure | kMath, kFloat, "F:F")                                                                            \
  X(Rint, "rint", 1, kPure | kMath, kFloat, "F:F") /* half away from zero; half to even */                                      \
  X(Remainder, "remainder", 2, kPure | kMath, kFloat, "FF:F")                                                                   \
  X(Copysign, "copysign", 2, kPure | kMath, kFloat, "FF:F")                                                                     \
  X(Nextafter, "nextafter", 2, kPure | kMath, kFloat, "FF:F")                                                                   \
  X(Fdim, "fdim", 2, kPure | kMath, kFloat, "FF:F")                                                                             \
  X(Ldexp, "ldexp", 2, kPure | kMath, kFloat, "Fi:F") /* second operand i32 */                                                  \
  X(Ilogb, "ilogb", 1, kPure | kMath, kFloat, "F:i") /* result i32 */                                                           \
  X(IsNan, "isnan", 1, kPure | kBasic, kFloat, "F:b")                                                                           \
  X(IsInf, "isinf", 1, kPure | kBasic, kFloat, "F:b")                                                                           \
  X(SignBit, "signbit", 1, kPure | kBasic, kFloat, "F:b") /* result bool */                                                     \
  /* Arithmetic with a rounding mode in attr.round (add, sub, mul, div, fma, sqrt, convert); T float. */                        \
  X(AddR, "add_r", 2, kPure, kFloat, "FF:F")                                                                                    \
  X(MulR, "mul_r", 2, kPure, kFloat, "FF:F")                                                                                    \
  X(DivR, "div_r", 2, kPure, kFloat, "FF:F")                                                                                    \
  X(FmaR, "fma_r", 3, kPure, kFloat, "FFF:F")                                                                                   \
  X(SqrtR, "sqrt_r", 1, kPure, kFloat, "F:F")                                                                                   \
  X(ConvertR, "convert_r", 1, kPure, kValue, "")                                                                                \
  /* Values. undef reads as any value; the simulator reports its use. */                                                        \
  X(Extract, "extract", 1, kPure, kValue, "") /* field or element attr.index of an aggregate value */                           \
  X(Insert, "insert", 2, kPure, kValue, "") /* aggregate, new member: copy of the aggregate with member attr.index replaced */  \
  X(Construct, "construct", -1, kPure, kValue, "") /* struct or array from all its members */                                   \
  /* Memory. var: a variable of this thread (attr.type) in kLocal space, alive until its block ends, undefined                  \
     at first, aligned to attr.align where that is more than the type's; result ptr<local>. Addresses are in                    \
     bytes. */                                                                                                                  \
  X(Var, "var", 0, 0, kMemory, "")                                                                                              \
  X(Load, "load", 1, kReads, kMemory, "") /* ptr; result any sized type; attr.align, attr.is_volatile */                        \
  X(Store, "store", 2, kWrites, kMemory, "*:v") /* ptr, value */                                                                \
  X(Offset, "offset", 2, kPure, kPointer, "") /* ptr + index * attr.scale bytes; index i32, u32, i64 or u64; same space */      \
  X(FieldPtr, "field", 1, kPure, kPointer, "") /* address of field attr.index of the struct attr.type at ptr */                 \
  X(PtrDiff, "ptr_diff", 2, kPure, kPointer, "*:l") /* (a - b) / attr.scale, i64 */                                             \
  X(PtrToInt, "ptr_to_int", 1, kPure, kPointer, "p:q")                                                                          \
  X(IntToPtr, "int_to_ptr", 1, kPure, kPointer, "") /* u64; u32: pass::lower_pointers */                                        \
  X(SpaceCast, "space_cast", 1, kPure, kPointer, "") /* pointer to a pointer of another space (to or from generic) */           \
  X(IsSpace, "is_space", 1, kPure, kPointer, "p:b") /* bool: does the generic pointer point into attr.space? */                 \
  /* The 32-bit address of shared memory that inline PTX uses: bytes from the beginning of the block's shared                   \
     memory. shared_pointer: attr.index is the alignment in bytes that the address must have. */                                \
  X(SharedAddress, "shared_address", 1, kPure, kPointer, "p:u")                                                                 \
  X(SharedPointer, "shared_pointer", 1, kPure, kPointer, "") /* u32 -> ptr<shared> */                                           \
  X(ParamAddress, "param_address", 1, kPure, kPointer, "") /* parameter of the kernel, a tensor map -> ptr */                   \
  X(MemCopy, "mem_copy", 3, kReads | kWrites, kMemory, "ppz:v") /* dst, src, bytes u64 or u32 */                                \
  X(MemSet, "mem_set", 3, kWrites, kMemory, "pcz:v") /* dst, byte u8, bytes u64 or u32 */                                       \
  X(AtomicRmw, "atomic", 2, kReads | kWrites, kAtomic, "") /* ptr, T; attr.rmw, attr.scope; returns the old value */            \
  X(AtomicCas, "atomic_cas", 3, kReads | kWrites, kAtomic, "") /* ptr, expected T, desired T; returns the old value */          \
  X(AtomicLoad, "atomic_load", 1, kReads | kWrites, kAtomic, "")                                                                \
  X(AtomicStore, "atomic_store", 2, kWrites, kAtomic, "pS:v")                                                                   \
  /* Thread indices: attr.index is the dimension 0..2; results u32. */                                                          \
  X(ThreadId, "thread_id", 0, kPure, kIndex, ":u")                                                                              \
  X(BlockId, "block_id", 0, kPure, kIndex, ":u")                                                                                \
  X(BlockDim, "block_dim", 0, kPure, kIndex, ":u")                                                                              \
  X(GridDim, "grid_dim", 0, kPure, kIndex, ":u")                                                                                \
  X(LaneId, "lane_id", 0, kPure, kIndex, ":u") /* linear thread index mod 32 */                                                 \
  X(ClusterDim, "cluster_dim", 0, kPure, kIndex, ":u") /* blocks of a cluster; 1 without clusters */                            \
  X(DynamicSharedSize, "dynamic_shared_size", 0, kPure, kIndex, ":u") /* u32 bytes */                                           \
  /* Cooperation of threads. A warp is 32 consecutive threads of a block. Masks are u32. */                                     \
  X(Barrier, "barrier", 0, kReads | kWrites | kConvergent, kBarrier, ":v")                                                      \
  X(BarrierCount, "barrier_count", 1, kReads | kWrites | kConvergent, kBlockVote, "b:i") /* bool -> i32: how many are true */   \
  X(BarrierAnd, "barrier_and", 1, kReads | kWrites | kConvergent, kBlockVote, "b:b")                                            \
  X(BarrierOr, "barrier_or", 1, kReads | kWrites | kConvergent, kBlockVote, "b:b") /* bool -> bool */                           \
  X(WarpBarrier, "warp_barrier", 1, kReads | kWrites | kConvergent, kWarp, "u:v") /* mask */                                    \
  X(GridBarrier, "grid_barrier", 0, kReads | kWrites | kConvergent, kBarrier, ":v")                                             \
  /* Barrier objects: 8 bytes in shared memory, for any number of threads. barrier_form: whether the target                     \
     supports them, u32; the pass legalize_forms makes it a constant, and only supported operations remain. A                   \
     token identifies the phase of an arrival. */                                                                               \
  X(BarrierForm, "barrier_form", 0, kPure, kBarrierObject, ":u")                                                                \
  X(BarrierInit, "barrier_init", 2, kWrites, kBarrierObject, "pu:v") /* ptr, arrivals in a phase u32 */                         \
  X(BarrierArrive, "barrier_arrive", 2, kReads | kWrites, kBarrierObject, "pu:q") /* ptr, arrivals u32 -> token u64 */          \
  X(BarrierDrop, "barrier_drop", 1, kReads | kWrites, kBarrierObject, "p:q") /* ptr -> token u64; one arrival fewer in later phases */ \
  X(BarrierPassed, "barrier_passed", 2, kReads | kWrites, kBarrierObject, "pq:b") /* ptr, token u64 -> bool: is that phase over? */ \
  X(BarrierParity, "barrier_parity", 2, kReads | kWrites, kBarrierObject, "pu:b") /* ptr, u32 -> bool: the last phase of that parity */ \
  /* Asynchronous copies from device memory to shared memory: attr.index bytes (4, 8, 16), of which the given                   \
     number is read and the rest is zero. async_wait: waits until at most the last attr.index groups of this                    \
     thread are pending; a group is all copies issued before its async_commit. async_arrive: the phase of a                     \
     barrier object does not complete before this thread's copies do. copy_form: whether the target supports                    \
     this, u32; the pass legalize_forms makes it a constant; if it is 0, none of the others remain. */                          \
  X(CopyForm, "copy_form", 0, kPure, kAsyncCopy, ":u")                                                                          \
  X(AsyncCopy, "async_copy", 3, kReads | kWrites, kAsyncCopy, "ppu:v") /* to, from, bytes read u32 */                           \
  X(AsyncCommit, "async_commit", 0, kReads | kWrites, kAsyncCopy, ":v")                                                         \
  X(AsyncWait, "async_wait", 0, kReads | kWrites, kAsyncCopy, ":v")                                                             \
  X(AsyncArrive, "async_arrive", 1, kReads | kWrites, kAsyncCopy, "p:v") /* ptr of a barrier object */                          \
  /* Checks of the library (textures, heap). check_form: 1 if the target runs them, else 0, u32; the pass                       \
     legalize_forms makes it a constant, and check_error remains only if it is 1: a check failed; which one                     \
     (driver/sim/texture.cpp, heap.cpp), and two values. */                                                                     \
  X(CheckForm, "check_form", 0, kPure, kTexture, ":u")                                                                          \
  X(CheckError, "check_error", 3, kWrites, kTexture, "uuu:v")                                                                   \
  /* Clusters: adjacent blocks that run concurrently. map_shared: ptr<shared>, rank u32 -> generic ptr to the                   \
     same offset in the shared memory of that block of the cluster. */                                                          \
  X(ClusterBarrier, "cluster_barrier", 0, kReads | kWrites | kConvergent, kBarrier, ":v")                                       \
  X(MapShared, "map_shared", 2, kPure, kPointer, "")                                                                            \
  X(Fence, "fence", 0, kReads | kWrites, kEffect, ":v") /* attr.scope */                                                        \
  X(ActiveMask, "active_mask", 0, kWrites | kConvergent, kWarp, ":u")                                                           \
  X(Shuffle, "shuffle", 4, kWrites | kConvergent, kWarp, "uMuu:M") /* mask, T, lane/delta/xor u32, width u32; attr.shuffle; T 32/64-bit number */ \
  X(VoteAny, "vote_any", 2, kWrites | kConvergent | kSameInWarp, kWarp, "ub:b")                                                 \
  X(VoteAll, "vote_all", 2, kWrites | kConvergent | kSameInWarp, kWarp, "ub:b") /* mask, bool -> bool */                        \
  X(Ballot, "ballot", 2, kWrites | kConvergent | kSameInWarp, kWarp, "ub:u") /* mask, bool -> u32 */                            \
  X(MatchAny, "match_any", 2, kWrites | kConvergent, kWarp, "uN:u") /* mask, T -> u32 */                                        \
  X(MatchAll, "match_all", 2, kWrites | kConvergent | kSameInWarp, kWarp, "uN:u") /* mask, T -> u32 (0 when they differ) */     \
  X(WarpReduce, "warp_reduce", 2, kWrites | kConvergent | kSameInWarp, kWarp, "uD:D") /* mask, T (i32/u32); attr.rmw add,min,max,and,or,xor */ \
  /* Matrices, described by attr.index (matrix.hpp). matrix_form: how the target supports them (MatrixForm),                    \
     u32; the pass legalize_matrices makes it a constant, and only supported operations remain. Fragments are                   \
     the arrays of a thread's elements: by address in the first four, by value in mma. All threads of a warp                    \
     take part. */                                                                                                              \
  X(MatrixForm, "matrix_form", 0, kPure, kMatrix, ":u")                                                                         \
  X(MatrixFill, "matrix_fill", 2, kWrites, kMatrix, "*:v") /* fragment, value */                                                \
  X(MatrixLoad, "matrix_load", 3, kReads | kWrites | kConvergent, kMatrix, "ppu:v") /* fragment, memory, elements in a line u32 */ \
  X(MatrixStore, "matrix_store", 3, kReads | kWrites | kConvergent, kMatrix, "ppu:v") /* memory, fragment, elements in a line u32 */ \
  X(MatrixMultiply, "matrix_multiply", 4, kReads | kWrites | kConvergent, kMatrix, "pppp:v") /* d, a, b, c: fragments; d = a * b + c */ \
  X(Mma, "mma", 3, kWrites | kConvergent, kMatrix, "") /* a, b, c -> d */                                                       \
  X(MatrixRows, "matrix_rows", 1, kReads | kWrites | kConvergent, kMatrix, "") /* ptr<shared> -> fragment of half or bfloat16 */ \
  /* Inline PTX. ptx_form: 80 for sm_80 and so on, 2 in the simulator, otherwise 0 (u32); legalize_forms makes it               \
     a constant. ptx: one asm statement as the user wrote it. attr.text: its constraints, separated by commas,                  \
     a newline, and its text; operands: those that are read; result: those that are written, a scalar or a                      \
     struct of them. Remains on NVIDIA devices and in the simulator. */                                                         \
  X(PtxForm, "ptx_form", 0, kPure, kPtx, ":u")                                                                                  \
  X(Ptx, "ptx", -1, kReads | kWrites | kConvergent, kPtx, "")                                                                   \
  /* Other effects. */                                                                                                          \
  X(Printf, "printf", -1, kWrites, kEffect, "*:v") /* attr.text: the format; scalars; ptr operands for %s of string globals */  \
  X(Assert, "assert", 1, kWrites, kEffect, "*:v") /* bool; attr.text: the condition's text; false ends the launch with an error */ \
  X(Trap, "trap", 0, kWrites, kEffect, ":v")                                                                                    \
  X(Clock, "clock", 0, kWrites, kEffect, ":q") /* u64 */                                                                        \
  X(GlobalTimer, "global_timer", 0, kWrites, kEffect, ":q")                                                                     \
  X(NanoSleep, "nanosleep", 1, kWrites, kEffect, "u:v") /* u32 */                                                               \
  X(Call, "call", -1, kReads | kWrites | kConvergent, kEffect, "") /* attr.callee */                                            \
  /* Control. Conditions are bool. At the end of a block, control continues after its construct (loops: step).                  \
     */                                                                                                                         \
  X(If, "if", 1, kControl | kWrites, kControl, "b:v") /* cond; blocks: then, else */                                            \
  X(Loop, "loop", 0, kControl | kWrites, kControl, ":v") /* blocks: head, body, step; head and step may end in yield */         \
  X(Switch, "switch", 1, kControl | kWrites, kControl, "*:v") /* integer; one block per attr.cases entry; no fall-through */    \
  X(Scope, "scope", 0, kControl | kWrites, kControl, ":v") /* one block, run once; a target for exit */                         \
  X(Yield, "yield", 1, kTerminator | kWrites, kControl, "b:v") /* end of a loop's head or step: false leaves the loop */        \
  X(Exit, "exit", 0, kTerminator | kWrites, kControl, ":v") /* leave attr.target: an enclosing loop, switch or scope */         \
  X(Continue, "continue", 0, kTerminator | kWrites, kControl, ":v") /* go to the step of attr.target: an enclosing loop */      \
  X(Return, "return", -1, kTerminator | kWrites, kControl, "*:v") /* 0 or 1 operands */                                         \
  X(Unreachable, "unreachable", 0, kTerminator | kWrites, kControl, ":v")
// clang-format on

enum class Op : uint8_t {
#define X(id, ...) k##id,
  QUERN_IR_OPS(X)
#undef X
};

inline constexpr size_t kOpCount = 0
#define X(...) +1
    QUERN_IR_OPS(X)
#undef X
    ;

struct OpInfo {
  std::string_view name;
  int arity;
  uint32_t properties;
  OpGroup group;
  std::string_view signature;
};

const OpInfo& info(Op op);
inline bool has(Op op, uint32_t property) { return (info(op).properties & property) != 0; }
inline OpGroup group(Op op) { return info(op).group; }

// The letters of a signature; 0: the operand or result has none.
char operand_letter(Op op, size_t operand);
char result_letter(Op op);

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
