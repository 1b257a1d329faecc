// Kernels with grid barriers on every device: on streams, in graphs and in sessions. Devices that cannot keep
// all blocks resident run them in several launches.
#include <string>
#include <vector>

#include "api/api_case.hpp"
#include "quern/session.hpp"

namespace quern::test {
namespace {

constexpr char kGridBarrierText[] = R"(
  #include <cooperative_groups.h>
  __global__ void turn(int* a, int* b) {
    auto grid = cooperative_groups::this_grid();
    unsigned n = grid.size(), i = grid.thread_rank();
    int mine = a[i];
    b[(i + 1) % n] = mine;
    grid.sync();
    a[i] = b[i] + (mine > 1000000 ? 1 : 0);
  }
  __global__ void turn_often(int rounds, int* a, int* b) {
    auto grid = cooperative_groups::this_grid();
    unsigned n = grid.size(), i = grid.thread_rank();
    for (int r = 0; r < rounds; ++r) {
      b[(i + 1) % n] = a[i];
      grid.sync();
      a[i] = b[i];
      grid.sync();
    }
  }
)";
constexpr int kBlocks = 30, kThreads = 8, kCount = kBlocks * kThreads;

// The numbers 0 to kCount - 1 after `turns` turns.
std::vector<int> turned(int turns) {
  std::vector<int> out(kCount);
  for (int i = 0; i < kCount; ++i) out[static_cast<size_t>((i + turns) % kCount)] = i;
  return out;
}

class GridBarriers : public OnDeviceThatIsHere {
 public:
  void prepare() override {
    const Module module = device.compile(kGridBarrierText);
    turn = module.kernel("turn");
    turn_often = module.kernel("turn_often");
    a = device.upload(turned(0));
    b = device.allocate<int>(kCount);
  }
  bool is_split() const { return !device.info().has(Feature::grid_barrier); }

  Kernel turn, turn_often;
  Buffer<int> a, b;
};

TEST_P(GridBarriers, OrderTheBlocksOfALaunch) {
  const Stream stream = device.create_stream();
  for (int i = 0; i < 5; ++i) stream.launch(turn, grid({kBlocks}, {kThreads}), a, b);
  stream.launch(turn_often, grid({kBlocks}, {kThreads}), 70, a, b);
  stream.launch(turn, grid({kBlocks}, {kThreads}), a, b);
  stream.synchronize();
  EXPECT_EQ(a.download(), turned(76));
}

TEST_P(GridBarriers, ALoopMayEndBeforeItsFirstBarrier) {
  device.launch(turn_often, grid({kBlocks}, {kThreads}), 0, a, b);
  EXPECT_EQ(a.download(), turned(0));
  device.launch(turn_often, grid({kBlocks}, {kThreads}), 1, a, b);
  EXPECT_EQ(a.download(), turned(1));
}

TEST_P(GridBarriers, TheReceiptNamesTheSegments) {
  const std::string text = device.launch(turn, grid({kBlocks}, {kThreads}), a, b).to_string();
  EXPECT_EQ(text.find("split into 2 segments") != std::string::npos, is_split()) << text;
  EXPECT_EQ(a.download(), turned(1));
}

TEST_P(GridBarriers, ArePartOfGraphs) {
  const Graph graph = device.record([&](const Stream& s) {
    s.launch(turn, grid({kBlocks}, {kThreads}), a, b);
    s.launch(turn, grid({kBlocks}, {kThreads}), a, b);
  });
  const Stream stream = device.create_stream();
  for (int i = 0; i < 3; ++i) stream.run(graph);
  stream.synchronize();
  EXPECT_EQ(a.download(), turned(6));
}

TEST_P(GridBarriers, InLoopsArePartOfGraphs) {
  const auto work = [&](int rounds) {
    return [&, rounds](const Stream& s) {
      s.launch(turn, grid({kBlocks}, {kThreads}), a, b);
      s.launch(turn_often, grid({kBlocks}, {kThreads}), rounds, a, b);
      s.launch(turn, grid({kBlocks}, {kThreads}), a, b);
    };
  };
  const Graph graph = device.record(work(9));
  device.stream().run(graph);
  device.stream().run(graph);
  EXPECT_EQ(a.download(), turned(22));
  graph.update(work(40));
  device.stream().run(graph);
  EXPECT_EQ(a.download(), turned(64));
}

TEST_P(GridBarriers, StreamsDoNotShareSavedValues) {
  const Stream one = device.create_stream(), other = device.create_stream();
  Buffer<int> c = device.upload(turned(0)), d = device.allocate<int>(kCount);
  device.synchronize();
  for (int i = 0; i < 4; ++i) {
    one.launch(turn, grid({kBlocks}, {kThreads}), a, b);
    other.launch(turn_often, grid({kBlocks}, {kThreads}), 3, c, d);
  }
  one.synchronize();
  other.synchronize();
  EXPECT_EQ(a.download(), turned(4));
  EXPECT_EQ(c.download(), turned(12));
}

TEST_P(GridBarriers, WorkInSessions) {
  SessionOptions options;
  options.device = GetParam();
  const Session session(options);
  const Device& own = session.device();
  const Module module = own.compile(kGridBarrierText);
  Buffer<int> c = own.upload(turned(0)), d = own.allocate<int>(kCount);
  own.launch(module.kernel("turn"), grid({kBlocks}, {kThreads}), c, d);
  own.launch(module.kernel("turn_often"), grid({kBlocks}, {kThreads}), 20, c, d);
  EXPECT_EQ(c.download(), turned(21));
}

INSTANTIATE_TEST_SUITE_P(All, GridBarriers, testing::ValuesIn(each_implementation({"native"})), device_name);

}  // namespace
}  // namespace quern::test
