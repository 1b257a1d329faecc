// Types of matrix products, and the function that is applied last.

namespace quern_ops {

struct Matrix {
  long long first, batch, row, column;  // strides
  __device__ long long at(long long b, long long r, long long c) const {
    return first + b * batch + r * row + c * column;
  }
};

// The type of factors of sums of type A.
template <class A>
struct ScalarOf {
  using type = A;
};
template <>
struct ScalarOf<int> {
  using type = float;
};
template <class A>
using Scalar = typename ScalarOf<A>::type;

enum Activation { kNone, kRelu, kGelu, kSilu, kSigmoid, kTanh };

template <int kActivation, class A>
__device__ A activated(A x) {
  if constexpr (kActivation == kRelu) return x > 0 ? x : A(0);
  if constexpr (kActivation == kGelu) return A(0.5) * x * (A(1) + erf(x * A(0.70710678118654752440)));
  if constexpr (kActivation == kSilu) return x / (A(1) + exp(-x));
  if constexpr (kActivation == kSigmoid) return A(1) / (A(1) + exp(-x));
  if constexpr (kActivation == kTanh) return tanh(x);
  return x;
}

// An element of the result. `c` and `bias` are read only if they count. Integers are added; nothing else is done to them.
template <int kActivation, bool kHasBias, bool kHasBeta, class A, class S, class C>
__device__ C finished(A sum, S alpha, S beta, const C* c, const C* bias, long long bias_at) {
  if constexpr (std::is_integral_v<C>) {
    if constexpr (kHasBeta) sum += *c;
    if constexpr (kHasBias) sum += bias[bias_at];
    return sum;
  } else {
    S value = alpha * static_cast<S>(sum);
    if constexpr (kHasBeta) value += beta * static_cast<S>(*c);
    if constexpr (kHasBias) value += static_cast<S>(bias[bias_at]);
    return static_cast<C>(activated<kActivation>(value));
  }
}
template <int kActivation, bool kHasBias, bool kHasBeta, class A, class S, class C>
__device__ void store_finished(A sum, S alpha, S beta, C* c, const C* bias, long long bias_at) {
  *c = finished<kActivation, kHasBias, kHasBeta>(sum, alpha, beta, c, bias, bias_at);
}

}  // namespace quern_ops
