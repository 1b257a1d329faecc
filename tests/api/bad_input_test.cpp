// What programs get wrong, and the very sentence that they are told: sizes that cannot be, things of another
// device, things that were moved from or are gone, waits too many, devices that go with work in flight, and
// functions of the program that throw.
#include <climits>
#include <stdexcept>

#include "api/api_case.hpp"
#include "base/log.hpp"

QUERN_KERNEL(bad_input_add, (int n, int by, int* data), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += by;
})

namespace quern::test {
namespace {

class BadInput : public OnDevice {
 protected:
  std::string own() const { return label(device); }
  static std::string label(const Device& d) { return d.name() + " (" + d.driver() + ")"; }
  Device other() const { return open(device.driver() == "sim" ? "native" : "sim"); }
  Kernel kernel_of(const Device& on) const { return on.compile(kText).kernel("set"); }
  static constexpr const char* kText = "__global__ void set(int* to) { to[threadIdx.x] = 1; }";
};
QUERN_ON_DEVICES(BadInput);

// ---- absurd sizes

TEST_P(BadInput, SizesThatCannotBe) {
  EXPECT_EQ(message_of([&] { (void)device.allocate<int>(SIZE_MAX); }),
            "a buffer of 18446744073709551615 elements of 4 bytes is larger than any memory");
  const Error sky =
      error_of([&] { (void)device.allocate<char>(std::size_t{1} << 62, MemoryKind::device, "sky"); });
  EXPECT_EQ(sky.kind(), ErrorKind::out_of_memory);
  EXPECT_EQ(sky.message().substr(0, sky.message().find(" at most ")),
            "'sky' asks for 4.0 EiB, and " + own() + " takes");
  auto four = device.allocate<int>(4);
  EXPECT_EQ(message_of([&] { (void)four.slice(1, SIZE_MAX); }),
            "18446744073709551615 elements from 1 on are no part of a buffer of 4");
  EXPECT_EQ(message_of([&] { (void)four.slice(5, 2); }), "elements 5 to 7 are no part of a buffer of 4");
  EXPECT_EQ(message_of([&] { device.launch(bad_input_add, grid(1, 1025), 4, 1, four); }),
            "kernel 'bad_input_add' is launched with block (1025,1,1), and the limit of " + own() +
                " is (1024,1024,64) and 1024 threads in all");
  EXPECT_EQ(message_of([&] { device.launch(bad_input_add, threads(-1), 4, 1, four); }),
            "a launch is given the size -1, which is below 0");
  const std::size_t many = 5'000'000'000;
  const Error cut = error_of([&] { device.launch(bad_input_add, threads(many), 4, 1, four); });
  EXPECT_EQ(cut.message(),
            "a launch is given the size 5000000000, and the most in one direction is 4294967295");
  EXPECT_EQ(cut.hint(), "let each thread take several elements, or launch in parts");
  EXPECT_EQ(message_of([&] { device.launch(bad_input_add, grid(std::size_t{1} << 33, 1), 4, 1, four); }),
            "a launch is given the size 8589934592, and the most in one direction is 4294967295");
  const std::string shared =
      message_of([&] { device.launch(bad_input_add, grid(1, 1).shared(UINT64_MAX), 4, 1, four); });
  EXPECT_EQ(
      shared.substr(0, shared.find(" has ")),
      "kernel 'bad_input_add' is launched with 16.0 EiB of dynamic and 0 B of static shared memory, and a "
      "block of " +
          own());
  EXPECT_EQ(message_of([&] { four.download(std::span<int>(static_cast<int*>(nullptr), 4)); }),
            "the program downloads to a null pointer");
}

// ---- things of another device

TEST_P(BadInput, ThingsOfAnotherDevice) {
  const Device there = other();
  auto foreign = there.upload(std::vector<int>(8, 0));
  const Stream& s = device.stream();
  std::vector<int> host(8);
  const std::string where = " a buffer of " + label(there) + " on a stream of " + own();
  EXPECT_EQ(message_of([&] { s.launch(bad_input_add, threads(8), 8, 1, foreign); }),
            "argument 3 of kernel 'bad_input_add' is a buffer of int, and parameter 'data' is an int*, and "
            "the buffer "
            "belongs to " +
                label(there));
  EXPECT_EQ(message_of([&] { s.upload(foreign, std::span<const int>(host)); }),
            "the program uploads to" + where);
  EXPECT_EQ(message_of([&] { s.download(std::span<int>(host), Slice<int>(foreign)); }),
            "the program downloads" + where);
  EXPECT_EQ(message_of([&] { s.fill(foreign, 1); }), "the program fills" + where);
  const Graph graph = there.record([&](const Stream& on) { on.fill(foreign, 1); });
  EXPECT_EQ(message_of([&] { s.run(graph); }),
            "a graph of " + label(there) + " is run on a stream of " + own());
}

// ---- moved from, never made, gone

TEST_P(BadInput, ThingsThatWereMovedFrom) {
  auto buffer = device.allocate<int>(4);
  auto keeper = std::move(buffer);
  std::vector<int> host(4);
  const char* const no_memory =
      "the program uses a buffer that holds no memory: it was never allocated, or moved from";
  // NOLINTBEGIN(bugprone-use-after-move): that is the question
  EXPECT_EQ(message_of([&] { buffer.download(host); }), no_memory);
  EXPECT_EQ(message_of([&] { buffer.upload(host); }), no_memory);
  EXPECT_EQ(message_of([&] { buffer.fill(1); }), no_memory);
  EXPECT_EQ(message_of([&] { (void)buffer.slice(1); }), "elements 1 to 1 are no part of a buffer of 0");
  EXPECT_EQ(message_of([&] { device.launch(bad_input_add, threads(4), 4, 1, buffer); }),
            "argument 3 of kernel 'bad_input_add' is a buffer of int, and parameter 'data' is an int*, and "
            "the buffer "
            "holds no memory: it was never allocated, or moved from");
  Stream stream = device.create_stream();
  const Stream taken = std::move(stream);
  const char* const no_stream = "the program uses a stream that is empty: it was never created";
  EXPECT_EQ(message_of([&] { stream.synchronize(); }), no_stream);
  EXPECT_EQ(message_of([&] { stream.fill(keeper, 1); }), no_stream);
  Graph graph = device.record([&](const Stream& on) { on.fill(keeper, 1); });
  const Graph moved = std::move(graph);
  EXPECT_EQ(message_of([&] { taken.run(graph); }),
            "the program uses a graph that is empty: it was never recorded");
  Device gone = device;
  const Device here = std::move(gone);
  EXPECT_EQ(message_of([&] { (void)gone.allocate<int>(1); }), "the program uses a device that is not open");
  EXPECT_EQ(message_of([&] { gone.synchronize(); }), "the program uses a device that is not open");
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_EQ(message_of([&] { (void)Module().kernel("x"); }),
            "the program uses a module that is empty: it was never loaded, or moved from");
}

TEST_P(BadInput, SlicesOfBuffersThatAreGone) {
  Slice<int> slice;
  {
    auto buffer = device.allocate<int>(8);
    slice = buffer;
  }
  const char* const text = "the program uses a slice of a buffer that is gone: its Buffer was destroyed";
  EXPECT_EQ(message_of([&] { device.launch(bad_input_add, threads(8), 8, 1, slice); }), text);
  EXPECT_EQ(message_of([&] { device.stream().fill(slice, 1); }), text);
  EXPECT_EQ(message_of([&] { (void)device.record([&](const Stream& on) { on.fill(slice, 1); }); }), text);
}

// ---- functions that throw

TEST_P(BadInput, FunctionsThatThrow) {
  const Stream stream = device.create_stream();
  EXPECT_EQ(message_of([&] { stream.call(nullptr); }), "a stream is to call an empty function");
  const std::string threw = "a function that a stream of " + own() + " called threw an exception: ";
  stream.call([] { throw std::runtime_error("no paper"); });
  EXPECT_EQ(message_of([&] { stream.synchronize(); }), threw + "no paper");
  stream.call([] { throw 7; });
  EXPECT_EQ(message_of([&] { stream.synchronize(); }), threw + "of a type that is no std::exception");
  stream.synchronize();  // told once
  std::vector<std::string> said;
  base::set_log_sink([&](base::LogLevel, std::string_view line) { said.emplace_back(line); });
  {
    const auto watch = device.watch_memory([](const MemoryEvent&) { throw std::runtime_error("full"); });
    (void)device.allocate<int>(4);
  }
  base::set_log_sink(nullptr);
  const std::string told = "a function that watches the memory of a device threw an exception";
  EXPECT_EQ(said, (std::vector<std::string>{told, told}));  // when it came and when it went
}

}  // namespace
}  // namespace quern::test
