// Starts threads on systems that may have none left: a limit on processes or memory does not end the program.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace quern::base {

// Not joinable if none could be started; the caller then does the work itself.
template <typename Work>
std::thread try_thread(Work&& work) {
  try {
    return std::thread(std::forward<Work>(work));
  } catch (const std::system_error&) {
    return {};
  }
}

// Starts threads until there are `count`; fewer if the system has no more.
template <typename Work>
void grow_threads(std::vector<std::thread>& threads, size_t count, const Work& work) {
  while (threads.size() < count) {
    std::thread one = try_thread(work);
    if (!one.joinable()) return;
    threads.push_back(std::move(one));
  }
}

// Runs in a new thread, to be joined; if none can be started, runs immediately.
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
