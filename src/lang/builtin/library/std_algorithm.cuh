// <algorithm>, <numeric>, <iterator>: loops over ranges of one thread, and small parts of <utility> and
// <bit>.

namespace std {
template <class I> __device__ constexpr auto distance(I from, I to) { return to - from; }
template <class I> __device__ constexpr I next(I it, long n = 1) { return it + n; }
template <class I> __device__ constexpr I prev(I it, long n = 1) { return it - n; }
template <class I, class N> __device__ constexpr void advance(I& it, N n) { it += n; }

template <class I, class T>
__device__ constexpr I find(I from, I to, const T& value) {
  while (from != to && !(*from == value)) ++from;
  return from;
}
template <class I, class Test>
__device__ constexpr I find_if(I from, I to, Test test) {
  while (from != to && !test(*from)) ++from;
  return from;
}
template <class I, class T>
__device__ constexpr long count(I from, I to, const T& value) {
  long n = 0;
  for (; from != to; ++from) n += *from == value ? 1 : 0;
  return n;
}
template <class I, class Test>
__device__ constexpr long count_if(I from, I to, Test test) {
  long n = 0;
  for (; from != to; ++from) n += test(*from) ? 1 : 0;
  return n;
}
template <class I, class Test>
__device__ constexpr bool any_of(I from, I to, Test test) { return find_if(from, to, test) != to; }
template <class I, class Test>
__device__ constexpr bool none_of(I from, I to, Test test) { return find_if(from, to, test) == to; }
template <class I, class Test>
__device__ constexpr bool all_of(I from, I to, Test test) {
  for (; from != to; ++from) {
    if (!test(*from)) return false;
  }
  return true;
}
template <class I, class F>
__device__ constexpr F for_each(I from, I to, F f) {
  for (; from != to; ++from) f(*from);
  return f;
}
template <class I, class O, class F>
__device__ constexpr O transform(I from, I to, O out, F f) {
  for (; from != to; ++from, ++out) *out = f(*from);
  return out;
}
template <class I, class J, class O, class F>
__device__ constexpr O transform(I from, I to, J other, O out, F f) {
  for (; from != to; ++from, ++other, ++out) *out = f(*from, *other);
  return out;
}
template <class I, class N, class O>
__device__ constexpr O copy_n(I from, N count, O out) {
  for (N i = 0; i < count; ++i, ++from, ++out) *out = *from;
  return out;
}
template <class I, class F>
__device__ constexpr void generate(I from, I to, F f) {
  for (; from != to; ++from) *from = f();
}
template <class I, class J>
__device__ constexpr bool equal(I from, I to, J other) {
  for (; from != to; ++from, ++other) {
    if (!(*from == *other)) return false;
  }
  return true;
}
template <class I>
__device__ constexpr void reverse(I from, I to) {
  while (from < to) {
    --to;
    auto kept = *from;
    *from = *to;
    *to = kept;
    ++from;
  }
}
template <class I, class Less>
__device__ constexpr I min_element(I from, I to, Less less) {
  I best = from;
  for (; from != to; ++from) {
    if (less(*from, *best)) best = from;
  }
  return best;
}
template <class I>
__device__ constexpr I min_element(I from, I to) { return min_element(from, to, std::less<void>()); }
template <class I, class Less>
__device__ constexpr I max_element(I from, I to, Less less) {
  I best = from;
  for (; from != to; ++from) {
    if (less(*best, *from)) best = from;
  }
  return best;
}
template <class I>
__device__ constexpr I max_element(I from, I to) { return max_element(from, to, std::less<void>()); }
template <class I, class T>
__device__ constexpr bool binary_search(I from, I to, const T& value) {
  I at = lower_bound(from, to, value);
  return at != to && !(value < *at);
}
template <class I, class Less>
__device__ constexpr bool is_sorted(I from, I to, Less less) {
  if (from == to) return true;
  for (I before = from++; from != to; before = from++) {
    if (less(*from, *before)) return false;
  }
  return true;
}
template <class I>
__device__ constexpr bool is_sorted(I from, I to) { return is_sorted(from, to, std::less<void>()); }
// Heapsort: no memory, no recursion.
template <class I, class Less>
__device__ constexpr void __sift_down(I heap, long at, long count, Less& less) {
  for (long child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && less(heap[child], heap[child + 1])) ++child;
    if (!less(heap[at], heap[child])) return;
    auto kept = heap[at];
    heap[at] = heap[child];
    heap[child] = kept;
    at = child;
  }
}
template <class I, class Less>
__device__ constexpr void sort(I from, I to, Less less) {
  const long count = to - from;
  for (long i = count / 2 - 1; i >= 0; --i) __sift_down(from, i, count, less);
  for (long n = count - 1; n > 0; --n) {
    auto kept = from[0];
    from[0] = from[n];
    from[n] = kept;
    __sift_down(from, 0, n, less);
  }
}
template <class I>
__device__ constexpr void sort(I from, I to) { sort(from, to, std::less<void>()); }

