// <complex>, for std::complex and cuda::std::complex.

namespace std {

template <class T>
struct complex {
  using value_type = T;
  T __re, __im;
  __device__ constexpr complex(T re = T(), T im = T()) : __re(re), __im(im) {}
  template <class U>
  __device__ constexpr complex(const complex<U>& z) : __re(T(z.real())), __im(T(z.imag())) {}
  __device__ constexpr T real() const { return __re; }
  __device__ constexpr T imag() const { return __im; }
  __device__ constexpr void real(T re) { __re = re; }
  __device__ constexpr void imag(T im) { __im = im; }
  __device__ constexpr complex& operator+=(const complex& z) { return *this = *this + z; }
  __device__ constexpr complex& operator-=(const complex& z) { return *this = *this - z; }
  __device__ constexpr complex& operator*=(const complex& z) { return *this = *this * z; }
  __device__ constexpr complex& operator/=(const complex& z) { return *this = *this / z; }
  __device__ constexpr complex& operator*=(T x) { return *this = *this * x; }
  __device__ constexpr complex& operator/=(T x) { return *this = *this / x; }
};

template <class T> __device__ constexpr complex<T> operator+(const complex<T>& a) { return a; }
template <class T>
__device__ constexpr complex<T> operator-(const complex<T>& a) { return complex<T>(-a.real(), -a.imag()); }
template <class T>
__device__ constexpr complex<T> operator+(const complex<T>& a, const complex<T>& b) {
  return complex<T>(a.real() + b.real(), a.imag() + b.imag());
}
template <class T>
__device__ constexpr complex<T> operator-(const complex<T>& a, const complex<T>& b) {
  return complex<T>(a.real() - b.real(), a.imag() - b.imag());
}
template <class T>
__device__ constexpr complex<T> operator*(const complex<T>& a, const complex<T>& b) {
  return complex<T>(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}
template <class T>
__device__ constexpr complex<T> operator/(const complex<T>& a, const complex<T>& b) {
  T scale = T(1) / (__quern_abs(b.real()) + __quern_abs(b.imag()));
  T x = b.real() * scale;
  T y = b.imag() * scale;
  T inverse = scale / (x * x + y * y);
  return complex<T>((a.real() * x + a.imag() * y) * inverse, (a.imag() * x - a.real() * y) * inverse);
}
template <class T>
__device__ constexpr complex<T> operator+(const complex<T>& a, T b) {
  return complex<T>(a.real() + b, a.imag());
}
template <class T>
__device__ constexpr complex<T> operator+(T a, const complex<T>& b) {
  return complex<T>(a + b.real(), b.imag());
}
template <class T>
__device__ constexpr complex<T> operator-(const complex<T>& a, T b) {
  return complex<T>(a.real() - b, a.imag());
}
template <class T>
__device__ constexpr complex<T> operator-(T a, const complex<T>& b) {
  return complex<T>(a - b.real(), -b.imag());
}
template <class T>
__device__ constexpr complex<T> operator*(const complex<T>& a, T b) {
  return complex<T>(a.real() * b, a.imag() * b);
}
template <class T>
__device__ constexpr complex<T> operator*(T a, const complex<T>& b) {
  return complex<T>(a * b.real(), a * b.imag());
}
template <class T>
__device__ constexpr complex<T> operator/(const complex<T>& a, T b) {
  return complex<T>(a.real() / b, a.imag() / b);
}
template <class T>
__device__ constexpr complex<T> operator/(T a, const complex<T>& b) { return complex<T>(a) / b; }
template <class T>
__device__ constexpr bool operator==(const complex<T>& a, const complex<T>& b) {
  return a.real() == b.real() && a.imag() == b.imag();
}
template <class T>
__device__ constexpr bool operator!=(const complex<T>& a, const complex<T>& b) { return !(a == b); }

template <class T> __device__ constexpr T real(const complex<T>& z) { return z.real(); }
template <class T> __device__ constexpr T imag(const complex<T>& z) { return z.imag(); }
template <class T> __device__ T abs(const complex<T>& z) { return __quern_hypot(z.real(), z.imag()); }
template <class T> __device__ T arg(const complex<T>& z) { return __quern_atan2(z.imag(), z.real()); }
template <class T>
__device__ constexpr T norm(const complex<T>& z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T>
__device__ constexpr complex<T> conj(const complex<T>& z) { return complex<T>(z.real(), -z.imag()); }
template <class T>
__device__ complex<T> polar(T size, T angle = T()) {
  return complex<T>(size * __quern_cos(angle), size * __quern_sin(angle));
}
template <class T>
__device__ complex<T> exp(const complex<T>& z) { return polar(__quern_exp(z.real()), z.imag()); }
template <class T>
__device__ complex<T> log(const complex<T>& z) { return complex<T>(__quern_log(abs(z)), arg(z)); }
template <class T>
__device__ complex<T> sqrt(const complex<T>& z) {
  T size = abs(z);
  T re = __quern_sqrt((size + __quern_abs(z.real())) / 2);
  if (re == T(0)) return complex<T>(re, z.imag());
  T im = __quern_abs(z.imag()) / (2 * re);
  if (z.real() < T(0)) return complex<T>(im, __quern_copysign(re, z.imag()));
  return complex<T>(re, __quern_copysign(im, z.imag()));
}
template <class T>
__device__ complex<T> pow(const complex<T>& z, T e) {
  return polar(__quern_pow(abs(z), e), arg(z) * e);
}
}  // namespace std
