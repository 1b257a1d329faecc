// Passes code to the validator of its target, like the tests: `quern_validate TARGET FILE…` (or the files
// line by line on standard input). Prints one line for each file: "yes FILE", or "no FILE: the error".
// `quern_validate --list` prints the targets and their validators, which the descriptors of targets name.
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "target/descriptor.hpp"
#include "target_cstyle/validator.hpp"
#include "target_ptx/assembler.hpp"
#include "target_spirv/emitted.hpp"
#include "target_wgsl/webgpu_device.hpp"

namespace quern::test {
namespace {

constexpr int kWrong = 1, kUsage = 2, kNoValidator = 77;

using Answer = std::function<std::optional<std::string>(const std::string& text)>;  // nothing: it is accepted

Answer from(std::shared_ptr<Validator> validator) {
  if (validator == nullptr) return nullptr;
  return [validator = std::move(validator)](const std::string& text) { return validator->validate(text); };
}

Answer naga() {
  std::string why;
  if (WebgpuDevice::get(why) == nullptr) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return nullptr;
  }
  return [](const std::string& text) -> std::optional<std::string> {
    std::string ignored;
    const std::string said = WebgpuDevice::get(ignored)->validate(text);
    return said.empty() ? std::nullopt : std::optional(said);
  };
}

Answer glslang() {
  if (!has_glsl_validator()) return nullptr;
  return [](const std::string& text) -> std::optional<std::string> {
    const std::string said = validate_glsl({{"text", text}});
    return said.empty() ? std::nullopt : std::optional(said);
  };
}

// spirv-val has no OpenCL environment with 64-bit atomics; devices with cl_khr_int64_base_atomics have them.
Answer spirv_val(const std::string& environment) {
  if (!has_validator()) return nullptr;
  return [environment](const std::string& bytes) {
    const auto said = validate(bytes, environment);
    const bool is_atomic =
        environment.starts_with("opencl") && said && said->find("Int64Atomics") != std::string::npos;
    return is_atomic ? validate(bytes, "spv1.0") : said;
  };
}

// For the architecture that the text itself specifies.
Answer ptxas() {
  if (assembler().empty()) return nullptr;
  return [](const std::string& text) {
    const size_t at = text.find("sm_");
    return validate_ptx(
        text, at == std::string::npos ? "sm_75" : text.substr(at, text.find_first_of("\n,", at) - at));
  };
}

Answer validator_for(const target::Descriptor& target) {
  const std::string_view tool = target.validator.tool;
  if (tool == "glslangValidator") return glslang();
  if (tool == "naga") return naga();
  if (tool == "ptxas") return ptxas();
  if (tool == "spirv-val") return spirv_val(std::string(target.validator.options));
  return from(validator_of(target.kind));
}

// The targets that have a validator, with its name.
int list() {
  for (const target::Descriptor* target : target::descriptors()) {
    if (target->validator.tool.empty()) continue;
    std::printf("%s %s\n", std::string(driver::name(target->kind)).c_str(),
                std::string(target->validator.tool).c_str());
  }
  return 0;
}

// Its first message is an error.
std::string first_error(const std::string& said) {
  for (const std::string_view line : base::split_lines(said)) {
    if (line.find("rror") != std::string_view::npos || line.starts_with("ERROR")) return std::string(line);
  }
  return std::string(base::split_lines(said).empty() ? "" : base::split_lines(said).front());
}

bool ask(const Answer& answer, const std::string& file) {
  const auto text = base::read_file(file);
  const auto said = text.ok() ? answer(*text) : std::optional(text.error().message());
  std::printf("%s %s%s%s\n", said ? "no" : "yes", file.c_str(), said ? ": " : "",
              said ? first_error(*said).c_str() : "");
  std::fflush(stdout);
  return !said;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::fprintf(stderr, "usage: quern_validate TARGET [FILE…] | --list\n");
    return kUsage;
  }
  if (arguments[0] == "--list") return list();
  const target::Descriptor* const target = target::find_descriptor_by_name(arguments[0]);
  if (target == nullptr || target->validator.tool.empty()) {
    std::fprintf(stderr, "validation failed: '%s' is not a target with a validator\n", arguments[0].c_str());
    return kUsage;
  }
  const Answer answer = validator_for(*target);
  if (answer == nullptr) {
    std::fprintf(stderr, "validation failed: %s, the validator of '%s', is not installed\n",
                 std::string(target->validator.tool).c_str(), arguments[0].c_str());
    return kNoValidator;
  }
  bool all = true;
  for (size_t i = 1; i < arguments.size(); ++i) all &= ask(answer, arguments[i]);
  if (arguments.size() == 1) {
    for (std::string line; std::getline(std::cin, line);) all &= ask(answer, line);
  }
  return all ? 0 : kWrong;
}

}  // namespace
}  // namespace quern::test

int main(int count, char** given) {
  return quern::test::run(std::vector<std::string>(given + 1, given + count));
}
