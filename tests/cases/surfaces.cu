// Surfaces: reads and writes of bytes, with all boundary modes.

//! run read_row(surface(f32[6]=iota), f32[6]) block 6
//! out = 0 1 2 3 4 5
__global__ void read_row(cudaSurfaceObject_t s, float* out) {
  out[threadIdx.x] = surf1Dread<float>(s, threadIdx.x * sizeof(float));
}

//! run read_plane(surface(i32[3,4]=iota), i32[12]) block 4,3
//! out = 0 1 2 3 4 5 6 7 8 9 10 11
__global__ void read_plane(cudaSurfaceObject_t s, int* out) {
  int value;
  surf2Dread(&value, s, threadIdx.x * 4, threadIdx.y);
  out[threadIdx.y * 4 + threadIdx.x] = value;
}

//! run read_volume(surface(u16[2,3,5]=iota), i32[30]) block 5,3,2
//! out = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29
__global__ void read_volume(cudaSurfaceObject_t s, int* out) {
  out[(threadIdx.z * 3 + threadIdx.y) * 5 + threadIdx.x] =
      surf3Dread<unsigned short>(s, threadIdx.x * 2, threadIdx.y, threadIdx.z);
}

//! run read_row_layers(surface(u8[3,5]=iota layered), i32[15]) block 5,3
//! out = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14
__global__ void read_row_layers(cudaSurfaceObject_t s, int* out) {
  out[threadIdx.y * 5 + threadIdx.x] = surf1DLayeredread<unsigned char>(s, threadIdx.x, threadIdx.y);
}

//! run read_plane_layers(surface(f32x2[2,2,3]=iota layered), f32[12]) block 3,2,2
//! out = 1 5 9 13 17 21 25 29 33 37 41 45
__global__ void read_plane_layers(cudaSurfaceObject_t s, float* out) {
  float2 v = surf2DLayeredread<float2>(s, threadIdx.x * 8, threadIdx.y, threadIdx.z);
  out[(threadIdx.z * 2 + threadIdx.y) * 3 + threadIdx.x] = v.x + v.y;
}

//! run read_outside_zero(surface(i32[3]=iota), i32[7]) block 7
//! out = 0 0 0 1 2 0 0
__global__ void read_outside_zero(cudaSurfaceObject_t s, int* out) {
  out[threadIdx.x] = surf1Dread<int>(s, ((int)threadIdx.x - 2) * 4, cudaBoundaryModeZero);
}

//! run read_outside_clamp(surface(i32[2,3]=iota), i32[20]) block 5,4
//! out = 0 0 1 2 2 0 0 1 2 2 3 3 4 5 5 3 3 4 5 5
__global__ void read_outside_clamp(cudaSurfaceObject_t s, int* out) {
  int x = (int)threadIdx.x - 1, y = (int)threadIdx.y - 1;
  out[threadIdx.y * 5 + threadIdx.x] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeClamp);
}

//! run write_and_read(surface(f32[4,5]=0), f32[20]) block 5,4
//! out = 0 1 2 3 4 10 11 12 13 14 20 21 22 23 24 30 31 32 33 34
__global__ void write_and_read(cudaSurfaceObject_t s, float* out) {
  float value = threadIdx.y * 10.0f + threadIdx.x;
  surf2Dwrite(value, s, threadIdx.x * 4, threadIdx.y);
  out[threadIdx.y * 5 + threadIdx.x] = surf2Dread<float>(s, threadIdx.x * 4, threadIdx.y);
}

//! run write_neighbours(surface(u8[16]=0), i32[16]) block 16
//! out = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
__global__ void write_neighbours(cudaSurfaceObject_t s, int* out) {
  surf1Dwrite((unsigned char)(threadIdx.x + 1), s, threadIdx.x);
  __syncthreads();
  out[15 - threadIdx.x] = surf1Dread<unsigned char>(s, 15 - threadIdx.x);
}

//! run write_outside_is_dropped(surface(i32[4]=7), i32[4]) block 8
//! out = 0 1 2 3
__global__ void write_outside_is_dropped(cudaSurfaceObject_t s, int* out) {
  int x = (int)threadIdx.x - 2;
  surf1Dwrite(x, s, x * 4, cudaBoundaryModeZero);
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = surf1Dread<int>(s, threadIdx.x * 4);
}

//! run write_vectors(surface(u8x4[2,3]=0), i32[6]) block 3,2
//! out = 0 10 20 3 13 23
__global__ void write_vectors(cudaSurfaceObject_t s, int* out) {
  uchar4 c = make_uchar4(threadIdx.x, threadIdx.y, threadIdx.x * 10, 255);
  surf2Dwrite(c, s, threadIdx.x * sizeof(uchar4), threadIdx.y);
  uchar4 d = surf2Dread<uchar4>(s, threadIdx.x * 4, threadIdx.y);
  out[threadIdx.y * 3 + threadIdx.x] = d.z + d.y * 3;
}

//! run write_volume(surface(i16[2,2,3]=0), i32[12]) block 3,2,2
//! out = 0 1 2 10 11 12 100 101 102 110 111 112
__global__ void write_volume(cudaSurfaceObject_t s, int* out) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  surf3Dwrite((short)(z * 100 + y * 10 + x), s, x * 2, y, z);
  out[(z * 2 + y) * 3 + x] = surf3Dread<short>(s, x * 2, y, z);
}

//! run write_layers(surface(f32x4[2,1,2]=0 layered), f32[4]) block 2,1,2
//! out = 0 2 4 6
__global__ void write_layers(cudaSurfaceObject_t s, float* out) {
  int x = threadIdx.x, z = threadIdx.z;
  float f = z * 2 + x;
  surf2DLayeredwrite(make_float4(f, f, 0.0f, 1.0f), s, x * 16, 0, z);
  float4 v = surf2DLayeredread<float4>(s, x * 16, 0, z);
  out[z * 2 + x] = (v.x + v.y) * v.w;
}

//! run write_row_layers(surface(i32[2,3]=0 layered), i32[6]) block 3,2
//! out = 0 1 2 5 6 7
__global__ void write_row_layers(cudaSurfaceObject_t s, int* out) {
  int x = threadIdx.x, layer = threadIdx.y;
  surf1DLayeredwrite(layer * 5 + x, s, x * 4, layer);
  out[layer * 3 + x] = surf1DLayeredread<int>(s, x * 4, layer);
}

//! run from_texture_to_surface(texture(f32[4,4]=iota linear), surface(f32[4,4]=0), f32[16]) block 4,4
//! out = 2.5 3.5 4.5 5 6.5 7.5 8.5 9 10.5 11.5 12.5 13 12.5 13.5 14.5 15
__global__ void from_texture_to_surface(cudaTextureObject_t from, cudaSurfaceObject_t to, float* out) {
  surf2Dwrite(tex2D<float>(from, threadIdx.x + 1.0f, threadIdx.y + 1.0f), to, threadIdx.x * 4, threadIdx.y);
  out[threadIdx.y * 4 + threadIdx.x] = surf2Dread<float>(to, threadIdx.x * 4, threadIdx.y);
}
