#include "target_ptx/emitted.hpp"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "lang/compile.hpp"

namespace quern::test {

namespace fs = std::filesystem;

namespace {}  // namespace

target::Options ptx_options(const std::string& architecture) {
  target::Options options;
  options.kind = driver::CodeKind::kPtx;
  options.features = target::every_feature();
  options.version = architecture;
  options.matrices = target::usual_matrices(options.kind, architecture);
  return options;
}

base::Result<driver::Code> emit_ptx(std::string_view program, const target::Options& options) {
  lang::Compilation compiled = lang::compile("test.cu", std::string(program), {});
  if (!compiled.ok) return base::Error(base::ErrorKind::compile, compiled.rendered);
  return target::emit(std::make_shared<const ir::Module>(std::move(compiled.module)), "test.cu", options);
}

std::string ptx_of(std::string_view program, const target::Options& options) {
  auto code = emit_ptx(program, options);
  if (code.ok()) return code->bytes;
  ADD_FAILURE() << code.error().message();
  return {};
}

std::vector<EmittedFile> emit_cases_as_ptx(const target::Options& options) {
  std::vector<EmittedFile> out;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(std::string(QUERN_SOURCE_DIR) + "/tests/cases")) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const auto text = base::read_file(file.string());
    if (!text.ok()) continue;
    lang::Compilation compiled = lang::compile(file.filename().string(), *text, {});
    EmittedFile one;
    one.name = file.filename().string();
    auto code =
        target::emit(std::make_shared<const ir::Module>(std::move(compiled.module)), one.name, options);
    if (!code.ok()) {
      one.refused.push_back(code.error().message());
    } else {
      one.text = std::move(code->bytes);
      for (const driver::KernelInfo& k : code->kernels) {
        if (k.refused.empty()) {
          ++one.kernels;
        } else {
          one.refused.push_back(k.refused);
        }
      }
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace quern::test
