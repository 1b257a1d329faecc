// Warp operations, if a bundle is a warp: the active lanes that are in the mask take part. In code for single
// threads the device synchronizes the lanes (qn_warp) and each computes its own result.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::ShuffleKind;

// The participating lanes, as bits (i32 or a vector of them), from the mask that each lane passes.
Emitter::Text Emitter::group_of(const Val& mask) {
  const Text active = def("trunc i64 " + mask_bits() + " to i32");
  if (mask.is_scalar()) return def("and i32 " + mask.text + ", " + active);
  const Text own =
      constants("i32", [](uint32_t l) { return std::to_string(static_cast<int32_t>(1u << (l & 31))); });
  const Text named = def("or " + vec(Text("i32")) + " " + as_vector(mask) + ", " + own);
  return def("and " + vec(Text("i32")) + " " + named + ", " + splat("i32", active));
}

// Lanes that were in an operation's mask but absent must not reach another one: each of the two would have
// had to wait for the other's lanes. Such lanes are tracked if lanes may diverge at all.
Emitter::Text Emitter::owed_place() {
  if (plan_.has_groups()) return record(*owed_slot_);
  if (owed_cell_.empty()) owed_cell_ = stack_cell("i32", 4);
  return owed_cell_;
}

void Emitter::forget_owed() {
  if (plan_.may_miss_lanes()) line("store i32 0, ptr " + owed_place());
}

void Emitter::check_owed(const Inst* i, const Text& named) {
  const Text place = owed_place();
  const Text owed = def("load i32, ptr " + place);
  const Text here = def("trunc i64 " + mask_bits() + " to i32");
  const Text late = def("and i32 " + owed + ", " + here);
  const Text bad = fresh_label("apart"), good = fresh_label("together");
  br_if(def("icmp ne i32 " + late + ", 0"), bad, good);
  label(bad);
  const Text lane = intrinsic("cttz.i32", "i32", {"i32", "i1"}, {late, "true"});
  call_fault(i, thread_of(lane));
  line("ret void");
  is_terminated_ = true;
  label(good);
  if (mask_.is_all()) return;
  const Text missing = def("and i32 " + named + ", " + def("xor i32 " + here + ", -1"));
  line("store i32 " + def("or i32 " + owed + ", " + missing) + ", ptr " + place);
}

Val Emitter::warp(const Inst* i) {
  if (width_ == 1) return warp_of_fibers(i);
  if (plan_.may_miss_lanes() && is_warp_op(i->op)) {
    const Val mask = value(i->operand(0));
    // Masks that differ between lanes select parts of the warp that agree among themselves.
    check_owed(i, mask.is_scalar() ? mask.text : Text("0"));
  }
  switch (i->op) {
    case Op::kWarpBarrier: return {};
    case Op::kActiveMask: return scalar_val(i->type, def("trunc i64 " + mask_bits() + " to i32"));
    case Op::kShuffle: return shuffle(i);
    case Op::kMatchAny:
    case Op::kMatchAll: return match(i);
    case Op::kWarpReduce: return warp_reduce(i);
    default: return vote(i);
  }
}

Val Emitter::vote(const Inst* i) {
  const Val mask = value(i->operand(0));
  const Text group = group_of(mask);
  const Mask yes = mask_and(mask_, as_vector(value(i->operand(1))), false);
  const Text bits = def("bitcast " + vec(Text("i1")) + " " + yes.text + " to i32");
  const bool v = !mask.is_scalar();
  const Text type = v ? vec(Text("i32")) : Text("i32");
  const Text told = def("and " + type + " " + group + ", " + (v ? splat("i32", bits) : bits));
  Text r = told;
  if (i->is(Op::kVoteAny))
    r = def("icmp ne " + type + " " + told + ", " + (v ? Text("zeroinitializer") : Text("0")));
  if (i->is(Op::kVoteAll)) r = def("icmp eq " + type + " " + told + ", " + group);
  return v ? vector_val(i->type, r) : scalar_val(i->type, r);
}

