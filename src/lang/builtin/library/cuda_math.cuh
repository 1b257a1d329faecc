// <cuda/cmath> and <cuda/functional>.

namespace cuda {
template <class T, class U> __device__ constexpr auto ceil_div(T a, U b) { return (a + b - 1) / b; }
template <class T, class U> __device__ constexpr auto round_up(T a, U b) { return ceil_div(a, b) * b; }
template <class T, class U> __device__ constexpr auto round_down(T a, U b) { return a / b * b; }
template <class T = void>
struct minimum {
  __device__ constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <>
struct minimum<void> {
  template <class T, class U>
  __device__ constexpr std::common_type_t<T, U> operator()(const T& a, const U& b) const {
    return b < a ? b : a;
  }
};
template <class T = void>
struct maximum {
  __device__ constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <>
struct maximum<void> {
  template <class T, class U>
  __device__ constexpr std::common_type_t<T, U> operator()(const T& a, const U& b) const {
    return a < b ? b : a;
  }
};
}  // namespace cuda
