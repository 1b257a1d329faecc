// The transport over NCCL or RCCL. Communicators are nonblocking, so that a rank that died cannot block the
// others: each wait has a time limit, after which the communicator is aborted.
#include <algorithm>
#include <array>
#include <exception>
#include <optional>

#include "comm/failure.hpp"
#include "comm/mpi/nccl/api.hpp"
#include "comm/mpi/transport.hpp"
#include "comm/staging.hpp"
#include "quern/interop.hpp"

namespace quern::comm {

namespace {

using detail::Call;
using detail::Kind;
using nccl::Api;

std::optional<int> type_of(Element element) {
  switch (element) {
    case Element::f64: return nccl::kFloat64;
    case Element::f32: return nccl::kFloat32;
    case Element::f16: return nccl::kFloat16;
    case Element::bf16: return nccl::kBfloat16;
    case Element::i64: return nccl::kInt64;
    case Element::i32: return nccl::kInt32;
    case Element::i8: return nccl::kInt8;
    case Element::u64: return nccl::kUint64;
    case Element::u32: return nccl::kUint32;
    case Element::u8: return nccl::kUint8;
    case Element::i16:
    case Element::u16:
    case Element::c64:
    case Element::c128:
    case Element::e4m3:
    case Element::e5m2: break;
  }
  return std::nullopt;
}

bool is_floating(Element element) {
  return element == Element::f64 || element == Element::f32 || element == Element::f16 ||
         element == Element::bf16;
}

int reduction_of(Combine combine) {
  switch (combine) {
    case Combine::sum: return nccl::kSum;
    case Combine::product: return nccl::kProd;
    case Combine::min: return nccl::kMin;
    case Combine::max: break;
  }
  return nccl::kMax;
}

nccl::StreamHandle handle_of(const Stream& stream, const std::string& driver) {
  if (driver == "hip") return interop::get<interop::hip::Stream>(stream).stream;
  return interop::get<interop::cuda::Stream>(stream).stream;
}

// Null if it is empty.
void* address_of(const quern::detail::Bytes& bytes) {
  if (bytes.size == 0) return nullptr;
  return reinterpret_cast<void*>(
      interop::device_address(bytes_of(bytes)));  // NOLINT(performance-no-int-to-ptr)
}

class Nccl final : public TransportBackend {
 public:
  Nccl(const Api& api, const Link& link, const Device& device)
      : api_(api),
        rank_(link.rank()),
        size_(link.size()),
        stream_(device.create_stream()),
        native_(handle_of(stream_, device.driver())) {}
  ~Nccl() override;

  void connect(const nccl::UniqueId& id, const Deadline& deadline);

  Transport transport() const override { return Transport::nccl; }
  bool supports(const Operation& operation) const override;
  void run(const Operation& operation, const Deadline& deadline) override;

 private:
  void check(const char* operation, const char* function, int code);
  void wait(const char* operation, const char* function, const Deadline& deadline);
  void wait_for_stream(const char* operation, const Deadline& deadline);
  void begin(const Operation& operation);
  void begin_exchange(const Operation& operation);
  void begin_pair(const Operation& operation);
  void check_group(const char* operation, int code, const char* function);
  void abort();

