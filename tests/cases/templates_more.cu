// Templates, the further reaches: members defined elsewhere, function types, values of all kinds.

template <class F> struct Signature { static constexpr int arity = -1; };
template <class R, class... A>
struct Signature<R(A...)> {
  static constexpr int arity = sizeof...(A);
  using Result = R;
};
template <class R, class... A> struct Signature<R (*)(A...)> { static constexpr int arity = 10 + sizeof...(A); };
template <class> struct First;
template <class R, class A, class... B> struct First<R(A, B...)> { using type = A; };
__device__ float sample(int, double) { return 1; }
template <class R, class... A> __device__ int arity_of(R (*)(A...)) { return sizeof...(A); }
//! run function_types(i32[8])
//! out = 2 0 12 2 2 8 -1 2
__global__ void function_types(int* out) {
  out[0] = Signature<int(float, char)>::arity;
  out[1] = Signature<void()>::arity;
  out[2] = Signature<decltype(&sample)>::arity;
  out[3] = Signature<decltype(sample)>::arity;
  out[4] = arity_of(sample);
  out[5] = sizeof(Signature<double(int)>::Result);
  out[6] = Signature<int>::arity;
  out[7] = sizeof(First<int(short, char)>::type);
}

template <class T, int N>
struct Matrix {
  T d[N];
  __device__ T sum() const;
  template <class U> __device__ U at(int i) const;
  template <class U> __device__ U at(U* p) const;
  struct Cursor {
    T* p;
    __device__ T next();
  };
  static const int size;
};
template <class T, int N>
__device__ T Matrix<T, N>::sum() const {
  T s = 0;
  for (int i = 0; i < N; ++i) s += d[i];
  return s;
}
template <class T, int N> template <class U> __device__ U Matrix<T, N>::at(int i) const { return U(d[i]); }
template <class T, int N> template <class U> __device__ U Matrix<T, N>::at(U* p) const { return *p + d[0]; }
template <class Elem, int Count> __device__ Elem Matrix<Elem, Count>::Cursor::next() { return *p++; }
template <class T, int N> const int Matrix<T, N>::size = N * 2;
template <class T>
struct Matrix<T, 1> {
  T v;
  __device__ T sum() const;
  static const int size;
};
template <class T> __device__ T Matrix<T, 1>::sum() const { return v * 100; }
template <class U> const int Matrix<U, 1>::size = 55;
template <> struct Matrix<char, 2> { __device__ int sum() const; };
__device__ int Matrix<char, 2>::sum() const { return 77; }
template <> __device__ int Matrix<int, 4>::sum() const { return 44; }
//! run members_defined_outside(i32[10])
//! out = 6 2 4 2 6 400 55 77 44 12
__global__ void members_defined_outside(int* out) {
  Matrix<int, 3> m = {{1, 2, 3}};
  out[0] = m.sum();
  out[1] = m.at<long>(1);
  int three = 3;
  out[2] = m.at(&three);
  Matrix<int, 3>::Cursor cursor{m.d};
  cursor.next();
  out[3] = cursor.next();
  out[4] = Matrix<int, 3>::size;
  out[5] = Matrix<int, 1>{4}.sum();
  out[6] = Matrix<int, 1>::size;
  out[7] = Matrix<char, 2>{}.sum();
  out[8] = Matrix<int, 4>{{1, 2, 3, 4}}.sum();
  out[9] = Matrix<int, 2>{{5, 7}}.sum();
}

namespace a {
struct Item {
  __device__ int id() const;
  struct Part { __device__ int id() const; };
};
}  // namespace a
namespace b {
struct Item {
  __device__ int id() const;
  struct Part { __device__ int id() const; };
};
__device__ int Item::id() const { return 2; }
__device__ int Item::Part::id() const { return 4; }
}  // namespace b
__device__ int a::Item::id() const { return 1; }
namespace a {
__device__ int Item::Part::id() const { return 3; }
}
//! run same_names_in_two_namespaces(i32[4])
//! out = 1 2 3 4
__global__ void same_names_in_two_namespaces(int* out) {
  out[0] = a::Item().id();
  out[1] = b::Item().id();
  out[2] = a::Item::Part().id();
  out[3] = b::Item::Part().id();
}

struct Config {
  int rows, columns;
  constexpr bool operator==(const Config&) const = default;
};
template <Config C> __device__ int area() { return C.rows * C.columns; }
template <Config C> struct Tagged { static constexpr int rows = C.rows; };
template <float F> __device__ float scaled(float x) { return F * x; }
__device__ int table[3] = {4, 5, 6};
__device__ int single = 9;
template <int* P> __device__ int second() { return P[1]; }
template <int& R> __device__ int referred() { return R; }
template <auto V> struct Value { static constexpr auto value = V; };
//! run object_arguments(f32[7])
//! out = 12 3 1 5 5 9 100
__global__ void object_arguments(float* out) {
  out[0] = area<Config{3, 4}>();
  constexpr Config c{3, 1};
  out[1] = Tagged<c>::rows;
  out[2] = std::is_same_v<Tagged<c>, Tagged<Config{3, 1}>>;
  out[3] = scaled<2.5f>(2);
  out[4] = second<table>();
  out[5] = referred<single>();
  out[6] = Value<3>::value + Value<'a'>::value;
}

