/// @file
/// Ranks that are devices or threads of one program.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

#include "quern/comm/communicator.hpp"
#include "quern/device.hpp"
#include "quern/export.hpp"

namespace quern::comm {

/// Returns one communicator for each device, in this order. A device may occur several times. Elements are
/// copied directly between devices that can do so, and through the host otherwise.
///
/// An operation blocks until all ranks call it. Use each communicator on its own thread (for_each_rank), or
/// use the asynchronous operations of all ranks on one thread.
[[nodiscard]] QUERN_API std::vector<Communicator> in_process(std::span<const Device> devices,
                                                             const Options& options = {});

/// Calls work(communicator) for each rank, each on a separate thread, and waits for all. Throws the first
/// exception.
template <typename Work>
requires std::is_invocable_v<const Work&, const Communicator&>
void for_each_rank(std::span<const Communicator> ranks, const Work& work) {
  std::vector<std::exception_ptr> errors(ranks.size());
  std::vector<std::thread> threads;
  threads.reserve(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        work(ranks[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
}

}  // namespace quern::comm
