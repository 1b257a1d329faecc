// A pipe that programs which are started later do not inherit.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace quern::tool {

// Returns 0, or -1 with errno set.
inline int make_pipe(int (&ends)[2]) {
#if defined(__APPLE__)
  if (::pipe(ends) != 0) return -1;
  for (const int end : ends) (void)::fcntl(end, F_SETFD, FD_CLOEXEC);
  return 0;
#else
  return ::pipe2(ends, O_CLOEXEC);
#endif
}

}  // namespace quern::tool
