// Code that the block executes as a whole: loops over its bundles (runs), separated by barriers, and the
// control flow around them. If threads may diverge, each bundle stores its mask in its record: for each group
// construct the lanes inside of it, and for each target of jumps the lanes that left for it.
#include "lang/pass/loop_shape.hpp"
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {
constexpr size_t kMostCopiedRun = 2000;  // instructions
}

Emitter::Text Emitter::record(uint64_t offset) {
  return def("getelementptr inbounds i8, ptr " + record_ + ", i64 " + std::to_string(offset));
}

// fn generates code for one bundle, under mask_; it may be called twice.
void Emitter::bundle_loop(const GroupMask& mask, size_t size, const std::function<void()>& fn) {
  if (plan_.is_by_rows()) return bundle_of_row(mask, size, fn);
  const Text counter = stack_cell("i32", 4);
  const Text first = context_field(kAtFirstBundle, "i32"), end = context_field(kAtEndBundle, "i32");
  const Text head = fresh_label("bundle"), next = fresh_label("next"), done = fresh_label("done");
  line("store i32 " + first + ", ptr " + counter);
  label(head);
  bundle_ = def("load i32, ptr " + counter);
  base_ = def("mul i32 " + bundle_ + ", " + std::to_string(width_));
  record_ = scratch_.empty() ? context_field(kAtScratch, "ptr") : scratch_;
  if (plan_.has_groups()) {  // otherwise one bundle ends before the next begins
    const Text place = def("sub i32 " + bundle_ + ", " + first);
    const Text distance = def("mul i64 " + def("zext i32 " + place + " to i64") + ", RECORD_BYTES");
    record_ = def("getelementptr i8, ptr " + record_ + ", i64 " + distance);
  }
  run_end_ = next;
  bundle_mask(mask, next, size, fn);
  label(next);
  const Text more = def("add i32 " + bundle_ + ", 1");
  line("store i32 " + more + ", ptr " + counter);
  br_if(def("icmp ult i32 " + more + ", " + end), head, done);
  label(done);
}

// The current one of the loop over blocks.
void Emitter::bundle_of_row(const GroupMask& mask, size_t size, const std::function<void()>& fn) {
  const Text done = fresh_label("done");
  bundle_ = def("add i32 %row, %place");
  base_ = def("mul i32 " + bundle_ + ", " + std::to_string(width_));
  record_ = context_field(kAtScratch, "ptr");
  run_end_ = done;
  bundle_mask(mask, done, size, fn);
  label(done);
}

void Emitter::bundle_mask(const GroupMask& mask, const Text& skip, size_t size,
                          const std::function<void()>& fn) {
  Mask lanes;
  Text has_some, has_all;
  if (!mask.is_all) {
    const Text kept = record(mask.slot);
    lanes = {load_mask(kept), true};
    if (open_groups_.empty()) has_some = kept_any(kept), has_all = kept_all(kept);
    lanes = without(lanes, open_groups_);
  } else if (!plan_.has_groups() && options_.is_ragged && width_ > 1) {
    const Text left = def("sub i32 " + context_field(kAtThreads, "i32") + ", " + base_);
    const Text counts = constants("i32", [](uint32_t l) { return std::to_string(l); });
    lanes = {def("icmp slt " + vec(Text("i32")) + " " + counts + ", " + splat("i32", left)), true};
  }
  if (lanes.is_all()) return copies_by_alignment(lanes, fn);
  const Text go = fresh_label("some");
  br_if(has_some.empty() ? any(lanes.text) : has_some, go, skip);
  label(go);
  if (width_ == 1) return copy_of_run({}, fn);
  if (size > kMostCopiedRun || options_.is_quick) return copy_of_run(lanes, fn);
  const Text whole = fresh_label("all"), part = fresh_label("part");
  br_if(has_all.empty() ? all(lanes.text) : has_all, whole, part);
  label(whole);
  copies_by_alignment({}, fn);
  br(skip);
  label(part);
  copy_of_run({lanes.text, false}, fn);
}

