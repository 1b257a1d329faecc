// <tuple>, implemented recursively.

namespace std {

template <class... Ts> struct tuple {};
template <class Head, class... Tail>
struct tuple<Head, Tail...> {
  Head __head;
  tuple<Tail...> __tail;
  __device__ constexpr tuple() : __head(), __tail() {}
  __device__ constexpr tuple(const Head& head, const Tail&... tail) : __head(head), __tail(tail...) {}
  template <class... Us>
  __device__ constexpr tuple& operator=(const tuple<Us...>& other) {
    __head = other.__head;
    __tail = other.__tail;
    return *this;
  }
};

template <class... Ts> tuple(Ts...) -> tuple<Ts...>;

template <class T> struct tuple_size {};
template <class... Ts> struct tuple_size<tuple<Ts...>> : integral_constant<unsigned long, sizeof...(Ts)> {};
template <class A, class B> struct tuple_size<pair<A, B>> : integral_constant<unsigned long, 2> {};
template <class T, unsigned long N> struct tuple_size<array<T, N>> : integral_constant<unsigned long, N> {};
template <class T> constexpr unsigned long tuple_size_v = tuple_size<T>::value;
template <unsigned long I, class T> struct tuple_element {};
template <class Head, class... Tail> struct tuple_element<0, tuple<Head, Tail...>> { using type = Head; };
template <unsigned long I, class Head, class... Tail>
struct tuple_element<I, tuple<Head, Tail...>> {
  using type = typename tuple_element<I - 1, tuple<Tail...>>::type;
};
template <class A, class B> struct tuple_element<0, pair<A, B>> { using type = A; };
template <class A, class B> struct tuple_element<1, pair<A, B>> { using type = B; };
template <unsigned long I, class T, unsigned long N> struct tuple_element<I, array<T, N>> { using type = T; };
template <unsigned long I, class T> using tuple_element_t = typename tuple_element<I, T>::type;

template <unsigned long I, class... Ts>
__device__ constexpr auto& get(tuple<Ts...>& t) {
  if constexpr (I == 0) {
    return t.__head;
  } else {
    return get<I - 1>(t.__tail);
  }
}
template <unsigned long I, class... Ts>
__device__ constexpr const auto& get(const tuple<Ts...>& t) {
  if constexpr (I == 0) {
    return t.__head;
  } else {
    return get<I - 1>(t.__tail);
  }
}
template <unsigned long I, class A, class B>
__device__ constexpr auto& get(pair<A, B>& p) {
  if constexpr (I == 0) {
    return p.first;
  } else {
    return p.second;
  }
}
template <unsigned long I, class A, class B>
__device__ constexpr const auto& get(const pair<A, B>& p) {
  if constexpr (I == 0) {
    return p.first;
  } else {
    return p.second;
  }
}
template <unsigned long I, class T, unsigned long N>
__device__ constexpr T& get(array<T, N>& a) { return a[I]; }
template <unsigned long I, class T, unsigned long N>
__device__ constexpr const T& get(const array<T, N>& a) { return a[I]; }

template <class... Ts>
__device__ constexpr tuple<Ts...> make_tuple(Ts... values) { return tuple<Ts...>(values...); }
template <class... Ts>
__device__ constexpr tuple<Ts&...> tie(Ts&... values) { return tuple<Ts&...>(values...); }
template <class F, class Tuple, unsigned long... I>
__device__ constexpr auto __apply(F& f, Tuple& t, index_sequence<I...>) { return f(get<I>(t)...); }
template <class F, class... Ts>
__device__ constexpr auto apply(F f, tuple<Ts...> t) {
  return __apply(f, t, make_index_sequence<sizeof...(Ts)>());
}
template <class A, class B>
__device__ constexpr bool operator==(const tuple<A, B>& a, const tuple<A, B>& b) {
  return a.__head == b.__head && a.__tail.__head == b.__tail.__head;
}
}  // namespace std
