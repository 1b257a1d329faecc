#include "target/llvm/emit.hpp"

#include <optional>

#include "target/llvm/emitter.hpp"
#include "target/llvm/lane_math.hpp"
#include "target/llvm/leave_early.hpp"
#include "target/llvm/split_indices.hpp"
#include "target/llvm/unroll_short.hpp"
#include "target/messages.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

Emitter::Emitter(const ir::Module& module, ir::Function& kernel, const Options& options,
                 std::unordered_map<const Inst*, uint32_t> sites,
                 std::unordered_map<const ir::Global*, size_t> globals,
                 const std::vector<const Inst*>& stepping)
    : module_(module),
      kernel_(kernel),
      options_(options),
      width_(options.width),
      sites_(std::move(sites)),
      globals_(std::move(globals)),
      plan_(kernel, options_, stepping),
      shared_(shared_layout(kernel)),
      outflow_(outflow(kernel)) {}

base::Result<Code> Emitter::run() {
  out_ = &main_;
  function_end_ = "end";
  const Text first_block = context_field(kAtBlockId, "i32");
  if (plan_.has_abreast()) begin_abreast();
  GroupMask mask;
  if (plan_.has_groups()) {
    mask = new_group_mask();
    whole_slot_ = mask.slot;
    if (plan_.has_turning_off({})) {
      off_slots_[{}] = plan_.reserve(width_, 64);
      open_groups_.push_back({});
    }
    set_up_masks(mask);
    if (plan_.may_miss_lanes()) {
      owed_slot_ = plan_.reserve(4, 4);
      bundle_loop({}, 0, [&] { forget_owed(); });
    }
    group_block(kernel_.body, mask);
  } else {
    bundle_loop(mask, plan_.size_of(kernel_.body), [&] {
      forget_owed();
      block(kernel_.body, block_end_);
    });
  }
  if (plan_.has_abreast()) close_piece();
  label("end");
  const Text row_end = plan_.is_by_rows() ? begin_row() : Text();
  Text next, next_place;
  if (plan_.is_by_rows()) {
    const Text more = def("add i32 %place, 1"), is_last = def("icmp eq i32 " + more + ", " + row_bundles_);
    next_place = def("select i1 " + is_last + ", i32 0, i32 " + more);
    next = def("add i32 %block, " + def("zext i1 " + is_last + " to i32"));
  } else {
    next = def("add i32 %block, " + (plan_.has_abreast() ? abreast_count_ : Text("1")));
  }
  br_if(def("icmp ult i32 " + next + ", " + context_field(kAtEndBlock, "i32")), "following", "through");
  label("through");
  if (plan_.is_by_rows()) br_if(def("icmp ult i32 %nextrow, " + row_end), "rows", "finished");
  label("finished");
  line("ret void");
  if (error_) return *error_;

  Code code;
  code.entry = "kernel";
  code.is_better_alone = is_better_alone_ && width_ > 1;
  code.is_abreast = plan_.has_abreast();
  code.is_by_rows = plan_.is_by_rows();
  code.record_bytes = (plan_.record_bytes() + 63) / 64 * 64;
  const Text bytes = std::to_string(code.record_bytes);
  Text& text = code.text;
  text = "; " + kernel_.name + ", " + std::to_string(width_) + " lanes\n";
  for (const Text& d : declarations_) text += d + "\n";
  text +=
      Text("\ndefine void @kernel(ptr %context) nounwind ") + (options_.has_lines ? "!dbg !4 " : "") + "{\n";
  // Several blocks in one call: common values stay in registers.
  text += "entry:\n" + allocas_ + entry_ + "  br label %rows\nrows:\n";
  if (plan_.is_by_rows())
    text += "  %row = phi i32 [ 0, %entry ], [ %nextrow, %through ]\n  %nextrow = add i32 %row, " +
            row_bundles_ + "\n";
  text += "  br label %following\nfollowing:\n  %block = phi i32 [ " + first_block + ", %rows ], [ " + next +
          ", %end ]\n";
  if (plan_.is_by_rows())  // bundles of the row, in the block
    text += "  %place = phi i32 [ 0, %rows ], [ " + next_place + ", %end ]\n";
  text += "  br label %start\nstart:\n" + main_ + "}\n" + functions_ +
          "\n!0 = !{}\n!7 = !{i32 1}\n!8 = !{!\"branch_weights\", i32 1, i32 100}\n" + lines_text();
  for (size_t at = text.find("RECORD_BYTES"); at != Text::npos; at = text.find("RECORD_BYTES", at))
    text.replace(at, 12, bytes);
  return code;
}

