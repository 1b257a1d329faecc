// Initialisation in every form.

//! run forms_for_numbers(i32[8])
//! out = 1 2 3 4 0 0 7 0
__global__ void forms_for_numbers(int* out) {
  int a = 1, b(2), c{3}, d = {4}, e{}, f = int();
  auto g{7};
  auto h = int{};
  int all[] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) out[i] = all[i];
}

//! run arrays(i32[9])
//! out = 1 2 0 0 0 0 7 8 9
__global__ void arrays(int* out) {
  int partly[4] = {1, 2};
  int zero[2] = {};
  int counted[] = {7, 8, 9};
  static_assert(sizeof(counted) == 12, "the extent comes from the list");
  for (int i = 0; i < 4; ++i) out[i] = partly[i];
  for (int i = 0; i < 2; ++i) out[4 + i] = zero[i];
  for (int i = 0; i < 3; ++i) out[6 + i] = counted[i];
}

//! run nested_arrays(i32[8])
//! out = 1 2 3 0 5 0 7 8
__global__ void nested_arrays(int* out) {
  int flat[2][2] = {1, 2, 3};
  int nested[2][2] = {{5}, {7, 8}};
  for (int i = 0; i < 4; ++i) {
    out[i] = flat[i / 2][i % 2];
    out[4 + i] = nested[i / 2][i % 2];
  }
}

//! run extent_of_the_first_dimension(i32[3])
//! out = 3 6 5
__global__ void extent_of_the_first_dimension(int* out) {
  const int table[][2] = {{1, 2}, {3, 4}, {5, 6}};
  out[0] = sizeof(table) / sizeof(table[0]);
  out[1] = table[2][1];
  out[2] = *table[2];
}

//! run character_arrays(i32[6])
//! out = 6 104 111 0 0 4
__global__ void character_arrays(int* out) {
  char text[] = "hello";
  char longer[8] = "hi";
  out[0] = sizeof(text);
  out[1] = text[0];
  out[2] = text[4];
  out[3] = text[5];
  out[4] = longer[7];
  char list[] = {'a', 'b', 'c', '\0'};
  out[5] = sizeof(list);
}

struct Inner {
  int a, b;
};
struct Outer {
  Inner first, second;
  int rest[2];
};
//! run aggregates(i32[6])
//! out = 1 2 3 0 5 6
__global__ void aggregates(int* out) {
  Outer o = {{1, 2}, {3}, {5, 6}};
  out[0] = o.first.a;
  out[1] = o.first.b;
  out[2] = o.second.a;
  out[3] = o.second.b;
  out[4] = o.rest[0];
  out[5] = o.rest[1];
}

struct Settings {
  int steps = 10;
  float rate = 0.5f;
  bool verbose{};
  int sizes[3] = {1, 2, 3};
};
//! run default_members_of_an_aggregate(f32[6])
//! out = 10 0.5 0 3 20 0.5
__global__ void default_members_of_an_aggregate(float* out) {
  Settings a;
  Settings b{20};
  out[0] = a.steps;
  out[1] = a.rate;
  out[2] = a.verbose;
  out[3] = a.sizes[2];
  out[4] = b.steps;
  out[5] = b.rate;
}

//! run designated_members(i32[4])
//! out = 0 7 10 1
__global__ void designated_members(int* out) {
  Inner i = {.b = 7};
  Settings s{.rate = 2.0f, .verbose = true};
  out[0] = i.a;
  out[1] = i.b;
  out[2] = s.steps;
  out[3] = s.verbose && s.rate == 2.0f;
}

struct Ordered {
  int a, b, c;
  __device__ Ordered(int x) : a(x), b(a + 1), c{a + b} {}
};
//! run members_in_order(i32[3])
//! out = 5 6 11
__global__ void members_in_order(int* out) {
  Ordered o(5);
  out[0] = o.a;
  out[1] = o.b;
  out[2] = o.c;
}

struct Delegating {
  int a, b;
  __device__ Delegating(int x, int y) : a(x), b(y) {}
  __device__ Delegating(int x) : Delegating(x, x * 2) {}
  __device__ Delegating() : Delegating(3) {}
};
//! run delegating_constructors(i32[2])
//! out = 3 6
__global__ void delegating_constructors(int* out) {
  Delegating d;
  out[0] = d.a;
  out[1] = d.b;
}

struct Matrix {
  float m[2][2];
  __device__ Matrix() : m{{1, 0}, {0, 1}} {}
  __device__ Matrix(float s) : m{} { m[0][0] = m[1][1] = s; }
};
//! run arrays_in_constructors(f32[4])
//! out = 1 0 3 0
__global__ void arrays_in_constructors(float* out) {
  Matrix unit, scaled(3);
  out[0] = unit.m[1][1];
  out[1] = unit.m[0][1];
  out[2] = scaled.m[0][0];
  out[3] = scaled.m[1][0];
}

//! run arrays_of_objects(i32[4])
//! out = 3 7 14 6
__global__ void arrays_of_objects(int* out) {
  Delegating all[3] = {Delegating(), 7};
  out[0] = all[0].a;
  out[1] = all[1].a;
  out[2] = all[1].b;
  out[3] = all[2].b;
}