void Emitter::copy_of_run(const Mask& mask, const std::function<void()>& fn) {
  Text body;
  Text* const out = out_;
  const Text outer_end = run_end_;
  const Text end = fresh_label("run");
  values_.clear();
  cached_.clear();
  stored_.clear();
  declared_under_.clear();
  prologue_.clear();
  mask_ = run_mask_ = mask;
  run_end_ = block_end_ = end;
  out_ = &body;
  in_run_ = true;
  if (!plan_.has_groups()) clear_off({});
  fn();
  label(end);
  for (const Inst* var : stored_) {
    const ir::Type* type = var->attr().type;
    const bool is_vector = plan_.var(var).storage == Storage::kVector;
    const Text memory = is_vector ? vec(Text(memory_spelling(type))) : Text(memory_spelling(type));
    const Text x = def("load " + typed(type, is_vector) + ", ptr " + cells_.at(var));
    line("store " + memory + " " + to_memory(type, x, is_vector) + ", ptr " + record(plan_.var(var).offset) +
         ", align 8");
  }
  in_run_ = false;
  out_ = out;
  out_->append(prologue_).append(body);
  run_end_ = outer_end;
}

// The collected instructions, then `tail`, for each bundle.
void Emitter::run_items(std::vector<const Inst*>& items, const GroupMask& mask,
                        const std::function<void()>& tail) {
  size_t size = items.size();
  for (const Inst* i : items) {
    for (const ir::Block* b : i->blocks) size += plan_.size_of(b);
  }
  if (items.empty() && !tail) return;
  bundle_loop(mask, size, [&] {
    for (const Inst* i : items) {
      if (is_terminated_) break;
      inst(i);
    }
    if (tail && !is_terminated_) tail();
  });
  items.clear();
}

Emitter::Text Emitter::group_flag() {
  Text flag = stack_cell("i1", 1);
  line("store i1 false, ptr " + flag);
  return flag;
}

void Emitter::raise_flag(const Text& flag, const Text& condition) {
  const Text old = def("load i1, ptr " + flag);
  line("store i1 " + def("or i1 " + old + ", " + condition) + ", ptr " + flag);
}

Emitter::GroupMask Emitter::new_group_mask() {
  if (!plan_.has_group_masks()) return {};
  return {false, plan_.reserve(width_, 64)};
}

void Emitter::set_up_masks(const GroupMask& mask) {
  if (mask.is_all) return;
  bundle_loop({}, 0, [&] {
    Text lanes = mask_text({});
    if (options_.is_ragged && width_ > 1) {
      const Text left = def("sub i32 " + context_field(kAtThreads, "i32") + ", " + base_);
      const Text counts = constants("i32", [](uint32_t l) { return std::to_string(l); });
      lanes = def("icmp slt " + vec(Text("i32")) + " " + counts + ", " + splat("i32", left));
    }
    store_mask(record(mask.slot), lanes);
    clear_off({});
  });
}

void Emitter::group_block(const ir::Block* block, const GroupMask& mask) {
  std::vector<const Inst*> items;
  for (const Inst* i : *block) {
    if (is_terminated_) break;
    if (plan_.is_group(i)) {
      group_control(i, mask, items);
    } else if (Plan::is_barrier(i->op)) {
      group_barrier(i, mask, items);
    } else if (i->is(Op::kExit) || i->is(Op::kContinue) || i->is(Op::kReturn)) {
      group_jump(i, mask, items);
    } else if (!i->is(Op::kYield)) {
      items.push_back(i);
    }
  }
  if (!is_terminated_ && (block->last == nullptr || !block->last->is(Op::kYield))) run_items(items, mask, {});
}

void Emitter::group_control(const Inst* i, const GroupMask& mask, std::vector<const Inst*>& items) {
  switch (i->op) {
    case Op::kIf: return group_if(i, mask, items);
    case Op::kLoop: return plan_.is_woven(i) ? woven_loop(i, mask, items) : group_loop(i, mask, items);
    case Op::kSwitch: return group_switch(i, mask, items);
    default: return group_scope(i, mask, items);
  }
}

void Emitter::group_if(const Inst* i, const GroupMask& mask, std::vector<const Inst*>& items) {
  const Text yes = group_flag(), no = group_flag();
  const GroupMask then = new_group_mask(), otherwise = new_group_mask();
  if (!mask.is_all) clear_masks({then.slot, otherwise.slot});
  run_items(items, mask, [&] {
    const Val condition = value(i->operand(0));
    if (mask.is_all) {
      const Text c = as_scalar(condition);
      raise_flag(yes, c);
      return raise_flag(no, def("xor i1 " + c + ", true"));
    }
    const Text c = as_vector(condition);
    const Mask with = mask_and(mask_, c, false), less = mask_and(mask_, c, true);
    store_mask(record(then.slot), with.text);
    store_mask(record(otherwise.slot), less.text);
    raise_flag(yes, any(with.text));
    raise_flag(no, any(less.text));
  });
  // A skipped bundle has no lanes in either branch.
  const Text a = fresh_label("then"), test = fresh_label("test"), b = fresh_label("else"),
             end = fresh_label("fi");
  br_if(def("load i1, ptr " + yes), a, test);
  label(a);
  group_block(i->blocks[0], then);
  br(test);
  label(test);
  br_if(def("load i1, ptr " + no), b, end);
  label(b);
  group_block(i->blocks[1], otherwise);
  label(end);
}

