// Vectors and matrix-vector products. T: elements, A: the type in which they are computed.

namespace quern_ops {

enum VectorOperation { kAxpy, kScal, kSwap, kRot };

template <class T, class A, int kOperation>
__global__ void vector(long long n, A a, A b, Line x_line, Line y_line, T* x, T* y) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += step) {
    const T from = x[x_line[i]];
    if constexpr (kOperation == kScal) {
      x[x_line[i]] = static_cast<T>(a * static_cast<A>(from));
    } else {
      const T to = y[y_line[i]];
      if constexpr (kOperation == kAxpy) y[y_line[i]] = static_cast<T>(a * static_cast<A>(from) + static_cast<A>(to));
      if constexpr (kOperation == kSwap) {
        x[x_line[i]] = to;
        y[y_line[i]] = from;
      }
      if constexpr (kOperation == kRot) {
        x[x_line[i]] = static_cast<T>(a * static_cast<A>(from) + b * static_cast<A>(to));
        y[y_line[i]] = static_cast<T>(a * static_cast<A>(to) - b * static_cast<A>(from));
      }
    }
  }
}
// x is only read.
template <class T, class A>
__global__ void axpy(long long n, A a, Line x_line, Line y_line, const T* x, T* y) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += step)
    y[y_line[i]] = static_cast<T>(a * static_cast<A>(x[x_line[i]]) + static_cast<A>(y[y_line[i]]));
}

// Reductions: Value is what a block passes on.
template <class A>
struct Dot {
  using Value = A;
  __device__ static A zero() { return A(0); }
  __device__ static A load(A x, A y, long long) { return x * y; }
  __device__ static A combine(A a, A b) { return a + b; }
  __device__ static A result(A a) { return a; }
};
template <class A>
struct Asum : Dot<A> {
  __device__ static A load(A x, A, long long) { return x < 0 ? -x : x; }
};
// sum * scale^2 is the sum of squares; scale is the largest absolute value.
template <class A>
struct Squares {
  A scale, sum;
};
template <class A>
struct Nrm2 {
  using Value = Squares<A>;
  __device__ static Value zero() { return Value{A(0), A(0)}; }
  __device__ static Value load(A x, A, long long) { return Value{x < 0 ? -x : x, x == 0 ? A(0) : A(1)}; }
  __device__ static Value combine(const Value& a, const Value& b) {
    if (a.scale != a.scale || b.scale == 0) return a;
    if (b.scale != b.scale || a.scale == 0) return b;
    const bool is_first = a.scale >= b.scale;
    const A large = is_first ? a.scale : b.scale, small = is_first ? b.scale : a.scale;
    const A ratio = small == large ? A(1) : small / large;
    return Value{large, (is_first ? a.sum : b.sum) + (is_first ? b.sum : a.sum) * ratio * ratio};
  }
  __device__ static A result(const Value& a) { return a.scale == 0 ? A(0) : a.scale * sqrt(a.sum); }
};
template <class A>
struct Largest {
  A value;
  long long position;
};
template <class A>
struct Iamax {
  using Value = Largest<A>;
  __device__ static Value zero() { return Value{A(-1), -1}; }
  __device__ static Value load(A x, A, long long i) {
    const A v = x < 0 ? -x : x;
    return Value{v == v ? v : A(-1), v == v ? i : -1};
  }
  __device__ static Value combine(const Value& a, const Value& b) {
    if (a.position < 0) return b;
    if (b.position < 0) return a;
    const bool is_first = a.value > b.value || (a.value == b.value && a.position < b.position);
    return Value{is_first ? a.value : b.value, is_first ? a.position : b.position};
  }
  __device__ static long long result(const Value& a) { return a.position; }
};
template <class P>
struct VectorCombiner {
  using Value = typename P::Value;
  __device__ Value operator()(const Value& a, const Value& b) const { return P::combine(a, b); }
};

// A part for each block, then the parts in one block.
template <class T, class A, class P, int kThreads>
__global__ void vector_parts(long long n, Line x_line, Line y_line, const T* x, const T* y,
                             typename P::Value* parts) {
  using Value = typename P::Value;
  __shared__ typename cub::BlockReduce<Value, kThreads>::TempStorage storage;
  Value total = P::zero();
  const long long step = static_cast<long long>(gridDim.x) * kThreads;
  for (long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step)
    total = P::combine(total, P::load(static_cast<A>(x[x_line[i]]), static_cast<A>(y[y_line[i]]), i));
  total = cub::BlockReduce<Value, kThreads>(storage).Reduce(total, VectorCombiner<P>());
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
}
template <class R, class P, int kThreads>
__global__ void vector_result(int count, const typename P::Value* parts, R* out) {
  using Value = typename P::Value;
  __shared__ typename cub::BlockReduce<Value, kThreads>::TempStorage storage;
  Value total = P::zero();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) total = P::combine(total, parts[i]);
  total = cub::BlockReduce<Value, kThreads>(storage).Reduce(total, VectorCombiner<P>());
  if (threadIdx.x == 0) *out = static_cast<R>(P::result(total));
}

// A block computes kRows rows with kWidth threads for each. Neighboring threads read neighboring elements: of a
// row, or of a column if kIsByColumn.
template <class T, class A, int kRows, int kWidth, bool kIsByColumn, bool kHasBeta>
__global__ void gemv(long long m, long long n, long long first, long long row_stride, long long column_stride,
                     Line x_line, Line y_line, A alpha, A beta, const T* __restrict__ a, const T* __restrict__ x,
                     T* __restrict__ y) {
  __shared__ A sums[kRows * kWidth];
  const int thread = static_cast<int>(threadIdx.x);
  const int row_of_block = kIsByColumn ? thread % kRows : thread / kWidth;
  const int lane = kIsByColumn ? thread / kRows : thread % kWidth;
  for (long long group = blockIdx.x; group * kRows < m; group += gridDim.x) {
    const long long row = group * kRows + row_of_block;
    A sum = A(0);
    if (row < m) {
      const T* const from = a + (first + row * row_stride);
      for (long long k = lane; k < n; k += kWidth)
        sum += static_cast<A>(from[k * column_stride]) * static_cast<A>(x[x_line[k]]);
    }
    sums[row_of_block * kWidth + lane] = sum;
    __syncthreads();
    for (int half = kWidth / 2; half > 0; half /= 2) {
      if (lane < half) sums[row_of_block * kWidth + lane] += sums[row_of_block * kWidth + lane + half];
      __syncthreads();
    }
    if (lane == 0 && row < m) {
      A value = alpha * sums[row_of_block * kWidth];
      if constexpr (kHasBeta) value += beta * static_cast<A>(y[y_line[row]]);
      y[y_line[row]] = static_cast<T>(value);
    }
    __syncthreads();
  }
}

}  // namespace quern_ops