//! run value_initialised_struct(i32[3])
//! out = 0 0 0
__global__ void value_initialised_struct(int* out) {
  Inner a{};
  Inner b = Inner();
  Inner c = {};
  out[0] = a.a + a.b;
  out[1] = b.a + b.b;
  out[2] = c.a + c.b;
}

__device__ Inner make(int a, int b) { return {a, b}; }
__device__ int total(Inner i) { return i.a + i.b; }
//! run lists_as_arguments_and_results(i32[3])
//! out = 7 11 30
__global__ void lists_as_arguments_and_results(int* out) {
  out[0] = total({3, 4});
  out[1] = total(make(5, 6));
  Inner i;
  i = {10, 20};
  out[2] = total(i);
}

//! run references_bind(i32[4])
//! out = 9 5 6 9
__global__ void references_bind(int* out) {
  int a = 4;
  int& r = a;
  const int& temporary = 2 + 3;
  int&& moved = a + 2;
  r = 9;
  out[0] = a;
  out[1] = temporary;
  out[2] = moved;
  auto& same = r;
  out[3] = same;
}

//! run reference_to_an_array(i32[2])
//! out = 3 12
__global__ void reference_to_an_array(int* out) {
  int values[3] = {2, 4, 6};
  int(&all)[3] = values;
  out[0] = sizeof(all) / sizeof(all[0]);
  int sum = 0;
  for (auto& v : all) sum += v;
  out[1] = sum;
}

//! run pointer_to_an_array(i32[2])
//! out = 5 6
__global__ void pointer_to_an_array(int* out) {
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int(*row)[3] = &grid[1];
  out[0] = (*row)[1];
  out[1] = row[0][2];
}

//! run constants(i32[4])
//! out = 12 120 9 3
__global__ void constants(int* out) {
  constexpr int n = 3 * 4;
  const int m = n * 10;
  constexpr int table[] = {1, 4, 9};
  constexpr Inner pair = {1, 2};
  int sized[table[2]];
  out[0] = n;
  out[1] = m;
  out[2] = sizeof(sized) / sizeof(int);
  out[3] = pair.a + pair.b;
}

struct Guard {
  int* place;
  __device__ explicit Guard(int* p) : place(p) { *place = *place * 10 + 1; }
  __device__ ~Guard() { *place = *place * 10 + 2; }
};
//! run lifetimes_in_loops(i32[1]=0)
//! log = 121212
__global__ void lifetimes_in_loops(int* log) {
  for (int i = 0; i < 3; ++i) Guard g(log);
}

//! run lifetimes_with_break_and_continue(i32[1]=0)
//! log = 1212129
__global__ void lifetimes_with_break_and_continue(int* log) {
  for (int i = 0;; ++i) {
    Guard g(log);
    if (i < 2) continue;
    break;
  }
  *log = *log * 10 + 9;
}

struct Copies {
  int* count;
  __device__ Copies(int* c) : count(c) {}
  __device__ Copies(const Copies& o) : count(o.count) { ++*count; }
  __device__ Copies& operator=(const Copies& o) {
    *count += 10;
    return *this;
  }
};
__device__ void by_value(Copies) {}
__device__ void by_reference(const Copies&) {}
//! run copy_constructor_and_assignment(i32[1]=0)
//! count = 12
__global__ void copy_constructor_and_assignment(int* count) {
  Copies a(count);
  Copies b = a;
  by_value(a);
  by_reference(a);
  b = a;
}

//! run static_local_constant_table(i32[3]) block 3
//! out = 2 3 5
__global__ void static_local_constant_table(int* out) {
  static const int primes[] = {2, 3, 5, 7};
  out[threadIdx.x] = primes[threadIdx.x];
}

union Word {
  unsigned bits;
  float value;
  unsigned char bytes[4];
};
//! run union_members(u32[3])
//! out = 1065353216 63 128
__global__ void union_members(unsigned* out) {
  Word w = {.value = 1.0f};
  out[0] = w.bits;
  out[1] = w.bytes[3];
  out[2] = w.bytes[2];
}

struct Parent {
  int a;
  __device__ Parent(int x) : a(x) {}
};
struct Child : Parent {
  int b = 4;
  __device__ Child() : Parent(9) { b += a; }
};
//! run base_before_members(i32[2])
//! out = 9 13
__global__ void base_before_members(int* out) {
  Child c;
  out[0] = c.a;
  out[1] = c.b;
}

constexpr unsigned kCells(256), kHalf(kCells / 2);
constexpr unsigned kTiles((kCells - 1) / (16 - 1));
static const float kScale(2.0f / kCells);
enum side { left_side, right_side };
//! run variables_in_parentheses(f32[4])
//! out = 128 17 0.0078125 1
__global__ void variables_in_parentheses(float* out) {
  unsigned half(kHalf), tiles(kTiles * (1 + 0 * half));
  out[0] = half;
  out[1] = tiles;
  out[2] = kScale;
  int side = 7;
  out[3] = side::right_side + 0 * side;
}

enum class Small : unsigned char { kOne = 1, kTwo };
enum Plain { plain_a, plain_b };
struct WithEnums {
  Small s;
  Plain p;
};
//! run parameters_only_passed(i32[2], 1, {2, 1}, 3)
//! out = 3 8
__global__ void parameters_only_passed(int* out, const Plain unused, WithEnums also_unused, int n) {
  out[0] = n;
  out[1] = sizeof(WithEnums);
}
