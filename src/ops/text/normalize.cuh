// layer_norm and rms_norm.

namespace quern_ops {

// Number, mean, and sum of squared differences from the mean, of some numbers.
template <class A>
struct Moments {
  A count, mean, squares;

  __device__ static A mean_of(A sum, A count) { return count > A(0) ? sum / count : A(0); }
  template <int kLanes>
  __device__ Moments of_lanes() const {
    const A n = sum_of_lanes<kLanes>(count), m = mean_of(sum_of_lanes<kLanes>(count * mean), n), difference = mean - m;
    return Moments{n, m, sum_of_lanes<kLanes>(squares + count * difference * difference)};
  }
  // `length` elements of the part are in the row; elements beyond are 0.
  template <class R>
  __device__ void add(const R& row, int length) {
    A n = A(0), sum = A(0), part = A(0);
#pragma unroll
    for (int k = 0; k < R::kCount; ++k) {
      if (k % R::kEach == 0) n += R::has(k / R::kEach, length) ? A(R::kEach) : A(0);
      sum += row.v[k];
    }
    const A m = mean_of(sum, n);
#pragma unroll
    for (int k = 0; k < R::kCount; ++k) {
      const A difference = R::has(k / R::kEach, length) ? row.v[k] - m : A(0);
      part += difference * difference;
    }
    const A all = count + n, difference = m - mean, share = mean_of(n, all);
    squares += part + difference * difference * count * share;
    mean += difference * share;
    count = all;
  }
  __device__ A shift() const { return mean; }
};

// The same for rms_norm, where the mean is not subtracted.
template <class A>
struct Squares {
  A count, mean, squares;  // the first two are 0

  template <int kLanes>
  __device__ Squares of_lanes() const {
    return Squares{A(0), A(0), sum_of_lanes<kLanes>(squares)};
  }
  template <class R>
  __device__ void add(const R& row, int) {
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
__global__ void __launch_bounds__(threads_of(kWidth), resident_of(kWidth, bytes_of_thread<A>(kVector, kItems)))
    normalize(long long rows, long long count, Index<kAxes, 4> index, NormStrides strides, A epsilon, const T* in, T* out,
              const T* weight, const T* bias, const T* residual, T* sum) {
  using R = Row<T, A, kVector, kItems, kWidth>;
  __shared__ S parts[2][(kWidth + 31) / 32];
  int turn = 0;
  for_each_row<kWidth>(rows, [&](long long r, bool is_row) {
    long long at[4];
    offsets_of(index, is_row ? r : 0, at);
    const long long length = is_row ? count : 0;
    R row;
    const auto load = [&](long long first, int part) {
      row.load(in + at[0] + first * strides.in, part, strides.in, A(0));
      if constexpr (kHasResidual) {
        R other;
        other.load(residual + at[1] + first * strides.residual, part, strides.residual, A(0));
#pragma unroll
        for (int k = 0; k < R::kCount; ++k) row.v[k] = static_cast<A>(static_cast<T>(row.v[k] + other.v[k]));
      }
    };
    S total{A(0), A(0), A(0)};
    for_each_part<R, kIsLong>(length, load, [&](long long, int part) { total.add(row, part); });
    total = combine_group<kWidth>(total, parts[turn]);
    turn = 1 - turn;
    const A shift = total.shift(), scale = A(1) / sqrt(total.squares / static_cast<A>(count) + epsilon);
    for_each_part_again<R, kIsLong>(length, load, [&](long long first, int part) {
      if constexpr (kHasSum) row.store(sum + at[3] + first * strides.sum, part, strides.sum);
      // By pieces: weight and bias of a whole row need too many registers.
#pragma unroll
      for (int item = 0; item < kItems; ++item) {
        if (!R::has(item, part)) continue;
        A* const v = row.v + item * R::kEach;
        A factors[R::kEach], terms[R::kEach];
        if constexpr (kHasWeight) R::load_item(weight + first * strides.weight, item, strides.weight, factors);
        if constexpr (kHasBias) R::load_item(bias + first * strides.bias, item, strides.bias, terms);
#pragma unroll
        for (int k = 0; k < R::kEach; ++k) {
          v[k] = (v[k] - shift) * scale;
          if constexpr (kHasWeight) v[k] *= factors[k];
          if constexpr (kHasBias) v[k] += terms[k];
        }
        R::store_item(out + at[2] + first * strides.out, item, strides.out, v);
      }
    });
  });
}

}  // namespace quern_ops