void Emitter::group_scope(const Inst* i, const GroupMask& mask, std::vector<const Inst*>& items) {
  const Text end = fresh_label("epocs");
  const Target exit{i, false};
  labels_[i] = {end, {}};
  const GroupMask inner = new_group_mask();
  const bool is_open = plan_.has_turning_off(exit);
  if (is_open) off_slots_[exit] = plan_.reserve(width_, 64);
  if (mask.is_all) {
    run_items(items, mask, {});
  } else {
    clear_masks({inner.slot});
    run_items(items, mask, [&] {
      store_mask(record(inner.slot), mask_text(mask_));
      clear_off(exit);
    });
  }
  if (is_open) open_groups_.push_back(exit);
  group_block(i->blocks[0], inner);
  if (is_open) open_groups_.pop_back();
  label(end);
}

void Emitter::group_loop(const Inst* i, const GroupMask& mask, std::vector<const Inst*>& items) {
  const Text head = fresh_label("loop"), body = fresh_label("body"), step = fresh_label("step"),
             end = fresh_label("pool");
  labels_[i] = {end, step};
  const Target exit{i, false}, next{i, true};
  const GroupMask inner = new_group_mask();
  for (const Target& t : {exit, next}) {
    if (plan_.has_turning_off(t)) off_slots_[t] = plan_.reserve(width_, 64);
  }
  if (mask.is_all) {
    run_items(items, mask, {});
  } else {
    clear_masks({inner.slot});
    run_items(items, mask, [&] {
      store_mask(record(inner.slot), mask_text(mask_));
      clear_off(exit);
      clear_off(next);
    });
  }
  for (const Target& t : {exit, next}) {
    if (plan_.has_turning_off(t)) open_groups_.push_back(t);
  }
  // The condition at a block's end, or whether any lane is left.
  const auto condition = [&](const ir::Block* asking, const Text& go) {
    const Inst* yield = pass::yield_of(asking);
    group_block(asking, inner);
    if (is_terminated_) return;
    std::vector<const Inst*> last = rest_of(asking);
    if (yield == nullptr && inner.is_all) return br(go);
    const Text more = group_flag();
    run_items(last, inner, [&] {
      if (inner.is_all) return raise_flag(more, as_scalar(value(yield->operand(0))));
      Mask left = mask_;
      if (yield != nullptr) left = mask_and(mask_, as_vector(value(yield->operand(0))), false);
      store_mask(record(inner.slot), mask_text(left));
      raise_flag(more, any(mask_text(left)));
    });
    br_if(def("load i1, ptr " + more), go, end);
  };
  label(head);
  if (plan_.steps_once(i) && inner.is_all && asks_block(i->blocks[pass::kLoopHead])) {
    ask_once(i->blocks[pass::kLoopHead], body, end);
  } else {
    condition(i->blocks[pass::kLoopHead], body);
  }
  label(body);
  group_block(i->blocks[pass::kLoopBody], inner);
  label(step);
  if (plan_.has_turning_off(next)) bundle_loop({}, 0, [&] { clear_off(next); });
  if (options_.is_thread && plan_.waits(i)) call("qn_yield", "ptr %context");
  if (plan_.steps_once(i)) {
    step_once(i);
    br(head);
  } else {
    condition(i->blocks[pass::kLoopStep], head);
  }
  label(end);
  for (const Target& t : {exit, next}) {
    if (plan_.has_turning_off(t)) open_groups_.pop_back();
  }
}

// Whether a loop's head uses only indices of the block and values that are uniform in the grid.
bool Emitter::asks_block(const ir::Block* head) const {
  if (pass::yield_of(head) == nullptr) return false;
  for (const Inst* i : *head) {
    const Inst* var = i->is(Op::kLoad) ? ir::as_inst(i->operand(0)) : nullptr;
    if (i->is(Op::kLoad) ? var == nullptr || !plan_.is_block_var(var)
                         : !i->is(Op::kYield) && !ir::has(i->op, ir::kPure))
      return false;
    for (const ir::Value* v : i->operands) {
      const Inst* from = ir::as_inst(v);
      if (from != nullptr && from->parent != head && !from->is(Op::kVar)) return false;
    }
    if (i->is(Op::kThreadId) || i->is(Op::kLaneId)) return false;
  }
  return true;
}

