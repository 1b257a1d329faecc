// Activation functions.

namespace quern_ops {

enum ActivateKind { kIdentity, kRelu, kGelu, kSilu, kSigmoid, kTanh, kGeluByTanh };

// The normal distribution. For results of 16 bits: exp(-x * x / 2) / 2 times a polynomial, which is a fit to
// erfc(z) * exp(z * z), z = |x| / sqrt(2), with a relative error of 3.2e-5.
template <class T, class A>
__device__ A normal_distribution(A x) {
  if constexpr (sizeof(T) == 2) {
    const A t = reciprocal<T>(A(1) + A(0.37476659) * fabs(x));
    const A fit = t * (A(0.14896921) + t * (A(0.15764131) + t * (A(0.083456682) + t * (A(0.20043251) - t * A(0.090499016)))));
    const A tail = fit * exponential<T>(A(-0.5) * x * x);
    return x < A(0) ? tail : A(1) - tail;
  } else {
    return A(0.5) * (A(1) + erf(x * A(0.70710678118654752440)));
  }
}

template <class T, class A>
__device__ A quotient(A a, A b) {
  if constexpr (sizeof(T) == 2) return a * reciprocal<T>(b);
  return a / b;
}

// T: the element type, whose precision the result needs.
template <class T, int kKind, class A>
__device__ A activation_of(A x) {
  if constexpr (kKind == kRelu) return x > A(0) || x != x ? x : A(0);  // NaN stays NaN
  if constexpr (kKind == kGelu) return x * normal_distribution<T>(x);
  if constexpr (kKind == kSilu) return quotient<T>(x, A(1) + exponential<T>(-x));
  if constexpr (kKind == kSigmoid) return reciprocal<T>(A(1) + exponential<T>(-x));
  if constexpr (kKind == kTanh) return tanh(x);
  if constexpr (kKind == kGeluByTanh)  // (1 + tanh(u)) / 2 = 1 / (1 + exp(-2 u))
    return quotient<T>(x, A(1) + exponential<T>(A(-1.5957691216057307118) * (x + A(0.044715) * x * x * x)));
  return x;
}

// The index counts pieces along the last axis; kAxes 0: all operands are contiguous. `up` is not used if kIsGated is false.
template <class T, class A, int kKind, bool kIsGated, int kVector, int kAxes>
__global__ void activate(long long pieces, Index<kAxes, 3> index, const T* in, const T* up, T* out) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < pieces; i += step) {
    long long at[3];
    if constexpr (kAxes == 0) {
      for (int t = 0; t < 3; ++t) at[t] = index.first[t] + i * kVector;
    } else {
      offsets_of(index, i, at);
    }
    A v[kVector], factors[kVector];
    load_piece<T, kVector>(in + at[0], v);
    if constexpr (kIsGated) load_piece<T, kVector>(up + at[1], factors);
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      v[k] = activation_of<T, kKind>(v[k]);
      if constexpr (kIsGated) v[k] *= factors[k];
    }
    store_piece<T, kVector>(out + at[2], v);
  }
}

}  // namespace quern_ops
