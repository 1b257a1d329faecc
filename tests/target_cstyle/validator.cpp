#include "target_cstyle/validator.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
#include "support/command.hpp"
#include "target/descriptor.hpp"

namespace quern::test {

namespace {

// NVRTC and hiprtc have the same interface under two names.
class RuntimeCompiler final : public Validator {
 public:
  static std::unique_ptr<Validator> find(const std::vector<std::string>& names, const std::string& prefix,
                                         std::vector<std::string> options) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    auto library = base::SharedLibrary::open(views, "");
    if (!library.ok()) return nullptr;
    auto validator = std::make_unique<RuntimeCompiler>();
    validator->options_ = std::move(options);
    const auto load = [&](const char* name, auto& function) {
      return library->load((prefix + name).c_str(), function).ok();
    };
    const bool all = load("CreateProgram", validator->create_) &&
                     load("CompileProgram", validator->compile_) &&
                     load("GetProgramLogSize", validator->log_size_) &&
                     load("GetProgramLog", validator->log_) && load("DestroyProgram", validator->destroy_);
    return all ? std::move(validator) : nullptr;
  }

  std::optional<std::string> validate(const std::string& text) override {
    void* program = nullptr;
    if (create_(&program, text.c_str(), "emitted.cu", 0, nullptr, nullptr) != 0)
      return "no program can be made";
    std::vector<const char*> options;
    for (const std::string& option : options_) options.push_back(option.c_str());
    const int code = compile_(program, static_cast<int>(options.size()), options.data());
    size_t size = 0;
    std::string log;
    if (code != 0 && log_size_(program, &size) == 0) {
      log.resize(size);
      (void)log_(program, log.data());
    }
    (void)destroy_(&program);
    return code == 0 ? std::nullopt : std::optional(log);
  }

 private:
  int (*create_)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*compile_)(void*, int, const char* const*) = nullptr;
  int (*log_size_)(void*, size_t*) = nullptr;
  int (*log_)(void*, char*) = nullptr;
  int (*destroy_)(void**) = nullptr;
  std::vector<std::string> options_;
};

// A program that reads a file and reports errors in it.
class CommandValidator final : public Validator {
 public:
  CommandValidator(std::string command, std::string ending) : command_(std::move(command)) {
    file_ =
        (std::filesystem::temp_directory_path() / ("quern_emitted_" + std::to_string(::getpid()) + ending))
            .string();
  }
  ~CommandValidator() override {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }

  std::optional<std::string> validate(const std::string& text) override {
    if (!base::write_file(file_, text).ok()) return "cannot write " + file_;
    const CommandAnswer a = run_command(command_ + " " + file_);
    return a.code == 0 ? std::nullopt : std::optional(a.text);
  }

 private:
  std::string command_, file_;
};

// In a separate process: a compiler that aborts does not affect anything else.
class ForkedValidator final : public Validator {
 public:
  explicit ForkedValidator(std::unique_ptr<Validator> validator) : validator_(std::move(validator)) {}

  std::optional<std::string> validate(const std::string& text) override {
    int ends[2];
    if (::pipe(ends) != 0) return "cannot make a pipe";
    const pid_t child = ::fork();
    if (child < 0) return "cannot start a process";
    if (child == 0) {
      const auto said = validator_->validate(text);
      const std::string answer = said.value_or("");
      (void)!::write(ends[1], answer.data(), std::min<size_t>(answer.size(), 30000));
      ::_exit(said ? 1 : 0);
    }
    ::close(ends[1]);
    std::string said;
    std::array<char, 4096> part;
    while (true) {
      const ssize_t n = ::read(ends[0], part.data(), part.size());
      if (n <= 0) break;
      said.append(part.data(), static_cast<size_t>(n));
    }
    ::close(ends[0]);
    int status = 0;
    (void)::waitpid(child, &status, 0);
    if (!WIFEXITED(status)) return "the compiler crashes";
    return WEXITSTATUS(status) == 0 ? std::nullopt : std::optional(said);
  }

 private:
  std::unique_ptr<Validator> validator_;
};

bool runs(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}  // NOLINT(concurrency-mt-unsafe): tests have one thread

// The usual location of CUDA's toolkit.
std::vector<std::string> nvrtc_names() {
  std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::error_code ignored;
  for (const auto& folder : std::filesystem::directory_iterator("/usr/local", ignored)) {
    if (folder.path().filename().string().rfind("cuda", 0) != 0) continue;
    for (const char* part : {"/lib64/libnvrtc.so", "/lib/libnvrtc.so"})
      names.push_back(folder.path().string() + part);
  }
  return names;
}

}  // namespace

std::unique_ptr<Validator> validator_of(driver::CodeKind kind, std::string_view options) {
  const target::Descriptor& target = *target::find_descriptor(kind);
  const std::string used(options.empty() ? target.validator.options : options);
  if (target.validator.tool == "nvrtc")
    return RuntimeCompiler::find(nvrtc_names(), "nvrtc", {used, "--fmad=false", "--std=c++17", "-w"});
  if (target.validator.tool == "hiprtc") {
    auto validator = RuntimeCompiler::find({"libhiprtc.so", "libamdhip64.so.5"}, "hiprtc",
                                           {used, "-ffp-contract=off", "-w"});
    return validator != nullptr ? std::make_unique<ForkedValidator>(std::move(validator)) : nullptr;
  }
  if (target.validator.tool != "clang" || !runs("clang --version")) return nullptr;
  // Metal's own headers are replaced by a few declarations.
  const std::string command = "clang " + used + " -I" + QUERN_SOURCE_DIR + "/tests/target_cstyle/metal";
  return std::make_unique<CommandValidator>(command, std::string(target.suffixes[0]));
}

bool has_glsl_validator() { return runs("glslangValidator --version"); }

std::string validate_glsl(const std::vector<NamedText>& texts) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("quern_glsl_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string names;
  for (const NamedText& t : texts) {
    const std::string file = t.name + ".comp";
    if (!base::write_file((folder / file).string(), t.text).ok()) return "cannot write " + file;
    names += file + "\n";
  }
  (void)base::write_file((folder / "all").string(), names);
  const auto [code, said] = run_command("cd " + folder.string() + " && xargs glslangValidator < all");
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (code == 0) return {};
  // It names every file; those with errors are identified by the following lines.
  std::string wrong, name;
  for (const std::string_view line : base::split_lines(said)) {
    if (line.ends_with(".comp")) name = std::string(line) + "\n";
    if (line.starts_with("ERROR")) wrong += std::exchange(name, {}) + std::string(line) + "\n";
  }
  return wrong.empty() ? said : wrong;
}

}  // namespace quern::test
