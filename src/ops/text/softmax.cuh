// Softmax and cross entropy.

namespace quern_ops {

// The largest of some numbers, and the sum of exp(x - largest).
template <class A>
struct Exponentials {
  A largest, sum;

  __device__ static A factor(A from, A to) { return from == to ? A(1) : exp(from - to); }
  template <int kLanes>
  __device__ Exponentials of_lanes() const {
    const A all = max_of_lanes<kLanes>(largest);
    return Exponentials{all, sum_of_lanes<kLanes>(sum * factor(largest, all))};
  }
  // Adds numbers in registers, which become their exponentials if kReplaces.
  template <class T, bool kReplaces, int kCount>
  __device__ void add(A (&v)[kCount]) {
    A most = v[0], part = A(0);
#pragma unroll
    for (int k = 1; k < kCount; ++k) most = fmax(most, v[k]);
    const A origin = most == -infinity<A>() ? A(0) : most;  // finite, also if there are no numbers yet
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const A e = exponential<T>(v[k] - origin);
      part += e;
      if constexpr (kReplaces) v[k] = e;
    }
    const A all = fmax(largest, most);
    sum = sum * factor(largest, all) + part * factor(most, all);
    largest = all;
  }
  // The sum, or NaN if the largest is infinite.
  __device__ A checked_sum() const { return sum + (largest - largest); }
};

enum SoftmaxMode { kSoftmax, kLogSoftmax, kGradient };

// kGradient: of cross entropy. `targets` and `factors` are not used by the other modes.
template <class T, class A, class I, int kMode, int kVector, int kItems, int kWidth, int kAxes, bool kIsLong>
__global__ void __launch_bounds__(threads_of(kWidth), resident_of(kWidth, bytes_of_thread<A>(kVector, kItems)))
    softmax(long long rows, long long count, Index<kAxes, 2> index, long long in_stride, long long out_stride, const T* in,
            T* out, Line target_line, Line factor_line, const I* targets, const A* factors, long long ignored) {
  using R = Row<T, A, kVector, kItems, kWidth>;
  constexpr bool kReplaces = !kIsLong && kMode != kLogSoftmax;  // exponentials stay in registers
  __shared__ Exponentials<A> parts[2][(kWidth + 31) / 32];
  int turn = 0;
  for_each_row<kWidth>(rows, [&](long long r, bool is_row) {
    long long at[2];
    offsets_of(index, is_row ? r : 0, at);
    const long long length = is_row ? count : 0;
    R row;
    Exponentials<A> own{-infinity<A>(), A(0)};  // of this thread
    const auto load = [&](long long first, int part) {
      row.load(in + at[0] + first * in_stride, part, in_stride, -infinity<A>());
    };
    for_each_part<R, kIsLong>(length, load, [&](long long, int) { own.template add<T, kReplaces>(row.v); });
    const Exponentials<A> total = combine_group<kWidth>(own, parts[turn]);
    turn = 1 - turn;
    const A sum = total.checked_sum(), factor = A(1) / sum, shift = total.largest + log(sum);
    const A own_factor = factor * Exponentials<A>::factor(own.largest, total.largest);
    A scale = A(1);
    long long target = -1;
    if constexpr (kMode == kGradient) {
      if (is_row) {
        target = static_cast<long long>(targets[target_line[r]]);
        scale = target == ignored ? A(0) : factors[factor_line[r]];
      }
    }
    for_each_part_again<R, kIsLong>(length, load, [&](long long first, int part) {
#pragma unroll
      for (int k = 0; k < R::kCount; ++k) {
        if constexpr (kMode == kLogSoftmax) {
          row.v[k] -= shift;
        } else if constexpr (kReplaces) {
          row.v[k] *= own_factor;
        } else {
          row.v[k] = exponential<T>(row.v[k] - total.largest) * factor;
        }
        if constexpr (kMode == kGradient) {
          const bool is_target = first + R::position(k) == target;
          row.v[k] = target == ignored ? A(0) : scale * (row.v[k] - (is_target ? A(1) : A(0)));
        }
      }
      row.store(out + at[1] + first * out_stride, part, out_stride);
    });
  });
}

// One row for each thread: neighboring threads read neighboring elements.
template <class T, class A, int kAxes, bool kIsLog>
__global__ void softmax_columns(long long rows, long long count, Index<kAxes, 2> index, long long in_stride,
                                long long out_stride, const T* in, T* out) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long r = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; r < rows; r += step) {
    long long at[2];
    index.offsets(r, at);
    A largest = -infinity<A>(), sum = A(0);
    for (long long i = 0; i < count; ++i) largest = Max{}(largest, static_cast<A>(in[at[0] + i * in_stride]));
    for (long long i = 0; i < count; ++i) sum += exponential<T>(static_cast<A>(in[at[0] + i * in_stride]) - largest);
    const A factor = A(1) / sum, shift = largest + log(sum);
    for (long long i = 0; i < count; ++i) {
      const A x = static_cast<A>(in[at[0] + i * in_stride]);
      out[at[1] + i * out_stride] = static_cast<T>(kIsLog ? x - shift : exponential<T>(x - largest) * factor);
    }
  }
}

template <class T, class A, class I, int kVector, int kItems, int kWidth, bool kIsLong>
__global__ void __launch_bounds__(threads_of(kWidth), resident_of(kWidth, bytes_of_thread<A>(kVector, kItems)))
    cross_entropy(long long rows, long long count, long long first, long long row_stride, long long in_stride, const T* in,
                  Line target_line, Line loss_line, const I* targets, A* loss, long long ignored) {
  using R = Row<T, A, kVector, kItems, kWidth>;
  __shared__ Exponentials<A> parts[2][(kWidth + 31) / 32];
  int turn = 0;
  for_each_row<kWidth>(rows, [&](long long r, bool is_row) {
    const T* const from = in + first + (is_row ? r : 0) * row_stride;
    R row;
    Exponentials<A> total{-infinity<A>(), A(0)};
    const auto load = [&](long long begin, int part) {
      row.load(from + begin * in_stride, part, in_stride, -infinity<A>());
    };
    for_each_part<R, kIsLong>(is_row ? count : 0, load, [&](long long, int) { total.template add<T, false>(row.v); });
    total = combine_group<kWidth>(total, parts[turn]);
    turn = 1 - turn;
    if (is_row && R::lane() == 0) {
      const long long target = static_cast<long long>(targets[target_line[r]]);
      A value = A(0);
      if (target != ignored) {
        value = infinity<A>() - infinity<A>();
        if (target >= 0 && target < count)
          value = total.largest - static_cast<A>(from[target * in_stride]) + log(total.checked_sum());
      }
      loss[loss_line[r]] = value;
    }
  });
}

}  // namespace quern_ops
