#include "target/cstyle/glsl_lower.hpp"

#include "lang/pass/pass.hpp"
#include "target/basic_real.hpp"
#include "target/cstyle/dialect.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Feature;
using ir::Inst;
using ir::Op;
using ir::TypeKind;

// Float operations that the writer expresses itself; all others are library functions.
bool is_native(const Inst& i, const Options& options) {
  const ir::Type* t = i.operand(0)->type;
  if (i.is(Op::kConvertR)) return false;
  if (is_double(i) && !options.features.has(Feature::fp64)) return expand::is_soft_operation(i);
  if (is_float_to_wide(i)) return !options.features.has(Feature::int64);  // otherwise lowered with the words
  if (!t->is_float()) return true;
  if (ir::has(i.op, ir::kBasic)) return true;
  switch (i.op) {
    case Op::kDiv:
    case Op::kMin:
    case Op::kMax:
    case Op::kSqrt: return true;
    // In double the product is exact, and the sum can be rounded once.
    case Op::kFma: return t->kind == TypeKind::kF32 && options.features.has(Feature::fp64);
    default: break;
  }
  const bool fast = i.attr().fast || options.math == driver::Math::fast;
  return !math_function(*find_dialect(options.kind), i.op, t->kind, fast).empty();
}

std::optional<Refusal> first_of(const std::vector<expand::Unlowered>& problems) {
  if (problems.empty()) return std::nullopt;
  return Refusal{problems[0].pos, problems[0].reason};
}

}  // namespace

base::Result<std::optional<Refusal>> lower_for_glsl(ir::Module& module, const Options& options) {
  pass::gather_threads(module);
  expand::Library library(module);
  if (auto refusal = first_of(expand::lower_halves(module, library))) return refusal;
  const auto native = [&](const Inst& i) { return is_native(i, options); };
  const bool has_double = options.features.has(Feature::fp64);
  if (auto refusal = first_of(expand::lower_operations(module, library, native, has_double))) return refusal;
  if (const std::string problem = library.link(); !problem.empty())
    return Error(ErrorKind::internal, problem);
  if (!has_double) {
    QUERN_TRY_ASSIGN(const std::vector<expand::Unlowered> left, expand::lower_doubles(module));
    if (auto refusal = first_of(left)) return refusal;
    expand::share_calls(module);
  }
  const auto pointers = pass::lower_pointers(module, {.wide = false});
  if (!pointers.empty())
    return std::optional(Refusal{pointers[0].pos, message::kNeedsPointers(pointers[0].reason)});
  if (options.features.has(Feature::int64)) return std::optional<Refusal>();
  QUERN_TRY_ASSIGN(const std::vector<expand::Unlowered> left, expand::lower_wide_integers(module));
  return first_of(left);
}

}  // namespace quern::target::cstyle
