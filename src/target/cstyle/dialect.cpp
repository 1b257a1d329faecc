#include "target/cstyle/dialect.hpp"

namespace quern::target::cstyle {

using ir::Op;
using ir::TypeKind;

const Dialect* find_dialect(driver::CodeKind kind) {
  switch (kind) {
    case driver::CodeKind::kOpenclC: return &opencl_dialect();
    case driver::CodeKind::kCudaCpp: return &cuda_dialect();
    case driver::CodeKind::kHipCpp: return &hip_dialect();
    case driver::CodeKind::kMsl: return &msl_dialect();
    case driver::CodeKind::kGlsl: return &glsl_dialect();
    case driver::CodeKind::kGlslEs: return &glsl_es_dialect();
    default: return nullptr;
  }
}

bool is_in_library(Op op) {
  switch (op) {
    case Op::kErfinv:
    case Op::kErfcinv:
    case Op::kErfcx:
    case Op::kNormcdf:
    case Op::kNormcdfinv:
    case Op::kJ0:
    case Op::kJ1:
    case Op::kY0:
    case Op::kY1: return true;
    default: return false;
  }
}

namespace {

std::string cuda_fast(Op op) {
  switch (op) {
    case Op::kExp: return "__expf";
    case Op::kExp10: return "__exp10f";
    case Op::kLog: return "__logf";
    case Op::kLog2: return "__log2f";
    case Op::kLog10: return "__log10f";
    case Op::kSin: return "__sinf";
    case Op::kCos: return "__cosf";
    case Op::kTan: return "__tanf";
    case Op::kPow: return "__powf";
    default: return {};
  }
}

// The accuracy of GLSL's functions is sufficient for few operations; for the others only if an approximation
// is allowed.
std::string glsl_function(Op op, TypeKind type, bool fast) {
  switch (op) {
    case Op::kSqrt: return "sqrt";
    case Op::kRsqrt: return "inversesqrt";
    case Op::kFloor: return "floor";
    case Op::kCeil: return "ceil";
    case Op::kTrunc: return "trunc";
    case Op::kRint: return "roundEven";
    default: break;
  }
  if (!fast || type != TypeKind::kF32) return {};
  switch (op) {
    case Op::kExp: return "exp";
    case Op::kExp2: return "exp2";
    case Op::kLog: return "log";
    case Op::kLog2: return "log2";
    case Op::kSin: return "sin";
    case Op::kCos: return "cos";
    case Op::kTan: return "tan";
    case Op::kPow: return "pow";
    default: return {};
  }
}

// Those that Metal rounds correctly when compiled without fast math; for the others it guarantees less than
// we do, which is enough if an approximation is allowed.
std::string msl_function(Op op, bool fast) {
  switch (op) {
    case Op::kSqrt: return "precise::sqrt";
    case Op::kFma:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kTrunc:
    case Op::kRound:
    case Op::kRint:
    case Op::kCopysign: return std::string(ir::info(op).name);
    default: break;
  }
  if (!fast) return {};
  switch (op) {
    case Op::kSin:
    case Op::kCos:
    case Op::kTan:
    case Op::kPow: return "precise::" + std::string(ir::info(op).name);
    default: return {};
  }
}

}  // namespace

std::string math_function(const Dialect& dialect, Op op, TypeKind type, bool fast) {
  if (is_glsl(dialect)) return glsl_function(op, type, fast);
  if (dialect.language == Language::kMsl) return msl_function(op, fast);
  const bool is_float = type == TypeKind::kF32;
  if (fast && is_float && is_cuda(dialect)) {
    if (std::string name = cuda_fast(op); !name.empty()) return name;
  }
  const bool is_written_out = op == Op::kRcbrt || op == Op::kRhypot || is_in_library(op);
  if (is_written_out && !is_cuda(dialect)) return {};
  std::string name(ir::info(op).name);
  if (op == Op::kRem) name = "fmod";
  return is_cuda(dialect) && is_float ? name + "f" : name;
}

}  // namespace quern::target::cstyle
