//--- read past the end
//! run main(i32[32]=0)
//! report out of bounds @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  int next = a.v[i + 1u];  //@
  barrier();
  a.v[i] = next;
}

//--- written before the start
//! run main(i32[32])
//! report out of bounds @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  int i = int(gl_GlobalInvocationID.x);
  a.v[i - 1] = i;  //@
}

//--- a shared array that is too short
//! run main(i32[32])
//! report out of bounds @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

shared int tile[31];
void main() {
  uint l = gl_LocalInvocationID.x;
  tile[l] = 1;  //@
  a.v[l] = 2;
}

//--- a local array that is left
//! run main(i32[32])
//! report out of bounds @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  uint l = gl_LocalInvocationID.x;
  int t[4];
  for (int k = 0; k < 4; ++k) t[k] = k;
  a.v[l] = t[l / 4u];  //@
}

//--- a member behind the fixed part
//! run main(u32[32]=0)
//! report out of bounds @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint n; float v[]; } a;

void main() {
  uint l = gl_LocalInvocationID.x;
  a.v[l] = 1.0;  //@
}

//--- a uniform buffer that is too small
//! run main(f32x4[8]=1, f32[32])
//! report out of bounds @
#version 450
layout(local_size_x = 32) in;
layout(std140, binding = 0) uniform U { vec4 v[8]; } u;
layout(std430, binding = 1) buffer A { float v[]; } a;
void main() {
  uint l = gl_LocalInvocationID.x;
  a.v[l] = u.v[l].x;  //@
}

//--- one of an array of buffers that is not there
//! run main(u32[4]=0, u32[4]=0)
//! report out of bounds @
#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer A { uint v[]; } a[2];
void main() {
  uint l = gl_LocalInvocationID.x;
  if (l == 30u) a[l / 15u].v[0] = 1u;  //@
}

//--- a variable that is read before it is set
//! run main(i32[32])
//! report uninitialized @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  uint l = gl_LocalInvocationID.x;
  int x;
  if (l < 16u) x = 1;
  a.v[l] = x + 1;  //@
}

//--- a buffer nobody has written
//! run main(i32[32], i32[32])
//! report uninitialized @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;
layout(std430, set = 0, binding = 1) buffer B1 { int v[]; } b;

void main() {
  uint l = gl_LocalInvocationID.x;
  a.v[l] = b.v[l] * 2;  //@
}

//--- shared memory that is read before it is written
//! run main(i32[32])
//! report uninitialized @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

shared int tile[32];
void main() {
  uint l = gl_LocalInvocationID.x;
  if (l % 2u == 0u) tile[l] = 3;
  barrier();
  a.v[l] = tile[l] + 1;  //@
}

//--- a race for one element
//! run main(i32[32])
//! report race @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  int i = int(gl_GlobalInvocationID.x);
  a.v[0] = i;  //@
}

//--- a sum without an atomic
//! run main(i32[1]=0) grid 4
//! report race @
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  a.v[0] += 1;  //@
}

//--- a barrier that is missing
//! run main(i32[32])
//! report race @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

shared int tile[32];
void main() {
  uint l = gl_LocalInvocationID.x;
  tile[l] = int(l);  //@
  a.v[l] = tile[31u - l];
}

//--- a reduction with a barrier too few
//! run main(i32[1])
//! report race @
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

shared int tile[64];
void main() {
  uint l = gl_LocalInvocationID.x;
  tile[l] = 1;
  barrier();
  for (uint s = 32u; s > 0u; s >>= 1) {
    if (l < s) tile[l] += tile[l + s];  //@
  }
  if (l == 0u) a.v[0] = tile[0];
}

//--- a barrier that some threads pass by
//! run main(i32[32])
//! report divergent barrier @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  uint l = gl_LocalInvocationID.x;
  if (l < 16u) barrier();  //@
  a.v[l] = 1;
}

//--- a barrier behind an early return
//! run main(i32[32])
//! report divergent barrier @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  uint l = gl_LocalInvocationID.x;
  if (l >= 20u) return;
  a.v[l] = 1;
  barrier();  //@
}

//--- division by zero
//! run main(i32[32])
//! report division by zero @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  int i = int(gl_GlobalInvocationID.x);
  a.v[i] = 100 / (i - 5);  //@
}

//--- modulo of zero
//! run main(u32[32])
//! report division by zero @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  a.v[i] = 100u % i;  //@
}

//--- a sum that is too large
//! run main(i32[32]=iota)
//! check overflow
//! report overflow @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  int i = int(gl_GlobalInvocationID.x);
  a.v[i] = a.v[i] + 2147483640;  //@
}

//--- a shift by too much
//! run main(i32[32])
//! check shifts
//! report shift @
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  int i = int(gl_GlobalInvocationID.x);
  a.v[i] = 1 << (i + 10);  //@
}

//--- a value of a thread that is not there
//! run main(u32[32]=0)
//! report warp @
#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < 8u) a.v[i] = subgroupShuffle(i, 20u) + 1u;  //@
}

//--- a function that leaves its array
//! run main(i32[1])
//! report out of bounds @
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

int sum(int t[3], int n) {
  int s = 0;
  for (int k = 0; k < n; ++k) s += t[k];  //@
  return s;
}
void main() {
  int t[3] = int[](1, 2, 3);
  a.v[0] = sum(t, 4);
}
