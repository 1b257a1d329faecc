#include "base/text.hpp"
#include "target/cstyle/kernel_writer.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::Type;
using ir::TypeKind;

namespace {

std::string combination(Rmw rmw, const Type* t) {
  switch (rmw) {
    case Rmw::kMin: return "(b < a ? b : a)";
    case Rmw::kMax: return "(a < b ? b : a)";
    case Rmw::kAnd: return "(a & b)";
    case Rmw::kOr: return "(a | b)";
    case Rmw::kXor: return "(a ^ b)";
    default: return t->is_signed() ? "@(i32)(@(u32)(a) + @(u32)(b))" : "(a + b)";
  }
}

std::string_view shuffle_name(ir::ShuffleKind kind) {
  constexpr std::string_view kNames[] = {"index", "up", "down", "xor"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view cuda_shuffle(ir::ShuffleKind kind) {
  constexpr std::string_view kNames[] = {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync",
                                         "__shfl_xor_sync"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace

Expr KernelWriter::thread_value(const Inst* i) {
  const auto index = [&](size_t what) {
    const std::string text(dialect_.index[what][i->attr().index]);
    return Expr{text, text[0] == '(' ? int{kUnary} : int{kPrimary}};
  };
  switch (i->op) {
    case Op::kThreadId: return index(0);
    case Op::kBlockId: return index(1);
    case Op::kBlockDim: return index(2);
    case Op::kGridDim: return index(3);
    case Op::kLaneId: return call(unit_.helpers.use("lane"), {});
    case Op::kClusterDim:
      if (!has_clusters(i)) return {"1u", kPrimary};
      return call(unit_.helpers.use(std::string("cluster_dim_") + "xyz"[i->attr().index % 3]), {});
    case Op::kDynamicSharedSize:
      if (dialect_.language == Language::kCuda) return call(unit_.helpers.use("dynamic_shared_size"), {});
      if (dialect_.language == Language::kOpencl) return {std::string(kDynamicSharedBytes), kPrimary};
      if (is_glsl(dialect_)) return {"uint(QUERN_SHARED_BYTES)", kPrimary};
      break;
    case Op::kClock:
    case Op::kGlobalTimer:
      if (dialect_.is_cpp && i->is(Op::kClock)) return cast(TypeKind::kU64, {"clock64()", kPrimary});
      if (dialect_.language == Language::kCuda) return call(unit_.helpers.use("global_timer"), {});
      if (dialect_.language == Language::kHip) return call(unit_.helpers.use("wall_timer"), {});
      refuse(i, message::kReadsClock());
      return zero(i->type);
    case Op::kPrintf: return literal(i->type, i->operands.size());
    default: break;
  }
  switch (ir::group(i->op)) {
    case ir::OpGroup::kBlockVote: return barrier_vote(i);
    case ir::OpGroup::kBarrierObject: return barrier_object(i);
    case ir::OpGroup::kAtomic: return atomic(i);
    case ir::OpGroup::kWarp: return warp(i);
    default: break;
  }
  refuse(i, message::kCannotExpress(ir::info(i->op).name, dialect_.name));
  return zero(i->type);
}

// Otherwise the kernel is refused. Text that is not for a specific architecture may have them.
bool KernelWriter::has_clusters(const Inst* i) {
  constexpr uint64_t kFirst = 90;
  const std::string& version = unit_.options.version;
  if (dialect_.language != Language::kCuda) {
    refuse(i, message::kClustersMissing(dialect_.name));
    return false;
  }
  if (version.starts_with("sm_") && base::parse_uint(version.substr(3)).value_or(kFirst) < kFirst) {
    refuse(i, message::kClustersNeedSm90());
    return false;
  }
  return true;
}

// Whether a barrier is allowed here.
bool KernelWriter::all_arrive(const Inst* i) {
  if (!uniformity_) uniformity_.emplace(function_);
  return uniformity_->is_converged(i);
}

Expr KernelWriter::warp(const Inst* i) {
  if (dialect_.native_warps) return warp_native(i);
  if (!all_arrive(i)) {
    refuse(i, message::kDivergentWarpOperation(dialect_.name));
    return zero(i->type);
  }
  if (i->is(Op::kActiveMask)) return call(unit_.helpers.use("lanes"), {});
  uses_warp_ = true;
  return warp_emulated(i);
}

Expr KernelWriter::reduction(const Inst* i) {
  const Rmw rmw = i->attr().rmw;
  const std::string op(ir::name(rmw));
  const std::string combine = unit_.helpers.fill(combination(rmw, i->type));
  return {
      unit_.helpers.use("warp_reduce", {i->type->kind},
                        {{"suffix", "_" + op}, {"combine", combine}, {"reduce", "__reduce_" + op + "_sync"}}),
      kPrimary};
}

// The helper function of the operation's name.
std::string KernelWriter::own_helper(const Inst* i) {
  return unit_.helpers.use(std::string(ir::info(i->op).name));
}

Expr KernelWriter::warp_emulated(const Inst* i) {
  const Expr memory{dialect_.has_pointers ? std::string(kWarp) : "", kPrimary};
  const Expr mask = value(i->operand(0)), v = value(i->operand(1));
  const Type* t = i->operand(1)->type;
  switch (i->op) {
    case Op::kShuffle: {
      const std::string lane = unit_.helpers.use("lane_" + std::string(shuffle_name(i->attr().shuffle)));
      const Expr from = call(lane, {value(i->operand(2)), value(i->operand(3))});
      return from_word(t, call(unit_.helpers.use("shuffle"), {memory, as_word(t, v), from}));
    }
    case Op::kMatchAny:
    case Op::kMatchAll: return call(own_helper(i), {memory, mask, as_word(t, v)});
    case Op::kWarpReduce: return call(reduction(i).text, {memory, mask, v});
    default: return call(own_helper(i), {memory, mask, v});
  }
}

Expr KernelWriter::warp_hip(const Inst* i) {
  if (i->is(Op::kActiveMask)) return call(unit_.helpers.use("active_mask"), {});
  const Expr mask = value(i->operand(0));
  const Type* t = i->operand(1)->type;
  // Helpers are templates, and threadIdx.x has a type of its own.
  const Expr v =
      t->kind == TypeKind::kU32 ? cast(TypeKind::kU32, value(i->operand(1))) : value(i->operand(1));
  switch (i->op) {
    case Op::kShuffle: {
      const std::string lane = unit_.helpers.use("lane_" + std::string(shuffle_name(i->attr().shuffle)));
      const Expr from = call(lane, {value(i->operand(2)), value(i->operand(3))});
      return call(unit_.helpers.use("shuffle"), {mask, v, cast(TypeKind::kI32, from)});
    }
    case Op::kMatchAny:
    case Op::kMatchAll: {
      const Type* bits = unit_.module.types().get(t->size == 8 ? TypeKind::kU64 : TypeKind::kU32);
      const Expr word = t->size < 4 ? cast(TypeKind::kU32, v) : bitcast(bits, t, v);
      return call(own_helper(i), {mask, word});
    }
    case Op::kWarpReduce: return call(reduction(i).text, {mask, v});
    default: return call(own_helper(i), {mask, v});
  }
}

Expr KernelWriter::warp_native(const Inst* i) {
  if (dialect_.language == Language::kHip) return warp_hip(i);
  if (i->is(Op::kActiveMask)) return {"__activemask()", kPrimary};
  const Expr mask = value(i->operand(0)), v = value(i->operand(1));
  const Type* t = i->operand(1)->type;
  switch (i->op) {
    case Op::kShuffle: {
      const Expr by = cast(TypeKind::kI32, value(i->operand(2)));
      const Expr width = cast(TypeKind::kI32, value(i->operand(3)));
      return call(std::string(cuda_shuffle(i->attr().shuffle)), {mask, v, by, width});
    }
    case Op::kVoteAny: return {call("__any_sync", {mask, v}).text + " != 0", kEquality};
    case Op::kVoteAll: return {call("__all_sync", {mask, v}).text + " != 0", kEquality};
    case Op::kBallot: return call("__ballot_sync", {mask, v});
    case Op::kMatchAny:
    case Op::kMatchAll: {
      const Type* bits = unit_.module.types().get(t->size == 8 ? TypeKind::kU64 : TypeKind::kU32);
      const Expr word = t->size < 4 ? cast(TypeKind::kU32, v) : bitcast(bits, t, v);
      if (i->is(Op::kMatchAny)) return call("__match_any_sync", {mask, word});
      return call(unit_.helpers.use("match_all"), {mask, word});
    }
    default: return call(reduction(i).text, {mask, v});
  }
}

namespace {

// Whether a compiler keeps it in registers, and may move it.
bool is_computation(const Inst* i) {
  if (i->is(Op::kVar) || ir::has(i->op, ir::kPure)) return true;
  if (!i->is(Op::kLoad) && !i->is(Op::kStore)) return false;
  const ir::Value* const pointer = i->operand(0);
  return pointer->kind == ir::ValueKind::kInst && static_cast<const Inst*>(pointer)->is(Op::kVar);
}

}  // namespace

// Whether threads may take different branches after the barrier, with nothing but computations before.
bool KernelWriter::is_before_divergent_branch(const Inst* barrier) {
  for (const Inst* at = barrier;;) {
    const Inst* const next = at->next;
    if (next == nullptr) {
      at = at->parent->owner;
      if (at == nullptr || at->is(Op::kLoop)) return false;
      continue;
    }
    if (!next->blocks.empty()) return !uniformity_->is_uniform_branch(next);
    if (!is_computation(next)) return false;
    at = next;
  }
}

void KernelWriter::barrier(const Inst* i) {
  switch (i->op) {
    case Op::kBarrier:
      if (!dialect_.is_cpp && !all_arrive(i)) refuse(i, message::kDivergentBarrier());
      text_.line(unit_.helpers.fill("@barrier;"));
      if (dialect_.language == Language::kOpencl && is_before_divergent_branch(i))
        text_.line(unit_.helpers.use("branch") + "();");
      return;
    case Op::kWarpBarrier:
      if (dialect_.language == Language::kHip) {
        text_.line(unit_.helpers.use("warp_barrier") + "();");
      } else if (dialect_.native_warps) {
        text_.line("__syncwarp(" + value(i->operand(0)).text + ");");
      } else if (all_arrive(i)) {
        text_.line(unit_.helpers.fill("@barrier;"));
      } else {
        refuse(i, message::kDivergentWarpBarrier(dialect_.name));
      }
      return;
    case Op::kClusterBarrier:
      if (has_clusters(i)) text_.line(unit_.helpers.use("cluster_barrier") + "();");
      return;
    default:
      if (dialect_.is_cpp) {
        text_.line(unit_.helpers.use("grid_barrier") + "();");
      } else {
        refuse(i, message::kGridBarrier());
      }
  }
}

Expr KernelWriter::barrier_vote(const Inst* i) {
  const Expr yes = value(i->operand(0));
  if (dialect_.is_cpp) {
    if (i->is(Op::kBarrierCount)) return call("__syncthreads_count", {yes});
    return {call(i->is(Op::kBarrierAnd) ? "__syncthreads_and" : "__syncthreads_or", {yes}).text + " != 0",
            kEquality};
  }
  uses_count_ = true;
  const std::string count = unit_.helpers.use("barrier_count");
  const Expr memory{dialect_.has_pointers ? "&" + std::string(kCount) : "", kUnary};
  if (i->is(Op::kBarrierCount)) return call(count, {memory, yes});
  const Expr asked = i->is(Op::kBarrierAnd) ? unary("!", yes) : yes;
  return {call(count, {memory, asked}).text + (i->is(Op::kBarrierAnd) ? " == 0" : " != 0"), kEquality};
}

// As inline PTX: only CUDA C++ has it.
Expr KernelWriter::barrier_object(const Inst* i) {
  const std::string helper = unit_.helpers.use(std::string(ir::info(i->op).name));
  const Expr object = address(place(i->operand(0)));
  return i->is(Op::kBarrierDrop) ? call(helper, {object}) : call(helper, {object, value(i->operand(1))});
}

// Asynchronous copies.
void KernelWriter::copy_beside(const Inst* i) {
  if (i->is(Op::kAsyncCommit)) return text_.line("asm volatile(\"cp.async.commit_group;\" ::: \"memory\");");
  if (i->is(Op::kAsyncWait)) {
    return text_.line("asm volatile(\"cp.async.wait_group " + std::to_string(i->attr().index) +
                      ";\" ::: \"memory\");");
  }
  const Expr to = address(place(i->operand(0)));
  if (i->is(Op::kAsyncArrive)) return text_.line(call(unit_.helpers.use("async_arrive"), {to}).text + ";");
  const uint32_t bytes = i->attr().index;
  const Expr from = address(place(i->operand(1)));
  const ir::Const* read = ir::as_const(i->operand(2));
  const std::string name = "async_copy_" + std::to_string(bytes);
  const Expr copied = read != nullptr && read->bits == bytes
                          ? call(unit_.helpers.use(name), {to, from})
                          : call(unit_.helpers.use(name + "_part"), {to, from, value(i->operand(2))});
  text_.line(copied.text + ";");
}

void KernelWriter::fence(const Inst* i) {
  if (dialect_.is_cpp) {
    constexpr std::string_view kFences[] = {"__threadfence_block()", "__threadfence()",
                                            "__threadfence_system()"};
    constexpr std::string_view kScopes[] = {"cta", "gpu", "sys"};
    const auto scope = static_cast<size_t>(i->attr().scope);
    const std::string plain(kFences[scope]);
    if (dialect_.language != Language::kCuda || !i->attr().fast) return text_.line(plain + ";");
    text_.line(std::string(unit_.helpers.use("fence")) + "(\"" + std::string(kScopes[scope]) + "\", " +
               plain + ");");
  } else if (is_glsl(dialect_)) {
    text_.line("memoryBarrier();");
  } else {
    text_.line("mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
  }
}

}  // namespace quern::target::cstyle
