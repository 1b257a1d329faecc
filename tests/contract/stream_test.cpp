// Streams, events, timestamps, host callbacks and threads.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/ticks.hpp"
#include "contract/contract.hpp"
#include "support/runtime_case.hpp"

namespace quern::contract {
namespace {

QUERN_KERNEL(contract_advance, (int* values, int n, int by), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += by;
})

uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

class StreamContract : public Contract {
 protected:
  Result<> advance(driver::Stream& stream, driver::Kernel& kernel, driver::Buffer& values, int by) {
    const int n = static_cast<int>(values.bytes / 4);
    const auto blocks = static_cast<uint32_t>((n + 31) / 32);
    return launch(stream, kernel, {blocks, 1, 1}, {32, 1, 1}, {place_of(values), value_of(n), value_of(by)});
  }
};
QUERN_CONTRACT(StreamContract);

TEST_P(StreamContract, SynchronizesAnEmptyStream) {
  const StreamPtr s = stream();
  EXPECT_OK(device().synchronize(*s));
  EXPECT_OK(device().synchronize(*s));
  EXPECT_EQ(device().take_output(*s), "");
  EXPECT_TRUE(device().take_findings(*s).empty());
}

TEST_P(StreamContract, PrioritiesAreHints) {
  for (const int priority : {-100, 0, 100}) {
    auto made = device().create_stream({.priority = priority});
    ASSERT_OK(made);
    const BufferPtr b = buffer_with(**made, std::vector<int>{priority});
    EXPECT_EQ(contents<int>(**made, *b).front(), priority);
  }
}

TEST_P(StreamContract, MixesCopiesAndKernelsInOrder) {
  driver::Kernel* const k = kernel(contract_advance.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr a = buffer(400);
  const BufferPtr b = buffer(400);
  ASSERT_OK(device().fill(*s, {a.get(), 0}, 1, 4, 400));
  for (int i = 0; i < 10; ++i) {
    ASSERT_OK(advance(*s, *k, *a, 1));
    ASSERT_OK(device().copy(*s, {b.get(), 0}, {a.get(), 0}, 400));
    ASSERT_OK(advance(*s, *k, *b, 10));
    ASSERT_OK(device().copy(*s, {a.get(), 0}, {b.get(), 0}, 400));
  }
  EXPECT_EQ(contents<int>(*s, *a), std::vector<int>(100, 111));
}

TEST_P(StreamContract, EventsOrderStreams) {
  driver::Kernel* const k = kernel(contract_advance.text());
  if (k == nullptr) return;
  const StreamPtr first = stream();
  const StreamPtr second = stream();
  const BufferPtr values = buffer_with(*first, std::vector<int>(1000, 0));
  const EventPtr e = event();
  for (int i = 0; i < 10; ++i) {  // each waits for the other
    ASSERT_OK(advance(*first, *k, *values, 1));
    ASSERT_OK(device().record(*first, *e));
    ASSERT_OK(device().wait(*second, *e));
    ASSERT_OK(advance(*second, *k, *values, 100));
    ASSERT_OK(device().record(*second, *e));
    ASSERT_OK(device().wait(*first, *e));
  }
  EXPECT_EQ(contents<int>(*first, *values), std::vector<int>(1000, 1010));
  EXPECT_OK(device().synchronize(*second));
}

TEST_P(StreamContract, UnrecordedEventsAreReached) {
  const EventPtr e = event();
  const StreamPtr s = stream();
  EXPECT_TRUE(device().reached(*e).value_or(false));
  EXPECT_OK(device().wait(*e));
  EXPECT_OK(device().wait(*s, *e));
  EXPECT_OK(device().synchronize(*s));
}

TEST_P(StreamContract, EventsAreReachedAfterTheWorkBeforeThem) {
  driver::Kernel* const k = kernel(contract_advance.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr values = buffer_with(*s, std::vector<int>(1000, 0));
  const EventPtr e = event();
  std::vector<int> result(1000);
  for (int i = 1; i <= 5; ++i) {  // a later record replaces an earlier one
    ASSERT_OK(advance(*s, *k, *values, 1));
    ASSERT_OK(device().download(*s, result.data(), {values.get(), 0}, 4000));
    ASSERT_OK(device().record(*s, *e));
    ASSERT_OK(device().wait(*e));
    EXPECT_TRUE(device().reached(*e).value_or(false));
    EXPECT_EQ(result, std::vector<int>(1000, i));
  }
}

TEST_P(StreamContract, PollingEndsWithoutWaiting) {
  driver::Kernel* const k = kernel(contract_advance.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr values = buffer_with(*s, std::vector<int>(1000, 0));
  const EventPtr e = event();
  ASSERT_OK(advance(*s, *k, *values, 1));
  ASSERT_OK(device().record(*s, *e));
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (;;) {
    const auto is_reached = device().reached(*e);
    ASSERT_OK(is_reached);
    if (*is_reached) break;
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << "the event is never reached unless someone waits";
    std::this_thread::yield();
  }
  EXPECT_OK(device().synchronize(*s));
}

TEST_P(StreamContract, EventsMayBeDestroyedAtAnyTime) {
  driver::Kernel* const k = kernel(contract_advance.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const StreamPtr other = stream();
  const BufferPtr values = buffer_with(*s, std::vector<int>(1000, 0));
  for (int i = 0; i < 10; ++i) {
    EventPtr e = event();
    ASSERT_OK(advance(*s, *k, *values, 1));
    ASSERT_OK(device().record(*s, *e));
    ASSERT_OK(device().wait(*other, *e));
    device().destroy(std::move(e));
  }
  ASSERT_OK(device().synchronize(*other));
  EXPECT_EQ(contents<int>(*s, *values), std::vector<int>(1000, 10));
}

TEST_P(StreamContract, EventsMayOutliveTheirStream) {
  const EventPtr e = event();
  {
    StreamPtr s = stream();
    ASSERT_OK(device().record(*s, *e));
    ASSERT_OK(device().synchronize(*s));
    device().destroy(std::move(s));
  }
  EXPECT_TRUE(device().reached(*e).value_or(false));
  EXPECT_OK(device().wait(*e));
  const StreamPtr s = stream();
  EXPECT_OK(device().wait(*s, *e));
  EXPECT_OK(device().record(*s, *e));
  EXPECT_OK(device().wait(*e));
}

TEST_P(StreamContract, TimesAreOfTheSteadyClock) {
  const StreamPtr s = stream();
  const EventPtr first = event();
  const EventPtr second = event();
  const BufferPtr b = buffer(1 << 16);
  const uint64_t begin = now();
  ASSERT_OK(device().record(*s, *first));
  ASSERT_OK(device().fill(*s, {b.get(), 0}, 3, 4, b->bytes));
  ASSERT_OK(device().record(*s, *second));
  ASSERT_OK(device().wait(*second));
  const uint64_t end = now();
  const auto t1 = device().time(*first);
  const auto t2 = device().time(*second);
  if (!has(Feature::timestamps)) {
    EXPECT_EQ(kind_of(t1), ErrorKind::unsupported);
    GTEST_SKIP() << info().id() << " has no " << driver::meaning(Feature::timestamps);
  }
  ASSERT_OK(t1);
  ASSERT_OK(t2);
  constexpr uint64_t kSlack = 2'000'000;  // of clocks that are aligned by measuring, in nanoseconds
  EXPECT_LE(*t1, *t2);
  EXPECT_GE(*t1 + kSlack, begin);
  EXPECT_LE(*t2, end + kSlack);
}

TEST_P(StreamContract, StampsEncloseTheirCommand) {
  auto raw = open_device(GetParam());  // decorators pass no stamps on
  ASSERT_OK(raw);
  driver::Device& d = **raw;
  if (!d.takes_stamps()) GTEST_SKIP() << info().id() << " fills no stamps";
  auto s = d.create_stream({});
  auto b = d.allocate(64, MemoryKind::device);
  ASSERT_OK(s);
  ASSERT_OK(b);
  driver::Stamp stamp;
  const uint64_t before = base::ticks();
  (*s)->stamp = &stamp;
  ASSERT_OK(d.fill(**s, {b->get(), 0}, 3, 4, 64));
  EXPECT_EQ((*s)->stamp, nullptr) << "the command took the stamp";
  ASSERT_OK(d.synchronize(**s));
  EXPECT_GE(stamp.begin.load(), before);
  EXPECT_GE(stamp.end.load(), stamp.begin.load());
  EXPECT_LE(stamp.end.load(), base::ticks());
}

TEST_P(StreamContract, CallbacksRunAfterTheWorkBeforeThem) {
  driver::Kernel* const k = kernel(contract_advance.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr values = buffer_with(*s, std::vector<int>(1000, 0));
  std::vector<int> copy(1000);
  std::mutex mutex;
  std::vector<int> seen;
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK(advance(*s, *k, *values, 1));
    ASSERT_OK(device().download(*s, copy.data(), {values.get(), 0}, 4000));
    ASSERT_OK(device().call(*s, [&] {
      const std::lock_guard lock(mutex);
      seen.push_back(copy[999]);
    }));
    ASSERT_OK(device().synchronize(*s));  // the next download would overwrite `copy`
    const std::lock_guard lock(mutex);
    ASSERT_EQ(seen.size(), static_cast<size_t>(i + 1)) << "synchronize returned before the callback ran";
  }
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4}));
}

TEST_P(StreamContract, CallbacksRunInOrder) {
  const StreamPtr s = stream();
  std::mutex mutex;
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK(device().call(*s, [&, i] {
      const std::lock_guard lock(mutex);
      order.push_back(i);
    }));
  }
  ASSERT_OK(device().synchronize(*s));
  ASSERT_EQ(order.size(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST_P(StreamContract, CallbacksAreReleased) {
  const StreamPtr s = stream();
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  ASSERT_OK(device().call(*s, [held = std::move(held)] {}));
  ASSERT_OK(device().synchronize(*s));
  // A driver may release it on its own thread.
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!watch.expired() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  EXPECT_TRUE(watch.expired());
}

TEST_P(StreamContract, ManyThreadsUseTheirOwnStreams) {
  driver::Kernel* const k = kernel(contract_advance.text());
  if (k == nullptr) return;
  std::vector<std::thread> threads;
  std::vector<int> results(4, -1);
  std::mutex mutex;
  std::vector<std::string> errors;
  const auto work = [&](int id) -> Result<> {
    QUERN_TRY_ASSIGN(auto s, device().create_stream({}));
    QUERN_TRY_ASSIGN(auto b, device().allocate(400, MemoryKind::device));
    QUERN_TRY_ASSIGN(auto e, device().create_event());
    QUERN_TRY(device().fill(*s, {b.get(), 0}, 0, 4, 400));
    for (int i = 0; i < 20; ++i) {
      QUERN_TRY(advance(*s, *k, *b, id));
      QUERN_TRY(device().record(*s, *e));
      if (i % 5 == 0) QUERN_TRY(device().wait(*e));
    }
    std::vector<int> values(100);
    QUERN_TRY(device().download(*s, values.data(), {b.get(), 0}, 400));
    QUERN_TRY(device().synchronize(*s));
    const std::lock_guard lock(mutex);
    results[static_cast<size_t>(id)] = values == std::vector<int>(100, 20 * id) ? id : -2;
    return {};
  };
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&, id] {
      const Result<> done = work(id);
      const std::lock_guard lock(mutex);
      if (!done.ok()) errors.push_back(done.error().to_string());
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_TRUE(errors.empty()) << errors.front();
  EXPECT_EQ(results, (std::vector<int>{0, 1, 2, 3}));
}

TEST_P(StreamContract, OneEventServesManyThreads) { EXPECT_OK(runtime::record_anew(device())); }

}  // namespace
}  // namespace quern::contract
