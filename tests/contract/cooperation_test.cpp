// Blocks that work together: cooperative launches, clusters, and kernels on persistent streams.
#include <atomic>
#include <cstring>

#include "contract/contract.hpp"

namespace quern::contract {
namespace {

constexpr TextKernel kGridSum = {"contract_grid_sum", R"(
#include <cooperative_groups.h>
__global__ void contract_grid_sum(int* values, int* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = i + 1;
  cooperative_groups::this_grid().sync();
  int sum = 0;
  for (int k = 0; k < gridDim.x * blockDim.x; ++k) sum += values[k];
  sums[i] = sum;
}
)"};

constexpr TextKernel kCluster = {"contract_cluster", R"(
#include <cooperative_groups.h>
__global__ void contract_cluster(int* out) {
  __shared__ int own;
  auto cluster = cooperative_groups::this_cluster();
  unsigned blocks = cluster.num_blocks(), rank = cluster.block_rank();
  if (threadIdx.x == 0) own = blockIdx.x;
  cluster.sync();
  int next = *cluster.map_shared_rank(&own, (rank + 1) % blocks);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = blocks * 10000 + rank * 100 + next;
}
)"};

constexpr TextKernel kMailbox = {"contract_mailbox", R"(
__global__ void contract_mailbox(volatile int* mailbox) {
  int letter;
  do { letter = mailbox[0]; } while (letter == 0);
  mailbox[1] = letter + 1;
}
)"};

QUERN_KERNEL(contract_twice, (int* values), { values[threadIdx.x] *= 2; })

class CooperationContract : public Contract {
 protected:
  Result<> launch_together(driver::Stream& stream, driver::Kernel& kernel, uint32_t blocks, uint32_t threads,
                           const std::vector<Argument>& arguments, Dim3 cluster = {1, 1, 1}) {
    driver::Launch launch;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.arguments = arguments;
    launch.cooperative = kernel.info.needs_cooperative;
    launch.cluster = cluster;
    return device().launch(stream, kernel, launch);
  }
};
QUERN_CONTRACT(CooperationContract);

TEST_P(CooperationContract, AllBlocksOfACooperativeLaunchSynchronize) {
  driver::Kernel* const k = kernel(kGridSum, {.features = {Feature::grid_barrier}});
  if (k == nullptr) return;
  EXPECT_TRUE(k->info.needs_cooperative);
  const StreamPtr s = stream();
  for (const uint32_t blocks : {1u, 4u}) {
    const int n = static_cast<int>(blocks) * 32;
    const BufferPtr values = buffer(static_cast<uint64_t>(n) * 4);
    const BufferPtr sums = buffer(values->bytes);
    ASSERT_OK(device().fill(*s, {values.get(), 0}, 0, 4, values->bytes));
    ASSERT_OK(launch_together(*s, *k, blocks, 32, {place_of(*values), place_of(*sums)}));
    EXPECT_EQ(contents<int>(*s, *sums), std::vector<int>(static_cast<size_t>(n), n * (n + 1) / 2));
  }
}

TEST_P(CooperationContract, EveryKernelRunsInACooperativeLaunch) {
  driver::Kernel* const k = kernel(contract_twice.text(), {.features = {Feature::grid_barrier}});
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr values = buffer_with(*s, std::vector<int>{1, 2, 3, 4});
  const std::vector<Argument> arguments = {place_of(*values)};
  driver::Launch launch;
  launch.block = {4, 1, 1};
  launch.arguments = arguments;
  launch.cooperative = true;
  ASSERT_OK(device().launch(*s, *k, launch));
  EXPECT_EQ(contents<int>(*s, *values), (std::vector<int>{2, 4, 6, 8}));
}

TEST_P(CooperationContract, BlocksOfAClusterShareMemory) {
  driver::Kernel* const k = kernel(kCluster, {.features = {Feature::clusters}});
  if (k == nullptr) return;
  const StreamPtr s = stream();
  constexpr uint32_t kBlocks = 8;
  for (uint32_t cluster = 1; cluster <= std::min(kBlocks, info().limits.cluster_blocks); cluster *= 2) {
    SCOPED_TRACE("clusters of " + std::to_string(cluster) + " blocks");
    const BufferPtr out = buffer(kBlocks * 4);
    ASSERT_OK(launch_together(*s, *k, kBlocks, 32, {place_of(*out)}, {cluster, 1, 1}));
    std::vector<int> expected;
    for (uint32_t b = 0; b < kBlocks; ++b) {
      const uint32_t rank = b % cluster;
      const uint32_t next = b - rank + (rank + 1) % cluster;
      expected.push_back(static_cast<int>(cluster * 10000 + rank * 100 + next));
    }
    EXPECT_EQ(contents<int>(*s, *out), expected);
  }
}

// Ends the kernel in any case: a device with a running kernel cannot be closed.
class Mailbox {
 public:
  explicit Mailbox(driver::Buffer& buffer) : words_(reinterpret_cast<int*>(buffer.host)) {
    std::memset(buffer.host, 0, buffer.bytes);
  }
  ~Mailbox() {
    if (read(0) == 0) post(1);
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void post(int letter) { std::atomic_ref(words_[0]).store(letter, std::memory_order_seq_cst); }
  int read(size_t word) const { return std::atomic_ref(words_[word]).load(std::memory_order_seq_cst); }

 private:
  int* words_;
};

// Nothing is allocated or loaded while the kernel runs: some drivers wait for all kernels then.
TEST_P(CooperationContract, OtherStreamsRunWhileAPersistentKernelWaitsForTheHost) {
  driver::Kernel* const persistent = kernel(kMailbox, {.features = {Feature::persistent}});
  if (persistent == nullptr) return;
  driver::Kernel* const twice = kernel(contract_twice.text());
  if (twice == nullptr) return;
  const bool is_mapped = has(Feature::mapped_memory);
  if (!is_mapped && !has(Feature::shared_memory))
    GTEST_SKIP() << info().id() << " shares no memory with the host";
  const BufferPtr memory = buffer(64, is_mapped ? MemoryKind::mapped : MemoryKind::shared);
  ASSERT_NE(memory->host, nullptr);
  auto own_stream = device().create_stream({.is_persistent = true});
  ASSERT_OK(own_stream);
  const StreamPtr other = stream();
  const EventPtr ended = event();
  const BufferPtr values = buffer_with(*other, std::vector<int>{1, 2, 3, 4});
  Mailbox mailbox(*memory);

  ASSERT_OK(launch(**own_stream, *persistent, {1, 1, 1}, {1, 1, 1}, {place_of(*memory)}));
  ASSERT_OK(device().record(**own_stream, *ended));
  for (int i = 0; i < 3; ++i) ASSERT_OK(launch(*other, *twice, {1, 1, 1}, {4, 1, 1}, {place_of(*values)}));
  EXPECT_EQ(contents<int>(*other, *values), (std::vector<int>{8, 16, 24, 32}));
  EXPECT_FALSE(device().reached(*ended).value_or(true)) << "the kernel ended before the host wrote";
  EXPECT_EQ(mailbox.read(1), 0);

  mailbox.post(41);
  ASSERT_OK(device().wait(*ended));
  EXPECT_EQ(mailbox.read(1), 42);
  EXPECT_OK(device().synchronize(**own_stream));
}

}  // namespace
}  // namespace quern::contract
