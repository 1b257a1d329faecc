// Transports between processes on fake libraries for CUDA and NCCL: tests/comm/ranks.sh runs this program
// with mpirun. Memory of devices is host memory, which processes can share.
#include <chrono>
#include <csignal>
#include <cstdlib>

#include <dlfcn.h>

#include "comm/combine.hpp"
#include "comm/exercise.hpp"
#include "comm/fake_nccl.hpp"
#include "cuda/fake_cuda.hpp"
#include "quern/interop.hpp"
#include "quern/process.hpp"

namespace quern::comm {
namespace {

// The kernels of the transport ipc, as functions of the host.
template <typename T, Combine combine>
void run_combine(const test::FakeLaunch& launch) {
  const auto at = [&](std::size_t i) { return reinterpret_cast<T*>(launch.arguments[i]); };
  for (std::uint64_t i = 0; i < launch.arguments[3]; ++i) at(0)[i] = combined<combine>(at(1)[i], at(2)[i]);
}

void declare_combine_kernels(test::FakeCuda& fake) {
  for (int e = 0; e <= static_cast<int>(Element::u8); ++e) {
    for (int c = 0; c < 4; ++c) {
      const std::string name = "quern_comm_combine_" + std::to_string(c) + "_" + std::to_string(e);
      fake.declare_kernel(name, {8, 8, 8, 8});
      with_type(static_cast<Element>(e), [&]<typename T>(T) {
        with_combine(static_cast<Combine>(c),
                     [&](auto combine) { fake.run_kernel(name, run_combine<T, decltype(combine)::value>); });
      });
    }
  }
}

template <typename Get>
auto* control(const char* file, const char* function) {
  void* const library = dlopen(file, RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Get*>(dlsym(library, function))();
}

class MpiTransports : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("QUERN_TEST_RANKS") == nullptr)
      GTEST_SKIP() << "this process is not a rank: see ranks.sh";
    const int rank = job_rank().value_or(JobRank{}).rank;
    ::setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1);
    ::setenv("QUERN_NCCL_LIBRARY", QUERN_FAKE_NCCL, 1);
    ::setenv("QUERN_NVRTC", "none", 1);
    ::setenv("QUERN_MPI_GPU", "1", 1);
    ::setenv("FAKE_CUDA_SHARED", "1", 1);
    ::setenv("FAKE_CUDA_HARDWARE", std::to_string(rank).c_str(), 1);
    ::unsetenv("QUERN_COMM_TRANSPORT");
    cuda = control<test::GetFakeCuda>(QUERN_FAKE_CUDA, "fake_cuda");
    nccl = control<test::GetFakeNccl>(QUERN_FAKE_NCCL, "fake_nccl");
    ASSERT_NE(cuda, nullptr);
    ASSERT_NE(nccl, nullptr);
    cuda->reset();
    nccl->reset();
    prepare();
    declare_combine_kernels(*cuda);
    everyone = mpi(open("sim"));  // for the test itself
    gpu = open("cuda");
  }
  virtual void prepare() {}  // before the driver starts
  void TearDown() override {
    if (everyone) everyone.barrier(everyone.device());
  }

  static MpiOptions small(std::optional<Transport> transport = {}) {
    MpiOptions options;
    options.timeout = std::chrono::seconds(20);
    options.chunk_bytes = 1000;
    options.transport = transport;
    return options;
  }
  // The largest value of all ranks.
  int largest(int value) const {
    Buffer<int> data = everyone.device().upload(std::vector<int>{value});
    everyone.all_reduce(everyone.device(), Combine::max, data, data);
    return data.download().front();
  }
  bool is_last() const { return everyone.rank() == everyone.size() - 1; }

  test::FakeCuda* cuda = nullptr;
  test::FakeNccl* nccl = nullptr;
  Communicator everyone;
  Device gpu;
};

std::string reason_of(const Communicator& ranks, Transport transport) {
  for (const TransportInfo& info : ranks.transports()) {
    if (info.transport == transport) return info.is_available ? "available" : info.reason;
  }
  return "missing";
}

