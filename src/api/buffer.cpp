#include "quern/buffer.hpp"

#include <cstring>

#include "api/messages.hpp"
#include "api/state.hpp"
#include "base/text.hpp"

namespace quern::detail {

namespace {

runtime::Stream& stream_of(const Bytes& b) {
  if (b.memory == nullptr) {
    raise(base::Error(base::ErrorKind::invalid_use, detail::message::kEmptyBuffer()));
  }
  return range(b).memory->device().default_stream();
}

void check_size(const char* doing, std::uint64_t bytes, const Bytes& place, std::size_t element) {
  if (bytes <= place.size) return;
  raise(base::Error(base::ErrorKind::invalid_use,
                    detail::message::kElementCount(doing, std::to_string(bytes / element),
                                                   std::to_string(place.size / element))));
}

}  // namespace

void OwnedMemory::release(runtime::Memory* memory) noexcept { (void)runtime::MemoryPtr(memory); }

runtime::Slice range(const Bytes& b) {
  if (!runtime::MemoryNumbers::is_alive(b.number)) {
    raise(base::Error(base::ErrorKind::invalid_use, detail::message::kDanglingSlice()));
  }
  return {b.memory, b.offset, b.size};
}

void upload(const Bytes& to, const void* from, std::uint64_t bytes, std::size_t element) {
  if (bytes == 0) return;
  runtime::Stream& stream = stream_of(to);
  check_size("upload", bytes, to, element);
  unwrap(stream.upload(range(to), from, bytes), &stream.device());
  unwrap(stream.synchronize(), &stream.device());
}

void download(void* to, const Bytes& from, std::uint64_t bytes, std::size_t element) {
  if (bytes == 0) return;
  runtime::Stream& stream = stream_of(from);
  check_size("download", bytes, from, element);
  unwrap(stream.download(to, range(from), bytes), &stream.device());
  unwrap(stream.synchronize(), &stream.device());
}

void fill(const Bytes& to, const void* value, std::size_t element) {
  runtime::Stream& stream = stream_of(to);
  if (to.size == 0) return;
  if (element == 1 || element == 2 || element == 4 || element == 8) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, value, element);
    unwrap(stream.fill(range(to), bits, static_cast<std::uint32_t>(element)), &stream.device());
    unwrap(stream.synchronize(), &stream.device());
    return;
  }
  std::vector<std::byte> all(to.size);
  for (std::uint64_t i = 0; i + element <= to.size; i += element) std::memcpy(all.data() + i, value, element);
  upload(to, all.data(), to.size, element);
}

void copy(const Bytes& to, const Bytes& from) {
  runtime::Stream& stream = stream_of(to);
  unwrap(stream.copy(range(to), range(from)), &stream.device());
  unwrap(stream.synchronize(), &stream.device());
}

Bytes slice(const Bytes& of, std::uint64_t first, std::uint64_t count, std::size_t element) {
  const std::uint64_t size = of.size / element;
  if (count > UINT64_MAX - first) {
    raise(base::Error(
        base::ErrorKind::invalid_use,
        detail::message::kSliceExceeds(std::to_string(count), std::to_string(first), std::to_string(size))));
  }
  if (first > size || count > size - first) {
    raise(base::Error(
        base::ErrorKind::invalid_use,
        detail::message::kSliceOutside(std::to_string(first),
                                       std::to_string(static_cast<unsigned long long>(first) + count),
                                       std::to_string(size))));
  }
  return {of.memory, of.offset + first * element, count * element, of.number};
}

std::byte* host_pointer(const Bytes& of) {
  const runtime::Memory* const memory = range(of).memory;
  if (memory == nullptr || memory->host() == nullptr) return nullptr;
  return memory->host() + of.offset;
}

}  // namespace quern::detail
