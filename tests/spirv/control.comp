//--- a guard and an early return
//! run main(i32[40]=iota, {35, 3}) grid 2
//! a = 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 63 66 69 72 75 78 81 84 87 90 93 96 99 102 35 36 37 38 39
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

layout(push_constant) uniform P { uint n; int by; } p;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= p.n) return;
  a.v[i] = a.v[i] * p.by;
}

//--- switch with falling through
//! run main(i32[32])
//! a = 111 110 100 -2 7 0 111 110 100 -2 7 0 111 110 100 -2 7 0 111 110 100 -2 7 0 111 110 100 -2 7 0 111 110
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  int r = 0;
  switch (i % 6u) {
    case 0u: r = 1;
    case 1u: r += 10;
    case 2u: r += 100; break;
    case 4u: r = 7; break;
    default: r = -1;
    case 5u: r *= 2;
  }
  a.v[i] = r;
}

//--- switch inside of a loop, with continue and break of both
//! run main(i32[32])
//! a = 2011 2011 4121 3111 2011 2011 4121 3111 2011 2011 4121 3111 2011 2011 4121 3111 2011 2011 4121 3111 2011 2011 4121 3111 2011 2011 4121 3111 2011 2011 4121 3111
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  int r = 0;
  for (int k = 0; k < 10; ++k) {
    switch ((k + int(i)) % 4) {
      case 0: continue;
      case 1: r += 1; break;
      case 2: r += 10; if (r > 40) k = 100; break;
      default: r += 100;
    }
    r += 1000;
  }
  a.v[i] = r;
}

//--- while, do and nested loops that are left early
//! run main(u32[96])
//! a = 0 0 0 1 101 0 7 102 1 2 103 5 5 104 14 8 105 30 16 106 55 3 107 91 19 108 140 6 109 204 14 110 285 9 111 385 9 112 506 17 113 650 17 114 819 4 115 1015 12 116 1240 20 117 1496 20 118 1785 7 119 2109 7 210 2470 15 307 2870 15 211 3311 10 0 3795 23 212 4324 10 505 4900 111 213 5525 18 309 6201 18 214 6930 18 0 7714 106 215 8555 5 0 9455
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;

uint collatz(uint n) {
  uint steps = 0u;
  while (n != 1u) {
    n = (n & 1u) == 0u ? n / 2u : 3u * n + 1u;
    ++steps;
  }
  return steps;
}
uint first_pair(uint sum) {
  for (uint x = 1u; x < 20u; ++x) {
    for (uint y = x; y < 20u; ++y) {
      if (x * y == sum) return x * 100u + y;
      if (x * y > sum) break;
    }
  }
  return 0u;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint k = 0u, total = 0u;
  do { total += k * k; k += 1u; } while (k < i);
  a.v[i * 3u] = collatz(i + 1u);
  a.v[i * 3u + 1u] = first_pair(i);
  a.v[i * 3u + 2u] = total;
}

//--- sequential loops whose values live on
//! run main(i32[32])
//! a = 250310 240279 240310 230279 241279 241310 231279 242279 242310 232279 243279 243310 233279 244279 244310 234279 245279 245310 235279 246279 246310 236279 247279 247310 237279 248279 248310 238279 249279 249310 239279 250279
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  int x = int(i), n = 0;
  for (; x > 3; x -= 3) ++n;
  int y = x;
  for (; y < 9; y += 2) n += 10;
  int z = y;
  while (true) { if (z > 20) break; z += y; n += 100; }
  a.v[i] = n * 1000 + z * 10 + y;
}

//--- short circuits and the conditional operator
//! run main(i32[32], i32[1]=0)
//! a = 3 6 3 6 3 6 3 6 0 6 0 0 6 0 0 6 0 0 6 0 0 6 0 0 6 0 0 6 0 0 6 0
//! calls = 32
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;
layout(std430, set = 0, binding = 1) buffer B1 { int n; } calls;

bool count(bool b) { atomicAdd(calls.n, 1); return b; }
void main() {
  uint i = gl_GlobalInvocationID.x;
  bool low = i < 8u;
  bool both = low && count(i % 2u == 0u);
  bool either = low || count(i % 3u == 0u);
  a.v[i] = (both ? 1 : 0) + (either ? 2 : 0) + (both != either ? 4 : 0);
}

//--- functions that change their arguments, four calls deep
//! run main(i32[32])
//! a = 300 501 704 909 1116 1325 1536 1749 1964 2181 2400 2621 2844 3069 3296 3525 3756 3989 4224 4461 4700 4941 5184 5429 5676 5925 6176 6429 6684 6941 7200 7461
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void add(inout int x, int y) { x += y; }
void twice(inout int x) { add(x, x); }
int poly(int x, out int square) { square = x * x; twice(x); add(x, 3); return x; }
int outer(int x) { int s; int p = poly(x, s); return p * 100 + s; }
void main() {
  uint i = gl_GlobalInvocationID.x;
  a.v[i] = outer(int(i));
}

//--- a loop that ends in return from several places
//! run main(i32[32])
//! a = 0 1 -2 -2 2 99 99 99 99 3 -4 -4 -4 -4 -4 -4 4 99 99 99 99 99 99 99 99 5 -6 -6 -6 -6 -6 -6
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

int find(int wanted) {
  for (int k = 0; k < 8; ++k) {
    if (k * k == wanted) return k;
    if (k * k > wanted) {
      if (k % 2 == 0) return -k;
      break;
    }
  }
  return 99;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  a.v[i] = find(int(i));
}
