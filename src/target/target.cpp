#include "target/target.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "lang/pass/pass.hpp"
#include "target/cstyle/cstyle.hpp"
#include "target/cstyle/dialect.hpp"
#include "target/cstyle/glsl.hpp"
#include "target/cstyle/msl.hpp"
#include "target/describe.hpp"
#include "target/ptx/ptx.hpp"
#include "target/spirv/spirv.hpp"
#include "target/wgsl/wgsl.hpp"

namespace quern::target {

using base::Error;
using base::ErrorKind;

bool can_emit(driver::CodeKind kind) {
  return kind == driver::CodeKind::kIr || kind == driver::CodeKind::kSpirv ||
         kind == driver::CodeKind::kSpirvKernel || kind == driver::CodeKind::kWgsl ||
         kind == driver::CodeKind::kPtx || cstyle::find_dialect(kind) != nullptr;
}

driver::FeatureSet every_feature() {
  driver::FeatureSet all;
  for (size_t i = 0; i < driver::kFeatureCount; ++i) all.add(static_cast<driver::Feature>(i));
  return all;
}

driver::FeatureSet usual_native(driver::CodeKind kind) {
  return kind == driver::CodeKind::kMsl ? driver::FeatureSet{driver::Feature::kWarps} : driver::FeatureSet{};
}

std::vector<ir::Matrix> usual_matrices(driver::CodeKind kind, const std::string& version) {
  if (kind != driver::CodeKind::kCudaCpp && kind != driver::CodeKind::kPtx) return {};
  constexpr int kUsual = 75;
  const auto number = version.starts_with("sm_") ? base::parse_uint(version.substr(3)) : std::nullopt;
  return driver::matrices_of_sm(number ? static_cast<int>(*number) : kUsual);
}

namespace {

// Where printf is a report that the host reads.
bool prints_by_report(const Options& options, const driver::Code& code) {
  const bool is_native = options.kind == driver::CodeKind::kIr ||
                         options.kind == driver::CodeKind::kCudaCpp ||
                         options.kind == driver::CodeKind::kHipCpp || options.kind == driver::CodeKind::kPtx;
  const auto prints = [](const driver::KernelInfo& k) { return k.needs.has(driver::Feature::kPrint); };
  return !is_native && std::any_of(code.kernels.begin(), code.kernels.end(), prints);
}

// How the code has such matrices.
ir::MatrixForm form_of(ir::Matrix matrix, const Options& options) {
  const bool by_value = options.kind == driver::CodeKind::kCudaCpp || options.kind == driver::CodeKind::kPtx;
  if (!by_value) return ir::MatrixForm::kLoops;
  matrix.use = {};
  matrix.is_by_column = false;
  const bool is_there =
      std::find(options.matrices.begin(), options.matrices.end(), matrix) != options.matrices.end();
  return is_there ? ir::MatrixForm::kValues : ir::MatrixForm::kLoops;
}

}  // namespace

base::Result<driver::Code> emit(const std::shared_ptr<const ir::Module>& given, const std::string& name,
                                const Options& options) {
  std::shared_ptr<const ir::Module> original = given;
  if (pass::has_matrices(*given)) {
    auto settled = std::make_shared<ir::Module>(given->clone());
    pass::settle_matrices(*settled, [&](const ir::Matrix& m) { return form_of(m, options); });
    original = std::move(settled);
  }
  driver::Code code;
  code.kind = options.kind;
  code.name = name;
  for (const ir::Function* f : original->functions) {
    if (f->is_kernel) code.kernels.push_back(describe(*original, *f));
  }
  std::shared_ptr<const ir::Module> module = original;
  if (prints_by_report(options, code)) {
    auto copy = std::make_shared<ir::Module>(original->clone());
    pass::print_floats(*copy);
    module = std::move(copy);
  }
  code.variables = describe_variables(*module);
  switch (options.kind) {
    case driver::CodeKind::kIr: code.module = module; return code;
    case driver::CodeKind::kOpenclC:
    case driver::CodeKind::kCudaCpp:
    case driver::CodeKind::kHipCpp: QUERN_TRY(cstyle::emit(*module, options, code)); return code;
    case driver::CodeKind::kSpirv:
    case driver::CodeKind::kSpirvKernel: QUERN_TRY(spirv::emit(*module, options, code)); return code;
    case driver::CodeKind::kMsl: QUERN_TRY(cstyle::emit_msl(*module, options, code)); return code;
    case driver::CodeKind::kGlsl:
    case driver::CodeKind::kGlslEs: QUERN_TRY(cstyle::emit_glsl(*module, options, code)); return code;
    case driver::CodeKind::kPtx: QUERN_TRY(ptx::emit(*module, options, code)); return code;
    case driver::CodeKind::kWgsl: QUERN_TRY(wgsl::emit(*module, options, code)); return code;
    default:
      return Error(
          ErrorKind::kUnsupported,
          "kernels cannot be written as " + std::string(driver::name(options.kind)) +
              ": the device has no compiler, and takes only programs that were compiled for it before");
  }
}

}  // namespace quern::target
