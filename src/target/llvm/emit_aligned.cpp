// Partners found by exclusive-or (`i ^ j`), tested bits of an index (`i & k`), its position in a segment (`i
// & (j - 1)`, `i % columns`) and the number of the segment (`i / columns`). If the first lane's index and the
// other number are multiples of the width, which is tested at run time, lanes differ only in bits that the
// other number lacks: partners and positions are consecutive, and bits and segment are uniform. Code for that
// case is generated in addition to the general code.
#include "lang/pass/walk.hpp"
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {
constexpr size_t kMostCopied = 400;  // instructions

// `x - 1`: all low bits are set if x is a multiple of the width.
bool is_one_less(const ir::Value* v) {
  const Inst* i = ir::as_inst(v);
  if (i == nullptr || (!i->is(Op::kSub) && !i->is(Op::kAdd))) return false;
  const ir::Const* by = ir::as_const(i->operand(1));
  if (by == nullptr) return false;
  const uint64_t all = i->type->size == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * i->type->size)) - 1;
  return (by->bits & all) == (i->is(Op::kSub) ? 1 : all);
}

bool is_quotient(const Inst* i) { return i->is(Op::kDiv) || i->is(Op::kRem); }
}  // namespace

bool Emitter::is_asked_about(const Inst* i) {
  return i->is(Op::kXor) || i->is(Op::kAnd) || i->is(Op::kOr) || is_quotient(i);
}

// Lanes with consecutive values from a multiple of the width on stay consecutive.
bool Emitter::is_place_in_piece(const Inst* i) const {
  const ir::Const* number = ir::as_const(i->operand(1));
  if (!i->is(Op::kAnd)) return false;
  return number != nullptr ? (number->bits + 1) % width_ == 0 : is_one_less(i->operand(1));
}

std::vector<const Inst*> Emitter::find_aligned() const {
  std::vector<const Inst*> found;
  const bool is_large = plan_.size_of(kernel_.body) > kMostCopied;
  if (width_ == 1 || options_.is_quick || plan_.has_groups() || is_large) return found;
  pass::traverse(kernel_.body, [&](const Inst* i) {
    if (!is_asked_about(i) || !i->type->is_int() || i->type->size < 4) return;
    if (is_part_of_thread(i) && (is_quotient(i) || is_place_in_piece(i))) return;
    if (!plan_.is_uniform(i->operand(0)) && plan_.is_uniform(i->operand(1))) found.push_back(i);
  });
  return found;
}

// The condition on those instructions that can be tested at the start of a run; empty if there is none.
Emitter::Text Emitter::ask_aligned(const std::vector<const Inst*>& wanted) {
  const ir::Type* u64 = scalar(ir::TypeKind::kU64);
  Text bits, signs, divides;  // must be multiples of the width, not negative, and true
  const auto join = [&](const char* op, Text& all, const Text& one) {
    all = all.empty() ? one : def(op + all + ", " + one);
  };
  for (const Inst* i : wanted) {
    if (!replay(i->operand(0), 0) || !replay(i->operand(1), 0)) continue;
    const Val index = value(i->operand(0)), other = value(i->operand(1));
    const ir::Const* number = ir::as_const(i->operand(1));
    if (index.rep != Rep::kAffine || index.stride != 1 || !other.is_scalar()) continue;
    const bool is_place = is_place_in_piece(i);
    if (number != nullptr && number->bits % width_ != 0 && !is_place) continue;
    const Text first = resize_int(index.type, u64, index.text, false),
               second = resize_int(other.type, u64, other.text, false);
    join("or i64 ", bits, first);
    join("or i64 ", bits, is_place ? def("xor i64 " + second + ", -1") : second);
    if (is_quotient(i)) {
      if (i->type->is_signed()) join("or i64 ", signs, def("or i64 " + first + ", " + second));
      join("and i1 ", divides, def("icmp ne i64 " + second + ", 0"));
    }
    aligned_.insert(i);
    aligned_.insert(ir::as_inst(i->operand(0)));
  }
  if (bits.empty()) return {};
  Text all = def("icmp eq i64 " + def("and i64 " + bits + ", " + std::to_string(width_ - 1)) + ", 0");
  if (!signs.empty()) join("and i1 ", all, def("icmp sge i64 " + signs + ", 0"));
  if (!divides.empty()) join("and i1 ", all, divides);
  return all;
}

// Generates fn's code twice, if it pays.
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

// An instruction that is tested.
Val Emitter::aligned_arithmetic(const Inst* i, const Val& index, const Val& other) {
  static constexpr std::pair<Op, const char*> kNames[] = {
      {Op::kXor, "xor "}, {Op::kAnd, "and "}, {Op::kOr, "or "}, {Op::kDiv, "udiv "}, {Op::kRem, "urem "}};
  Text text;
  for (const auto& [op, name] : kNames) {
    if (i->is(op)) text = def(name + Text(spelling(i->type)) + " " + index.text + ", " + other.text);
  }
  if (i->is(Op::kDiv) || (i->is(Op::kAnd) && !is_place_in_piece(i))) return scalar_val(i->type, text);
  return {Rep::kAffine, i->type, text, 1, {}};
}

}  // namespace quern::llvm
