// Wrong launches in kernels.
__global__ void child(int* out) { out[threadIdx.x] = 1; }

//! run launches_empty_grid(i32[1], 0)
//! report launch @
__global__ void launches_empty_grid(int* out, int n) {
  out[0] = 1;
  child<<<n, 32>>>(out);  //@
}

//! run launches_large_block(i32[1], 2048)
//! report launch @
__global__ void launches_large_block(int* out, int n) {
  out[0] = 1;
  child<<<1, n>>>(out);  //@
}

//! run launches_deep_block(i32[1], 65)
//! report launch @
__global__ void launches_deep_block(int* out, int n) {
  out[0] = 1;
  child<<<1, dim3(1, 1, n)>>>(out);  //@
}

//! run launches_tall_grid(i32[1], 70000)
//! report launch @
__global__ void launches_tall_grid(int* out, int n) {
  out[0] = 1;
  child<<<dim3(1, n), 1>>>(out);  //@
}

//! run launches_much_shared(i32[1], 50000)
//! report launch @
__global__ void launches_much_shared(int* out, int n) {
  out[0] = 1;
  child<<<1, 1, n>>>(out);  //@
}

//! run launches_too_often(i32[1], 2049)
//! report launch @
__global__ void launches_too_often(int* out, int n) {
  out[0] = 1;
  for (int i = 0; i < n; ++i) child<<<1, 1>>>(out);  //@
}

//! run launches_as_often_as_possible(i32[1], 2048)
//! out = 1
__global__ void launches_as_often_as_possible(int* out, int n) {
  out[0] = 1;
  for (int i = 0; i < n; ++i) child<<<1, 1>>>(out);
}

// Only the faulty launch is reported.
//! run launches_good_and_bad(i32[1], 3)
//! report launch @
__global__ void launches_good_and_bad(int* out, int n) {
  out[0] = 1;
  child<<<1, n>>>(out);
  child<<<n - 3, 1>>>(out);  //@
}