// The lane that each one reads from, as the language defines it; its own if that is outside of its segment.
Emitter::Text Emitter::shuffle_source(const Inst* i, const Text& by, const Text& width) {
  const Text t = vec(Text("i32"));
  const auto number = [&](int n) { return splat("i32", std::to_string(n)); };
  const Text lane =
      width_ == 1 ? values_warp_lane_ : constants("i32", [](uint32_t l) { return std::to_string(l); });
  const Text segment =
      def("and " + t + " " + def("sub " + t + " " + number(32) + ", " + width) + ", " + number(31));
  const Text inside = def("xor " + t + " " + segment + ", " + number(31));
  const Text first = def("and " + t + " " + lane + ", " + segment);
  const Text last = def("or " + t + " " + first + ", " + inside);
  const Text amount = def("and " + t + " " + by + ", " + number(31));
  Text from, fits;
  switch (i->attr().shuffle) {
    case ShuffleKind::kIndex:
      return def("or " + t + " " + first + ", " + def("and " + t + " " + amount + ", " + inside));
    case ShuffleKind::kUp:
      from = def("sub " + t + " " + lane + ", " + amount);
      fits = def("icmp sge " + t + " " + from + ", " + first);
      break;
    case ShuffleKind::kDown:
      from = def("add " + t + " " + lane + ", " + amount);
      fits = def("icmp sle " + t + " " + from + ", " + last);
      break;
    case ShuffleKind::kXor:
      from = def("xor " + t + " " + lane + ", " + amount);
      fits = def("icmp sle " + t + " " + from + ", " + last);
      break;
  }
  return def("select " + vec(Text("i1")) + " " + fits + ", " + t + " " + from + ", " + t + " " + lane);
}

namespace {

uint32_t constant_source(ShuffleKind kind, uint32_t lane, uint32_t by) {
  switch (kind) {
    case ShuffleKind::kIndex: return by & 31;
    case ShuffleKind::kUp: return lane >= (by & 31) ? lane - (by & 31) : lane;
    case ShuffleKind::kDown: return lane + (by & 31) < 32 ? lane + (by & 31) : lane;
    default: return (lane ^ by) & 31;
  }
}

}  // namespace

Val Emitter::shuffle(const Inst* i) {
  const Val mask = value(i->operand(0)), v = value(i->operand(1)), by = value(i->operand(2)),
            width = value(i->operand(3));
  if (v.is_scalar()) return value(i->operand(1));
  const ir::Const* distance = ir::as_const(i->operand(2));
  const ir::Const* segment = ir::as_const(i->operand(3));
  const ir::Const* named = ir::as_const(i->operand(0));
  const bool is_whole = mask_.is_all() && named != nullptr && named->bits == 0xFFFF'FFFF;
  const Text x = as_vector(v), type = vec(i->type);
  if (is_whole && distance != nullptr && segment != nullptr && segment->bits == 32) {
    const Text from = constants("i32", [&](uint32_t l) {
      return std::to_string(constant_source(i->attr().shuffle, l, static_cast<uint32_t>(distance->bits)));
    });
    return vector_val(i->type,
                      def("shufflevector " + type + " " + x + ", " + type + " poison, <32 x i32> " + from));
  }
  const bool is_step = i->attr().shuffle == ShuffleKind::kUp || i->attr().shuffle == ShuffleKind::kDown;
  if (is_whole && is_step && by.is_scalar() && segment != nullptr && segment->bits == 32)
    return vector_val(i->type, shifted(i, x, by.text));
  const Text group = group_of(mask);
  const ir::Type* u32 = scalar(ir::TypeKind::kU32);
  const Val operands[] = {vector_val(v.type, x), by, width,
                          mask.is_scalar() ? scalar_val(u32, group) : vector_val(u32, group)};
  return call_for_vectors(i->type, operands, [&](const Texts& o) { return shuffled(i, o); });
}

