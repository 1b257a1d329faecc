//--- a product of matrices by tiles
//! run main(f32[256]=iota, f32[256]=1, f32[256], {16}) grid 2,2
//! r = 120 120 120 120 120 120 120 120 120 120 120 120 120 120 120 120 376 376 376 376 376 376 376 376 376 376 376 376 376 376 376 376 632 632 632 632 632 632 632 632 632 632 632 632 632 632 632 632 888 888 888 888 888 888 888 888 888 888 888 888 888 888 888 888 1144 1144 1144 1144 1144 1144 1144 1144 1144 1144 1144 1144 1144 1144 1144 1144 1400 1400 1400 1400 1400 1400 1400 1400 1400 1400 1400 1400 1400 1400 1400 1400 1656 1656 1656 1656 1656 1656 1656 1656 1656 1656 1656 1656 1656 1656 1656 1656 1912 1912 1912 1912 1912 1912 1912 1912 1912 1912 1912 1912 1912 1912 1912 1912 2168 2168 2168 2168 2168 2168 2168 2168 2168 2168 2168 2168 2168 2168 2168 2168 2424 2424 2424 2424 2424 2424 2424 2424 2424 2424 2424 2424 2424 2424 2424 2424 2680 2680 2680 2680 2680 2680 2680 2680 2680 2680 2680 2680 2680 2680 2680 2680 2936 2936 2936 2936 2936 2936 2936 2936 2936 2936 2936 2936 2936 2936 2936 2936 3192 3192 3192 3192 3192 3192 3192 3192 3192 3192 3192 3192 3192 3192 3192 3192 3448 3448 3448 3448 3448 3448 3448 3448 3448 3448 3448 3448 3448 3448 3448 3448 3704 3704 3704 3704 3704 3704 3704 3704 3704 3704 3704 3704 3704 3704 3704 3704 3960 3960 3960 3960 3960 3960 3960 3960 3960 3960 3960 3960 3960 3960 3960 3960
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer A { float v[]; } a;
layout(std430, binding = 1) readonly buffer C { float v[]; } b;
layout(std430, binding = 2) buffer R { float v[]; } r;
layout(push_constant) uniform P { uint n; } p;
shared float x[8][8], y[8][8];
void main() {
  uvec2 l = gl_LocalInvocationID.xy, g = gl_GlobalInvocationID.xy;
  float sum = 0.0;
  for (uint t = 0u; t < p.n / 8u; ++t) {
    x[l.y][l.x] = a.v[g.y * p.n + t * 8u + l.x];
    y[l.y][l.x] = b.v[(t * 8u + l.y) * p.n + g.x];
    barrier();
    for (uint k = 0u; k < 8u; ++k) sum += x[l.y][k] * y[k][l.x];
    barrier();
  }
  r.v[g.y * p.n + g.x] = sum;
}

//--- sorting in shared memory
//! run main(u32[64]=iota)
//! a = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;

shared uint t[64];
void main() {
  uint l = gl_LocalInvocationID.x;
  t[l] = (a.v[l] * 37u) % 64u;
  for (uint k = 2u; k <= 64u; k *= 2u) {
    for (uint j = k / 2u; j > 0u; j /= 2u) {
      barrier();
      uint o = l ^ j;
      if (o > l) {
        bool up = (l & k) == 0u;
        uint x = t[l], y = t[o];
        if ((x > y) == up) { t[l] = y; t[o] = x; }
      }
    }
  }
  barrier();
  a.v[l] = t[l];
}

//--- the game of life on a torus
//! run main(u32[64]=iota, u32[64])
//! b = 0 1 1 1 1 1 1 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 1 1 1 1 1 1 0
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;
layout(std430, set = 0, binding = 1) buffer B1 { uint v[]; } b;

void main() {
  ivec2 g = ivec2(gl_GlobalInvocationID.xy);
  uint n = 0u;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      ivec2 q = (g + ivec2(dx, dy) + 8) % 8;
      n += a.v[q.y * 8 + q.x] % 3u == 1u ? 1u : 0u;
    }
  bool on = a.v[g.y * 8 + g.x] % 3u == 1u;
  b.v[g.y * 8 + g.x] = (n == 3u || (on && n == 2u)) ? 1u : 0u;
}

