// Calls through pointers to functions that are chosen at run time.
typedef int (*Op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ Op pointer_table[3] = {add, sub, mul};
__constant__ Op pointer_constants[2] = {mul, sub};
__device__ Op chosen_op;

//! run fp_table(i32[6]) block 6
//! out = 10 -2 12 13 1 21
__global__ void fp_table(int* out) {
  const int i = threadIdx.x;
  Op f = pointer_table[i % 3];
  out[i] = i == 0 ? f(7, 3) : i == 1 ? f(2, 4) : i == 2 ? f(4, 3) : i == 3 ? f(8, 5) : i == 4 ? f(4, 3) : f(7, 3);
}

//! run fp_constant_table(i32[4]) block 4
//! out = 6 -1 6 -1
__global__ void fp_constant_table(int* out) { out[threadIdx.x] = pointer_constants[threadIdx.x % 2](2, 3); }

//! run fp_reassigned(i32[4]) block 4
//! out = 5 -1 5 -1
__global__ void fp_reassigned(int* out) {
  Op f = add;
  if (threadIdx.x % 2) f = sub;
  out[threadIdx.x] = f(2, 3);
}

// The call comes before the assignment in the text, and after it in the second round.
//! run fp_changed_in_loop(i32[1]) block 1
//! out = 70
__global__ void fp_changed_in_loop(int* out) {
  Op f = add;
  int x = 4;
  for (int i = 0; i < 2; ++i) {
    x = f(x, i == 0 ? 10 : 5);
    f = mul;
  }
  out[0] = x;
}

struct NodeOp {
  Op op;
  int v;
};
__device__ int run_op(Op f, int a, int b) { return f(a, b); }
__device__ Op pick_op(int i) { return i == 0 ? add : i == 1 ? sub : mul; }

//! run fp_in_struct(i32[4]) block 4
//! out = 3 0 6 13
__global__ void fp_in_struct(int* out) {
  NodeOp n[3] = {{add, 1}, {sub, 2}, {mul, 3}};
  const int i = threadIdx.x;
  out[i] = i < 3 ? run_op(n[i].op, n[i].v, 2) : run_op(pick_op(0), 10, 3);
}

//! run fp_returned(i32[3]) block 3
//! out = 9 5 14
__global__ void fp_returned(int* out) { out[threadIdx.x] = pick_op(threadIdx.x)(7, 2); }

//! run fp_compared(i32[6]) block 1
//! out = 1 0 1 0 1 1
__global__ void fp_compared(int* out) {
  Op f = pointer_table[1];
  Op none = nullptr;
  out[0] = f == sub;
  out[1] = f == add;
  out[2] = none == nullptr;
  out[3] = f == nullptr;
  out[4] = f ? 1 : 0;
  out[5] = !none;
}

__device__ void change_op(Op& f) { f = mul; }
__device__ int change_param(Op f, int c) {
  if (c) f = sub;
  return f(9, 4);
}

//! run fp_by_reference(i32[3]) block 1
//! out = 36 13 5
__global__ void fp_by_reference(int* out) {
  Op f = add;
  change_op(f);
  out[0] = f(9, 4);
  out[1] = change_param(add, 0);
  out[2] = change_param(add, 1);
}

__device__ float half_of(float x) { return x * 0.5f; }
__device__ float twice_of(float x) { return x * 2.0f; }
template <class T>
__device__ T apply_twice(T (*f)(T), T x) {
  return f(f(x));
}

//! run fp_template(f32[2]) block 2
//! out = 2 32
__global__ void fp_template(float* out) {
  float (*f)(float) = threadIdx.x ? twice_of : half_of;
  out[threadIdx.x] = apply_twice(f, 8.0f);
}

//! run fp_lambda(i32[3]) block 3
//! out = 11 20 -10
__global__ void fp_lambda(int* out) {
  int (*f[3])(int) = {[](int x) { return x + 1; }, [](int x) { return x * 2; }, [](int x) { return -x; }};
  out[threadIdx.x] = f[threadIdx.x](10);
}

__device__ void bump(int& x) { x += 1; }
__device__ void clear(int& x) { x = 0; }

//! run fp_reference_parameter(i32[2]) block 2
//! out = 6 0
__global__ void fp_reference_parameter(int* out) {
  void (*f)(int&) = threadIdx.x ? clear : bump;
  int x = 5;
  f(x);
  out[threadIdx.x] = x;
}

struct PairOf {
  int a, b;
};
__device__ PairOf swap_pair(PairOf p) { return {p.b, p.a}; }
__device__ PairOf same_pair(PairOf p) { return p; }

//! run fp_struct_value(i32[4]) block 2
//! out = 3 4 4 3
__global__ void fp_struct_value(int* out) {
  PairOf (*f)(PairOf) = threadIdx.x ? swap_pair : same_pair;
  const PairOf r = f({3, 4});
  out[threadIdx.x * 2] = r.a;
  out[threadIdx.x * 2 + 1] = r.b;
}

__device__ int* first_of(int* p) { return p; }
__device__ int* second_of(int* p) { return p + 1; }

//! run fp_pointer_result(i32[4]=iota) block 1
//! out = 0 20 2 3
__global__ void fp_pointer_result(int* out) {
  int* (*f)(int*) = blockDim.x == 1 ? second_of : first_of;
  *f(out) = 20;
}

//! run fp_as_integer(i32[2]) block 2
//! out = 5 6
__global__ void fp_as_integer(int* out) {
  unsigned long long bits = threadIdx.x ? (unsigned long long)mul : (unsigned long long)add;
  Op f = (Op)bits;
  out[threadIdx.x] = f(2, 3);
}

__device__ int apply_function(int (&f)(int, int), int a) { return f(a, 2); }

//! run fp_reference_to_function(i32[2]) block 2
//! out = 12 8
__global__ void fp_reference_to_function(int* out) {
  int (&f)(int, int) = threadIdx.x ? *sub : *add;
  out[threadIdx.x] = apply_function(f, 10);
}

//! run fp_in_shared(i32[4]) block 4
//! out = 6 8 2 6
__global__ void fp_in_shared(int* out) {
  __shared__ Op s[4];
  s[threadIdx.x] = pick_op(threadIdx.x % 3);
  __syncthreads();
  out[threadIdx.x] = s[3 - threadIdx.x](4, 2);
}

//! run fp_memory_argument(u64[3], i32[3]) block 3
//! out = 5 -1 6
__global__ void fp_memory_argument(Op* table, int* out) {
  table[threadIdx.x] = pick_op(threadIdx.x);
  out[threadIdx.x] = table[threadIdx.x](2, 3);
}
