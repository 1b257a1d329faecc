// <mdspan>: views of memory with several dimensions. Extents that are known when compiling are not stored.

namespace std {
template <class Index, unsigned long... Extents>
struct extents {
  using index_type = Index;
  using size_type = make_unsigned_t<Index>;
  using rank_type = unsigned long;
  static constexpr unsigned long __known[sizeof...(Extents) + 1] = {Extents..., 0};
  static constexpr unsigned long __dynamic = (0ul + ... + (Extents == dynamic_extent ? 1ul : 0ul));
  Index __values[__dynamic == 0 ? 1 : __dynamic];

  __device__ static constexpr unsigned long rank() { return sizeof...(Extents); }
  __device__ static constexpr unsigned long rank_dynamic() { return __dynamic; }
  __device__ static constexpr unsigned long static_extent(unsigned long r) { return __known[r]; }
  // The position of a dynamic extent in __values.
  __device__ static constexpr unsigned long __place(unsigned long r) {
    unsigned long place = 0;
    for (unsigned long i = 0; i < r; ++i) place += __known[i] == dynamic_extent ? 1 : 0;
    return place;
  }
  template <unsigned long R>
  __device__ constexpr Index __at() const {
    if constexpr (__known[R] != dynamic_extent) {
      return Index(__known[R]);
    } else {
      constexpr unsigned long place = __place(R);
      return __values[place];
    }
  }
  __device__ constexpr Index extent(unsigned long r) const {
    return __known[r] != dynamic_extent ? Index(__known[r]) : __values[__place(r)];
  }

