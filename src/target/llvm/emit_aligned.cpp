// Partners that an exclusive-or finds (`i ^ j`), bits that an index is asked for (`i & k`), its place in a
// piece
// (`i & (j - 1)`, `i % columns`) and which piece that is (`i / columns`). Where the first lane's index and
// the other number are multiples of the width, which is asked at run time, lanes differ only in bits that the
// other one lacks: the partners and the places lie side by side, and the bits and the piece are the same for
// all lanes. Code for that case is written beside the usual one.
#include "lang/pass/walk.hpp"
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {
constexpr size_t kMostCopied = 400;  // instructions

// `x - 1`: all low bits are set where x is a multiple of the width.
bool is_one_less(const ir::Value* v) {
  const Inst* i = ir::as_inst(v);
  if (i == nullptr || (!i->is(Op::kSub) && !i->is(Op::kAdd))) return false;
  const ir::Const* by = ir::as_const(i->operand(1));
  if (by == nullptr) return false;
  const uint64_t all = i->type->size == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * i->type->size)) - 1;
  return (by->bits & all) == (i->is(Op::kSub) ? 1 : all);
}

bool is_quotient(const Inst* i) { return i->is(Op::kDiv) || i->is(Op::kRem); }

// `threadIdx.x / 32`: what is known of it without asking (part_of_thread).
bool is_part_of_thread(const Inst* i) {
  const Inst* of = ir::as_inst(i->operand(0));
  if (of != nullptr && of->is(Op::kConvert)) of = ir::as_inst(of->operand(0));
  return of != nullptr && of->is(Op::kThreadId) && ir::as_const(i->operand(1)) != nullptr;
}
}  // namespace

// Lanes that count on from a multiple of the width do so behind it, too.
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
    if (!i->is(Op::kXor) && !i->is(Op::kAnd) && !i->is(Op::kOr) && !is_quotient(i)) return;
    if (!i->type->is_int() || i->type->size < 4) return;
    if (is_part_of_thread(i) && (is_quotient(i) || is_place_in_piece(i))) return;
    if (!plan_.is_uniform(i->operand(0)) && plan_.is_uniform(i->operand(1))) found.push_back(i);
  });
  return found;
}

// That the number is not 0, and with it that no number is below 0.
void Emitter::Alignment::add_divisor(Emitter& e, const Val& index, const Val& other) {
  const ir::Type* u64 = scalar(ir::TypeKind::kU64);
  if (index.type->is_signed()) {
    for (const Val* v : {&index, &other}) {
      const Text wide =
          v->type->size == 8 ? v->text : e.def(Text("sext ") + spelling(v->type) + " " + v->text + " to i64");
      signs = signs.empty() ? wide : e.def("or i64 " + signs + ", " + wide);
    }
  }
  const Text is_some = e.def("icmp ne i64 " + e.resize_int(other.type, u64, other.text, false) + ", 0");
  divides = divides.empty() ? is_some : e.def("and i1 " + divides + ", " + is_some);
}

Emitter::Text Emitter::Alignment::ask(Emitter& e) const {
  if (bits.empty()) return {};
  const Text mask = std::to_string(e.width_ - 1);
  Text all = e.def("icmp eq i64 " + e.def("and i64 " + bits + ", " + mask) + ", 0");
  if (!signs.empty()) all = e.def("and i1 " + all + ", " + e.def("icmp sge i64 " + signs + ", 0"));
  return divides.empty() ? all : e.def("and i1 " + all + ", " + divides);
}

// What can be told at a run's start of those instructions, as one condition; it is empty where nothing can.
Emitter::Text Emitter::ask_aligned(const std::vector<const Inst*>& wanted) {
  Alignment asked;
  const ir::Type* u64 = scalar(ir::TypeKind::kU64);
  for (const Inst* i : wanted) {
    if (!replay(i->operand(0), 0) || !replay(i->operand(1), 0)) continue;
    const Val index = value(i->operand(0)), other = value(i->operand(1));
    const ir::Const* number = ir::as_const(i->operand(1));
    if (index.rep != Rep::kAffine || index.stride != 1 || !other.is_scalar()) continue;
    const bool is_place = is_place_in_piece(i);
    if (number != nullptr && number->bits % width_ != 0 && !is_place) continue;
    for (const Val* v : {&index, &other}) {
      Text wide = resize_int(v->type, u64, v->text, false);
      if (is_place && v == &other) wide = def("xor i64 " + wide + ", -1");
      asked.bits = asked.bits.empty() ? wide : def("or i64 " + asked.bits + ", " + wide);
    }
    if (is_quotient(i)) asked.add_divisor(*this, index, other);
    aligned_.insert(i);
    aligned_.insert(ir::as_inst(i->operand(0)));
  }
  return asked.ask(*this);
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
      {Op::kXor, "xor "}, {Op::kAnd, "and "}, {Op::kOr, "or "}, {Op::kDiv, "udiv "}, {Op::kRem, "urem "}};
  Text text;
  for (const auto& [op, name] : kNames) {
    if (i->is(op)) text = def(name + Text(spelling(i->type)) + " " + index.text + ", " + other.text);
  }
  if (i->is(Op::kDiv) || (i->is(Op::kAnd) && !is_place_in_piece(i))) return scalar_val(i->type, text);
  return {Rep::kAffine, i->type, text, 1, {}};
}

}  // namespace quern::llvm
