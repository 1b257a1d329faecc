// Matrix fragments in Metal: tiles of simdgroup_matrix. An element of a fragment is one of thread_elements(),
// in the order of the tiles; which row and column it belongs to is unspecified, as in CUDA.
#include "target/cstyle/msl_writer.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::TypeKind;

namespace {

bool has_halves(const Fragment& f) { return f.element == TypeKind::kF16; }

std::string element_name(const Fragment& f) { return has_halves(f) ? "half" : "float"; }

}  // namespace

void MslWriter::statement(const Inst* i) {
  const bool is_whole = i->is(Op::kLoad) && !i->type->is_scalar() && matrices_.place(i->operand(0));
  if (!is_matrix_op(i) && !is_whole) return KernelWriter::statement(i);
  current_ = i;
  if (!is_whole) {
    text_.mark(i->pos);
    return matrix(i);
  }
  if (!folding_.is_used(i) || is_inside(i)) return;
  text_.mark(i->pos);
  const std::string name = pretty(i->name);
  text_.line("auto " + name + " = " + matrix_name(i->operand(0)) + ";");
  named_[i] = name;
}

void MslWriter::variable(const Inst* var) {
  const Fragment* const f = matrices_.of(var);
  if (f == nullptr) return KernelWriter::variable(var);
  named_[var] = pretty(var->name);
  text_.line(unit_.helpers.use("matrix") + "<" + element_name(*f) + ", " + std::to_string(f->rows) + ", " +
             std::to_string(f->columns) + "> " + named_[var] + ";");
}

std::string MslWriter::matrix_name(const ir::Value* pointer) const {
  return named_.at(matrices_.place(pointer)->var);
}

// Each tile of 64 elements has two of each thread.
Expr MslWriter::matrix_element(const FragmentPlace& at) {
  const ir::Const* const known = at.index != nullptr ? ir::as_const(at.index) : nullptr;
  std::string tile = "0", element = "0";
  if (known != nullptr) {
    tile = std::to_string(known->bits / 2);
    element = std::to_string(known->bits % 2);
  } else if (at.index != nullptr) {
    const std::string index = value(at.index).at(kPrimary);
    tile = index + " / 2";
    element = index + " % 2";
  }
  return {named_.at(at.var) + ".tile[" + tile + "].thread_elements()[" + element + "]", kPrimary};
}

Expr MslWriter::load(const Inst* i) {
  const auto at = matrices_.place(i->operand(0));
  if (!at) return KernelWriter::load(i);
  if (!i->type->is_scalar()) return {named_.at(at->var), kPrimary};
  const Expr element = matrix_element(*at);
  return has_halves(*matrices_.of(at->var)) ? call("as_type<ushort>", {element}) : element;
}

std::string MslWriter::assignment(const Inst* store) {
  const auto at = matrices_.place(store->operand(0));
  if (!at) return KernelWriter::assignment(store);
  const Expr from = value(store->operand(1));
  if (!store->operand(1)->type->is_scalar()) return named_.at(at->var) + " = " + from.text;
  const bool is_half = has_halves(*matrices_.of(at->var));
  return matrix_element(*at).text + " = " +
         (is_half ? call("as_type<half>", {cast(TypeKind::kU16, from)}) : from).text;
}

std::string MslWriter::matrix_memory(const ir::Value* pointer, const Fragment& fragment, bool is_store) {
  const Place p = place(pointer);
  return std::string(is_store ? "(" : "(const ") + std::string(spell(dialect_, p.space)) +
         element_name(fragment) + "*)" + address(p).at(kUnary);
}

void MslWriter::matrix(const Inst* i) {
  const auto fragment = [&](size_t k) { return *matrices_.of(matrices_.place(i->operand(k))->var); };
  const auto named = [&](size_t k) -> Expr { return {matrix_name(i->operand(k)), kPrimary}; };
  const std::string by_column = ir::matrix_of(i->attr().index)->is_by_column ? "true" : "false";
  unit_.helpers.use("matrix");
  Expr done;
  switch (i->op) {
    case Op::kMatrixFill: {
      const Expr v = value(i->operand(1));
      const bool is_half = has_halves(fragment(0));
      done = call(unit_.helpers.use("matrix_fill"),
                  {named(0), is_half ? call("as_type<half>", {cast(TypeKind::kU16, v)}) : v});
      break;
    }
    case Op::kMatrixLoad:
      done =
          call(unit_.helpers.use("matrix_load"), {named(0),
                                                  {matrix_memory(i->operand(1), fragment(0), false), kUnary},
                                                  value(i->operand(2)),
                                                  {by_column, kPrimary}});
      break;
    case Op::kMatrixStore:
      done =
          call(unit_.helpers.use("matrix_store"), {{matrix_memory(i->operand(0), fragment(1), true), kUnary},
                                                   named(1),
                                                   value(i->operand(2)),
                                                   {by_column, kPrimary}});
      break;
    default: done = call(unit_.helpers.use("matrix_multiply"), {named(0), named(1), named(2), named(3)});
  }
  text_.line(done.text + ";");
}

}  // namespace quern::target::cstyle
