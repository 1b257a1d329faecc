// layer_norm and rms_norm.

namespace quern_ops {

// Number, mean, and sum of squared differences from the mean, of some numbers.
template <class A>
struct Moments {
  A count, mean, squares;

  __device__ static Moments merge(const Moments& a, const Moments& b) {
    const A count = a.count + b.count, difference = b.mean - a.mean;
    const A share = count > A(0) ? b.count / count : A(0);
    return Moments{count, a.mean + difference * share, a.squares + b.squares + difference * difference * a.count * share};
  }
  __device__ Moments from_lane(int distance) const {
    return Moments{__shfl_xor_sync(0xffffffffu, count, distance), __shfl_xor_sync(0xffffffffu, mean, distance),
                   __shfl_xor_sync(0xffffffffu, squares, distance)};
  }
  // `length` elements of the part are in the row; elements beyond are 0.
  template <class R>
  __device__ void add(const R& row, long long length) {
    A n = A(0), sum = A(0);
#pragma unroll
    for (int k = 0; k < R::kCount; ++k) {
      n += R::position(k) < length ? A(1) : A(0);
      sum += row.v[k];
    }
    Moments part{n, n > A(0) ? sum / n : A(0), A(0)};
#pragma unroll
    for (int k = 0; k < R::kCount; ++k) {
      const A difference = R::position(k) < length ? row.v[k] - part.mean : A(0);
      part.squares += difference * difference;
    }
    *this = merge(*this, part);
  }
  __device__ A shift() const { return mean; }
};

// The same for rms_norm, where the mean is not subtracted.
template <class A>
struct Squares {
  A count, mean, squares;  // the first two are 0

  __device__ static Squares merge(const Squares& a, const Squares& b) {
    return Squares{A(0), A(0), a.squares + b.squares};
  }
  __device__ Squares from_lane(int distance) const {
    return Squares{A(0), A(0), __shfl_xor_sync(0xffffffffu, squares, distance)};
  }
  template <class R>
  __device__ void add(const R& row, long long) {
#pragma unroll
    for (int k = 0; k < R::kCount; ++k) squares += row.v[k] * row.v[k];
  }
  __device__ A shift() const { return A(0); }
};

// Strides of the last axis.
struct NormStrides {
  long long in, residual, out, sum, weight, bias;
};

template <class T, class A, class S, int kVector, int kItems, int kWidth, int kAxes, bool kIsLong, bool kHasWeight,
          bool kHasBias, bool kHasResidual, bool kHasSum>
__global__ void __launch_bounds__(threads_of(kWidth)) normalize(long long rows, long long count, Index<kAxes, 4> index, NormStrides strides, A epsilon,
                          const T* in, T* out, const T* weight, const T* bias, const T* residual, T* sum) {
  using R = Row<T, A, kVector, kItems, kWidth>;
  __shared__ S parts[2][kWidth / 32];
  int turn = 0;
  for_each_row<kWidth>(rows, [&](long long r, bool is_row) {
    long long at[4];
    index.offsets(is_row ? r : 0, at);
    const long long length = is_row ? count : 0;
    R row, other;
    const auto load = [&](long long first, long long rest) {
      row.load(in + at[0] + first * strides.in, rest, strides.in, A(0));
      if constexpr (kHasResidual) {
        other.load(residual + at[1] + first * strides.residual, rest, strides.residual, A(0));
#pragma unroll
        for (int k = 0; k < R::kCount; ++k) row.v[k] = static_cast<A>(static_cast<T>(row.v[k] + other.v[k]));
      }
    };
    S total{A(0), A(0), A(0)};
    for_each_part<R, kIsLong>(length, load, [&](long long, long long rest) { total.add(row, rest); });
    total = combine_group<kWidth>(total, parts[turn]);
    turn = 1 - turn;
    const A shift = total.shift(), scale = A(1) / sqrt(total.squares / static_cast<A>(count) + epsilon);
    for_each_part_again<R, kIsLong>(length, load, [&](long long first, long long rest) {
      if constexpr (kHasSum) row.store(sum + at[3] + first * strides.sum, rest, strides.sum);
#pragma unroll
      for (int k = 0; k < R::kCount; ++k) row.v[k] = (row.v[k] - shift) * scale;
      if constexpr (kHasWeight) {
        other.load(weight + first * strides.weight, rest, strides.weight, A(0));
#pragma unroll
        for (int k = 0; k < R::kCount; ++k) row.v[k] *= other.v[k];
      }
      if constexpr (kHasBias) {
        other.load(bias + first * strides.bias, rest, strides.bias, A(0));
#pragma unroll
        for (int k = 0; k < R::kCount; ++k) row.v[k] += other.v[k];
      }
      row.store(out + at[2] + first * strides.out, rest, strides.out);
    });
  });
}

}  // namespace quern_ops
