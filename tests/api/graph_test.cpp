#include <string>
#include <vector>

#include "api/api_case.hpp"

namespace quern::test {
namespace {

constexpr char kGraphText[] = R"(
  __global__ void add(float* to, const float* from, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] + by;
  }
  __global__ void twice(float* v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] *= 2;
  }
)";
constexpr int kGraphCount = 100;

// OpenCL's, an extension.
bool has_command_buffers(const Device& device) {
  for (const auto& [key, value] : device.info().details) {
    if (key == "extensions" && value.find("cl_khr_command_buffer") != std::string::npos) return true;
  }
  return false;
}

class Graphs : public OnDeviceThatIsHere {
 public:
  void prepare() override {
    module = device.compile(kGraphText);
    add = module.kernel("add");
    twice = module.kernel("twice");
    a = device.upload(std::vector<float>(kGraphCount, 1.0F));
    b = device.allocate<float>(kGraphCount);
  }

  Module module;
  Kernel add, twice;
  Buffer<float> a, b;
};

TEST_P(Graphs, RunAsOftenAsWanted) {
  const Graph graph = device.record([&](const Stream& s) {
    s.launch(add, threads(kGraphCount), b, a, 1.0F, kGraphCount);
    s.launch(twice, threads(kGraphCount), b, kGraphCount);
    s.copy(a, b);
  });
  EXPECT_EQ(graph.size(), 3u);
  EXPECT_EQ(a.download(), std::vector<float>(kGraphCount, 1.0F));  // recording executes nothing
  const Stream stream = device.create_stream();
  for (int i = 0; i < 3; ++i) stream.run(graph);
  stream.synchronize();
  EXPECT_EQ(a.download(), std::vector<float>(kGraphCount, 22.0F));  // 1, 4, 10, 22
}

TEST_P(Graphs, OfLaunchesAreTheDevicesOwnWhereItHasThem) {
  const Graph graph = device.record([&](const Stream& s) {
    s.launch(add, threads(kGraphCount), b, a, 1.0F, kGraphCount);
    s.launch(twice, threads(kGraphCount), b, kGraphCount);
    s.launch(add, threads(kGraphCount), a, b, -1.0F, kGraphCount);
  });
  const std::string driver = device.driver();
  if (driver == "vulkan" || driver == "cuda" || has_command_buffers(device)) {
    EXPECT_TRUE(graph.is_native());
  }
  const Stream one = device.create_stream(), other = device.create_stream();
  one.run(graph);
  one.run(graph);
  one.synchronize();
  other.run(graph);
  other.synchronize();
  EXPECT_EQ(a.download(), std::vector<float>(kGraphCount, 15.0F));  // 1, 3, 7, 15
}

TEST_P(Graphs, ReadAndWriteTheHostAtEveryRun) {
  std::vector<float> in(kGraphCount, 3.0F), out(kGraphCount);
  const Graph graph = device.record([&](const Stream& s) {
    s.upload(a, in);
    s.launch(twice, threads(kGraphCount), a, kGraphCount);
    s.download(out, b);
    s.download(out, a);
  });
  device.stream().run(graph);
  device.synchronize();
  EXPECT_EQ(out, std::vector<float>(kGraphCount, 6.0F));
  in.assign(kGraphCount, 5.0F);
  device.stream().run(graph);
  device.synchronize();
  EXPECT_EQ(out, std::vector<float>(kGraphCount, 10.0F));
}

TEST_P(Graphs, FillToo) {
  const Graph graph = device.record([&](const Stream& s) {
    s.fill(a, 7.0F);
    s.launch(twice, threads(kGraphCount), a, kGraphCount);
  });
  device.stream().run(graph);
  device.stream().run(graph);
  EXPECT_EQ(a.download(), std::vector<float>(kGraphCount, 14.0F));
}

TEST_P(Graphs, TakeOtherArguments) {
  const auto work = [&](Buffer<float>& to, float by, int n) {
    return [&, by, n](const Stream& s) { s.launch(add, threads(n), to, a, by, n); };
  };
  const Graph graph = device.record(work(b, 1.0F, kGraphCount));
  device.stream().run(graph);
  EXPECT_EQ(b.download(), std::vector<float>(kGraphCount, 2.0F));
  graph.update(work(b, 5.0F, kGraphCount));
  device.stream().run(graph);
  EXPECT_EQ(b.download(), std::vector<float>(kGraphCount, 6.0F));
  Buffer<float> c = device.upload(std::vector<float>(kGraphCount, 0.0F));
  graph.update(work(c, 9.0F, 1));
  device.stream().run(graph);
  std::vector<float> expected(kGraphCount, 0.0F);
  expected[0] = 10.0F;
  EXPECT_EQ(c.download(), expected);
  EXPECT_EQ(b.download(), std::vector<float>(kGraphCount, 6.0F));
}

