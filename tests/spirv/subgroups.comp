//--- who is who
//! run main(u32x4[80])
//! a = 32 0 0 3 32 1 0 3 32 2 0 3 32 3 0 3 32 4 0 3 32 5 0 3 32 6 0 3 32 7 0 3 32 8 0 3 32 9 0 3 32 10 0 3 32 11 0 3 32 12 0 3 32 13 0 3 32 14 0 3 32 15 0 3 32 16 0 3 32 17 0 3 32 18 0 3 32 19 0 3 32 20 0 3 32 21 0 3 32 22 0 3 32 23 0 3 32 24 0 3 32 25 0 3 32 26 0 3 32 27 0 3 32 28 0 3 32 29 0 3 32 30 0 3 32 31 0 3 32 0 1 3 32 1 1 3 32 2 1 3 32 3 1 3 32 4 1 3 32 5 1 3 32 6 1 3 32 7 1 3 32 8 1 3 32 9 1 3 32 10 1 3 32 11 1 3 32 12 1 3 32 13 1 3 32 14 1 3 32 15 1 3 32 16 1 3 32 17 1 3 32 18 1 3 32 19 1 3 32 20 1 3 32 21 1 3 32 22 1 3 32 23 1 3 32 24 1 3 32 25 1 3 32 26 1 3 32 27 1 3 32 28 1 3 32 29 1 3 32 30 1 3 32 31 1 3 32 0 2 3 32 1 2 3 32 2 2 3 32 3 2 3 32 4 2 3 32 5 2 3 32 6 2 3 32 7 2 3 32 8 2 3 32 9 2 3 32 10 2 3 32 11 2 3 32 12 2 3 32 13 2 3 32 14 2 3 32 15 2 3
#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
layout(local_size_x = 80) in;
layout(std430, set = 0, binding = 0) buffer B0 { uvec4 v[]; } a;

void main() { uint i = gl_GlobalInvocationID.x; a.v[i] = uvec4(gl_SubgroupSize, gl_SubgroupInvocationID, gl_SubgroupID, gl_NumSubgroups); }

//--- votes, election and broadcasts
//! run main(i32[64])
//! a = 511 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 510 323713 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712 323712
#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  int r = subgroupElect() ? 1 : 0;
  if (subgroupAll(i < 32u)) r += 2;
  if (subgroupAny(i == 40u)) r += 4;
  if (subgroupAllEqual(i / 32u)) r += 8;
  if (subgroupAllEqual(i)) r += 16;
  r += int(subgroupBroadcast(i, 5u)) * 100 + int(subgroupBroadcastFirst(i)) * 10000;
  a.v[i] = r;
}

//--- ballots
//! run main(u32x4[32])
//! a = 2863311530 16 0 103101 2863311530 16 1 113101 2863311530 16 101 103101 2863311530 16 102 113101 2863311530 16 202 103101 2863311530 16 203 113101 2863311530 16 303 103101 2863311530 16 304 113101 2863311530 16 404 103101 2863311530 16 405 113101 2863311530 16 505 103101 2863311530 16 506 113101 2863311530 16 606 103101 2863311530 16 607 113101 2863311530 16 707 103101 2863311530 16 708 113101 2863311530 16 808 103101 2863311530 16 809 113101 2863311530 16 909 103101 2863311530 16 910 113101 2863311530 16 1010 103101 2863311530 16 1011 113101 2863311530 16 1111 103101 2863311530 16 1112 113101 2863311530 16 1212 103101 2863311530 16 1213 113101 2863311530 16 1313 103101 2863311530 16 1314 113101 2863311530 16 1414 103101 2863311530 16 1415 113101 2863311530 16 1515 103101 2863311530 16 1516 113101
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
layout(std430, set = 0, binding = 0) buffer B0 { uvec4 v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  uvec4 odd = subgroupBallot((i & 1u) == 1u);
  a.v[i] = uvec4(odd.x, subgroupBallotBitCount(odd), subgroupBallotExclusiveBitCount(odd) * 100u + subgroupBallotInclusiveBitCount(odd),
                 subgroupBallotFindLSB(odd) + subgroupBallotFindMSB(odd) * 100u + (subgroupInverseBallot(odd) ? 10000u : 0u) + (subgroupBallotBitExtract(odd, 3u) ? 100000u : 0u));
}

