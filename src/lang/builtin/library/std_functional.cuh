// <functional>: operators as function objects.

namespace std {

template <class T = void>
struct plus {
  __device__ constexpr T operator()(const T& a, const T& b) const { return a + b; }
};
template <>
struct plus<void> {
  template <class A, class B>
  __device__ constexpr auto operator()(const A& a, const B& b) const { return a + b; }
};
template <class T = void>
struct minus {
  __device__ constexpr T operator()(const T& a, const T& b) const { return a - b; }
};
template <>
struct minus<void> {
  template <class A, class B>
  __device__ constexpr auto operator()(const A& a, const B& b) const { return a - b; }
};
template <class T = void>
struct multiplies {
  __device__ constexpr T operator()(const T& a, const T& b) const { return a * b; }
};
template <>
struct multiplies<void> {
  template <class A, class B>
  __device__ constexpr auto operator()(const A& a, const B& b) const { return a * b; }
};
template <class T = void>
struct divides {
  __device__ constexpr T operator()(const T& a, const T& b) const { return a / b; }
};
template <>
struct divides<void> {
  template <class A, class B>
  __device__ constexpr auto operator()(const A& a, const B& b) const { return a / b; }
};
template <class T = void>
struct modulus {
  __device__ constexpr T operator()(const T& a, const T& b) const { return a % b; }
};
template <>
struct modulus<void> {
  template <class A, class B>
  __device__ constexpr auto operator()(const A& a, const B& b) const { return a % b; }
};
template <class T = void>
struct bit_and {
  __device__ constexpr T operator()(const T& a, const T& b) const { return a & b; }
};
template <>
struct bit_and<void> {
  template <class A, class B>
  __device__ constexpr auto operator()(const A& a, const B& b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  __device__ constexpr T operator()(const T& a, const T& b) const { return a | b; }
};
template <>
struct bit_or<void> {
  template <class A, class B>
  __device__ constexpr auto operator()(const A& a, const B& b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  __device__ constexpr T operator()(const T& a, const T& b) const { return a ^ b; }
};
template <>
struct bit_xor<void> {
  template <class A, class B>
  __device__ constexpr auto operator()(const A& a, const B& b) const { return a ^ b; }
};
template <class T = void>
struct equal_to {
  __device__ constexpr bool operator()(const T& a, const T& b) const { return a == b; }
};
template <>
struct equal_to<void> {
  template <class A, class B>
  __device__ constexpr bool operator()(const A& a, const B& b) const { return a == b; }
};
template <class T = void>
struct not_equal_to {
  __device__ constexpr bool operator()(const T& a, const T& b) const { return a != b; }
};
template <>
struct not_equal_to<void> {
  template <class A, class B>
  __device__ constexpr bool operator()(const A& a, const B& b) const { return a != b; }
};
template <class T = void>
struct less {
  __device__ constexpr bool operator()(const T& a, const T& b) const { return a < b; }
};
template <>
struct less<void> {
  template <class A, class B>
  __device__ constexpr bool operator()(const A& a, const B& b) const { return a < b; }
};
template <class T = void>
struct less_equal {
  __device__ constexpr bool operator()(const T& a, const T& b) const { return a <= b; }
};
template <>
struct less_equal<void> {
  template <class A, class B>
  __device__ constexpr bool operator()(const A& a, const B& b) const { return a <= b; }
};
template <class T = void>
struct greater {
  __device__ constexpr bool operator()(const T& a, const T& b) const { return a > b; }
};
template <>
struct greater<void> {
  template <class A, class B>
  __device__ constexpr bool operator()(const A& a, const B& b) const { return a > b; }
};
template <class T = void>
struct greater_equal {
  __device__ constexpr bool operator()(const T& a, const T& b) const { return a >= b; }
};
template <>
struct greater_equal<void> {
  template <class A, class B>
  __device__ constexpr bool operator()(const A& a, const B& b) const { return a >= b; }
};
template <class T = void>
struct logical_and {
  __device__ constexpr bool operator()(const T& a, const T& b) const { return a && b; }
};
template <>
struct logical_and<void> {
  template <class A, class B>
  __device__ constexpr bool operator()(const A& a, const B& b) const { return a && b; }
};
template <class T = void>
struct logical_or {
  __device__ constexpr bool operator()(const T& a, const T& b) const { return a || b; }
};
template <>
struct logical_or<void> {
  template <class A, class B>
  __device__ constexpr bool operator()(const A& a, const B& b) const { return a || b; }
};
template <class T = void>
struct negate {
  __device__ constexpr T operator()(const T& a) const { return -a; }
};
template <>
struct negate<void> {
  template <class A> __device__ constexpr auto operator()(const A& a) const { return -a; }
};
template <class T = void>
struct bit_not {
  __device__ constexpr T operator()(const T& a) const { return ~a; }
};
template <>
struct bit_not<void> {
  template <class A> __device__ constexpr auto operator()(const A& a) const { return ~a; }
};
template <class T = void>
struct logical_not {
  __device__ constexpr bool operator()(const T& a) const { return !a; }
};
template <>
struct logical_not<void> {
  template <class A> __device__ constexpr auto operator()(const A& a) const { return !a; }
};
struct identity {
  template <class T> __device__ constexpr T operator()(T x) const { return x; }
};
template <class F, class... Args>
__device__ constexpr auto invoke(F f, Args... args) { return f(args...); }
template <class T>
struct reference_wrapper {
  T* __target;
  __device__ constexpr reference_wrapper(T& target) : __target(&target) {}
  __device__ constexpr operator T&() const { return *__target; }
  __device__ constexpr T& get() const { return *__target; }
};
template <class T> __device__ constexpr reference_wrapper<T> ref(T& x) { return reference_wrapper<T>(x); }
template <class T> __device__ constexpr reference_wrapper<const T> cref(const T& x) {
  return reference_wrapper<const T>(x);
}
}  // namespace std
