// A fake libnccl.so.2, for tests of the transport on machines without a GPU. See fake_nccl.hpp. It is a
// separate shared library and never part of Quern.
#include "comm/fake_nccl.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "comm/combine.hpp"
#include "comm/mpi/nccl/api.hpp"

namespace quern::test {
namespace {

using namespace quern::comm::nccl;  // NOLINT(google-build-using-namespace): the types of the interface

constexpr int kRanks = 8, kInvalidUsage = 5, kSystemError = 2;
constexpr uint64_t kBoxBytes = 1 << 14;

// Bytes from one rank to another: a ring buffer.
struct Box {
  std::atomic<uint64_t> written, read;
  std::array<char, kBoxBytes> bytes;
};
struct Shared {
  std::atomic<int> joined;
  std::array<std::array<Box, kRanks>, kRanks> boxes;  // [from][to]
};

struct Transfer {
  int peer = 0;
  bool is_send = false;
  char* data = nullptr;
  uint64_t left = 0;
};

struct Communicator {
  Shared* shared = nullptr;
  std::string name;
  int rank = 0, size = 0;
  bool has_joined = false;
  std::vector<Transfer> transfers;  // of the operation in progress
  std::vector<std::vector<char>> memory;
  std::function<void()> finish;

  ~Communicator() { ::munmap(shared, sizeof(Shared)); }

  void send(int to, const void* data, uint64_t bytes) {
    memory.emplace_back(static_cast<const char*>(data), static_cast<const char*>(data) + bytes);
    transfers.push_back({to, true, memory.back().data(), bytes});
  }
  void receive(int from, void* data, uint64_t bytes) {
    transfers.push_back({from, false, static_cast<char*>(data), bytes});
  }
  char* scratch(uint64_t bytes) {
    memory.emplace_back(bytes);
    return memory.back().data();
  }
  bool progress();
};

bool advance(Box& box, Transfer& t) {
  const uint64_t written = box.written.load(), read = box.read.load();
  uint64_t count = std::min(t.left, t.is_send ? kBoxBytes - (written - read) : written - read);
  for (uint64_t i = 0; i < count; ++i) {
    if (t.is_send) box.bytes[(written + i) % kBoxBytes] = t.data[i];
    if (!t.is_send) t.data[i] = box.bytes[(read + i) % kBoxBytes];
  }
  (t.is_send ? box.written : box.read).fetch_add(count);
  t.data += count;
  t.left -= count;
  return t.left == 0;
}

// Whether nothing is in progress.
bool Communicator::progress() {
  if (!has_joined) {
    has_joined = shared->joined.load() == size;
    if (!has_joined) return false;
    ::shm_unlink(name.c_str());  // the first rank that sees it
  }
  std::erase_if(transfers, [&](Transfer& t) {
    Box& box = t.is_send ? shared->boxes[static_cast<size_t>(rank)][static_cast<size_t>(t.peer)]
                         : shared->boxes[static_cast<size_t>(t.peer)][static_cast<size_t>(rank)];
    return advance(box, t);
  });
  if (!transfers.empty()) return false;
  if (finish) finish();
  finish = {};
  memory.clear();
  return true;
}

class Fake final : public FakeNccl {
 public:
  void reset() override {
    calls_.clear();
    function_.clear();
    total_ = 0;
    plans_ = fired_ = false;
  }
  void fail(const std::string& function, uint64_t nth) override {
    function_ = function;
    nth_ = nth + (function.empty() ? total_ : calls_[function]);
    plans_ = true;
    fired_ = false;
  }
  bool has_failed() const override { return fired_; }
  uint64_t count(const std::string& function) const override {
    const auto found = calls_.find(function);
    return found == calls_.end() ? 0 : found->second;
  }
  int alive() const override { return alive_; }

  int enter(const char* function) {
    const uint64_t own = calls_[function]++, all = total_++;
    const bool is_it =
        plans_ && !fired_ && (function_.empty() ? all == nth_ : function_ == function && own == nth_);
    fired_ = fired_ || is_it;
    return is_it ? kInvalidUsage : 0;
  }
  int alive_ = 0;

