// The interpreter's code: a kernel as a flat list of fixed-size instructions on numbered slots. A slot has 64
// bits: a zero-extended scalar (as in ir::Const), or eight bytes of an aggregate in its memory layout. Every
// thread has its own slots, so its state is its program counter, its slots and its local memory, and it can
// stop and resume anywhere. Constants, parameters and indices are in slots that are filled before a thread
// starts and never written.
//
// Undefined values: each slot also has a word of flags, written only if the translator could not prove that
// the slot is defined: which of its bytes are undefined (low 8 bits), and the origin (an index into the
// origins).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "driver/sim/ptx_info.hpp"
#include "driver/sim/sim.hpp"

namespace quern::sim {

// clang-format off
#define QUERN_SIM_OPS(X)                                                                                              \
  /* dst = a op b. 64-bit forms also serve narrower unsigned types where zero extension makes them equal. */          \
  X(Add32) X(Add64) X(AddF32) X(AddF64) X(Sub32) X(Sub64) X(SubF32) X(SubF64)                                         \
  X(Mul32) X(Mul64) X(MulF32) X(MulF64) X(DivF32) X(DivF64)                                                           \
  X(DivI32) X(DivI64) X(DivU64) X(RemI32) X(RemI64) X(RemU64)                                                         \
  X(And) X(Or) X(Xor) X(Shl32) X(Shl64) X(ShrI32) X(ShrI64) X(ShrU32) X(ShrU64)                                       \
  X(MinI32) X(MinI64) X(MinU64) X(MaxI32) X(MaxI64) X(MaxU64) X(MinF32) X(MaxF32)                                     \
  X(Eq) X(Ne) X(LtI32) X(LtI64) X(LtU64) X(LtF32) X(LtF64) X(LeI32) X(LeI64) X(LeU64) X(LeF32) X(LeF64)               \
  X(EqF32) X(EqF64) X(NeF32) X(NeF64)                                                                                 \
  X(Neg32) X(Neg64) X(Not32) X(Not64)                                                                                 \
  X(Fma32) X(Fma64)            /* c: third operand */                                                                 \
  X(Extend)                    /* sign-extended from 64-sub bits, cut to 64-c bits */                                 \
  X(I32ToF32) X(U32ToF32) X(I32ToF64) X(U32ToF64) X(F32ToI32) X(F64ToI32) X(F32ToF64) X(F64ToF32)                     \
  X(Select)                    /* dst = a ? b : c */                                                                  \
  X(Eval1) X(Eval2) X(Eval3)   /* any other pure operation: d: index into evals */                                    \
  X(OverflowAdd) X(OverflowSub) X(OverflowMul) X(OverflowNeg) X(OverflowDiv)  /* check only; sub: bits */             \
  X(ShiftCheck)                /* b: amount; sub: bits of the shifted; c: bits of the amount when signed */           \
  /* Slots. */                                                                                                        \
  X(Mov) X(MovMaybe) X(MovDefined)  /* …Maybe: with flags; …Defined: and clear them */                                \
  X(MovBytes)                  /* c slots with flags */                                                               \
  X(CopyFlags)                 /* dst is undefined when a is */                                                        \
  X(SelectMaybe)               /* with flags; d: number of slots; sub: which of b (1) and c (2) has flags */          \
  X(Undefine)                  /* c slots from dst are undefined; d: origin */                                        \
  X(CheckDefined)              /* a is about to be used */                                                            \
  X(Extract)                   /* dst = bytes of aggregate a at byte d, sub bytes; c != 0: checked immediately */     \
  X(ExtractBytes)              /* … of aggregate type: c bytes */                                                     \
  X(Insert)                    /* aggregate dst at byte d = scalar a of sub bytes; c != 0: a has flags */             \
  X(InsertBytes)               /* … aggregate a of c bytes */                                                         \
  X(ZeroBytes)                 /* c slots */                                                                          \
  /* Memory: address = a + extend(b, sub & 63) * c + d. sub bit 8: dst gets flags instead of a check. */              \
  X(Offset)                                                                                                           \
  X(LoadG8) X(LoadG16) X(LoadG32) X(LoadG64) X(LoadS8) X(LoadS16) X(LoadS32) X(LoadS64)                               \
  X(LoadL8) X(LoadL16) X(LoadL32) X(LoadL64) X(LoadX8) X(LoadX16) X(LoadX32) X(LoadX64)                               \
  X(StoreG8) X(StoreG16) X(StoreG32) X(StoreG64) X(StoreS8) X(StoreS16) X(StoreS32) X(StoreS64) /* dst: the value */  \
  X(StoreL8) X(StoreL16) X(StoreL32) X(StoreL64) X(StoreX8) X(StoreX16) X(StoreX32) X(StoreX64)                       \
  /* Local variable at a fixed place: byte c of local memory. */                                                      \
  X(LoadV8) X(LoadV16) X(LoadV32) X(LoadV64) X(StoreV8) X(StoreV16) X(StoreV32) X(StoreV64)                           \
  X(LoadSlow) X(StoreSlow)     /* address a, value dst; c: index into accesses */                                     \
  X(VarBegin)                  /* local variable c becomes undefined */                                               \
  X(MemCopy) X(MemSet)         /* dst, a, b are operands */                                                           \
  X(AtomicRmw) X(AtomicCas) X(AtomicLoad) X(AtomicStore)  /* a: address; b, c: operands; d: index into accesses */    \
  X(PtrDiff)                   /* c: scale */                                                                         \
  X(MapShared)                 /* a: address, b: rank */                                                              \
  X(SharedAddress)             /* 32-bit address of pointer a */                                                      \
  X(SharedPointer)             /* a: 32-bit address, c: alignment */                                                  \
  X(AsyncCopy)                 /* to dst, from a, bytes read b, bytes c */                                            \
  X(AsyncCommit) X(AsyncWait)  /* c: groups that may be pending */                                                    \
  X(IsSpace)                   /* sub: Space */                                                                       \
  /* Synchronization. */                                                                                             \
  X(Barrier) X(BarrierCount) X(BarrierAnd) X(BarrierOr) X(GridBarrier) X(ClusterBarrier) X(WarpBarrier) X(Fence)      \
  X(ActiveMask)                                                                                                       \
  X(Shuffle)                   /* a: mask, b: value, c: lane, d: width (slot); sub: ShuffleKind | bytes << 4 */       \
  X(WarpValue)                 /* a: mask, b: value; sub: Rmw | signed << 6 | ir::Op << 8 */                           \
  X(CheckError)              /* a: which, b and c: values */                                                        \
  X(Ptx)                     /* c: index into ptx; dst: kNoSlot if there is no result */                            \
  X(Printf) X(Assert) X(Trap) X(Clock) X(Timer) X(NanoSleep)                                                          \
  /* Control: c: target. */                                                                                           \
  X(Jump) X(JumpBack) X(JumpUnless) X(Switch) X(Return) X(Unreachable)                                                \
  X(UnlessEq) X(UnlessNe) X(UnlessLtI32) X(UnlessLtI64) X(UnlessLtU64) X(UnlessLtF32) X(UnlessLtF64)                  \
  X(UnlessLeI32) X(UnlessLeI64) X(UnlessLeU64) X(UnlessLeF32) X(UnlessLeF64)
// clang-format on

enum class OpCode : uint16_t {
#define X(id) k##id,
  QUERN_SIM_OPS(X)
#undef X
};

struct Ins {
  OpCode op = OpCode::kUnreachable;
  uint16_t sub = 0;
  uint32_t dst = 0;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  int32_t d = 0;
};

inline constexpr uint16_t kSubMaybe = 256;  // loads: flags instead of a check
inline constexpr uint32_t kNoSlot = 0xFFFF'FFFF;
inline constexpr uint32_t kUndefinedBytes = 0xFF;  // mask in a flags word
inline constexpr uint32_t kOriginShift = 8;

// Loads, stores and atomics other than plain, naturally aligned scalars.
struct AccessInfo {
  uint32_t bytes = 0;
  uint32_t align = 1;
  ir::TypeKind kind = ir::TypeKind::kVoid;  // of a scalar; kStruct for aggregates
  bool is_volatile = false;
  bool may_race = false;  // load: a compare-and-swap checks whether the value is stale (cas_loop.hpp)
  bool maybe = false;     // load: flags instead of a check; store: the value has flags
  ir::Rmw rmw = ir::Rmw::kAdd;
  ir::Scope scope = ir::Scope::kDevice;
};

struct EvalInfo {
  const ir::Inst* inst = nullptr;
  std::array<const ir::Type*, 3> types{};  // of the operands
};

struct PrintArg {
  uint32_t slot = 0;
  const ir::Type* type = nullptr;
};
struct PrintInfo {
  std::string_view text;
  std::vector<PrintArg> args;
};

struct SwitchInfo {
  std::vector<std::pair<uint64_t, uint32_t>> targets;  // value as payload, program counter; sorted
  uint32_t otherwise = 0;
};

// Why a slot may be undefined.
struct Origin {
  std::string name;  // of the variable; empty: an unnamed value
  ir::Pos pos;
};

struct LocalVar {
  uint64_t offset = 0;  // in local memory; a multiple of 16
  uint64_t size = 0;
  const ir::Type* type = nullptr;
  std::string_view name;
  uint32_t align_bit = 0;  // as Region::align_bit
};

struct SharedVar {
  const ir::Global* global = nullptr;  // nullptr: unnamed dynamic shared memory
  uint64_t offset = 0;
  uint64_t size = 0;  // dynamic: set at launch
  bool is_dynamic = false;
};

struct LoopRange {
  uint32_t begin = 0, end = 0;
  ir::Pos pos;
};

// A store that updates a loaded value: x = x op y.
struct Update {
  uint32_t pc = 0;     // of the load or the store
  uint32_t first = 0;  // of the load
  ir::Op op = ir::Op::kAdd;
  const ir::Type* type = nullptr;
};

struct Code {
  const ir::Function* kernel = nullptr;
  std::vector<Ins> code;
  std::vector<ir::Pos> pos;            // of each instruction
  std::vector<const ir::Inst*> insts;  // … and their origin; may be nullptr
  uint32_t slots = 0;
  uint64_t heap = 0;  // address of the memory of malloc; 0: not used

