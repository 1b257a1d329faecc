// __int128 and unsigned __int128: two words. Conversions, operators and rounding are those of the language's
// integers.

template <class T> concept __lib_small_float = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
template <class T> concept __lib_float = std::is_floating_point_v<T> || __lib_small_float<T>;
template <class T> concept __lib_integer = std::is_integral_v<T> || std::is_enum_v<T>;
template <class T> concept __lib_number = __lib_integer<T> || __lib_float<T>;
template <class A, class B> struct __lib_wide_common { using type = A; };
template <class A, bool S> struct __lib_wide_common<A, __lib_wide<S>> {
  using type = std::conditional_t<__lib_float<A>, A, __lib_wide<S>>;
};
template <bool S, class B> struct __lib_wide_common<__lib_wide<S>, B> {
  using type = std::conditional_t<__lib_float<B>, B, __lib_wide<S>>;
};
template <bool S, bool T> struct __lib_wide_common<__lib_wide<S>, __lib_wide<T>> {
  using type = __lib_wide<S && T>;
};

template <bool S> struct __align__(16) __lib_wide {
  unsigned long lo, hi;

  __lib_wide() = default;
  template <__lib_number T> __device__ constexpr __lib_wide(T v) : lo(0), hi(0) {
    if constexpr (__lib_float<T>) {
      set_float(double(v));
    } else {
      lo = (unsigned long)v;
      hi = v < T(0) ? ~0ul : 0ul;
    }
  }
  __device__ constexpr __lib_wide(const __lib_wide<!S>& v) : lo(v.lo), hi(v.hi) {}
  __device__ static constexpr __lib_wide of(unsigned long high, unsigned long low) {
    __lib_wide r(0);
    r.lo = low;
    r.hi = high;
    return r;
  }

  __device__ constexpr operator bool() const { return (lo | hi) != 0; }
  __device__ constexpr operator char() const { return (char)lo; }
  __device__ constexpr operator signed char() const { return (signed char)lo; }
  __device__ constexpr operator unsigned char() const { return (unsigned char)lo; }
  __device__ constexpr operator short() const { return (short)lo; }
  __device__ constexpr operator unsigned short() const { return (unsigned short)lo; }
  __device__ constexpr operator int() const { return (int)lo; }
  __device__ constexpr operator unsigned() const { return (unsigned)lo; }
  __device__ constexpr operator long() const { return (long)lo; }
  __device__ constexpr operator unsigned long() const { return lo; }
  __device__ constexpr operator long long() const { return (long long)lo; }
  __device__ constexpr operator unsigned long long() const { return lo; }
  __device__ constexpr operator float() const { return as_float<float>(); }
  __device__ constexpr operator double() const { return as_float<double>(); }

  __device__ constexpr bool is_negative() const { return S && (long)hi < 0; }

  // Truncates; saturates; NaN is 0.
  __device__ constexpr void set_float(double v) {
    const bool negative = v < 0.0;
    double size = negative ? -v : v;
    const double limit = S ? 170141183460469231731687303715884105728.0
                           : 340282366920938463463374607431768211456.0;
    if (!(size >= 1.0) || (negative && !S)) return;
    if (size >= limit) {
      hi = S && negative ? 1ul << 63 : S ? ~0ul >> 1 : ~0ul;
      lo = S && negative ? 0ul : ~0ul;
      return;
    }
    hi = (unsigned long)(size * 5.42101086242752217e-20);
    lo = (unsigned long)(size - double(hi) * 18446744073709551616.0);
    if (negative) *this = -*this;
  }
  // Rounds once: the upper 64 bits of the number, the last of which remembers the rest.
  template <class F> __device__ constexpr F as_float() const {
    __lib_wide<false> v = is_negative() ? __lib_wide<false>(-*this) : __lib_wide<false>(*this);
    if (v.hi == 0) return is_negative() ? -F(v.lo) : F(v.lo);
    const int shift = __clzll((long long)v.hi);
    v = v << shift;
    F r = F(v.hi | (v.lo != 0 ? 1ul : 0ul));
    for (int i = shift; i < 64; ++i) r *= F(2);
    return is_negative() ? -r : r;
  }

  __device__ static constexpr __lib_wide add(__lib_wide a, __lib_wide b) {
    const unsigned long low = a.lo + b.lo;
    return of(a.hi + b.hi + (low < a.lo ? 1ul : 0ul), low);
  }
  __device__ static constexpr __lib_wide sub(__lib_wide a, __lib_wide b) {
    return of(a.hi - b.hi - (a.lo < b.lo ? 1ul : 0ul), a.lo - b.lo);
  }
  __device__ static constexpr __lib_wide mul(__lib_wide a, __lib_wide b) {
    return of(__umul64hi(a.lo, b.lo) + a.hi * b.lo + a.lo * b.hi, a.lo * b.lo);
  }
  // Of the absolute values; the remainder is in `rest`. By zero: 0, and the dividend remains.
  __device__ static constexpr __lib_wide<false> divide(__lib_wide<false> a, __lib_wide<false> b,
                                                       __lib_wide<false>& rest) {
    __lib_wide<false> q(0);
    rest = a;
    if ((b.lo | b.hi) == 0) return q;
    if ((a.hi | b.hi) == 0) {
      rest = __lib_wide<false>(a.lo % b.lo);
      return __lib_wide<false>(a.lo / b.lo);
    }
    const int from = a.hi != 0 ? __clzll((long long)a.hi) : 64 + __clzll((long long)a.lo);
    const int to = b.hi != 0 ? __clzll((long long)b.hi) : 64 + __clzll((long long)b.lo);
    for (int i = to - from; i >= 0; --i) {
      const __lib_wide<false> part = b << i;
      if (rest.hi < part.hi || (rest.hi == part.hi && rest.lo < part.lo)) continue;
      rest = __lib_wide<false>::sub(rest, part);
      if (i >= 64) {
        q.hi |= 1ul << (i - 64);
      } else {
        q.lo |= 1ul << i;
      }
    }
    return q;
  }
  __device__ static constexpr __lib_wide div(__lib_wide a, __lib_wide b) {
    __lib_wide<false> rest(0);
    const __lib_wide<false> q = divide(a.is_negative() ? -a : a, b.is_negative() ? -b : b, rest);
    return a.is_negative() != b.is_negative() ? -__lib_wide(q) : __lib_wide(q);
  }
  __device__ static constexpr __lib_wide rem(__lib_wide a, __lib_wide b) {
    __lib_wide<false> rest(0);
    divide(a.is_negative() ? -a : a, b.is_negative() ? -b : b, rest);
    return a.is_negative() ? -__lib_wide(rest) : __lib_wide(rest);
  }
  __device__ static constexpr bool less(__lib_wide a, __lib_wide b) {
    if (a.hi != b.hi) return S ? (long)a.hi < (long)b.hi : a.hi < b.hi;
    return a.lo < b.lo;
  }

  __device__ constexpr __lib_wide operator-() const { return sub(__lib_wide(0), *this); }
  __device__ constexpr __lib_wide operator+() const { return *this; }
  __device__ constexpr __lib_wide operator~() const { return of(~hi, ~lo); }
  __device__ constexpr bool operator!() const { return (lo | hi) == 0; }
  template <class B> __device__ constexpr __lib_wide operator<<(B count) const {
    const unsigned n = unsigned(count) & 127u;
    if (n == 0) return *this;
    return n >= 64 ? of(lo << (n - 64), 0) : of(hi << n | lo >> (64 - n), lo << n);
  }
  template <class B> __device__ constexpr __lib_wide operator>>(B count) const {
    const unsigned n = unsigned(count) & 127u;
    const unsigned long sign = is_negative() ? ~0ul : 0ul;
    if (n == 0) return *this;
    const unsigned long top = S ? (unsigned long)((long)hi >> (n & 63)) : hi >> (n & 63);
    return n >= 64 ? of(sign, top) : of(top, lo >> n | hi << (64 - n));
  }

  template <class B> __device__ constexpr auto operator+(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    if constexpr (__lib_float<R>) return R(*this) + b;
    else return R::add(R(*this), R(b));
  }
  template <class B> __device__ constexpr auto operator-(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    if constexpr (__lib_float<R>) return R(*this) - b;
    else return R::sub(R(*this), R(b));
  }
  template <class B> __device__ constexpr auto operator*(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    if constexpr (__lib_float<R>) return R(*this) * b;
    else return R::mul(R(*this), R(b));
  }
  template <class B> __device__ constexpr auto operator/(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    if constexpr (__lib_float<R>) return R(*this) / b;
    else return R::div(R(*this), R(b));
  }
  template <class B> __device__ constexpr auto operator%(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    return R::rem(R(*this), R(b));
  }
  template <class B> __device__ constexpr auto operator&(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    return R::of(hi & R(b).hi, lo & R(b).lo);
  }
  template <class B> __device__ constexpr auto operator|(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    return R::of(hi | R(b).hi, lo | R(b).lo);
  }
  template <class B> __device__ constexpr auto operator^(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    return R::of(hi ^ R(b).hi, lo ^ R(b).lo);
  }
  template <class B> __device__ constexpr bool operator==(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    if constexpr (__lib_float<R>) return R(*this) == b;
    else return hi == R(b).hi && lo == R(b).lo;
  }
  template <class B> __device__ constexpr bool operator!=(const B& b) const { return !(*this == b); }
  template <class B> __device__ constexpr bool operator<(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    if constexpr (__lib_float<R>) return R(*this) < b;
    else return R::less(R(*this), R(b));
  }
  template <class B> __device__ constexpr bool operator>(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    if constexpr (__lib_float<R>) return R(*this) > b;
    else return R::less(R(b), R(*this));
  }
  template <class B> __device__ constexpr bool operator<=(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    if constexpr (__lib_float<R>) return R(*this) <= b;
    else return !R::less(R(b), R(*this));
  }
  template <class B> __device__ constexpr bool operator>=(const B& b) const {
    using R = typename __lib_wide_common<__lib_wide, B>::type;
    if constexpr (__lib_float<R>) return R(*this) >= b;
    else return !R::less(R(*this), R(b));
  }

  template <__lib_number A> friend __device__ constexpr auto operator+(A a, const __lib_wide& b) {
    return b + a;
  }
  template <__lib_number A> friend __device__ constexpr auto operator*(A a, const __lib_wide& b) {
    return b * a;
  }
  template <__lib_number A> friend __device__ constexpr auto operator&(A a, const __lib_wide& b) {
    return b & a;
  }
  template <__lib_number A> friend __device__ constexpr auto operator|(A a, const __lib_wide& b) {
    return b | a;
  }
  template <__lib_number A> friend __device__ constexpr auto operator^(A a, const __lib_wide& b) {
    return b ^ a;
  }
  template <__lib_number A> friend __device__ constexpr auto operator-(A a, const __lib_wide& b) {
    if constexpr (__lib_float<A>) return a - A(b);
    else return __lib_wide(a) - b;
  }
  template <__lib_number A> friend __device__ constexpr auto operator/(A a, const __lib_wide& b) {
    if constexpr (__lib_float<A>) return a / A(b);
    else return __lib_wide(a) / b;
  }
  template <__lib_number A> friend __device__ constexpr auto operator%(A a, const __lib_wide& b) {
    return __lib_wide(a) % b;
  }
  template <__lib_number A> friend __device__ constexpr bool operator==(A a, const __lib_wide& b) {
    return b == a;
  }
  template <__lib_number A> friend __device__ constexpr bool operator!=(A a, const __lib_wide& b) {
    return b != a;
  }
  template <__lib_number A> friend __device__ constexpr bool operator<(A a, const __lib_wide& b) {
    return b > a;
  }
  template <__lib_number A> friend __device__ constexpr bool operator>(A a, const __lib_wide& b) {
    return b < a;
  }
  template <__lib_number A> friend __device__ constexpr bool operator<=(A a, const __lib_wide& b) {
    return b >= a;
  }
  template <__lib_number A> friend __device__ constexpr bool operator>=(A a, const __lib_wide& b) {
    return b <= a;
  }
  template <std::integral A> friend __device__ constexpr A operator<<(A a, const __lib_wide& b) {
    return A(a << unsigned(b));
  }
  template <std::integral A> friend __device__ constexpr A operator>>(A a, const __lib_wide& b) {
    return A(a >> unsigned(b));
  }
  template <__lib_number A> friend __device__ constexpr A& operator+=(A& a, const __lib_wide& b) {
    return a = A(a + b);
  }
  template <__lib_number A> friend __device__ constexpr A& operator-=(A& a, const __lib_wide& b) {
    return a = A(a - b);
  }
  template <__lib_number A> friend __device__ constexpr A& operator*=(A& a, const __lib_wide& b) {
    return a = A(a * b);
  }
  template <__lib_number A> friend __device__ constexpr A& operator/=(A& a, const __lib_wide& b) {
    return a = A(a / b);
  }

  template <class B> __device__ constexpr __lib_wide& operator+=(const B& b) {
    return *this = __lib_wide(*this + b);
  }
  template <class B> __device__ constexpr __lib_wide& operator-=(const B& b) {
    return *this = __lib_wide(*this - b);
  }
  template <class B> __device__ constexpr __lib_wide& operator*=(const B& b) {
    return *this = __lib_wide(*this * b);
  }
  template <class B> __device__ constexpr __lib_wide& operator/=(const B& b) {
    return *this = __lib_wide(*this / b);
  }
  template <class B> __device__ constexpr __lib_wide& operator%=(const B& b) {
    return *this = __lib_wide(*this % b);
  }
  template <class B> __device__ constexpr __lib_wide& operator&=(const B& b) {
    return *this = __lib_wide(*this & b);
  }
  template <class B> __device__ constexpr __lib_wide& operator|=(const B& b) {
    return *this = __lib_wide(*this | b);
  }
  template <class B> __device__ constexpr __lib_wide& operator^=(const B& b) {
    return *this = __lib_wide(*this ^ b);
  }
  template <class B> __device__ constexpr __lib_wide& operator<<=(const B& b) { return *this = *this << b; }
  template <class B> __device__ constexpr __lib_wide& operator>>=(const B& b) { return *this = *this >> b; }
  __device__ constexpr __lib_wide& operator++() { return *this = add(*this, __lib_wide(1)); }
  __device__ constexpr __lib_wide& operator--() { return *this = sub(*this, __lib_wide(1)); }
  __device__ constexpr __lib_wide operator++(int) {
    const __lib_wide old = *this;
    ++*this;
    return old;
  }
  __device__ constexpr __lib_wide operator--(int) {
    const __lib_wide old = *this;
    --*this;
    return old;
  }
};

using __int128 = __lib_wide<true>;
using __int128_t = __lib_wide<true>;
using __uint128_t = __lib_wide<false>;