TEST_F(MpiTransports, AllOperationsOfEach) {
  for (const Transport transport :
       {Transport::nccl, Transport::ipc, Transport::gpu_aware_mpi, Transport::staged}) {
    SCOPED_TRACE(to_string(transport));
    const Communicator ranks = mpi(gpu, small(transport));
    EXPECT_EQ(reason_of(ranks, transport), "available");
    exercise(ranks);
    EXPECT_EQ(ranks.last_transport(), transport == Transport::gpu_aware_mpi ? Transport::staged : transport);
    Buffer<float> data = gpu.allocate<float>(300);
    ranks.broadcast(gpu, data, 0);
    EXPECT_EQ(ranks.last_transport(), transport);
    ranks.barrier(gpu);
    EXPECT_EQ(ranks.last_transport(), std::nullopt);
    const Request request = ranks.async().all_gather(
        gpu, data.slice(290, 5), data.slice(0, 5 * static_cast<std::size_t>(ranks.size())));
    request.wait();
    EXPECT_EQ(request.transport(), transport);
  }
  EXPECT_EQ(nccl->alive(), 0);
}

// NCCL has no 16-bit integers and no rule for NaN.
TEST_F(MpiTransports, OtherTransportsReplaceAnIncompleteOne) {
  const Communicator ranks = mpi(gpu, small(Transport::nccl));
  Buffer<std::int16_t> shorts = gpu.allocate<std::int16_t>(10);
  ranks.all_reduce(gpu, Combine::sum, shorts, shorts);
  EXPECT_EQ(ranks.last_transport(), Transport::staged);
  Buffer<float> data = gpu.allocate<float>(10);
  ranks.all_reduce(gpu, Combine::max, data, data);
  EXPECT_EQ(ranks.last_transport(), Transport::staged);
  ranks.all_reduce(gpu, Combine::sum, data, data);
  EXPECT_EQ(ranks.last_transport(), Transport::nccl);
}

TEST_F(MpiTransports, ChoosesTheSameOnAllRanks) {
  const Communicator ranks = mpi(gpu, small());
  for (const TransportInfo& info : ranks.transports())
    EXPECT_TRUE(info.is_available) << to_string(info.transport) << ": " << info.reason;
  const std::vector<TransportChoice> choices = ranks.transport_choices();
  ASSERT_EQ(choices.size(), 9u);
  for (const TransportChoice& choice : choices) {
    const int own = static_cast<int>(choice.transport);
    EXPECT_EQ(largest(own), own);
    EXPECT_EQ(-largest(-own), own);
    EXPECT_EQ(choice.microseconds.size(), choice.pattern == TransportPattern::sums ? 3u : 4u);
    ASSERT_FALSE(choice.microseconds.empty());
    EXPECT_EQ(choice.microseconds.front().first, choice.transport);
  }
  exercise(ranks);
}

TEST_F(MpiTransports, EnvironmentSelectsOne) {
  ::setenv("QUERN_COMM_TRANSPORT", "ipc", 1);
  const Communicator ranks = mpi(gpu, small());
  EXPECT_EQ(ranks.transport_choices().front().transport, Transport::ipc);
  EXPECT_EQ(reason_of(ranks, Transport::nccl), "the transport 'ipc' was requested");
  ::setenv("QUERN_COMM_TRANSPORT", "pigeon", 1);
  EXPECT_COMM_ERROR(invalid_use, "'pigeon' is no transport", mpi(gpu, small()));
  ::unsetenv("QUERN_COMM_TRANSPORT");
  EXPECT_COMM_ERROR(invalid_use, "the ranks pass different transports",
                    mpi(gpu, small(everyone.rank() == 0 ? Transport::ipc : Transport::nccl)));
}

// The driver starts once, so this test has its own processes.
class MpiTransportReasons : public MpiTransports {
 protected:
  void prepare() override {
    ::setenv("FAKE_CUDA_HARDWARE", "0", 1);
    ::setenv("QUERN_MPI_GPU", "0", 1);
    const JobRank rank = job_rank().value_or(JobRank{});
    if (rank.rank == rank.size - 1) cuda->hide("cuIpcGetMemHandle");
  }
};

