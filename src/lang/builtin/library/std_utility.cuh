// <utility>, <algorithm>, <array>, <tuple>, <bit>: the parts that kernels use. min and max return values.

namespace std {

template <class T> __device__ constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> __device__ constexpr T max(T a, T b) { return a < b ? b : a; }
template <class T, class Less> __device__ constexpr T min(T a, T b, Less less) { return less(b, a) ? b : a; }
template <class T, class Less> __device__ constexpr T max(T a, T b, Less less) { return less(a, b) ? b : a; }
template <class T>
__device__ constexpr T clamp(T x, T low, T high) { return x < low ? low : high < x ? high : x; }

template <class T>
__device__ constexpr typename remove_reference<T>::type&& move(T&& x) {
  return static_cast<typename remove_reference<T>::type&&>(x);
}
template <class T>
__device__ constexpr T&& forward(typename remove_reference<T>::type& x) { return static_cast<T&&>(x); }
template <class T>
__device__ constexpr T&& forward(typename remove_reference<T>::type&& x) { return static_cast<T&&>(x); }
template <class T>
__device__ constexpr void swap(T& a, T& b) {
  T kept = a;
  a = b;
  b = kept;
}
template <class T, class U = T>
__device__ constexpr T exchange(T& x, U value) {
  T old = x;
  x = value;
  return old;
}
template <class T> __device__ constexpr T* addressof(T& x) { return &x; }
template <class T> __device__ constexpr const T& as_const(T& x) { return x; }

// <bit>. Between numbers it is one operation, otherwise a copy.
template <class To, class From>
__device__ constexpr To bit_cast(const From& x) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast needs types of the same size");
  if constexpr ((is_arithmetic_v<To> || is_same_v<To, __half> || is_same_v<To, __nv_bfloat16>) &&
                (is_arithmetic_v<From> || is_same_v<From, __half> || is_same_v<From, __nv_bfloat16>)) {
    return __quern_bitcast<To>(x);
  } else {
    To result;
    __quern_mem_copy(&result, &x, sizeof(To));
    return result;
  }
}
template <class T>
__device__ constexpr int popcount(T x) { return __quern_popc((unsigned long long)x); }
template <class T>
__device__ constexpr int countl_zero(T x) {
  return __quern_clz((unsigned long long)x) - (64 - int(sizeof(T)) * 8);
}
template <class T>
__device__ constexpr int countr_zero(T x) {
  return x == 0 ? int(sizeof(T)) * 8 : __quern_ctz((unsigned long long)x);
}
template <class T> __device__ constexpr int countl_one(T x) { return countl_zero(T(~x)); }
template <class T> __device__ constexpr int countr_one(T x) { return countr_zero(T(~x)); }
template <class T> __device__ constexpr int bit_width(T x) { return int(sizeof(T)) * 8 - countl_zero(x); }
template <class T> __device__ constexpr bool has_single_bit(T x) { return x != 0 && (x & (x - 1)) == 0; }
template <class T>
__device__ constexpr T bit_floor(T x) { return x == 0 ? T(0) : T(T(1) << (bit_width(x) - 1)); }
template <class T>
__device__ constexpr T bit_ceil(T x) { return x <= 1 ? T(1) : T(T(1) << bit_width(T(x - 1))); }
template <class T>
__device__ constexpr T rotl(T x, int n) {
  const int bits = int(sizeof(T)) * 8;
  const int k = n & (bits - 1);
  return k == 0 ? x : T((x << k) | (x >> (bits - k)));
}
template <class T> __device__ constexpr T rotr(T x, int n) { return rotl(x, -n); }

// <utility>: pairs and sequences.
template <class A, class B>
struct pair {
  using first_type = A;
  using second_type = B;
  A first;
  B second;
  __device__ constexpr pair() : first(), second() {}
  __device__ constexpr pair(const A& a, const B& b) : first(a), second(b) {}
  template <class C, class D>
  __device__ constexpr pair(const pair<C, D>& other) : first(other.first), second(other.second) {}
};
template <class A, class B> pair(A, B) -> pair<A, B>;
template <class A, class B> __device__ constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>(a, b); }
template <class A, class B>
__device__ constexpr bool operator==(const pair<A, B>& a, const pair<A, B>& b) {
  return a.first == b.first && a.second == b.second;
}
template <class A, class B>
__device__ constexpr bool operator!=(const pair<A, B>& a, const pair<A, B>& b) { return !(a == b); }
template <class A, class B>
__device__ constexpr bool operator<(const pair<A, B>& a, const pair<A, B>& b) {
  return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}
