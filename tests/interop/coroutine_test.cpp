#include "quern/coroutine.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <numeric>
#include <thread>

#include "api/api_case.hpp"

namespace quern::test {
namespace {

QUERN_KERNEL(add_to, (int n, int value, int* data), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
})
QUERN_KERNEL(spin, (int rounds, int* out), {
  unsigned x = 1;
  for (int i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  out[threadIdx.x] = (int)(x | 1u);
})
constexpr int kLong = 400'000'000;  // rounds of spin: about a second

// One thread that runs functions in order.
class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  ~Worker() {
    post({});
    thread_.join();
  }
  void post(std::function<void()> f) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(f));
    changed_.notify_one();
  }
  std::thread::id id() const { return thread_.get_id(); }
  async::Executor executor() {
    return [this](std::function<void()> f) { post(std::move(f)); };
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !queue_.empty(); });
      auto f = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      if (!f) return;
      f();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::thread thread_;
};

class Coroutines : public OnDeviceThatIsHere {
  Requirements requirements() const override { return {.kernel_text = false}; }
  void prepare() override {}
};
INSTANTIATE_TEST_SUITE_P(All, Coroutines,
                         testing::ValuesIn(each_implementation({"opencl", "opengl", "vulkan"})), device_name);

async::Task<int> sum_of(Stream stream, Slice<const int> data) {
  const std::vector<int> host = co_await async::download(stream, data);
  co_return std::accumulate(host.begin(), host.end(), 0);
}

TEST_P(Coroutines, AwaitDownloads) {
  auto data = device.upload(std::vector<int>(100, 1));
  device.launch(add_to, threads(100), 100, 2, data);
  EXPECT_EQ(sum_of(device.stream(), data).get(), 300);
}

async::Task<> run_three_times(Stream stream, Graph graph) {
  for (int i = 0; i < 3; ++i) co_await async::run(stream, graph);
}

async::Task<int> run_and_sum(Stream stream, Graph graph, Slice<const int> data) {
  co_await run_three_times(stream, graph);  // a task awaits a task
  std::vector<int> host(data.size());
  co_await async::download(stream, host, data);
  co_await async::wait(stream.record());
  co_await async::synchronize(stream);
  co_await Event();
  co_return std::accumulate(host.begin(), host.end(), 0);
}

TEST_P(Coroutines, AwaitGraphsEventsAndTasks) {
  auto data = device.upload(std::vector<int>(10, 0));
  const Graph graph = device.record([&](const Stream& s) { s.launch(add_to, threads(10), 10, 1, data); });
  EXPECT_EQ(run_and_sum(device.stream(), graph, data).get(), 30);
}

async::Task<std::thread::id> thread_after(Stream stream, async::Options options) {
  co_await async::synchronize(stream, std::move(options));
  co_return std::this_thread::get_id();
}

TEST_P(Coroutines, ResumeOnTheExecutor) {
  Worker worker;
  EXPECT_EQ(thread_after(device.stream(), worker.executor()).get(), worker.id());
  // One that refuses: the coroutine gets the exception.
  const async::Executor broken = [](const std::function<void()>&) { throw std::runtime_error("full"); };
  EXPECT_THROW((void)thread_after(device.stream(), broken).get(), std::runtime_error);
}

async::Task<bool> wait_or_cancel(Event event, std::stop_token stop) {
  try {
    co_await async::wait(event, stop);
  } catch (const async::Cancelled& e) {
    EXPECT_STREQ(e.what(), "waiting was cancelled by a stop request");
    co_return false;
  }
  co_return true;
}

TEST(CoroutinesOnCpu, AreCancelled) {
  const Device device = open("cpu");
  auto out = device.allocate<int>(32);
  device.launch(spin, grid(1, 32), kLong, out);
  std::stop_source source;
  async::Task<bool> task = wait_or_cancel(device.stream().record(), source.get_token());
  EXPECT_FALSE(task.is_done());
  source.request_stop();
  EXPECT_FALSE(task.get());
  EXPECT_FALSE(device.stream().idle()) << "the kernel is too short for this test";
  device.synchronize();
  // Completed work is not cancelled; work that was not submitted is.
  EXPECT_TRUE(wait_or_cancel(device.stream().record(), {}).get());
  EXPECT_TRUE(wait_or_cancel(Event(), source.get_token()).get());
  EXPECT_THROW((void)async::download(device.stream(), out, source.get_token()), async::Cancelled);
}

async::Task<> download_and_cancel(Stream stream, Slice<const int> data, std::stop_token stop) {
  (void)co_await async::download(stream, data, stop);
}

// The device writes to the vector after the coroutine has given up: it must still exist.
TEST(CoroutinesOnCpu, KeepTheMemoryOfCancelledDownloads) {
  const Device device = open("cpu");
  auto out = device.upload(std::vector<int>(1 << 16, 1));
  device.launch(spin, grid(1, 32), kLong, out);
  std::stop_source source;
  auto task = download_and_cancel(device.stream(), out, source.get_token());
  source.request_stop();
  EXPECT_THROW(task.get(), async::Cancelled);
  { auto never_awaited = async::download(device.stream(), out); }
  device.synchronize();
}

TEST(CoroutinesOnCpu, RunInLargeNumbers) {
  constexpr int kTasks = 2000, kElements = 64;
  const Device device = open("cpu");
  Worker worker;
  std::vector<Buffer<int>> buffers;
  std::vector<Stream> streams;
  for (int i = 0; i < 4; ++i) {
    buffers.push_back(device.upload(std::vector<int>(kElements, i)));
    streams.push_back(device.create_stream());
  }
  std::atomic<int> ended{0};
  const auto one = [&](int i) -> async::Task<int> {
    const async::Options options(i % 2 == 0 ? worker.executor() : async::Executor());
    const auto host = co_await async::download(streams[i % 4], buffers[i % 4], options);
    co_await async::synchronize(streams[(i + 1) % 4], options);
    ++ended;
    co_return host[0];
  };
  std::vector<async::Task<int>> tasks;
  tasks.reserve(kTasks);
  std::vector<std::thread> threads;
  std::mutex mutex;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < kTasks; i += 4) {
        auto task = one(i);
        const std::lock_guard lock(mutex);
        tasks.push_back(std::move(task));
      }
    });
  }
  for (auto& t : threads) t.join();
  int sum = 0;
  for (auto& task : tasks) sum += task.get();
  EXPECT_EQ(sum, kTasks / 4 * (0 + 1 + 2 + 3));
  EXPECT_EQ(ended, kTasks);
}

TEST(CoroutinesOnCpu, GetTheErrorOfALostDevice) {
  ASSERT_EQ(::setenv("QUERN_FAULTS", "reached:2=lost", 1), 0);
  const Device device = open("cpu");
  ::unsetenv("QUERN_FAULTS");
  auto out = device.upload(std::vector<int>(32, 1));
  device.launch(spin, grid(1, 32), kLong / 4, out);
  try {
    (void)sum_of(device.stream(), out).get();
    FAIL() << "nothing is thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::device_lost);
  }
}

// A kernel's fault is an exception of the coroutine.
TEST(CoroutinesOnSim, GetTheFaultOfAKernel) {
  const Device device = open("sim");
  auto data = device.upload(std::vector<int>(10, 0));
  const auto wrong = [&]() -> async::Task<> {
    device.launch(add_to, threads(20), 20, 1, data);
    co_await async::synchronize(device.stream());
  };
  try {
    wrong().get();
    FAIL() << "nothing is thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kernel_fault);
  }
}

}  // namespace
}  // namespace quern::test
