#include <algorithm>

#include "lang/ir/builder.hpp"
#include "lang/pass/matrices.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Inst;
using ir::MatrixForm;
using ir::MatrixUse;
using ir::Op;
using ir::Type;
using ir::Value;

std::vector<Inst*> find(ir::Function& function, Op op) {
  std::vector<Inst*> out;
  traverse(function.body, [&](Inst* i) {
    if (i->is(op)) out.push_back(i);
  });
  return out;
}

class Settling {
 public:
  Settling(ir::Module& module, ir::Function& function) : module_(module), function_(function), b_(module) {}

  bool run(const FormOf& form) {
    const std::vector<Inst*> asked = find(function_, Op::kMatrixForm);
    if (asked.empty()) return false;
    for (Inst* i : asked) answer(i, form(function_, *ir::matrix_of(i->attr().index)));
    simplify(module_, function_);
    const auto is_by_value = [&](const Inst* i) {
      return form(function_, *ir::matrix_of(i->attr().index)) == MatrixForm::kValues;
    };
    for (Inst* i : find(function_, Op::kMatrixMultiply)) {
      if (is_by_value(i)) multiply_values(i);
    }
    for (Inst* i : find(function_, Op::kMatrixLoad)) {
      if (is_by_value(i)) load_rows(i);
    }
    unroll_loops(module_, function_);
    return true;
  }

 private:
  // Only comparisons use it, and it has no operands: each use can have the constant instead.
  void answer(Inst* question, MatrixForm form) {
    ir::Const* constant = module_.constant(question->type, static_cast<uint64_t>(form));
    traverse(function_.body, [&](Inst* i) {
      std::replace(i->operands.begin(), i->operands.end(), static_cast<Value*>(question),
                   static_cast<Value*>(constant));
    });
    question->parent->remove(question);
  }

  void multiply_values(Inst* multiply) {
    const ir::Matrix matrix = *ir::matrix_of(multiply->attr().index);
    b_.at(multiply->parent, multiply);
    b_.pos(multiply->pos);
    const auto fragment = [&](MatrixUse use) {
      return module_.types().array(module_.types().get(ir::element_of(matrix, use)),
                                   ir::elements_of(matrix, use));
    };
    const Type* sum = fragment(MatrixUse::kAccumulator);
    Value* values[] = {b_.load(fragment(MatrixUse::kA), multiply->operand(1)),
                       b_.load(fragment(MatrixUse::kB), multiply->operand(2)),
                       b_.load(sum, multiply->operand(3))};
    Inst* product = b_.emit(Op::kMma, sum, values);
    product->mutable_attr().index = multiply->attr().index;
    b_.store(multiply->operand(0), product);
    multiply->parent->remove(multiply);
  }

  // There the address is that of a row, and the third operand is the number of 8-row tiles to load.
  void load_rows(Inst* load) {
    b_.at(load->parent, load);
    b_.pos(load->pos);
    const ir::Matrix matrix = *ir::matrix_of(load->attr().index);
    const auto squares = static_cast<uint64_t>(ir::int_value(ir::as_const(load->operand(2))));
    const Type* element = module_.types().get(ir::element_of(matrix, matrix.use));
    const Type* shared = module_.types().ptr(ir::Space::kShared);
    Value* row = load->operand(1);
    if (row->type != shared) row = b_.op(Op::kSpaceCast, shared, {row});
    Inst* rows = b_.emit(Op::kMatrixRows, module_.types().array(element, 2 * squares), {row});
    rows->mutable_attr().index = load->attr().index;
    b_.store(load->operand(0), rows);
    load->parent->remove(load);
  }

  ir::Module& module_;
  ir::Function& function_;
  ir::Builder b_;
};

}  // namespace

bool has_matrices(const ir::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [](ir::Function* f) { return !find(*f, Op::kMatrixForm).empty(); });
}

bool legalize_matrices(ir::Module& module, const FormOf& form) {
  bool any = false;
  for (ir::Function* f : module.functions) any = Settling(module, *f).run(form) || any;
  if (!any) return false;
  nest_exits(module);
  simplify(module);
  constexpr int kMaxRounds = 8;
  for (int round = 0; round < kMaxRounds && scalar_replace(module); ++round) simplify(module);
  return true;
}

}  // namespace quern::pass
