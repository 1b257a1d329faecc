#include "comm/exercise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace quern::comm {

namespace {

// Small whole numbers: sums and products of up to four of them are exact in every type.
template <typename T>
T value(int rank, std::size_t i) {
  return static_cast<T>(static_cast<float>((static_cast<std::size_t>(rank) * 5 + i * 3) % 4 + 1));
}

template <typename T>
std::vector<T> values(int rank, std::size_t count, std::size_t first = 0) {
  std::vector<T> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = value<T>(rank, first + i);
  return out;
}

template <typename T>
T combined_value(Combine combine, int size, std::size_t i) {
  float out = static_cast<float>(value<T>(0, i));
  for (int rank = 1; rank < size; ++rank) {
    const float v = static_cast<float>(value<T>(rank, i));
    switch (combine) {
      case Combine::sum: out += v; break;
      case Combine::product: out *= v; break;
      case Combine::min: out = std::min(out, v); break;
      case Combine::max: out = std::max(out, v); break;
    }
  }
  return static_cast<T>(out);
}

template <typename T>
std::vector<T> combined_values(Combine combine, int size, std::size_t count, std::size_t first = 0) {
  std::vector<T> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = combined_value<T>(combine, size, first + i);
  return out;
}

template <typename T>
void exercise_type(const Communicator& ranks, Combine combine) {
  constexpr std::size_t kCount = 5;
  const Device& gpu = ranks.device();
  const Buffer<T> in = gpu.upload(values<T>(ranks.rank(), kCount));
  Buffer<T> out = gpu.allocate<T>(kCount);
  ranks.all_reduce(gpu, combine, in, out);
  EXPECT_EQ(out.download(), combined_values<T>(combine, ranks.size(), kCount));
}

template <typename T>
void exercise_type(const Communicator& ranks) {
  for (const Combine combine : {Combine::sum, Combine::product, Combine::min, Combine::max})
    exercise_type<T>(ranks, combine);
}

struct Triple {  // no arithmetic type
  float x, y, z;
  friend bool operator==(const Triple&, const Triple&) = default;
};

}  // namespace

void exercise_types(const Communicator& ranks) {
  exercise_type<float>(ranks);
  exercise_type<half>(ranks, Combine::sum);
  exercise_type<half>(ranks, Combine::max);
  exercise_type<bfloat16>(ranks, Combine::product);
  exercise_type<bfloat16>(ranks, Combine::min);
  exercise_type<double>(ranks, Combine::sum);
  exercise_type<double>(ranks, Combine::max);
  exercise_type<std::int64_t>(ranks, Combine::product);
  exercise_type<std::int32_t>(ranks, Combine::sum);
  exercise_type<std::int16_t>(ranks, Combine::sum);
  exercise_type<std::int8_t>(ranks, Combine::min);
  exercise_type<std::uint64_t>(ranks, Combine::max);
  exercise_type<std::uint32_t>(ranks, Combine::sum);
  exercise_type<std::uint16_t>(ranks, Combine::product);
  exercise_type<std::uint8_t>(ranks, Combine::sum);
}

void exercise_movement(const Communicator& ranks) {
  const Device gpu = ranks.device();
  const int rank = ranks.rank(), size = ranks.size();
  const auto parts = static_cast<std::size_t>(size), own = static_cast<std::size_t>(rank);
  for (const std::size_t n : {0, 1, 301}) {
    SCOPED_TRACE(std::to_string(n) + " elements");
    Buffer<int> data = gpu.upload(values<int>(rank, n));
    ranks.broadcast(gpu, data, size - 1);
    EXPECT_EQ(data.download(), values<int>(size - 1, n));

    const Buffer<int> in = gpu.upload(values<int>(rank, n));
    Buffer<int> all = gpu.allocate<int>(n * parts);
    ranks.all_gather(gpu, in, all);
    std::vector<int> want;
    for (int i = 0; i < size; ++i) {
      const std::vector<int> part = values<int>(i, n);
      want.insert(want.end(), part.begin(), part.end());
    }
    EXPECT_EQ(all.download(), want);
    all.fill(rank);  // in place
    ranks.all_gather(gpu, all.slice(own * n, n), all);
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = static_cast<int>(i / n);
    EXPECT_EQ(all.download(), want);

    const Buffer<int> rows = gpu.upload(values<int>(rank, n * parts));
    ranks.all_to_all(gpu, rows, all);
    want.clear();
    for (int i = 0; i < size; ++i) {
      const std::vector<int> part = values<int>(i, n, own * n);
      want.insert(want.end(), part.begin(), part.end());
    }
    EXPECT_EQ(all.download(), want);
  }
  const float x = static_cast<float>(rank);
  const Buffer<Triple> in = gpu.upload(std::vector<Triple>(3, {x, x + 1, x + 2}));
  Buffer<Triple> all = gpu.allocate<Triple>(3 * parts);
  ranks.all_gather(gpu, in, all);
  EXPECT_EQ(all.download().back(), (Triple{x - own + size - 1, x - own + size, x - own + size + 1}));
  ranks.barrier(gpu);
}

