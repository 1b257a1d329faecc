// Kernels that launch kernels. The results include those of the launched kernels, so the runtime runs these
// cases.
__global__ void set_value(int* out, int at, int value) { out[at] = value; }
__global__ void append(int* out, int value) {
  const int n = out[0];
  out[n + 1] = value;
  out[0] = n + 1;
}
__global__ void add_index(int* out, int n, int add) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += add + i;
}

//! run launches_child(i32[8]=1) block 4
//! out = 11 12 13 14 15 16 17 18
__global__ void launches_child(int* out) {
  if (threadIdx.x == 0) add_index<<<2, 4>>>(out, 8, 10);
}

//! run launches_by_blocks(i32[12]=0) grid 3 block 2
//! out = 0 1 10 11 20 21 0 0 7 0 0 0
__global__ void launches_by_blocks(int* out) {
  const int b = blockIdx.x;
  if (threadIdx.x == 1) add_index<<<1, 2>>>(out + 2 * b, 2, 10 * b);
  if (b == 2 && threadIdx.x == 0) set_value<<<dim3(1), dim3(1, 1)>>>(out, 8, 7);
}

// The launches of a block run one after the other, whichever of its threads launches.
//! run launches_in_order(i32[9]=0) block 4
//! out = 6 0 1 2 3 10 11 0 0
__global__ void launches_in_order(int* out) {
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x == i) append<<<1, 1>>>(out, i);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    for (int i = 10; i < 12; ++i) append<<<1, 1, 0, 0>>>(out, i);
  }
}

//! run launches_none(i32[2]=5, 0)
//! out = 5 5
__global__ void launches_none(int* out, int n) {
  for (int i = 0; i < n; ++i) set_value<<<1, 1>>>(out, i, 0);
}

// Tail launches run after all other launches, in their order.
//! run launches_tails(i32[6]=0)
//! out = 5 3 4 5 1 2
__global__ void launches_tails(int* out) {
  append<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 1);
  append<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 2);
  for (int i = 3; i < 6; ++i) append<<<1, 1>>>(out, i);
}

__global__ void appends_then_tail(int* out, int value) {
  append<<<1, 1, 0, cudaStreamTailLaunch>>>(out, value + 1);
  append<<<1, 1>>>(out, value);
}
// The launches of a tail launch are complete before the next one.
//! run launches_nested_tails(i32[7]=0)
//! out = 6 10 11 20 21 30 31
__global__ void launches_nested_tails(int* out) {
  appends_then_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 20);
  appends_then_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 30);
  appends_then_tail<<<1, 1>>>(out, 10);
}

__global__ void count_up(int* out) { atomicAdd(out, 1); }
//! run launches_and_forgets(i32[2]=0) grid 2 block 8
//! out = 64 1
__global__ void launches_and_forgets(int* out) {
  count_up<<<2, 2, 0, cudaStreamFireAndForget>>>(out);
  if (blockIdx.x == 1 && threadIdx.x == 0) set_value<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 1, 1);
}

// A kernel that launches itself, 16 levels deep.
//! run launches_itself(i32[17]=0, 16)
//! out = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
__global__ void launches_itself(int* out, int depth) {
  out[depth] = depth;
  if (depth > 0) launches_itself<<<1, 1>>>(out, depth - 1);
}

template <class T, int N> __global__ void scale(T* out, T by) {
  const int i = threadIdx.x;
  if (i < N) out[i] = out[i] * by;
}
//! run launches_template(f32[4]=2, i32[4]=3)
//! f = 5 5 5 2
//! i = 12 12 3 3
__global__ void launches_template(float* f, int* i) {
  scale<float, 3><<<1, 4>>>(f, 2.5f);
  scale<int, 2><<<1, 4>>>(i, 4);
}

struct Pair {
  int a;
  float b;
};
__global__ void store_all(int* out, char c, short s, Pair p, bool flag, float f, long long wide) {
  out[0] = c;
  out[1] = s;
  out[2] = p.a;
  out[3] = int(p.b * 2);
  out[4] = flag;
  out[5] = int(f * 4);
  out[6] = int(wide >> 32);
  out[7] = int(wide);
}
//! run launches_with_types(i32[8]=0)
//! out = -3 -300 70000 5 1 9 2 -1
__global__ void launches_with_types(int* out) {
  store_all<<<1, 1>>>(out, -3, -300, Pair{70000, 2.5f}, true, 2.25f, 0x2ffffffffll);
}

