#include "ops/vendor/native.hpp"

#include <algorithm>

#include "ops/vendor/gemm.hpp"
#include "ops/vendor/gpu_fft.hpp"
#include "quern/extension.hpp"

namespace quern::ops::vendor {

namespace {

constexpr char kKey = 0;                // its address identifies the data of this file
constexpr std::size_t kMostAreas = 16;  // streams whose temporary memory is kept

bool is_of_device(const Error& e) {
  return e.kind() == ErrorKind::device_lost || e.kind() == ErrorKind::timeout ||
         e.kind() == ErrorKind::kernel_fault;
}

}  // namespace

void* device_pointer(const detail::View& view) {
  return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr): an address of the device
      interop::device_address(Slice<std::byte>(view.bytes)));
}

void* host_pointer(const detail::View& view) {
  return interop::get<interop::host::Buffer>(Slice<std::byte>(view.bytes)).pointer;
}

void* native_stream(const Stream& stream) {
  const interop::detail::AnyStream any = interop::detail::native(stream);
  if (const auto* const hip = std::get_if<interop::hip::Stream>(&any)) return hip->stream;
  return interop::detail::pick<interop::cuda::Stream>(any).stream;
}

Libraries::Libraries() = default;
Libraries::~Libraries() = default;

std::shared_ptr<Libraries> Libraries::of(const Device& device) {
  return std::static_pointer_cast<Libraries>(
      extension::device_data(device, &kKey, [] { return std::make_shared<Libraries>(); }));
}

std::string Libraries::failure(Name library) const {
  const std::lock_guard lock(failures_mutex_);
  return failures_[static_cast<std::size_t>(library)];
}

void Libraries::note_failure(Name library, const std::string& why) {
  const std::lock_guard lock(failures_mutex_);
  failures_[static_cast<std::size_t>(library)] = why;
}

DeviceMemory Libraries::workspace(const Device& device, void* stream, std::size_t bytes) {
  if (bytes == 0) return {};
  const auto is_same = [&](const Area& a) { return a.stream == stream; };
  const auto found = std::find_if(areas_.begin(), areas_.end(), is_same);
  if (found != areas_.end()) {
    areas_.splice(areas_.begin(), areas_, found);
  } else {
    areas_.push_front({stream, {}});
    if (areas_.size() > kMostAreas) areas_.pop_back();
  }
  Buffer<std::byte>& memory = areas_.front().memory;
  if (memory.size() < bytes)
    memory = device.allocate<std::byte>(bytes, MemoryKind::device, "workspace of a vendor's library");
  detail::View view;
  view.bytes = memory.bytes();
  return {device_pointer(view), memory.size()};
}

std::optional<Receipt> attempt(const Device& device, const Choice& choice,
                               const std::function<Receipt(Libraries& libraries)>& work) {
  const std::shared_ptr<Libraries> libraries = Libraries::of(device);
  if (!choice.is_required && !libraries->failure(choice.library).empty()) return std::nullopt;
  try {
    return work(*libraries);
  } catch (const Error& e) {
    if (choice.is_required || is_of_device(e)) throw;
    libraries->note_failure(choice.library, e.message());
    return std::nullopt;
  }
}

}  // namespace quern::ops::vendor