template <class T, class = void> struct Detects : std::false_type {};
template <class T> struct Detects<T, std::void_t<decltype(std::declval<T>().x)>> : std::true_type {};
template <class T, class Enable = void> struct Trait { static constexpr int v = 0; };
template <class T> struct Trait<T, std::enable_if_t<std::is_floating_point_v<T>>> { static constexpr int v = 1; };
template <class T>
struct Trait<T, std::enable_if_t<!std::is_integral_v<T> && !std::is_floating_point_v<T>>> {
  static constexpr int v = 3;
};
template <class T, bool = (sizeof(T) > 4)> struct Size { static constexpr int v = 1; };
template <class T> struct Size<T, false> { static constexpr int v = 2; };
template <class T, int N> struct Extent { static constexpr int v = 0; };
template <class T> struct Extent<T, sizeof(T)> { static constexpr int v = 1; };
//! run conditions_on_parameters(i32[10])
//! out = 1 0 1 0 3 1 2 1 0 1
__global__ void conditions_on_parameters(int* out) {
  out[0] = Detects<int2>::value;
  out[1] = Detects<int>::value;
  out[2] = Trait<float>::v;
  out[3] = Trait<int>::v;
  out[4] = Trait<Config>::v;
  out[5] = Size<double>::v;
  out[6] = Size<char>::v;
  out[7] = Extent<int, 4>::v;
  out[8] = Extent<int, 8>::v;
  out[9] = Extent<double, 8>::v;
}

namespace outer::inline v1::deep {
__device__ int three() { return 3; }
}
namespace outer {
inline namespace v2 {
struct Token { int v; };
__device__ int found(Token t) { return t.v; }
}
__device__ int found_too(const Token&, int) { return 44; }
}
namespace alias = outer::deep;
//! run inline_namespaces(i32[3])
//! out = 3 6 44
__global__ void inline_namespaces(int* out) {
  outer::Token t{6};
  out[0] = alias::three();
  out[1] = found(t);
  out[2] = found_too(t, 1);
}

namespace near {
struct Thing {};
__device__ int pick(Thing, int) { return 1; }
}
namespace far {
__device__ int pick(near::Thing, long) { return 2; }
}
//! run qualified_calls_look_nowhere_else(i32[2])
//! out = 2 1
__global__ void qualified_calls_look_nowhere_else(int* out) {
  out[0] = far::pick(near::Thing{}, 1);
  out[1] = pick(near::Thing{}, 1);
}

template <class D>
struct Expression {
  __device__ const D& self() const { return static_cast<const D&>(*this); }
};
struct Vector : Expression<Vector> {
  float d[3];
  __device__ Vector() {}
  __device__ float operator[](int i) const { return d[i]; }
  template <class E>
  __device__ Vector(const Expression<E>& e) {
    for (int i = 0; i < 3; ++i) d[i] = e.self()[i];
  }
};
template <class L, class R>
struct Plus : Expression<Plus<L, R>> {
  const L& l;
  const R& r;
  __device__ Plus(const L& a, const R& b) : l(a), r(b) {}
  __device__ float operator[](int i) const { return l[i] + r[i]; }
};
template <class L, class R>
__device__ Plus<L, R> operator+(const Expression<L>& l, const Expression<R>& r) {
  return Plus<L, R>(l.self(), r.self());
}
//! run expression_templates(f32[3])
//! out = 3 6 9
__global__ void expression_templates(float* out) {
  Vector a;
  for (int i = 0; i < 3; ++i) a.d[i] = i + 1;
  Vector b = a + a + a;
  for (int i = 0; i < 3; ++i) out[i] = b[i];
}

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;
//! run overloaded_lambdas(i32[2])
//! out = 1 2
__global__ void overloaded_lambdas(int* out) {
  Overloaded o{[](int) { return 1; }, [](float) { return 2; }};
  out[0] = o(1);
  out[1] = o(1.f);
}

template <int N, class F>
__device__ void repeat(F&& f) {
  if constexpr (N > 0) {
    repeat<N - 1>(f);
    f(std::integral_constant<int, N - 1>{});
  }
}
//! run constants_as_arguments(i32[3])
//! out = 6 6 5
__global__ void constants_as_arguments(int* out) {
  int s = 0, t = 0;
  repeat<4>([&](auto i) {
    constexpr int v = i;
    s += v;
    t += decltype(i)::value;
  });
  out[0] = s;
  out[1] = t;
  auto times = [](int a, int b = 5) { return a * b; };
  static_assert(times(1) == 5);
  out[2] = times(1);
}

enum Level { low, high = 5 };
struct Number {
  float v;
  __device__ Number(float x) : v(x) {}
};
__device__ Number operator+(Number a, Number b) { return a.v + b.v + 1000; }
//! run enums_add_as_numbers(i32[2])
//! out = 6 1006
__global__ void enums_add_as_numbers(int* out) {
  Level l = high;
  out[0] = l + 1;
  out[1] = int((Number(1) + l).v);
}

