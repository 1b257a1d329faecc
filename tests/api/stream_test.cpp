#include <atomic>
#include <coroutine>
#include <future>
#include <thread>

#include "api/api_case.hpp"

QUERN_KERNEL(add_to, (int n, int by, int* data), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += by;
})

namespace quern::test {
namespace {

using StreamsOnDevice = OnDevice;
QUERN_ON_DEVICES(StreamsOnDevice);

TEST_P(StreamsOnDevice, RunInOrder) {
  const Stream stream = device.create_stream();
  auto data = device.allocate<int>(64);
  std::vector<int> from(64, 1), to(64);
  stream.upload(data, std::span<const int>(from));
  stream.launch(add_to, threads(64), 64, 5, data);
  stream.launch(add_to, threads(64), 64, 7, data);
  stream.download(std::span<int>(to), Slice<const int>(data));
  stream.synchronize();
  EXPECT_EQ(to, std::vector<int>(64, 13));
  EXPECT_TRUE(stream.idle());
  auto copy = device.allocate<int>(64);
  stream.copy(copy, Slice<const int>(data));
  stream.synchronize();
  EXPECT_EQ(copy.download(), to);
}

TEST_P(StreamsOnDevice, WaitForEachOtherByEvents) {
  const Stream first = device.create_stream(), second = device.create_stream(1);
  auto data = device.upload(std::vector<int>(32, 0));
  first.launch(add_to, threads(32), 32, 1, data);
  const Event done = first.record();
  second.wait(done);
  second.launch(add_to, threads(32), 32, 1, data);
  second.synchronize();
  EXPECT_TRUE(done.reached());
  EXPECT_EQ(data.download(), std::vector<int>(32, 2));
}

TEST_P(StreamsOnDevice, EventsHaveTimes) {
  const Event begin = device.stream().record();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const Event end = device.stream().record();
  end.wait();
  EXPECT_GE(end.seconds_since(begin), 0.002);
  EXPECT_LE(begin.seconds_since(end), -0.002);
  EXPECT_EQ(message_of([&] { (void)end.seconds_since(Event()); }),
            "reading the time of an event failed: it was never recorded");
  EXPECT_TRUE(Event().reached());
  Event().wait();
}

TEST_P(StreamsOnDevice, CallTheHost) {
  std::atomic<int> called{0};
  device.stream().call([&] { ++called; });
  device.synchronize();
  EXPECT_EQ(called, 1);
}

TEST_P(StreamsOnDevice, AreWaitedForWithALimit) {
  EXPECT_TRUE(Event().wait_for(std::chrono::seconds(0)));
  std::promise<void> promise;
  std::atomic<bool> is_released{false};
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    is_released = true;
    promise.set_value();
  });
  device.stream().call([&, ready = promise.get_future().share()] { ready.wait(); });
  const Event event = device.stream().record();
  const bool is_reached = event.wait_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(is_released || !is_reached);  // some drivers run the function inside call()
  EXPECT_TRUE(event.wait_for(std::chrono::seconds(60)));
  EXPECT_TRUE(event.reached());
  release.join();
}