  __device__ constexpr extents() : __values{} {}
  // All extents, or the dynamic ones.
  template <class... I>
  __device__ constexpr explicit extents(I... sizes) : __values{} {
    static_assert(sizeof...(I) == sizeof...(Extents) || sizeof...(I) == __dynamic,
                  "extents needs a size for each dimension, or for each dynamic one");
    const Index given[sizeof...(I)] = {Index(sizes)...};
    __take(given, sizeof...(I));
  }
  template <class U, unsigned long N>
  __device__ constexpr explicit extents(const array<U, N>& sizes) : __values{} {
    Index given[N];
    for (unsigned long i = 0; i < N; ++i) given[i] = Index(sizes[i]);
    __take(given, N);
  }
  template <class U, unsigned long... Other>
  __device__ constexpr extents(const extents<U, Other...>& other) : __values{} {
    for (unsigned long r = 0; r < rank(); ++r) {
      if (__known[r] == dynamic_extent) __values[__place(r)] = Index(other.extent(r));
    }
  }
  __device__ constexpr void __take(const Index* given, unsigned long count) {
    if (count == __dynamic) {
      for (unsigned long i = 0; i < count; ++i) __values[i] = given[i];
    } else {
      for (unsigned long r = 0; r < count; ++r) {
        if (__known[r] == dynamic_extent) __values[__place(r)] = given[r];
      }
    }
  }
};
template <class A, unsigned long... N, class B, unsigned long... M>
__device__ constexpr bool operator==(const extents<A, N...>& a, const extents<B, M...>& b) {
  if (sizeof...(N) != sizeof...(M)) return false;
  for (unsigned long r = 0; r < sizeof...(N); ++r) {
    if (a.extent(r) != A(b.extent(r))) return false;
  }
  return true;
}

template <class Index, unsigned long Rank, unsigned long... N>
struct __all_dynamic : __all_dynamic<Index, Rank - 1, dynamic_extent, N...> {};
template <class Index, unsigned long... N>
struct __all_dynamic<Index, 0, N...> { using type = extents<Index, N...>; };
template <class Index, unsigned long Rank> using dextents = typename __all_dynamic<Index, Rank>::type;
template <unsigned long Rank, class Index = unsigned long> using dims = dextents<Index, Rank>;

template <class Extents>
__device__ constexpr typename Extents::index_type __size_of(const Extents& e) {
  typename Extents::index_type size = 1;
  for (unsigned long r = 0; r < Extents::rank(); ++r) size *= e.extent(r);
  return size;
}
struct layout_right {
  template <class Extents>
  struct mapping {
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using layout_type = layout_right;
    Extents __extents;
    __device__ constexpr mapping() {}
    __device__ constexpr mapping(const Extents& e) : __extents(e) {}
    __device__ constexpr const Extents& extents() const { return __extents; }
    __device__ constexpr index_type required_span_size() const { return __size_of(__extents); }
    __device__ static constexpr bool is_exhaustive() { return true; }
    __device__ static constexpr bool is_unique() { return true; }
    __device__ static constexpr bool is_strided() { return true; }
    __device__ static constexpr bool is_always_exhaustive() { return true; }
    __device__ constexpr index_type stride(unsigned long r) const {
      index_type product = 1;
      for (unsigned long i = r + 1; i < Extents::rank(); ++i) product *= __extents.extent(i);
      return product;
    }
    template <class... I>
    __device__ constexpr index_type operator()(I... i) const { return __offset<0>(0, index_type(i)...); }
    template <unsigned long R>
    __device__ constexpr index_type __offset(index_type sum) const { return sum; }
    template <unsigned long R, class... I>
    __device__ constexpr index_type __offset(index_type sum, index_type first, I... rest) const {
      return __offset<R + 1>(sum * __extents.template __at<R>() + first, rest...);
    }
  };
};
struct layout_left {
  template <class Extents>
  struct mapping {
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using layout_type = layout_left;
    Extents __extents;
    __device__ constexpr mapping() {}
    __device__ constexpr mapping(const Extents& e) : __extents(e) {}
    __device__ constexpr const Extents& extents() const { return __extents; }
    __device__ constexpr index_type required_span_size() const { return __size_of(__extents); }
    __device__ static constexpr bool is_exhaustive() { return true; }
    __device__ static constexpr bool is_unique() { return true; }
    __device__ static constexpr bool is_strided() { return true; }
    __device__ static constexpr bool is_always_exhaustive() { return true; }
    __device__ constexpr index_type stride(unsigned long r) const {
      index_type product = 1;
      for (unsigned long i = 0; i < r; ++i) product *= __extents.extent(i);
      return product;
    }
    template <class... I>
    __device__ constexpr index_type operator()(I... i) const { return __offset<0>(index_type(i)...); }
    template <unsigned long R>
    __device__ constexpr index_type __offset() const { return 0; }
    template <unsigned long R, class... I>
    __device__ constexpr index_type __offset(index_type first, I... rest) const {
      if constexpr (sizeof...(I) == 0) {
        return first;
      } else {
        return first + __extents.template __at<R>() * __offset<R + 1>(rest...);
      }
    }
  };
};
struct layout_stride {
  template <class Extents>
  struct mapping {
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using layout_type = layout_stride;
    static constexpr unsigned long __rank = Extents::rank();
    Extents __extents;
    index_type __strides[__rank == 0 ? 1 : __rank];
    __device__ constexpr mapping() : __strides{} {}
    template <class U>
    __device__ constexpr mapping(const Extents& e, const array<U, __rank>& strides)
        : __extents(e), __strides{} {
      for (unsigned long r = 0; r < __rank; ++r) __strides[r] = index_type(strides[r]);
    }
    template <class Other>
    __device__ constexpr mapping(const Other& other) : __extents(other.extents()), __strides{} {
      for (unsigned long r = 0; r < __rank; ++r) __strides[r] = index_type(other.stride(r));
    }
    __device__ constexpr const Extents& extents() const { return __extents; }
    __device__ constexpr array<index_type, __rank> strides() const {
      array<index_type, __rank> result{};
      for (unsigned long r = 0; r < __rank; ++r) result[r] = __strides[r];
      return result;
    }
    __device__ constexpr index_type stride(unsigned long r) const { return __strides[r]; }
    __device__ constexpr index_type required_span_size() const {
      index_type size = 1;
      for (unsigned long r = 0; r < __rank; ++r) {
        if (__extents.extent(r) == 0) return 0;
        size += (__extents.extent(r) - 1) * __strides[r];
      }
      return size;
    }
    __device__ constexpr bool is_exhaustive() const { return required_span_size() == __size_of(__extents); }
    __device__ static constexpr bool is_unique() { return true; }
    __device__ static constexpr bool is_strided() { return true; }
    __device__ static constexpr bool is_always_exhaustive() { return false; }
    template <class... I>
    __device__ constexpr index_type operator()(I... i) const { return __offset<0>(index_type(i)...); }
    template <unsigned long R>
    __device__ constexpr index_type __offset() const { return 0; }
    template <unsigned long R, class... I>
    __device__ constexpr index_type __offset(index_type first, I... rest) const {
      return first * __strides[R] + __offset<R + 1>(rest...);
    }
  };
};

template <class T>
struct default_accessor {
  using offset_policy = default_accessor;
  using element_type = T;
  using reference = T&;
  using data_handle_type = T*;
  default_accessor() = default;
  template <class U>
  __device__ constexpr default_accessor(default_accessor<U>) {}
  __device__ constexpr T& access(T* p, unsigned long i) const { return p[i]; }
  __device__ constexpr T* offset(T* p, unsigned long i) const { return p + i; }
};

template <class T, class Extents, class Layout = layout_right, class Accessor = default_accessor<T>>
struct mdspan {
  using element_type = T;
  using value_type = remove_cv_t<T>;
  using extents_type = Extents;
  using layout_type = Layout;
  using accessor_type = Accessor;
  using mapping_type = typename Layout::template mapping<Extents>;
  using index_type = typename Extents::index_type;
  using size_type = typename Extents::size_type;
  using rank_type = unsigned long;
  using data_handle_type = typename Accessor::data_handle_type;
  using reference = typename Accessor::reference;
  data_handle_type __data;
  mapping_type __map;
  Accessor __accessor;

