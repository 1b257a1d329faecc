// Shared memory over Unix-domain sockets: the description as bytes, the file descriptor as SCM_RIGHTS.
#include <cerrno>
#include <cstring>

#include <sys/socket.h>

#include "api/messages.hpp"
#include "api/state.hpp"
#include "base/text.hpp"
#include "quern/interop.hpp"

namespace quern::interop {

namespace {

using base::ErrorKind;

#if defined(__linux__)
constexpr int kSendFlags = MSG_NOSIGNAL, kReceiveFlags = MSG_CMSG_CLOEXEC;
#else
constexpr int kSendFlags = 0, kReceiveFlags = 0;  // macOS has neither
#endif

// What goes over the wire. Both ends run the same build of the library.
struct Wire {
  std::uint32_t magic = 0x514d454d;  // "QMEM"
  std::uint32_t has_descriptor = 0;
  SharedMemory::Description description;
};
static_assert(std::is_trivially_copyable_v<Wire>);

union Control {
  char bytes[CMSG_SPACE(sizeof(int))];
  cmsghdr alignment;
};

[[noreturn]] void fail(const char* what, const char* why) {
  quern::detail::raise(base::Error(ErrorKind::io, quern::detail::message::kSocketFailed(what, why)));
}

// The first byte carries the file descriptor; the rest may come in several parts.
template <typename Call>
void transfer(const char* what, std::size_t done, Wire& wire, Call&& call) {
  auto* const bytes = reinterpret_cast<char*>(&wire);
  while (done < sizeof wire) {
    const ssize_t n = call(bytes + done, sizeof wire - done);
    if (n == 0) fail(what, quern::detail::message::kClosedSocket);
    if (n < 0 && errno != EINTR) fail(what, std::strerror(errno));
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

}  // namespace

void send(int socket, const SharedMemory& memory) {
  Wire wire;
  wire.has_descriptor = memory.descriptor() >= 0 ? 1 : 0;
  wire.description = memory.description();
  iovec part{&wire, sizeof wire};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (wire.has_descriptor != 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int descriptor = memory.descriptor();
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, kSendFlags);
  } while (sent < 0 && errno == EINTR);
  if (sent <= 0) fail("sending", std::strerror(errno));
  transfer("sending", static_cast<std::size_t>(sent), wire,
           [socket](char* at, std::size_t n) { return ::send(socket, at, n, kSendFlags); });
}

SharedMemory receive(int socket) {
  Wire wire;
  iovec part{&wire, sizeof wire};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &message, kReceiveFlags);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) fail("receiving", got == 0 ? quern::detail::message::kClosedSocket : std::strerror(errno));
  int descriptor = -1;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  SharedMemory owner({}, descriptor);  // closes the descriptor if the rest does not arrive
  transfer("receiving", static_cast<std::size_t>(got), wire,
           [socket](char* at, std::size_t n) { return ::recv(socket, at, n, 0); });
  if (wire.magic != Wire().magic || (wire.has_descriptor != 0) != (descriptor >= 0))
    fail("receiving", quern::detail::message::kForeignMessage);
  return SharedMemory(wire.description, owner.release());
}

}  // namespace quern::interop
