// Thread indices, and cooperation between threads. Masks and warps are those of the hardware.
#include "target/messages.hpp"
#include "target/ptx/writer.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::Type;

namespace {

struct Reduction {
  const char* name;      // of redux.sync and of the plain instruction
  const char* identity;  // as a signed and as an unsigned number
  const char* unsigned_identity;
};

Reduction reduction_of(Rmw rmw) {
  switch (rmw) {
    case Rmw::kMin: return {"min", "2147483647", "4294967295"};
    case Rmw::kMax: return {"max", "-2147483648", "0"};
    case Rmw::kAnd: return {"and", "-1", "4294967295"};
    case Rmw::kOr: return {"or", "0", "0"};
    case Rmw::kXor: return {"xor", "0", "0"};
    default: return {"add", "0", "0"};
  }
}

bool is_bitwise(Rmw rmw) { return rmw == Rmw::kAnd || rmw == Rmw::kOr || rmw == Rmw::kXor; }

}  // namespace

Reg Writer::thread_value(const Inst* i) {
  constexpr std::string_view kDimensions[] = {".x", ".y", ".z"};
  const std::string dimension(kDimensions[i->attr().index % 3]);
  switch (i->op) {
    case Op::kThreadId: return word("mov.u32", {"%tid" + dimension});
    case Op::kBlockId: return word("mov.u32", {"%ctaid" + dimension});
    case Op::kBlockDim: return word("mov.u32", {"%ntid" + dimension});
    case Op::kGridDim: return word("mov.u32", {"%nctaid" + dimension});
    case Op::kClusterDim: need_clusters(i); return word("mov.u32", {"%cluster_nctaid" + dimension});
    case Op::kLaneId: return word("mov.u32", {"%laneid"});
    case Op::kDynamicSharedSize: return word("mov.u32", {"%dynamic_smem_size"});
    case Op::kClock: return wide("mov.u64", {"%clock64"});
    default: return wide("mov.u64", {"%globaltimer"});
  }
}

bool Writer::all_arrive(const Inst* i) {
  if (uniformity_ == nullptr) uniformity_ = std::make_unique<pass::Uniformity>(function_);
  return uniformity_->is_converged(i);
}

// The plain form requires that all threads of a warp reach it together.
void Writer::barrier(const Inst* i) { put(all_arrive(i) || !has(70) ? "bar.sync 0" : "barrier.sync 0"); }

void Writer::need_clusters(const Inst* i) {
  if (!has(90)) refuse(i, message::kClustersNeedSm90());
}

void Writer::cluster_barrier(const Inst* i) {
  need_clusters(i);
  const std::string aligned = all_arrive(i) ? ".aligned" : "";
  put("barrier.cluster.arrive" + aligned);
  put("barrier.cluster.wait" + aligned);
}

// If the address space is unknown the address is generic, but it must still be in shared memory.
Reg Writer::barrier_object(const Inst* i) {
  const Address a = address(i->operand(0));
  const std::string end = a.form == Form::kShared ? ".shared.b64" : ".b64";
  const Reg where = place(a);
  const std::string ask = has(90) ? "mbarrier.try_wait" : "mbarrier.test_wait";
  switch (i->op) {
    case Op::kBarrierInit: put("mbarrier.init" + end, {where, operand(i->operand(1))}); return {};
    case Op::kBarrierDrop: return wide("mbarrier.arrive_drop" + end, {where});
    case Op::kBarrierPassed: return test(ask + end, {where, reg(i->operand(1))});
    case Op::kBarrierParity: return test(ask + ".parity" + end, {where, operand(i->operand(1))});
    default: break;
  }
  const ir::Const* count = ir::as_const(i->operand(1));
  if (count != nullptr && count->bits == 1) return wide("mbarrier.arrive" + end, {where});
  if (has(90)) return wide("mbarrier.arrive" + end, {where, operand(i->operand(1))});
  // Before that, several simultaneous arrivals may not complete a phase: the last one arrives separately.
  const std::string alone = new_label();
  const Reg others = word("sub.u32", {operand(i->operand(1)), "1"});
  put("@" + test("setp.eq.u32", {others, "0"}) + " bra " + alone);
  wide("mbarrier.arrive.noComplete" + end, {where, others});
  label(alone);
  return wide("mbarrier.arrive" + end, {where});
}

// "[address]" of a pointer that must be in shared memory.
std::string Writer::in_shared(const ir::Value* pointer) {
  const Address a = address(pointer);
  if (a.form == Form::kShared) return place(a);
  return "[" + cast(materialised(a), a.form, Form::kShared, false) + "]";
}