  __device__ constexpr mdspan() : __data(nullptr) {}
  template <class... I>
  __device__ constexpr explicit mdspan(data_handle_type p, I... sizes)
      : __data(p), __map(__extents_of(sizes...)) {}
  __device__ constexpr mdspan(data_handle_type p, const mapping_type& m, const Accessor& a)
      : __data(p), __map(m), __accessor(a) {}
  template <class U, class E, class L, class A>
  __device__ constexpr mdspan(const mdspan<U, E, L, A>& other)
      : __data(other.data_handle()), __map(other.mapping()), __accessor(other.accessor()) {}
  // A mapping, extents, or sizes.
  __device__ static constexpr mapping_type __extents_of(const mapping_type& m) { return m; }
  __device__ static constexpr mapping_type __extents_of(const Extents& e) { return mapping_type(e); }
  template <class U, unsigned long N>
  __device__ static constexpr mapping_type __extents_of(const array<U, N>& sizes) {
    return mapping_type(Extents(sizes));
  }
  __device__ static constexpr mapping_type __extents_of() { return mapping_type(Extents()); }
  template <class First, class... I>
  __device__ static constexpr enable_if_t<is_integral_v<First>, mapping_type> __extents_of(First first,
                                                                                           I... sizes) {
    return mapping_type(Extents(first, sizes...));
  }

