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
using ir::OpGroup;

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
    begin_merged();
    group_block(kernel_.body, mask);
  } else {
    bundle_loop(mask, plan_.size_of(kernel_.body), [&] {
      forget_owed();
      block(kernel_.body, block_end_);
    });
  }
  if (plan_.has_abreast()) close_piece();
  end_merged();
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

// False: it has no result.
bool Emitter::memory_op(const Inst* i) {
  switch (i->op) {
    case Op::kLoad: load(i); return true;
    case Op::kVar: declared_under_[i] = mask_; return false;
    case Op::kStore: store(i); return false;
    default: mem_copy(i); return false;
  }
}

Val Emitter::pointer_op(const Inst* i) {
  switch (i->op) {
    case Op::kOffset: return offset(i);
    case Op::kFieldPtr: return field(i);
    case Op::kSpaceCast: return bitcast(value(i->operand(0)), i->type);
    case Op::kPtrDiff: {
      const Val x[] = {value(i->operand(0)), value(i->operand(1))};
      return apply(i->type, x, [&](const Texts& t, bool v) {
        const Text type = typed(i->type, v), from = typed(i->operand(0)->type, v);
        const Text a = def("ptrtoint " + from + " " + t[0] + " to " + type),
                   b = def("ptrtoint " + from + " " + t[1] + " to " + type);
        const Text distance = def("sub " + type + " " + a + ", " + b),
                   scale = std::to_string(i->attr().scale);
        return def("sdiv " + type + " " + distance + ", " + (v ? splat("i64", scale) : scale));
      });
    }
    case Op::kMapShared: {
      // The context is an operand: the code may become a separate function.
      const Val x[] = {value(i->operand(0)), value(i->operand(1)), scalar_val(i->type, "%context")};
      return per_lane(i->type, x, [&](const Texts& t) {
        return call("qn_map_shared", "ptr " + t[2] + ", ptr " + t[0] + ", i32 " + t[1]);
      });
    }
    case Op::kIsSpace: return is_space(i);
    default: break;
  }
  const Val x[] = {value(i->operand(0))};
  return apply(i->type, x, [&](const Texts& t, bool v) {
    return def(Text(i->is(Op::kPtrToInt) ? "ptrtoint " : "inttoptr ") + typed(i->operand(0)->type, v) + " " +
               t[0] + " to " + typed(i->type, v));
  });
}

Val Emitter::value_op(const Inst* i) {
  switch (i->op) {
    case Op::kExtract: return extract(i);
    case Op::kInsert: return insert(i);
    case Op::kConstruct: return construct(i);
    case Op::kSelect: return select(value(i->operand(0)), value(i->operand(1)), value(i->operand(2)));
    case Op::kConvert: return convert(value(i->operand(0)), i->type);
    case Op::kConvertR: return convert_rounded(i);
    default: return bitcast(value(i->operand(0)), i->type);
  }
}

// False: it has no result.
bool Emitter::effect(const Inst* i) {
  switch (i->op) {
    case Op::kPrintf: print(i); return true;
    case Op::kClock: values_[i] = scalar_val(i->type, call("qn_clock", "")); return true;
    case Op::kGlobalTimer: values_[i] = scalar_val(i->type, call("qn_timer", "")); return true;
    case Op::kFence: line(i->attr().fast ? "fence acq_rel" : "fence seq_cst"); return false;
    case Op::kAssert: {
      const Val condition = value(i->operand(0));
      fault(i, &condition);
      return false;
    }
    case Op::kTrap: fault(i, nullptr); return false;
    case Op::kNanoSleep: call("qn_sleep", "i32 " + as_scalar(value(i->operand(0)))); return false;
    default: fail(i, target::message::kCallLeft()); return false;
  }
}

void Emitter::inst(const Inst* i) {
  if (i->pos.line != 0) pos_ = i->pos;
  if (options_.has_comments && i->pos.line != 0)
    out_->append("  ; line ").append(std::to_string(i->pos.line)).append("\n");
  if (options_.marks_places) mark_place(i);
  if (ir::has(i->op, ir::kControl | ir::kTerminator)) return control(i);
  switch (ir::group(i->op)) {
    case OpGroup::kMemory:
      if (!memory_op(i)) return;
      break;
    case OpGroup::kPointer: values_[i] = pointer_op(i); break;
    case OpGroup::kAtomic: {
      const Val old = atomic(i);
      if (i->type->is_void()) return;
      values_[i] = old;
      break;
    }
    case OpGroup::kIndex: values_[i] = index_op(i); break;
    case OpGroup::kWarp: {
      const Val got = warp(i);
      if (i->type->is_void()) return;
      values_[i] = got;
      break;
    }
    case OpGroup::kEffect:
      if (!effect(i)) return;
      break;
    case OpGroup::kValue: values_[i] = value_op(i); break;
    case OpGroup::kComparison: values_[i] = compare(i); break;
    case OpGroup::kBits: values_[i] = bits_op(i); break;
    case OpGroup::kArithmetic: values_[i] = arithmetic(i); break;
    case OpGroup::kFloat: values_[i] = math(i); break;
    case OpGroup::kAsyncCopy:
    case OpGroup::kTexture:
    case OpGroup::kBarrierObject:
    case OpGroup::kMatrix:
    case OpGroup::kPtx:
      fail(i, target::message::kNotLegalized());
      if (!i->type->is_void()) values_[i] = zero(i->type);
      return;
    case OpGroup::kBarrier:
    case OpGroup::kBlockVote: values_[i] = math(i); break;
    case OpGroup::kControl: return;
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
    return base::Error(base::ErrorKind::internal, target::message::kKernelLost(kernel.name));
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
    return base::Error(base::ErrorKind::internal, target::message::kKernelFailed(kernel.name, reason));
  std::vector<const Inst*> stepping;
  if (options.width > 1 && options.shape != Shape::kGeneral)
    stepping = split_indices(copy, *own, kSameThreadIds);
  return Emitter(copy, *own, options, std::move(numbers), std::move(globals), stepping).run();
}

}  // namespace quern::llvm
