// Reductions and scans of runs of equal keys. An element whose key differs from the one before it is a head. Each
// block owns consecutive tiles: runs_parts() combines them from their last head on, runs_carry() scans these parts,
// and the third kernel computes the results of each block from the part before it.

namespace quern_ops {

// Elements that were combined: the number of heads among them, and the value from the last head on.
template <class A, class C>
struct Run {
  C heads;
  A value;
};
template <class A, class C, class F>
struct JoinRuns {
  __device__ Run<A, C> operator()(const Run<A, C>& a, const Run<A, C>& b) const {
    A value = b.value;
    if (b.heads == 0) value = static_cast<A>(F{}(a.value, b.value));
    return Run<A, C>{a.heads + b.heads, value};
  }
};

// The value of an element, and the number 1 for the length of a run.
template <class T, class A>
struct Value {
  using In = T;
  __device__ static A load(const T* in, Line line, long long i) { return static_cast<A>(in[line[i]]); }
};
template <class A>
struct One {
  using In = A;
  __device__ static A load(const A*, Line, long long) { return static_cast<A>(1); }
};

// Adjacent elements of a thread. Bit k of `heads`: whether element k is a head, up to the one after the last.
// Elements from n on are heads without a value.
template <class V, class A, class F, int kItems>
struct Items {
  using In = typename V::In;
  unsigned heads;
  A value[kItems];

  template <class K>
  __device__ void load(long long n, long long begin, Line key_line, Line line, const K* keys, const In* values) {
    heads = 0;
    K before{};
    if (begin > 0 && begin <= n) before = keys[key_line[begin - 1]];
#pragma unroll
    for (int k = 0; k <= kItems; ++k) {
      const long long i = begin + k;
      bool is_head = true;
      if (i < n) {
        const K key = keys[key_line[i]];
        is_head = i == 0 || key != before;
        before = key;
      }
      if (is_head) heads |= 1u << k;
      if (k < kItems) value[k] = i < n ? V::load(values, line, i) : A();
    }
  }
  __device__ bool is_head(int k) const { return (heads >> k & 1u) != 0; }
  __device__ A next(A prefix, int k) const {
    A sum = value[k];
    if (!is_head(k)) sum = static_cast<A>(F{}(prefix, sum));
    return sum;
  }
  __device__ Run<A, int> total() const {
    A sum = value[0];
#pragma unroll
    for (int k = 1; k < kItems; ++k) sum = next(sum, k);
    return Run<A, int>{__popc(heads & ((1u << kItems) - 1)), sum};
  }
};

// The first tile of a block.
__device__ long long first_tile(long long tiles, unsigned block) { return tiles * block / gridDim.x; }

// The value before the first element of this thread: `carry` is the value before the tile.
template <class A, class F>
__device__ A value_before(A carry, const Run<A, int>& before) {
  if (threadIdx.x == 0) return carry;
  A value = before.value;
  if (before.heads == 0) value = static_cast<A>(F{}(carry, value));
  return value;
}
template <class A, class F>
__device__ A value_after(A carry, const Run<A, int>& tile) {
  A value = tile.value;
  if (tile.heads == 0) value = static_cast<A>(F{}(carry, value));
  return value;
}

template <class K, class V, class A, class F, int kThreads, int kItems>
__global__ void runs_parts(long long n, long long tiles, Line key_line, Line line, const K* keys,
                           const typename V::In* values, Run<A, long long>* parts) {
  __shared__ typename cub::BlockReduce<Run<A, int>, kThreads>::TempStorage storage;
  const long long first = first_tile(tiles, blockIdx.x), end = first_tile(tiles, blockIdx.x + 1);
  Run<A, long long> total{0, A()};
  for (long long tile = first; tile < end; ++tile) {
    Items<V, A, F, kItems> items;
    items.load(n, (tile * kThreads + threadIdx.x) * kItems, key_line, line, keys, values);
    const Run<A, int> sum =
        cub::BlockReduce<Run<A, int>, kThreads>(storage).Reduce(items.total(), JoinRuns<A, int, F>());
    const Run<A, long long> next{sum.heads, sum.value};
    total = tile == first ? next : JoinRuns<A, long long, F>()(total, next);
    __syncthreads();
  }
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
}

// Replaces each part with the sum of the parts before it. One block.
template <class A, class F, int kThreads>
__global__ void runs_carry(int count, Run<A, long long>* parts) {
  using Part = Run<A, long long>;
  __shared__ typename cub::BlockScan<Part, kThreads>::TempStorage storage;
  const JoinRuns<A, long long, F> join{};
  Part carry{0, A()};
  for (int begin = 0; begin < count; begin += kThreads) {
    const int i = begin + static_cast<int>(threadIdx.x);
    Part part{0, A()}, before, total;
    if (i < count) part = parts[i];
    cub::BlockScan<Part, kThreads>(storage).ExclusiveScan(part, before, join, total);
    if (threadIdx.x == 0) before = carry;
    if (threadIdx.x != 0 && begin != 0) before = join(carry, before);
    if (i < count) parts[i] = before;
    carry = begin == 0 ? total : join(carry, total);
    __syncthreads();
  }
}

// kHasParts: there are several blocks.
template <class K, class V, class A, class R, class F, bool kExclusive, bool kHasParts, int kThreads, int kItems>
__global__ void runs_scan(long long n, long long tiles, Line key_line, Line line, Line out_line, const K* keys,
                          const typename V::In* values, const Run<A, long long>* parts, R* out, A identity) {
  __shared__ typename cub::BlockScan<Run<A, int>, kThreads>::TempStorage storage;
  const long long end = first_tile(tiles, blockIdx.x + 1);
  A carry = A();
  if constexpr (kHasParts) carry = parts[blockIdx.x].value;
  for (long long tile = first_tile(tiles, blockIdx.x); tile < end; ++tile) {
    const long long begin = (tile * kThreads + threadIdx.x) * kItems;
    Items<V, A, F, kItems> items;
    items.load(n, begin, key_line, line, keys, values);
    Run<A, int> before, total;
    cub::BlockScan<Run<A, int>, kThreads>(storage).ExclusiveScan(items.total(), before, JoinRuns<A, int, F>(), total);
    A prefix = value_before<A, F>(carry, before);
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const A next = items.next(prefix, k);
      if (begin + k < n)
        out[out_line[begin + k]] = static_cast<R>(!kExclusive ? next : items.is_head(k) ? identity : prefix);
      prefix = next;
    }
    carry = value_after<A, F>(carry, total);
    __syncthreads();
  }
}

