#include "target/matrices.hpp"

#include <algorithm>

#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::target {

using ir::Inst;
using ir::MatrixUse;
using ir::Op;
using ir::Value;

namespace {

// Whether that operand is the address of a fragment.
bool is_fragment_operand(const Inst* i, size_t operand) {
  switch (i->op) {
    case Op::kMatrixFill:
    case Op::kMatrixLoad: return operand == 0;
    case Op::kMatrixStore: return operand == 1;
    default: return i->is(Op::kMatrixMultiply);
  }
}

Fragment fragment_of(const ir::Matrix& m, MatrixUse use) {
  const ir::MatrixSize size = ir::size_of(m.shape);
  const uint32_t rows = use == MatrixUse::kB ? size.k : size.m;
  const uint32_t columns = use == MatrixUse::kA ? size.k : size.n;
  const ir::TypeKind element = ir::element_of(m, use);
  const uint64_t bytes = element == ir::TypeKind::kF64                                     ? 8
                         : element == ir::TypeKind::kF32 || element == ir::TypeKind::kI32  ? 4
                         : element == ir::TypeKind::kF16 || element == ir::TypeKind::kBF16 ? 2
                                                                                           : 1;
  return {element, rows, columns, use, bytes * ir::elements_of(m, use)};
}

uint64_t element_bytes(const Fragment& f) { return f.bytes * 32 / (uint64_t{f.rows} * f.columns); }

}  // namespace

bool is_matrix_op(const Inst* i) {
  return i->is(Op::kMatrixFill) || i->is(Op::kMatrixLoad) || i->is(Op::kMatrixStore) ||
         i->is(Op::kMatrixMultiply);
}

Matrices::Matrices(ir::Function& function) {
  pass::traverse(function.body, [&](const Inst* i) { note(i); });
  if (fragments_.empty()) return;
  pass::traverse(function.body, [&](const Inst* i) {
    for (const Value* v : i->operands) {
      if (const Inst* used = ir::as_inst(v)) uses_[used].push_back(i);
    }
  });
  pass::traverse(function.body, [&](const Inst* i) { check(i); });
}

const Fragment* Matrices::of(const Inst* var) const {
  const auto at = fragments_.find(var);
  return at == fragments_.end() ? nullptr : &at->second;
}

std::optional<FragmentPlace> Matrices::place(const Value* pointer) const {
  FragmentPlace out;
  for (const Inst* i = ir::as_inst(pointer); i != nullptr; i = ir::as_inst(i->operand(0))) {
    if (i->is(Op::kVar)) {
      out.var = i;
      break;
    }
    if (i->is(Op::kOffset)) {
      const ir::Const* known = ir::as_const(i->operand(1));
      if (known != nullptr && known->bits == 0) continue;
      if (out.index != nullptr) return {};  // several steps are not a single index
      out.index = i->operand(1);
    } else if (!i->is(Op::kFieldPtr)) {
      return {};
    }
  }
  if (out.var == nullptr || of(out.var) == nullptr) return {};
  return out;
}

void Matrices::note(const Inst* i) {
  if (!is_matrix_op(i)) return;
  const ir::Matrix m = *ir::matrix_of(i->attr().index);
  switch (i->op) {
    case Op::kMatrixStore: note(i->operand(1), m, MatrixUse::kAccumulator); return;
    case Op::kMatrixMultiply:
      note(i->operand(0), m, MatrixUse::kAccumulator);
      note(i->operand(1), m, MatrixUse::kA);
      note(i->operand(2), m, MatrixUse::kB);
      note(i->operand(3), m, MatrixUse::kAccumulator);
      return;
    default: note(i->operand(0), m, m.use);
  }
}

