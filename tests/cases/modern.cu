// Features of C++17 and C++20 in classes, statements and expressions.

struct Base {
  int x;
  __device__ Base(int a) : x(a) {}
  __device__ Base(int a, int b) : x(a * b) {}
};
struct Heir : Base {
  using Base::Base;
  int y = 7;
};
template <class T>
struct Holder {
  T v;
  __device__ Holder(T a) : v(a) {}
  template <class U> __device__ Holder(U a, T b) : v(T(a) + b) {}
};
template <class T> struct HeirOfHolder : Holder<T> { using Holder<T>::Holder; };
//! run inherited_constructors(i32[6])
//! out = 3 7 20 6 9 6
__global__ void inherited_constructors(int* out) {
  Heir a(3), b(4, 5), c{6};
  out[0] = a.x;
  out[1] = a.y;
  out[2] = b.x;
  out[3] = c.x;
  out[4] = HeirOfHolder<int>(9).v;
  out[5] = HeirOfHolder<int>(2.5f, 4).v;
}

struct Overloads {
  int z = 4;
  __device__ int f(int a) const { return a; }
  __device__ int same(int) const { return 1; }
};
struct MoreOverloads : Overloads {
  using Overloads::f;
  using Overloads::same;
  __device__ int f(float) const { return 100; }
  __device__ int f(int a, int b) const { return a + b; }
  __device__ int same(int) const { return 2; }
};
//! run using_brings_overloads(i32[5])
//! out = 3 100 3 2 1
__global__ void using_brings_overloads(int* out) {
  MoreOverloads m;
  out[0] = m.f(3);
  out[1] = m.f(3.f);
  out[2] = m.f(1, 2);
  out[3] = m.same(1);
  out[4] = m.Overloads::same(1);
}

template <class T>
struct Two {
  T a, b;
  __device__ Two(T x, T y) : a(x), b(y) {}
};
template <class A, class B>
struct Members {
  A first;
  B second;
};
template <class T, int N> struct Fixed { T d[N]; };
template <class T, class... U> Fixed(T, U...) -> Fixed<T, 1 + sizeof...(U)>;
template <class T>
struct Wrapped {
  T v;
  __device__ Wrapped(T x) : v(x) {}
};
Wrapped(char) -> Wrapped<long>;
template <class F>
struct Calls {
  F f;
  __device__ int operator()(int x) const { return f(x); }
};
//! run deduced_class_arguments(i32[11])
//! out = 7 4 8 5 12 8 4 8 4 15 2
__global__ void deduced_class_arguments(int* out) {
  Two v(3, 4);
  out[0] = v.a + v.b;
  Two w{1.5f, 2.5f};
  out[1] = int(w.a + w.b);
  Members p{1, 2.5f};
  out[2] = sizeof(p);
  out[3] = int(p.second * 2);
  Fixed a{1, 2, 3};
  out[4] = sizeof(a);
  out[5] = Two(7, 8).b;
  Wrapped x = 4;
  out[6] = sizeof(x.v);
  Wrapped c('a');
  out[7] = sizeof(c.v);
  Two copy = v;
  out[8] = copy.b;
  Calls call{[](int n) { return n * 3; }};
  out[9] = call(5);
  const Two constant{2, 3};
  out[10] = constant.a;
}

//! run deduced_library_arguments(i32[5])
//! out = 1 5 3 1 3
__global__ void deduced_library_arguments(int* out) {
  std::pair p(1, 2.5f);
  out[0] = p.first;
  out[1] = int(p.second * 2);
  std::array a{1, 2, 3};
  out[2] = a.size();
  std::tuple t(1, 2.5, 'c');
  out[3] = std::get<0>(t);
  out[4] = std::tuple_size_v<decltype(t)>;
}

struct Point {
  int x;
  float y;
  __device__ bool operator==(const Point&) const = default;
};
struct Deep : Point {
  int z[3];
  Point p;
  bool operator==(const Deep&) const = default;
};
struct ByFriend {
  int x;
  friend bool operator==(const ByFriend&, const ByFriend&) = default;
};
//! run defaulted_equality(i32[7])
//! out = 1 0 1 1 0 0 1
__global__ void defaulted_equality(int* out) {
  Point a{1, 2}, b{1, 2}, c{1, 3};
  out[0] = a == b;
  out[1] = a == c;
  out[2] = a != c;
  Deep p{{1, 2}, {1, 2, 3}, {4, 5}};
  Deep q = p;
  out[3] = p == q;
  q.z[2] = 9;
  out[4] = p == q;
  out[5] = ByFriend{1} == ByFriend{2};
  out[6] = ByFriend{1} != ByFriend{2};
}

