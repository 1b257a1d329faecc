// Texture references: the host binds a texture to their names.
texture<float, 2, cudaReadModeElementType> image;
texture<float> row;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colors;
texture<int, cudaTextureType3D> volume;
texture<float2, cudaTextureType1DLayered> layers;
namespace inner {
static texture<unsigned short, 1, cudaReadModeElementType> words;
}

//! run plane_reference(f32[6]) block 3,2
//! texture image = texture(f32[2,3]=iota linear)
//! out = 2 3 3.5 3.5 4.5 5
__global__ void plane_reference(float* out) {
  out[threadIdx.y * 3 + threadIdx.x] = tex2D(image, threadIdx.x + 1.0f, threadIdx.y + 1.0f);
}

//! run fetch_reference(f32[5]) block 5
//! texture row = texture(f32[4]=iota)
//! out = 0 1 2 3 0
__global__ void fetch_reference(float* out) { out[threadIdx.x] = tex1Dfetch(row, threadIdx.x); }

//! run values_of_a_reference(f32[4])
//! texture colors = texture(u8x4[1,1]=255 values)
//! out = 1 1 1 1
__global__ void values_of_a_reference(float* out) {
  float4 c = tex2D(colors, 0.5f, 0.5f);
  out[0] = c.x;
  out[1] = c.y;
  out[2] = c.z;
  out[3] = c.w;
}

//! run volume_reference(i32[8]) block 2,2,2
//! texture volume = texture(i32[2,2,2]=iota)
//! out = 0 1 2 3 4 5 6 7
__global__ void volume_reference(int* out) {
  out[threadIdx.z * 4 + threadIdx.y * 2 + threadIdx.x] =
      tex3D(volume, threadIdx.x + 0.5f, threadIdx.y + 0.5f, threadIdx.z + 0.5f);
}

//! run layered_reference(f32[6]) block 3,2
//! texture layers = texture(f32x2[2,3]=iota layered)
//! out = 1 5 9 13 17 21
__global__ void layered_reference(float* out) {
  float2 v = tex1DLayered(layers, threadIdx.x + 0.5f, threadIdx.y);
  out[threadIdx.y * 3 + threadIdx.x] = v.x + v.y;
}

__device__ int from_function(int i) { return tex1Dfetch(inner::words, i); }

//! run two_references(i32[4]) block 4
//! texture inner::words = texture(u16[4]=iota)
//! texture row = texture(f32[4]=10)
//! out = 10 11 12 13
__global__ void two_references(int* out) { out[threadIdx.x] = from_function(threadIdx.x) + (int)tex1Dfetch(row, 3); }

//! run reference_and_object(texture(f32[4]=5), f32[1])
//! texture row = texture(f32[4]=2)
//! out = 7
__global__ void reference_and_object(cudaTextureObject_t t, float* out) {
  out[0] = tex1Dfetch<float>(t, 1) + tex1Dfetch(row, 1);
}
