//--- swizzles, shuffles and components by index
//! run main(f32x4[6]=iota, {2})
//! a = 0 1 2 3 3 2 1 0 0 1 4 3 0 7 9 8 2 1 0 1 20 21 6 23
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer B0 { vec4 v[]; } a;

layout(push_constant) uniform P { int k; } p;
void main() {
  vec4 x = a.v[0];
  a.v[1] = x.wzyx;
  a.v[2] = vec4(x.xy, x.yx) + vec4(0, 0, x.ww);
  vec4 y = x; y[p.k] = 9.0; y.yw = vec2(7, 8);
  a.v[3] = y;
  a.v[4] = vec4(x[p.k], x[3 - p.k], greaterThan(x, vec4(1.5)).y, any(lessThan(x, vec4(1.0))));
  a.v[5].z = 5.0;
  a.v[5][p.k] = 6.0;
}

//--- matrices in columns and in rows
//! run main(f32[48]=iota)
//! a[36:48] = 824 958 1092 1226 2350 2886 3422 3958 206 742 1278 1814
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer A { mat4 m; layout(row_major) mat4 r; vec4 x; vec4 mx; vec4 rx; vec4 xm; } a;
void main() {
  a.mx = a.m * a.x;
  a.rx = a.r * a.x;
  a.xm = a.x * a.m;
}

//--- products, transposes, determinants and inverses of matrices
//! run main(f32[27]=iota)
//! a[8:27] ~1e-6 = 10 19 14 27 0 2 1 3 3 6 4 8 -1.5 0.5 1.0 -0.0 -2 18 3
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer A { mat2 a; mat2 b; mat2 ab; mat2 t; mat2 o; mat2 i; float d2; float d3; float one; } a;
void main() {
  a.ab = a.a * a.b;
  a.t = transpose(a.a);
  a.o = outerProduct(vec2(1, 2), vec2(3, 4));
  a.i = inverse(a.a);
  a.d2 = determinant(a.b);
  mat3 m = mat3(2, 0, 1, 1, 3, 2, 1, 1, 4);
  a.d3 = determinant(m);
  mat3 e = m * inverse(m);
  a.one = e[0][0] + e[1][1] + e[2][2] + abs(e[0][1]) + abs(e[2][0]);
}

//--- std140 and std430 side by side
//! run main(f32[48]=iota, f32[64]=0)
//! o = 0 0 0 0 4 5 6 8 12 16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 20 0 0 0 24 25 26 28 32 0 0 0 36 37 38 0 40 41 42 0 44 45 46 0 -1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
#version 450
layout(local_size_x = 1) in;
struct S { float a; vec3 b; float c[2]; };
layout(std140, binding = 0) uniform U { float x; vec3 y; float z[3]; S s; mat3 m; } u;
layout(std430, binding = 1) buffer O { float x; vec3 y; float z[3]; S s[2]; mat3 m; float end; } o;
void main() {
  o.x = u.x; o.y = u.y; o.z = u.z; o.m = u.m;
  o.s[1].a = u.s.a; o.s[1].b = u.s.b; o.s[1].c[0] = u.s.c[0]; o.s[1].c[1] = u.s.c[1];
  o.end = -1.0;
}

//--- scalar layout with small members
//! run main(f32[16]=1) 
//! a[1:6] = 2 3 4 0 2.5
//! a[7:12] = 2 3 4 0 2.5
#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 2) in;
struct Packed { uint8_t a; uint16_t b; vec3 c; double d; };
layout(scalar, binding = 0) buffer A { Packed p[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  a.p[i].c += vec3(1, 2, 3);
  a.p[i].d = double(a.p[i].c.z) * 2.0LF;
}

//--- arrays of structs, loaded and stored whole
//! run main(f32[32]=1, f32[32]=0) grid 2
//! o[0:5] = 2 2 2 3 3e-45
#version 450
layout(local_size_x = 2) in;
struct Particle { vec3 at; float mass; ivec2 cell; };
layout(std430, binding = 0) buffer A { Particle p[]; } a;
layout(std430, binding = 1) buffer O { Particle p[]; } o;
Particle moved(Particle p) { p.at += vec3(p.mass); p.cell = ivec2(p.at.xy); return p; }

void main() {
  uint i = gl_GlobalInvocationID.x;
  Particle p = a.p[i];
  p = moved(p);
  o.p[i] = p;
  Particle both[2] = Particle[](p, a.p[i]);
  o.p[i].mass = both[1].at.x + both[0].at.x;
}

//--- lookup tables and arrays of arrays
//! run main(i32[32])
//! a = 1 1003020 2008007 3003001 4008009 5025002 6000030 7021008 8032000 9009009 10020003 11055040 12000005 13039000 14056009 15015004 16032010 17085006 18000000 19057009 80001 1021020 2044007 3115001 4000009 5075002 6104030 7027008 8056000 9145009 10000003 11093040
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

const int kTable[5][4] = int[5][4](int[4](1, 2, 3, 4), int[4](10, 20, 30, 40), int[4](5, 6, 7, 8), int[4](0, 0, 0, 1), int[4](9, 9, 9, 9));
int own[20];
void main() {
  uint i = gl_GlobalInvocationID.x;
  int local[3][2];
  for (int k = 0; k < 6; ++k) local[k / 2][k % 2] = k * int(i);
  for (int k = 0; k < 20; ++k) own[k] = k;
  a.v[i] = kTable[i % 5u][i % 4u] + local[i % 3u][i % 2u] * 1000 + own[i % 20u] * 1000000;
}

//--- the length of an array without an end
//! run main(u32[21]=0, u32[7]=0)
//! b[0:3] = 8 7 4
//! run main(u32[4]=0, u32[3]=0)
//! b = 0 3 0
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer A { uint head[3]; uvec2 v[]; } a;
layout(std430, binding = 1) buffer C { uint n[]; } b;
uint half_length() { return a.v.length() / 2u; }
void main() { b.n[0] = a.v.length(); b.n[1] = b.n.length(); b.n[2] = half_length(); }

//--- arrays of buffers
//! run main(u32[4]=0, u32[5]=1, u32[6]=2, u32x4[1]=7, u32x4[1]=9)
//! a.0 = 407 409 407 409
//! a.1 = 510 508 510 508 1
//! a.2 = 609 611 609 611 2 2
#version 450
#extension GL_EXT_nonuniform_qualifier : enable
layout(local_size_x = 12) in;
layout(std430, binding = 0) buffer A { uint v[]; } a[3];
layout(std140, binding = 3) uniform U { uvec4 by; } u[2];

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint k = i % 3u;
  a[k].v[i / 3u] += u[i % 2u].by.x + a[k].v.length() * 100u;
}

