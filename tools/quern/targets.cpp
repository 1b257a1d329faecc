#include "targets.hpp"

#include "base/text.hpp"

namespace quern::tool {

using driver::CodeKind;

namespace {

constexpr CodeKind kTargets[] = {CodeKind::kIr,     CodeKind::kOpenclC, CodeKind::kCudaCpp,
                                 CodeKind::kHipCpp, CodeKind::kSpirv,   CodeKind::kSpirvKernel,
                                 CodeKind::kGlsl,   CodeKind::kGlslEs,  CodeKind::kMsl,
                                 CodeKind::kWgsl,   CodeKind::kPtx};

}  // namespace

std::span<const CodeKind> all_targets() { return kTargets; }

base::Result<std::vector<CodeKind>> parse_targets(std::string_view list, std::string_view others) {
  std::vector<CodeKind> out;
  for (const std::string_view name : base::split(list, ',')) {
    const size_t before = out.size();
    std::string names;
    for (const CodeKind kind : kTargets) {
      names += std::string(driver::name(kind)) + ", ";
      if (name == "all" || name == driver::name(kind)) out.push_back(kind);
    }
    if (out.size() == before)
      return base::Error(base::ErrorKind::kInvalidUse, "unknown target '" + std::string(name) + "'")
          .add_hint("use one of " + names + std::string(others) + ", all");
  }
  return out;
}

bool takes_architecture(CodeKind kind, std::string_view name) {
  const auto is_number = [](std::string_view text) { return base::parse_double(text).value_or(-1) >= 1; };
  switch (kind) {
    case CodeKind::kCudaCpp:
    case CodeKind::kPtx: return name.starts_with("sm_") && is_number(name.substr(3));
    case CodeKind::kGlsl:
    case CodeKind::kGlslEs: {  // as #version has it: "430", "450 core", "310 es"
      constexpr double kLeast = 300;
      const auto number = base::parse_double(name.substr(0, name.find(' ')));
      return number.value_or(0) >= kLeast && name.ends_with(" es") == (kind == CodeKind::kGlslEs);
    }
    case CodeKind::kMsl: return is_number(name);
    default: return false;
  }
}

base::Result<driver::Math> parse_math(std::string_view text) {
  constexpr std::string_view kNames[] = {"exact", "fused", "fast"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (text == kNames[i]) return static_cast<driver::Math>(i);
  }
  return base::Error(base::ErrorKind::kInvalidUse,
                     "invalid value '" + std::string(text) + "' for --math; use exact, fused or fast");
}

target::Options usual_options(CodeKind kind, const std::string& version) {
  target::Options options;
  options.kind = kind;
  options.features = target::every_feature();
  options.native = target::usual_native(kind);
  options.matrices = target::usual_matrices(kind, version);
  options.version = version;
  return options;
}

base::Result<driver::Code> emit_kernel(const ir::Module& module, const ir::Function& kernel,
                                       const std::string& file, const target::Options& options) {
  return target::emit(std::make_shared<const ir::Module>(module.clone(kernel)), file, options);
}

base::Result<driver::Code> emit_kernel(const ir::Module& module, const ir::Function& kernel,
                                       const std::string& file, CodeKind kind, bool line_marks) {
  target::Options options = usual_options(kind);
  options.line_marks = line_marks;
  return emit_kernel(module, kernel, file, options);
}

}  // namespace quern::tool
