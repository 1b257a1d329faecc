/// @file
/// The report of a recovery.
#pragma once

#include <cstdint>
#include <string>

namespace quern {

/// A completed recovery.
struct Recovery {
  std::uint64_t losses = 0;          ///< Device losses so far.
  std::string cause;                 ///< One sentence.
  std::string from;                  ///< The lost device: "cuda:0".
  std::string to;                    ///< The device in use now: "cpu:0".
  std::uint64_t repeated = 0;        ///< Launches, copies and other commands that were repeated.
  std::uint64_t restored_bytes = 0;  ///< Bytes restored from the checkpoint.
  double seconds = 0;                ///< Duration.
};

}  // namespace quern