template <class A, class B>
__device__ constexpr bool operator>(const pair<A, B>& a, const pair<A, B>& b) { return b < a; }

template <class T, T... I>
struct integer_sequence {
  using value_type = T;
  __device__ static constexpr unsigned long size() { return sizeof...(I); }
};
template <unsigned long... I> using index_sequence = integer_sequence<unsigned long, I...>;
template <class T, unsigned long N, T... I> struct __count_to : __count_to<T, N - 1, T(N - 1), I...> {};
template <class T, T... I> struct __count_to<T, 0, I...> { using type = integer_sequence<T, I...>; };
template <class T, unsigned long N> using make_integer_sequence = typename __count_to<T, N>::type;
template <unsigned long N> using make_index_sequence = typename __count_to<unsigned long, N>::type;
template <class... Ts> using index_sequence_for = make_index_sequence<sizeof...(Ts)>;

// <array>.
template <class T, unsigned long N>
struct array {
  using value_type = T;
  using size_type = unsigned long;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  T __elems[N];
  __device__ constexpr T& operator[](unsigned long i) { return __elems[i]; }
  __device__ constexpr const T& operator[](unsigned long i) const { return __elems[i]; }
  __device__ constexpr T& at(unsigned long i) { return __elems[i]; }
  __device__ constexpr const T& at(unsigned long i) const { return __elems[i]; }
  __device__ constexpr T& front() { return __elems[0]; }
  __device__ constexpr const T& front() const { return __elems[0]; }
  __device__ constexpr T& back() { return __elems[N - 1]; }
  __device__ constexpr const T& back() const { return __elems[N - 1]; }
  __device__ constexpr T* data() { return __elems; }
  __device__ constexpr const T* data() const { return __elems; }
  __device__ constexpr T* begin() { return __elems; }
  __device__ constexpr const T* begin() const { return __elems; }
  __device__ constexpr const T* cbegin() const { return __elems; }
  __device__ constexpr T* end() { return __elems + N; }
  __device__ constexpr const T* end() const { return __elems + N; }
  __device__ constexpr const T* cend() const { return __elems + N; }
  __device__ static constexpr unsigned long size() { return N; }
  __device__ static constexpr unsigned long max_size() { return N; }
  __device__ static constexpr bool empty() { return N == 0; }
  __device__ constexpr void fill(const T& value) {
    for (unsigned long i = 0; i < N; ++i) __elems[i] = value;
  }
};
template <class T, class... U> array(T, U...) -> array<T, 1 + sizeof...(U)>;
template <class T, unsigned long N>
__device__ constexpr bool operator==(const array<T, N>& a, const array<T, N>& b) {
  for (unsigned long i = 0; i < N; ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}
template <class T, unsigned long N>
__device__ constexpr bool operator!=(const array<T, N>& a, const array<T, N>& b) { return !(a == b); }

// <iterator>, on arrays.
template <class T, unsigned long N> __device__ constexpr T* begin(T (&a)[N]) { return a; }
template <class T, unsigned long N> __device__ constexpr T* end(T (&a)[N]) { return a + N; }
template <class T, unsigned long N> __device__ constexpr unsigned long size(const T (&)[N]) { return N; }
template <class C> __device__ constexpr auto begin(C& c) { return c.begin(); }
template <class C> __device__ constexpr auto end(C& c) { return c.end(); }
template <class C> __device__ constexpr auto size(const C& c) { return c.size(); }

// <algorithm> and <numeric>, by one thread.
template <class I, class T>
__device__ constexpr void fill(I from, I to, T value) {
  for (; from != to; ++from) *from = value;
}
template <class I, class T>
__device__ constexpr I fill_n(I at, unsigned long n, T value) {
  for (; n > 0; --n, ++at) *at = value;
  return at;
}
template <class I, class O>
__device__ constexpr O copy(I from, I to, O out) {
  for (; from != to; ++from, ++out) *out = *from;
  return out;
}
template <class I, class T>
__device__ constexpr I lower_bound(I from, I to, T value) {
  auto n = to - from;
  while (n > 0) {
    auto half = n / 2;
    if (from[half] < value) {
      from += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return from;
}
template <class I, class T>
__device__ constexpr I upper_bound(I from, I to, T value) {
  auto n = to - from;
  while (n > 0) {
    auto half = n / 2;
    if (!(value < from[half])) {
      from += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return from;
}
template <class I, class T>
__device__ constexpr T accumulate(I from, I to, T sum) {
  for (; from != to; ++from) sum = sum + *from;
  return sum;
}
}  // namespace std