//--- shuffles of numbers and vectors
//! run main(i32[128])
//! a = -2997 15 -1 6 -5994 12 -1 9 -8991 21 0 12 -11988 18 3 15 -14985 3 6 18 -17982 0 9 21 -20979 9 12 24 -23976 6 15 27 -26973 39 18 30 -29970 36 21 33 -32967 45 24 36 -35964 42 27 39 -38961 27 30 42 -41958 24 33 45 -44955 33 36 48 -47952 30 39 51 -50949 63 42 54 -53946 60 45 57 -56943 69 48 60 -59940 66 51 63 -62937 51 54 66 -65934 48 57 69 -68931 57 60 72 -71928 54 63 75 -74925 87 66 78 -77922 84 69 81 -80919 93 72 84 -83916 90 75 87 -86913 75 78 90 -89910 72 81 93 -92907 81 84 -1 0 78 87 -1
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
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  int x = int(i) * 3;
  ivec2 p = subgroupShuffle(ivec2(x, -x), (i + 1u) % 32u);
  a.v[i * 4u] = p.x + p.y * 1000;
  a.v[i * 4u + 1u] = subgroupShuffleXor(x, 5u);
  int up = subgroupShuffleUp(x, 2u), down = subgroupShuffleDown(x, 2u);
  a.v[i * 4u + 2u] = i >= 2u ? up : -1;
  a.v[i * 4u + 3u] = i < 30u ? down : -1;
}

//--- reductions and scans
//! run main(i32[256], f32[64])
//! a = 176 -979 -10 0 63 -34 0 65536 176 -979 -19 -10 63 -34 1 65536 176 -979 -27 -19 63 -34 2 65536 176 -979 -34 -27 63 -34 3 65536 176 -979 -40 -34 63 -18 4 65536 176 -979 -45 -40 63 -18 5 65536 176 -979 -49 -45 63 -18 6 65536 176 -979 -52 -49 63 -18 6 65536 176 -979 -54 -52 63 -2 6 65536 176 -979 -55 -54 63 -2 6 65536 176 -979 -55 -55 63 -2 6 65536 176 -979 -54 -55 63 -2 6 65536 176 -979 -52 -54 63 14 6 65536 176 -979 -49 -52 63 14 6 65536 176 -979 -45 -49 63 14 6 65536 176 -979 -40 -45 63 14 6 65536 176 -979 -34 -40 63 30 6 65536 176 -979 -27 -34 63 30 6 65536 176 -979 -19 -27 63 30 6 65536 176 -979 -10 -19 63 30 6 65536 176 -979 0 -10 63 46 6 65536 176 -979 11 0 63 46 6 65536 176 -979 23 11 63 46 6 65536 176 -979 36 23 63 46 6 65536 176 -979 50 36 63 62 6 65536 176 -979 65 50 63 62 6 65536 176 -979 81 65 63 62 6 65536 176 -979 98 81 63 62 6 65536 176 -979 116 98 63 78 6 65536 176 -979 135 116 63 78 6 65536 176 -979 155 135 63 78 6 65536 176 -979 176 155 63 78 6 65536
//! g = 0.5 1 1.5 2 2.5 3 3.5 4 4.5 5 5.5 6 6.5 7 7.5 8 8.5 9 9.5 10 10.5 11 11.5 12 12.5 13 13.5 14 14.5 15 15.5 16 22 23 25 29 37 53 85 149 277 533 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045 1045
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
layout(std430, set = 0, binding = 0) buffer B0 { int v[]; } a;
layout(std430, set = 0, binding = 1) buffer B1 { float v[]; } g;

