// <compare>: the results of operator<=>. The values are -1, 0, 1, and 2 for unordered.

namespace std {

struct partial_ordering {
  int __value;
  static constexpr partial_ordering less = {-1};
  static constexpr partial_ordering equivalent = {0};
  static constexpr partial_ordering greater = {1};
  static constexpr partial_ordering unordered = {2};
};
struct weak_ordering {
  int __value;
  static constexpr weak_ordering less = {-1};
  static constexpr weak_ordering equivalent = {0};
  static constexpr weak_ordering greater = {1};
  __device__ constexpr operator partial_ordering() const { return {__value}; }
};
struct strong_ordering {
  int __value;
  static constexpr strong_ordering less = {-1};
  static constexpr strong_ordering equal = {0};
  static constexpr strong_ordering equivalent = {0};
  static constexpr strong_ordering greater = {1};
  __device__ constexpr operator weak_ordering() const { return {__value}; }
  __device__ constexpr operator partial_ordering() const { return {__value}; }
};
template <class T>
concept __ordering =
    is_same_v<T, strong_ordering> || is_same_v<T, weak_ordering> || is_same_v<T, partial_ordering>;

template <__ordering T> __device__ constexpr bool operator==(T a, T b) { return a.__value == b.__value; }
template <__ordering T> __device__ constexpr bool operator==(T a, int) { return a.__value == 0; }
template <__ordering T> __device__ constexpr bool operator!=(T a, int) { return a.__value != 0; }
template <__ordering T> __device__ constexpr bool operator<(T a, int) { return a.__value < 0; }
template <__ordering T> __device__ constexpr bool operator>(T a, int) { return a.__value == 1; }
template <__ordering T> __device__ constexpr bool operator<=(T a, int) { return a.__value <= 0; }
template <__ordering T>
__device__ constexpr bool operator>=(T a, int) { return a.__value == 0 || a.__value == 1; }
template <__ordering T> __device__ constexpr bool operator<(int, T a) { return a.__value == 1; }
template <__ordering T> __device__ constexpr bool operator>(int, T a) { return a.__value < 0; }
template <__ordering T>
__device__ constexpr bool operator<=(int, T a) { return a.__value == 0 || a.__value == 1; }
template <__ordering T> __device__ constexpr bool operator>=(int, T a) { return a.__value <= 0; }

__device__ constexpr bool is_lt(std::partial_ordering a) { return a < 0; }
__device__ constexpr bool is_gt(std::partial_ordering a) { return a > 0; }
__device__ constexpr bool is_eq(std::partial_ordering a) { return a == 0; }
__device__ constexpr bool is_neq(std::partial_ordering a) { return a != 0; }
__device__ constexpr bool is_lteq(std::partial_ordering a) { return a <= 0; }
__device__ constexpr bool is_gteq(std::partial_ordering a) { return a >= 0; }

// The built-in operator.
template <class T>
__device__ constexpr auto __three_way(T a, T b) {
  if constexpr (is_integral_v<T> || is_pointer_v<T> || is_enum_v<T>) {
    return a < b ? strong_ordering::less : a == b ? strong_ordering::equal : strong_ordering::greater;
  } else {
    return a < b    ? partial_ordering::less
           : a == b ? partial_ordering::equivalent
           : a > b  ? partial_ordering::greater
                    : partial_ordering::unordered;
  }
}
}  // namespace std
