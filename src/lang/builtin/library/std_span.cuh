// <span> and <optional>.

namespace std {
constexpr unsigned long dynamic_extent = ~0ul;

template <class T, unsigned long Extent = dynamic_extent>
struct span {
  using element_type = T;
  using value_type = remove_cv_t<T>;
  using size_type = unsigned long;
  using iterator = T*;
  static constexpr unsigned long extent = Extent;
  T* __data;
  unsigned long __size;
  __device__ constexpr span() : __data(nullptr), __size(0) {}
  __device__ constexpr span(T* data, unsigned long size) : __data(data), __size(size) {}
  template <unsigned long N>
  __device__ constexpr span(T (&a)[N]) : __data(a), __size(N) {}
  template <class U, unsigned long N>
  __device__ constexpr span(array<U, N>& a) : __data(a.data()), __size(N) {}
  template <class U, unsigned long N>
  __device__ constexpr span(const array<U, N>& a) : __data(a.data()), __size(N) {}
  template <class U, unsigned long N>
  __device__ constexpr span(const span<U, N>& s) : __data(s.data()), __size(s.size()) {}
  __device__ constexpr T* data() const { return __data; }
  __device__ constexpr unsigned long size() const { return __size; }
  __device__ constexpr unsigned long size_bytes() const { return __size * sizeof(T); }
  __device__ constexpr bool empty() const { return __size == 0; }
  __device__ constexpr T& operator[](unsigned long i) const { return __data[i]; }
  __device__ constexpr T& front() const { return __data[0]; }
  __device__ constexpr T& back() const { return __data[__size - 1]; }
  __device__ constexpr T* begin() const { return __data; }
  __device__ constexpr T* end() const { return __data + __size; }
  __device__ constexpr span<T> first(unsigned long n) const { return span<T>(__data, n); }
  __device__ constexpr span<T> last(unsigned long n) const { return span<T>(__data + (__size - n), n); }
  __device__ constexpr span<T> subspan(unsigned long from, unsigned long n = dynamic_extent) const {
    return span<T>(__data + from, n == dynamic_extent ? __size - from : n);
  }
};

struct nullopt_t {};
constexpr nullopt_t nullopt{};

template <class T>
struct optional {
  using value_type = T;
  T __value;
  bool __has;
  __device__ constexpr optional() : __value(), __has(false) {}
  __device__ constexpr optional(nullopt_t) : __value(), __has(false) {}
  __device__ constexpr optional(const T& v) : __value(v), __has(true) {}
  __device__ constexpr optional& operator=(nullopt_t) {
    __has = false;
    return *this;
  }
  __device__ constexpr optional& operator=(const T& v) {
    __value = v;
    __has = true;
    return *this;
  }
  __device__ constexpr bool has_value() const { return __has; }
  __device__ constexpr explicit operator bool() const { return __has; }
  __device__ constexpr T& value() { return __value; }
  __device__ constexpr const T& value() const { return __value; }
  __device__ constexpr T value_or(T other) const { return __has ? __value : other; }
  __device__ constexpr T& operator*() { return __value; }
  __device__ constexpr const T& operator*() const { return __value; }
  __device__ constexpr T* operator->() { return &__value; }
  __device__ constexpr const T* operator->() const { return &__value; }
  __device__ constexpr void reset() { __has = false; }
};
}  // namespace std