template <typename T, int N, bool Wide = sizeof(T) >= 4> struct Chosen { static constexpr int v = N; };
template <typename T, int N> struct Chosen<T, N, false> { static constexpr int v = -N; };
//! run comparisons_among_arguments(i32[3])
//! out = 3 -3 4
__global__ void comparisons_among_arguments(int* out) {
  out[0] = Chosen<int, 3>::v;
  out[1] = Chosen<char, 3>::v;
  out[2] = Chosen<char, 4, 2 >= 1>::v;
}

template <int n>
using OddExtent = int[2 * n + 1];
template <int n>
__device__ int fill_extent(OddExtent<n>& a) {
  for (int i = 0; i < 2 * n + 1; ++i) a[i] = i;
  return a[2 * n];
}
template <int A, int B, class T>
__device__ T sum_of_product(const T (&a)[A * B]) {
  T s = 0;
  for (int i = 0; i < A * B; ++i) s += a[i];
  return s;
}
//! run extents_that_follow(i32[2])
//! out = 6 78
__global__ void extents_that_follow(int* out) {
  OddExtent<3> a;
  out[0] = fill_extent<3>(a);
  int rows[2][12];
  for (int i = 0; i < 12; ++i) rows[1][i] = i + 1;
  out[1] = sum_of_product<3, 4>(rows[1]);
}

template <class T> __device__ T filled(int v);
template <> __device__ int filled(int v) { return v; }
template <> __device__ int2 filled(int v) { return make_int2(v, v + 1); }
template <class T> __device__ int kind_of(T) { return 0; }
template <> __device__ int kind_of(int2) { return 2; }
//! run specialised_by_type(i32[4])
//! out = 5 8 2 0
__global__ void specialised_by_type(int* out) {
  out[0] = filled<int>(5);
  out[1] = filled<int2>(7).y;
  out[2] = kind_of(filled<int2>(1));
  out[3] = kind_of(1);
}

template <class T>
class Counter {
 public:
  __device__ explicit Counter(T first) : at_(first) {}
  template <class R> __device__ R next();

 private:
  T at_;
};
template <> template <> __device__ int Counter<int>::next<int>() { return at_++; }
template <> template <> __device__ float Counter<int>::next<float>() { return next<int>() / 2.0f; }
//! run specialised_members(f32[3])
//! out = 5 3 3.5
__global__ void specialised_members(float* out) {
  Counter<int> c{5};
  out[0] = c.next<int>();
  out[1] = c.template next<float>();
  out[2] = c.next<float>();
}

//! run marked_lambda(i32[3], 4)
//! out = 5 6 7
__global__ void marked_lambda(int* out, int n) {
  auto add = [=] __host__ __device__(int i) { return n + i; };
  for (int i = 0; i < 3; ++i) out[i] = add(i + 1);
}

template <int N, typename T = float>
struct Tuple {
  T at[N];
};
template <typename T>
__device__ T between(const T& x, const T& low, const T& high) {
  return x < low ? low : x > high ? high : x;
}
template <int N, typename T>
__device__ Tuple<N, T> between(const Tuple<N, T>& x, const Tuple<N, T>& low, const Tuple<N, T>& high) {
  Tuple<N, T> out;
  for (int i = 0; i < N; ++i) out.at[i] = between(x.at[i], low.at[i], high.at[i]);
  return out;
}
template <typename T>
__device__ int count_of(T* const*, T* const*) {
  return 1;
}
template <int N, typename T>
__device__ int count_of(Tuple<N, T>* const*, Tuple<N, T>* const*) {
  return N;
}

// Several parameters with the same pattern: the template of tuples is more specialised.
//! run special_in_every_parameter(f32[5])
//! out = 1 2 3 7 2
__global__ void special_in_every_parameter(float* out) {
  const Tuple<3> x{{0, 2, 9}}, low{{1, 1, 1}}, high{{3, 3, 3}};
  const Tuple<3> inside = between(x, low, high);
  for (int i = 0; i < 3; ++i) out[i] = inside.at[i];
  out[3] = between(9, 1, 7);
  Tuple<2, int>* none = nullptr;
  out[4] = count_of(&none, &none);
}

template <int N, typename T>
__device__ T pick(const Tuple<N, T>& from, Tuple<N, int> places) {
  T sum = 0;
  for (int i = 0; i < N; ++i) sum += from.at[places.at[i]];
  return sum;
}

// Nothing is deduced from a list.
//! run list_for_a_deduced_class(f32[1])
//! out = 7
__global__ void list_for_a_deduced_class(float* out) { out[0] = pick(Tuple<3>{{1, 2, 3}}, {{0, 2, 2}}); }

//! run bits_by_the_compiler(u64[1])
//! out = 4607182418800017408
__global__ void bits_by_the_compiler(unsigned long* out) { out[0] = __builtin_bit_cast(unsigned long, 1.0); }