// An asynchronous copy.
void Writer::copy_beside(const Inst* i) {
  const uint32_t bytes = i->attr().index;
  const std::string code = bytes == 16 ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global";
  const std::string to = in_shared(i->operand(0));
  const Address from = address(i->operand(1));
  const std::string where = from.form == Form::kGlobal || from.form == Form::kGeneric
                                ? place(from)
                                : "[" + cast(materialised(from), from.form, Form::kGlobal, false) + "]";
  const ir::Const* read = ir::as_const(i->operand(2));
  if (read != nullptr && read->bits == bytes) return put(code, {to, where, std::to_string(bytes)});
  put(code, {to, where, std::to_string(bytes), operand(i->operand(2))});
}

// Counters in device memory: the last block to arrive starts the next phase, for which the others wait. The
// launch must be cooperative. The address of the word that the blocks count in belongs to the launch; the
// driver set the word to zero.
Reg Writer::grid_word() {
  if (!has(70)) {
    unit_.counts_blocks = true;
    return wide("mov.u64", {Reg(kGridArrived)});
  }
  const Reg place = fresh(Class::kB64);
  put("mov.b64 " + place + ", {" + word("mov.u32", {"%envreg2"}) + ", " + word("mov.u32", {"%envreg1"}) +
      "}");
  return wide("add.u64", {place, "4"});
}

// The highest bit flips when all blocks have arrived.
void Writer::grid_barrier() {
  const std::string wait = new_label(), done = new_label();
  const auto special = [&](const char* name) { return word("mov.u32", {name}); };
  const auto any_of = [&](const char* x, const char* y, const char* z) {
    return word("or.b32", {word("or.b32", {special(x), special(y)}), special(z)});
  };
  put("bar.sync 0");
  put("@" + test("setp.ne.u32", {any_of("%tid.x", "%tid.y", "%tid.z"), "0"}) + " bra " + done);
  const Reg plane = word("mul.lo.u32", {special("%nctaid.x"), special("%nctaid.y")});
  const Reg others = word("sub.u32", {word("mul.lo.u32", {plane, special("%nctaid.z")}), "1"});
  const Reg is_first = test("setp.eq.u32", {any_of("%ctaid.x", "%ctaid.y", "%ctaid.z"), "0"});
  const Reg add = word("selp.u32", {word("sub.u32", {"0x80000000", others}), "1", is_first});
  const std::string at = "[" + grid_word() + "]";
  if (!has(70)) put("membar.gl");
  const Reg before = word(has(70) ? "atom.add.release.gpu.global.u32" : "atom.global.add.u32", {at, add});
  label(wait);
  const Reg now = word(has(70) ? "ld.acquire.gpu.global.u32" : "ld.volatile.global.u32", {at});
  const Reg turned = word("and.b32", {word("xor.b32", {before, now}), "0x80000000"});
  put("@" + test("setp.eq.u32", {turned, "0"}) + " bra " + wait);
  if (!has(70)) put("membar.gl");
  label(done);
  put("bar.sync 0");
}

Reg Writer::barrier_vote(const Inst* i) {
  const std::string code = all_arrive(i) || !has(70) ? "bar.red" : "barrier.red";
  const Reg yes = operand(i->operand(0));
  if (i->is(Op::kBarrierCount)) return word(code + ".popc.u32", {"0", yes});
  return test(code + (i->is(Op::kBarrierAnd) ? ".and.pred" : ".or.pred"), {"0", yes});
}

Reg Writer::warp(const Inst* i) {
  if (i->is(Op::kActiveMask)) return word("activemask.b32", {});
  const Reg mask = operand(i->operand(0));
  switch (i->op) {
    case Op::kShuffle: return shuffle(i);
    case Op::kVoteAny: return test("vote.sync.any.pred", {operand(i->operand(1)), mask});
    case Op::kVoteAll: return test("vote.sync.all.pred", {operand(i->operand(1)), mask});
    case Op::kBallot: return word("vote.sync.ballot.b32", {operand(i->operand(1)), mask});
    case Op::kWarpReduce: return reduced(i);
    default: return match(i);
  }
}

Reg Writer::shuffled(const Reg& r, const std::string& kind, const Reg& by, const Reg& bounds,
                     const Reg& mask) {
  return word("shfl.sync." + kind + ".b32", {r, by, bounds, mask});
}

