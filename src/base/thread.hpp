// Threads where the system may have none left: a limit of processes or of memory is no reason to end.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace quern::base {

// Not joinable: none could be started, and the caller does the work itself.
template <typename Work>
std::thread try_thread(Work&& work) {
  try {
    return std::thread(std::forward<Work>(work));
  } catch (const std::system_error&) {
    return {};
  }
}

// Until there are `count`; fewer where the system has no more.
template <typename Work>
void grow_threads(std::vector<std::thread>& threads, size_t count, const Work& work) {
  while (threads.size() < count) {
    std::thread one = try_thread(work);
    if (!one.joinable()) return;
    threads.push_back(std::move(one));
  }
}

// In a thread of its own, to be joined; where there is none, here and now.
template <typename Work>
void run_beside(std::vector<std::thread>& threads, const Work& work) {
  std::thread thread = try_thread(work);
  if (thread.joinable()) {
    threads.push_back(std::move(thread));
  } else {
    work();
  }
}

}  // namespace quern::base
