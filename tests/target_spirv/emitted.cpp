#include "target_spirv/emitted.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.hpp"
#include "lang/compile.hpp"
#include "support/command.hpp"
#include "support/llvm_tools.hpp"
#include "target/split_grids.hpp"

namespace quern::test {

namespace {

using Answer = CommandAnswer;

Answer run_on(const std::string& tool, const std::string& bytes) {
  const auto path =
      std::filesystem::temp_directory_path() / ("quern_test_" + std::to_string(getpid()) + ".spv");
  if (!base::write_file(path.string(), bytes).ok()) return {127, "the module cannot be written"};
  Answer out = run_command(tool + " '" + path.string() + "'");
  std::filesystem::remove(path);
  return out;
}

// spirv-val before 2024 does not know the execution mode for reconvergence.
std::string without_reconvergence(const std::string& bytes) {
  constexpr uint32_t kExtension = 10, kExecutionMode = 16, kMaximallyReconverges = 6023;
  constexpr size_t kHeader = 5;
  std::vector<uint32_t> words(bytes.size() / 4), kept;
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  for (size_t at = 0; at < words.size();) {
    const uint32_t code = at < kHeader ? 0 : words[at] & 0xffff, count = at < kHeader ? 1 : words[at] >> 16;
    const bool is_mode = code == kExecutionMode && words[at + 2] == kMaximallyReconverges;
    const bool is_extension =
        code == kExtension &&
        std::string_view(bytes).substr(at * 4 + 4).starts_with("SPV_KHR_maximal_reconvergence");
    for (size_t i = at; i < at + count && !is_mode && !is_extension; ++i) kept.push_back(words[i]);
    at += count;
  }
  return {reinterpret_cast<const char*>(kept.data()), kept.size() * 4};
}

// For a tool that reads modules.
Answer ask(const std::string& tool, const std::string& bytes) {
  Answer first = run_on(tool, bytes);
  const bool is_unknown = first.code != 0 && first.text.find("6023") != std::string::npos;
  return is_unknown ? run_on(tool, without_reconvergence(bytes)) : first;
}

}  // namespace

target::Options spirv_options() {
  target::Options options;
  options.kind = driver::CodeKind::kSpirv;
  options.features = target::every_feature();
  options.native = target::usual_native(driver::CodeKind::kSpirv);
  return options;
}

target::Options kernel_options() {
  target::Options options = spirv_options();
  options.kind = driver::CodeKind::kSpirvKernel;
  return options;
}

base::Result<driver::Code> emit_spirv(std::string_view program, const target::Options& options) {
  lang::Compilation compiled = lang::compile("test.cu", std::string(program), {});
  if (!compiled.ok) return base::Error(base::ErrorKind::compile, compiled.rendered);
  return target::emit(std::make_shared<const ir::Module>(std::move(compiled.module)), "test.cu", options);
}

std::vector<EmittedModule> emit_cases_as_spirv(const target::Options& options) {
  std::vector<EmittedModule> out;
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
      EmittedModule one;
      one.name = file.filename().string() + ":" + f->name;
      const auto own = std::make_shared<ir::Module>(compiled.module.clone(*f));
      EXPECT_TRUE(target::split_grids(*own, options).ok()) << one.name;
      auto code = target::emit(own, file.filename().string(), options);
      if (code.ok()) {
        one.bytes = std::move(code->bytes);
      } else {
        one.refused = code.error().message();
      }
      out.push_back(std::move(one));
    }
  }
  return out;
}

bool has_validator() {
  static const bool is_there = run_command("spirv-val --version").code == 0;
  return is_there;
}

std::optional<std::string> validate(const std::string& bytes, const std::string& environment) {
  const Answer a = ask("spirv-val --target-env " + environment, bytes);
  return a.code == 0 ? std::nullopt : std::optional(a.text);
}

namespace {

const std::string& translator() {
  static const std::string suffix = llvm_suffix("llvm-spirv");
  return suffix;
}

}  // namespace

bool has_translator() { return !translator().empty(); }

std::optional<std::string> translate(const std::string& bytes) {
  const Answer a = run_on("llvm-spirv" + translator() + " -r -o /dev/null", bytes);
  return a.code == 0 ? std::nullopt : std::optional(a.text);
}

std::string disassembled(const std::string& bytes) { return ask("spirv-dis --no-header", bytes).text; }

}  // namespace quern::test
