// Small systems of linear equations. A block works on one matrix after another.

namespace quern_ops {

struct Matrices {
  long long first, batch, row, column;  // strides
  __device__ long long at(long long b, int r, int c) const { return first + b * batch + r * row + c * column; }
};

// A matrix in shared memory. Rows are rotated, so that neighboring elements of a column are in different banks.
template <class A>
struct SharedMatrix {
  A* elements;
  int n;
  __device__ A& at(int r, int c) const { return elements[r * n + (r + c < n ? r + c : r + c - n)]; }

  // With a barrier afterwards.
  __device__ void load(const Matrices& layout, long long b, const A* a) const {
    const bool is_by_column = layout.row == 1;  // neighboring threads read neighboring elements
    for (int e = static_cast<int>(threadIdx.x); e < n * n; e += static_cast<int>(blockDim.x)) {
      const int r = is_by_column ? e % n : e / n, c = is_by_column ? e / n : e % n;
      at(r, c) = a[layout.at(b, r, c)];
    }
    __syncthreads();
  }
  __device__ void store(const Matrices& layout, long long b, A* a) const {
    const bool is_by_column = layout.row == 1;
    for (int e = static_cast<int>(threadIdx.x); e < n * n; e += static_cast<int>(blockDim.x)) {
      const int r = is_by_column ? e % n : e / n, c = is_by_column ? e / n : e % n;
      a[layout.at(b, r, c)] = at(r, c);
    }
    __syncthreads();
  }
  // The lower triangle, with the roots of the diagonal.
  __device__ void store_lower(const Matrices& layout, long long b, A* a) const {
    for (int e = static_cast<int>(threadIdx.x); e < n * n; e += static_cast<int>(blockDim.x)) {
      const int r = e / n, c = e % n;
      if (c <= r) a[layout.at(b, r, c)] = c == r ? sqrt(at(r, c)) : at(r, c);
    }
    __syncthreads();
  }
};

template <class A, int kElements>
__global__ void cholesky(long long batches, int n, Matrices layout, A* a) {
  __shared__ A elements[kElements];
  const SharedMatrix<A> m{elements, n};
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (long long b = blockIdx.x; b < batches; b += gridDim.x) {
    m.load(layout, b, a);
    for (int k = 0; k < n; ++k) {
      const A root = sqrt(m.at(k, k));
      for (int r = k + 1 + thread; r < n; r += threads) m.at(r, k) /= root;
      __syncthreads();
      const int rest = n - k - 1;
      for (int e = thread; e < rest * rest; e += threads) {
        const int r = k + 1 + e / rest, c = k + 1 + e % rest;
        if (c <= r) m.at(r, c) -= m.at(r, k) * m.at(c, k);
      }
      __syncthreads();
    }
    m.store_lower(layout, b, a);
  }
}

template <class A, int kElements>
__global__ void lu(long long batches, int n, Matrices layout, Matrices pivot_layout, A* a, int* pivots) {
  __shared__ A elements[kElements];
  const SharedMatrix<A> m{elements, n};
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (long long b = blockIdx.x; b < batches; b += gridDim.x) {
    m.load(layout, b, a);
    for (int k = 0; k < n; ++k) {
      int pivot = k;
      A largest = fabs(m.at(k, k));
      for (int r = k + 1; r < n; ++r) {
        const A value = fabs(m.at(r, k));
        if (value > largest || (largest != largest && value == value)) {
          largest = value;
          pivot = r;
        }
      }
      __syncthreads();
      if (thread == 0) pivots[pivot_layout.at(b, 0, k)] = pivot;
      for (int c = thread; c < n; c += threads) {
        const A value = m.at(k, c);
        m.at(k, c) = m.at(pivot, c);
        m.at(pivot, c) = value;
      }
      __syncthreads();
      const A diagonal = m.at(k, k);
      if (diagonal != A(0)) {
        for (int r = k + 1 + thread; r < n; r += threads) m.at(r, k) /= diagonal;
      }
      __syncthreads();
      const int rest = n - k - 1;
      for (int e = thread; e < rest * rest; e += threads) {
        const int r = k + 1 + e / rest, c = k + 1 + e % rest;
        m.at(r, c) -= m.at(r, k) * m.at(k, c);
      }
      __syncthreads();
    }
    m.store(layout, b, a);
  }
}

// A block solves for some columns of b, which are in shared memory. `width`: columns of a block.
template <class A, int kElements>
__global__ void solve_triangular(long long batches, int n, int columns, int width, int is_lower, int is_unit, int has_pivots,
                                 Matrices a_layout, Matrices b_layout, Matrices pivot_layout, const A* a, A* b,
                                 const int* pivots) {
  __shared__ A x[kElements];  // [row][column]
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int tiles = (columns + width - 1) / width;
  for (long long w = blockIdx.x; w < batches * tiles; w += gridDim.x) {
    const long long batch = w / tiles;
    const int first = static_cast<int>(w - batch * tiles) * width, count = min(width, columns - first);
    for (int e = thread; e < n * count; e += threads)
      x[e] = b[b_layout.at(batch, e / count, first + e % count)];
    __syncthreads();
    if (has_pivots != 0) {
      for (int c = thread; c < count; c += threads) {
        for (int k = 0; k < n; ++k) {
          const int pivot = pivots[pivot_layout.at(batch, 0, k)];
          if (pivot > k && pivot < n) {
            const A value = x[k * count + c];
            x[k * count + c] = x[pivot * count + c];
            x[pivot * count + c] = value;
          }
        }
      }
      __syncthreads();
    }
    for (int step = 0; step < n; ++step) {
      const int k = is_lower != 0 ? step : n - 1 - step;
      if (is_unit == 0) {
        for (int c = thread; c < count; c += threads) x[k * count + c] /= a[a_layout.at(batch, k, k)];
        __syncthreads();
      }
      for (int e = thread; e < (n - 1 - step) * count; e += threads) {
        const int r = (is_lower != 0 ? k + 1 : 0) + e / count, c = e % count;
        x[r * count + c] -= a[a_layout.at(batch, r, k)] * x[k * count + c];
      }
      __syncthreads();
    }
    for (int e = thread; e < n * count; e += threads)
      b[b_layout.at(batch, e / count, first + e % count)] = x[e];
    __syncthreads();
  }
}

}  // namespace quern_ops
