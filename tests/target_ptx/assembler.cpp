#include "target_ptx/assembler.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <unistd.h>

#include "base/file.hpp"

namespace quern::test {

namespace fs = std::filesystem;

namespace {

struct Answer {
  int code = 0;
  std::string text;
};

Answer run(const std::string& command) {
  Answer out;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {127, "it cannot be run"};
  char piece[4096];
  for (size_t n = 0; (n = std::fread(piece, 1, sizeof piece, pipe)) != 0;) out.text.append(piece, n);
  out.code = pclose(pipe);
  return out;
}

std::string find_assembler() {
  if (const char* own = std::getenv("QUERN_PTXAS")) return own;
  std::vector<std::string> places{"ptxas"};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored)) {
    if (entry.path().filename().string().starts_with("cuda"))
      places.push_back(entry.path() / "bin" / "ptxas");
  }
  for (const std::string& place : places) {
    if (run("'" + place + "' --version").code == 0) return place;
  }
  return {};
}

}  // namespace

const std::string& assembler() {
  static const std::string kPath = find_assembler();
  return kPath;
}

std::optional<std::string> judge_ptx(const std::string& text, const std::string& architecture) {
  const std::string path =
      (fs::temp_directory_path() / ("quern_test_" + std::to_string(getpid()) + ".ptx")).string();
  if (!base::write_file(path, text).ok()) return "the text cannot be written";
  const Answer a =
      run("'" + assembler() + "' -O1 -arch=" + architecture + " '" + path + "' -o '" + path + ".cubin'");
  fs::remove(path);
  fs::remove(path + ".cubin");
  return a.code == 0 ? std::nullopt : std::optional(a.text);
}

}  // namespace quern::test
