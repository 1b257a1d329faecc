//--- a sum with shared memory
//! run main(f32[256]=iota, f32[4]) grid 4
//! dst = 2016 6112 10208 14304
//! run main(f32[256]=iota, f32[4]) grid 4 seed 5
//! dst = 2016 6112 10208 14304
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { float v[]; } src;
layout(std430, binding = 1) writeonly buffer Out { float v[]; } dst;
shared float tile[64];
void main() {
  uint l = gl_LocalInvocationIndex;
  tile[l] = src.v[gl_GlobalInvocationID.x];
  barrier();
  for (uint s = 32u; s > 0u; s >>= 1) {
    if (l < s) tile[l] += tile[l + s];
    barrier();
  }
  if (l == 0u) dst.v[gl_WorkGroupID.x] = tile[0];
}

//--- an inclusive scan in two buffers of shared memory
//! run main(u32[128]=1) grid 2
//! a = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;

shared uint from[2][64];
void main() {
  uint l = gl_LocalInvocationID.x;
  uint now = 0u;
  from[0][l] = a.v[gl_GlobalInvocationID.x];
  barrier();
  for (uint d = 1u; d < 64u; d *= 2u) {
    from[1u - now][l] = l >= d ? from[now][l] + from[now][l - d] : from[now][l];
    now = 1u - now;
    barrier();
  }
  a.v[gl_GlobalInvocationID.x] = from[now][l];
}

//--- a stencil through a tile with a border
//! run main(i32[64]=iota, i32[64]) grid 2
//! dst = 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -64
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } src;
layout(std430, set = 0, binding = 1) buffer B1 { int v[]; } dst;

shared int tile[34];
void main() {
  uint l = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x, n = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  tile[l + 1u] = src.v[i];
  if (l == 0u) tile[0] = i == 0u ? 0 : src.v[i - 1u];
  if (l == 31u) tile[33] = i == n - 1u ? 0 : src.v[i + 1u];
  barrier();
  dst.v[i] = tile[l] - 2 * tile[l + 1u] + tile[l + 2u];
}

//--- a histogram with atomics in shared memory
//! run main(u32[96]=iota, u32[8]=0) grid 3
//! bins = 12*8
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } src;
layout(std430, set = 0, binding = 1) buffer B1 { uint v[]; } bins;

shared uint local[8];
void main() {
  uint l = gl_LocalInvocationID.x;
  if (l < 8u) local[l] = 0u;
  barrier();
  atomicAdd(local[src.v[gl_GlobalInvocationID.x] % 8u], 1u);
  barrier();
  if (l < 8u) atomicAdd(bins.v[l], local[l]);
}

//--- a transposed tile of two dimensions
//! run main(i32[128]=iota, i32[128]) grid 2,1
//! dst = 0 16 32 48 64 80 96 112 1 17 33 49 65 81 97 113 2 18 34 50 66 82 98 114 3 19 35 51 67 83 99 115 4 20 36 52 68 84 100 116 5 21 37 53 69 85 101 117 6 22 38 54 70 86 102 118 7 23 39 55 71 87 103 119 8 24 40 56 72 88 104 120 9 25 41 57 73 89 105 121 10 26 42 58 74 90 106 122 11 27 43 59 75 91 107 123 12 28 44 60 76 92 108 124 13 29 45 61 77 93 109 125 14 30 46 62 78 94 110 126 15 31 47 63 79 95 111 127
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } src;
layout(std430, set = 0, binding = 1) buffer B1 { int v[]; } dst;

shared int tile[8][9];
void main() {
  uvec2 l = gl_LocalInvocationID.xy, g = gl_WorkGroupID.xy;
  uint w = gl_NumWorkGroups.x * 8u, h = gl_NumWorkGroups.y * 8u;
  tile[l.y][l.x] = src.v[(g.y * 8u + l.y) * w + g.x * 8u + l.x];
  barrier();
  dst.v[(g.x * 8u + l.y) * h + g.y * 8u + l.x] = tile[l.x][l.y];
}