TEST_F(MpiTransportReasons, WhyOneIsMissing) {
  {
    const Communicator ranks = mpi(gpu, small());
    EXPECT_EQ(reason_of(ranks, Transport::nccl), "ranks 0 and 1 use the same GPU, which NCCL does not allow");
    EXPECT_EQ(reason_of(ranks, Transport::gpu_aware_mpi), "QUERN_MPI_GPU is off");
    EXPECT_NE(reason_of(ranks, Transport::ipc).find("rank " + std::to_string(everyone.size() - 1) + ": "),
              std::string::npos)
        << reason_of(ranks, Transport::ipc);
    exercise_movement(ranks);
  }
  EXPECT_COMM_ERROR(unsupported, "the transport 'nccl' is not available: ranks 0 and 1",
                    mpi(gpu, small(Transport::nccl)));
  ::setenv("QUERN_NCCL_LIBRARY", "/nowhere/libnccl.so", 1);
  EXPECT_NE(reason_of(mpi(gpu, small()), Transport::nccl).find("'/nowhere/libnccl.so' failed"),
            std::string::npos);
  ::setenv("QUERN_NCCL_LIBRARY", QUERN_FAKE_CUDA, 1);
  EXPECT_NE(reason_of(mpi(gpu, small()), Transport::nccl).find("no function ncclGetVersion"),
            std::string::npos);
  const Communicator mixed = mpi(everyone.rank() == 0 ? gpu : everyone.device(), small());
  EXPECT_EQ(reason_of(mixed, Transport::ipc), "not all devices are GPUs of the drivers cuda or hip");
}

// Mappings are opened once, and closed before the owner frees the memory.
TEST_F(MpiTransports, IpcCachesMappings) {
  const Communicator ranks = mpi(gpu, small(Transport::ipc));
  const auto others = static_cast<std::uint64_t>(ranks.size() - 1);
  const auto size = static_cast<std::size_t>(ranks.size());
  Buffer<int> all = gpu.allocate<int>(1000 * size);
  Buffer<int> own = interop::allocate_shared<int>(gpu, 2000, interop::ShareKind::cuda_ipc);
  own.fill(ranks.rank());
  ranks.barrier(gpu);
  const std::uint64_t opened = cuda->count("cuIpcOpenMemHandle"), closed = cuda->count("cuIpcCloseMemHandle");
  for (int round = 0; round < 3; ++round) {
    const Slice<int> part = own.slice(static_cast<std::size_t>(round) * 400, 1000);  // at an offset
    part.fill(100 * round + ranks.rank());
    ranks.all_gather(gpu, part, all);
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_EQ(all.slice(i * 1000, 1000).download(),
                std::vector<int>(1000, 100 * round + static_cast<int>(i)));
  }
  EXPECT_EQ(cuda->count("cuIpcOpenMemHandle"), opened + others);
  const std::uint64_t freed = cuda->count("cuMemFree");
  own = {};
  gpu.synchronize();
  EXPECT_EQ(cuda->count("cuMemFree"), freed);  // the others have mapped it
  EXPECT_EQ(cuda->count("cuIpcCloseMemHandle"), closed);
  ranks.broadcast(gpu, all, 0);
  EXPECT_EQ(cuda->count("cuIpcCloseMemHandle"), closed + others);
  EXPECT_EQ(cuda->count("cuMemFree"), freed + 1);
}

// Memory of the driver's pool cannot be shared, so it goes through the window in rounds.
TEST_F(MpiTransports, IpcCopiesPoolMemoryThroughTheWindow) {
  MpiOptions options = small(Transport::ipc);
  options.chunk_bytes = 1 << 20;
  const Communicator ranks = mpi(gpu, options);
  constexpr std::size_t kCount = (17 << 20) / sizeof(float);
  const Buffer<float> in = gpu.upload(std::vector<float>(kCount, static_cast<float>(ranks.rank() + 1)));
  Buffer<float> out = gpu.allocate<float>(kCount);
  EXPECT_COMM_ERROR(unsupported, "memory of the driver's pool", interop::share(Slice<float>(out)));
  const int next = (ranks.rank() + 1) % ranks.size(), last = (ranks.rank() + ranks.size() - 1) % ranks.size();
  ranks.send_receive(gpu, in, next, out, last);
  EXPECT_EQ(out.download(), std::vector<float>(kCount, static_cast<float>(last + 1)));
  ranks.all_reduce(gpu, Combine::sum, in, out);
  const auto size = static_cast<float>(ranks.size());
  EXPECT_EQ(out.download(), std::vector<float>(kCount, size * (size + 1) / 2));
}

