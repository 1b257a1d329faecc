// Calls that have no function to call.
typedef int (*Op)(int);
__device__ int plus_one(int x) { return x + 1; }
__device__ int twice(int x) { return 2 * x; }
__device__ float half_of(float x) { return x / 2; }
__device__ Op unset;

//! run call_of_null(i32[2]) block 2
//! report assert @
__global__ void call_of_null(int* out) {
  Op f = threadIdx.x == 0 ? plus_one : nullptr;
  out[threadIdx.x] = f(3);  //@
}

//! run call_of_unset_variable(i32[1])
//! report assert @
__global__ void call_of_unset_variable(int* out) {
  out[0] = unset(3);  //@
}

//! run call_of_a_number(i32[1], 12345)
//! report assert @
__global__ void call_of_a_number(int* out, unsigned long long bits) {
  Op f = (Op)bits;
  out[0] = f(3);  //@
}

//! run call_through_another_type(i32[1], 1)
//! report assert @
__global__ void call_through_another_type(int* out, int n) {
  Op f = n ? (Op)half_of : twice;
  out[0] = f(3);  //@
}

//! run call_of_uninitialized_pointer(i32[1])
//! report uninitialized @
//! report assert @
__global__ void call_of_uninitialized_pointer(int* out) {
  Op f[2];
  f[0] = plus_one;
  out[0] = f[blockDim.x](3);  //@
}

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ int twice_area() const { return 2 * area(); }
};
struct Square : Shape {
  int side;
  __device__ Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Registered : Shape {
  int first;
  __device__ Registered() { first = 1; }
  __device__ int area() const override { return first; }
};

//! run object_never_constructed(u64[2]=0, i32[1])
//! report assert @
__global__ void object_never_constructed(unsigned long long* memory, int* out) {
  Square made(3);
  const Shape* s = blockDim.x > 1 ? (const Shape*)&made : (const Shape*)memory;
  out[0] = s->area();  //@
}

//! run recursion_too_deep(i32[1])
//! report assert @
__device__ int count_down(int n) {
  return n == 0 ? 0 : 1 + count_down(n - 1);  //@
}
__global__ void recursion_too_deep(int* out) { out[0] = count_down(100000); }

//! run recursion_without_end(i32[1])
//! report assert @
__device__ int climb(int n) {
  return n < 0 ? n : climb(n + 1) + climb(n + 2);  //@
}
__global__ void recursion_without_end(int* out) { out[0] = climb(1); }

//! run out_of_bounds_in_recursion(i32[4]=1, i32[1], 5)
//! report out of bounds @
__device__ int past_end(const int* p, int n) {
  if (n == 0) return 0;
  const int last = p[n - 1];  //@
  return last + past_end(p, n - 1);
}
__global__ void out_of_bounds_in_recursion(const int* p, int* out, int n) { out[0] = past_end(p, n); }

//! run uninitialized_in_recursion(i32[1], 3)
//! report uninitialized @
__device__ int sum_of(int n) {
  int rest;
  if (n > 1) rest = sum_of(n - 1);
  return n + rest;  //@
}
__global__ void uninitialized_in_recursion(int* out, int n) { out[0] = sum_of(n); }