//--- atomics of every kind
//! run main(i32[6]=0, u32[36]=9)
//! a = -16 -16 15 0 65535 -1
//! u[0:4] = 9 4000000031 5 10
//! u[4:36] = 19*32
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;
layout(std430, set = 0, binding = 1) buffer B1 { uint v[]; } u;

void main() {
  uint i = gl_GlobalInvocationID.x;
  int s = int(i) - 16;
  atomicAdd(a.v[0], s); atomicMin(a.v[1], s); atomicMax(a.v[2], s);
  atomicAnd(a.v[3], ~(1 << (i & 7u))); atomicOr(a.v[4], 1 << (i & 15u)); atomicXor(a.v[5], 1 << i);
  atomicMin(u.v[0], 100u - i); atomicMax(u.v[1], 4000000000u + i);
  if (atomicExchange(u.v[2], 5u) == 9u) atomicAdd(u.v[3], 1u);
  uint old = u.v[4 + i], seen;
  do { seen = old; old = atomicCompSwap(u.v[4 + i], seen, seen * 2u + 1u); } while (old != seen);
}

//--- float atomics
//! run main(f32[33]=1)
//! a = 497 3.5*32
#version 450
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { float v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  atomicAdd(a.v[0], float(i));
  float old = atomicExchange(a.v[1 + i], 2.5);
  atomicAdd(a.v[1 + i], old);
}

//--- 64-bit atomics
//! run main(u64[2]=0)
//! a = 4260607557632 34084860461056
#version 450
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint64_t v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  atomicAdd(a.v[0], uint64_t(i) << 33);
  atomicMax(a.v[1], uint64_t(i) << 40);
}

//--- memory barriers and a flag between workgroups
//! run main(u32[3]=0) grid 2
//! a = 42 1 42
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint data; uint flag; uint seen; } a;

void main() {
  if (gl_WorkGroupID.x == 0u) {
    a.data = 42u;
    memoryBarrierBuffer();
    atomicExchange(a.flag, 1u);
  } else {
    while (atomicAdd(a.flag, 0u) == 0u) {}
    memoryBarrierBuffer();
    a.seen = a.data;
  }
}