// Around a ring, and messages of different sizes.
void exercise_pairs(const Communicator& ranks) {
  const Device gpu = ranks.device();
  const int rank = ranks.rank(), size = ranks.size();
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  const auto length = [](int of) { return static_cast<std::size_t>(of) * 150 + 20; };
  const Buffer<float> in = gpu.upload(values<float>(rank, length(rank)));
  Buffer<float> out = gpu.allocate<float>(length(before));
  ranks.send_receive(gpu, in, next, out, before);
  EXPECT_EQ(out.download(), values<float>(before, length(before)));
  if (size == 1) return;
  if (rank == 0) ranks.send(gpu, in.slice(3), 1);
  if (rank != 1) return;
  Buffer<float> part = gpu.allocate<float>(length(0) - 3);
  ranks.receive(gpu, part, 0);
  EXPECT_EQ(part.download(), values<float>(0, length(0) - 3, 3));
}

void exercise_reductions(const Communicator& ranks) {
  const Device gpu = ranks.device();
  const int rank = ranks.rank(), size = ranks.size();
  const auto parts = static_cast<std::size_t>(size), own = static_cast<std::size_t>(rank);
  for (const std::size_t n : {0, 1, 700}) {
    SCOPED_TRACE(std::to_string(n) + " elements");
    Buffer<float> data = gpu.upload(values<float>(rank, n));
    ranks.all_reduce(gpu, Combine::sum, data, data);  // in place
    EXPECT_EQ(data.download(), combined_values<float>(Combine::sum, size, n));

    data.upload(values<float>(rank, n));
    if (rank == 0) {
      ranks.reduce(gpu, Combine::max, data, data, 0);
      EXPECT_EQ(data.download(), combined_values<float>(Combine::max, size, n));
    } else {
      ranks.reduce(gpu, Combine::max, data, Slice<float>(), 0);
      EXPECT_EQ(data.download(), values<float>(rank, n));
    }

    const Buffer<float> rows = gpu.upload(values<float>(rank, n * parts));
    ranks.reduce_scatter(gpu, Combine::product, rows, data);
    EXPECT_EQ(data.download(), combined_values<float>(Combine::product, size, n, own * n));
  }
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  const float x = static_cast<float>(rank);
  const Buffer<float> special = gpu.upload(std::vector<float>{rank == 0 ? kNaN : x, kNaN, x, -kInfinity});
  Buffer<float> out = gpu.allocate<float>(4);
  ranks.all_reduce(gpu, Combine::max, special, out);
  const std::vector<float> most = out.download();
  EXPECT_TRUE(size == 1 || most[0] == static_cast<float>(size - 1)) << most[0];
  EXPECT_TRUE(std::isnan(most[1]));
  EXPECT_EQ(most[2], static_cast<float>(size - 1));
  EXPECT_EQ(most[3], -kInfinity);
  ranks.all_reduce(gpu, Combine::sum, special, out);
  EXPECT_TRUE(std::isnan(out.download()[0]));
}

// Operations start after the work of their stream.
void exercise_streams(const Communicator& ranks) {
  const Device gpu = ranks.device();
  const Stream stream = gpu.create_stream();
  Buffer<int> data = gpu.allocate<int>(1000);
  for (int round = 1; round < 4; ++round) {
    stream.fill(data, round);
    ranks.all_reduce(stream, Combine::sum, data, data);
    EXPECT_EQ(data.download(), std::vector<int>(1000, round * ranks.size()));
  }
  std::vector<Buffer<int>> many;
  std::vector<Request> requests;
  for (int i = 0; i < 5; ++i) {
    many.push_back(gpu.allocate<int>(10));
    stream.fill(many.back(), i);
    requests.push_back(ranks.async().all_reduce(stream, Combine::sum, many.back(), many.back()));
  }
  ranks.barrier(gpu);  // after them
  for (std::size_t i = 0; i < many.size(); ++i) {
    EXPECT_TRUE(requests[i].done());
    requests[i].wait();
    EXPECT_TRUE(requests[i].wait_for(std::chrono::seconds(0)));
    EXPECT_EQ(many[i].download(), std::vector<int>(10, static_cast<int>(i) * ranks.size()));
  }
}

// All ranks get the error, and the communicator remains usable.
void exercise_differences(const Communicator& ranks) {
  if (ranks.size() == 1) return;
  const Device gpu = ranks.device();
  Buffer<int> data = gpu.upload(std::vector<int>(8, 1));
  const auto length = static_cast<std::size_t>(ranks.rank() == 0 ? 4 : 5);
  EXPECT_COMM_ERROR(invalid_use, "comm::all_reduce failed",
                    ranks.all_reduce(gpu, Combine::sum, data.slice(0, length), data.slice(0, length)));
  EXPECT_COMM_ERROR(invalid_use, "failed",
                    ranks.rank() == 0 ? ranks.barrier(gpu) : ranks.broadcast(gpu, data, 1));
  EXPECT_COMM_ERROR(invalid_use, "comm::broadcast failed", ranks.broadcast(gpu, data, ranks.rank()));
  if (ranks.rank() == 0)
    EXPECT_COMM_ERROR(invalid_use, "rank 0 sends 16 bytes, and the receiver has memory for 20",
                      ranks.send(gpu, data.slice(0, 4), 1));
  if (ranks.rank() == 1)
    EXPECT_COMM_ERROR(invalid_use, "comm::receive failed: rank 0 sends 16 bytes",
                      ranks.receive(gpu, data.slice(0, 5), 0));
  ranks.all_reduce(gpu, Combine::sum, data, data);
  EXPECT_EQ(data.download(), std::vector<int>(8, ranks.size()));
}

}  // namespace quern::comm