TEST_P(Graphs, TakeOtherWork) {
  const Graph graph =
      device.record([&](const Stream& s) { s.launch(twice, threads(kGraphCount), a, kGraphCount); });
  device.stream().run(graph);
  graph.update([&](const Stream& s) {
    s.launch(add, threads(kGraphCount), b, a, 0.5F, kGraphCount);
    s.launch(twice, threads(kGraphCount), b, kGraphCount);
  });
  EXPECT_EQ(graph.size(), 2u);
  device.stream().run(graph);
  EXPECT_EQ(b.download(), std::vector<float>(kGraphCount, 5.0F));
}

TEST_P(Graphs, KeepWhatTheyUse) {
  Graph graph;
  {
    Buffer<float> middle = device.allocate<float>(kGraphCount);
    const Kernel own = device.compile(kGraphText).kernel("add");
    graph = device.record([&](const Stream& s) {
      s.launch(own, threads(kGraphCount), middle, a, 1.0F, kGraphCount);
      s.launch(own, threads(kGraphCount), b, middle, 1.0F, kGraphCount);
    });
  }
  Buffer<float> other = device.upload(std::vector<float>(kGraphCount, 50.0F));
  device.stream().run(graph);
  EXPECT_EQ(b.download(), std::vector<float>(kGraphCount, 3.0F));
  EXPECT_EQ(other.download(), std::vector<float>(kGraphCount, 50.0F));
}

TEST_P(Graphs, OfNothing) {
  const Graph graph = device.record([](const Stream&) {});
  EXPECT_EQ(graph.size(), 0u);
  device.stream().run(graph);
  device.synchronize();
}

TEST_P(Graphs, SayWhatIsWrongWhenItIsRecorded) {
  EXPECT_EQ(message_of([&] { (void)device.record([&](const Stream& s) { (void)s.record(); }); }),
            "recording a graph failed: an event cannot be part of it");
  EXPECT_EQ(message_of([&] { (void)device.record([&](const Stream& s) { s.synchronize(); }); }),
            "recording a graph failed: waiting for the stream cannot be part of it");
  EXPECT_EQ(message_of([&] { (void)device.record([&](const Stream& s) { s.call([] {}); }); }),
            "recording a graph failed: a host function cannot be part of it");
  const Graph inner = device.record([&](const Stream& s) { s.fill(a, 0.0F); });
  EXPECT_EQ(message_of([&] { (void)device.record([&](const Stream& s) { s.run(inner); }); }),
            "recording a graph failed: another graph cannot be part of it");
  EXPECT_EQ(message_of([&] { (void)device.record(nullptr); }),
            "recording a graph failed: the function is empty");
  EXPECT_EQ(message_of([&] { device.stream().run(Graph()); }),
            "using a graph failed: it is empty (never recorded)");
  EXPECT_EQ(message_of([&] {
              (void)device.record([&](const Stream& s) { s.launch(add, threads(kGraphCount), b, a); });
            }),
            "launch of kernel 'add' failed: it takes 4 arguments, got 2");
}

TEST_P(Graphs, TheirStreamIsNoneToKeep) {
  Stream kept;
  const Graph graph = device.record([&](const Stream& s) {
    kept = s;
    s.fill(a, 3.0F);
  });
  const char* const over = "using a stream failed: its recording has ended";
  EXPECT_EQ(message_of([&] { kept.fill(a, 4.0F); }), over);
  EXPECT_EQ(message_of([&] { kept.launch(twice, threads(kGraphCount), a, kGraphCount); }), over);
  device.stream().run(graph);
  EXPECT_EQ(a.download(), std::vector<float>(kGraphCount, 3.0F));
}

TEST_P(Graphs, BelongToTheirDevice) {
  const Device other = open("sim");
  const Graph graph = device.record([&](const Stream& s) { s.fill(a, 0.0F); });
  const std::string message = message_of([&] { other.stream().run(graph); });
  EXPECT_NE(message.find("it belongs to " + device.name()), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(All, Graphs, testing::ValuesIn(each_implementation()), device_name);

}  // namespace
}  // namespace quern::test
