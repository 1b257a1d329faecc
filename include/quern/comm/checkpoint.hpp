/// @file
/// Consistent checkpoints of arrays over the ranks of a communicator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "quern/comm/collectives.hpp"
#include "quern/comm/communicator.hpp"
#include "quern/export.hpp"

namespace quern::comm {

/// How an array of a checkpoint is spread over the ranks.
enum class Spread : std::uint8_t {
  blocks,  ///< The array is the sequence of the ranks' parts, in the order of the ranks. Sizes may differ.
  copies,  ///< All ranks have the same elements. Rank 0 saves them.
};

/// An array of a checkpoint: this rank's part. It refers to the memory and does not own it.
class SavedArray {
 public:
  /// `name` identifies the array in the checkpoint: 1 to 100 characters, without spaces.
  template <Result X>
  SavedArray(std::string name, X&& part, Spread spread = Spread::blocks)
      : name_(std::move(name)),
        range_(detail::range_of(part)),
        element_bytes_(sizeof(ValueOf<X>)),
        spread_(spread) {}

  /// The name.
  const std::string& name() const { return name_; }
  /// How the array is spread over the ranks.
  Spread spread() const { return spread_; }
  /// Elements of this rank's part.
  std::size_t size() const { return range_.count; }
  /// Size of an element in bytes.
  std::size_t element_bytes() const { return element_bytes_; }
  /// Used by the library.
  const detail::Range& range() const { return range_; }

 private:
  std::string name_;
  detail::Range range_;
  std::size_t element_bytes_;
  Spread spread_;
};

/// What restore() has found.
struct RestoredCheckpoint {
  std::uint64_t step = 0;  ///< The number that was passed to checkpoint().
  int ranks = 0;           ///< Number of ranks that wrote it.
};

/// Writes the arrays of all ranks to a folder that all ranks can access. All ranks call it with the same step
/// and the same arrays. It starts after the work that was submitted to the default stream of the device.
///
/// Each rank writes its own file and makes it durable. Then rank 0 replaces the manifest, which names
/// the step, the number of ranks, and the size and checksum of each file. The checkpoint before is valid
/// until then and is removed afterwards. After an error on any rank, all ranks throw, and the checkpoint
/// before is still valid; if a rank fails at the very end, the new one may be. Throws Error with kind `io` if
/// a file cannot be written, for example on a full disk; the communicator then remains usable.
QUERN_API void checkpoint(const Communicator& ranks, const std::string& folder, std::uint64_t step,
                          std::span<const SavedArray> arrays);

/// Reads the arrays of the last complete checkpoint. All ranks call it. Nothing if the folder contains none.
///
/// The number of ranks may differ from that of the checkpoint: arrays with Spread::blocks are divided by
/// the sizes of the parts, whose sum must be the same. All files are compared with their checksums; a damaged
/// checkpoint throws Error with kind `io` on all ranks.
[[nodiscard]] QUERN_API std::optional<RestoredCheckpoint> restore(const Communicator& ranks,
                                                                  const std::string& folder,
                                                                  std::span<const SavedArray> arrays);

}  // namespace quern::comm
