// Host memory of other libraries, and memory files that several processes map.
#include "driver/interface/interop.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/round_up.hpp"
#include "base/text.hpp"
#include "driver/cpu/device.hpp"
#include "driver/cpu/messages.hpp"

namespace quern::cpu {

namespace {

using base::Error;
using base::ErrorKind;
using driver::Result;
using driver::ShareKind;

class AdoptedBuffer final : public driver::Buffer {
 public:
  driver::KeepAlive keep_alive;
};

// A mapping of a memory file.
class MappedBuffer final : public driver::Buffer {
 public:
  ~MappedBuffer() override {
    if (host != nullptr) (void)::munmap(host, allocation_bytes);
  }
  driver::SharedMemory file;  // its descriptor is this process's own
  uint64_t allocation_bytes = 0;
};

Error system_error(const std::string& what) {
  const int code = errno;
  const bool is_full = code == ENOMEM || code == ENOSPC || code == EMFILE || code == ENFILE;
  return Error(is_full ? ErrorKind::out_of_memory : ErrorKind::io,
               message::kSystemCall(what, std::strerror(code)));
}

Result<std::unique_ptr<driver::Buffer>> map(driver::SharedMemory file) {
  auto buffer = std::make_unique<MappedBuffer>();
  const auto& about = file.description();
  void* const memory =
      ::mmap(nullptr, about.allocation_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  if (memory == MAP_FAILED)
    return system_error("mapping " + base::format_bytes(about.allocation_bytes) + " of shared memory");
  buffer->host = static_cast<std::byte*>(memory);
  buffer->address = reinterpret_cast<uint64_t>(memory);
  buffer->bytes = about.bytes;
  buffer->kind = driver::MemoryKind::shared;
  buffer->allocation_bytes = about.allocation_bytes;
  buffer->file = std::move(file);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

}  // namespace

Result<driver::AnyBuffer> CpuDevice::native_buffer(driver::Place place) {
  return driver::AnyBuffer(interop::host::Buffer{place.buffer->host + place.offset});
}

Result<std::unique_ptr<driver::Buffer>> CpuDevice::adopt_buffer(const driver::AnyBuffer& handle,
                                                                uint64_t bytes,
                                                                driver::KeepAlive keep_alive) {
  const auto* const memory = std::get_if<interop::host::Buffer>(&handle);
  if (memory == nullptr) return driver::wrong_api("adopting memory", "host");
  if (memory->pointer == nullptr) return Error(ErrorKind::invalid_use, message::kAdoptNull());
  auto buffer = std::make_unique<AdoptedBuffer>();
  buffer->host = static_cast<std::byte*>(memory->pointer);
  buffer->address = reinterpret_cast<uint64_t>(memory->pointer);
  buffer->bytes = bytes;
  buffer->kind = driver::MemoryKind::shared;
  buffer->keep_alive = std::move(keep_alive);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

Result<std::unique_ptr<driver::Buffer>> CpuDevice::allocate_shared(uint64_t bytes, ShareKind kind) {
  if (kind != ShareKind::automatic && kind != ShareKind::memfd)
    return driver::wrong_share_kind(kind, "memfd");
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  driver::SharedMemory::Description about;
  about.kind = ShareKind::memfd;
  about.bytes = bytes;
  about.allocation_bytes = base::round_up(bytes, page);
  driver::SharedMemory file(about, ::memfd_create("quern", MFD_CLOEXEC));
  if (file.descriptor() < 0) return system_error("creating a memory file");
  if (::ftruncate(file.descriptor(), static_cast<off_t>(about.allocation_bytes)) != 0)
    return system_error("resizing a memory file to " + base::format_bytes(about.allocation_bytes));
  return map(std::move(file));
}

Result<driver::SharedMemory> CpuDevice::export_memory(driver::Buffer& buffer) {
  auto* const mapped = dynamic_cast<MappedBuffer*>(&buffer);
  if (mapped == nullptr) return Interop::export_memory(buffer);
  driver::SharedMemory copy(mapped->file.description(),
                            ::fcntl(mapped->file.descriptor(), F_DUPFD_CLOEXEC, 0));
  if (copy.descriptor() < 0) return system_error("duplicating a file descriptor");
  return copy;
}

// A shorter file would end the process by a signal when a kernel reads beyond its end.
Result<std::unique_ptr<driver::Buffer>> CpuDevice::import_memory(const driver::SharedMemory& memory) {
  const auto& about = memory.description();
  if (about.kind != ShareKind::memfd) return driver::wrong_share_kind(about.kind, "memfd");
  struct stat file {};
  if (::fstat(memory.descriptor(), &file) != 0) return system_error("reading the size of shared memory");
  if (file.st_size < 0 || static_cast<uint64_t>(file.st_size) < about.allocation_bytes)
    return Error(ErrorKind::bad_input,
                 message::kImportSize(std::to_string(file.st_size), std::to_string(about.allocation_bytes)));
  driver::SharedMemory own(about, ::fcntl(memory.descriptor(), F_DUPFD_CLOEXEC, 0));
  if (own.descriptor() < 0) return system_error("duplicating a file descriptor");
  return map(std::move(own));
}

}  // namespace quern::cpu
