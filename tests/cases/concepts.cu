// Concepts, requires-clauses and requires-expressions, and their effect on overload resolution.

template <typename T> concept Number = std::is_arithmetic_v<T>;
template <typename T> concept Integer = Number<T> && std::is_integral_v<T>;

template <typename T> requires Integer<T> __device__ int by_clause(T) { return 1; }
template <typename T> requires (!Integer<T>) __device__ int by_clause(T) { return 2; }
//! run requires_clause(i32[2])
//! out = 1 2
__global__ void requires_clause(int* out) {
  out[0] = by_clause(1);
  out[1] = by_clause(1.5f);
}

template <typename T> __device__ int ordered(T) { return 1; }
template <Number T> __device__ int ordered(T) { return 2; }
template <Integer T> __device__ int ordered(T) { return 3; }
//! run more_constrained_wins(i32[3])
//! out = 3 2 1
__global__ void more_constrained_wins(int* out) {
  out[0] = ordered(1);
  out[1] = ordered(1.0f);
  out[2] = ordered(out);
}

template <typename T> __device__ int trailing(T) requires std::floating_point<T> { return 1; }
template <typename T> __device__ int trailing(T) requires std::integral<T> || std::is_pointer_v<T> { return 2; }
//! run trailing_clause(i32[3])
//! out = 1 2 2
__global__ void trailing_clause(int* out) {
  out[0] = trailing(1.0);
  out[1] = trailing(1);
  out[2] = trailing(out);
}

template <typename T>
concept Sized = requires(T t) {
  t.size();
  typename T::value_type;
  { t.size() } -> std::same_as<int>;
  requires sizeof(T) > 1;
};
struct Full {
  using value_type = float;
  int pad;
  __device__ int size() { return 4; }
};
struct WrongResult {
  using value_type = float;
  int pad;
  __device__ long size() { return 4; }
};
struct NoType {
  int pad;
  __device__ int size() { return 4; }
};
struct TooSmall {
  using value_type = float;
  __device__ int size() { return 4; }
};
//! run requirements(i32[4])
//! out = 1 0 0 0
__global__ void requirements(int* out) {
  out[0] = Sized<Full>;
  out[1] = Sized<WrongResult>;
  out[2] = Sized<NoType>;
  out[3] = Sized<TooSmall>;
}

template <typename T> struct Kind { static constexpr int value = 0; };
template <typename T> requires Number<T> struct Kind<T> { static constexpr int value = 1; };
template <Integer T> struct Kind<T> { static constexpr int value = 2; };
template <Sized T> struct Kind<T> { static constexpr int value = 3; };
//! run class_specialisations(i32[4])
//! out = 2 1 0 3
__global__ void class_specialisations(int* out) {
  out[0] = Kind<int>::value;
  out[1] = Kind<float>::value;
  out[2] = Kind<int*>::value;
  out[3] = Kind<Full>::value;
}

template <typename T> constexpr int rank_of = 0;
template <std::integral T> constexpr int rank_of<T> = 1;
template <typename T> requires std::floating_point<T> constexpr int rank_of<T> = 2;
//! run variable_specialisations(i32[3])
//! out = 1 2 0
__global__ void variable_specialisations(int* out) {
  out[0] = rank_of<int>;
  out[1] = rank_of<float>;
  out[2] = rank_of<int*>;
}

__device__ int plain(auto x) { return sizeof(x); }
__device__ int sum_with(const auto& x, auto* p) { return x + *p; }
__device__ int chosen(std::integral auto) { return 1; }
__device__ int chosen(std::floating_point auto) { return 2; }
__device__ int chosen(auto) { return 3; }
__device__ int total(auto... xs) { return (xs + ...); }
__device__ int categories(auto&&... xs) { return (0 + ... + std::is_lvalue_reference_v<decltype(xs)>); }
//! run auto_parameters(i32[8])
//! out = 1 8 7 1 2 3 6 1
__global__ void auto_parameters(int* out) {
  int three = 3;
  out[0] = plain('a');
  out[1] = plain(1.0);
  out[2] = sum_with(4, &three);
  out[3] = chosen(1);
  out[4] = chosen(1.f);
  out[5] = chosen(out);
  out[6] = total(1, 2, 3);
  out[7] = categories(three, 2, 3);
}