struct Version {
  int major, minor;
  __device__ auto operator<=>(const Version&) const = default;
};
struct Weight {
  float kg;
  __device__ std::partial_ordering operator<=>(const Weight& o) const { return kg <=> o.kg; }
};
//! run three_way(i32[12])
//! out = 1 0 1 0 1 1 1 0 1 1 0 1
__global__ void three_way(int* out) {
  Version a{1, 2}, b{1, 3};
  out[0] = a < b;
  out[1] = a > b;
  out[2] = a <= b;
  out[3] = a == b;
  out[4] = a != b;
  out[5] = (3 <=> 4) < 0;
  out[6] = (2.0 <=> 1.0) > 0;
  out[7] = (a <=> b) == 0;
  out[8] = (a <=> b) == std::strong_ordering::less;
  out[9] = Weight{1} < Weight{2};
  out[10] = Weight{nanf("")} >= Weight{2};
  out[11] = 1 + 1 <=> 2 == 0;
}

enum class Colour { red = 3, green = 5 };
namespace shapes {
enum class Shape { square = 7, circle };
}
struct Names {
  using enum shapes::Shape;
};
__device__ int number(Colour c) {
  using enum Colour;
  switch (c) {
    case red: return 1;
    case green: return 2;
  }
  return 0;
}
using enum shapes::Shape;
//! run using_enum(i32[4])
//! out = 1 2 8 7
__global__ void using_enum(int* out) {
  out[0] = number(Colour::red);
  out[1] = number(Colour::green);
  out[2] = int(circle);
  out[3] = int(Names::square);
}

struct Pair {
  int a;
  float b;
};
//! run range_for(i32[9])
//! out = 14 9 18 18 45 100 50 3 10
__global__ void range_for(int* out) {
  Pair pairs[2] = {{1, 2}, {3, 4}};
  for (int i = 0; i < 9; ++i) out[i] = 0;
  for (auto [a, b] : pairs) out[0] += a * int(b);
  for (auto& [a, b] : pairs) a = 9;
  out[1] = pairs[1].a;
  for (int t = 3; int x : {1, 2, 3}) out[2] += t * x;
  for (const auto& [x, y] : pairs) out[3] += x;
  auto [u, v] = std::pair<int, int>(4, 5);
  out[4] = u * 10 + v;
  std::tuple<int, float, char> t(1, 2.f, 'a');
  auto [t0, t1, t2] = t;
  out[5] = t0 + int(t1) + t2;
  auto& [r0, r1, r2] = t;
  r0 = 50;
  out[6] = std::get<0>(t);
  std::array<int, 3> arr{1, 2, 3};
  auto [a0, a1, a2] = arr;
  out[7] = a2;
  for (int n = out[7]; int x : arr) out[8] += x == n ? n : x + 2;
}

__device__ constexpr int operator""_km(unsigned long long v) { return int(v) * 1000; }
__device__ constexpr float operator"" _halved(long double v) { return float(v) / 2; }
//! run literal_operators(i32[3])
//! out = 5000 9 12
__global__ void literal_operators(int* out) {
  int a[3_km / 1000];
  out[0] = 5_km;
  out[1] = int(9.0_halved * 2);
  out[2] = sizeof(a);
}

__device__ int& same(int& x) { return x; }
__device__ decltype(auto) passes(int& x) { return same(x); }
__device__ decltype(auto) in_parentheses(int& x) { return (x); }
__device__ decltype(auto) a_copy() {
  int y = 4;
  return y;
}
template <class F, class... A>
__device__ decltype(auto) invoke(F&& f, A&&... a) { return f(static_cast<A&&>(a)...); }
//! run decltype_auto(i32[6])
//! out = 5 7 4 11 20 8
__global__ void decltype_auto(int* out) {
  int v = 1;
  passes(v) = 5;
  out[0] = v;
  in_parentheses(v) += 2;
  out[1] = v;
  out[2] = a_copy();
  decltype(auto) r = same(v);
  r = 11;
  out[3] = v;
  invoke(same, v) = 20;
  out[4] = v;
  auto l = [&]() -> decltype(auto) { return (v); };
  l() = 8;
  out[5] = v;
}

consteval int squared(int x) { return x * x; }
constinit __device__ int initialised = 5;
__device__ constexpr int when(int x) {
  if consteval {
    return x;
  } else {
    return x + 100;
  }
}
__device__ constexpr int when_not(int x) {
  if !consteval { return x + 100; }
  return x;
}
__device__ constexpr int asked(int x) { return std::is_constant_evaluated() ? x : x + 100; }
//! run constant_evaluation(i32[8])
//! out = 16 3 103 3 103 3 103 5
__global__ void constant_evaluation(int* out) {
  constexpr int a = when(3), b = when_not(3), c = asked(3);
  out[0] = squared(4);
  out[1] = a;
  out[2] = when(3);
  out[3] = b;
  out[4] = when_not(3);
  out[5] = c;
  out[6] = asked(3);
  out[7] = initialised;
}

