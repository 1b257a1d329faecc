// <type_traits>, based on the front end's type queries.

namespace std {

template <class T, T V>
struct integral_constant {
  static constexpr T value = V;
  using value_type = T;
  using type = integral_constant<T, V>;
  __device__ constexpr operator T() const { return V; }
  __device__ constexpr T operator()() const { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

// Type to type.
template <class T> struct type_identity { using type = T; };
template <class T> struct remove_const { using type = T; };
template <class T> struct remove_const<const T> { using type = T; };
template <class T> struct remove_volatile { using type = T; };
template <class T> struct remove_volatile<volatile T> { using type = T; };
template <class T> struct remove_cv { using type = T; };
template <class T> struct remove_cv<const T> { using type = T; };
template <class T> struct remove_cv<volatile T> { using type = T; };
template <class T> struct remove_cv<const volatile T> { using type = T; };
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T>
struct remove_cvref { using type = typename remove_cv<typename remove_reference<T>::type>::type; };
template <class T> struct remove_pointer { using type = T; };
template <class T> struct remove_pointer<T*> { using type = T; };
template <class T> struct remove_pointer<T* const> { using type = T; };
template <class T> struct remove_pointer<T* volatile> { using type = T; };
template <class T> struct remove_pointer<T* const volatile> { using type = T; };
template <class T> struct remove_extent { using type = T; };
template <class T> struct remove_extent<T[]> { using type = T; };
template <class T, unsigned long N> struct remove_extent<T[N]> { using type = T; };
template <class T> struct remove_all_extents { using type = T; };
template <class T> struct remove_all_extents<T[]> { using type = typename remove_all_extents<T>::type; };
template <class T, unsigned long N>
struct remove_all_extents<T[N]> { using type = typename remove_all_extents<T>::type; };
template <class T> struct add_const { using type = const T; };
template <class T> struct add_volatile { using type = volatile T; };
template <class T> struct add_cv { using type = const volatile T; };
template <class T> struct add_pointer { using type = typename remove_reference<T>::type*; };
template <class T> struct add_lvalue_reference { using type = T&; };
template <> struct add_lvalue_reference<void> { using type = void; };
template <class T> struct add_rvalue_reference { using type = T&&; };
template <> struct add_rvalue_reference<void> { using type = void; };
template <bool B, class T, class F> struct conditional { using type = T; };
template <class T, class F> struct conditional<false, T, F> { using type = F; };
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <class T> struct __decay { using type = typename remove_cv<T>::type; };
template <class T> struct __decay<T[]> { using type = T*; };
template <class T, unsigned long N> struct __decay<T[N]> { using type = T*; };
template <class T> struct decay { using type = typename __decay<typename remove_reference<T>::type>::type; };

template <class T> struct make_unsigned { using type = T; };
template <> struct make_unsigned<char> { using type = unsigned char; };
template <> struct make_unsigned<signed char> { using type = unsigned char; };
template <> struct make_unsigned<short> { using type = unsigned short; };
template <> struct make_unsigned<int> { using type = unsigned; };
template <> struct make_unsigned<long> { using type = unsigned long; };
template <> struct make_unsigned<long long> { using type = unsigned long long; };
template <class T> struct make_signed { using type = T; };
template <> struct make_signed<char> { using type = signed char; };
template <> struct make_signed<unsigned char> { using type = signed char; };
template <> struct make_signed<unsigned short> { using type = short; };
template <> struct make_signed<unsigned> { using type = int; };
template <> struct make_signed<unsigned long> { using type = long; };
template <> struct make_signed<unsigned long long> { using type = long long; };

template <unsigned long Size, bool Signed> struct __integer_of { using type = int; };
template <> struct __integer_of<1, true> { using type = signed char; };
template <> struct __integer_of<1, false> { using type = unsigned char; };
template <> struct __integer_of<2, true> { using type = short; };
template <> struct __integer_of<2, false> { using type = unsigned short; };
template <> struct __integer_of<4, false> { using type = unsigned; };
template <> struct __integer_of<8, true> { using type = long; };
template <> struct __integer_of<8, false> { using type = unsigned long; };
template <class T>
struct underlying_type {
  using type = typename __integer_of<sizeof(T), (static_cast<T>(-1) < static_cast<T>(0))>::type;
};

template <class T> __device__ typename add_rvalue_reference<T>::type declval();
template <class... Ts> struct common_type {};
template <class T> struct common_type<T> { using type = typename decay<T>::type; };
template <class A, class B>
struct common_type<A, B> {
  using type = typename decay<decltype(false ? declval<A>() : declval<B>())>::type;
};
template <class A, class B, class C, class... Ts>
struct common_type<A, B, C, Ts...> {
  using type = typename common_type<typename common_type<A, B>::type, C, Ts...>::type;
};
template <class F, class... Args>
struct invoke_result { using type = decltype(declval<F>()(declval<Args>()...)); };

template <class T> using type_identity_t = typename type_identity<T>::type;
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> using remove_all_extents_t = typename remove_all_extents<T>::type;
template <class T> using add_const_t = const T;
template <class T> using add_volatile_t = volatile T;
template <class T> using add_cv_t = const volatile T;
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <class T> using add_lvalue_reference_t = typename add_lvalue_reference<T>::type;
template <class T> using add_rvalue_reference_t = typename add_rvalue_reference<T>::type;
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <class T> using decay_t = typename decay<T>::type;
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class... Ts> using common_type_t = typename common_type<Ts...>::type;
template <class F, class... Args> using invoke_result_t = typename invoke_result<F, Args...>::type;
template <class...> using void_t = void;

// Type to bool. As in CUDA, half and bfloat16 are neither floating nor arithmetic here.
template <class T> constexpr bool is_integral_v = __quern_is_integral<T>();
template <class T> constexpr bool is_pointer_v = __quern_is_pointer<T>();
template <class T> constexpr bool is_const_v = __quern_is_const<T>();
template <class T> constexpr bool is_volatile_v = __quern_is_volatile<T>();
template <class T> constexpr bool is_reference_v = __quern_is_reference<T>();
template <class T> constexpr bool is_lvalue_reference_v = __quern_is_lvalue_reference<T>();
template <class T> constexpr bool is_rvalue_reference_v = __quern_is_rvalue_reference<T>();
template <class T> constexpr bool is_array_v = __quern_is_array<T>();
template <class T> constexpr bool is_class_v = __quern_is_class<T>();
template <class T> constexpr bool is_enum_v = __quern_is_enum<T>();
template <class T> constexpr bool is_union_v = __quern_is_union<T>();
template <class T> constexpr bool is_void_v = __quern_is_void<T>();
template <class T> constexpr bool is_function_v = __quern_is_function<T>();
template <class T> constexpr bool is_trivially_copyable_v = __quern_is_trivially_copyable<T>();
template <class T> constexpr bool is_empty_v = __quern_is_empty<T>();
template <class T> constexpr bool is_floating_point_v = __quern_is_floating<T>();
template <class T> constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T> constexpr bool is_signed_v = __quern_is_signed<T>();
template <class T> constexpr bool is_unsigned_v = __quern_is_unsigned<T>();
template <class T> constexpr bool is_null_pointer_v = __quern_is_same<remove_cv_t<T>, decltype(nullptr)>();
template <class T>
constexpr bool is_fundamental_v = is_arithmetic_v<T> || is_void_v<T> || is_null_pointer_v<T>;
template <class T> constexpr bool is_compound_v = !is_fundamental_v<T>;
template <class T>
constexpr bool is_scalar_v = is_arithmetic_v<T> || is_enum_v<T> || is_pointer_v<T> || is_null_pointer_v<T>;
template <class T> constexpr bool is_object_v = !is_function_v<T> && !is_reference_v<T> && !is_void_v<T>;
template <class T> constexpr bool is_trivial_v = __quern_is_trivially_copyable<T>();
template <class T> constexpr bool is_pod_v = __quern_is_trivially_copyable<T>();
template <class T> constexpr bool is_standard_layout_v = __quern_is_trivially_copyable<T>();
template <class T> constexpr bool is_trivially_destructible_v = __quern_is_trivially_copyable<T>();
template <class T> constexpr bool is_default_constructible_v = __quern_is_constructible<T>();
template <class T> constexpr bool is_copy_constructible_v = __quern_is_constructible<T, const T&>();
template <class T> constexpr bool is_move_constructible_v = __quern_is_constructible<T, T&&>();
template <class A, class B> constexpr bool is_same_v = __quern_is_same<A, B>();
template <class A, class B> constexpr bool is_base_of_v = __quern_is_base_of<A, B>();
template <class A, class B> constexpr bool is_convertible_v = __quern_is_convertible<A, B>();
template <class T, class... Args> constexpr bool is_constructible_v = __quern_is_constructible<T, Args...>();
template <class T> struct is_integral : bool_constant<is_integral_v<T>> {};
template <class T> struct is_pointer : bool_constant<is_pointer_v<T>> {};
template <class T> struct is_const : bool_constant<is_const_v<T>> {};
template <class T> struct is_volatile : bool_constant<is_volatile_v<T>> {};
template <class T> struct is_reference : bool_constant<is_reference_v<T>> {};
template <class T> struct is_lvalue_reference : bool_constant<is_lvalue_reference_v<T>> {};
template <class T> struct is_rvalue_reference : bool_constant<is_rvalue_reference_v<T>> {};
template <class T> struct is_array : bool_constant<is_array_v<T>> {};
template <class T> struct is_class : bool_constant<is_class_v<T>> {};
template <class T> struct is_enum : bool_constant<is_enum_v<T>> {};
template <class T> struct is_union : bool_constant<is_union_v<T>> {};
template <class T> struct is_void : bool_constant<is_void_v<T>> {};
template <class T> struct is_function : bool_constant<is_function_v<T>> {};
template <class T> struct is_trivially_copyable : bool_constant<is_trivially_copyable_v<T>> {};
template <class T> struct is_empty : bool_constant<is_empty_v<T>> {};
template <class T> struct is_floating_point : bool_constant<is_floating_point_v<T>> {};
template <class T> struct is_arithmetic : bool_constant<is_arithmetic_v<T>> {};
template <class T> struct is_signed : bool_constant<is_signed_v<T>> {};
template <class T> struct is_unsigned : bool_constant<is_unsigned_v<T>> {};
template <class T> struct is_null_pointer : bool_constant<is_null_pointer_v<T>> {};
template <class T> struct is_fundamental : bool_constant<is_fundamental_v<T>> {};
template <class T> struct is_compound : bool_constant<is_compound_v<T>> {};
template <class T> struct is_scalar : bool_constant<is_scalar_v<T>> {};
template <class T> struct is_object : bool_constant<is_object_v<T>> {};
template <class T> struct is_trivial : bool_constant<is_trivial_v<T>> {};
template <class T> struct is_pod : bool_constant<is_pod_v<T>> {};
template <class T> struct is_standard_layout : bool_constant<is_standard_layout_v<T>> {};
template <class T> struct is_trivially_destructible : bool_constant<is_trivially_destructible_v<T>> {};
template <class T> constexpr bool is_trivially_copy_assignable_v = __quern_is_trivially_copyable<T>();
template <class T> constexpr bool is_trivially_move_assignable_v = __quern_is_trivially_copyable<T>();
template <class T>
struct is_trivially_copy_assignable : bool_constant<is_trivially_copy_assignable_v<T>> {};
template <class T>
struct is_trivially_move_assignable : bool_constant<is_trivially_move_assignable_v<T>> {};
template <class T> struct is_default_constructible : bool_constant<is_default_constructible_v<T>> {};
template <class T> struct is_copy_constructible : bool_constant<is_copy_constructible_v<T>> {};
template <class T> struct is_move_constructible : bool_constant<is_move_constructible_v<T>> {};
template <class A, class B> struct is_same : bool_constant<is_same_v<A, B>> {};
template <class A, class B> struct is_base_of : bool_constant<is_base_of_v<A, B>> {};
template <class A, class B> struct is_convertible : bool_constant<is_convertible_v<A, B>> {};
template <class T, class... Args> struct is_constructible : bool_constant<is_constructible_v<T, Args...>> {};

template <class F, class... Args>
constexpr bool is_invocable_v = requires(F f, Args... args) { f(args...); };
template <class F, class... Args> struct is_invocable : bool_constant<is_invocable_v<F, Args...>> {};

template <size_t N, size_t Align = 16> struct aligned_storage {
  struct type { alignas(Align) unsigned char data[N]; };
};
template <size_t N, size_t Align = 16> using aligned_storage_t = typename aligned_storage<N, Align>::type;

// Of several.
template <class... Bs> struct conjunction : true_type {};
template <class B> struct conjunction<B> : B {};
template <class B, class... Bs>
struct conjunction<B, Bs...> : conditional_t<bool(B::value), conjunction<Bs...>, B> {};
template <class... Bs> struct disjunction : false_type {};
template <class B> struct disjunction<B> : B {};
template <class B, class... Bs>
struct disjunction<B, Bs...> : conditional_t<bool(B::value), B, disjunction<Bs...>> {};
template <class B> struct negation : bool_constant<!bool(B::value)> {};
template <class... Bs> constexpr bool conjunction_v = conjunction<Bs...>::value;
template <class... Bs> constexpr bool disjunction_v = disjunction<Bs...>::value;
template <class B> constexpr bool negation_v = !bool(B::value);

// Type to number.
template <class T> struct alignment_of : integral_constant<unsigned long, alignof(T)> {};
template <class T> struct rank : integral_constant<unsigned long, 0> {};
template <class T> struct rank<T[]> : integral_constant<unsigned long, rank<T>::value + 1> {};
template <class T, unsigned long N>
struct rank<T[N]> : integral_constant<unsigned long, rank<T>::value + 1> {};
template <class T, unsigned I = 0> struct extent : integral_constant<unsigned long, 0> {};
template <class T, unsigned long N> struct extent<T[N], 0> : integral_constant<unsigned long, N> {};
template <class T, unsigned long N, unsigned I> struct extent<T[N], I> : extent<T, I - 1> {};
template <class T> constexpr unsigned long alignment_of_v = alignof(T);
template <class T> constexpr unsigned long rank_v = rank<T>::value;
template <class T, unsigned I = 0> constexpr unsigned long extent_v = extent<T, I>::value;

__device__ constexpr bool is_constant_evaluated() { return false; }
}  // namespace std