  const Api& api_;
  const int rank_, size_;
  const Stream stream_;
  nccl::StreamHandle const native_;
  nccl::Handle handle_ = nullptr;
};

Nccl::~Nccl() {
  if (handle_ == nullptr) return;
  // Other ranks may have left without taking part.
  const Deadline deadline(std::chrono::milliseconds(500));
  try {
    check("mpi", "ncclCommFinalize", api_.finalize(handle_));
    wait("mpi", "ncclCommFinalize", deadline);
    (void)api_.destroy(handle_);
  } catch (...) {
    abort();
  }
}

void Nccl::abort() {
  if (handle_ != nullptr) (void)api_.abort(handle_);
  handle_ = nullptr;
}

// Results of a call. A nonblocking call may still be in progress.
void Nccl::check(const char* operation, const char* function, int code) {
  if (code == nccl::kSuccess || code == nccl::kInProgress) return;
  abort();
  const char* const text = api_.error_text != nullptr ? api_.error_text(code) : "an error";
  fail(ErrorKind::io, message::kNcclError(operation, function, text, std::to_string(code)));
}

// Until the call is no longer in progress.
void Nccl::wait(const char* operation, const char* function, const Deadline& deadline) {
  for (Backoff backoff;; backoff.pause()) {
    int state = nccl::kSuccess;
    check(operation, "ncclCommGetAsyncError", api_.async_error(handle_, &state));
    if (state == nccl::kSuccess) return;
    check(operation, function, state);
    if (!deadline.has_passed()) continue;
    abort();
    fail(ErrorKind::timeout, message::kTimeout(operation, "another rank", deadline.seconds()));
  }
}

// Errors of other ranks become visible while the stream does not advance.
void Nccl::wait_for_stream(const char* operation, const Deadline& deadline) {
  const Event done = stream_.record();
  for (Backoff backoff; !done.reached(); backoff.pause()) {
    int state = nccl::kSuccess;
    check(operation, "ncclCommGetAsyncError", api_.async_error(handle_, &state));
    check(operation, "ncclCommGetAsyncError", state);
    if (!deadline.has_passed()) continue;
    abort();
    fail(ErrorKind::timeout, message::kTimeout(operation, "another rank", deadline.seconds()));
  }
  done.wait();  // throws errors of the device
}

void Nccl::connect(const nccl::UniqueId& id, const Deadline& deadline) {
  (void)stream_.record();  // makes the device's context current on this thread
  nccl::Config config;
  check("mpi", "ncclCommInitRankConfig", api_.initialize(&handle_, size_, id, rank_, &config));
  wait("mpi", "ncclCommInitRankConfig", deadline);
}

// The library has no 16-bit integers, and does not define minima and maxima of NaN.
bool Nccl::supports(const Operation& operation) const {
  if (!is_combining(operation.kind())) return true;
  const Combine combine = operation.call.combine;
  const bool is_extreme = combine == Combine::min || combine == Combine::max;
  return type_of(*operation.call.element) && !(is_extreme && is_floating(*operation.call.element));
}

void Nccl::run(const Operation& operation, const Deadline& deadline) {
  const char* const name = name_of(operation.kind());
  if (is_collective(operation.kind()) && operation.count == 0) return;
  if (handle_ == nullptr) fail(ErrorKind::io, message::kSomeRankFailed(name));
  (void)stream_.record();  // as in connect()
  begin(operation);
  wait(name, name, deadline);
  wait_for_stream(name, deadline);
}

void Nccl::begin(const Operation& operation) {
  const Call& call = operation.call;
  const char* const name = name_of(call.kind);
  if (call.kind == Kind::all_to_all) return begin_exchange(operation);
  if (!is_collective(call.kind)) return begin_pair(operation);
  void *const in = address_of(call.in.bytes), *const out = address_of(call.out.bytes);
  const std::size_t count = operation.count, bytes = operation.piece_bytes();
  const int type = call.element ? type_of(*call.element).value_or(nccl::kInt8) : nccl::kInt8;
  const int reduction = reduction_of(call.combine);
  switch (call.kind) {
    case Kind::broadcast:
      return check(name, "ncclBroadcast",
                   api_.broadcast(in, out, bytes, nccl::kInt8, call.peer, handle_, native_));
    case Kind::all_gather:
      return check(name, "ncclAllGather", api_.all_gather(in, out, bytes, nccl::kInt8, handle_, native_));
    case Kind::reduce:
      return check(name, "ncclReduce",
                   api_.reduce(in, out, count, type, reduction, call.peer, handle_, native_));
    case Kind::all_reduce:
      return check(name, "ncclAllReduce", api_.all_reduce(in, out, count, type, reduction, handle_, native_));
    case Kind::reduce_scatter:
      return check(name, "ncclReduceScatter",
                   api_.reduce_scatter(in, out, count, type, reduction, handle_, native_));
    case Kind::all_to_all:
    case Kind::barrier:
    case Kind::send:
    case Kind::receive:
    case Kind::send_receive: return;
  }
}

// A call between group_start and group_end: the group must be ended in any case.
void Nccl::check_group(const char* operation, int code, const char* function) {
  if (code != nccl::kSuccess && code != nccl::kInProgress) (void)api_.group_end();
  check(operation, function, code);
}

void Nccl::begin_exchange(const Operation& operation) {
  const char* const name = name_of(operation.kind());
  const std::size_t bytes = operation.piece_bytes();
  check(name, "ncclGroupStart", api_.group_start());
  for (int i = 0; i < size_; ++i) {
    void* const in = address_of(operation.piece(operation.call.in, i));
    void* const out = address_of(operation.piece(operation.call.out, i));
    check_group(name, api_.send(in, bytes, nccl::kInt8, i, handle_, native_), "ncclSend");
    check_group(name, api_.receive(out, bytes, nccl::kInt8, i, handle_, native_), "ncclRecv");
  }
  check(name, "ncclGroupEnd", api_.group_end());
}

void Nccl::begin_pair(const Operation& operation) {
  const Call& call = operation.call;
  const char* const name = name_of(call.kind);
  const int from = call.kind == Kind::receive ? call.peer : call.source;
  check(name, "ncclGroupStart", api_.group_start());
  if (call.kind != Kind::receive)
    check_group(
        name,
        api_.send(address_of(call.in.bytes), call.in.bytes.size, nccl::kInt8, call.peer, handle_, native_),
        "ncclSend");
  if (call.kind != Kind::send)
    check_group(
        name,
        api_.receive(address_of(call.out.bytes), call.out.bytes.size, nccl::kInt8, from, handle_, native_),
        "ncclRecv");
  check(name, "ncclGroupEnd", api_.group_end());
}

// The GPU of a rank, to detect ranks that share one.
struct Hardware {
  std::array<char, 64> id{};
  std::array<char, 16> driver{};
  int version = 0;
};

template <std::size_t size>
void put(std::array<char, size>& to, const std::string& text) {
  std::copy_n(text.data(), std::min(text.size(), size - 1), to.data());
}

std::string why_not_together(const std::vector<Hardware>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].driver != all[0].driver) return message::kTransportOtherDrivers(std::to_string(i)).text;
    if (all[i].version != all[0].version)
      return message::kNcclVersions(std::to_string(all[0].version), std::to_string(i),
                                    std::to_string(all[i].version))
          .text;
    for (std::size_t j = 0; j < i; ++j) {
      if (all[i].id[0] != '\0' && all[i].id == all[j].id)
        return message::kNcclSameGpu(std::to_string(j), std::to_string(i)).text;
    }
  }
  return {};
}

}  // namespace