// Each call in turn fails on the last rank. Either the transport is left out with a reason, or all ranks have
// an error before their time limit. Without a failure, everything works.
TEST_F(MpiTransports, EachCallFailsOnce) {
  const auto attempt = [&](Transport transport, const char* function, std::uint64_t nth) {
    if (is_last() && transport == Transport::ipc) cuda->fail(function, nth, 1);
    if (is_last() && transport == Transport::nccl) nccl->fail(function, nth);
    const auto begin = std::chrono::steady_clock::now();
    const Error error = error_of([&] {
      const Communicator ranks = mpi(gpu, small(transport));
      const auto size = static_cast<std::size_t>(ranks.size());
      Buffer<int> data = gpu.upload(std::vector<int>(10 * size, 1)), out = gpu.allocate<int>(10 * size);
      ranks.all_reduce(gpu, Combine::sum, data, data);
      EXPECT_EQ(data.download(), std::vector<int>(10 * size, ranks.size()));
      ranks.all_to_all(gpu, data, out);
      ranks.send_receive(gpu, data, (ranks.rank() + 1) % ranks.size(), out,
                         (ranks.rank() + ranks.size() - 1) % ranks.size());
      EXPECT_EQ(out.download(), std::vector<int>(10 * size, ranks.size()));
    });
    const bool has_failed =
        is_last() && (transport == Transport::ipc ? cuda->has_failed() : nccl->has_failed());
    const bool is_fine = error.what() == std::string("nothing was thrown");
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(elapsed.count(), 15.0) << function << " " << nth;
    const bool any = largest(has_failed ? 1 : 0) != 0;
    EXPECT_TRUE(any || is_fine) << function << " " << nth << ": " << error.what();
    EXPECT_TRUE(is_fine || error.kind() != ErrorKind::invalid_use) << error.what();
    return any;
  };
  for (const char* const function :
       {"cuIpcGetMemHandle", "cuIpcOpenMemHandle", "cuMemcpyDtoDAsync", "cuLaunchKernel"}) {
    std::uint64_t nth = 0;
    while (nth < 40 && attempt(Transport::ipc, function, nth)) ++nth;
    EXPECT_GT(nth, 0u) << function;
    EXPECT_LT(nth, 40u) << function;
  }
  for (const char* const function : {"ncclGetVersion", "ncclCommInitRankConfig"})
    EXPECT_TRUE(attempt(Transport::nccl, function, 0)) << function;
}

// Ranks end by SIGKILL in the middle of operations of a transport.
class MpiTransportKill : public MpiTransports {
 protected:
  void TearDown() override {}
  void expect_error(Transport transport) {
    const Communicator ranks = mpi(gpu, small(transport)).with_timeout(std::chrono::seconds(2));
    Buffer<float> data = gpu.upload(std::vector<float>(20000, 1.0f));
    ranks.all_reduce(gpu, Combine::sum, data, data);
    EXPECT_EQ(ranks.last_transport(), transport);
    const auto begin = std::chrono::steady_clock::now();
    const Error error = error_of([&] {
      for (int round = 0; round < 1000; ++round) {
        if (round == 2 && is_last()) std::raise(SIGKILL);
        ranks.all_reduce(gpu, Combine::sum, data, data);
      }
    });
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(error.kind() == ErrorKind::timeout || error.kind() == ErrorKind::io) << error.what();
    EXPECT_LT(elapsed.count(), 10.0);
    if (!HasFailure())
      std::printf("a survivor has an error after %.1f s: %s\n", elapsed.count(), error.what());
    std::fflush(stdout);
  }
};

TEST_F(MpiTransportKill, Ipc) { expect_error(Transport::ipc); }

// Without the comparison of calls, NCCL itself waits for the missing rank.
TEST_F(MpiTransportKill, Nccl) {
  MpiOptions options = small(Transport::nccl);
  options.check = false;
  const Communicator ranks = mpi(gpu, options).with_timeout(std::chrono::seconds(2));
  Buffer<float> data = gpu.upload(std::vector<float>(20000, 1.0f));
  ranks.all_reduce(gpu, Combine::sum, data, data);
  if (is_last()) std::raise(SIGKILL);
  const Error error = error_of([&] { ranks.all_reduce(gpu, Combine::sum, data, data); });
  EXPECT_EQ(error.kind(), ErrorKind::timeout) << error.what();
  EXPECT_EQ(nccl->count("ncclCommAbort"), 1u);
  EXPECT_EQ(error_of([&] { ranks.barrier(gpu); }).kind(), ErrorKind::timeout);
  if (!HasFailure()) std::printf("a survivor has an error after 2 s: %s\n", error.what());
  std::fflush(stdout);
}

}  // namespace
}  // namespace quern::comm
