// Wrong accesses to textures and surfaces.

//! run more_channels_than_the_texture(texture(f32[4,4]=iota), f32[4]=0)
//! report texture @
__global__ void more_channels_than_the_texture(cudaTextureObject_t t, float* out) {
  float4 v = tex2D<float4>(t, 0.5f, 0.5f);  //@
  out[0] = v.x;
}

//! run float_of_integers(texture(u8[4,4]=iota), f32[1]=0)
//! report texture @
__global__ void float_of_integers(cudaTextureObject_t t, float* out) {
  out[0] = tex2D<float>(t, 0.5f, 0.5f);  //@
}

//! run float_of_normalized_integers(texture(u8[4,4]=51 values), f32[1]=0)
//! out = 0.2
__global__ void float_of_normalized_integers(cudaTextureObject_t t, float* out) {
  out[0] = tex2D<float>(t, 0.5f, 0.5f);
}

//! run integers_of_floats(texture(f32[4]=iota), i32[1]=0)
//! report texture @
__global__ void integers_of_floats(cudaTextureObject_t t, int* out) {
  out[0] = tex1Dfetch<int>(t, 1);  //@
}

//! run wrong_width_of_integers(texture(u8[8]=iota), i32[1]=0)
//! report texture @
__global__ void wrong_width_of_integers(cudaTextureObject_t t, int* out) {
  out[0] = tex1Dfetch<unsigned short>(t, 1);  //@
}

//! run integers_of_normalized_values(texture(u16[8]=iota values), i32[1]=0)
//! report texture @
__global__ void integers_of_normalized_values(cudaTextureObject_t t, int* out) {
  out[0] = tex1Dfetch<unsigned short>(t, 1);  //@
}

//! run plane_of_a_volume(texture(f32[2,2,2]=iota), f32[1]=0)
//! report texture @
__global__ void plane_of_a_volume(cudaTextureObject_t t, float* out) {
  out[0] = tex2D<float>(t, 0.5f, 0.5f);  //@
}

//! run layers_without_layered(texture(f32[2,2,2]=iota layered), f32[1]=0)
//! report texture @
__global__ void layers_without_layered(cudaTextureObject_t t, float* out) {
  out[0] = tex3D<float>(t, 0.5f, 0.5f, 0.5f);  //@
}

//! run column_instead_of_byte(surface(f32[8]=iota), f32[8]=0) block 8
//! report misaligned @
__global__ void column_instead_of_byte(cudaSurfaceObject_t s, float* out) {
  out[threadIdx.x] = surf1Dread<float>(s, threadIdx.x);  //@
}

//! run column_past_the_end(surface(f32[8]=iota), f32[9]=0) block 9
//! report texture @
__global__ void column_past_the_end(cudaSurfaceObject_t s, float* out) {
  out[threadIdx.x] = surf1Dread<float>(s, threadIdx.x * 4);  //@
}

//! run row_past_the_end(surface(f32[3,4]=iota), f32[1]=0) block 1,4
//! report texture @
__global__ void row_past_the_end(cudaSurfaceObject_t s, float* out) {
  surf2Dwrite(1.0f, s, 0, threadIdx.y);  //@
  if (threadIdx.y == 0) out[0] = 1;
}

//! run slice_before_the_start(surface(f32[3,4,5]=iota), f32[1]=0)
//! report texture @
__global__ void slice_before_the_start(cudaSurfaceObject_t s, float* out) {
  out[0] = surf3Dread<float>(s, 0, 0, -1);  //@
}

//! run outside_with_a_mode(surface(f32[3,4,5]=iota), f32[1]=1)
//! out = 0
__global__ void outside_with_a_mode(cudaSurfaceObject_t s, float* out) {
  out[0] = surf3Dread<float>(s, 0, 0, -1, cudaBoundaryModeZero);
}

//! run neighbours_write_one_texel(surface(i32[4]=0), i32[1]=0) block 2
//! report race @
__global__ void neighbours_write_one_texel(cudaSurfaceObject_t s, int* out) {
  surf1Dwrite((int)threadIdx.x, s, 0);  //@
  if (threadIdx.x == 0) out[0] = 0;
}
