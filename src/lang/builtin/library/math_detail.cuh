// Parts of the math library that are not operations of the IR, for float and double.

__device__ int __lib_clamp_exponent(long e) { return int(__quern_min(__quern_max(e, -100000), 100000)); }

__device__ float __lib_nan(float) { return __quern_bitcast<float>(0x7fffffffu); }
__device__ double __lib_nan(double) { return __quern_bitcast<double>(0x7ff8000000000000ull); }

template <class T>
__device__ T __lib_frexp(T x, int* e) {
  if (x == T(0) || __quern_isnan(x) || __quern_isinf(x)) {
    *e = 0;
    return x + x;
  }
  *e = __quern_ilogb(x) + 1;
  return __quern_ldexp(x, -*e);
}

// Only the three lowest bits of the quotient are needed: x is reduced modulo 8y first.
template <class T>
__device__ T __lib_remquo(T x, T y, int* quotient) {
  T size = __quern_abs(y);
  T rest = __quern_rem(__quern_abs(x), 8 * size);
  int q = 0;
  if (rest >= 4 * size) { rest -= 4 * size; q += 4; }
  if (rest >= 2 * size) { rest -= 2 * size; q += 2; }
  if (rest >= size) { rest -= size; q += 1; }
  if (rest + rest > size || (rest + rest == size && (q & 1) != 0)) q += 1;
  q &= 7;
  *quotient = __quern_signbit(x) != __quern_signbit(y) ? -q : q;
  return __quern_remainder(x, y);
}

// A power of two, and its inverse: squares of numbers multiplied by it, of which `most` is the largest,
// neither overflow nor underflow.
__device__ float __lib_scale(float most) {
  return most > 0x1p60f ? 0x1p-70f : most < 0x1p-40f ? 0x1p100f : 1.0f;
}
__device__ float __lib_unscale(float most) {
  return most > 0x1p60f ? 0x1p70f : most < 0x1p-40f ? 0x1p-100f : 1.0f;
}
__device__ double __lib_scale(double most) {
  return most > 0x1p500 ? 0x1p-600 : most < 0x1p-400 ? 0x1p800 : 1.0;
}
__device__ double __lib_unscale(double most) {
  return most > 0x1p500 ? 0x1p600 : most < 0x1p-400 ? 0x1p-800 : 1.0;
}

template <class T>
__device__ T __lib_larger(T a, T b) { return a > b ? a : b; }
template <class T>
__device__ T __lib_infinity(T zero) { return T(1) / zero; }

// The sum of squares of scaled numbers; infinite if one of them is, even next to a NaN.
template <class T>
struct __lib_Squares {
  T sum, most;
};
template <class T>
__device__ __lib_Squares<T> __lib_squares(T a, T b, T c, T d) {
  a = __quern_abs(a);
  b = __quern_abs(b);
  c = __quern_abs(c);
  d = __quern_abs(d);
  T most = __lib_larger(__lib_larger(a, b), __lib_larger(c, d));
  T s = __lib_scale(most);
  T p = a * s, q = b * s, u = c * s, v = d * s;
  T sum = __quern_fma(p, p, __quern_fma(q, q, __quern_fma(u, u, v * v)));
  bool infinite = __quern_isinf(a) || __quern_isinf(b) || __quern_isinf(c) || __quern_isinf(d);
  return __lib_Squares<T>{infinite ? __lib_infinity(T(0)) : sum, most};
}
template <class T>
__device__ T __lib_norm4(T a, T b, T c, T d) {
  __lib_Squares<T> s = __lib_squares(a, b, c, d);
  return __quern_sqrt(s.sum) * __lib_unscale(s.most);
}
template <class T>
__device__ T __lib_rnorm4(T a, T b, T c, T d) {
  __lib_Squares<T> s = __lib_squares(a, b, c, d);
  return 1 / __quern_sqrt(s.sum) * __lib_scale(s.most);
}
template <class T>
__device__ T __lib_norm(int n, const T* v) {
  T most = 0;
  bool infinite = false;
  for (int i = 0; i < n; ++i) {
    T size = __quern_abs(v[i]);
    most = __lib_larger(size, most);
    infinite = infinite || __quern_isinf(size);
  }
  T scale = __lib_scale(most);
  T sum = 0;
  for (int i = 0; i < n; ++i) {
    T scaled = v[i] * scale;
    sum = __quern_fma(scaled, scaled, sum);
  }
  return infinite ? __lib_infinity(T(0)) : __quern_sqrt(sum) * __lib_unscale(most);
}