// The bounds of a segment: the common bits of its lanes, and the last valid lane (upwards: the first).
Reg Writer::shuffle(const Inst* i) {
  constexpr std::string_view kKinds[] = {"idx", "up", "down", "bfly"};
  const std::string kind(kKinds[static_cast<size_t>(i->attr().shuffle)]);
  const bool is_up = i->attr().shuffle == ir::ShuffleKind::kUp;
  const Reg mask = operand(i->operand(0)), by = operand(i->operand(2));
  Reg bounds;
  if (const ir::Const* width = ir::as_const(i->operand(3))) {
    const auto segment = static_cast<uint32_t>(32 - width->bits) << 8;
    bounds = std::to_string(segment | (is_up ? 0U : 31U));
  } else {
    bounds = word("shl.b32", {word("sub.u32", {"32", operand(i->operand(3))}), "8"});
    if (!is_up) bounds = word("or.b32", {bounds, "31"});
  }
  const Reg r = reg(i->operand(1));
  if (i->type->size == 4) return shuffled(r, kind, by, bounds, mask);
  const Reg low = fresh(Class::kB32), high = fresh(Class::kB32);
  put("mov.b64 {" + low + ", " + high + "}, " + r);
  const Reg a = shuffled(low, kind, by, bounds, mask), b = shuffled(high, kind, by, bounds, mask);
  return wide("mov.b64", {"{" + a + ", " + b + "}"});
}

Reg Writer::match(const Inst* i) {
  const Type* t = i->operand(1)->type;
  const bool is_wide = t->size == 8;
  Reg r = reg(i->operand(1));
  if (is_half(t)) r = word("cvt.u32.u16", {r});
  const Reg mask = reg(i->operand(0));
  if (!has(70)) return match_by_looking(i, r, mask);
  const std::string end = is_wide ? ".sync.b64" : ".sync.b32";
  if (i->is(Op::kMatchAny)) return word("match.any" + end, {r, mask});
  const Reg d = fresh(Class::kB32), p = fresh(Class::kPredicate);
  put("match.all" + end, {d + "|" + p, r, mask});
  return d;
}

// Before sm_70: which lanes have the same number, tested for one lane of the mask after the other.
Reg Writer::match_by_looking(const Inst* i, const Reg& r, const Reg& mask) {
  const bool is_wide = i->operand(1)->type->size == 8;
  Reg low = r, high = r;
  if (is_wide) {
    low = fresh(Class::kB32), high = fresh(Class::kB32);
    put("mov.b64 {" + low + ", " + high + "}, " + r);
  }
  const Reg same = in_register(Class::kB32, "0"), rest = fresh(Class::kB32);
  move(Class::kB32, rest, mask);
  const std::string again = new_label();
  label(again);
  const Reg lane = word("clz.b32", {word("brev.b32", {rest})});
  Reg is_same = test("setp.eq.u32", {low, shuffled(low, "idx", lane, "31", mask)});
  if (is_wide)
    is_same =
        test("and.pred", {is_same, test("setp.eq.u32", {high, shuffled(high, "idx", lane, "31", mask)})});
  const Reg bit = word("shl.b32", {"1", lane});
  put("@" + is_same + " or.b32", {same, same, bit});
  put("and.b32", {rest, rest, word("sub.u32", {rest, "1"})});
  put("@" + test("setp.ne.u32", {rest, "0"}) + " bra " + again);
  if (i->is(Op::kMatchAny)) return same;
  return word("selp.b32", {mask, "0", test("setp.eq.u32", {same, mask})});
}

// Before sm_80 all lanes of the mask read each other, one after the other.
Reg Writer::reduced(const Inst* i) {
  const Rmw rmw = i->attr().rmw;
  const Reduction how = reduction_of(rmw);
  const std::string end = is_bitwise(rmw) ? ".b32" : i->type->is_signed() ? ".s32" : ".u32";
  const Reg r = reg(i->operand(1));
  const Reg mask = reg(i->operand(0));
  if (has(80)) return word(std::string("redux.sync.") + how.name + end, {r, mask});
  const Reg sum = in_register(Class::kB32, i->type->is_signed() ? how.identity : how.unsigned_identity);
  const Reg rest = fresh(Class::kB32);
  move(Class::kB32, rest, mask);
  const std::string again = new_label();
  label(again);
  const Reg lane = word("clz.b32", {word("brev.b32", {rest})});
  const Reg theirs = shuffled(r, "idx", lane, "31", mask);
  put(how.name + end, {sum, sum, theirs});
  put("and.b32", {rest, rest, word("sub.u32", {rest, "1"})});
  put("@" + test("setp.ne.u32", {rest, "0"}) + " bra " + again);
  return sum;
}

}  // namespace quern::target::ptx