//--- bodies that attract each other
//! run main(f32x4[32]=iota, f32x4[32]) grid 2
//! force ~1e-4 = 0.24901375614629795 0.24901375614629795 0.24901375614629795 1 0.28841505455409555 0.28841505455409555 0.28841505455409555 1 0.3070422822031261 0.3070422822031261 0.3070422822031261 1 0.3185140504365419 0.3185140504365419 0.3185140504365419 1 0.3262096966123288 0.3262096966123288 0.3262096966123288 1 0.3315004929765368 0.3315004929765368 0.3315004929765368 1 0.3350738485826974 0.3350738485826974 0.3350738485826974 1 0.33731608069250113 0.33731608069250113 0.33731608069250113 1 0.3384580317043147 0.3384580317043147 0.3384580317043147 1 0.3386402774228004 0.3386402774228004 0.3386402774228004 1 0.3379455064977657 0.3379455064977657 0.3379455064977657 1 0.3364155597378743 0.3364155597378743 0.3364155597378743 1 0.3340604338563722 0.3340604338563722 0.3340604338563722 1 0.33086255202453063 0.33086255202453063 0.33086255202453063 1 0.32677781640425557 0.32677781640425557 0.32677781640425557 1 0.321734037146017 0.321734037146017 0.321734037146017 1 0.31562674760549275 0.31562674760549275 0.31562674760549275 1 0.30831191261772006 0.30831191261772006 0.30831191261772006 1 0.2995944419723354 0.2995944419723354 0.2995944419723354 1 0.2892105414051942 0.2892105414051942 0.2892105414051942 1 0.27680045726863844 0.27680045726863844 0.27680045726863844 1 0.2618654996600636 0.2618654996600636 0.2618654996600636 1 0.24369809829497424 0.24369809829497424 0.24369809829497424 1 0.2212631920213786 0.2212631920213786 0.2212631920213786 1 0.19298649063441994 0.19298649063441994 0.19298649063441994 1 0.15635150635227435 0.15635150635227435 0.15635150635227435 1 0.10706791621111461 0.10706791621111461 0.10706791621111461 1 0.03716409998811898 0.03716409998811898 0.03716409998811898 1 -0.07006392241855136 -0.07006392241855136 -0.07006392241855136 1 -0.2565330470042373 -0.2565330470042373 -0.2565330470042373 1 -0.6647776010128832 -0.6647776010128832 -0.6647776010128832 1 -2.221840946376311 -2.221840946376311 -2.221840946376311 1
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer A { vec4 v[]; } at;
layout(std430, binding = 1) buffer C { vec4 v[]; } force;
shared vec4 tile[16];
void main() {
  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
  vec3 me = at.v[i].xyz, sum = vec3(0);
  for (uint t = 0u; t < gl_NumWorkGroups.x; ++t) {
    tile[l] = at.v[t * 16u + l];
    barrier();
    for (uint k = 0u; k < 16u; ++k) {
      vec3 d = tile[k].xyz - me;
      float r2 = dot(d, d) + 1.0;
      sum += d * tile[k].w / (r2 * sqrt(r2));
    }
    barrier();
  }
  force.v[i] = vec4(sum, 1.0);
}

//--- a prefix sum over workgroups by a chain of flags
//! run main(u32[128]=1, u32[17]=0) grid 4
//! a = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128
//! run main(u32[128]=1, u32[17]=0) grid 4 seed 9
//! a = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128
#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer A { uint v[]; } a;
layout(std430, binding = 1) buffer S { uint ticket; uint sums[8]; uint ready[8]; } s;
shared uint tile[32], block, before;
void main() {
  uint l = gl_LocalInvocationID.x;
  if (l == 0u) block = atomicAdd(s.ticket, 1u);
  barrier();
  tile[l] = a.v[block * 32u + l];
  barrier();
  for (uint d = 1u; d < 32u; d *= 2u) {
    uint x = l >= d ? tile[l - d] : 0u;
    barrier();
    tile[l] += x;
    barrier();
  }
  if (l == 0u) {
    uint sum = 0u;
    if (block > 0u) {
      while (atomicAdd(s.ready[block - 1u], 0u) == 0u) {}
      memoryBarrierBuffer();
      sum = s.sums[block - 1u];
    }
    s.sums[block] = sum + tile[31];
    memoryBarrierBuffer();
    atomicExchange(s.ready[block], 1u);
    before = sum;
  }
  barrier();
  a.v[block * 32u + l] = before + tile[l];
}

//--- a random walk with a generator of its own
//! run main(u32[32])
//! a = 4 130 80 10 20 100 40 50 50 68 10 20 136 36 82 50 52 20 34 104 82 82 34 0 82 130 72 58 34 4 130 74
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;

uint pcg(inout uint s) {
  s = s * 747796405u + 2891336453u;
  uint w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;
  return (w >> 22u) ^ w;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint s = i;
  ivec2 at = ivec2(0);
  for (int k = 0; k < 50; ++k) {
    uint d = pcg(s) & 3u;
    at += d == 0u ? ivec2(1, 0) : d == 1u ? ivec2(-1, 0) : d == 2u ? ivec2(0, 1) : ivec2(0, -1);
  }
  a.v[i] = uint(at.x * at.x + at.y * at.y);
}

//--- the Mandelbrot set
//! run main(u32[64])
//! a = 1 2 3 3 4 13 4 2 1 3 3 4 6 50 5 3 1 3 4 5 50 50 50 3 1 4 9 24 50 50 50 4 50 50 50 50 50 50 50 4 1 4 9 24 50 50 50 4 1 3 4 5 50 50 50 3 1 3 3 4 6 50 5 3
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;

void main() {
  vec2 c = vec2(gl_GlobalInvocationID.xy) / vec2(8.0) * vec2(3.0, 2.0) - vec2(2.0, 1.0), z = vec2(0);
  uint n = 0u;
  while (n < 50u && dot(z, z) <= 4.0) { z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c; ++n; }
  a.v[gl_GlobalInvocationID.y * 8u + gl_GlobalInvocationID.x] = n;
}