void Emitter::ask_once(const ir::Block* head, const Text& go, const Text& end) {
  const Text more = stack_cell("i1", 1);
  bundle_ = base_ = "0";
  record_ = scratch_.empty() ? context_field(kAtScratch, "ptr") : scratch_;
  copy_of_run({}, [&] {
    for (const Inst* i : *head) {
      if (!i->is(Op::kYield)) inst(i);
    }
    line("store i1 " + as_scalar(value(pass::yield_of(head)->operand(0))) + ", ptr " + more);
  });
  br_if(def("load i1, ptr " + more), go, end);
}

// The code after the last group construct or barrier of a block that ends in a yield: it runs with it.
std::vector<const Inst*> Emitter::rest_of(const ir::Block* block) const {
  std::vector<const Inst*> rest;
  if (pass::yield_of(block) == nullptr) return rest;
  for (const Inst* i : *block) {
    if (plan_.is_group(i) || Plan::is_barrier(i->op)) {
      rest.clear();
    } else if (!i->is(Op::kYield)) {
      rest.push_back(i);
    }
  }
  return rest;
}

// Clears the masks of bundles that skip the code that would set them.
void Emitter::clear_masks(std::span<const uint64_t> slots) {
  bundle_loop({}, 0, [&] {
    for (uint64_t slot : slots) {
      line("store " + vec(Text("i8")) + (width_ == 1 ? " 0" : " zeroinitializer") + ", ptr " + record(slot) +
           ", align 1");
    }
  });
}
void Emitter::clear_masks(std::initializer_list<uint64_t> slots) {
  clear_masks(std::span<const uint64_t>(slots.begin(), slots.size()));
}

void Emitter::group_switch(const Inst* i, const GroupMask& mask, std::vector<const Inst*>& items) {
  const Text end = fresh_label("hctiws");
  labels_[i] = {end, {}};
  const Target exit{i, false};
  const bool is_open = plan_.has_turning_off(exit);
  if (is_open) off_slots_[exit] = plan_.reserve(width_, 64);
  const auto& cases = i->attr().cases;
  Texts flags;
  std::vector<GroupMask> masks;
  std::vector<uint64_t> slots;
  for (size_t k = 0; k < cases.size(); ++k) {
    flags.push_back(group_flag());
    masks.push_back(new_group_mask());
    slots.push_back(masks.back().slot);
  }
  if (!mask.is_all) clear_masks(std::span<const uint64_t>(slots));
  const ir::Type* type = i->operand(0)->type;
  run_items(items, mask, [&] {
    const Val on = value(i->operand(0));
    const bool is_vector = !mask.is_all && width_ > 1;
    const Text x = is_vector ? as_vector(on) : as_scalar(on);
    const Text bits = is_vector ? vec(Text("i1")) : Text("i1");
    Texts chosen;
    Text none;
    for (const ir::SwitchCase& c : cases) {
      Text is;
      for (int64_t v : c.values) {
        const Text number = literal(type, static_cast<uint64_t>(v));
        const Text eq = def("icmp eq " + typed(type, is_vector) + " " + x + ", " +
                            (is_vector ? splat(spelling(type), number) : number));
        is = is.empty() ? eq : def("or " + bits + " " + is + ", " + eq);
      }
      chosen.push_back(is);
      if (!is.empty()) none = none.empty() ? is : def("or " + bits + " " + none + ", " + is);
    }
    const Text ones = is_vector ? mask_text({}) : Text("true");
    for (size_t k = 0; k < cases.size(); ++k) {
      Text is = chosen[k];
      if (is.empty()) is = none.empty() ? ones : def("xor " + bits + " " + none + ", " + ones);
      if (mask.is_all) {
        raise_flag(flags[k], is);
        continue;
      }
      const Mask with = mask_and(mask_, is, false);
      store_mask(record(masks[k].slot), with.text);
      raise_flag(flags[k], any(with.text));
    }
    clear_off(exit);
  });
  if (is_open) open_groups_.push_back(exit);
  for (size_t k = 0; k < cases.size(); ++k) {
    const Text go = fresh_label("case"), next = fresh_label("next");
    br_if(def("load i1, ptr " + flags[k]), go, next);
    label(go);
    group_block(i->blocks[k], masks[k]);
    label(next);
  }
  if (is_open) open_groups_.pop_back();
  label(end);
}