// By a uniform amount: through memory, read at a shifted address.
Emitter::Text Emitter::shifted(const Inst* i, const Text& x, const Text& by) {
  const Text memory = memory_spelling(i->type), row = vec(memory), t = vec(Text("i32"));
  const Text cell = stack_cell("[" + std::to_string(2 * width_) + " x " + memory + "]", 64);
  const bool is_up = i->attr().shuffle == ShuffleKind::kUp;
  const Text first = std::to_string(is_up ? width_ : 0);
  const auto at = [&](const Text& place) {
    return def("getelementptr inbounds " + memory + ", ptr " + cell + ", i32 " + place);
  };
  const Text amount = def("and i32 " + by + ", 31"), align = ", align " + std::to_string(i->type->size);
  line("store " + row + " " + to_memory(i->type, x, true) + ", ptr " + at(first) + align);
  const Text from = def((is_up ? "sub i32 " : "add i32 ") + first + ", " + amount);
  const Text moved = from_memory(i->type, def("load " + row + ", ptr " + at(from) + align), true).text;
  const Text lanes = constants("i32", [&](uint32_t l) { return std::to_string(is_up ? l : width_ - 1 - l); });
  const Text fits = def("icmp uge " + t + " " + lanes + ", " + splat("i32", amount));
  return def("select " + vec(Text("i1")) + " " + fits + ", " + vec(i->type) + " " + moved + ", " +
             vec(i->type) + " " + x);
}

// Of the value, the amounts, the widths of segments and the groups, all as vectors.
Emitter::Text Emitter::shuffled(const Inst* i, const Texts& x) {
  const Text source = shuffle_source(i, x[1], x[2]);
  const Text t = vec(Text("i32")), type = vec(i->type), elem = spelling(i->type);
  const Text there =
      def("and " + t + " " + def("lshr " + t + " " + x[3] + ", " + source) + ", " + splat("i32", "1"));
  const Text takes = def("icmp ne " + t + " " + there + ", zeroinitializer");
  const Val operands[] = {vector_val(i->type, x[0]), vector_val(scalar(ir::TypeKind::kU32), source)};
  const std::map<Text, Text> cells = spill(operands);
  const Text memory = memory_spelling(i->type), out = stack_cell(vec(memory), 64);
  for (uint32_t l = 0; l < width_; ++l) {
    const Text from = def("extractelement " + t + " " + source + ", i32 " + std::to_string(l));
    const Text read =
        def("load " + memory + ", ptr " +
            def("getelementptr inbounds " + memory + ", ptr " + cells.at(x[0]) + ", i32 " + from));
    line("store " + memory + " " + read + ", ptr " +
         def("getelementptr inbounds " + memory + ", ptr " + out + ", i32 " + std::to_string(l)));
  }
  const Text moved = from_memory(i->type, def("load " + vec(memory) + ", ptr " + out), true).text;
  return def("select " + vec(Text("i1")) + " " + takes + ", " + type + " " + moved + ", " + type + " " +
             x[0]);
}

Val Emitter::match(const Inst* i) {
  const Val mask = value(i->operand(0)), v = value(i->operand(1));
  const Text group = group_of(mask);
  const Text cell = stack_cell("[64 x i64]", 64);
  const ir::Type* type = i->operand(1)->type;
  const Val operands[] = {v, mask.is_scalar() ? scalar_val(i->type, group) : vector_val(i->type, group)};
  std::map<Text, Text> spilled = spill(operands);
  each_lane([&](const Text& lane) {
    const Text bits = to_bits(type, lane_of(v, lane, spilled));
    line("store i64 " + bits + ", ptr " + def("getelementptr inbounds i64, ptr " + cell + ", i32 " + lane));
  });
  const bool is_uniform = i->is(Op::kMatchAll) && mask.is_scalar();
  const Text out = stack_cell(vec(Text("i32")), 64);
  each_lane([&](const Text& lane) {
    const Text bits = to_bits(type, lane_of(v, lane, spilled));
    const Text r = call("qn_match", "ptr " + cell + ", i32 " + lane_of(operands[1], lane, spilled) +
                                        ", i32 " + (i->is(Op::kMatchAll) ? "1" : "0") + ", i64 " + bits);
    line("store i32 " + r + ", ptr " + def("getelementptr inbounds i32, ptr " + out + ", i32 " + lane));
  });
  const Val r = vector_val(i->type, def("load " + vec(Text("i32")) + ", ptr " + out));
  return is_uniform ? scalar_val(i->type, as_scalar(r)) : r;
}

