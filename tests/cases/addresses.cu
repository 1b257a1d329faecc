// Lvalues that are selected at run time, and initial values that are addresses.

struct Three {
  int f, g, h;
};

//! run assign_to_a_choice(i32[4], 1)
//! out = 9 2 9 2
//! run assign_to_a_choice(i32[4], 0)
//! out = 1 9 1 9
__global__ void assign_to_a_choice(int* out, int c) {
  int a = 1, b = 2;
  (c ? a : b) = 9;
  out[0] = a;
  out[1] = b;
  int& r = c ? a : b;
  r = 9;
  out[2] = a;
  out[3] = b;
}

//! run member_of_a_choice(i32[3], 1)
//! out = 1 4 2
//! run member_of_a_choice(i32[3], 0)
//! out = 3 6 4
__global__ void member_of_a_choice(int* out, int c) {
  const Three a = {1, 2, 3}, b = {3, 4, 5};
  out[0] = (c ? a : b).f;
  out[1] = (c ? a : b).h + 1;
  const Three* p = &(c ? a : b);
  out[2] = p->g;
}

//! run member_of_a_choice_of_values(i32[2], 1)
//! out = 1 4
//! run member_of_a_choice_of_values(i32[2], 0)
//! out = 3 6
__global__ void member_of_a_choice_of_values(int* out, int c) {
  const Three a = {1, c + 1, 3}, b = {3, 4, 5};
  out[0] = (c ? a : b).f;
  out[1] = (c ? a : b).h + 1;
}

__device__ const int& larger(const int& a, const int& b) { return a < b ? b : a; }
__device__ const Three& same(const Three& t) { return t; }
//! run address_of_a_temporary_in_a_branch(i32[4], 1)
//! out = 7 11 8 2
//! run address_of_a_temporary_in_a_branch(i32[4], 0)
//! out = 6 21 6 3
__global__ void address_of_a_temporary_in_a_branch(int* out, int c) {
  const Three plain = {21, 3, 5};
  out[0] = larger(c ? larger(7, 3) : larger(2, 6), 1);
  out[1] = (c ? same(Three{11, 2, 3}) : plain).f;
  out[2] = c && larger(8, 4) > 7 ? larger(8, 4) : larger(6, 2);
  out[3] = (c ? same(Three{11, 2, 3}) : same(plain)).g;
}

//! run references_in_a_loop_head(i32[1])
//! out = 10
__global__ void references_in_a_loop_head(int* out) {
  int n = 4, sum = 0;
  while (const int& left = larger(n, 0)) {
    sum += left;
    --n;
  }
  out[0] = sum;
}

__device__ int storage[4] = {10, 20, 30, 40};
__device__ int* all = storage;
__device__ int* third = &storage[2];
__device__ const int* const before_last = storage + 4 - 1;
//! run variables_that_point(i32[4])
//! out = 10 30 40 33
__global__ void variables_that_point(int* out) {
  out[0] = all[0];
  out[1] = *third;
  out[2] = *before_last;
  *third += 3;
  out[3] = storage[2];
  third = all;
}

struct Row {
  int first;
  const float* values;
  const char* name;
};
__constant__ float row_a[3] = {1.5f, 2.5f, 3.5f};
__device__ float row_b[2] = {4.5f, 5.5f};
__constant__ Row rows[3] = {{1, row_a, "ab"}, {2, &row_b[1], "xyz"}, {3, nullptr, "xyz" + 2}};
//! run tables_of_pointers(f32[3], i32[3]) block 3
//! out = 3.5 5.5 0
//! names = 98 121 0
__global__ void tables_of_pointers(float* out, int* names) {
  const Row& row = rows[threadIdx.x];
  out[threadIdx.x] = row.values != nullptr ? row.values[threadIdx.x == 0 ? 2 : 0] : 0;
  names[threadIdx.x] = row.name[1];
}

struct Node {
  int value;
  Node* next;
};
extern __device__ Node last;
__device__ Node first = {1, &last};
__device__ Node last = {2, &first};
//! run a_ring(i32[3])
//! out = 1 2 1
__global__ void a_ring(int* out) {
  const Node* at = &first;
  for (int i = 0; i < 3; ++i) {
    out[i] = at->value;
    at = at->next;
  }
}