// Bessel functions of integer order: upward recurrence if it is stable, otherwise downwards from far above
// (Miller's algorithm, normalised by j0 + 2 j2 + 2 j4 + ... = 1).
template <class T>
__device__ T __lib_jn(int n, T x) {
  if (n < 0) return __lib_nan(x);
  if (n == 0) return __quern_j0(x);
  if (n == 1) return __quern_j1(x);
  T size = __quern_abs(x);
  if (size == T(0) || __quern_isinf(x)) return T(0);
  if (n > 2000 && T(n) > 2 * size) return T(0);  // below the range of double
  T result = 0;
  if (size > T(n)) {
    T before = __quern_j0(size);
    result = __quern_j1(size);
    for (int i = 1; i < n; ++i) {
      T next = T(2 * i) / size * result - before;
      before = result;
      result = next;
    }
  } else {
    int start = 2 * ((n + int(__quern_sqrt(T(60) * T(n))) + 8) / 2);
    T above = 0;
    T here = 1;
    T sum = 0;
    for (int i = start; i > 0; --i) {
      T below = T(2 * i) / size * here - above;
      above = here;
      here = below;
      if (__quern_abs(here) > T(1e10)) {
        here *= T(1e-10);
        above *= T(1e-10);
        result *= T(1e-10);
        sum *= T(1e-10);
      }
      if ((i & 1) != 0) sum += here;
      if (i == n) result = above;
    }
    result /= 2 * sum - here;
  }
  return x < T(0) && (n & 1) != 0 ? -result : result;
}
template <class T>
__device__ T __lib_yn(int n, T x) {
  if (n < 0) return __lib_nan(x);
  if (n == 0) return __quern_y0(x);
  if (n > 2000 && T(n) > 2 * x && x > T(0)) return -1 / T(0);
  T result = __quern_y1(x);
  T before = __quern_y0(x);
  for (int i = 1; i < n && !__quern_isinf(result); ++i) {
    T next = T(2 * i) / x * result - before;
    before = result;
    result = next;
  }
  return result;
}

// Modified Bessel functions of order 0 and 1: the power series, whose terms are all positive, and beyond 30
// the asymptotic series.
template <class T>
__device__ T __lib_bessel_i(int order, T x) {
  T size = __quern_abs(x);
  T term = 1;
  T sum = 1;
  if (size < T(30)) {
    T quarter = size * size / 4;
    for (int k = 1; k < 80 && term > sum * T(1e-18); ++k) {
      term *= quarter / (T(k) * T(k + order));
      sum += term;
    }
    if (order == 1) sum *= size / 2;
  } else if (__quern_isinf(size) || __quern_isnan(size)) {
    sum = size;
  } else {
    T square = T(4 * order);
    for (int k = 1; k < 30; ++k) {
      T odd = T(2 * k - 1);
      term *= (odd * odd - square) / (T(8 * k) * size);
      sum += term;
    }
    // exp in two factors, so that it overflows no sooner than the result.
    T root = __quern_exp(size / 2);
    sum = __quern_isinf(root) ? root : sum * root / __quern_sqrt(T(6.283185307179586476925) * size) * root;
  }
  return order == 1 && x < T(0) ? -sum : sum;
}

// In floats: polynomials in x^2, and beyond 7.75 in 1 / x.
__device__ float __lib_horner(float) { return 0.0f; }
template <class... C>
__device__ float __lib_horner(float x, float first, C... rest) {
  return __quern_fma(__lib_horner(x, rest...), x, first);
}
__device__ float __lib_bessel_i(int order, float x) {
  float size = __quern_abs(x), z = size * size, r = 1.0f / size;
  float near = order == 0
                   ? __lib_horner(z, 1.0f, 0.25f, 0x1p-6f, 0x1.c71c6cp-12f, 0x1.c71d04p-18f, 0x1.233fdcp-24f,
                                  0x1.031fa8p-31f, 0x1.4fb43p-39f, 0x1.62beb2p-47f, 0x1.95208p-56f,
                                  0x1.2dd56ep-63f)
                   : size * __lib_horner(z, 0.5f, 0x1p-4f, 0x1.555556p-9f, 0x1.c71c5ap-15f, 0x1.6c17f6p-21f,
                                         0x1.844ce6p-28f, 0x1.285832p-35f, 0x1.4e2f22p-43f, 0x1.41faeap-51f,
                                         0x1.24ac5p-60f, 0x1.d5f36cp-68f);
  float far = order == 0 ? __lib_horner(r, 0x1.988452p-2f, 0x1.989224p-5f, 0x1.c4378ep-6f, 0x1.4b3ce2p-5f,
                                        -0x1.3235eap-4f, 0x1.2a93fp-1f)
                         : __lib_horner(r, 0x1.988454p-2f, -0x1.32657ap-3f, -0x1.7c71e6p-5f,
                                        -0x1.932324p-5f, 0x1.391bbep-5f, -0x1.175d04p-1f);
  // exp in two factors, so that it overflows no sooner than the result.
  float root = __quern_exp(size * 0.5f);
  far = __quern_isinf(root) ? root : far * root / __quern_sqrt(size) * root;
  float result = size < 7.75f ? near : far;
  return order == 1 ? __quern_copysign(result, x) : result;
}