//--- specialisation constants
//! run main(f32[3]) spec 0=8
//! a = 9 9 8
//! run main(f32[3]) spec 0=16 spec 1=6 spec 2=1 spec 3=1073741824
//! a = 60 13 16
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kN = 4;
layout(constant_id = 2) const bool kTwice = false;
layout(constant_id = 3) const float kScale = 1.5;
const uint kSum = kN * 2u + 1u;
layout(std430, binding = 0) buffer A { float v[]; } a;
shared float tile[kN];
void main() {
  uint l = gl_LocalInvocationID.x;
  if (l < kN) tile[l] = float(l) * kScale * (kTwice ? 2.0 : 1.0);
  barrier();
  if (l == 0u) { float s = 0.0; for (uint k = 0u; k < kN; ++k) s += tile[k]; a.v[0] = s; a.v[1] = float(kSum); a.v[2] = float(gl_WorkGroupSize.x); }
}

//--- addresses in buffers
//! run main(u32[2]=0, {})
//! a = 77 1
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { uint value; uint pad; Node next; };
layout(std430, binding = 0) buffer A { uint sum; uint count; } a;
layout(push_constant) uniform P { Node first; } p;
void main() {
  Node n = p.first;
  a.count = uint(uint64_t(n) == 0ul);
  a.sum = 77u;
}

//--- private variables that functions share
//! run main(i32[32])
//! a = 1420120 1520221 1620322 1720423 1820524 1920625 2020726 2120827 2220928 2321029 2421130 2521231 2621332 2721433 2821534 2921635 3021736 3121837 3221938 3322039 3422140 3522241 3622342 3722443 3822544 3922645 4022746 4122847 4222948 4323049 4423150 4523251
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

int state = 5;
int history[4];
void push(int x) { for (int k = 3; k > 0; --k) history[k] = history[k - 1]; history[0] = x; state = state * 3 + x; }
void main() {
  uint i = gl_GlobalInvocationID.x;
  for (int k = 0; k < 4; ++k) history[k] = 0;
  push(int(i)); push(2); push(int(i) + 1);
  a.v[i] = state * 10000 + history[0] * 100 + history[1] * 10 + history[2];
}

//--- Vulkan 1.0: blocks as BufferBlock
//target vulkan1.0
//! run main(f32[32], f32x2[32]=iota)
//! a = 0 6 20 42 72 110 156 210 272 342 420 506 600 702 812 930 1056 1190 1332 1482 1640 1806 1980 2162 2352 2550 2756 2970 3192 3422 3660 3906
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { float v[]; } a;
layout(std430, set = 0, binding = 1) buffer B1 { vec2 v[]; } b;

void main() { uint i = gl_GlobalInvocationID.x; a.v[i] = b.v[i].x * b.v[i].y; }

//--- Vulkan 1.3: LocalSizeId and copies of other layouts
//target vulkan1.3
//! run main(i32[24]=iota, i32[24]=0)
//! b = 1 0 2 3 4 5 7 0 8 9 10 11 13 0 14 15 16 17 19 0 20 21 22 23
#version 450
layout(local_size_x = 4) in;
struct S { int a; ivec2 b[2]; };
layout(std430, binding = 0) buffer A { S s[]; } a;
layout(std430, binding = 1) buffer C { S s[]; } b;

S keep[1];
void main() { uint i = gl_GlobalInvocationID.x; keep[0] = a.s[i]; b.s[i] = keep[0]; b.s[i].a += 1; }