 private:
  std::map<std::string, uint64_t> calls_;
  std::string function_;
  uint64_t total_ = 0, nth_ = 0;
  bool plans_ = false, fired_ = false;
};

Fake& fake() {
  static Fake* const kFake = new Fake();
  return *kFake;
}

Communicator& of(Handle handle) { return *reinterpret_cast<Communicator*>(handle); }

uint64_t width_of(int type) {
  constexpr std::array<uint64_t, 10> kBytes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return kBytes[static_cast<size_t>(type)];
}

// target = combine(target, other)
void combine(char* target, const char* other, uint64_t count, int type, int reduction) {
  using E = ops::Element;
  constexpr std::array<E, 10> kElements{E::i8,  E::u8,  E::i32, E::u32, E::i64,
                                        E::u64, E::f16, E::f32, E::f64, E::bf16};
  constexpr std::array<ops::Combine, 4> kCombines{ops::Combine::sum, ops::Combine::product, ops::Combine::max,
                                                  ops::Combine::min};
  comm::with_type(kElements[static_cast<size_t>(type)], [&]<typename T>(T) {
    comm::with_combine(kCombines[static_cast<size_t>(reduction)], [&](auto function) {
      comm::combine_into<function>(reinterpret_cast<T*>(target), reinterpret_cast<const T*>(other), count);
    });
  });
}

// Receives the vectors of all ranks, and combines them in order of the ranks.
void reduce_to(Communicator& c, const void* own, void* out, uint64_t count, int type, int reduction) {
  const uint64_t bytes = count * width_of(type);
  std::vector<char*> parts;
  for (int i = 0; i < c.size; ++i) {
    parts.push_back(c.scratch(bytes));
    if (i == c.rank) std::memcpy(parts.back(), own, bytes);
    if (i != c.rank) c.receive(i, parts.back(), bytes);
  }
  c.finish = [=] {
    for (size_t i = 1; i < parts.size(); ++i) combine(parts[0], parts[i], count, type, reduction);
    std::memcpy(out, parts[0], bytes);
  };
}

// Between ncclGroupStart and ncclGroupEnd, sends and receives are only collected.
bool is_in_group = false;

}  // namespace

// Exported under the names of the library.
namespace exported {
#define X(name, symbol, parameters) [[gnu::visibility("default")]] int name parameters __asm__(symbol);
QUERN_NCCL_SYMBOLS(X)
#undef X

// clang-format off
#define FAKE(function) if (const int code = fake().enter(function); code != 0) return code;

int version(int* v) { FAKE("ncclGetVersion") *v = 22703; return 0; }
int unique_id(UniqueId* id) {
  FAKE("ncclGetUniqueId")
  static int count = 0;
  std::snprintf(id->bytes.data(), id->bytes.size(), "/fake_nccl_%d_%d", ::getpid(), count++);
  const int file = ::shm_open(id->bytes.data(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0 || ::ftruncate(file, sizeof(Shared)) != 0) return kSystemError;
  ::close(file);
  return 0;
}
int initialize(Handle* to, int size, UniqueId id, int rank, Config* config) {
  FAKE("ncclCommInitRankConfig")
  if (config->magic != 0xcafebeef || config->size != 24 || config->blocking != 0) return kInvalidUsage;
  const int file = ::shm_open(id.bytes.data(), O_RDWR, 0);
  if (file < 0) return kSystemError;
  void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  auto c = std::make_unique<Communicator>();
  c->shared = static_cast<Shared*>(memory);
  c->name = id.bytes.data();
  c->rank = rank;
  c->size = size;
  c->shared->joined.fetch_add(1);
  *to = reinterpret_cast<Handle>(c.release());
  ++fake().alive_;
  return kInProgress;
}
int async_error(Handle h, int* state) { FAKE("ncclCommGetAsyncError") *state = of(h).progress() ? kSuccess : kInProgress; return 0; }
int finalize(Handle) { FAKE("ncclCommFinalize") return kInProgress; }
int destroy(Handle h) { FAKE("ncclCommDestroy") delete &of(h); --fake().alive_; return 0; }
int abort(Handle h) { FAKE("ncclCommAbort") ::shm_unlink(of(h).name.c_str()); delete &of(h); --fake().alive_; return 0; }
int group_start() { FAKE("ncclGroupStart") is_in_group = true; return 0; }
int group_end() { FAKE("ncclGroupEnd") is_in_group = false; return kInProgress; }
int send(const void* data, size_t count, int type, int peer, Handle h, StreamHandle) {
  FAKE("ncclSend") if (!is_in_group) return kInvalidUsage; of(h).send(peer, data, count * width_of(type)); return kInProgress;
}
int receive(void* data, size_t count, int type, int peer, Handle h, StreamHandle) {
  FAKE("ncclRecv") if (!is_in_group) return kInvalidUsage; of(h).receive(peer, data, count * width_of(type)); return kInProgress;
}
int broadcast(const void* in, void* out, size_t count, int type, int root, Handle h, StreamHandle) {
  FAKE("ncclBroadcast")
  Communicator& c = of(h);
  const uint64_t bytes = count * width_of(type);
  for (int i = 0; c.rank == root && i < c.size; ++i) if (i != root) c.send(i, in, bytes);
  if (c.rank != root) c.receive(root, out, bytes);
  return kInProgress;
}
int all_gather(const void* in, void* out, size_t count, int type, Handle h, StreamHandle) {
  FAKE("ncclAllGather")
  Communicator& c = of(h);
  const uint64_t bytes = count * width_of(type);
  for (int i = 0; i < c.size; ++i) {
    char* const part = static_cast<char*>(out) + bytes * static_cast<uint64_t>(i);
    if (i == c.rank) std::memmove(part, in, bytes);
    if (i != c.rank) { c.send(i, in, bytes); c.receive(i, part, bytes); }
  }
  return kInProgress;
}
int reduce(const void* in, void* out, size_t count, int type, int reduction, int root, Handle h, StreamHandle) {
  FAKE("ncclReduce")
  Communicator& c = of(h);
  if (c.rank == root) reduce_to(c, in, out, count, type, reduction);
  if (c.rank != root) c.send(root, in, count * width_of(type));
  return kInProgress;
}
int all_reduce(const void* in, void* out, size_t count, int type, int reduction, Handle h, StreamHandle) {
  FAKE("ncclAllReduce")
  Communicator& c = of(h);
  for (int i = 0; i < c.size; ++i) if (i != c.rank) c.send(i, in, count * width_of(type));
  reduce_to(c, in, out, count, type, reduction);
  return kInProgress;
}
int reduce_scatter(const void* in, void* out, size_t count, int type, int reduction, Handle h, StreamHandle) {
  FAKE("ncclReduceScatter")
  Communicator& c = of(h);
  const uint64_t bytes = count * width_of(type);
  const auto part = [&](int i) { return static_cast<const char*>(in) + bytes * static_cast<uint64_t>(i); };
  for (int i = 0; i < c.size; ++i) if (i != c.rank) c.send(i, part(i), bytes);
  reduce_to(c, part(c.rank), out, count, type, reduction);
  return kInProgress;
}
// clang-format on

}  // namespace exported
}  // namespace quern::test

extern "C" {
[[gnu::visibility("default")]] quern::test::FakeNccl* fake_nccl() { return &quern::test::fake(); }
[[gnu::visibility("default")]] const char* ncclGetErrorString(int) { return "a planned failure"; }
}
