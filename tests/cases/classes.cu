// Structs, classes, unions, enums.

struct Point {
  float x, y;
  __device__ float length2() const { return x * x + y * y; }
  __device__ void scale(float s) {
    x *= s;
    this->y *= s;
  }
};
//! run methods(f32[3])
//! out = 25 6 8
__global__ void methods(float* out) {
  Point p = {3, 4};
  out[0] = p.length2();
  p.scale(2);
  out[1] = p.x;
  out[2] = p.y;
}

class Counter {
 public:
  __device__ Counter() : n_(10), step_(1) {}
  __device__ explicit Counter(int start, int step = 2) : n_(start), step_(step) {}
  __device__ int next() { return n_ += step_; }

 private:
  int n_;
  int step_;
};
//! run constructors(i32[3])
//! out = 11 7 15
__global__ void constructors(int* out) {
  Counter a;
  Counter b(5);
  Counter c{5, 10};
  out[0] = a.next();
  out[1] = b.next();
  out[2] = c.next();
}

struct Vec {
  float x, y, z;
};
__device__ Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ Vec operator*(float s, const Vec& v) { return Vec{s * v.x, s * v.y, s * v.z}; }
__device__ Vec& operator+=(Vec& a, const Vec& b) {
  a = a + b;
  return a;
}
__device__ bool operator==(const Vec& a, const Vec& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
__device__ Vec operator-(const Vec& v) { return {-v.x, -v.y, -v.z}; }
//! run free_operators(f32[5])
//! out = 9 12 15 1 -1
__global__ void free_operators(float* out) {
  Vec a{1, 2, 3}, b = {4, 5, 6};
  Vec c = 2 * a + b;
  c += a;
  out[0] = c.x - 0 * a.y + 2;
  out[1] = c.y + 1;
  out[2] = c.z;
  out[3] = a == Vec{1, 2, 3};
  out[4] = (-a).x;
}

struct Fixed {
  int raw;
  __device__ Fixed operator+(const Fixed& o) const { return {raw + o.raw}; }
  __device__ Fixed& operator++() {
    raw += 256;
    return *this;
  }
  __device__ Fixed operator++(int) {
    Fixed old = *this;
    raw += 256;
    return old;
  }
  __device__ operator float() const { return raw / 256.0f; }
  __device__ int operator[](int bit) const { return (raw >> bit) & 1; }
  __device__ int operator()(int a, int b) const { return raw * a + b; }
  __device__ bool operator!() const { return raw == 0; }
};
//! run member_operators(f32[7])
//! out = 1.5 2.5 2.5 3.5 1 517 0
__global__ void member_operators(float* out) {
  Fixed a{128}, b{256};
  out[0] = a + b;
  Fixed c{384};
  out[1] = ++c;
  out[2] = c++;
  out[3] = c;
  out[4] = Fixed{4}[2];
  out[5] = Fixed{256}(2, 5);
  out[6] = !c;
}

struct Base {
  int a;
  __device__ int get() const { return a; }
  __device__ int twice() const { return 2 * get(); }
};
struct Derived : public Base {
  int b;
  __device__ int get() const { return b; }
  __device__ int both() const { return a + b + Base::get(); }
};
//! run inheritance(i32[4])
//! out = 4 6 7 3
__device__ int through_base(const Base& b) { return b.a; }
__global__ void inheritance(int* out) {
  Derived d;
  d.a = 3;
  d.b = 4;
  out[0] = d.get();
  out[1] = d.twice();
  out[2] = d.both() - 3;
  out[3] = through_base(d);
}

struct Shape {
  int sides;
  __device__ Shape(int n) : sides(n) {}
};
struct Square : Shape {
  float edge;
  __device__ Square(float e) : Shape(4), edge(e) {}
};
//! run base_constructor(f32[2])
//! out = 4 2.5
__global__ void base_constructor(float* out) {
  Square s(2.5f);
  out[0] = s.sides;
  out[1] = s.edge;
}

struct Defaults {
  int a = 7;
  float b = 0.5f;
  int c[2] = {1, 2};
};
//! run default_members(f32[4])
//! out = 7 0.5 2 9
__global__ void default_members(float* out) {
  Defaults d;
  out[0] = d.a;
  out[1] = d.b;
  out[2] = d.c[1];
  Defaults e{9};
  out[3] = e.a;
}

struct Limits {
  static const int kSize = 16;
  static constexpr float kScale = 0.25f;
  enum { kMask = kSize - 1 };
  static __device__ int wrap(int i) { return i & kMask; }
};
//! run static_members(f32[4])
//! out = 16 0.25 15 3
__global__ void static_members(float* out) {
  out[0] = Limits::kSize;
  out[1] = Limits::kScale;
  out[2] = Limits::kMask;
  out[3] = Limits::wrap(19);
}

union Bits {
  float f;
  unsigned u;
  unsigned char bytes[4];
};
//! run unions(u32[2])
//! out = 1065353216 63
__global__ void unions(unsigned* out) {
  Bits b;
  b.f = 1.0f;
  out[0] = b.u;
  out[1] = b.bytes[3];
}

struct Tagged {
  int tag;
  union {
    float f;
    int i;
  };
};
//! run anonymous_union(i32[3])
//! out = 1 1073741824 8
__global__ void anonymous_union(int* out) {
  Tagged t;
  t.tag = 1;
  t.f = 2.0f;
  out[0] = t.tag;
  out[1] = t.i;
  out[2] = sizeof(Tagged);
}

struct Walls {
  union {
    struct {
      int low, high;
    };
    unsigned bits[2];
  };
  float scale;
};
union RealBits {
  float real;
  unsigned bits;
};
//! run unions_as_parameters(i32[4], {-3, 4, {4294967293, 4}, 2.5}, {1, 1065353216})
//! out = -3 4 5 1065353217
__global__ void unions_as_parameters(int* out, Walls walls, RealBits number) {
  out[0] = walls.low;
  out[1] = walls.high;
  out[2] = (int)(walls.scale * 2);
  out[3] = (int)(number.bits + (unsigned)number.real);
}

struct Inner {
  int v[2];
};
struct Outer {
  Inner in[2];
  int last;
};
//! run nested_aggregates(i32[6])
//! out = 1 2 3 4 5 20
__global__ void nested_aggregates(int* out) {
  Outer o = {{{{1, 2}}, {{3, 4}}}, 5};
  out[0] = o.in[0].v[0];
  out[1] = o.in[0].v[1];
  out[2] = o.in[1].v[0];
  out[3] = o.in[1].v[1];
  out[4] = o.last;
  out[5] = sizeof(Outer);
}

//! run brace_elision(i32[4])
//! out = 1 2 3 0
__global__ void brace_elision(int* out) {
  Inner list[2] = {1, 2, 3};
  out[0] = list[0].v[0];
  out[1] = list[0].v[1];
  out[2] = list[1].v[0];
  out[3] = list[1].v[1];
}

//! run designated(i32[2])
//! out = 0 6
struct Pair { int first, second; };
__global__ void designated(int* out) {
  Pair p = {.second = 6};
  out[0] = p.first;
  out[1] = p.second;
}

//! run struct_parameter({2, {1.5, 2.5}}, f32[1])
//! out = 5
struct Config {
  int n;
  float w[2];
};
__global__ void struct_parameter(Config c, float* out) { out[0] = c.n * c.w[1]; }

//! run array_of_structs(i32x2[3]=iota, i32[3])
//! out = 1 5 9
__global__ void array_of_structs(Pair* in, int* out) {
  for (int i = 0; i < 3; ++i) out[i] = in[i].first + in[i].second;
}

//! run copy_is_a_copy(i32[2])
//! out = 1 9
__global__ void copy_is_a_copy(int* out) {
  Pair a{1, 2};
  Pair b = a;
  b.first = 9;
  out[0] = a.first;
  out[1] = b.first;
}

//! run return_struct(i32[2])
//! out = 8 3
__device__ Pair divide(int a, int b) {
  Pair p;
  p.first = a / b;
  p.second = a % b;
  return p;
}
__global__ void return_struct(int* out) {
  Pair p = divide(43, 5);
  out[0] = p.first;
  out[1] = divide(43, 5).second;
}

enum class Mode : unsigned char { kOff, kOn = 3, kAuto };
//! run scoped_enum(i32[3])
//! out = 3 4 1
__global__ void scoped_enum(int* out) {
  Mode m = Mode::kOn;
  out[0] = static_cast<int>(m);
  out[1] = (int)Mode::kAuto;
  out[2] = sizeof(Mode);
}

enum Flags { kA = 1, kB = kA << 1, kAB = kA | kB };
//! run enum_arithmetic(i32[2])
//! out = 3 2
__global__ void enum_arithmetic(int* out) {
  out[0] = kAB;
  Flags f = kB;
  out[1] = f;
}

// Alignments in every spelling, as the host has them.
constexpr int kWideAlign = 32;
struct BehindIt { int a; } __attribute__((aligned(16)));
typedef struct { int a; } __attribute__((aligned(16))) NamedBehindIt;
struct __attribute__((__aligned__(16))) Underscored { int a; };
struct alignas(double) ByType { int a; };
struct alignas(kWideAlign) ByConstant { int a; };
struct __attribute__((aligned(kWideAlign))) AttributeByConstant { int a; };
template <typename T, int N>
struct alignas(sizeof(T) * N) ByArguments { T a[N]; };
struct MemberBehindIt { char c; int a __attribute__((aligned(16))), b; };
struct __attribute__((packed)) WithoutPadding { int a; short b, c; };
#pragma pack(push, 4)
struct PackedEnough { short a, b; int c; };
#pragma pack(pop)
//! run alignments(i32[11])
//! out = 16016 16016 16016 8008 32032 32032 16016 64016 32016 8 8004
__global__ void alignments(int* out) {
  int i = 0;
#define PUT(type) out[i++] = sizeof(type) * 1000 + alignof(type)
  using Four = ByArguments<float, 4>;
  using Two = ByArguments<double, 2>;
  PUT(BehindIt);
  PUT(NamedBehindIt);
  PUT(Underscored);
  PUT(ByType);
  PUT(ByConstant);
  PUT(AttributeByConstant);
  PUT(Four);
  PUT(Two[4]);
  PUT(MemberBehindIt);
  out[i++] = sizeof(WithoutPadding);
  PUT(PackedEnough);
#undef PUT
}

struct __align__(16) Wide {
  float a, b, c;
};
//! run alignment(i32[3])
//! out = 16 16 8
__global__ void alignment(int* out) {
  out[0] = sizeof(Wide);
  out[1] = alignof(Wide);
  out[2] = alignof(double);
}

struct Padded {
  char c;
  double d;
  char e;
};
//! run padding(i32[1])
//! out = 24
__global__ void padding(int* out) { out[0] = sizeof(Padded); }

struct Scope {
  int* log;
  __device__ Scope(int* l) : log(l) { *log += 1; }
  __device__ ~Scope() { *log += 10; }
};
//! run destructors(i32[2]=0)
//! out = 11 1
__global__ void destructors(int* out) {
  {
    Scope s(out);
    out[1] = out[0];
  }
}

//! run destructor_on_return(i32[2]=0)
//! out = 11 11
__device__ void leave(int* log) {
  Scope s(log);
  if (*log == 1) return;
  *log = 99;
}
__global__ void destructor_on_return(int* out) {
  leave(out);
  out[1] = out[0];
}

struct Matrix {
  float m[2][2];
  __device__ float& at(int i, int j) { return m[i][j]; }
  __device__ float at(int i, int j) const { return m[i][j]; }
};
//! run const_overload(f32[2])
//! out = 5 5
__device__ float read(const Matrix& m) { return m.at(1, 0); }
__global__ void const_overload(float* out) {
  Matrix m = {};
  m.at(1, 0) = 5;
  out[0] = m.at(1, 0);
  out[1] = read(m);
}

struct Outside {
  int v;
  __device__ Outside(int x);
  __device__ int twice() const;
  static __device__ int thrice(int x);
};
__device__ Outside::Outside(int x) : v(x) {}
__device__ int Outside::twice() const { return 2 * v; }
__device__ int Outside::thrice(int x) { return 3 * x; }
//! run members_defined_outside(i32[2])
//! out = 8 12
__global__ void members_defined_outside(int* out) {
  Outside o(4);
  out[0] = o.twice();
  out[1] = Outside::thrice(4);
}

struct Chain {
  int v;
  __device__ Chain& add(int n) {
    v += n;
    return *this;
  }
};
//! run chained_calls(i32[1])
//! out = 6
__global__ void chained_calls(int* out) { out[0] = Chain{0}.add(1).add(2).add(3).v; }

//! run local_struct(i32[1])
//! out = 12
__global__ void local_struct(int* out) {
  struct Local {
    int a, b;
    __device__ int product() const { return a * b; }
  };
  Local l = {3, 4};
  out[0] = l.product();
}

struct Meters {
  float v;
  __device__ Meters(float x) : v(x) {}
};
__device__ float take(Meters m) { return m.v; }
//! run converting_constructor(f32[1])
//! out = 2.5
__global__ void converting_constructor(float* out) { out[0] = take(2.5f); }

namespace outer {
namespace inner {
__device__ int value() { return 5; }
struct Thing { int n; };
}
using inner::value;
__device__ int twice() { return 2 * value(); }
}
namespace alias = outer::inner;
//! run namespaces(i32[4])
//! out = 5 10 5 7
__global__ void namespaces(int* out) {
  out[0] = outer::inner::value();
  out[1] = outer::twice();
  out[2] = alias::value();
  using namespace outer::inner;
  Thing t{7};
  out[3] = t.n;
}

namespace vec {
struct V { int x; };
__device__ int size(V v) { return v.x; }
__device__ V operator+(V a, V b) { return {a.x + b.x}; }
}
//! run argument_lookup(i32[2])
//! out = 3 7
__global__ void argument_lookup(int* out) {
  vec::V a{3}, b{4};
  out[0] = size(a);
  out[1] = (a + b).x;
}

typedef struct {
  int id;
  float weight;
} Edge;
typedef int Row[3];
//! run typedefs(i32[2])
//! out = 4 12
__global__ void typedefs(int* out) {
  Edge e;
  e.id = 4;
  out[0] = e.id;
  out[1] = sizeof(Row);
}

__constant__ float coefficients[3] = {0.5f, 1.5f, 2.5f};
__device__ int counter = 40;
//! run device_variables(f32[4])
//! out = 0.5 2.5 40 41
__global__ void device_variables(float* out) {
  out[0] = coefficients[0];
  out[1] = coefficients[2];
  out[2] = counter;
  counter += 1;
  out[3] = counter;
}

static const int table[4] = {2, 3, 5, 7};
constexpr int kCount = sizeof(table) / sizeof(table[0]);
//! run constant_tables(i32[5])
//! out = 2 3 5 7 4
__global__ void constant_tables(int* out) {
  for (int i = 0; i < kCount; ++i) out[i] = table[i];
  out[4] = kCount;
}

constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int sum_to(int n) {
  int s = 0;
  for (int i = 1; i <= n; ++i) s += i;
  return s;
}
//! run constant_functions(i32[3])
//! out = 55 15 6
__global__ void constant_functions(int* out) {
  constexpr int f = fib(10);
  int a[sum_to(3)];
  out[0] = f;
  static_assert(sum_to(5) == 15, "sums");
  out[1] = sum_to(5);
  out[2] = sizeof(a) / sizeof(a[0]);
}

union PackedPair {
  struct {
    short low, high;
  };
  unsigned int both;
};

//! run packed_pairs(i32[4]=iota, i32[8]) block 4
//! out = 0 0 7 1 14 2 21 3
__global__ void packed_pairs(const int* in, int* out) {
  PackedPair p;
  p.both = (unsigned)in[threadIdx.x] * 65543u;
  p.high += 1;
  p.both -= 65536u;
  out[2 * threadIdx.x] = p.low;
  out[2 * threadIdx.x + 1] = p.high;
}

//! run pairs_in_memory(u32[4]=iota, i32[4]) block 4
//! out = 5 6 7 8
__global__ void pairs_in_memory(PackedPair* pairs, int* out) {
  __shared__ PackedPair shared[4];
  shared[threadIdx.x] = pairs[threadIdx.x];
  __syncthreads();
  shared[threadIdx.x].high = 5;
  pairs[threadIdx.x] = shared[threadIdx.x];
  out[threadIdx.x] = pairs[threadIdx.x].low + pairs[threadIdx.x].high;
}

typedef struct Link Link;  // as C does it, before the struct
typedef struct List List, *ListRef;
struct Link {
  int value;
  Link* next;
};
struct List {
  Link* first;
};
//! run typedef_before_the_struct(i32[1]) block 1
//! out = 7
__global__ void typedef_before_the_struct(int* out) {
  Link links[2];
  Link* last = &links[1];
  last->value = 7;
  links[0].next = last;
  List list = {links};
  ListRef ref = &list;
  *out = ref->first->next->value;
}

struct DownBase {
  int a;
};
struct DownOther {
  int e;
};
struct DownDerived : DownBase {
  int d;
};
struct DownBoth : DownOther, DownBase {
  int m;
};

// A pointer to the base of a local object, chosen at run time, becomes a pointer to the object again.
//! run down_cast(i32[4], 1)
//! out = 2 1 9 4
__global__ void down_cast(int* out, int c) {
  DownDerived a, b;
  a.a = 1;
  a.d = 2;
  b.a = 3;
  b.d = 4;
  DownBase* p = c ? static_cast<DownBase*>(&a) : static_cast<DownBase*>(&b);
  DownDerived* d = static_cast<DownDerived*>(p);
  out[0] = d->d;
  out[1] = d->a;
  d->d = 9;
  out[2] = a.d;
  out[3] = b.d;
}

//! run down_cast_direct(i32[2], 0)
//! out = 4 3
__global__ void down_cast_direct(int* out, int c) {
  DownDerived a, b;
  a.a = 1;
  a.d = 2;
  b.a = 3;
  b.d = 4;
  DownDerived* d = static_cast<DownDerived*>(c ? (DownBase*)&a : (DownBase*)&b);
  out[0] = d->d;
  out[1] = d->a;
}

//! run down_cast_second_base(i32[4], 0)
//! out = 4 6 2 9
__global__ void down_cast_second_base(int* out, int c) {
  DownBoth a, b;
  a.a = 1;
  a.m = 2;
  a.e = 5;
  b.a = 3;
  b.m = 4;
  b.e = 6;
  DownBase* p = c ? static_cast<DownBase*>(&a) : static_cast<DownBase*>(&b);
  DownBoth* d = static_cast<DownBoth*>(p);
  out[0] = d->m;
  out[1] = d->e;
  d->m = 9;
  out[2] = a.m;
  out[3] = b.m;
}