template <class K, class V, class A, class R, class F, bool kHasParts, int kThreads, int kItems>
__global__ void runs_reduce(long long n, long long tiles, Line key_line, Line line, Line out_key_line, Line out_line,
                            const K* keys, const typename V::In* values, const Run<A, long long>* parts, K* out_keys,
                            R* out, long long* count) {
  __shared__ typename cub::BlockScan<Run<A, int>, kThreads>::TempStorage storage;
  const long long end = first_tile(tiles, blockIdx.x + 1);
  A carry = A();
  long long runs = 0;  // before the tile
  if constexpr (kHasParts) {
    carry = parts[blockIdx.x].value;
    runs = parts[blockIdx.x].heads;
  }
  for (long long tile = first_tile(tiles, blockIdx.x); tile < end; ++tile) {
    const long long begin = (tile * kThreads + threadIdx.x) * kItems;
    Items<V, A, F, kItems> items;
    items.load(n, begin, key_line, line, keys, values);
    Run<A, int> before, total;
    cub::BlockScan<Run<A, int>, kThreads>(storage).ExclusiveScan(items.total(), before, JoinRuns<A, int, F>(), total);
    A prefix = value_before<A, F>(carry, before);
    long long run = runs - 1;
    if (threadIdx.x != 0) run += before.heads;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      prefix = items.next(prefix, k);
      if (begin + k < n) {
        if (items.is_head(k)) {
          ++run;
          out_keys[out_key_line[run]] = keys[key_line[begin + k]];
        }
        if (items.is_head(k + 1)) out[out_line[run]] = static_cast<R>(prefix);
        if (begin + k == n - 1) *count = run + 1;
      }
    }
    runs += total.heads;
    carry = value_after<A, F>(carry, total);
    __syncthreads();
  }
}

}  // namespace quern_ops