// A variable is exactly one fragment.
void Matrices::note(const Value* pointer, const ir::Matrix& m, MatrixUse use) {
  const Inst* var = ir::as_inst(pointer);
  while (var != nullptr && !var->is(Op::kVar)) {
    const ir::Const* known = var->is(Op::kOffset) ? ir::as_const(var->operand(1)) : nullptr;
    const bool is_step = var->is(Op::kFieldPtr) || (known != nullptr && known->bits == 0);
    var = is_step ? ir::as_inst(var->operand(0)) : nullptr;
  }
  const Fragment fragment = fragment_of(m, use);
  is_fine_ = is_fine_ && var != nullptr && var->attr().type->size == fragment.bytes;
  if (!is_fine_) return;
  const auto [known, is_new] = fragments_.try_emplace(var, fragment);
  is_fine_ = is_new || known->second == fragment;
}

void Matrices::check(const Inst* i) {
  const bool is_step = i->is(Op::kOffset) || i->is(Op::kFieldPtr);
  for (size_t k = 0; k < i->operands.size() && is_fine_; ++k) {
    const Value* v = i->operand(k);
    if (v->type == nullptr || !v->type->is_ptr() || (is_step && k == 0)) continue;
    const auto at = place(v);
    if (!at) continue;
    if (is_matrix_op(i)) {
      is_fine_ = at->index == nullptr && is_fragment_operand(i, k);
    } else if ((i->is(Op::kLoad) || i->is(Op::kStore)) && k == 0) {
      check_access(i, *at);
    } else {
      is_fine_ = false;
    }
  }
  // A step that is not an index of elements leads to an unknown access.
  if (is_step && is_fine_ && place(i->operand(0)) && !place(i)) is_fine_ = false;
  if (i->is(Op::kOffset) && is_fine_ && place(i) && place(i)->index != nullptr)
    is_fine_ = i->attr().scale == element_bytes(*of(place(i)->var));
}

// One element of a sum, or a copy of a whole fragment into another.
void Matrices::check_access(const Inst* i, const FragmentPlace& at) {
  const Fragment& fragment = *of(at.var);
  const ir::Type* type = i->is(Op::kLoad) ? i->type : i->operand(1)->type;
  if (pass::is_volatile(i)) {
    is_fine_ = false;
  } else if (type->is_scalar()) {
    is_fine_ = fragment.use == MatrixUse::kAccumulator && type->size == element_bytes(fragment);
  } else if (i->is(Op::kLoad)) {
    is_fine_ = at.index == nullptr && is_copy(i);
  } else {
    const Inst* from = ir::as_inst(i->operand(1));
    is_fine_ = at.index == nullptr && from != nullptr && from->is(Op::kLoad) && is_copy(from);
  }
}

bool Matrices::is_copy(const Inst* load) const {
  const auto from = place(load->operand(0));
  if (!from || from->index != nullptr || load->type->size != of(from->var)->bytes) return false;
  const auto uses = uses_.find(load);
  return uses == uses_.end() || std::all_of(uses->second.begin(), uses->second.end(), [&](const Inst* use) {
           const auto to = use->is(Op::kStore) ? place(use->operand(0)) : std::nullopt;
           return to && to->index == nullptr && *of(to->var) == *of(from->var);
         });
}

bool can_be_objects(ir::Function& kernel, const Options& options) {
  const Matrices matrices(kernel);
  if (!matrices.any() || !matrices.is_fine()) return false;
  const pass::Uniformity uniformity(kernel);
  bool is_fine = true, multiplies = false;
  pass::traverse(kernel.body, [&](const Inst* i) {
    if (!is_matrix_op(i)) return;
    is_fine = is_fine && uniformity.is_converged(i);
    if (i->is(Op::kMatrixMultiply)) {
      ir::Matrix m = *ir::matrix_of(i->attr().index);
      m.use = {};
      m.is_by_column = false;
      multiplies = true;
      is_fine =
          is_fine && std::find(options.matrices.begin(), options.matrices.end(), m) != options.matrices.end();
    }
    if (!i->is(Op::kMatrixLoad) && !i->is(Op::kMatrixStore)) return;
    const ir::Space space = i->operand(i->is(Op::kMatrixLoad) ? 1 : 0)->type->space;
    is_fine = is_fine && (space == ir::Space::kGlobal || space == ir::Space::kShared);
  });
  return is_fine && multiplies;
}

}  // namespace quern::target
