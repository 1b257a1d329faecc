// Rows of a tensor. A group of kWidth threads works on a row: a part of a warp, a warp, or a whole block. A part of the
// row is in registers: kItems pieces of kVector elements for each thread. kVector 0: elements with a stride.

namespace quern_ops {

constexpr int kRowThreads = 256;  // of a block with several groups
constexpr int threads_of(int width) { return width <= 32 ? kRowThreads : width; }
// Blocks of a compute unit for which twice the registers of `bytes` are left to each thread, at least 64.
constexpr int resident_of(int width, int bytes) {
  const int threads = bytes <= 128 ? 1024 : bytes <= 256 ? 512 : 256;
  return threads_of(width) < threads ? threads / threads_of(width) : 1;
}

template <class A>
constexpr int bytes_of_thread(int vector, int items) {
  return static_cast<int>(sizeof(A)) * items * (vector == 0 ? 1 : vector);
}

template <class T, class A, int kVector, int kItems, int kWidth>
struct Row {
  static constexpr int kEach = kVector == 0 ? 1 : kVector;
  static constexpr int kCount = kItems * kEach;          // elements of a thread
  static constexpr int kPart = kCount * kWidth;          // elements of the group
  using P = Piece<T, kEach>;
  A v[kCount];

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kWidth; }
  // The position of element k of this thread in the part.
  __device__ static int position(int k) { return (k / kEach * kWidth + lane()) * kEach + k % kEach; }
  __device__ static bool has(int item, int count) { return position(item * kEach) < count; }

  // Elements from `count` on are `missing`. All loads precede the first use of their results.
  __device__ void load(const T* p, int count, long long stride, A missing) {
    A none[kEach];
#pragma unroll
    for (int e = 0; e < kEach; ++e) none[e] = missing;
    typename P::Raw raw[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      raw[item] = P::pack(none);
      if (has(item, count)) raw[item] = raw_piece<T, kEach>(p + offset(item, stride));
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item) P::unpack(raw[item], v + item * kEach);
  }
  __device__ void store(T* p, int count, long long stride) const {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      if (has(item, count)) store_item(p, item, stride, v + item * kEach);
    }
  }
  __device__ static void load_item(const T* p, int item, long long stride, A* to) {
    load_piece<T, kEach>(p + offset(item, stride), to);
  }
  __device__ static void store_item(T* p, int item, long long stride, const A* from) {
    store_piece<T, kEach>(p + offset(item, stride), from);
  }

 private:
  __device__ static long long offset(int item, long long stride) {
    return kVector == 0 ? position(item * kEach) * stride : position(item * kEach);
  }
};

// The rows of this block: visit(row, whether it exists). All threads make the same number of visits.
template <int kWidth, class Visit>
__device__ void for_each_row(long long rows, const Visit& visit) {
  constexpr int kRows = threads_of(kWidth) / kWidth;
  for (long long first = static_cast<long long>(blockIdx.x) * kRows; first < rows;
       first += static_cast<long long>(gridDim.x) * kRows) {
    const long long row = first + threadIdx.x / kWidth;
    visit(row, row < rows);
  }
}

// Calls load(first element, number of elements of the part) and visit() with the same arguments for the parts of a
// row. kIsLong false: the row has a single part.
template <class R, bool kIsLong, class Load, class Visit>
__device__ void for_each_part(long long count, const Load& load, const Visit& visit) {
  long long first = 0;
  do {
    const int part = static_cast<int>(count - first < R::kPart ? count - first : R::kPart);
    load(first, part);
    visit(first, part);
    first += R::kPart;
  } while (kIsLong && first < count);
}
// The same after for_each_part(), from the last part to the first: the last one is still in registers, and those before
// it are likely to be in a cache.
template <class R, bool kIsLong, class Load, class Visit>
__device__ void for_each_part_again(long long count, const Load& load, const Visit& visit) {
  long long first = kIsLong && count > 0 ? (count - 1) / R::kPart * R::kPart : 0;
  visit(first, static_cast<int>(count - first));
  while (kIsLong && first > 0) {
    first -= R::kPart;
    load(first, R::kPart);
    visit(first, R::kPart);
  }
}

// Sum and maximum of the values of kLanes neighboring lanes. The maximum ignores NaN.
template <int kLanes, class A>
__device__ A sum_of_lanes(A value) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}
template <int kLanes, class A>
__device__ A max_of_lanes(A value) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value = fmax(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

// Combines a value of each thread of the group by S::of_lanes<kLanes>(); all threads receive the result. A block needs
// one part for each warp, and a barrier between two uses of them.
template <int kWidth, class S>
__device__ S combine_group(S value, S* parts) {
  value = value.template of_lanes<(kWidth < 32 ? kWidth : 32)>();
  if constexpr (kWidth > 32) {
    constexpr int kWarps = kWidth / 32;
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[threadIdx.x % kWarps];
    value = value.template of_lanes<kWarps>();
  }
  return value;
}

}  // namespace quern_ops