namespace {

const char* reduction(Rmw rmw, bool is_signed) {
  switch (rmw) {
    case Rmw::kMin: return is_signed ? "smin" : "umin";
    case Rmw::kMax: return is_signed ? "smax" : "umax";
    case Rmw::kAnd: return "and";
    case Rmw::kOr: return "or";
    case Rmw::kXor: return "xor";
    default: return "add";
  }
}

const char* neutral(Rmw rmw, bool is_signed) {
  switch (rmw) {
    case Rmw::kMin: return is_signed ? "2147483647" : "-1";
    case Rmw::kMax: return is_signed ? "-2147483648" : "0";
    case Rmw::kAnd: return "-1";
    default: return "0";
  }
}

}  // namespace

// Of the lanes in `group` (i32).
Emitter::Text Emitter::reduced_over(const Inst* i, const Text& x, const Text& group) {
  const Text t = vec(Text("i32")), bits = def("bitcast i32 " + group + " to " + vec(Text("i1")));
  const bool is_signed = i->type->is_signed();
  const Rmw rmw = i->attr().rmw;
  const Text taken = def("select " + vec(Text("i1")) + " " + bits + ", " + t + " " + x + ", " + t + " " +
                         splat("i32", neutral(rmw, is_signed)));
  return intrinsic(Text("vector.reduce.") + reduction(rmw, is_signed) + ".v32i32", "i32", {t}, {taken});
}

Val Emitter::warp_reduce(const Inst* i) {
  const Val mask = value(i->operand(0));
  const Val x = vector_val(i->type, as_vector(value(i->operand(1))));
  const Text group = group_of(mask);
  if (mask.is_scalar()) return scalar_val(i->type, reduced_over(i, x.text, group));
  const Val operands[] = {x, vector_val(scalar(ir::TypeKind::kU32), group)};
  return call_for_vectors(i->type, operands, [&](const Texts& o) {
    Text all = "poison";
    for (uint32_t l = 0; l < width_; ++l) {
      const Text lane = std::to_string(l);
      const Text own = def("extractelement " + vec(Text("i32")) + " " + o[1] + ", i32 " + lane);
      all = def("insertelement " + vec(Text("i32")) + " " + all + ", i32 " + reduced_over(i, o[0], own) +
                ", i32 " + lane);
    }
    return all;
  });
}

// A single thread among fibers: the device waits for the others of the mask and passes their values, 32
// 64-bit numbers, followed by the group's bits.
Val Emitter::warp_of_fibers(const Inst* i) {
  const auto kind =
      static_cast<uint32_t>(i->op) << 8 |
      (i->is(Op::kShuffle) ? static_cast<uint32_t>(i->attr().shuffle) : 0) |
      (i->is(Op::kWarpReduce) ? static_cast<uint32_t>(i->attr().rmw) | (i->type->is_signed() ? 128u : 0u)
                              : 0);
  const Text mask = i->is(Op::kActiveMask) ? Text("0") : value(i->operand(0)).text;
  Text bits = "0";
  if (i->operands.size() > 1) bits = to_bits(i->operand(1)->type, value(i->operand(1)).text);
  const Text all =
      call("qn_warp", "ptr %context, i32 " + std::to_string(kind) + ", i32 " + mask + ", i64 " + bits);
  const Text group64 = def("load i64, ptr " + def("getelementptr inbounds i64, ptr " + all + ", i32 32"));
  const Text group = def("trunc i64 " + group64 + " to i32");
  if (i->is(Op::kActiveMask)) return scalar_val(i->type, group);
  if (i->is(Op::kShuffle)) {
    values_warp_lane_ = def("and i32 " + base_ + ", 31");
    const Text from = shuffle_source(i, value(i->operand(2)).text, value(i->operand(3)).text);
    const Text there = def("trunc i32 " + def("lshr i32 " + group + ", " + from) + " to i1");
    const Text source = def("select i1 " + there + ", i32 " + from + ", i32 " + values_warp_lane_);
    const Text x = def("load i64, ptr " + def("getelementptr inbounds i64, ptr " + all + ", i32 " + source));
    return scalar_val(i->type, from_bits(i->type, x));
  }
  // The rest is computed over all 32 by the device: the result follows the group.
  const Text r = def("load i64, ptr " + def("getelementptr inbounds i64, ptr " + all + ", i32 33"));
  return i->type == nullptr || i->type->is_void() ? Val{} : scalar_val(i->type, from_bits(i->type, r));
}

}  // namespace quern::llvm
