// 64-bit integers as pairs of words. The walk is in program order: the operands of an instruction already
// have their words. There are no phis, only variables.
#include <unordered_set>

#include "lang/expand/expand.hpp"
#include "lang/expand/messages.hpp"
#include "lang/expand/wide_values.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::expand {

namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

constexpr uint64_t kWord = 4;  // bytes

class WideLowering : WideValues {
 public:
  using WideValues::WideValues;

  void run() {
    find_split_variables();
    take_parameters();
    if (function_.result != nullptr) function_.result = types_.of(function_.result);
    pass::traverse(function_.body, [&](Inst* i) { visit(i); });
    for (ir::Param* p : function_.params) p->type = types_.of(p->type);
  }

 private:
  // --- parameters and variables ---

  // Those of a kernel keep their offsets in the argument block; those of a function become two.
  void take_parameters() {
    b_.at(function_.body, function_.body->first);
    b_.pos(function_.pos);
    if (function_.is_kernel) {
      for (ir::Param* p : function_.params) {
        const Type* before = p->type;
        p->type = types_.of(before);
        if (!is_wide(before)) continue;
        words_[p] = unpacked(p);
        p->type = before;  // until all users are done: they need its signedness
      }
      return;
    }
    const std::vector<ir::Param*> before = std::move(function_.params);
    function_.params.clear();
    for (ir::Param* p : before) {
      if (is_wide(p->type)) {
        const Wide w{module_.add_param(&function_, u32(), p->name + "_low"),
                     module_.add_param(&function_, u32(), p->name + "_high")};
        words_[p] = w;
        continue;
      }
      p->type = types_.of(p->type);
      p->index = static_cast<uint32_t>(function_.params.size());
      function_.params.push_back(p);
    }
  }

  // Variables that are only read and written as a whole become two.
  void find_split_variables() {
    std::unordered_set<const Value*> kept;
    pass::traverse(function_.body, [&](const Inst* i) {
      for (size_t k = 0; k < i->operands.size(); ++k) {
        const bool whole = k == 0 && ((i->is(Op::kLoad) && is_wide(i->type)) ||
                                      (i->is(Op::kStore) && is_wide(i->operand(1)->type)));
        if (!whole) kept.insert(i->operand(k));
      }
    });
    pass::traverse(function_.body, [&](const Inst* i) {
      if (i->is(Op::kVar) && is_wide(i->attr().type) && kept.count(i) == 0) split_.insert(i);
    });
  }
  void make_variables(Inst* i) {
    if (split_.count(i) == 0) return;
    const std::string name(i->name);
    words_[i] = {b_.var(u32(), name.empty() ? "" : name + ".low"),
                 b_.var(u32(), name.empty() ? "" : name + ".high")};
    i->parent->remove(i);
  }

  // --- memory ---

  Value* index_of(Value* v) { return has_words(v) ? b_.convert(words(v).low, type(TypeKind::kI32)) : v; }

  // The addresses of the two words: a base stays a base, and one offset from it stays one offset.
  Wide places(Value* pointer) {
    if (words_.count(pointer) != 0) return words_.at(pointer);
    Inst* i = ir::as_inst(pointer);
    const Type* i32 = type(TypeKind::kI32);
    const auto number = [&](uint64_t n) { return module_.constant(i32, n); };
    if (i == nullptr || !i->is(Op::kOffset)) return {pointer, b_.offset(pointer, number(1), kWord)};
    const uint64_t scale = i->attr().scale;
    const uint64_t step = scale % kWord == 0 ? kWord : 1;
    Value* at = b_.binary(Op::kMul, b_.convert(i->operand(1), i32), number(scale / step));
    Value* next = b_.binary(Op::kAdd, at, number(kWord / step));
    return {b_.offset(i->operand(0), at, step), b_.offset(i->operand(0), next, step)};
  }
  static uint32_t word_align(const Inst* i) { return i->attr().align < kWord ? i->attr().align : 0; }