struct Matrix {
  float m[2][3];
  constexpr float at(int r, int c) const { return m[r][c]; }
};
constexpr Matrix kMatrix = {{{1, 2, 3}, {4, 5, 6}}};
constexpr Matrix kMany[2] = {{{{1, 2, 3}, {4, 5, 6}}}, {{{7, 8, 9}, {10, 11, 12}}}};
//! run constant_objects_by_index(f32[6]) block 2,3
//! out = 18 21 24 27 30 33
__global__ void constant_objects_by_index(float* out) {
  int r = threadIdx.x, c = threadIdx.y;
  out[r * 3 + c] = kMatrix.m[r][c] * 2 + kMatrix.at(r, c) + kMany[1].m[r][c] + 9 - kMany[r - r].at(r, c);
}

struct Squares {
  int v[8];
  constexpr Squares() : v() {
    for (int i = 0; i < 8; ++i) v[i] = i * i;
  }
};
__constant__ Squares squares;
constexpr Squares kSquares;
__device__ const Squares device_squares = Squares();
//! run constructed_constants(i32[8]) block 8
//! out = 0 3 12 27 48 75 108 147
__global__ void constructed_constants(int* out) {
  int i = threadIdx.x;
  out[i] = squares.v[i] + kSquares.v[i] + device_squares.v[i];
}

__device__ int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ int (*second_row)[3] = &grid[1];
__device__ int* grid_rows[2] = {grid[0], grid[1]};
__device__ int& corner = grid[1][2];
//! run rows_and_references(i32[2]) block 2
//! out = 12 17
__global__ void rows_and_references(int* out) {
  int i = threadIdx.x;
  out[i] = (*second_row)[i] + grid_rows[i][1] + corner + i;
}

typedef int (*Step)(int);
__device__ int add_one(int x) { return x + 1; }
__device__ int twice(int x) { return x * 2; }
constexpr Step kSteps[2] = {add_one, twice};
struct Named {
  int id;
  Step step;
};
constexpr Named kNamed[2] = {{5, twice}, {6, add_one}};
//! run functions_of_constant_tables(i32[3])
//! out = 8 8 14
__global__ void functions_of_constant_tables(int* out) {
  out[0] = kSteps[0](7);
  out[1] = kNamed[1].step(7);
  out[2] = kSteps[kNamed[0].id == 5](7);
}

struct Steps {
  int weight;
  Step first, second;
  constexpr __host__ __device__ Steps(int weight, Step first, Step second)
      : weight(weight), first(first), second(second) {}
};
template <int By> static __device__ int plus(const int x) { return x + By; }
template <int By> static __device__ int times(int x) { return x * By; }
template <int Kind> constexpr __device__ Step chosen_step() {
  if constexpr (Kind == 0) {
    return plus<10>;
  } else {
    return times<10>;
  }
}
template <int Kind> constexpr __device__ Steps chosen_steps() {
  switch (Kind) {
    case 0: return Steps(3, plus<1>, times<2>);
    case 1: return Steps(5, times<3>, plus<4>);
    default: return Steps(0, nullptr, nullptr);
  }
}
__device__ int applied(Step f, int x) { return f(x); }
template <int Kind> __device__ int all_steps(int x) {
  constexpr Steps steps = chosen_steps<Kind>();
  constexpr Step second = chosen_steps<Kind>().second;
  return second(steps.first(x)) * steps.weight;
}
//! run functions_that_constants_name(i32[6])
//! out = 17 70 48 125 70 1
__global__ void functions_that_constants_name(int* out) {
  constexpr Step add = chosen_step<0>();
  const Step scale = chosen_step<1>();
  constexpr Steps none = chosen_steps<2>();
  out[0] = add(7);
  out[1] = scale(7);
  out[2] = all_steps<0>(7);
  out[3] = all_steps<1>(7);
  out[4] = applied(chosen_step<1>(), 7);
  out[5] = none.first == nullptr && add != scale;
}

__device__ float pool[1 << 22];
__device__ float* pool_begin = pool;
__device__ float* const pool_end = pool + (1 << 22);
__device__ double planes[64][64][64];
__device__ double* middle = &planes[31][32][33];
//! run addresses_in_large_variables(i64[2])
//! out = 4194304 129057
__global__ void addresses_in_large_variables(long* out) {
  out[0] = pool_end - pool_begin;
  out[1] = middle - &planes[0][0][0];
}

// Arrays of 64-bit values whose names are those of parameters in emitted helper functions.
//! run arrays_with_common_names(i64[3], 2)
//! value = 12 21 9
__global__ void arrays_with_common_names(long long* value, int n) {
  __shared__ long long old[2];
  long long at[2];
  for (int i = 0; i < 2; ++i) {
    at[i] = n * (i + 1);
    if (threadIdx.x == 0) old[i] = n + i + 5;
  }
  __syncthreads();
  value[0] = at[n - 2] + at[n - 1] + 6;
  value[1] = old[n - 2] * 3;
  value[2] = old[n - 1] + n - 1;
}
