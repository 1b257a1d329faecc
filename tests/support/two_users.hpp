// Tests against other accounts on the same machine: some steps run as an unprivileged user. They need root
// and are skipped with a message elsewhere.
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quern::test {

inline constexpr uid_t kOtherUser = 65534;  // nobody

#define QUERN_NEED_ROOT() \
  if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root, to act as two users"

/// Runs `step` in a child process as the unprivileged user. Returns the result of `step` as an exit code, or
/// -1 if it did not end within 20 seconds.
template <typename Step>
int as_other_user(const Step& step) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const bool has_changed =
        ::setgroups(0, nullptr) == 0 && ::setgid(kOtherUser) == 0 && ::setuid(kOtherUser) == 0;
    ::_exit(has_changed ? static_cast<int>(step()) : 99);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace quern::test
