#include "launcher.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <thread>

#include <unistd.h>

#include "../messages.hpp"
#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace quern::tool {

namespace {

enum class Kind { kNone, kOpenMpi, kMpich };

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// By the output of --version: distributions install both as mpirun.
Kind kind_of(const std::string& path) {
  const std::string command = quoted(path) + " --version 2>&1 </dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::popen(command.c_str(), "r"), ::pclose);
  if (output == nullptr) return Kind::kNone;
  std::array<char, 4096> text{};
  const std::string_view version(text.data(), std::fread(text.data(), 1, text.size(), output.get()));
  if (version.find("Open MPI") != std::string_view::npos || version.find("OpenRTE") != std::string_view::npos)
    return Kind::kOpenMpi;
  for (const char* const name : {"HYDRA", "MPICH", "Intel(R) MPI"}) {
    if (version.find(name) != std::string_view::npos) return Kind::kMpich;
  }
  return Kind::kNone;
}

// The program of that name in PATH; empty: there is none.
std::string in_path(const char* name) {
  const std::string path = base::env_text("PATH").value_or("");
  for (const std::string_view folder : base::split(path, ':')) {
    std::string file = base::join_path(folder.empty() ? "." : folder, name);
    if (::access(file.c_str(), X_OK) == 0 && !base::is_folder(file)) return file;
  }
  return {};
}

}  // namespace

base::Result<Launcher> find_launcher(const std::string& wanted) {
  if (wanted.find('/') != std::string::npos) {
    const Kind kind = kind_of(wanted);
    if (kind == Kind::kNone)
      return base::Error(base::ErrorKind::not_found, message::kUnknownLauncher(wanted));
    return Launcher{wanted, kind == Kind::kOpenMpi};
  }
  if (!wanted.empty() && wanted != "openmpi" && wanted != "mpich")
    return base::Error(base::ErrorKind::invalid_use, message::kUnknownLauncher(wanted));
  for (const char* const name :
       {"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.openmpi", "mpiexec.hydra"}) {
    const std::string path = in_path(name);
    const Kind kind = path.empty() ? Kind::kNone : kind_of(path);
    if (kind == Kind::kNone) continue;
    if (wanted.empty() || (kind == Kind::kOpenMpi) == (wanted == "openmpi"))
      return Launcher{path, kind == Kind::kOpenMpi};
  }
  const std::string what = wanted == "openmpi" ? "Open MPI" : wanted == "mpich" ? "MPICH" : "MPI";
  return base::Error(base::ErrorKind::not_found, message::kNoLauncher(what));
}

std::vector<std::string> command_line(const Launcher& launcher, unsigned ranks,
                                      const std::vector<std::string>& program) {
  std::vector<std::string> out = {launcher.path, "-n", std::to_string(ranks)};
  if (launcher.is_openmpi) {
    if (::geteuid() == 0) out.emplace_back("--allow-run-as-root");
    // Open MPI counts cores, not hardware threads, and refuses to start more ranks.
    if (ranks > 1) out.emplace_back("--oversubscribe");
    if (ranks > std::thread::hardware_concurrency()) {
      out.emplace_back("--bind-to");
      out.emplace_back("none");
    }
  }
  out.insert(out.end(), program.begin(), program.end());
  return out;
}

}  // namespace quern::tool
