// Errors of programs and the exact messages: invalid sizes, objects of another device, moved-from and
// destroyed objects, superfluous waits, devices destroyed with work in flight, and callbacks that throw.
#include <cerrno>
#include <climits>
#include <functional>
#include <new>
#include <stdexcept>
#include <system_error>

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
            "allocating a buffer failed: 18446744073709551615 elements of 4 bytes exceed the address space");
  const Error sky =
      error_of([&] { (void)device.allocate<char>(std::size_t{1} << 62, MemoryKind::device, "sky"); });
  EXPECT_EQ(sky.kind(), ErrorKind::out_of_memory);
  EXPECT_EQ(sky.message().substr(0, sky.message().find(" at most ")),
            "allocating 'sky' (4.0 EiB) failed: " + own() + " allows");
  auto four = device.allocate<int>(4);
  EXPECT_EQ(message_of([&] { (void)four.slice(1, SIZE_MAX); }),
            "slice failed: 18446744073709551615 elements from element 1 exceed the buffer of 4 elements");
  EXPECT_EQ(message_of([&] { (void)four.slice(5, 2); }),
            "slice failed: elements 5 to 7 are outside the buffer of 4 elements");
  EXPECT_EQ(message_of([&] { device.launch(bad_input_add, grid(1, 1025), 4, 1, four); }),
            "launch of kernel 'bad_input_add' failed: block (1025,1,1) is too large; the limit of " + own() +
                " is (1024,1024,64) and 1024 threads in total");
  EXPECT_EQ(message_of([&] { device.launch(bad_input_add, threads(-1), 4, 1, four); }),
            "launch failed: the size -1 is negative");
  const std::size_t many = 5'000'000'000;
  const Error cut = error_of([&] { device.launch(bad_input_add, threads(many), 4, 1, four); });
  EXPECT_EQ(cut.message(),
            "launch failed: the size 5000000000 exceeds the maximum of 4294967295 per dimension");
  EXPECT_EQ(cut.hint(), "process several elements per thread, or split the launch");
  EXPECT_EQ(message_of([&] { device.launch(bad_input_add, grid(std::size_t{1} << 33, 1), 4, 1, four); }),
            "launch failed: the size 8589934592 exceeds the maximum of 4294967295 per dimension");
  const std::string shared =
      message_of([&] { device.launch(bad_input_add, grid(1, 1).shared(UINT64_MAX), 4, 1, four); });
  EXPECT_EQ(shared.substr(0, shared.find(" has ")),
            "launch of kernel 'bad_input_add' failed: 16.0 EiB of dynamic and 0 B of static shared memory "
            "are too much; a block of " +
                own());
  EXPECT_EQ(message_of([&] { four.download(std::span<int>(static_cast<int*>(nullptr), 4)); }),
            "download failed: the destination is a null pointer");
}

// ---- objects of another device

TEST_P(BadInput, ThingsOfAnotherDevice) {
  const Device there = other();
  auto foreign = there.upload(std::vector<int>(8, 0));
  const Stream& s = device.stream();
  std::vector<int> host(8);
  const std::string where = " belongs to " + label(there) + ", the stream to " + own();
  EXPECT_EQ(message_of([&] { s.launch(bad_input_add, threads(8), 8, 1, foreign); }),
            "launch of kernel 'bad_input_add' failed: argument 3 is a buffer of int, parameter 'data' is an "
            "int*; the buffer belongs to " +
                label(there));
  EXPECT_EQ(message_of([&] { s.upload(foreign, std::span<const int>(host)); }),
            "upload failed: the buffer" + where);
  EXPECT_EQ(message_of([&] { s.download(std::span<int>(host), Slice<int>(foreign)); }),
            "download failed: the buffer" + where);
  EXPECT_EQ(message_of([&] { s.fill(foreign, 1); }), "fill failed: the buffer" + where);
  const Graph graph = there.record([&](const Stream& on) { on.fill(foreign, 1); });
  EXPECT_EQ(message_of([&] { s.run(graph); }),
            "running a graph failed: it belongs to " + label(there) + ", the stream to " + own());
}

// ---- moved from, never created, destroyed