// One of several buffers, a null pointer, and a pointer to a variable.
__device__ int counts[4];
__global__ void store_through(int* to, int* maybe, int value) {
  to[0] = value;
  if (maybe != nullptr) maybe[1] = value;
}
__global__ void copy_counts(int* out) {
  for (int i = 0; i < 4; ++i) out[i] += counts[i];
}
//! run launches_with_pointers(i32[4]=0, i32[4]=0, 1)
//! a = 8 0 0 10
//! b = 0 0 7 7
__global__ void launches_with_pointers(int* a, int* b, int which) {
  int* chosen = which != 0 ? b + 2 : a;
  store_through<<<1, 1>>>(chosen, chosen, 7);
  store_through<<<1, 1>>>(counts, nullptr, 8);
  store_through<<<1, 1>>>(counts + 3, nullptr, 10);
  copy_counts<<<1, 1>>>(a);
}

__global__ void sum_dynamic(int* out, int n) {
  extern __shared__ int parts[];
  parts[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += parts[i];
  out[0] = sum;
}
//! run launches_with_shared(i32[2]=0)
//! out = 36 0
__global__ void launches_with_shared(int* out) { sum_dynamic<<<1, 8, 8 * sizeof(int)>>>(out, 8); }

// CUDA's device runtime.
//! run launches_on_named_stream(i32[3]=0)
//! out = 2 1 2
__global__ void launches_on_named_stream(int* out) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  append<<<1, 1, 0, s>>>(out, 1);
  append<<<1, 1, 0, s>>>(out, 2);
  cudaStreamDestroy(s);
  if (cudaGetLastError() != cudaSuccess) out[2] = -1;
}

// Quicksort: a launch for each part.
__global__ void quicksort(int* data, int left, int right, int depth) {
  int l = left, r = right;
  const int pivot = data[(l + r) >> 1];
  while (l <= r) {
    while (data[l] < pivot) ++l;
    while (data[r] > pivot) --r;
    if (l > r) break;
    const int t = data[l];
    data[l++] = data[r];
    data[r--] = t;
  }
  if (left < r) quicksort<<<1, 1>>>(data, left, r, depth + 1);
  if (l < right) quicksort<<<1, 1>>>(data, l, right, depth + 1);
}
//! run sorts_by_launches(i32[12]=0)
//! data = 1 4 9 16 25 36 49 64 81 100 121 144
__global__ void sorts_by_launches(int* data) {
  for (int i = 0; i < 12; ++i) data[i] = ((i * 5) % 12 + 1) * ((i * 5) % 12 + 1);
  quicksort<<<1, 1>>>(data, 0, 11, 0);
}

// Mariani-Silver: a square whose border has one value is filled, others are divided in four.
__device__ int dwell_of(int x, int y, int size) {
  const float cx = x * 3.0f / size - 2.0f, cy = y * 2.5f / size - 1.25f;
  float zx = 0, zy = 0;
  int n = 0;
  for (; n < 16 && zx * zx + zy * zy < 4; ++n) {
    const float t = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = t;
  }
  return n;
}
__global__ void fill_square(int* image, int size, int x, int y, int side, int value) {
  image[(y + threadIdx.y) * size + x + threadIdx.x] = value;
}
__global__ void each_pixel(int* image, int size, int x, int y) {
  const int px = x + threadIdx.x, py = y + threadIdx.y;
  image[py * size + px] = dwell_of(px, py, size);
}
__global__ void mariani(int* image, int size, int x0, int y0, int side) {
  const int x = x0 + blockIdx.x * side, y = y0 + blockIdx.y * side;
  const int first = dwell_of(x, y, size);
  bool same = true;
  for (int i = 0; i < side; ++i) {
    same = same && dwell_of(x + i, y, size) == first && dwell_of(x + i, y + side - 1, size) == first &&
           dwell_of(x, y + i, size) == first && dwell_of(x + side - 1, y + i, size) == first;
  }
  if (same) {
    fill_square<<<1, dim3(side, side)>>>(image, size, x, y, side, first);
  } else if (side <= 4) {
    each_pixel<<<1, dim3(side, side)>>>(image, size, x, y);
  } else {
    mariani<<<dim3(2, 2), 1>>>(image, size, x, y, side / 2);
  }
}
__global__ void count_wrong(const int* image, int size, int* wrong) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (image[y * size + x] != dwell_of(x, y, size)) atomicAdd(wrong, 1);
}
//! run draws_by_launches(i32[1024]=0, i32[1]=0)
//! wrong = 0
__global__ void draws_by_launches(int* image, int* wrong) {
  for (int i = 0; i < 1024; ++i) image[i] = -1;
  mariani<<<dim3(2, 2), 1>>>(image, 32, 0, 0, 16);
  count_wrong<<<32, 32, 0, cudaStreamTailLaunch>>>(image, 32, wrong);
}

// A launch in a function, and a configuration with a shift.
__device__ void fill_all(int* out, int n, int value) {
  if (n > 0) add_index<<<(n + 3) >> 2, 4>>>(out, n, value);
}
//! run launches_in_function(i32[6]=0)
//! out = 3 4 5 6 7 8
__global__ void launches_in_function(int* out) { fill_all(out, 6, 3); }
