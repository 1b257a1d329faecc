#include "driver/opencl/compiler_process.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "driver/opencl/compile_request.hpp"
#include "driver/opencl/compiler_image.hpp"

namespace quern::opencl {

namespace {

using Kind = CompileOutcome::Kind;

// Owns a file descriptor, moved beyond those that the child gets by number.
class Descriptor {
 public:
  explicit Descriptor(int id) : id_(id < 0 ? id : ::fcntl(id, F_DUPFD_CLOEXEC, kFirst)) {
    if (id >= 0) ::close(id);
  }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return id_; }
  void close() {
    if (id_ >= 0) ::close(id_);
    id_ = -1;
  }

 private:
  static constexpr int kFirst = 10;
  int id_;
};

bool write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(to, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// Creates a memory file. Linux 6.3 and later need MFD_EXEC for a program; older kernels reject the flag.
int memory_file(const char* name, bool is_program) {
  constexpr unsigned kExecutable = 0x10;  // MFD_EXEC
  const int id = is_program ? ::memfd_create(name, MFD_CLOEXEC | kExecutable) : -1;
  return id >= 0 ? id : ::memfd_create(name, MFD_CLOEXEC);
}

std::string request_of(const CompileTask& task) {
  const std::string_view fields[kFields] = {task.library, task.device_name, task.device_version,
                                            task.options, task.work_group,  task.code};
  CompileRequest header = {};
  header.is_il = task.is_il ? 1 : 0;
  std::string bytes;
  for (uint32_t i = 0; i < kFields; ++i) {
    header.sizes[i] = fields[i].size();
    bytes.append(fields[i]).push_back('\0');
  }
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + bytes;
}

// Standard input is the request; stdout and stderr are the pipe. The child inherits no other files and no
// ignored or blocked signals: drivers start programs too, and wait for them.
int spawn(pid_t& child, int program, int request, int output) {
  constexpr int kProgram = 3;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, request, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, program, kProgram);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kProgram + 1);
#endif
  const std::string path = "/proc/self/fd/" + std::to_string(kProgram);
  std::string name = "quern-opencl-compiler";
  char* arguments[] = {name.data(), nullptr};
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  ::sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawn(&child, path.c_str(), &actions, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::string read_all(int from) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<size_t>(n));
  }
}

CompileOutcome not_started(const char* call, int error) {
  return {Kind::kNotStarted, std::string(call) + ": " + std::strerror(error)};
}

// The child's exit status is not used: a program that ignores SIGCHLD or waits for any child consumes it.
CompileOutcome outcome_of(std::string_view text) {
  const size_t started = text.find(kStarted);
  if (started == std::string_view::npos) return {Kind::kNotStarted, std::string(base::trim(text))};
  if (text.ends_with(kReturned)) return {};
  text.remove_prefix(started + std::strlen(kStarted));
  constexpr size_t kMost = 2000;
  text = base::trim(text);
  if (text.size() > kMost) text.remove_prefix(text.size() - kMost);
  return {Kind::kDied, text.empty() ? "it printed nothing" : std::string(text)};
}

}  // namespace

CompileOutcome compile_in_child(const CompileTask& task) {
  const Descriptor program(memory_file("quern-opencl-compiler", true));
  const Descriptor request(memory_file("quern-opencl-request", false));
  if (program.get() < 0 || request.get() < 0) return not_started("memfd_create", errno);
  if (!write_all(program.get(), compiler_image()) || !write_all(request.get(), request_of(task)))
    return not_started("writing to memory", errno);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return not_started("pipe2", errno);
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  pid_t child = 0;
  if (const int error = spawn(child, program.get(), request.get(), to.get()); error != 0)
    return not_started("posix_spawn", error);
  to.close();
  const std::string text = read_all(from.get());
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return outcome_of(text);
}

}  // namespace quern::opencl