  void load(Inst* i) {
    const Wide at = places(i->operand(0));
    const auto one = [&](Value* p) { return b_.load(u32(), p, word_align(i), i->attr().is_volatile); };
    Value* low = one(at.low);
    become(i, {low, one(at.high)});
  }
  void store(Inst* i) {
    const Wide at = places(i->operand(0)), v = operand(i, 1);
    b_.store(at.low, v.low, word_align(i), i->attr().is_volatile);
    b_.store(at.high, v.high, word_align(i), i->attr().is_volatile);
    i->parent->remove(i);
  }
  // Reinterprets the bits of a value of the same size, through a variable.
  void bitcast(Inst* i) {
    Value* v = i->operand(0);
    if (has_words(v) && is_wide(i->type)) return become(i, words(v));
    Inst* var = b_.var(type(TypeKind::kF64), "bits");
    const Wide at = places(var);
    if (has_words(v)) {
      b_.store(at.low, words(v).low);
      b_.store(at.high, words(v).high);
      return become(i, b_.load(i->type, var));
    }
    b_.store(var, v);
    Value* low = b_.load(u32(), at.low);
    become(i, {low, b_.load(u32(), at.high)});
  }

  // --- the walk ---

  void visit(Inst* i) {
    if (i->is(Op::kExtract) && words_.count(i->operand(0)) != 0) return;  // created for a parameter
    bool concerns = is_wide(i->type);
    for (Value*& v : i->operands) {
      if (const auto by = replaced_.find(v); by != replaced_.end()) v = by->second;
      concerns = concerns || has_words(v);
    }
    b_.at(i->parent, i);
    b_.pos(i->pos);
    if (i->is(Op::kVar)) return make_variables(i);
    for (Value*& v : i->operands) v = types_.adapted(module_, v);
    if (!concerns) {
      i->type = types_.of(i->type);
      return;
    }
    rewrite(i);
  }

  void rewrite(Inst* i) {
    const bool is_signed = i->operands.empty() ? false : i->operand(0)->type->is_signed();
    switch (i->op) {
      case Op::kAdd: return become(i, math_.add(operand(i, 0), operand(i, 1)));
      case Op::kSub: return become(i, math_.subtract(operand(i, 0), operand(i, 1)));
      case Op::kMul: return become(i, math_.multiply(operand(i, 0), operand(i, 1)));
      case Op::kNeg: return become(i, math_.negate(operand(i, 0)));
      case Op::kNot: return become(i, math_.invert(operand(i, 0)));
      case Op::kAnd:
      case Op::kOr:
      case Op::kXor: return become(i, math_.bitwise(i->op, operand(i, 0), operand(i, 1)));
      case Op::kShl:
      case Op::kShr: return shift(i);
      case Op::kDiv:
      case Op::kRem: return divide(i);
      case Op::kMulHi: return become(i, called(i, name_of(i)));
      case Op::kMin:
      case Op::kMax: {
        Value* c =
            math_.compare(i->is(Op::kMin) ? Op::kLt : Op::kGt, is_signed, operand(i, 0), operand(i, 1));
        return become(i, math_.select(c, operand(i, 0), operand(i, 1)));
      }
      case Op::kAbs: {
        const Wide a = operand(i, 0);
        if (!is_signed) return become(i, a);
        Value* c = math_.compare(Op::kLt, true, a, math_.constant(0));
        return become(i, math_.select(c, math_.negate(a), a));
      }
      case Op::kEq:
      case Op::kNe:
      case Op::kLt:
      case Op::kLe:
      case Op::kGt:
      case Op::kGe: return become(i, math_.compare(i->op, is_signed, operand(i, 0), operand(i, 1)));
      case Op::kSelect: return become(i, math_.select(i->operand(0), operand(i, 1), operand(i, 2)));
      case Op::kConvert: return convert(i);
      case Op::kConvertR: return convert_rounded(i);
      case Op::kBitcast: return bitcast(i);
      case Op::kLoad: return load(i);
      case Op::kStore: return store(i);
      default: break;
    }
    if (ir::group(i->op) != ir::OpGroup::kBits) return rewrite_other(i);
    const bool is_count = ir::result_letter(i->op) == 'i';
    return is_count ? become(i, math_.count(i->op, operand(i, 0))) : become(i, math_.reverse(operand(i, 0)));
  }

