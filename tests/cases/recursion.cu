// Functions that call themselves, directly or through others.
__device__ int rec_fact(int n) { return n < 2 ? 1 : n * rec_fact(n - 1); }

//! run rec_factorial(i32[6]) block 6
//! out = 1 1 2 6 24 120
__global__ void rec_factorial(int* out) { out[threadIdx.x] = rec_fact(threadIdx.x); }

__device__ int rec_fib(int n) {
  if (n < 2) return n;
  return rec_fib(n - 1) + rec_fib(n - 2);
}

//! run rec_fibonacci(i32[12]) block 12
//! out = 0 1 1 2 3 5 8 13 21 34 55 89
__global__ void rec_fibonacci(int* out) { out[threadIdx.x] = rec_fib(threadIdx.x); }

__device__ int rec_odd(int n);
__device__ int rec_even(int n) { return n == 0 ? 1 : rec_odd(n - 1); }
__device__ int rec_odd(int n) { return n == 0 ? 0 : rec_even(n - 1); }

//! run rec_mutual(i32[8]) block 4
//! out = 1 0 1 0 0 1 0 1
__global__ void rec_mutual(int* out) {
  out[threadIdx.x] = rec_even(threadIdx.x);
  out[4 + threadIdx.x] = rec_odd(threadIdx.x);
}

__device__ int rec_ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return rec_ackermann(m - 1, 1);
  return rec_ackermann(m - 1, rec_ackermann(m, n - 1));
}

//! run rec_nested_argument(i32[4]) block 4
//! out = 3 5 9 15
__global__ void rec_nested_argument(int* out) {
  const int i = threadIdx.x;
  out[i] = rec_ackermann(i < 2 ? 1 : 2, i == 0 ? 1 : i == 1 ? 3 : i == 2 ? 3 : 6);
}

// The array stays, the bounds change: quicksort.
__device__ void rec_sort(int* data, int first, int last) {
  if (first >= last) return;
  const int pivot = data[(first + last) / 2];
  int i = first, j = last;
  while (i <= j) {
    while (data[i] < pivot) ++i;
    while (data[j] > pivot) --j;
    if (i <= j) {
      const int t = data[i];
      data[i++] = data[j];
      data[j--] = t;
    }
  }
  rec_sort(data, first, j);
  rec_sort(data, i, last);
}

//! run rec_quicksort(i32[16]) block 1
//! out = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
__global__ void rec_quicksort(int* out) {
  for (int i = 0; i < 16; ++i) out[i] = (i * 7 + 3) % 16;
  rec_sort(out, 0, 15);
}

// A call inside of a loop, whose variables live across it.
__device__ int rec_paths(int depth, int width) {
  int total = 1;
  if (depth == 0) return total;
  for (int i = 0; i < width; ++i) {
    if (i == 1) continue;
    if (i == 4) break;
    total += rec_paths(depth - 1, i) * (i + 1);
  }
  return total;
}

//! run rec_in_loop(i32[4]) block 4
//! out = 1 9 28 40
__global__ void rec_in_loop(int* out) { out[threadIdx.x] = rec_paths(threadIdx.x, threadIdx.x == 1 ? 5 : 6); }

__device__ int rec_switch(int n) {
  switch (n % 3) {
    case 0:
      if (n == 0) return 1;
      return rec_switch(n - 1) + 1;
    case 1: n += rec_switch(n - 1);
    default: return n + rec_switch(n / 3 - (n / 3 == n));
  }
}

//! run rec_in_switch(i32[6]) block 6
//! out = 1 3 3 4 11 8
__global__ void rec_in_switch(int* out) { out[threadIdx.x] = rec_switch(threadIdx.x); }

struct RecPair {
  int sum, count;
};
__device__ RecPair rec_pair(int n) {
  if (n == 0) return {0, 0};
  RecPair left = rec_pair(n / 2);
  RecPair right = rec_pair(n - n / 2 - 1);
  return {left.sum + right.sum + n, left.count + right.count + 1};
}

//! run rec_struct_result(i32[2]) block 1
//! out = 29 10
__global__ void rec_struct_result(int* out) {
  const RecPair p = rec_pair(10);
  out[0] = p.sum;
  out[1] = p.count;
}

// The address of a local variable goes down, and values come back through it.
__device__ void rec_collect(int n, int* total) {
  int mine = n;
  if (n > 0) rec_collect(n - 1, &mine);
  *total += mine;
}

