// Graphs: sequences of commands that are instantiated once and run many times.
#include "contract/contract.hpp"

namespace quern::contract {
namespace {

using driver::Command;

QUERN_KERNEL(contract_plus, (const int* from, int* to, int n, int plus), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + plus;
})

class GraphContract : public Contract {
 protected:
  static Command upload(driver::Buffer& to, const std::vector<int>& source) {
    Command c;
    c.kind = Command::Kind::kUpload;
    c.to = {&to, 0};
    c.source = source.data();
    c.bytes = source.size() * 4;
    return c;
  }
  static Command download(std::vector<int>& target, driver::Buffer& from) {
    Command c;
    c.kind = Command::Kind::kDownload;
    c.from = {&from, 0};
    c.target = target.data();
    c.bytes = target.size() * 4;
    return c;
  }
  static Command copy(driver::Buffer& to, driver::Buffer& from, uint64_t bytes) {
    Command c;
    c.kind = Command::Kind::kCopy;
    c.to = {&to, 0};
    c.from = {&from, 0};
    c.bytes = bytes;
    return c;
  }
  static Command fill(Place to, uint64_t value, uint32_t width, uint64_t bytes) {
    Command c;
    c.kind = Command::Kind::kFill;
    c.to = to;
    c.value = value;
    c.width = width;
    c.bytes = bytes;
    return c;
  }
};
QUERN_CONTRACT(GraphContract);

TEST_P(GraphContract, EmptyGraphsRun) {
  const StreamPtr s = stream();
  auto graph = device().make_graph({});
  ASSERT_OK(graph);
  EXPECT_OK(device().run_graph(*s, **graph));
  EXPECT_OK(device().synchronize(*s));
  device().destroy(std::move(*graph));
}

TEST_P(GraphContract, RunsCopiesInOrder) {
  const StreamPtr s = stream();
  const BufferPtr a = buffer(64);
  const BufferPtr b = buffer(64);
  std::vector<int> source(16, 5);
  std::vector<int> target(16);
  const std::vector<Command> commands = {upload(*a, source), fill({a.get(), 4}, 9, 4, 8), copy(*b, *a, 64),
                                         download(target, *b)};
  auto graph = device().make_graph(commands);
  ASSERT_OK(graph);
  EXPECT_TRUE(!(*graph)->is_native || has(Feature::graphs));
  for (int round = 0; round < 3; ++round) {
    source.assign(16, 5 + round);  // read each time the graph runs
    ASSERT_OK(device().run_graph(*s, **graph));
    ASSERT_OK(device().synchronize(*s));
    std::vector<int> expected = source;
    expected[1] = expected[2] = 9;
    EXPECT_EQ(target, expected);
  }
  device().destroy(std::move(*graph));
}

TEST_P(GraphContract, RunsLaunchesAndUpdatesThem) {
  driver::Kernel* const k = kernel(contract_plus.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr a = buffer_with(*s, std::vector<int>(100, 1));
  const BufferPtr b = buffer_with(*s, std::vector<int>(100, 0));
  const int n = 100;
  int plus = 10;
  std::vector<Argument> forth = {place_of(*a), place_of(*b), value_of(n), value_of(plus)};
  std::vector<Argument> back = {place_of(*b), place_of(*a), value_of(n), value_of(plus)};
  std::vector<Command> commands(2);
  for (size_t i = 0; i < 2; ++i) {
    commands[i].kind = Command::Kind::kLaunch;
    commands[i].kernel = k;
    commands[i].launch.grid = {4, 1, 1};
    commands[i].launch.block = {32, 1, 1};
    commands[i].launch.arguments = i == 0 ? forth : back;
  }
  auto graph = device().make_graph(commands);
  ASSERT_OK(graph);
  for (int i = 0; i < 3; ++i) ASSERT_OK(device().run_graph(*s, **graph));
  EXPECT_EQ(contents<int>(*s, *a), std::vector<int>(100, 61));

  plus = 100;
  const int half = 50;
  back[2] = value_of(half);
  commands[1].launch.arguments = back;
  commands[1].launch.grid = {2, 1, 1};
  ASSERT_OK(device().update_graph(**graph));
  ASSERT_OK(device().run_graph(*s, **graph));
  std::vector<int> expected(100, 61);
  std::fill_n(expected.begin(), 50, 261);
  EXPECT_EQ(contents<int>(*s, *a), expected);
  EXPECT_EQ(contents<int>(*s, *b), std::vector<int>(100, 161));
  device().destroy(std::move(*graph));
}

TEST_P(GraphContract, MixesWithOtherWorkOfTheStream) {
  const StreamPtr s = stream();
  const BufferPtr a = buffer(64);
  const BufferPtr b = buffer(64);
  const std::vector<Command> commands = {copy(*b, *a, 64)};
  auto graph = device().make_graph(commands);
  ASSERT_OK(graph);
  ASSERT_OK(device().fill(*s, {a.get(), 0}, 3, 4, 64));
  ASSERT_OK(device().run_graph(*s, **graph));
  ASSERT_OK(device().fill(*s, {a.get(), 0}, 4, 4, 64));
  EXPECT_EQ(contents<int>(*s, *b), std::vector<int>(16, 3));
  EXPECT_EQ(contents<int>(*s, *a), std::vector<int>(16, 4));
  device().destroy(std::move(*graph));
}

}  // namespace
}  // namespace quern::contract