  void rewrite_other(Inst* i) {
    switch (i->op) {
      case Op::kExtract: {
        Inst* made = b_.emit(Op::kExtract, types_.pair(), {i->operand(0)});
        made->mutable_attr().index = i->attr().index;
        return become(i, unpacked(made));
      }
      case Op::kInsert:
      case Op::kConstruct:
        for (size_t k = 0; k < i->operands.size(); ++k) i->operands[k] = packed_operand(i, k);
        i->type = types_.of(i->type);
        return;
      case Op::kReturn:
      case Op::kPrintf:
        for (size_t k = 0; k < i->operands.size(); ++k) i->operands[k] = packed_operand(i, k);
        return;
      case Op::kOffset: i->operands[1] = index_of(i->operand(1)); return;
      case Op::kMemCopy:
      case Op::kMemSet: i->operands[2] = words(i->operand(2)).low; return;
      case Op::kSwitch: return choose(i);
      case Op::kCall: return call(i);
      case Op::kShuffle: return shuffle(i);
      case Op::kMatchAny:
      case Op::kMatchAll: {
        // All zero, or all lanes of the mask: of both words.
        const Wide v = operand(i, 1);
        Value* low = b_.op(i->op, u32(), {i->operand(0), v.low});
        return become(i, b_.binary(Op::kAnd, low, b_.op(i->op, u32(), {i->operand(0), v.high})));
      }
      case Op::kAtomicRmw:
      case Op::kAtomicCas:
      case Op::kAtomicLoad:
      case Op::kAtomicStore: return refuse(i, message::kWideAtomicUnsupported());
      case Op::kPtrToInt:
      case Op::kIntToPtr:
      case Op::kPtrDiff: return refuse(i, message::kWideAddressUnsupported());
      case Op::kClock:
      case Op::kGlobalTimer: return refuse(i, message::kClockUnsupported());
      default: return refuse(i, message::kWideOperationUnsupported(ir::info(i->op).name));
    }
  }

  void call(Inst* i) {
    std::vector<Value*> flat;
    for (Value* v : i->operands) {
      if (has_words(v)) {
        flat.push_back(words(v).low);
        flat.push_back(words(v).high);
      } else {
        flat.push_back(v);
      }
    }
    const bool is_split = is_wide(i->type);
    i->operands = flat;
    i->type = types_.of(i->type);
    if (!is_split) return;
    b_.at(i->parent, i->next);
    words_[i] = unpacked(i);
  }

  void shuffle(Inst* i) {
    const Wide v = operand(i, 1);
    const auto one = [&](Value* word) {
      Value* const in[] = {i->operand(0), word, i->operand(2), i->operand(3)};
      return b_.op(Op::kShuffle, u32(), in, i->attr());
    };
    Value* low = one(v.low);
    become(i, {low, one(v.high)});
  }

  // By the index of the case.
  void choose(Inst* i) {
    const Wide v = operand(i, 0);
    std::vector<ir::SwitchCase>& cases = i->mutable_attr().cases;
    Value* chosen = module_.constant(u32(), 0);
    for (size_t k = 0; k < cases.size(); ++k) {
      if (cases[k].values.empty()) continue;
      for (const int64_t n : cases[k].values) {
        Value* here = math_.compare(Op::kEq, false, v, math_.constant(static_cast<uint64_t>(n)));
        chosen = b_.select(here, module_.constant(u32(), k + 1), chosen);
      }
      cases[k].values = {static_cast<int64_t>(k + 1)};
    }
    i->operands[0] = chosen;
  }

  std::unordered_set<const Value*> split_;
};

}  // namespace

base::Result<std::vector<Unlowered>> lower_wide_integers(ir::Module& module) {
  std::vector<Unlowered> problems;
  Library library(module);
  WideTypes types(module.types());
  // Library functions come after their callers, and may need further functions.
  for (size_t at = 0; at < module.functions.size();) {
    const size_t known = module.functions.size();
    for (; at < known; ++at) WideLowering(module, *module.functions[at], types, library, problems).run();
    if (const std::string problem = library.link(); !problem.empty())
      return base::Error(base::ErrorKind::internal, problem);
  }
  pass::simplify(module);
  return problems;
}

}  // namespace quern::expand