TEST_P(BadInput, ThingsThatWereMovedFrom) {
  auto buffer = device.allocate<int>(4);
  auto keeper = std::move(buffer);
  std::vector<int> host(4);
  const char* const no_memory = "using a buffer failed: it holds no memory (never allocated, or moved from)";
  // NOLINTBEGIN(bugprone-use-after-move): that is the question
  EXPECT_EQ(message_of([&] { buffer.download(host); }), no_memory);
  EXPECT_EQ(message_of([&] { buffer.upload(host); }), no_memory);
  EXPECT_EQ(message_of([&] { buffer.fill(1); }), no_memory);
  EXPECT_EQ(message_of([&] { (void)buffer.slice(1); }),
            "slice failed: elements 1 to 1 are outside the buffer of 0 elements");
  EXPECT_EQ(message_of([&] { device.launch(bad_input_add, threads(4), 4, 1, buffer); }),
            "launch of kernel 'bad_input_add' failed: argument 3 is a buffer of int, parameter 'data' is an "
            "int*; the buffer holds no memory (never allocated, or moved from)");
  Stream stream = device.create_stream();
  const Stream taken = std::move(stream);
  const char* const no_stream = "using a stream failed: it is empty (never created)";
  EXPECT_EQ(message_of([&] { stream.synchronize(); }), no_stream);
  EXPECT_EQ(message_of([&] { stream.fill(keeper, 1); }), no_stream);
  Graph graph = device.record([&](const Stream& on) { on.fill(keeper, 1); });
  const Graph moved = std::move(graph);
  EXPECT_EQ(message_of([&] { taken.run(graph); }), "using a graph failed: it is empty (never recorded)");
  Device gone = device;
  const Device here = std::move(gone);
  EXPECT_EQ(message_of([&] { (void)gone.allocate<int>(1); }), "using a device failed: it is not open");
  EXPECT_EQ(message_of([&] { gone.synchronize(); }), "using a device failed: it is not open");
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_EQ(message_of([&] { (void)Module().kernel("x"); }),
            "using a module failed: it is empty (never loaded, or moved from)");
}

TEST_P(BadInput, SlicesOfBuffersThatAreGone) {
  Slice<int> slice;
  {
    auto buffer = device.allocate<int>(8);
    slice = buffer;
  }
  const char* const text = "using a slice failed: its Buffer was destroyed";
  EXPECT_EQ(message_of([&] { device.launch(bad_input_add, threads(8), 8, 1, slice); }), text);
  EXPECT_EQ(message_of([&] { device.stream().fill(slice, 1); }), text);
  EXPECT_EQ(message_of([&] { (void)device.record([&](const Stream& on) { on.fill(slice, 1); }); }), text);
}

// ---- functions that throw

TEST_P(BadInput, FunctionsThatThrow) {
  const Stream stream = device.create_stream();
  EXPECT_EQ(message_of([&] { stream.call(nullptr); }),
            "calling a host function failed: the function is empty");
  const std::string threw = "a host function on a stream of " + own() + " threw an exception: ";
  stream.call([] { throw std::runtime_error("no paper"); });
  EXPECT_EQ(message_of([&] { stream.synchronize(); }), threw + "no paper");
  stream.call([] { throw 7; });
  EXPECT_EQ(message_of([&] { stream.synchronize(); }), threw + "its type is not derived from std::exception");
  stream.synchronize();  // reported once
  const auto kind_of = [&](const std::function<void()>& function) {
    stream.call(function);
    try {
      stream.synchronize();
    } catch (const Error& e) {
      return e.kind();
    }
    return ErrorKind::internal;
  };
  const auto error = [](ErrorKind kind) {
    Error::Parts parts;
    parts.kind = kind;
    parts.message = parts.text = "no paper";
    return Error(parts);
  };
  EXPECT_EQ(kind_of([] { throw std::runtime_error("no paper"); }), ErrorKind::invalid_use);
  EXPECT_EQ(kind_of([] { throw std::bad_alloc(); }), ErrorKind::out_of_memory);
  EXPECT_EQ(kind_of([] { throw std::system_error(ENOENT, std::generic_category()); }), ErrorKind::io);
  EXPECT_EQ(kind_of([&] { throw error(ErrorKind::bad_input); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { throw error(ErrorKind::device_lost); }), ErrorKind::invalid_use);  // another device
  stream.call([&] { throw error(ErrorKind::not_found); });
  EXPECT_EQ(message_of([&] { stream.synchronize(); }), threw + "no paper");
  std::vector<std::string> said;
  base::set_log_sink([&](base::LogLevel, std::string_view line) { said.emplace_back(line); });
  {
    const auto watch = device.watch_memory([](const MemoryEvent&) { throw std::runtime_error("full"); });
    (void)device.allocate<int>(4);
  }
  base::set_log_sink(nullptr);
  const std::string told = "a memory callback threw an exception";
  EXPECT_EQ(said, (std::vector<std::string>{told, told}));  // at allocation and at deallocation
}

}  // namespace
}  // namespace quern::test