//--- every built-in input
//! run main(u32x4[192]) grid 2,2,2
//! a = 402000 302000 202000 0 402001 302000 202000 1 402002 302000 202000 2 402003 302000 202000 3 402000 302001 202000 4 402001 302001 202000 5 402002 302001 202000 6 402003 302001 202000 7 402000 302002 202000 8 402001 302002 202000 9 402002 302002 202000 10 402003 302002 202000 11 402000 302000 202001 12 402001 302000 202001 13 402002 302000 202001 14 402003 302000 202001 15 402000 302001 202001 16 402001 302001 202001 17 402002 302001 202001 18 402003 302001 202001 19 402000 302002 202001 20 402001 302002 202001 21 402002 302002 202001 22 402003 302002 202001 23 402004 302000 202000 0 402005 302000 202000 1 402006 302000 202000 2 402007 302000 202000 3 402004 302001 202000 4 402005 302001 202000 5 402006 302001 202000 6 402007 302001 202000 7 402004 302002 202000 8 402005 302002 202000 9 402006 302002 202000 10 402007 302002 202000 11 402004 302000 202001 12 402005 302000 202001 13 402006 302000 202001 14 402007 302000 202001 15 402004 302001 202001 16 402005 302001 202001 17 402006 302001 202001 18 402007 302001 202001 19 402004 302002 202001 20 402005 302002 202001 21 402006 302002 202001 22 402007 302002 202001 23 402000 302003 202000 0 402001 302003 202000 1 402002 302003 202000 2 402003 302003 202000 3 402000 302004 202000 4 402001 302004 202000 5 402002 302004 202000 6 402003 302004 202000 7 402000 302005 202000 8 402001 302005 202000 9 402002 302005 202000 10 402003 302005 202000 11 402000 302003 202001 12 402001 302003 202001 13 402002 302003 202001 14 402003 302003 202001 15 402000 302004 202001 16 402001 302004 202001 17 402002 302004 202001 18 402003 302004 202001 19 402000 302005 202001 20 402001 302005 202001 21 402002 302005 202001 22 402003 302005 202001 23 402004 302003 202000 0 402005 302003 202000 1 402006 302003 202000 2 402007 302003 202000 3 402004 302004 202000 4 402005 302004 202000 5 402006 302004 202000 6 402007 302004 202000 7 402004 302005 202000 8 402005 302005 202000 9 402006 302005 202000 10 402007 302005 202000 11 402004 302003 202001 12 402005 302003 202001 13 402006 302003 202001 14 402007 302003 202001 15 402004 302004 202001 16 402005 302004 202001 17 402006 302004 202001 18 402007 302004 202001 19 402004 302005 202001 20 402005 302005 202001 21 402006 302005 202001 22 402007 302005 202001 23 402000 302000 202002 0 402001 302000 202002 1 402002 302000 202002 2 402003 302000 202002 3 402000 302001 202002 4 402001 302001 202002 5 402002 302001 202002 6 402003 302001 202002 7 402000 302002 202002 8 402001 302002 202002 9 402002 302002 202002 10 402003 302002 202002 11 402000 302000 202003 12 402001 302000 202003 13 402002 302000 202003 14 402003 302000 202003 15 402000 302001 202003 16 402001 302001 202003 17 402002 302001 202003 18 402003 302001 202003 19 402000 302002 202003 20 402001 302002 202003 21 402002 302002 202003 22 402003 302002 202003 23 402004 302000 202002 0 402005 302000 202002 1 402006 302000 202002 2 402007 302000 202002 3 402004 302001 202002 4 402005 302001 202002 5 402006 302001 202002 6 402007 302001 202002 7 402004 302002 202002 8 402005 302002 202002 9 402006 302002 202002 10 402007 302002 202002 11 402004 302000 202003 12 402005 302000 202003 13 402006 302000 202003 14 402007 302000 202003 15 402004 302001 202003 16 402005 302001 202003 17 402006 302001 202003 18 402007 302001 202003 19 402004 302002 202003 20 402005 302002 202003 21 402006 302002 202003 22 402007 302002 202003 23 402000 302003 202002 0 402001 302003 202002 1 402002 302003 202002 2 402003 302003 202002 3 402000 302004 202002 4 402001 302004 202002 5 402002 302004 202002 6 402003 302004 202002 7 402000 302005 202002 8 402001 302005 202002 9 402002 302005 202002 10 402003 302005 202002 11 402000 302003 202003 12 402001 302003 202003 13 402002 302003 202003 14 402003 302003 202003 15 402000 302004 202003 16 402001 302004 202003 17 402002 302004 202003 18 402003 302004 202003 19 402000 302005 202003 20 402001 302005 202003 21 402002 302005 202003 22 402003 302005 202003 23 402004 302003 202002 0 402005 302003 202002 1 402006 302003 202002 2 402007 302003 202002 3 402004 302004 202002 4 402005 302004 202002 5 402006 302004 202002 6 402007 302004 202002 7 402004 302005 202002 8 402005 302005 202002 9 402006 302005 202002 10 402007 302005 202002 11 402004 302003 202003 12 402005 302003 202003 13 402006 302003 202003 14 402007 302003 202003 15 402004 302004 202003 16 402005 302004 202003 17 402006 302004 202003 18 402007 302004 202003 19 402004 302005 202003 20 402005 302005 202003 21 402006 302005 202003 22 402007 302005 202003 23
#version 450
layout(local_size_x = 4, local_size_y = 3, local_size_z = 2) in;
layout(std430, set = 0, binding = 0) buffer B0 { uvec4 v[]; } a;

void main() {
  uint k = gl_LocalInvocationIndex + 24u * (gl_WorkGroupID.x + 2u * (gl_WorkGroupID.y + 2u * gl_WorkGroupID.z));
  a.v[k] = uvec4(gl_GlobalInvocationID, gl_LocalInvocationIndex) +
           uvec4(gl_NumWorkGroups * 1000u, 0u) + uvec4(gl_WorkGroupSize * 100000u, 0u);
}