// A coroutine that runs to completion and reports it.
struct Task {
  struct promise_type {
    std::promise<void> done;
    Task get_return_object() { return {done.get_future()}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() { done.set_value(); }
    void unhandled_exception() { done.set_exception(std::current_exception()); }
  };
  std::future<void> done;
};

Task add_twice(const Device& device, Buffer<int>& data, int& steps) {
  device.launch(add_to, threads(16), 16, 1, data);
  co_await device.stream().record();
  ++steps;
  device.launch(add_to, threads(16), 16, 1, data);
  co_await device.stream().record();
  ++steps;
}

TEST_P(StreamsOnDevice, AreAwaited) {
  auto data = device.upload(std::vector<int>(16, 0));
  int steps = 0;
  Task task = add_twice(device, data, steps);
  task.done.get();
  EXPECT_EQ(steps, 2);
  EXPECT_EQ(data.download(), std::vector<int>(16, 2));
}

TEST_P(StreamsOnDevice, BelongToTheirDevice) {
  const Device other = open(device.driver() == "sim" ? "native" : "sim");
  auto foreign = other.upload(std::vector<int>(8, 0));
  const std::string label = other.name() + " (" + other.driver() + ")";
  const std::string own = device.name() + " (" + device.driver() + ")";
  const Error launch = error_of([&] { device.launch(add_to, threads(8), 8, 1, foreign); });
  EXPECT_EQ(launch.message(),
            "launch of kernel 'add_to' failed: argument 3 is a buffer of int, parameter 'data' is an int*; "
            "the buffer belongs to " +
                label);
  EXPECT_EQ(launch.kernel(), "add_to");
  EXPECT_EQ(launch.device(), own);
  std::vector<int> host(8);
  EXPECT_EQ(message_of([&] { device.stream().upload(foreign, std::span<const int>(host)); }),
            "upload failed: the buffer belongs to " + label + ", the stream to " + own);
  EXPECT_EQ(message_of([&] { device.launch(add_to, threads(8), 8, 1, Buffer<int>()); }),
            "launch of kernel 'add_to' failed: argument 3 is a buffer of int, parameter 'data' is an int*; "
            "the buffer holds no memory (never allocated, or moved from)");
}

TEST_P(StreamsOnDevice, EmptyOnesAreRefused) {
  const Stream none;
  EXPECT_EQ(message_of([&] { none.synchronize(); }), "using a stream failed: it is empty (never created)");
  EXPECT_EQ(message_of([&] { (void)none.record(); }), "using a stream failed: it is empty (never created)");
  EXPECT_EQ(message_of([&] { device.stream().launch(Kernel(), threads(1)); }),
            "launch failed: the kernel is empty (never loaded)");
}

TEST_P(StreamsOnDevice, WrongShapesAreRefused) {
  auto data = device.allocate<int>(8);
  EXPECT_EQ(message_of([&] { device.launch(add_to, grid(1, 2048), 8, 1, data); }),
            "launch of kernel 'add_to' failed: block (2048,1,1) is too large; the limit of " + device.name() +
                " (" + device.driver() + ") is (1024,1024,64) and 1024 threads in total");
  EXPECT_EQ(message_of([&] { device.launch(add_to, grid(0, 1), 8, 1, data); }),
            "launch of kernel 'add_to' failed: grid (0,1,1): each size must be at least 1");
  device.launch(add_to, threads(0), 8, 1, data);  // nothing to do
}

TEST_P(StreamsOnDevice, GiveReceipts) {
  auto data = device.upload(std::vector<int>(300, 0));
  const Receipt receipt = device.launch(add_to, threads(300).timed(), 300, 1, data);
  const Receipt again = device.stream().launch(add_to, threads(300).timed(), 300, 1, data);
  EXPECT_EQ(receipt.kernel(), "add_to");
  EXPECT_EQ(receipt.device(), device.name());
  EXPECT_EQ(receipt.driver(), device.driver());
  EXPECT_EQ(receipt.is_native(), device.driver() != "native");
  EXPECT_EQ(receipt.grid(), Dim3(2));
  EXPECT_EQ(receipt.block(), Dim3(256));
  EXPECT_NE(receipt.program(), 0u);
  EXPECT_EQ(receipt.program(), again.program());
  EXPECT_EQ(again.compile_seconds(), 0);
  ASSERT_TRUE(receipt.seconds().has_value());
  EXPECT_GE(*receipt.seconds(), 0);
  const std::string text = receipt.to_string();
  EXPECT_EQ(text.find("add_to<<<2, 256>>> on " + device.name() + " (" + device.driver() + ")   "), 0u)
      << text;
  EXPECT_EQ(text.ends_with("   compiled with the program"), device.driver() == "native") << text;
}

TEST_P(StreamsOnDevice, EveryLaunchHasAReceiptButOnlyTimedOnesHaveATime) {
  auto data = device.upload(std::vector<int>(300, 0));
  const Receipt receipt = device.launch(add_to, grid(3, 100), 300, 1, data);
  EXPECT_EQ(receipt.kernel(), "add_to");
  EXPECT_EQ(receipt.device(), device.name());
  EXPECT_EQ(receipt.grid(), Dim3(3));
  EXPECT_EQ(receipt.block(), Dim3(100));
  EXPECT_EQ(receipt.fallback_reason(), device.fallback_reason());
  EXPECT_FALSE(receipt.seconds().has_value());
  EXPECT_EQ(receipt.to_string(), "add_to<<<3, 100>>> on " + device.name() + " (" + device.driver() + ")" +
                                     (device.driver() == "native" ? "   compiled with the program" : ""));
  const Kernel of_module = device.driver() == "native"
                               ? Kernel()
                               : device.compile("__global__ void one(int* x) { x[0] = 1; }").kernel("one");
  if (of_module) {
    EXPECT_EQ(device.launch(of_module, grid(1, 1), data).kernel(), "one");
    quern::Streams streams(device, 2);
    EXPECT_EQ(streams.launch(of_module, grid(1, 1), data).kernel(), "one");
    streams.synchronize();
  }
  EXPECT_EQ(Receipt().kernel(), "");
}

TEST_P(StreamsOnDevice, AreUsedByAnyThread) {
  auto data = device.upload(std::vector<int>(64, 0));
  std::vector<std::thread> threads_of_host;
  for (int t = 0; t < 4; ++t) {
    threads_of_host.emplace_back([&] {
      for (int i = 0; i < 25; ++i) device.launch(add_to, threads(64), 64, 1, data);
    });
  }
  for (std::thread& t : threads_of_host) t.join();
  EXPECT_EQ(data.download(), std::vector<int>(64, 100));
}

class Uploads : public OnDeviceThatIsHere {
  void prepare() override {}
};
INSTANTIATE_TEST_SUITE_P(Devices, Uploads, testing::ValuesIn(each_implementation({"sim"})), device_name);

class Groups : public Uploads {};
INSTANTIATE_TEST_SUITE_P(Devices, Groups, testing::ValuesIn(each_implementation({"sim"})), device_name);

// Votes go through shared memory if a device has no warps of 32.
TEST_P(Groups, HaveTheirOwnSharedMemory) {
  const Module module = device.compile(R"(
__global__ void vote(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = data[i];
  for (int k = 0; k < 2; ++k) {
    v ^= __shfl_down_sync(0xffffffffu, v, 13);
    v += __any_sync(0xffffffffu, v > 48 || i > -12) + 2 * __all_sync(0xffffffffu, k > 11 && i > -69);
  }
  data[i] = v;
})");
  const Kernel vote = module.kernel("vote");
  int wrong = 0;
  for (const std::uint32_t blocks : {2u, 3u, 64u}) {
    std::vector<int> from(std::size_t{blocks} * 64), expected(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) expected[i] = from[i] = static_cast<int>(i * 37 % 211) - 50;
    for (int k = 0; k < 2; ++k) {
      std::vector<int> next = expected;
      for (std::size_t i = 0; i < next.size(); ++i)
        next[i] = (expected[i] ^ expected[i % 32 + 13 < 32 ? i + 13 : i]) + 1;
      expected = next;
    }
    for (int turn = 0; turn < 100; ++turn) {
      auto data = device.upload(from);
      device.launch(vote, grid(blocks, 64), data);
      wrong += data.download() != expected;
    }
  }
  EXPECT_EQ(wrong, 0);
}

// Sizes that drivers copy in different ways, while other copies keep the connection to the device busy.
TEST_P(Uploads, AreThereForTheNextCommand) {
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    const Stream stream = device.create_stream();
    const std::vector<int> data(4 << 20, 3);
    auto there = device.allocate<int>(data.size());
    while (!is_over) {
      stream.upload(there, std::span<const int>(data));
      stream.synchronize();
    }
  });
  const Stream stream = device.create_stream();
  int wrong = 0;
  for (const std::size_t count : {1000, 20'000, 70'000, 130'000, 300'000}) {
    auto data = device.allocate<int>(count);
    std::vector<int> to(count);
    for (int turn = 0; turn < 40; ++turn) {
      const std::vector<int> from(count, turn);
      stream.upload(data, std::span<const int>(from));
      stream.download(std::span<int>(to), Slice<const int>(data));
      stream.synchronize();
      wrong += to != from;
    }
  }
  is_over = true;
  other.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace quern::test
