#include "comm/mpi/ipc/peer_memory.hpp"

#include <algorithm>

#include "quern/error.hpp"

namespace quern::comm::ipc {

namespace {

// Allocations that stay allocated because others have mapped them. Operands of further ones go through the
// window.
constexpr std::size_t kMostExports = 64;

Buffer<std::byte> import(const Device& device, const interop::SharedMemory::Description& about) {
  return interop::import_memory<std::byte>(device, interop::SharedMemory(about), "memory of another rank");
}

}  // namespace

PeerMemory::PeerMemory(const Device& device, int rank, int size)
    : device_(device), rank_(rank), windows_(static_cast<std::size_t>(size)) {}

interop::SharedMemory::Description PeerMemory::create_window(std::uint64_t bytes) {
  window_ =
      interop::allocate_shared<std::byte>(device_, bytes, interop::ShareKind::cuda_ipc, "window of comm");
  return interop::export_memory(window_).description();
}

void PeerMemory::open_windows(const std::vector<interop::SharedMemory::Description>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<int>(i) != rank_) windows_[i] = import(device_, all[i]);
  }
}

Place PeerMemory::place_of(const quern::detail::Bytes& operand) {
  Place place;
  place.kind = Place::Kind::kWindow;
  try {
    interop::SharedRange range = interop::share(Slice<std::byte>(operand));
    const auto known = exports_.find(range.allocation);
    if (known == exports_.end() && exports_.size() >= kMostExports) return place;
    if (known != exports_.end() && known->second.is_announced) return place;
    if (known == exports_.end()) exports_[range.allocation] = {std::move(range.hold), false};
    place.kind = Place::Kind::kAllocation;
    place.allocation = range.allocation;
    place.offset = range.offset;
    place.about = range.memory.description();
  } catch (const Error&) {  // if the device is lost, copying to the window reports it
  }
  return place;
}

void PeerMemory::announce_released(Place& place) {
  if (exports_.empty()) return;
  (void)device_.memory();  // destroys buffers that work in flight no longer uses
  std::size_t count = 0;
  for (auto& [number, shared] : exports_) {
    if (count == place.released.size()) return;
    if (shared.hold.use_count() != 1) continue;
    shared.is_announced = true;
    place.released[count++] = number;
  }
}

void PeerMemory::free_announced() {
  std::erase_if(exports_, [](const auto& entry) { return entry.second.is_announced; });
}

// A buffer is closed when no work uses it, so there must be none.
void PeerMemory::close_released(int rank, const Place& place) {
  for (const std::uint64_t number : place.released) {
    const auto found = imports_.find({rank, number});
    if (found == imports_.end()) continue;
    device_.synchronize();
    imports_.erase(found);
    (void)device_.memory();
  }
}

Slice<std::byte> PeerMemory::window(int rank) {
  return rank == rank_ ? window_ : windows_[static_cast<std::size_t>(rank)];
}

Slice<std::byte> PeerMemory::operand(int rank, const Place& place) {
  const std::pair key{rank, place.allocation};
  auto found = imports_.find(key);
  if (found == imports_.end()) found = imports_.emplace(key, import(device_, place.about)).first;
  return Slice<std::byte>(found->second).slice(place.offset);
}

}  // namespace quern::comm::ipc
