#include "targets.hpp"

#include "base/text.hpp"
#include "messages.hpp"
#include "target/descriptor.hpp"
#include "target/split_grids.hpp"

namespace quern::tool {

using driver::CodeKind;

std::span<const CodeKind> all_targets() {
  static const std::vector<CodeKind> all = [] {
    std::vector<CodeKind> kinds;
    for (const target::Descriptor* d : target::descriptors()) {
      if (d->emit != nullptr) kinds.push_back(d->kind);
    }
    return kinds;
  }();
  return all;
}

base::Result<std::vector<CodeKind>> parse_targets(std::string_view list, std::string_view others) {
  std::vector<CodeKind> out;
  for (const std::string_view name : base::split(list, ',')) {
    const size_t before = out.size();
    std::string names;
    for (const CodeKind kind : all_targets()) {
      names += std::string(driver::name(kind)) + ", ";
      if (name == "all" || name == driver::name(kind)) out.push_back(kind);
    }
    if (out.size() == before)
      return base::Error(base::ErrorKind::invalid_use, message::kUnknownTarget(name, names, others));
  }
  return out;
}

bool takes_architecture(CodeKind kind, std::string_view name) {
  const target::Descriptor* const target = target::find_descriptor(kind);
  return target != nullptr && target->is_version != nullptr && target->is_version(name);
}

base::Result<driver::Math> parse_math(std::string_view text) {
  constexpr std::string_view kNames[] = {"exact", "fused", "fast"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (text == kNames[i]) return static_cast<driver::Math>(i);
  }
  return base::Error(base::ErrorKind::invalid_use,
                     message::kInvalidValue(text, "--math", "exact, fused or fast"));
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
  auto own = std::make_shared<ir::Module>(module.clone(kernel));
  QUERN_TRY(target::split_grids(*own, options));
  return target::emit(own, file, options);
}

base::Result<driver::Code> emit_kernel(const ir::Module& module, const ir::Function& kernel,
                                       const std::string& file, CodeKind kind, bool line_marks) {
  target::Options options = usual_options(kind);
  options.line_marks = line_marks;
  return emit_kernel(module, kernel, file, options);
}

}  // namespace quern::tool
