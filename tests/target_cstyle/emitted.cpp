#include "target_cstyle/emitted.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "lang/compile.hpp"

namespace quern::test {

target::Options options_for(driver::CodeKind kind) {
  target::Options options;
  options.kind = kind;
  options.features = target::every_feature();
  options.line_marks = false;
  return options;
}

base::Result<driver::Code> emit(std::string_view program, const target::Options& options) {
  lang::Compilation compiled = lang::compile("test.cu", std::string(program), {});
  if (!compiled.ok) return base::Error(base::ErrorKind::kCompile, compiled.rendered);
  return target::emit(std::make_shared<const ir::Module>(std::move(compiled.module)), "test.cu", options);
}

std::vector<EmittedKernel> emit_cases(driver::CodeKind kind) {
  std::vector<EmittedKernel> out;
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(QUERN_SOURCE_DIR) + "/tests/cases")) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const auto text = base::read_file(file.string());
    if (!text.ok()) continue;
    const lang::Compilation compiled = lang::compile(file.filename().string(), *text, {});
    for (const ir::Function* f : compiled.module.functions) {
      if (!f->is_kernel) continue;
      EmittedKernel kernel;
      kernel.name = file.filename().string() + ":" + f->name;
      const auto own = std::make_shared<const ir::Module>(compiled.module.clone(*f));
      auto code = target::emit(own, file.filename().string(), options_for(kind));
      if (code.ok()) {
        kernel.text = std::move(code->bytes);
      } else {
        kernel.refused = code.error().message();
      }
      out.push_back(std::move(kernel));
    }
  }
  return out;
}

}  // namespace quern::test