  struct Fixed {
    uint32_t slot;
    uint64_t bits;
  };
  std::vector<Fixed> constants;
  std::vector<Fixed> undefined;        // slots that are always undefined (bits: number of slots)
  std::vector<uint32_t> params;        // first slot of each parameter
  std::vector<Fixed> local_addresses;  // bits: index of the local variable
  std::array<uint32_t, 3> thread_id{kNoSlot, kNoSlot, kNoSlot};
  std::array<uint32_t, 3> block_id{kNoSlot, kNoSlot, kNoSlot};
  std::array<uint32_t, 3> block_dim{kNoSlot, kNoSlot, kNoSlot};
  std::array<uint32_t, 3> grid_dim{kNoSlot, kNoSlot, kNoSlot};
  std::array<uint32_t, 3> cluster_dim{kNoSlot, kNoSlot, kNoSlot};
  uint32_t lane_id = kNoSlot;
  uint32_t dynamic_shared_size = kNoSlot;

  std::vector<AccessInfo> accesses;
  std::vector<EvalInfo> evals;
  std::vector<PrintInfo> prints;
  std::vector<std::string_view> asserts;
  std::vector<PtxInfo> ptx;
  std::vector<SwitchInfo> switches;
  std::vector<Origin> origins;  // [0]: nothing is known
  std::vector<LocalVar> locals;
  uint64_t local_bytes = 0;
  std::vector<SharedVar> shared;  // [0]: dynamic
  uint64_t shared_bytes = 0;      // static
  bool has_dynamic_shared = false;
  std::vector<LoopRange> loops;  // inner ones after outer ones
  std::vector<Update> updates;   // by pc

  bool has_grid_barrier = false;
  bool has_cluster_barrier = false;
  bool maps_shared = false;  // accesses other blocks' shared memory
  // Memory that the kernel may write: if every store has a known base, only those must be tracked.
  bool writes_anywhere = false;
  std::vector<bool> writes_param;
  std::vector<const ir::Global*> writes_global;
};

}  // namespace quern::sim
