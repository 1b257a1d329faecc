// The file format of a saved actor.
//   8 bytes "QRNRING3", then as 64-bit words: state bytes, message bytes, messages, timers, buffers; the
// state; for each message two words (1: urgent; nanoseconds until its deadline, 0 for none) and its bytes;
// for each timer two words (its kind; nanoseconds or messages until it is due) and its message, in the order
// in which they were set; for each buffer a word (its size) and its bytes; a checksum of all preceding bytes.
// Files of version 2 have no words before a message and no buffers; those of version 1 also have no timers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quern/ring/actor.hpp"

namespace quern::ring {

struct SavedMessage {
  bool is_urgent = false;
  std::uint64_t left = 0;  // ns until its deadline; 0: none
  std::vector<std::byte> bytes;
};

struct SavedTimer {
  static constexpr std::uint64_t kByTime = 1, kByMessages = 2;

  std::uint64_t kind = 0, left = 0;
  std::vector<std::byte> message;
};

struct Checkpoint {
  std::vector<std::byte> state;
  std::vector<SavedMessage> messages;
  std::vector<SavedTimer> timers;
  std::vector<std::vector<std::byte>> buffers;
};

// The file is written completely or not at all.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint, const Sizes& sizes);
// Throws if the file is not a checkpoint, or of an actor with other sizes.
Checkpoint read_checkpoint(const std::string& path, const Sizes& sizes);
/// The same from the file's bytes; `path` is for errors.
Checkpoint parse_checkpoint(const std::string& path, std::span<const std::byte> bytes, const Sizes& sizes);
/// The last 8 bytes of a file, computed from all preceding ones.
std::uint64_t checkpoint_checksum(std::span<const std::byte> bytes);

}  // namespace quern::ring
