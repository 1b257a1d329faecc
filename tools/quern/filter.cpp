#include "filter.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/output_file.hpp"
#include "messages.hpp"
#include "pipe.hpp"

extern char** environ;

namespace quern::tool {

namespace {

class FileActions {
 public:
  FileActions() { (void)::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { (void)::posix_spawn_file_actions_destroy(&actions_); }

  void redirect(int from, int to) { (void)::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void discard(int number) {
    (void)::posix_spawn_file_actions_addopen(&actions_, number, "/dev/null", O_WRONLY, 0);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

base::Result<std::string> run_filter(const std::vector<std::string>& words, std::string_view input) {
  const auto fail = [&](int number) { return base::os_error("cannot run '" + words[0] + "'", number); };
  // An unnamed file: nobody else can open or replace it.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (file == nullptr || std::fwrite(input.data(), 1, input.size(), file.get()) != input.size() ||
      std::fflush(file.get()) != 0 || std::fseek(file.get(), 0, SEEK_SET) != 0)
    return fail(errno);
  int ends[2];
  if (make_pipe(ends) != 0) return fail(errno);
  const base::Descriptor from(ends[0]);
  base::Descriptor to(ends[1]);
  FileActions actions;
  actions.redirect(::fileno(file.get()), STDIN_FILENO);
  actions.redirect(to.get(), STDOUT_FILENO);
  actions.discard(STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& w : words)
    arguments.push_back(const_cast<char*>(w.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, arguments[0], actions.get(), nullptr, arguments.data(), environ);
  if (failure != 0) return fail(failure);
  to = base::Descriptor();
  auto text = base::read_descriptor(from.get(), words[0], base::kNoFileLimit);
  const int code = wait_for(child);
  if (code != 0)
    return base::Error(base::ErrorKind::io, message::kProgramFailed(words[0], std::to_string(code)));
  return text;
}

}  // namespace quern::tool
