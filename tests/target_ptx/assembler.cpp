#include "target_ptx/assembler.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <unistd.h>

#include "base/file.hpp"
#include "support/command.hpp"

namespace quern::test {

namespace fs = std::filesystem;

namespace {

std::string find_assembler() {
  if (const char* own = std::getenv("QUERN_PTXAS")) return own;
  std::vector<std::string> places{"ptxas"};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored)) {
    if (entry.path().filename().string().starts_with("cuda"))
      places.push_back(entry.path() / "bin" / "ptxas");
  }
  for (const std::string& place : places) {
    if (run_command("'" + place + "' --version").code == 0) return place;
  }
  return {};
}

}  // namespace

const std::string& assembler() {
  static const std::string kPath = find_assembler();
  return kPath;
}

std::optional<std::string> validate_ptx(const std::string& text, const std::string& architecture) {
  const std::string path =
      (fs::temp_directory_path() / ("quern_test_" + std::to_string(getpid()) + ".ptx")).string();
  if (!base::write_file(path, text).ok()) return "the text cannot be written";
  const CommandAnswer a = run_command("'" + assembler() + "' -O1 -arch=" + architecture + " '" + path +
                                      "' -o '" + path + ".cubin'");
  fs::remove(path);
  fs::remove(path + ".cubin");
  return a.code == 0 ? std::nullopt : std::optional(a.text);
}

}  // namespace quern::test
