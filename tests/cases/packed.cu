// Packed structs: members without alignment.
struct __attribute__((packed)) PackedRecord {
  char tag;
  int number;
  short small;
  double real;
};

//! run packed_sizes(i32[6])
//! out = 15 1 1 5 7 16
__global__ void packed_sizes(int* out) {
  struct Holder {
    char c;
    PackedRecord r;
  };
  out[0] = sizeof(PackedRecord);
  out[1] = alignof(PackedRecord);
  out[2] = offsetof(PackedRecord, number);
  out[3] = offsetof(PackedRecord, small);
  out[4] = offsetof(PackedRecord, real);
  out[5] = sizeof(Holder);
}

//! run packed_members(f64[4])
//! out = 65 -70000 -3 2.5
__global__ void packed_members(double* out) {
  PackedRecord r = {'A', -70000, -3, 2.5};
  out[0] = r.tag;
  out[1] = r.number;
  out[2] = r.small;
  out[3] = r.real;
}

//! run packed_assign(i32[5])
//! out = 8 -1 14 3 4
__global__ void packed_assign(int* out) {
  PackedRecord r;
  r.tag = 1;
  r.number = 5;
  r.small = -2;
  r.real = 7;
  r.number += 3;
  r.small++;
  r.real *= 2;
  PackedRecord copy = r;
  copy.tag += 2;
  out[0] = copy.number;
  out[1] = copy.small;
  out[2] = int(copy.real);
  out[3] = copy.tag;
  copy = {4, 0, 0, 0};
  out[4] = copy.tag;
}

#pragma pack(push, 1)
struct PackedHeader {
  unsigned char kind;
  unsigned short length;
  unsigned int offset;
  float scale[3];
};
#pragma pack(pop)

//! run packed_bytes(u8[38]=iota, i64[6]) block 2
//! out = 0 513 100992003 19 5396 421009174
__global__ void packed_bytes(const unsigned char* bytes, long long* out) {
  const PackedHeader* h = (const PackedHeader*)bytes + threadIdx.x;
  out[threadIdx.x * 3] = h->kind;
  out[threadIdx.x * 3 + 1] = h->length;
  out[threadIdx.x * 3 + 2] = h->offset;
}

//! run packed_array_member(f32[6]) block 2
//! out = 1 2 3 2 4 6
__global__ void packed_array_member(float* out) {
  PackedHeader h = {1, 2, 3, {1, 2, 3}};
  for (int i = 0; i < 3; ++i) h.scale[i] *= threadIdx.x + 1;
  for (int i = 0; i < 3; ++i) out[threadIdx.x * 3 + i] = h.scale[i];
}

#pragma pack(2)
struct PackedTwo {
  char c;
  int i;
  double d;
};
#pragma pack()
struct PackedNot {
  char c;
  int i;
};

//! run packed_to_two(i32[5])
//! out = 14 2 2 6 8
__global__ void packed_to_two(int* out) {
  out[0] = sizeof(PackedTwo);
  out[1] = alignof(PackedTwo);
  out[2] = offsetof(PackedTwo, i);
  out[3] = offsetof(PackedTwo, d);
  out[4] = sizeof(PackedNot);
}

struct PackedInner {
  int a;
  float b;
};
struct __attribute__((__packed__)) PackedOuter {
  char c;
  PackedInner inner;
  long long wide;
};

//! run packed_nested(f64[4])
//! out = 7 1.5 -9 13
__global__ void packed_nested(double* out) {
  PackedOuter o = {1, {7, 1.5f}, -9};
  out[0] = o.inner.a;
  out[1] = o.inner.b;
  out[2] = o.wide;
  PackedInner copy = o.inner;
  copy.a = 13;
  o.inner = copy;
  out[3] = o.inner.a;
}

struct __attribute__((packed)) PackedMade {
  char c = 3;
  int i;
  __device__ PackedMade(int v) : i(v) {}
  __device__ int sum() const { return c + i; }
};

//! run packed_constructor(i32[2]) block 2
//! out = 103 104
__global__ void packed_constructor(int* out) {
  const PackedMade m(100 + threadIdx.x);
  out[threadIdx.x] = m.sum();
}

__device__ PackedRecord packed_global[2] = {{'a', 1, 2, 3.0}, {'b', 70001, 5, 6.5}};
__constant__ PackedRecord packed_constant = {'z', -5, 9, 0.5};

//! run packed_variables(f64[5])
//! out = 70001 6.5 -5 9 0.5
__global__ void packed_variables(double* out) {
  out[0] = packed_global[1].number;
  out[1] = packed_global[1].real;
  out[2] = packed_constant.number;
  out[3] = packed_constant.small;
  out[4] = packed_constant.real;
}

//! run packed_shared(i32[4]) block 4
//! out = 30 20 10 0
__global__ void packed_shared(int* out) {
  __shared__ PackedRecord rows[4];
  const int i = threadIdx.x;
  rows[i].tag = 0;
  rows[i].number = 10 * i;
  rows[i].small = 0;
  rows[i].real = 0;
  __syncthreads();
  out[i] = rows[3 - i].number;
}
