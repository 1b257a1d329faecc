#include "target_cstyle/emitted.hpp"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "lang/compile.hpp"
#include "target/split_grids.hpp"

namespace quern::test {

target::Options options_for(driver::CodeKind kind) {
  target::Options options;
  options.kind = kind;
  options.features = target::every_feature();
  options.native = target::usual_native(kind);
  if (kind == driver::CodeKind::kCudaCpp) options.version = "sm_90";  // the version that it is validated for
  options.matrices = target::usual_matrices(kind, options.version);
  options.line_marks = false;
  return options;
}

base::Result<driver::Code> emit(std::string_view program, const target::Options& options) {
  lang::Compilation compiled = lang::compile("test.cu", std::string(program), {});
  if (!compiled.ok) return base::Error(base::ErrorKind::compile, compiled.rendered);
  return target::emit(std::make_shared<const ir::Module>(std::move(compiled.module)), "test.cu", options);
}

namespace {

EmittedKernel emit_alone(const ir::Module& module, const ir::Function& function, const std::string& file,
                         const target::Options& options) {
  EmittedKernel kernel;
  kernel.name = file + ":" + function.name;
  const auto own = std::make_shared<ir::Module>(module.clone(function));
  EXPECT_TRUE(target::split_grids(*own, options).ok()) << kernel.name;
  auto code = target::emit(own, file, options);
  if (code.ok()) {
    kernel.text = std::move(code->bytes);
    kernel.entry = code->kernels.front().entry;
  } else {
    kernel.refused = code.error().message();
  }
  return kernel;
}

}  // namespace

std::vector<EmittedFile> emit_cases(const target::Options& options, Files files) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(QUERN_SOURCE_DIR) + "/tests/cases")) {
    if (entry.path().extension() == ".cu") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<EmittedFile> out;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (files != Files::all && static_cast<int>(i % 3) != static_cast<int>(files)) continue;
    const std::filesystem::path& path = paths[i];
    const auto text = base::read_file(path.string());
    if (!text.ok()) continue;
    EmittedFile& file = out.emplace_back();
    file.name = path.filename().string();
    lang::Compilation compiled = lang::compile(file.name, *text, {});
    for (const ir::Function* f : compiled.module.functions) {
      if (f->is_kernel) file.kernels.push_back(emit_alone(compiled.module, *f, file.name, options));
    }
    EXPECT_TRUE(target::split_grids(compiled.module, options).ok()) << file.name;
    auto code =
        target::emit(std::make_shared<const ir::Module>(std::move(compiled.module)), file.name, options);
    if (code.ok()) file.text = std::move(code->bytes);
  }
  return out;
}

}  // namespace quern::test