  __device__ static constexpr unsigned long rank() { return Extents::rank(); }
  __device__ static constexpr unsigned long rank_dynamic() { return Extents::rank_dynamic(); }
  __device__ static constexpr unsigned long static_extent(unsigned long r) {
    return Extents::static_extent(r);
  }
  __device__ constexpr index_type extent(unsigned long r) const { return __map.extents().extent(r); }
  __device__ constexpr index_type stride(unsigned long r) const { return __map.stride(r); }
  __device__ constexpr size_type size() const { return size_type(__size_of(__map.extents())); }
  __device__ constexpr bool empty() const { return size() == 0; }
  __device__ constexpr const Extents& extents() const { return __map.extents(); }
  __device__ constexpr const mapping_type& mapping() const { return __map; }
  __device__ constexpr const Accessor& accessor() const { return __accessor; }
  __device__ constexpr data_handle_type data_handle() const { return __data; }
  __device__ constexpr bool is_exhaustive() const { return __map.is_exhaustive(); }
  __device__ constexpr bool is_unique() const { return __map.is_unique(); }
  __device__ constexpr bool is_strided() const { return __map.is_strided(); }
  template <class... I>
  __device__ constexpr reference operator()(I... i) const { return __accessor.access(__data, __map(i...)); }
  template <class I>
  __device__ constexpr enable_if_t<is_integral_v<I>, reference> operator[](I i) const {
    return __accessor.access(__data, __map(i));
  }
  template <class U, unsigned long N>
  __device__ constexpr reference operator[](const array<U, N>& i) const {
    return __of_array(i, make_index_sequence<N>());
  }
  template <class U, unsigned long N, unsigned long... K>
  __device__ constexpr reference __of_array(const array<U, N>& i, index_sequence<K...>) const {
    return __accessor.access(__data, __map(i[K]...));
  }
};
template <class T, class... I>
mdspan(T*, I...) -> mdspan<T, dextents<unsigned long, sizeof...(I)>>;

// A part of a view: a dimension is kept whole (full_extent), limited to [first, second) of a pair, or left
// out by an index. The result has strides and dynamic extents.
struct full_extent_t {};
constexpr full_extent_t full_extent{};
template <class S> constexpr bool __is_kept = !is_integral_v<S>;
template <class S>
__device__ constexpr long __slice_first(const S& s) {
  if constexpr (is_integral_v<S>) {
    return long(s);
  } else if constexpr (is_same_v<S, full_extent_t>) {
    return 0;
  } else {
    return long(s.first);
  }
}
template <class S>
__device__ constexpr long __slice_size(const S& s, long extent) {
  if constexpr (is_same_v<S, full_extent_t>) {
    return extent;
  } else {
    return long(s.second) - long(s.first);
  }
}
template <unsigned long R, class View, class Sizes>
__device__ constexpr void __slice(const View&, Sizes&, Sizes&, unsigned long, long&) {}
template <unsigned long R, class View, class Sizes, class S, class... Rest>
__device__ constexpr void __slice(const View& v, Sizes& sizes, Sizes& strides, unsigned long at, long& offset,
                                  const S& s, const Rest&... rest) {
  offset += __slice_first(s) * long(v.stride(R));
  if constexpr (__is_kept<S>) {
    sizes[at] = (typename Sizes::value_type)__slice_size(s, long(v.extent(R)));
    strides[at] = v.stride(R);
    __slice<R + 1>(v, sizes, strides, at + 1, offset, rest...);
  } else {
    __slice<R + 1>(v, sizes, strides, at, offset, rest...);
  }
}
template <class T, class E, class L, class A, class... S>
__device__ constexpr auto submdspan(const mdspan<T, E, L, A>& v, S... slices) {
  using Index = typename E::index_type;
  constexpr unsigned long kept = (0ul + ... + (__is_kept<S> ? 1ul : 0ul));
  using Extents = dextents<Index, kept>;
  using Mapping = typename layout_stride::template mapping<Extents>;
  array<Index, kept> sizes{}, strides{};
  long offset = 0;
  __slice<0>(v, sizes, strides, 0, offset, slices...);
  return mdspan<T, Extents, layout_stride, A>(v.accessor().offset(v.data_handle(), (unsigned long)offset),
                                              Mapping(Extents(sizes), strides), v.accessor());
}
}  // namespace std
