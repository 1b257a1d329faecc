//--- a sum of two arrays
//! run add(f32[64]=iota, f32[64]=2, f32[64]) grid 2 block 32
//! c[0:6] = 2 3 4 5 6 7
kernel void add(global const float* a, global const float* b, global float* c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}

//--- a guard, a scalar and a struct by value
//! run scale(i32[40]=iota, 35, {3, 100}) grid 2 block 32
//! a[30:40] = 190 193 196 199 202 35 36 37 38 39
typedef struct { int by; int plus; } Params;
kernel void scale(global int* a, uint n, Params p) {
  uint i = get_global_id(0);
  if (i >= n) return;
  a[i] = a[i] * p.by + p.plus;
}

//--- local memory given by the caller
//! run sum(f32[128]=iota, f32[2], f32[64]) grid 2 block 64
//! out = 2016 6112
kernel void sum(global const float* in, global float* out, local float* tile) {
  size_t l = get_local_id(0);
  tile[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (l < s) tile[l] += tile[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = tile[0];
}

//--- local memory of its own, constant tables and atomics
//! run histogram(u32[96]=iota, u32[8]=0) grid 3 block 32
//! bins = 12 12 12 12 12 12 12 12
constant uint kOrder[8] = {7, 6, 5, 4, 3, 2, 1, 0};
kernel void histogram(global const uint* in, global uint* bins) {
  local uint part[8];
  uint l = get_local_id(0);
  if (l < 8) part[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&part[kOrder[in[get_global_id(0)] % 8]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 8) atomic_add(&bins[l], part[l]);
}

//--- loops and branches without merge instructions
//! run collatz(u32[16]) grid 1 block 16
//! out = 0 1 7 2 5 8 16 3 19 6 14 9 9 17 17 4
kernel void collatz(global uint* out) {
  uint n = get_global_id(0) + 1, steps = 0;
  while (n != 1) {
    if (n & 1) n = 3 * n + 1; else n /= 2;
    if (++steps > 1000) break;
  }
  out[get_global_id(0)] = steps;
}

//--- switches
//! run choose(i32[8]) grid 1 block 8
//! out = 11 10 5 99 7 99 99 99
kernel void choose(global int* out) {
  int i = get_global_id(0), r = 0;
  switch (i) {
    case 0: r = 1;
    case 1: r += 10; break;
    case 2: r = 5; break;
    case 4: r = 7; break;
    default: r = 99;
  }
  out[i] = r;
}

//--- vectors and their functions
//! run vectors(f32x4[4]=iota, f32[16]) grid 1 block 4
//! out ~1e-5 = 14 3.7416573867739413 3 0 126 11.224972160321824 7 4 366 19.131126469708992 11 8 734 27.092434368288178 15 12
kernel void vectors(global const float4* in, global float* out) {
  int i = get_global_id(0);
  float4 v = in[i];
  float3 p = v.yzw;
  out[4 * i] = dot(v, v);
  out[4 * i + 1] = length(v);
  out[4 * i + 2] = fmax(fmax(p.x, p.y), p.z);
  out[4 * i + 3] = clamp(v.x, 0.0f, 100.0f);
}

//--- numbers of all sizes
//! run sizes(i8[8], u16[8], i64[8], f64[8]) grid 1 block 8
//! a = 0 50 100 -106 -56 -6 44 94
//! b = 0 30000 60000 24464 54464 18928 48928 13392
//! c = 0 10000000000 20000000000 30000000000 40000000000 50000000000 60000000000 70000000000
//! d = 0 0.5 1 1.5 2 2.5 3 3.5
kernel void sizes(global char* a, global ushort* b, global long* c, global double* d) {
  int i = get_global_id(0);
  a[i] = (char)(i * 50);
  b[i] = (ushort)(i * 30000);
  c[i] = i * 10000000000L;
  d[i] = i * 0.5;
}

//--- integer functions
//! run integers(i32[12]) grid 1 block 1
//! out = 5 2147483647 -2147483648 2 29 3 8 -3 286331153 12 3 1
kernel void integers(global int* out) {
  volatile int five = -5;
  volatile int big = 2147483647, small = -2147483647 - 1;
  out[0] = abs(five);
  out[1] = add_sat(big, 7);
  out[2] = sub_sat(small, 7);
  out[3] = hadd(3, 2 + five + 5);
  out[4] = clz(7 + five + 5);
  out[5] = popcount(0x15 + five + 5);
  out[6] = max(3, 8 + five + 5);
  out[7] = mul_hi(five, big);
  out[8] = rotate(0x11111110 + five + 6, 4);
  out[9] = mad24(2, 3 + five + 5, 6);
  out[10] = abs_diff(five, -8);
  out[11] = clamp(five, 1, 3);
}

//--- a struct in memory, through a pointer
//! run walk(i32[12]=iota, i32[4]) grid 1 block 4
//! out = 3 12 21 30
typedef struct { int a; int b; int c; } Three;
int total(global const Three* t) { return t->a + t->b + t->c; }
kernel void walk(global const Three* in, global int* out) { out[get_global_id(0)] = total(in + get_global_id(0)); }

//--- generic pointers
//! run generic_sum(i32[4]=5, i32[4]) grid 1 block 4
//! out = 6 7 8 9
int plus(int* p, int n) { *p += n; return *p; }
kernel void generic_sum(global int* in, global int* out) {
  int i = get_global_id(0);
  int own = in[i];
  out[i] = (i & 1) ? plus(&own, i + 1) : plus(&in[i], i + 1);
}

//--- defect: past the end
//! run shift(i32[32]=iota, i32[32]) grid 1 block 32
//! report out of bounds @
kernel void shift(global const int* in, global int* out) {
  int i = get_global_id(0);
  out[i] = in[i + 1];  //@
}

//--- defect: a race
//! run all_to_one(i32[1]) grid 1 block 32
//! report race @
kernel void all_to_one(global int* out) {
  out[0] = get_global_id(0);  //@
}

//--- defect: a barrier not all reach
//! run apart(i32[32]) grid 1 block 32
//! report divergent barrier @
kernel void apart(global int* out) {
  int i = get_local_id(0);
  if (i < 7) barrier(CLK_LOCAL_MEM_FENCE);  //@
  out[i] = 1;
}

//--- defect: local memory nobody has written
//! run unset(i32[32], i32[32]) grid 1 block 32
//! report uninitialized @
kernel void unset(global int* out, local int* tile) {
  int i = get_local_id(0);
  if (i > 0) tile[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[31 - i] + 1;  //@
}