// Bundles of one row of threads at a time; returns the total number of bundles.
Emitter::Text Emitter::begin_row() {
  row_bundles_ = entry_def("udiv i32 " + context_field(kAtBlock, "i32") + ", " + std::to_string(width_));
  return context_field(kAtEndBundle, "i32");
}

void Emitter::inst(const Inst* i) {
  if (i->pos.line != 0) pos_ = i->pos;
  if (options_.has_comments && i->pos.line != 0)
    out_->append("  ; line ").append(std::to_string(i->pos.line)).append("\n");
  if (options_.marks_places) mark_place(i);
  if (ir::has(i->op, ir::kControl | ir::kTerminator)) return control(i);
  switch (i->op) {
    case Op::kVar: declared_under_[i] = mask_; return;
    case Op::kLoad: load(i); break;
    case Op::kStore: return store(i);
    case Op::kOffset: values_[i] = offset(i); break;
    case Op::kFieldPtr: values_[i] = field(i); break;
    case Op::kSpaceCast:
    case Op::kBitcast: values_[i] = bitcast(value(i->operand(0)), i->type); break;
    case Op::kPtrDiff: {
      const Val x[] = {value(i->operand(0)), value(i->operand(1))};
      values_[i] = apply(i->type, x, [&](const Texts& t, bool v) {
        const Text type = typed(i->type, v), from = typed(i->operand(0)->type, v);
        const Text a = def("ptrtoint " + from + " " + t[0] + " to " + type),
                   b = def("ptrtoint " + from + " " + t[1] + " to " + type);
        const Text distance = def("sub " + type + " " + a + ", " + b),
                   scale = std::to_string(i->attr().scale);
        return def("sdiv " + type + " " + distance + ", " + (v ? splat("i64", scale) : scale));
      });
      break;
    }
    case Op::kPtrToInt:
    case Op::kIntToPtr: {
      const Val x[] = {value(i->operand(0))};
      values_[i] = apply(i->type, x, [&](const Texts& t, bool v) {
        return def(Text(i->is(Op::kPtrToInt) ? "ptrtoint " : "inttoptr ") + typed(i->operand(0)->type, v) +
                   " " + t[0] + " to " + typed(i->type, v));
      });
      break;
    }
    case Op::kMapShared: {
      // The context is an operand: the code may become a separate function.
      const Val x[] = {value(i->operand(0)), value(i->operand(1)), scalar_val(i->type, "%context")};
      values_[i] = per_lane(i->type, x, [&](const Texts& t) {
        return call("qn_map_shared", "ptr " + t[2] + ", ptr " + t[0] + ", i32 " + t[1]);
      });
      break;
    }
    case Op::kIsSpace: values_[i] = is_space(i); break;
    case Op::kMemCopy:
    case Op::kMemSet: return mem_copy(i);
    case Op::kAtomicRmw:
    case Op::kAtomicCas:
    case Op::kAtomicLoad: values_[i] = atomic(i); break;
    case Op::kAtomicStore: atomic(i); return;
    case Op::kFence: line(i->attr().fast ? "fence acq_rel" : "fence seq_cst"); return;
    case Op::kThreadId:
    case Op::kBlockId:
    case Op::kBlockDim:
    case Op::kGridDim:
    case Op::kClusterDim:
    case Op::kLaneId:
    case Op::kDynamicSharedSize: values_[i] = index_op(i); break;
    case Op::kWarpBarrier: warp(i); return;
    case Op::kActiveMask:
    case Op::kShuffle:
    case Op::kVoteAny:
    case Op::kVoteAll:
    case Op::kBallot:
    case Op::kMatchAny:
    case Op::kMatchAll:
    case Op::kWarpReduce: values_[i] = warp(i); break;
    case Op::kPrintf: print(i); break;
    case Op::kAssert: {
      const Val condition = value(i->operand(0));
      return fault(i, &condition);
    }
    case Op::kTrap: return fault(i, nullptr);
    case Op::kClock: values_[i] = scalar_val(i->type, call("qn_clock", "")); break;
    case Op::kGlobalTimer: values_[i] = scalar_val(i->type, call("qn_timer", "")); break;
    case Op::kNanoSleep: call("qn_sleep", "i32 " + as_scalar(value(i->operand(0)))); return;
    case Op::kExtract: values_[i] = extract(i); break;
    case Op::kInsert: values_[i] = insert(i); break;
    case Op::kConstruct: values_[i] = construct(i); break;
    case Op::kSelect:
      values_[i] = select(value(i->operand(0)), value(i->operand(1)), value(i->operand(2)));
      break;
    case Op::kConvert: values_[i] = convert(value(i->operand(0)), i->type); break;
    case Op::kConvertR: values_[i] = convert_rounded(i); break;
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe: values_[i] = compare(i); break;
    case Op::kPopc:
    case Op::kClz:
    case Op::kCtz:
    case Op::kBrev:
    case Op::kBytePerm:
    case Op::kFunnel:
    case Op::kDot4: values_[i] = bits_op(i); break;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kRem:
    case Op::kNeg:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNot:
    case Op::kShl:
    case Op::kShr:
    case Op::kMulHi:
    case Op::kMin:
    case Op::kMax:
    case Op::kAbs: values_[i] = arithmetic(i); break;
    case Op::kCall: fail(i, target::message::kCallLeft()); return;
    case Op::kCopyForm:
    case Op::kAsyncCopy:
    case Op::kAsyncCommit:
    case Op::kAsyncWait:
    case Op::kAsyncArrive:
    case Op::kBarrierForm:
    case Op::kBarrierInit:
    case Op::kBarrierArrive:
    case Op::kBarrierDrop:
    case Op::kBarrierPassed:
    case Op::kBarrierParity:
    case Op::kMatrixForm:
    case Op::kMatrixFill:
    case Op::kMatrixLoad:
    case Op::kMatrixStore:
    case Op::kMatrixMultiply:
    case Op::kMma:
    case Op::kMatrixRows:
      fail(i, target::message::kNotLegalized());
      if (!i->type->is_void()) values_[i] = zero(i->type);
      return;
    default: values_[i] = math(i); break;
  }
  if (const auto at = values_.find(i); at != values_.end() && out_ != &prologue_) remember(i, at->second);
}

