#include "quern/buffer.hpp"

#include <cstring>

#include "api/state.hpp"
#include "base/text.hpp"

namespace quern::detail {

namespace {

runtime::Stream& stream_of(const Bytes& b) {
  if (b.memory == nullptr) {
    raise(base::Error(base::ErrorKind::kInvalidUse,
                      "using a buffer failed: it holds no memory (never allocated, or moved from)"));
  }
  return range(b).memory->device().default_stream();
}

void check_size(const char* doing, std::uint64_t bytes, const Bytes& place, std::size_t element) {
  if (bytes <= place.size) return;
  raise(base::Error(base::ErrorKind::kInvalidUse,
                    base::format("%s failed: %llu elements given, the buffer has %llu", doing,
                                 static_cast<unsigned long long>(bytes / element),
                                 static_cast<unsigned long long>(place.size / element))));
}

}  // namespace

void OwnedMemory::release(runtime::Memory* memory) noexcept { (void)runtime::MemoryPtr(memory); }

runtime::Slice range(const Bytes& b) {
  if (!runtime::MemoryNumbers::is_alive(b.number)) {
    raise(base::Error(base::ErrorKind::kInvalidUse, "using a slice failed: its Buffer was destroyed")
              .add_hint("keep the Buffer while the Slice is used: a Slice does not own memory"));
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
        base::ErrorKind::kInvalidUse,
        base::format("slice failed: %llu elements from element %llu exceed the buffer of %llu elements",
                     static_cast<unsigned long long>(count), static_cast<unsigned long long>(first),
                     static_cast<unsigned long long>(size))));
  }
  if (first > size || count > size - first) {
    raise(base::Error(
        base::ErrorKind::kInvalidUse,
        base::format("slice failed: elements %llu to %llu are outside the buffer of %llu elements",
                     static_cast<unsigned long long>(first), static_cast<unsigned long long>(first) + count,
                     static_cast<unsigned long long>(size))));
  }
  return {of.memory, of.offset + first * element, count * element, of.number};
}

std::byte* host_pointer(const Bytes& of) {
  const runtime::Memory* const memory = range(of).memory;
  if (memory == nullptr || memory->host() == nullptr) return nullptr;
  return memory->host() + of.offset;
}

}  // namespace quern::detail