void main() {
  uint i = gl_GlobalInvocationID.x;
  int x = int(i) - 10;
  int k = int(i) * 8;
  a.v[k] = subgroupAdd(x);
  a.v[k + 1] = subgroupMin(x) * 100 + subgroupMax(x);
  a.v[k + 2] = subgroupInclusiveAdd(x);
  a.v[k + 3] = subgroupExclusiveAdd(x);
  a.v[k + 4] = subgroupAnd(x | 3) + subgroupOr(int(i) & 6) * 10 + subgroupXor(int(i)) * 100;
  a.v[k + 5] = subgroupClusteredAdd(x, 4u);
  a.v[k + 6] = subgroupInclusiveMax(int(i) % 7);
  a.v[k + 7] = int(subgroupMul(uint(i) % 2u + 1u));
  g.v[i] = subgroupInclusiveAdd(0.5);
  g.v[i + 32u] = subgroupMax(float(x)) + subgroupExclusiveMul(i < 10u ? 2.0 : 1.0);
}

//--- only those that run together take part
//! run main(u32[32])
//! a = 2100 3101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101
//! run main(u32[32]) seed 3
//! a = 2100 3101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101 2101 1100 2101
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
  uint r;
  if (i % 3u == 0u) {
    r = subgroupAdd(1u) * 100u + subgroupBroadcastFirst(i) + (subgroupElect() ? 1000u : 0u);
  } else {
    r = subgroupAdd(1u) * 100u + subgroupBroadcastFirst(i) + (subgroupElect() ? 1000u : 0u);
  }
  a.v[i] = r;
}

//--- quads
//! run main(u32[32])
//! a = 3020102 2030002 1000302 10202 7060506 6070406 5040706 4050606 11100910 10110810 9081110 8091010 15141314 14151214 13121514 12131414 19181718 18191618 17161918 16171818 23222122 22232022 21202322 20212222 27262526 26272426 25242726 24252626 31302930 30312830 29283130 28293030
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
  a.v[i] = subgroupQuadBroadcast(i, 2u) + subgroupQuadSwapHorizontal(i) * 100u + subgroupQuadSwapVertical(i) * 10000u + subgroupQuadSwapDiagonal(i) * 1000000u;
}

//--- a sum over a workgroup by subgroups
//! run main(u32[256]=iota, u32[2]) grid 2
//! r = 8128 24512
#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
layout(local_size_x = 128) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint v[]; } a;
layout(std430, set = 0, binding = 1) buffer B1 { uint v[]; } r;

shared uint parts[4];
void main() {
  uint s = subgroupAdd(a.v[gl_GlobalInvocationID.x]);
  if (subgroupElect()) parts[gl_SubgroupID] = s;
  barrier();
  if (gl_SubgroupID == 0u) {
    uint t = gl_SubgroupInvocationID < gl_NumSubgroups ? parts[gl_SubgroupInvocationID] : 0u;
    t = subgroupAdd(t);
    if (subgroupElect()) r.v[gl_WorkGroupID.x] = t;
  }
}

//--- doubles, halves and 64-bit integers across a subgroup
//! run main(f64[32], i64[32], f16[32], u8[32])
//! a = 248*32
//! b = 0 4294967296 12884901888 25769803776 42949672960 64424509440 90194313216 120259084288 154618822656 193273528320 236223201280 283467841536 335007449088 390842023936 450971566080 515396075520 584115552256 657129996288 734439407616 816043786240 901943132160 992137445376 1086626725888 1185410973696 1288490188800 1395864371200 1507533520896 1623497637888 1743756722176 1868310773760 1997159792640 2130303778816
//! h = 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
//! c = 8 0 24 16 40 32 56 48 72 64 88 80 104 96 120 112 136 128 152 144 168 160 184 176 200 192 216 208 232 224 248 240
#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer A { double v[]; } a;
layout(std430, binding = 1) buffer C { int64_t v[]; } b;
layout(std430, binding = 2) buffer D { float16_t v[]; } h;
layout(std430, binding = 3) buffer E { uint8_t v[]; } c;

void main() {
  uint i = gl_GlobalInvocationID.x;
  a.v[i] = subgroupAdd(double(i) * 0.5LF);
  b.v[i] = subgroupInclusiveAdd(int64_t(i) << 32);
  h.v[i] = subgroupShuffle(float16_t(i), 31u - i);
  c.v[i] = subgroupShuffleXor(uint8_t(i * 8u), 1u);
}
