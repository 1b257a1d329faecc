// <concepts>, and those of <iterator> that kernels use.

namespace std {

template <class A, class B> concept __same_as = is_same_v<A, B>;
template <class A, class B> concept same_as = __same_as<A, B> && __same_as<B, A>;
template <class T> concept integral = is_integral_v<T>;
template <class T> concept signed_integral = integral<T> && is_signed_v<T>;
template <class T> concept unsigned_integral = integral<T> && !signed_integral<T>;
template <class T> concept floating_point = is_floating_point_v<T>;
template <class D, class B>
concept derived_from = is_base_of_v<B, D> && is_convertible_v<const volatile D*, const volatile B*>;
template <class From, class To>
concept convertible_to = is_convertible_v<From, To> && requires { static_cast<To>(declval<From>()); };
template <class A, class B>
concept common_with = requires { false ? declval<A>() : declval<B>(); };
template <class L, class R>
concept assignable_from = is_lvalue_reference_v<L> && requires(L left, R&& right) {
  { left = static_cast<R&&>(right) } -> same_as<L>;
};
template <class T> concept destructible = is_trivially_destructible_v<T> || requires(T& t) { t.~T(); };
template <class T, class... Args> concept constructible_from = is_constructible_v<T, Args...>;
template <class T> concept default_initializable = is_default_constructible_v<T>;
template <class T> concept move_constructible = is_move_constructible_v<T>;
template <class T> concept copy_constructible = move_constructible<T> && is_copy_constructible_v<T>;
template <class T> concept movable = move_constructible<T> && assignable_from<T&, T>;
template <class T> concept copyable = copy_constructible<T> && movable<T> && assignable_from<T&, const T&>;
template <class T> concept semiregular = copyable<T> && default_initializable<T>;
template <class B>
concept __boolean = convertible_to<B, bool>;
template <class A, class B>
concept __equality_with = requires(const remove_reference_t<A>& a, const remove_reference_t<B>& b) {
  { a == b } -> __boolean;
  { a != b } -> __boolean;
  { b == a } -> __boolean;
  { b != a } -> __boolean;
};
template <class A, class B>
concept __ordered_with = requires(const remove_reference_t<A>& a, const remove_reference_t<B>& b) {
  { a < b } -> __boolean;
  { a > b } -> __boolean;
  { a <= b } -> __boolean;
  { a >= b } -> __boolean;
};
template <class T> concept equality_comparable = __equality_with<T, T>;
template <class A, class B> concept equality_comparable_with = __equality_with<A, B>;
template <class T> concept totally_ordered = equality_comparable<T> && __ordered_with<T, T>;
template <class T> concept regular = semiregular<T> && equality_comparable<T>;
template <class F, class... Args>
concept invocable = requires(F&& f, Args&&... args) { static_cast<F&&>(f)(static_cast<Args&&>(args)...); };
template <class F, class... Args> concept regular_invocable = invocable<F, Args...>;
template <class F, class... Args>
concept predicate = regular_invocable<F, Args...> && __boolean<invoke_result_t<F, Args...>>;
template <class R, class A, class B> concept relation = predicate<R, A, B> && predicate<R, B, A>;
}  // namespace std
