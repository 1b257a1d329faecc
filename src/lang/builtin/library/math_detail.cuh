// Parts of the math library that are no operation of the IR, for float and double alike.

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

// The quotient keeps its three lowest bits: 8y goes into x without them.
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

// Without undue overflow: scaled by the power of two of the largest operand.
template <class T>
__device__ T __lib_norm4(T a, T b, T c, T d) {
  a = __quern_abs(a);
  b = __quern_abs(b);
  c = __quern_abs(c);
  d = __quern_abs(d);
  T most = __quern_max(__quern_max(a, b), __quern_max(c, d));
  if (__quern_isinf(most)) return most;
  if (most == T(0)) return a + b + c + d;
  int e = __quern_ilogb(most);
  a = __quern_ldexp(a, -e);
  b = __quern_ldexp(b, -e);
  c = __quern_ldexp(c, -e);
  d = __quern_ldexp(d, -e);
  return __quern_ldexp(__quern_sqrt(__quern_fma(a, a, __quern_fma(b, b, __quern_fma(c, c, d * d)))), e);
}
template <class T>
__device__ T __lib_norm(int n, const T* v) {
  T most = 0;
  T sum = 0;
  for (int i = 0; i < n; ++i) {
    most = __quern_max(most, __quern_abs(v[i]));
    sum += v[i];
  }
  if (__quern_isinf(most)) return most;
  if (most == T(0)) return __quern_abs(sum);
  int e = __quern_ilogb(most);
  sum = 0;
  for (int i = 0; i < n; ++i) {
    T scaled = __quern_ldexp(v[i], -e);
    sum = __quern_fma(scaled, scaled, sum);
  }
  return __quern_ldexp(__quern_sqrt(sum), e);
}

// Bessel functions of integer order: the recurrence upwards where it is stable, elsewhere downwards from far
// above (Miller's way, normalised by j0 + 2 j2 + 2 j4 + ... = 1) elsewhere.
template <class T>
__device__ T __lib_jn(int n, T x) {
  if (n < 0) return __lib_nan(x);
  if (n == 0) return __quern_j0(x);
  if (n == 1) return __quern_j1(x);
  T size = __quern_abs(x);
  if (size == T(0) || __quern_isinf(x)) return T(0);
  if (n > 2000 && T(n) > 2 * size) return T(0);  // below what a double holds
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
// the asymptotic one.
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
