// Partners that an exclusive-or finds (`i ^ j`), and bits that an index is asked for (`i & k`). Where the
// first lane's index and the other number are multiples of the width, which is asked at run time, lanes
// differ only in bits that the other one lacks: the partners lie side by side, and the bits are the same for
// all lanes. Code for that case is written beside the usual one.
#include "lang/pass/walk.hpp"
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {
constexpr size_t kMostCopied = 400;  // instructions
}

std::vector<const Inst*> Emitter::find_aligned() const {
  std::vector<const Inst*> found;
  const bool is_large = plan_.size_of(kernel_.body) > kMostCopied;
  if (width_ == 1 || options_.is_quick || plan_.has_groups() || is_large) return found;
  pass::traverse(kernel_.body, [&](const Inst* i) {
    if (!i->is(Op::kXor) && !i->is(Op::kAnd) && !i->is(Op::kOr)) return;
    if (!i->type->is_int() || i->type->size < 4) return;
    if (!plan_.is_uniform(i->operand(0)) && plan_.is_uniform(i->operand(1))) found.push_back(i);
  });
  return found;
}

// What can be told at a run's start of those instructions, as one condition; it is empty where nothing can.
Emitter::Text Emitter::ask_aligned(const std::vector<const Inst*>& wanted) {
  Text bits, known;
  for (const Inst* i : wanted) {
    if (!replay(i->operand(0), 0) || !replay(i->operand(1), 0)) continue;
    const Val index = value(i->operand(0)), other = value(i->operand(1));
    const ir::Const* number = ir::as_const(i->operand(1));
    if (index.rep != Rep::kAffine || index.stride != 1 || !other.is_scalar()) continue;
    if (number != nullptr && number->bits % width_ != 0) continue;
    const ir::Type* u64 = scalar(ir::TypeKind::kU64);
    for (const Val& v : {index, other}) {
      const Text wide = resize_int(v.type, u64, v.text, false);
      bits = bits.empty() ? wide : def("or i64 " + bits + ", " + wide);
    }
    aligned_.insert(i);
    aligned_.insert(ir::as_inst(i->operand(0)));
  }
  if (bits.empty()) return {};
  return def("icmp eq i64 " + def("and i64 " + bits + ", " + std::to_string(width_ - 1)) + ", 0");
}

// fn's code twice, where it pays.
void Emitter::copies_by_alignment(const Mask& mask, const std::function<void()>& fn) {
  const std::vector<const Inst*> wanted = mask.is_all() ? find_aligned() : std::vector<const Inst*>();
  if (wanted.empty()) return copy_of_run(mask, fn);
  values_.clear();
  prologue_.clear();
  mask_ = run_mask_ = mask;
  const Text next = run_end_, is_aligned = ask_aligned(wanted);
  if (!is_aligned.empty()) {
    const Text side_by_side = fresh_label("aligned"), usual = fresh_label("usual");
    br_if(is_aligned, side_by_side, usual);
    label(side_by_side);
    copy_of_run(mask, fn);
    br(next);
    label(usual);
    aligned_.clear();
  }
  copy_of_run(mask, fn);
}

bool Emitter::is_aligned(const ir::Value* value) const {
  const Inst* i = ir::as_inst(value);
  return i != nullptr && aligned_.count(i) != 0;
}

// An instruction that was asked about.
Val Emitter::aligned_arithmetic(const Inst* i, const Val& index, const Val& other) {
  static constexpr std::pair<Op, const char*> kNames[] = {
      {Op::kXor, "xor "}, {Op::kAnd, "and "}, {Op::kOr, "or "}};
  Text text;
  for (const auto& [op, name] : kNames) {
    if (i->is(op)) text = def(name + Text(spelling(i->type)) + " " + index.text + ", " + other.text);
  }
  if (i->is(Op::kAnd)) return scalar_val(i->type, text);
  return {Rep::kAffine, i->type, text, 1, {}};
}

}  // namespace quern::llvm