struct Counted {
  int v;
  __device__ int copied() {
    auto f = [*this](int x) { return v + x; };
    v = 100;
    return f(1);
  }
  __device__ int shared() {
    auto f = [this](int x) { return v += x; };
    f(5);
    return v;
  }
};
template <class... T> __device__ int captured(T... t) { return [=] { return (t + ... + 0); }(); }
template <class... T> __device__ int renamed(T... t) { return [... u = t] { return (u + ... + 0); }(); }
template <class... T> __device__ int listed(T... t) { return [t...](int z) { return (t + ... + z); }(3); }
template <class... T>
__device__ int referred(T&... t) {
  [&t...] { ((t += 1), ...); }();
  return (t + ...);
}
//! run captures(i32[9])
//! out = 4 105 6 7 6 5 6 34 2
__global__ void captures(int* out) {
  Counted s{3};
  out[0] = s.copied();
  out[1] = s.shared();
  out[2] = captured(1, 2, 3);
  out[3] = renamed(1, 2, 4);
  out[4] = listed(1, 2);
  int x = 1, y = 2;
  out[5] = referred(x, y);
  out[6] = [](auto... xs) { return (xs + ...); }(1, 2, 3);
  out[7] = [](auto a) { return [a](auto b) { return a * 10 + b; }; }(3)(4);
  auto counter = [n = 0]() mutable { return ++n; };
  counter();
  out[8] = counter();
}

template <class... T> __device__ int right(T... t) { return (t - ...); }
template <class... T> __device__ int left(T... t) { return (... - t); }
template <class... T> __device__ int right_with(T... t) { return (t - ... - 10); }
template <class... T> __device__ int left_with(T... t) { return (10 - ... - t); }
template <class... T> __device__ int shifts(T... t) { return (t >> ...) + (... << t); }
template <class... T> __device__ int compares(T... t) { return (t >= ...); }
template <class... T>
__device__ int assigns(T... t) {
  int s = 0;
  (s += ... += t);
  (s >>= ... >>= t);
  return s;
}
template <class... T> __device__ int types() { return (sizeof(T) + ...); }
template <class... T> struct List { static constexpr int size = sizeof...(T); };
template <class... T> __device__ int sizes() { return (List<T, T>::size + ... + List<T...>::size); }
//! run folds(i32[9])
//! out = 2 -4 -8 4 272 1 3 13 9
__global__ void folds(int* out) {
  out[0] = right(1, 2, 3);
  out[1] = left(1, 2, 3);
  out[2] = right_with(1, 2, 3);
  out[3] = left_with(1, 2, 3);
  out[4] = shifts(64, 2, 0);
  out[5] = compares(3, 2);
  out[6] = assigns(3) + assigns(1, 1) + 3;
  out[7] = types<int, char, double>();
  out[8] = sizes<int, char, int>();
}

struct Linked {
  int first = 2;
  int second = first * 10;
  int third{twice()};
  __device__ int twice() const { return second * 2; }
};
struct WithConstructor {
  int a;
  int b = a + 1;
  __device__ WithConstructor(int x) : a(x) {}
};
//! run defaults_use_members(i32[4])
//! out = 2 20 40 6
__global__ void defaults_use_members(int* out) {
  Linked l;
  out[0] = l.first;
  out[1] = l.second;
  out[2] = l.third;
  out[3] = WithConstructor(5).b;
}

struct Qualified {
  __device__ int get() & { return 1; }
  __device__ int get() && { return 2; }
  __device__ int get() const& { return 3; }
};
__device__ int category(int&) { return 1; }
__device__ int category(const int&) { return 2; }
__device__ int category(int&&) { return 3; }
template <class T> __device__ int forwarded(T&& x) { return category(std::forward<T>(x)); }
template <class T> __device__ int specialised(T&) { return 1; }
template <class T> __device__ int specialised(const T&) { return 2; }
template <class T> __device__ int specialised(T&&) { return 3; }
//! run value_categories(i32[13])
//! out = 1 2 3 3 1 2 3 1 2 3 1 2 3
__global__ void value_categories(int* out) {
  int a = 1;
  const int c = 2;
  out[0] = category(a);
  out[1] = category(c);
  out[2] = category(3);
  out[3] = category(std::move(a));
  out[4] = forwarded(a);
  out[5] = forwarded(c);
  out[6] = forwarded(std::move(a));
  out[7] = specialised(a);
  out[8] = specialised(c);
  out[9] = specialised(4);
  Qualified q;
  const Qualified cq;
  out[10] = q.get();
  out[11] = Qualified{}.get();
  out[12] = cq.get();
}
