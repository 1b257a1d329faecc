// Rows of a tensor. A group of kWidth threads works on a row: a warp, or a whole block. A part of the row is in
// registers: kItems pieces of kVector elements for each thread. kVector 0: elements with a stride.

namespace quern_ops {

constexpr int kRowThreads = 256;  // of a block with groups of a warp
constexpr int threads_of(int width) { return width == 32 ? kRowThreads : width; }

template <class T, class A, int kVector, int kItems, int kWidth>
struct Row {
  static constexpr int kEach = kVector == 0 ? 1 : kVector;
  static constexpr int kCount = kItems * kEach;          // elements of a thread
  static constexpr long long kPart = kCount * kWidth;    // elements of the group
  A v[kCount];

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kWidth; }
  // The position of element k of this thread in the part.
  __device__ static int position(int k) { return (k / kEach * kWidth + lane()) * kEach + k % kEach; }

  // Elements from `count` on are `missing`.
  __device__ void load(const T* p, long long count, long long stride, A missing) {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const int at = position(item * kEach);
      if (at < count) {
        if constexpr (kVector == 0) load_piece<T, 1>(p + at * stride, v + item);
        if constexpr (kVector != 0) load_piece<T, kVector>(p + at, v + item * kEach);
      } else {
#pragma unroll
        for (int e = 0; e < kEach; ++e) v[item * kEach + e] = missing;
      }
    }
  }
  __device__ void store(T* p, long long count, long long stride) const {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const int at = position(item * kEach);
      if (at < count) {
        if constexpr (kVector == 0) store_piece<T, 1>(p + at * stride, v + item);
        if constexpr (kVector != 0) store_piece<T, kVector>(p + at, v + item * kEach);
      }
    }
  }
};

// The rows of this block: visit(row, whether it exists). All threads make the same number of visits.
template <int kWidth, class Visit>
__device__ void for_each_row(long long rows, const Visit& visit) {
  constexpr int kRows = kWidth == 32 ? kRowThreads / 32 : 1;
  for (long long first = static_cast<long long>(blockIdx.x) * kRows; first < rows;
       first += static_cast<long long>(gridDim.x) * kRows) {
    const long long row = first + threadIdx.x / kWidth;
    visit(row, row < rows);
  }
}

// Calls load(first element, number of elements from there on) and visit() with the same arguments for the parts of
// a row. kIsLong false: the row has a single part.
template <class R, bool kIsLong, class Load, class Visit>
__device__ void for_each_part(long long count, const Load& load, const Visit& visit) {
  if constexpr (kIsLong) {
    for (long long first = 0; first < count; first += R::kPart) {
      load(first, count - first);
      visit(first, count - first);
    }
  } else {
    load(0ll, count);
    visit(0ll, count);
  }
}
// The same after for_each_part(): a row of a single part is still in registers.
template <class R, bool kIsLong, class Load, class Visit>
__device__ void for_each_part_again(long long count, const Load& load, const Visit& visit) {
  if constexpr (kIsLong) {
    for_each_part<R, true>(count, load, visit);
  } else {
    visit(0ll, count);
  }
}

// Combines a value of each thread of the group; all threads receive the result. A block needs one part for each
// warp, and a barrier between two uses of them.
template <int kWidth, class S>
__device__ S combine_group(S value, S* parts) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value = S::merge(value, value.from_lane(distance));
  if constexpr (kWidth > 32) {
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[0];
#pragma unroll
    for (int w = 1; w < kWidth / 32; ++w) value = S::merge(value, parts[w]);
  }
  return value;
}

}  // namespace quern_ops