template <typename T>
struct Methods {
  T t;
  __device__ Methods(T x) requires std::integral<T> : t(x) {}
  __device__ Methods(T x) requires std::floating_point<T> : t(x * 2) {}
  __device__ int which() const requires std::integral<T> { return 1; }
  __device__ int which() const requires (!std::integral<T>) { return 2; }
  __device__ int better() const { return 1; }
  __device__ int better() const requires std::integral<T> { return 2; }
};
//! run methods(i32[6])
//! out = 1 2 2 1 5 10
__global__ void methods(int* out) {
  out[0] = Methods<int>(5).which();
  out[1] = Methods<float>(5).which();
  out[2] = Methods<int>(5).better();
  out[3] = Methods<float>(5).better();
  out[4] = Methods<int>(5).t;
  out[5] = Methods<float>(5).t;
}

template <class F, class... Args> concept Callable = requires(F f, Args... args) { f(args...); };
template <class T, class Op> requires Callable<Op, T, T> __device__ T combine(T a, T b, Op op) { return op(a, b); }
template <class T, class Op> __device__ T combine(T a, T, Op) { return -a; }
template <class... Ts> requires (std::integral<Ts> && ...) __device__ int all_integers(Ts...) { return 1; }
template <class... Ts> __device__ int all_integers(Ts...) { return 2; }
template <std::integral... Ts> __device__ int integers(Ts...) { return 1; }
template <class... Ts> __device__ int integers(Ts...) { return 2; }
template <std::same_as<int> T> __device__ int exactly_int(T) { return 1; }
template <class T> __device__ int exactly_int(T) { return 2; }
//! run packs_and_arguments(i32[8])
//! out = 12 -3 1 2 1 2 1 2
__global__ void packs_and_arguments(int* out) {
  out[0] = combine(3, 4, [](int a, int b) { return a * b; });
  out[1] = combine(3, 4, [](int* a) { return *a; });
  out[2] = all_integers(1, 2L);
  out[3] = all_integers(1, 2.f);
  out[4] = integers(1, 2);
  out[5] = integers(1, 2.f);
  out[6] = exactly_int(1);
  out[7] = exactly_int(1u);
}

struct Base {};
struct Derived : Base {};
template <class T> concept Addable = requires(T a, T b) { { a + b } -> std::convertible_to<T>; };
template <class T> concept Small = sizeof(T) < 4 || (std::is_pointer_v<T> && !std::is_same_v<T, void*>);
template <auto V> concept Positive = (V > 0);
//! run named_concepts(i32[12])
//! out = 1 0 1 0 1 1 0 1 0 1 1 0
__global__ void named_concepts(int* out) {
  out[0] = std::derived_from<Derived, Base>;
  out[1] = std::derived_from<Base, Derived>;
  out[2] = std::convertible_to<int, float>;
  out[3] = std::convertible_to<int, Base>;
  out[4] = std::signed_integral<int> && !std::signed_integral<unsigned>;
  out[5] = std::unsigned_integral<unsigned> && !std::unsigned_integral<float>;
  out[6] = Addable<Base>;
  out[7] = Addable<int>;
  out[8] = Small<void*>;
  out[9] = Small<char> && Small<int*> && !Small<int>;
  out[10] = std::invocable<decltype([](int) { return 1; }), int>;
  out[11] = Positive<-1>;
}

template <typename T>
__device__ int branches(T x) {
  if constexpr (requires { x.size(); }) {
    return x.size();
  } else {
    return -1;
  }
}
//! run in_a_condition(i32[3])
//! out = 4 -1 7
__global__ void in_a_condition(int* out) {
  out[0] = branches(Full{});
  out[1] = branches(3);
  std::integral auto seven = 7;
  out[2] = seven;
}

//! run lambdas(i32[3])
//! out = 1 5 2
__global__ void lambdas(int* out) {
  auto clause = []<class T>(T) requires (sizeof(T) == 4) { return 1; };
  auto constrained = [](std::integral auto x) { return x; };
  auto counted = []<std::integral... Ts>(Ts...) { return sizeof...(Ts); };
  out[0] = clause(3);
  out[1] = constrained(5);
  out[2] = counted(1, 2);
}
