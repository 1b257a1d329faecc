#include "target/cstyle/msl_writer.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "driver/interface/arguments.hpp"
#include "lang/pass/walk.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using driver::Feature;
using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::TypeKind;

namespace {

constexpr std::string_view kArguments = "args";
constexpr std::string_view kLane = "quern_lane";

bool is_placed(const ir::Global* g) { return g->space != Space::kShared && !g->is_literal; }

}  // namespace

bool MslWriter::has(Op op) const {
  bool found = false;
  pass::traverse(function_.body, [&](const Inst* i) { found = found || i->is(op); });
  return found;
}

bool MslWriter::is_used(const ir::Value* v) const {
  bool found = false;
  pass::traverse(function_.body, [&](const Inst* i) {
    found = found || std::find(i->operands.begin(), i->operands.end(), v) != i->operands.end();
  });
  return found;
}

// Whether it is used for anything but accesses through it.
bool MslWriter::may_be_null(const ir::Value* pointer) const {
  bool found = false;
  pass::traverse(function_.body, [&](const Inst* i) {
    for (size_t k = 0; k < i->operands.size() && !found; ++k) {
      if (i->operand(k) != pointer) continue;
      switch (i->op) {
        case Op::kLoad:
        case Op::kMemCopy:
        case Op::kMemSet:
        case Op::kMatrixLoad:
        case Op::kMatrixStore:
        case Op::kAtomicLoad: break;
        case Op::kStore:
        case Op::kAtomicStore:
        case Op::kAtomicRmw:
        case Op::kAtomicCas: found = k != 0; break;
        case Op::kOffset:
        case Op::kFieldPtr: found = may_be_null(i); break;
        default: found = true;
      }
    }
  });
  return found;
}

// All parameters that are not pointers, as packed by driver/interface/arguments.hpp.
std::string MslWriter::block_of_arguments(const std::string& entry) {
  names_.take(std::string(kArguments));
  Names inside;
  std::string members;
  const auto add = [&](const std::string& type, const std::string& wanted) {
    const std::string member = inside.make(wanted);
    members += "  " + type + " " + member + ";\n";
    return std::string(kArguments) + "." + member;
  };
  for (const ir::Param* p : function_.params) {
    if (!p->type->is_ptr()) named_[p] = add(unit_.types.stored(p->type), p->name);
  }
  for (const ir::Param* p : function_.params) {
    if (p->type->is_ptr()) offsets_[p] = add("uint", p->name + "_offset");
  }
  if (info_.needs.has(Feature::dynamic_shared)) add("uint", "shared_bytes");
  return members.empty() ? members : "struct " + entry + "_arguments {\n" + members + "};\n";
}

std::vector<std::string> MslWriter::buffers(const std::string& entry) {
  std::vector<std::string> out;
  uint32_t at = 0;
  const auto place = [&](const std::string& what) {
    out.push_back(what + " [[buffer(" + std::to_string(at) + ")]]");
  };
  for (const ir::Param* p : function_.params) {
    if (!p->type->is_ptr()) continue;
    const std::string name = names_.make(p->name);
    named_[p] = name;
    const std::string text = pointer_parameter(*p, name + (may_be_null(p) ? "_buffer" : ""));
    if (is_used(p)) place(text);
    ++at;
  }
  for (const ir::Global* g : unit_.module.globals) {
    if (!is_placed(g)) continue;
    const Type* type = g->object->is_array() ? g->object->elem : g->object;
    if (is_used(g)) place(unit_.types.pointer(type, g->space) + " " + unit_.globals.at(g));
    ++at;
  }
  if (info_.needs.has(Feature::print) || info_.needs.has(Feature::assert)) {
    place(std::string(spell(dialect_, Space::kGlobal)) + "uint* " + std::string(kReport));
    ++at;
  }
  const bool has_block = driver::block_bytes(info_) != 0 || info_.needs.has(Feature::dynamic_shared);
  if (has_block) {
    place("constant " + entry + "_arguments& " + std::string(kArguments));
    ++at;
  }
  if (at > kMslBuffers)
    unit_.refuse(function_.pos, message::kTooManyBuffers(std::to_string(at), std::to_string(kMslBuffers)));
  return out;
}

// The thread indices that the kernel uses.
std::vector<std::string> MslWriter::places() const {
  std::vector<std::string> out;
  const bool fails = has(Op::kAssert) || has(Op::kTrap);
  const bool asks_lane = has(Op::kLaneId) && !has_warps_;
  if (has(Op::kThreadId) || fails || asks_lane)
    out.emplace_back("uint3 threadIdx [[thread_position_in_threadgroup]]");
  if (has(Op::kBlockId) || fails) out.emplace_back("uint3 blockIdx [[threadgroup_position_in_grid]]");
  if (has(Op::kBlockDim) || asks_lane) out.emplace_back("uint3 blockDim [[threads_per_threadgroup]]");
  if (has(Op::kGridDim)) out.emplace_back("uint3 gridDim [[threadgroups_per_grid]]");
  if (has_warps_ && (has(Op::kLaneId) || has(Op::kShuffle)))
    out.push_back("uint " + std::string(kLane) + " [[thread_index_in_simdgroup]]");
  return out;
}