void Emitter::group_jump(const Inst* i, const GroupMask& mask, std::vector<const Inst*>& items) {
  const Target target = Plan::target_of(i);
  if (plan_.turns_off(i)) {
    run_items(items, mask, [&] { turn_off(target); });
    return;
  }
  run_items(items, mask, {});
  if (target.construct == nullptr) return br(function_end_);
  const Labels& labels = labels_.at(target.construct);
  br(target.continues ? labels.step : labels.end);
}

void Emitter::group_barrier(const Inst* i, const GroupMask& mask, std::vector<const Inst*>& items) {
  const bool is_wide = i->is(Op::kGridBarrier) || i->is(Op::kClusterBarrier);
  const bool counts = !i->is(Op::kBarrier) && !is_wide;
  Text trues, falses;
  if (counts) {
    trues = stack_cell("i32", 4), falses = stack_cell("i32", 4);
    line("store i32 0, ptr " + trues);
    line("store i32 0, ptr " + falses);
  }
  const bool checks = !mask.is_all && !options_.is_thread;
  Text here, missing;
  if (checks) here = group_flag(), missing = group_flag();
  const auto count = [&] {
    const Text c = as_vector(value(i->operand(0)));
    for (const bool want : {true, false}) {
      const Text m = mask_and(mask_, c, !want).text;
      Text n;
      if (width_ == 1) {
        n = def("zext i1 " + m + " to i32");
      } else {
        const Text packed = "i" + std::to_string(width_);
        const Text bits = def("bitcast " + vec(Text("i1")) + " " + m + " to " + packed);
        const Text ones = intrinsic("ctpop." + packed, packed, {packed}, {bits});
        n = width_ == 32 ? ones : def((width_ < 32 ? "zext " : "trunc ") + packed + " " + ones + " to i32");
      }
      const Text cell = want ? trues : falses;
      const Text old = def("load i32, ptr " + cell);
      line("store i32 " + def("add i32 " + old + ", " + n) + ", ptr " + cell);
    }
  };
  if (counts || checks) {
    run_items(items, mask, [&] {
      if (counts) count();
      if (checks) raise_flag(here, "true");
    });
  } else {
    run_items(items, mask, {});
  }
  if (checks) {
    // Lanes that still take part in the kernel, but are not here.
    const GroupMask whole{false, whole_slot_};
    const std::vector<Target> open = open_groups_;
    open_groups_.clear();
    if (plan_.has_turning_off({})) open_groups_.push_back({});
    bundle_loop(whole, ~size_t{0}, [&] {
      Mask present{load_mask(record(mask.slot)), true};
      present = without(present, open);
      const Mask absent = mask_and(mask_, present.text, true);
      raise_flag(missing, any(absent.text));
    });
    open_groups_ = open;
    check_barrier(i, here, missing);
  }
  if (options_.is_thread && !is_wide) {
    const Text predicate = counts ? def("load i32, ptr " + trues) : Text("0");
    Text n = call("qn_barrier", "ptr %context, i32 " + std::to_string(sites_.at(i)) + ", i32 " + predicate);
    if (counts) {
      line("store i32 " + def("and i32 " + n + ", 65535") + ", ptr " + trues);
      line("store i32 " + def("lshr i32 " + n + ", 16") + ", ptr " + falses);
    }
  }
  if (i->is(Op::kGridBarrier)) call("qn_grid_barrier", "ptr %context");
  if (i->is(Op::kClusterBarrier)) call("qn_cluster_barrier", "ptr %context");
  if (!counts) return;
  const Text yes = def("load i32, ptr " + trues), no = def("load i32, ptr " + falses);
  Text result = yes;
  if (i->is(Op::kBarrierAnd)) result = def("icmp eq i32 " + no + ", 0");
  if (i->is(Op::kBarrierOr)) result = def("icmp ne i32 " + yes + ", 0");
  Text& cell = barrier_results_[i];
  if (cell.empty()) cell = stack_cell(spelling(i->type), 4);
  line("store " + Text(spelling(i->type)) + " " + result + ", ptr " + cell);
}

void Emitter::check_barrier(const Inst* i, const Text& here, const Text& missing) {
  const Text bad = fresh_label("apart"), good = fresh_label("together");
  const Text both = def("and i1 " + def("load i1, ptr " + here) + ", " + def("load i1, ptr " + missing));
  br_if(both, bad, good);
  label(bad);
  call_fault(i, "-1");
  line("ret void");
  is_terminated_ = true;
  label(good);
}

}  // namespace quern::llvm
