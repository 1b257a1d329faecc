// A key-value store on a device: one actor, a table in its buffer, and several host threads that put, get and
// erase concurrently. Every reply is compared with a std::unordered_map.
//
//   example_store [DEVICE] [OPERATIONS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <thread>
#include <unordered_map>

#include "quern/quern.hpp"
#include "quern/ring.hpp"

namespace {

#ifdef QUERN_SOURCE_DIR
constexpr const char* kSource = QUERN_SOURCE_DIR "/examples/ring/store.cu";
#else
constexpr const char* kSource = "store.cu";  // in the current folder
#endif

constexpr std::size_t kPlaces = 1 << 16, kEntryBytes = 16;
constexpr unsigned kThreads = 4, kUnderWay = 16;

enum class What : unsigned { kGet, kPut, kErase };
struct State {
  unsigned count;
};
struct Message {
  What what;
  unsigned key;
  unsigned long long value;
};
struct Reply {
  unsigned long long value;
  unsigned was_there;
};
using Store = quern::ring::Handle<State, Message, Reply>;

// The results of one host thread. Threads use different keys, so that every reply is predictable.
struct Seen {
  std::size_t operations = 0, hits = 0, wrong = 0, left = 0;
};

class Client {
 public:
  Client(Store store, unsigned number) : store_(std::move(store)), number_(number), random_(number + 1) {}

  Seen run(std::size_t operations) {
    for (std::size_t i = 0; i < operations; ++i) {
      ask();
      while (under_way_.size() >= kUnderWay) answer();
    }
    while (!under_way_.empty()) answer();
    seen_.left = map_.size();
    return seen_;
  }

 private:
  struct Asked {
    quern::ring::Future<Reply> reply;
    bool was_there;
    unsigned long long value;
  };

  void ask() {
    const unsigned dice = static_cast<unsigned>(random_() % 10);
    Message m{dice < 5   ? What::kGet
              : dice < 9 ? What::kPut
                         : What::kErase,
              static_cast<unsigned>(random_() % 4000) * kThreads + number_, random_()};
    const auto found = map_.find(m.key);
    const bool is_there = found != map_.end();
    under_way_.push_back({store_.call(m), is_there, is_there ? found->second : 0});
    if (m.what == What::kPut) map_[m.key] = m.value;
    if (m.what == What::kErase) map_.erase(m.key);
  }

  void answer() {
    Asked asked = std::move(under_way_.front());
    under_way_.pop_front();
    const Reply reply = asked.reply.get();
    seen_.operations += 1;
    seen_.hits += reply.was_there;
    const bool is_right = (reply.was_there != 0) == asked.was_there && reply.value == asked.value;
    seen_.wrong += is_right ? 0 : 1;
  }

  Store store_;
  unsigned number_;
  std::mt19937_64 random_;
  std::unordered_map<unsigned, unsigned long long> map_;
  std::deque<Asked> under_way_;
  Seen seen_;
};

int run(const std::string& where, std::size_t operations) {
  const quern::Device device = quern::open(where);
  auto table = device.allocate<std::byte>(kPlaces * kEntryBytes);
  table.fill(std::byte{0});
  quern::ring::Options options;
  options.buffers = {table};
  const Store store = quern::ring::spawn_file(device, kSource, options).as<State, Message, Reply>();
  std::vector<Seen> seen(kThreads);
  std::vector<std::thread> threads;
  const auto start = std::chrono::steady_clock::now();
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] { seen[t] = Client(store, t).run(operations / kThreads); });
  for (std::thread& t : threads) t.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Seen all;
  for (const Seen& s : seen) {
    all.operations += s.operations;
    all.hits += s.hits;
    all.wrong += s.wrong;
    all.left += s.left;
  }
  const unsigned count = store.state().count;
  std::printf(
      "%s (%s), %s engine: %zu operations of %u threads in %.2f s, %.3g per second, %zu found their key\n",
      device.name().c_str(), device.driver().c_str(), quern::ring::to_string(store.engine()), all.operations,
      kThreads, seconds, static_cast<double>(all.operations) / seconds, all.hits);
  if (all.wrong != 0 || count != all.left) {
    std::printf("%zu replies differ from std::unordered_map; it holds %zu keys and the actor %u\n", all.wrong,
                all.left, count);
    return 1;
  }
  std::printf("all replies match std::unordered_map, and both hold %u keys\n", count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const long operations = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 100'000;
    if (operations < 1 || argc > 3) {
      std::fprintf(stderr, "usage: example_store [DEVICE] [OPERATIONS]\n");
      return 2;
    }
    return run(argc > 1 ? argv[1] : "", static_cast<std::size_t>(operations));
  } catch (const quern::Error& e) {
    std::fprintf(stderr, "example_store: %s\n", e.what());
    return 3;
  }
}