std::string MslWriter::signature(const std::string& entry) {
  if (!function_.is_kernel) {
    std::vector<std::string> parameters;
    for (const ir::Param* p : function_.params) parameters.push_back(parameter(*p));
    return std::string(dialect_.function) + " " + unit_.types.value(function_.result) + " " + entry + "(" +
           base::join(parameters, ", ") + ")";
  }
  const std::string block = block_of_arguments(entry);
  std::vector<std::string> parameters = buffers(entry);
  if (info_.needs.has(Feature::dynamic_shared))
    parameters.push_back("threadgroup uchar* " + std::string(kDynamicShared) + " [[threadgroup(0)]]");
  for (std::string& place : places()) parameters.push_back(std::move(place));
  const std::string bounds = function_.max_threads != 0 ? "[[max_total_threads_per_threadgroup(" +
                                                              std::to_string(function_.max_threads) + ")]] "
                                                        : "";
  return block + bounds + "kernel void " + entry + "(" + base::join(parameters, ", ") + ")";
}

void MslWriter::shared_variables() {
  for (const ir::Param* p : function_.params) {
    if (!function_.is_kernel || !p->type->is_ptr() || !may_be_null(p)) continue;
    const std::string& name = named_.at(p);
    const std::string type = unit_.types.pointer(pointees_[p], p->type->space);
    text_.line(type + " " + name + " = " + offsets_.at(p) + " == 0xffffffffu ? (" + type + ")0 : " + name +
               "_buffer;");
  }
  KernelWriter::shared_variables();
}

Expr MslWriter::zero(const Type* type) {
  return type->is_aggregate() ? Expr{unit_.types.value(type) + "{}", kPrimary} : literal(type, 0);
}

// Parameters are in the argument block, and so are their members that have no variable of their own.
ir::Space MslWriter::memory_of(const ir::Value* v) const {
  for (const Inst* i = ir::as_inst(v); i != nullptr && i->is(Op::kExtract) && named_.count(i) == 0;
       i = ir::as_inst(v))
    v = i->operand(0);
  return v->kind == ir::ValueKind::kParam && function_.is_kernel ? Space::kConstant : Space::kLocal;
}

Expr MslWriter::lane() const {
  if (has_warps_) return {std::string(kLane), kPrimary};
  return {"((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u)", kPrimary};
}

Expr MslWriter::thread_value(const Inst* i) {
  if (i->is(Op::kLaneId)) return lane();
  if (i->is(Op::kDynamicSharedSize)) return {std::string(kArguments) + ".shared_bytes", kPrimary};
  return KernelWriter::thread_value(i);
}

// If SIMD-groups are not warps, all of these have been lowered.
Expr MslWriter::warp(const Inst* i) {
  if (!has_warps_) {
    refuse(i, message::kNoSimdGroups());
    return zero(i->type);
  }
  if (i->is(Op::kActiveMask)) return call(unit_.helpers.use("active_mask"), {});
  const Type* t = i->operand(1)->type;
  const Expr mask = value(i->operand(0)), v = value(i->operand(1));
  const Type* bits = unit_.module.types().get(t->size == 8 ? TypeKind::kU64 : TypeKind::kU32);
  const auto word = [&] { return t->size < 4 ? cast(TypeKind::kU32, v) : bitcast(bits, t, v); };
  switch (i->op) {
    case Op::kShuffle: {
      constexpr std::string_view kNames[] = {"lane_index", "lane_up", "lane_down", "lane_xor"};
      const std::string which = unit_.helpers.use(kNames[static_cast<size_t>(i->attr().shuffle)]);
      const Expr from = call(which, {lane(), value(i->operand(2)), value(i->operand(3))});
      if (t->size == 4) return call("simd_shuffle", {v, cast(TypeKind::kU16, from)});
      const Expr got = call(unit_.helpers.use("shuffle", {bits->kind}), {word(), from});
      return t->size < 4 ? cast(t->kind, got) : bitcast(t, bits, got);
    }
    case Op::kMatchAny: return call(unit_.helpers.use("match_any", {bits->kind}), {mask, word()});
    case Op::kMatchAll: return call(unit_.helpers.use("match_all", {bits->kind}), {mask, word()});
    case Op::kWarpReduce: return call(reduction(i).text, {mask, v});
    default: return call(own_helper(i), {mask, v});
  }
}

void MslWriter::barrier(const Inst* i) {
  if (i->is(Op::kWarpBarrier) && has_warps_) {
    // Metal's barrier requires that all threads of the SIMD-group reach it. Elsewhere, threads that run
    // together need no waiting, only ordering of their writes.
    if (all_arrive(i)) {
      text_.line("simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);");
    } else {
      text_.line(
          "atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst, "
          "thread_scope_simdgroup);");
    }
    return;
  }
  // That all threads reach it was checked before votes were lowered to shared memory.
  if (i->is(Op::kBarrier)) {
    text_.line(unit_.helpers.fill("@barrier;"));
  } else {
    KernelWriter::barrier(i);
  }
}

void MslWriter::fence(const Inst* i) {
  const bool is_block = i->attr().scope == ir::Scope::kBlock;
  text_.line(std::string("atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, ") +
             "memory_order_seq_cst, " + (is_block ? "thread_scope_threadgroup);" : "thread_scope_device);"));
}

std::string MslWriter::report_failure(uint32_t site) {
  return unit_.helpers.use("report_fail") + "(" + std::string(kReport) + ", " + std::to_string(site) +
         "u, threadIdx, blockIdx);";
}

}  // namespace quern::target::cstyle