Setup set_up_nccl(Link& link, const Device& device, const Options& options) {
  const Deadline deadline(options.timeout);
  const std::string driver = device.driver();
  std::string why;
  const Api* const api = driver == "cuda" || driver == "hip" ? nccl::load(driver, why) : nullptr;
  if (api == nullptr && why.empty()) why = message::kTransportDriver(driver).text;
  Hardware own;
  put(own.id, device.info().uuid);
  put(own.driver, driver);
  if (api != nullptr && api->version(&own.version) != nccl::kSuccess)
    why = message::kNcclError("mpi", "ncclGetVersion", "an error", "1").text;
  std::string reason = first_reason(link, why, deadline);
  if (reason.empty()) reason = why_not_together(link.gather("mpi", own, deadline));
  if (!reason.empty()) return {{}, reason};

  nccl::UniqueId id;
  const int code = link.rank() == 0 ? api->unique_id(&id) : nccl::kSuccess;
  if (code != nccl::kSuccess)
    why = message::kNcclError("mpi", "ncclGetUniqueId", "an error", std::to_string(code)).text;
  id = link.gather("mpi", id, deadline).front();
  reason = first_reason(link, why, deadline);
  if (!reason.empty()) return {{}, reason};
  auto backend = std::make_unique<Nccl>(*api, link, device);
  try {
    backend->connect(id, Deadline(options.timeout / 2));  // then the ranks still agree on the failure
  } catch (...) {
    why = current_reason();
  }
  reason = first_reason(link, why, deadline);
  if (!reason.empty()) return {{}, reason};
  return {std::move(backend), {}};
}

}  // namespace quern::comm
