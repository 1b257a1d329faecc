// Device memory that processes of one node share: each rank's window, and operands. Operands that cannot be
// shared are copied through the window.
//
// Mappings of operands are cached. An allocation of this rank that others have mapped is freed only after
// they have closed it: the owner announces it with a later collective operation, or the communicator ends.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "comm/mpi/link.hpp"
#include "quern/device.hpp"
#include "quern/interop.hpp"

namespace quern::comm::ipc {

// Where an operand of a rank is. Sent to other ranks.
struct Place {
  enum class Kind : std::uint64_t { kNone, kWindow, kAllocation };
  Kind kind = Kind::kNone;
  std::uint64_t allocation = 0, offset = 0;
  interop::SharedMemory::Description about;
  std::array<std::uint64_t, 4> released{};  // allocations of this rank to close; 0: none
};

class PeerMemory {
 public:
  PeerMemory(const Device& device, int rank, int size);

  // Set-up. Throw Error if the device cannot do it.
  interop::SharedMemory::Description create_window(std::uint64_t bytes);
  void open_windows(const std::vector<interop::SharedMemory::Description>& all);

  // The place of an operand of this rank, which stays allocated.
  Place place_of(const quern::detail::Bytes& operand);
  // Names allocations that only this object keeps, for all ranks to close.
  void announce_released(Place& place);
  // All ranks have closed them.
  void free_announced();
  // Closes mappings that their owner has released.
  void close_released(int rank, const Place& place);

  Slice<std::byte> window(int rank);
  // The operand, if it is an allocation. Opens it if necessary. Throws Error.
  Slice<std::byte> operand(int rank, const Place& place);

 private:
  struct Export {
    interop::KeepAlive hold;
    bool is_announced = false;
  };

  const Device device_;
  const int rank_;
  Buffer<std::byte> window_;
  std::vector<Buffer<std::byte>> windows_;  // of the other ranks
  std::map<std::uint64_t, Export> exports_;
  std::map<std::pair<int, std::uint64_t>, Buffer<std::byte>> imports_;
};

}  // namespace quern::comm::ipc