//! run rec_pointer_to_local(i32[5]) block 5
//! out = 0 1 3 6 10
__global__ void rec_pointer_to_local(int* out) {
  int total = 0;
  rec_collect(threadIdx.x, &total);
  out[threadIdx.x] = total;
}

__device__ void rec_by_reference(int& x, int n) {
  if (n == 0) return;
  x = x * 2 + n;
  rec_by_reference(x, n - 1);
}

//! run rec_reference(i32[4]) block 4
//! out = 1 3 9 25
__global__ void rec_reference(int* out) {
  int x = 1;
  rec_by_reference(x, threadIdx.x);
  out[threadIdx.x] = x;
}

struct RecTree {
  const int* left;
  const int* right;
  __device__ int depth(int node) const {
    if (node < 0) return 0;
    const int a = depth(left[node]);
    const int b = depth(right[node]);
    return 1 + (a > b ? a : b);
  }
};
__constant__ int rec_left[5] = {1, 3, -1, -1, -1};
__constant__ int rec_right[5] = {2, -1, -1, 4, -1};

//! run rec_member(i32[1]) block 1
//! out = 4
__global__ void rec_member(int* out) {
  RecTree t{rec_left, rec_right};
  out[0] = t.depth(0);
}

__device__ void rec_hanoi(int n, int from, int to, int via, int* moves) {
  if (n == 0) return;
  rec_hanoi(n - 1, from, via, to, moves);
  moves[0] = moves[0] * 3 + from * 5 + to;
  rec_hanoi(n - 1, via, to, from, moves);
}

//! run rec_towers(i32[1]=0) block 1
//! out = 2714
__global__ void rec_towers(int* out) { rec_hanoi(3, 0, 2, 1, out); }

typedef int (*RecStep)(int);
__device__ int rec_down(int n);
__device__ int rec_down_two(int n);
__device__ RecStep rec_steps[2] = {rec_down, rec_down_two};
__device__ int rec_down(int n) { return n <= 0 ? 0 : 1 + rec_steps[n % 2](n - 1); }
__device__ int rec_down_two(int n) { return n <= 0 ? 0 : 1 + rec_steps[n % 2](n - 2); }

//! run rec_through_pointer(i32[5]) block 5
//! out = 0 1 2 2 3
__global__ void rec_through_pointer(int* out) { out[threadIdx.x] = rec_down(threadIdx.x); }

struct RecNode {
  __device__ virtual int eval(int n) const = 0;
};
struct RecLeaf : RecNode {
  __device__ int eval(int n) const override { return n; }
};
struct RecSum : RecNode {
  const RecNode* a;
  const RecNode* b;
  __device__ RecSum(const RecNode* x, const RecNode* y) : a(x), b(y) {}
  __device__ int eval(int n) const override { return a->eval(n) + 2 * b->eval(n + 1); }
};

//! run rec_virtual(i32[2]) block 2
//! out = 12 21
__global__ void rec_virtual(int* out) {
  RecLeaf leaf;
  RecSum pair(&leaf, &leaf);
  RecSum top(&pair, &pair);
  const RecNode* n = &top;
  out[threadIdx.x] = n->eval(threadIdx.x);
}

template <int N>
__device__ int rec_template(int x) {
  if (x <= 0) return N;
  if constexpr (N > 1) return rec_template<N - 1>(x - 1) + rec_template<N>(x - 2);
  return 1 + rec_template<N>(x - 1);
}

//! run rec_in_template(i32[3]) block 3
//! out = 2 3 4
__global__ void rec_in_template(int* out) { out[threadIdx.x] = rec_template<2>(threadIdx.x); }

//! run rec_lambda(i32[4]) block 4
//! out = 0 1 3 6
__global__ void rec_lambda(int* out) {
  auto sum = [](auto self, int n) -> int { return n == 0 ? 0 : n + self(self, n - 1); };
  out[threadIdx.x] = sum(sum, threadIdx.x);
}

__device__ float rec_power(float x, unsigned n) {
  if (n == 0) return 1.0f;
  const float half = rec_power(x, n / 2);
  return n % 2 ? half * half * x : half * half;
}

//! run rec_float(f32[4]) block 4
//! out = 1 3 9 27
__global__ void rec_float(float* out) { out[threadIdx.x] = rec_power(3.0f, threadIdx.x); }

// Deep, but within the default stack.
__device__ int rec_count(int n) { return n == 0 ? 0 : 1 + rec_count(n - 1); }

//! run rec_deep(i32[1]) block 1
//! out = 250
__global__ void rec_deep(int* out) { out[0] = rec_count(250); }
