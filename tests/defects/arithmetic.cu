// Arithmetic that has a defined result but is probably a mistake.

//! run divide_by_zero(i32[1], 0)
//! report division by zero @
//! out = 0
__global__ void divide_by_zero(int* out, int zero) {
  out[0] = 5 / zero;  //@
}

//! run remainder_by_zero(i32[1], 0)
//! report division by zero @
//! out = 5
__global__ void remainder_by_zero(int* out, int zero) {
  out[0] = 5 % zero;  //@
}

//! run unsigned_divide_by_zero(u32[4]) block 4
//! report division by zero @
__global__ void unsigned_divide_by_zero(unsigned* out) {
  out[threadIdx.x] = 12u / threadIdx.x;  //@
}

//! run float_division_is_fine(f32[1], 0)
//! out = inf
__global__ void float_division_is_fine(float* out, float zero) { out[0] = 1.0f / zero; }

//! run add_overflows(i32[1], 2147483647)
//! check overflow
//! report overflow @
__global__ void add_overflows(int* out, int a) {
  out[0] = a + 1;  //@
}

//! run multiply_overflows(i32[1], 65536)
//! check overflow
//! report overflow @
__global__ void multiply_overflows(int* out, int a) {
  out[0] = a * a;  //@
}

//! run subtract_overflows(i64[1], -9223372036854775807)
//! check overflow
//! report overflow @
__global__ void subtract_overflows(long* out, long a) {
  out[0] = a - 2;  //@
}

//! run negate_overflows(i32[1], -2147483648)
//! check overflow
//! report overflow @
__global__ void negate_overflows(int* out, int a) {
  out[0] = -a;  //@
}

//! run unsigned_wraps_silently(u32[1], 4294967295)
//! check overflow
//! out = 0
__global__ void unsigned_wraps_silently(unsigned* out, unsigned a) { out[0] = a + 1; }

//! run shift_too_far(i32[1], 32)
//! check shifts
//! report shift @
__global__ void shift_too_far(int* out, int n) {
  out[0] = 1 << n;  //@
}

//! run shift_negative(i32[1], -1)
//! check shifts
//! report shift @
__global__ void shift_negative(int* out, int n) {
  out[0] = 8 >> n;  //@
}

//! run assertion_fails(i32[4]) block 4
//! report assert @
__global__ void assertion_fails(int* out) {
  assert(threadIdx.x < 3);  //@
  out[threadIdx.x] = 1;
}

//! run assertion_holds(i32[2]) block 2
//! out = 1 1
__global__ void assertion_holds(int* out) {
  assert(threadIdx.x < 2);
  out[threadIdx.x] = 1;
}

//! run traps(i32[1], 1)
//! report trap @
__global__ void traps(int* out, int bad) {
  if (bad) __trap();  //@
  out[0] = 1;
}

//! run lane_outside_the_mask(i32[4]) block 4
//! report warp @
__global__ void lane_outside_the_mask(int* out) {
  out[threadIdx.x] = 0;
  if (threadIdx.x < 2) {
    out[threadIdx.x] = __shfl_sync(0x3, (int)threadIdx.x, 3);  //@
  }
}

//! run caller_not_in_its_mask(i32[2]) block 2
//! report warp @
__global__ void caller_not_in_its_mask(int* out) {
  if (threadIdx.x == 1) {
    out[1] = __ballot_sync(0x1, 1);  //@
  }
  out[0] = 0;
}

//! run wide_array_overrun(u64[4]=1) block 3
//! report out of bounds @
__global__ void wide_array_overrun(unsigned long long* out) {
  unsigned __int128* wide = (unsigned __int128*)out;
  wide[threadIdx.x] = threadIdx.x;  //@
}

//! run wide_is_not_set(u64[1])
//! report uninitialized @
__global__ void wide_is_not_set(unsigned long long* out) {
  unsigned __int128 sum;
  for (int i = 0; i < 3; ++i) {
    sum += i;  //@
  }
  out[0] = (unsigned long long)sum;
}