// <numeric>.
template <class I, class T, class Op>
__device__ constexpr T accumulate(I from, I to, T sum, Op op) {
  for (; from != to; ++from) sum = op(sum, *from);
  return sum;
}
template <class I, class T, class Op>
__device__ constexpr T reduce(I from, I to, T sum, Op op) { return accumulate(from, to, sum, op); }
template <class I, class T>
__device__ constexpr T reduce(I from, I to, T sum) { return accumulate(from, to, sum); }
template <class I, class J, class T>
__device__ constexpr T inner_product(I from, I to, J other, T sum) {
  for (; from != to; ++from, ++other) sum = sum + *from * *other;
  return sum;
}
template <class I, class T, class Op, class F>
__device__ constexpr T transform_reduce(I from, I to, T sum, Op op, F f) {
  for (; from != to; ++from) sum = op(sum, f(*from));
  return sum;
}
template <class I, class O, class Op>
__device__ constexpr O inclusive_scan(I from, I to, O out, Op op) {
  if (from == to) return out;
  auto sum = *from;
  *out = sum;
  for (++from, ++out; from != to; ++from, ++out) {
    sum = op(sum, *from);
    *out = sum;
  }
  return out;
}
template <class I, class O>
__device__ constexpr O inclusive_scan(I from, I to, O out) {
  return inclusive_scan(from, to, out, std::plus<void>());
}
template <class I, class O>
__device__ constexpr O partial_sum(I from, I to, O out) { return inclusive_scan(from, to, out); }
template <class I, class O, class T, class Op>
__device__ constexpr O exclusive_scan(I from, I to, O out, T sum, Op op) {
  for (; from != to; ++from, ++out) {
    T before = sum;
    sum = op(sum, *from);
    *out = before;
  }
  return out;
}
template <class I, class O, class T>
__device__ constexpr O exclusive_scan(I from, I to, O out, T sum) {
  return exclusive_scan(from, to, out, sum, std::plus<void>());
}
template <class I, class T>
__device__ constexpr void iota(I from, I to, T value) {
  for (; from != to; ++from, ++value) *from = value;
}
template <class A, class B>
__device__ constexpr auto lcm(A a, B b) {
  using T = common_type_t<A, B>;
  if (a == 0 || b == 0) return T(0);
  const T result = T(a) / T(gcd(a, b)) * T(b);
  return result < T(0) ? T(-result) : result;
}

// <utility>: comparisons by value of integers with and without sign.
template <class E> __device__ constexpr auto to_underlying(E e) { return (underlying_type_t<E>)e; }
template <class A, class B>
__device__ constexpr bool cmp_equal(A a, B b) {
  if constexpr (is_signed_v<A> == is_signed_v<B>) {
    return a == b;
  } else if constexpr (is_signed_v<A>) {
    return a >= 0 && make_unsigned_t<A>(a) == b;
  } else {
    return b >= 0 && a == make_unsigned_t<B>(b);
  }
}
template <class A, class B>
__device__ constexpr bool cmp_less(A a, B b) {
  if constexpr (is_signed_v<A> == is_signed_v<B>) {
    return a < b;
  } else if constexpr (is_signed_v<A>) {
    return a < 0 || make_unsigned_t<A>(a) < b;
  } else {
    return b >= 0 && a < make_unsigned_t<B>(b);
  }
}
template <class A, class B> __device__ constexpr bool cmp_not_equal(A a, B b) { return !cmp_equal(a, b); }
template <class A, class B> __device__ constexpr bool cmp_greater(A a, B b) { return cmp_less(b, a); }
template <class A, class B> __device__ constexpr bool cmp_less_equal(A a, B b) { return !cmp_less(b, a); }
template <class A, class B> __device__ constexpr bool cmp_greater_equal(A a, B b) { return !cmp_less(a, b); }
template <class T>
__device__ constexpr T byteswap(T x) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T); ++i) {
    result = T((unsigned long long)result << 8 | ((unsigned long long)x & 255));
    x = T((unsigned long long)x >> 8);
  }
  return result;
}
}  // namespace std

namespace cuda {
// <cuda/functional>: says what a function returns; in kernels, the compiler knows.
template <class R, class F>
struct __returns {
  F __f;
  template <class... Args>
  __device__ constexpr R operator()(Args... args) const { return __f(args...); }
};
template <class R, class F>
__device__ constexpr __returns<R, F> proclaim_return_type(F f) { return __returns<R, F>{f}; }

// <cuda/annotated_ptr>: a pointer with a hint for caches, which has no effect on results. Hints are dropped.
struct access_property {
  struct shared {};
  struct global {};
  struct persisting {};
  struct normal {};
  struct streaming {};
  access_property() = default;
  template <class Property>
  __device__ constexpr access_property(Property) {}
  template <class Property>
  __device__ constexpr access_property(Property, float) {}
};
template <class T, class Property>
struct annotated_ptr {
  using value_type = T;
  using element_type = T;
  using reference = T&;
  using pointer = T*;
  T* __at;
  __device__ constexpr annotated_ptr() : __at(nullptr) {}
  __device__ constexpr explicit annotated_ptr(T* p) : __at(p) {}
  template <class Hint>
  __device__ constexpr annotated_ptr(T* p, Hint) : __at(p) {}
  __device__ constexpr T& operator*() const { return *__at; }
  __device__ constexpr T* operator->() const { return __at; }
  __device__ constexpr T& operator[](long i) const { return __at[i]; }
  __device__ constexpr long operator-(annotated_ptr other) const { return __at - other.__at; }
  __device__ constexpr explicit operator bool() const { return __at != nullptr; }
  __device__ constexpr T* get() const { return __at; }
};
template <class T, class Property>
__device__ constexpr T* associate_access_property(T* p, Property) { return p; }
template <class Size, class Property>
__device__ constexpr void apply_access_property(const volatile void*, Size, Property) {}
template <class Size>
__device__ constexpr void discard_memory(volatile void*, Size) {}
}  // namespace cuda