namespace {

struct Site {
  Op op;
  ir::Pos pos;
  uint32_t number;
};

// Copies have the number of their original, which was removed: it was at the same place.
void number_copies(const ir::Function& kernel, const std::vector<Site>& before,
                   std::unordered_map<const Inst*, uint32_t>& numbers) {
  for (const Inst* site : sites(kernel)) {
    for (const Site& s : before) {
      if (s.op == site->op && s.pos == site->pos) numbers.try_emplace(site, s.number);
    }
  }
}

}  // namespace

base::Result<Code> emit(const ir::Module& module, const ir::Function& kernel, const Options& options) {
  ir::Module copy = module.clone(kernel);
  ir::Function* own = copy.find_function(kernel.name);
  if (own == nullptr)
    return base::Error(base::ErrorKind::kInternal, target::message::kKernelLost(kernel.name));
  std::unordered_map<const Inst*, uint32_t> numbers;
  std::vector<Site> places;
  for (const Inst* site : sites(*own)) {
    places.push_back({site->op, site->pos, static_cast<uint32_t>(places.size())});
    numbers.emplace(site, places.back().number);
  }
  std::unordered_map<const ir::Global*, size_t> globals;
  for (const ir::Global* g : copy.globals) {
    for (size_t k = 0; k < module.globals.size(); ++k) {
      if (module.globals[k]->name == g->name) globals.emplace(g, k);
    }
  }
  leave_early(copy, *own);
  if (options.width > 1 && !options.is_quick && unroll_short(copy, *own))
    number_copies(*own, places, numbers);
  if (std::string reason = link_lane_math(copy, *own, options); !reason.empty())
    return base::Error(base::ErrorKind::kInternal, target::message::kKernelFailed(kernel.name, reason));
  std::vector<const Inst*> stepping;
  if (options.width > 1 && options.shape != Shape::kGeneral)
    stepping = split_indices(copy, *own, kSameThreadIds);
  return Emitter(copy, *own, options, std::move(numbers), std::move(globals), stepping).run();
}

}  // namespace quern::llvm
