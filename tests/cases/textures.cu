// Textures. Written by scripts/texture_cases.py, which computes the results.

__device__ float coordinate(int i) {
  const float all[8] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 3e9f, -3e9f, 0.0f};
  return all[i];
}
__device__ float at(cudaTextureObject_t t, float x, float y) { return tex2D<float>(t, x, y); }

//! run row_clamp_point(texture(f32[5]=rand:5 point clamp), f32[16]) block 16
//! out = 0.6730649 0.6730649 0.6730649 0.6730649 0.6730649 0.03849461 0.22528856 0.22528856 0.67593217 0.67593217 0.09036689 0.09036689 0.09036689 0.09036689 0.09036689 0.09036689
__global__ void row_clamp_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.55f + -1.3f);
  out[i] = v;
}

//! run row_clamp_linear(texture(f32[5]=rand:5 linear clamp), f32[16]) block 16
//! out = 0.6730649 0.6730649 0.6730649 0.6730649 0.4202283 0.070718884 0.13189158 0.24817279 0.49637884 0.5890123 0.26649395 0.09036689 0.09036689 0.09036689 0.09036689 0.09036689
__global__ void row_clamp_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.55f + -1.3f);
  out[i] = v;
}

//! run row_border_point(texture(f32[5]=rand:6 point border), f32[16]) block 16
//! out = 0 0 0 0.7760655 0.7760655 0.5600978 0.80282634 0.80282634 0.8072038 0.8072038 0.34747154 0.34747154 0 0 0 0
__global__ void row_border_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.55f + -1.3f);
  out[i] = v;
}

//! run row_border_linear(texture(f32[5]=rand:6 linear border), f32[16]) block 16
//! out = 0 0 0.23342596 0.6608683 0.6900159 0.57106495 0.68146205 0.8030487 0.8054597 0.7389623 0.48575038 0.26060367 0.069222845 0 0 0
__global__ void row_border_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.55f + -1.3f);
  out[i] = v;
}

//! run row_wrap_point(texture(f32[5]=rand:4 point wrap normalized), f32[16]) block 16
//! out = 0.062309865 0.5479822 0.5479822 0.78554827 0.78554827 0.45382974 0.45382974 0.5942506 0.062309865 0.062309865 0.5479822 0.5479822 0.78554827 0.78554827 0.45382974 0.45382974
__global__ void row_wrap_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.11f + -0.26f);
  out[i] = v;
}

//! run row_wrap_linear(texture(f32[5]=rand:4 linear wrap normalized), f32[16]) block 16
//! out = 0.1590649 0.42656413 0.61943763 0.75028455 0.6533792 0.4706748 0.52404016 0.567238 0.274255 0.13440186 0.40190107 0.6073737 0.7382207 0.6689285 0.4875199 0.5169094
__global__ void row_wrap_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.11f + -0.26f);
  out[i] = v;
}

//! run row_mirror_point(texture(f32[5]=rand:6 point mirror normalized), f32[16]) block 16
//! out = 0.5600978 0.7760655 0.7760655 0.7760655 0.7760655 0.5600978 0.5600978 0.80282634 0.8072038 0.8072038 0.34747154 0.34747154 0.34747154 0.34747154 0.8072038 0.8072038
__global__ void row_mirror_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.11f + -0.26f);
  out[i] = v;
}

//! run row_mirror_linear(texture(f32[5]=rand:6 linear mirror normalized), f32[16]) block 16
//! out = 0.60312265 0.72207355 0.7760655 0.7760655 0.6900159 0.57106495 0.68146205 0.8030487 0.8054597 0.7389623 0.48575038 0.34747154 0.34747154 0.50909615 0.76051223 0.8052374
__global__ void row_mirror_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.11f + -0.26f);
  out[i] = v;
}

//! run row_normalized_clamp(texture(f32[7]=iota normalized linear), f32[16]) block 16
//! out = 0 0 0 0.0703125 0.7265625 1.3828125 2.0390625 2.6953125 3.3515625 4.0078125 4.6640625 5.3203125 5.9765625 6 6 6
__global__ void row_normalized_clamp(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.09375f + -0.2f);
  out[i] = v;
}

//! run row_normalized_border(texture(f32[7]=iota normalized linear border=-5), f32[16]) block 16
//! out = -5 -5 -2.9296875 0.0703125 0.7265625 1.3828125 2.0390625 2.6953125 3.3515625 4.0078125 4.6640625 5.3203125 5.9765625 -0.9609375 -5 -5
__global__ void row_normalized_border(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.09375f + -0.2f);
  out[i] = v;
}

//! run one_texel_wrap(texture(f32[1]=3 normalized linear wrap), f32[16]) block 16
//! out = 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
__global__ void one_texel_wrap(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.125f + -0.7f);
  out[i] = v;
}

//! run one_texel_mirror(texture(f32[1]=3 normalized mirror), f32[16]) block 16
//! out = 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
__global__ void one_texel_mirror(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.375f + -2.5f);
  out[i] = v;
}

//! run wrap_without_normalized_clamps(texture(f32[4]=iota wrap), f32[16]) block 16
//! out = 0 0 0 0 0 0 1 2 3 3 3 3 3 3 3 3
__global__ void wrap_without_normalized_clamps(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.75f + -3.0f);
  out[i] = v;
}

//! run mirror_without_normalized_clamps(texture(f32[4]=iota mirror linear), f32[16]) block 16
//! out = 0 0 0 0 0 0.25 1 1.75 2.5 3 3 3 3 3 3 3
__global__ void mirror_without_normalized_clamps(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.75f + -3.0f);
  out[i] = v;
}

//! run weights_have_8_bits(texture(f32[2]=iota linear), f32[33]) block 33
//! out = 0 0.00390625 0.00390625 0.0078125 0.0078125 0.01171875 0.01171875 0.015625 0.015625 0.01953125 0.01953125 0.0234375 0.0234375 0.02734375 0.02734375 0.03125 0.03125 0.03515625 0.03515625 0.0390625 0.0390625 0.04296875 0.04296875 0.046875 0.046875 0.05078125 0.05078125 0.0546875 0.0546875 0.05859375 0.05859375 0.0625 0.0625
__global__ void weights_have_8_bits(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.001953125f + 0.5f);
  out[i] = v;
}

//! run border_value(texture(f32[3]=iota border=0.25), f32[16]) block 16
//! out = 0.25 0.25 0.25 0.25 0 0 1 1 2 2 0.25 0.25 0.25 0.25 0.25 0.25
__global__ void border_value(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 0.5f + -2.0f);
  out[i] = v;
}

//! run plane_point(texture(f32[5,3]=iota), f32[16]) block 16
//! out = 0 0 0 0 0 3 4 7 7 11 11 14 14 14 14 14
__global__ void plane_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex2D<float>(t, i * 0.31f + -0.7f, i * 0.47f + -1.1f);
  out[i] = v;
}

//! run plane_linear(texture(f32[5,3]=rand:7 linear), f32[16]) block 16
//! out = 0.75438523 0.7543853 0.7543853 0.7543853 0.7902907 0.6767394 0.50162727 0.67211795 0.71829534 0.60948694 0.6293133 0.7307709 0.8321684 0.8321684 0.8321684 0.83216834
__global__ void plane_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex2D<float>(t, i * 0.31f + -0.7f, i * 0.47f + -1.1f);
  out[i] = v;
}

//! run plane_linear_border(texture(f32[4,6]=rand:8 linear border=2), f32[16]) block 16
//! out = 2 2 1.5774118 0.88929296 0.7328942 0.66718686 0.69861084 0.42398337 0.12664501 0.3924719 0.9298057 1.4503427 2 2 2 2
__global__ void plane_linear_border(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex2D<float>(t, i * 0.51f + -0.7f, i * 0.47f + -1.1f);
  out[i] = v;
}

//! run plane_linear_wrap(texture(f32[3,5]=rand:9 linear wrap normalized), f32[16]) block 16
//! out = 0.65924263 0.61193 0.39299762 0.4275878 0.34739858 0.36588117 0.7670479 0.6486115 0.5044942 0.31351274 0.12737231 0.4893263 0.50126576 0.19863598 0.8268168 0.3424846
__global__ void plane_linear_wrap(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex2D<float>(t, i * 0.17f + -1.7f, i * -0.29f + 2.3f);
  out[i] = v;
}

//! run plane_linear_mirror(texture(f32[3,5]=rand:10 linear mirror normalized), f32[16]) block 16
//! out = 0.7326019 0.3627669 0.5003789 0.3924339 0.91902137 0.7191959 0.33249563 0.4665919 0.7848153 0.68477863 0.5683807 0.41495067 0.80306154 0.82885313 0.5291991 0.1788967
__global__ void plane_linear_mirror(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex2D<float>(t, i * 0.17f + -1.7f, i * -0.29f + 2.3f);
  out[i] = v;
}

//! run plane_float4_linear(texture(f32x4[3,3]=rand:11 linear), f32[32]) block 8
//! out = 0.16571312 0.7734259 0.3780252 0.69862807 0.16571312 0.7734259 0.3780252 0.69862807 0.19140859 0.7491339 0.38345042 0.683627 0.27315181 0.5854496 0.4750793 0.64322186 0.32354313 0.43021512 0.57234424 0.65065247 0.34842855 0.2824273 0.6723217 0.7033492 0.3416056 0.14116237 0.77993995 0.80367154 0.3390803 0.09689178 0.8415466 0.9031508
__global__ void plane_float4_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float4 v = tex2D<float4>(t, i * 0.21f + 0.1f, i * 0.17f + 0.2f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run plane_float2(texture(f32x2[3,2]=iota), f32[16]) block 8
//! out = 0 1 0 1 0 1 0 1 0 1 6 7 6 7 6 7
__global__ void plane_float2(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float2 v = tex2D<float2>(t, i * 0.21f + 0.1f, i * 0.17f + 0.2f);
  out[i * 2 + 0] = v.x;
  out[i * 2 + 1] = v.y;
}

//! run plane_one_column(texture(f32[7,1]=rand:12 linear), f32[16]) block 16
//! out = 0.18722118 0.18722118 0.3732954 0.5593696 0.37320837 0.18704712 0.42929706 0.671547 0.7363163 0.8010856 0.7024528 0.6038199 0.4457846 0.28774926 0.28774926 0.28774926
__global__ void plane_one_column(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex2D<float>(t, i * 0.25f + 0.0f, i * 0.5f + 0.0f);
  out[i] = v;
}

//! run volume_point(texture(f32[3,4,5]=iota), f32[16]) block 16
//! out = 0 0 0 5 6 26 26 32 32 33 58 58 59 59 59 59
__global__ void volume_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex3D<float>(t, i * 0.4f + -0.5f, i * 0.3f + 0.1f, i * 0.2f + 0.0f);
  out[i] = v;
}

//! run volume_linear(texture(f32[3,4,5]=rand:13 linear), f32[16]) block 16
//! out = 0.6102852 0.6102852 0.5981193 0.6182537 0.7531177 0.8803259 0.5317381 0.4064685 0.4019591 0.2768384 0.33331028 0.54830927 0.6876971 0.7522298 0.75223 0.7522299
__global__ void volume_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex3D<float>(t, i * 0.4f + -0.5f, i * 0.3f + 0.1f, i * 0.2f + 0.0f);
  out[i] = v;
}

//! run volume_linear_wrap(texture(f32[2,3,5]=rand:14 linear wrap normalized), f32[16]) block 16
//! out = 0.46476534 0.6559296 0.3576187 0.43879926 0.6568016 0.68714094 0.72083366 0.6478769 0.28748178 0.51657176 0.424572 0.3106654 0.6620812 0.61879814 0.46724907 0.7754102
__global__ void volume_linear_wrap(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex3D<float>(t, i * 0.13f + -0.5f, i * 0.37f + 0.1f, i * -0.21f + 3.0f);
  out[i] = v;
}

//! run volume_border(texture(f32x2[2,2,2]=iota border=9), f32[20]) block 10
//! out = 9 9 9 9 0 1 0 1 2 3 6 7 6 7 9 9 9 9 9 9
__global__ void volume_border(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float2 v = tex3D<float2>(t, i * 0.4f + -0.5f, i * 0.3f + -0.4f, i * 0.2f + -0.3f);
  out[i * 2 + 0] = v.x;
  out[i * 2 + 1] = v.y;
}

//! run row_layers(texture(f32[3,5]=iota layered), f32[16]) block 16
//! out = 0 0 5 10 11 1 1 7 12 13 3 3 9 14 14 4
__global__ void row_layers(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1DLayered<float>(t, i * 0.4f + -0.5f, i % 5 - 1);
  out[i] = v;
}

//! run row_layers_linear(texture(f32[3,5]=rand:15 layered linear), f32[16]) block 16
//! out = 0.7827144 0.7827144 0.13412207 0.79875773 0.81569743 0.09853314 0.25778764 0.23549819 0.80995744 0.61682224 0.7501223 0.7697081 0.5656473 0.6855448 0.6855448 0.7992788
__global__ void row_layers_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1DLayered<float>(t, i * 0.4f + -0.5f, i % 5 - 1);
  out[i] = v;
}

//! run plane_layers(texture(i32[3,2,4]=iota layered), i32[16]) block 16
//! out = 0 0 8 16 17 1 1 14 22 23 7 7 15 23 23 7
__global__ void plane_layers(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  int v = tex2DLayered<int>(t, i * 0.4f + -0.5f, i * 0.1f + 0.3f, i % 5 - 1);
  out[i] = v;
}

//! run plane_layers_linear(texture(f32x2[3,3,2]=rand:16 layered linear), f32[24]) block 12
//! out = 0.3182081 0.826986 0.3182081 0.826986 0.33451292 0.71514887 0.41048673 0.62310433 0.40111294 0.57618207 0.3434111 0.84046996 0.29745182 0.8113806 0.40555292 0.7327933 0.64617884 0.4048519 0.7556382 0.38517112 0.06893533 0.75189 0.06629293 0.77010226
__global__ void plane_layers_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float2 v = tex2DLayered<float2>(t, i * 0.2f + -0.5f, i * 0.1f + 0.3f, i % 5 - 1);
  out[i * 2 + 0] = v.x;
  out[i * 2 + 1] = v.y;
}

//! run format_i8x1(texture(i8[3,5]=iota), i32[8]) block 8
//! out = 0 1 6 7 8 14 14 14
__global__ void format_i8x1(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  signed char v = tex2D<signed char>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i] = v;
}

//! run format_i8x2(texture(i8x2[3,5]=iota), i32[16]) block 8
//! out = 0 1 2 3 12 13 14 15 16 17 28 29 28 29 28 29
__global__ void format_i8x2(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  char2 v = tex2D<char2>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 2 + 0] = v.x;
  out[i * 2 + 1] = v.y;
}

//! run format_i8x4(texture(i8x4[3,5]=iota), i32[32]) block 8
//! out = 0 1 2 3 4 5 6 7 24 25 26 27 28 29 30 31 32 33 34 35 56 57 58 59 56 57 58 59 56 57 58 59
__global__ void format_i8x4(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  char4 v = tex2D<char4>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run format_u8x1(texture(u8[3,5]=iota), i32[8]) block 8
//! out = 0 1 6 7 8 14 14 14
__global__ void format_u8x1(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  unsigned char v = tex2D<unsigned char>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i] = v;
}

//! run format_u8x2(texture(u8x2[3,5]=iota), i32[16]) block 8
//! out = 0 1 2 3 12 13 14 15 16 17 28 29 28 29 28 29
__global__ void format_u8x2(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  uchar2 v = tex2D<uchar2>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 2 + 0] = v.x;
  out[i * 2 + 1] = v.y;
}

//! run format_u8x4(texture(u8x4[3,5]=iota), i32[32]) block 8
//! out = 0 1 2 3 4 5 6 7 24 25 26 27 28 29 30 31 32 33 34 35 56 57 58 59 56 57 58 59 56 57 58 59
__global__ void format_u8x4(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  uchar4 v = tex2D<uchar4>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run format_i16x1(texture(i16[3,5]=iota), i32[8]) block 8
//! out = 0 1 6 7 8 14 14 14
__global__ void format_i16x1(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  short v = tex2D<short>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i] = v;
}

//! run format_i16x2(texture(i16x2[3,5]=iota), i32[16]) block 8
//! out = 0 1 2 3 12 13 14 15 16 17 28 29 28 29 28 29
__global__ void format_i16x2(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  short2 v = tex2D<short2>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 2 + 0] = v.x;
  out[i * 2 + 1] = v.y;
}

//! run format_i16x4(texture(i16x4[3,5]=iota), i32[32]) block 8
//! out = 0 1 2 3 4 5 6 7 24 25 26 27 28 29 30 31 32 33 34 35 56 57 58 59 56 57 58 59 56 57 58 59
__global__ void format_i16x4(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  short4 v = tex2D<short4>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run format_u16x1(texture(u16[3,5]=iota), i32[8]) block 8
//! out = 0 1 6 7 8 14 14 14
__global__ void format_u16x1(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  unsigned short v = tex2D<unsigned short>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i] = v;
}

//! run format_u16x2(texture(u16x2[3,5]=iota), i32[16]) block 8
//! out = 0 1 2 3 12 13 14 15 16 17 28 29 28 29 28 29
__global__ void format_u16x2(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  ushort2 v = tex2D<ushort2>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 2 + 0] = v.x;
  out[i * 2 + 1] = v.y;
}

//! run format_u16x4(texture(u16x4[3,5]=iota), i32[32]) block 8
//! out = 0 1 2 3 4 5 6 7 24 25 26 27 28 29 30 31 32 33 34 35 56 57 58 59 56 57 58 59 56 57 58 59
__global__ void format_u16x4(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  ushort4 v = tex2D<ushort4>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run format_i32x1(texture(i32[3,5]=iota), i32[8]) block 8
//! out = 0 1 6 7 8 14 14 14
__global__ void format_i32x1(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  int v = tex2D<int>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i] = v;
}

//! run format_i32x2(texture(i32x2[3,5]=iota), i32[16]) block 8
//! out = 0 1 2 3 12 13 14 15 16 17 28 29 28 29 28 29
__global__ void format_i32x2(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  int2 v = tex2D<int2>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 2 + 0] = v.x;
  out[i * 2 + 1] = v.y;
}

//! run format_i32x4(texture(i32x4[3,5]=iota), i32[32]) block 8
//! out = 0 1 2 3 4 5 6 7 24 25 26 27 28 29 30 31 32 33 34 35 56 57 58 59 56 57 58 59 56 57 58 59
__global__ void format_i32x4(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  int4 v = tex2D<int4>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run format_u32x1(texture(u32[3,5]=iota), i32[8]) block 8
//! out = 0 1 6 7 8 14 14 14
__global__ void format_u32x1(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  unsigned v = tex2D<unsigned>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i] = v;
}

//! run format_u32x2(texture(u32x2[3,5]=iota), i32[16]) block 8
//! out = 0 1 2 3 12 13 14 15 16 17 28 29 28 29 28 29
__global__ void format_u32x2(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  uint2 v = tex2D<uint2>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 2 + 0] = v.x;
  out[i * 2 + 1] = v.y;
}

//! run format_u32x4(texture(u32x4[3,5]=iota), i32[32]) block 8
//! out = 0 1 2 3 4 5 6 7 24 25 26 27 28 29 30 31 32 33 34 35 56 57 58 59 56 57 58 59 56 57 58 59
__global__ void format_u32x4(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  uint4 v = tex2D<uint4>(t, i * 0.7f + 0.5f, i * 0.3f + 0.5f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run values_i8(texture(i8[300]=iota values), f32[9]) block 9
//! out = 0 0.2913386 0.5826772 0.87401575 -0.8503937 -0.5590551 -0.26771653 0.023622047 0.31496063
__global__ void values_i8(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 37.0f + 0.5f);
  out[i] = v;
}

//! run values_i8x4_linear(texture(i8x4[3,3]=rand:17 values linear), f32[32]) block 8
//! out = 0.46456692 0.47244096 0.22834644 0.031496063 0.46456692 0.47244096 0.22834645 0.031496063 0.31751928 0.38642466 0.18596885 0.0622424 0.23024383 0.2886915 0.15894035 0.096845016 0.25228953 0.205453 0.1599823 0.12571128 0.30135003 0.2652458 0.26939696 0.22523415 0.24543005 0.42192787 0.42107 0.38238573 0.18087491 0.35909602 0.39144647 0.48511416
__global__ void values_i8x4_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float4 v = tex2D<float4>(t, i * 0.31f + 0.1f, i * 0.27f + 0.2f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run values_u8(texture(u8[300]=iota values), f32[9]) block 9
//! out = 0 0.14509805 0.2901961 0.43529412 0.5803922 0.7254902 0.87058824 0.011764706 0.15686275
__global__ void values_u8(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 37.0f + 0.5f);
  out[i] = v;
}

//! run values_u8x4_linear(texture(u8x4[3,3]=rand:17 values linear), f32[32]) block 8
//! out = 0.23137254 0.2352941 0.11372548 0.015686275 0.23137255 0.23529412 0.11372549 0.015686275 0.15813707 0.19245464 0.09261977 0.03099916 0.114670455 0.14377968 0.07915853 0.048232615 0.12565008 0.10232365 0.07967745 0.06260915 0.15008412 0.13210282 0.13417025 0.11217544 0.12223379 0.21013664 0.20970938 0.1904431 0.09008281 0.1788439 0.19495569 0.24160588
__global__ void values_u8x4_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float4 v = tex2D<float4>(t, i * 0.31f + 0.1f, i * 0.27f + 0.2f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run values_i16(texture(i16[9]=iota values), f32[9]) block 9
//! out = 0 3.051851e-05 6.103702e-05 9.155553e-05 0.00012207404 0.00015259255 0.00018311106 0.00021362957 0.00024414808
__global__ void values_i16(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 1.0f + 0.5f);
  out[i] = v;
}

//! run values_i16x4_linear(texture(i16x4[3,3]=rand:17 values linear), f32[32]) block 8
//! out = 0.001800592 0.0018311106 0.0008850368 0.00012207404 0.001800592 0.0018311106 0.0008850368 0.00012207404 0.0012306574 0.0014977242 0.00072078744 0.00024124226 0.00089239073 0.0011189252 0.0006160291 0.00037535682 0.0009778365 0.00079630513 0.0006200674 0.00048723814 0.0011679877 0.0010280532 0.0010441423 0.0008729739 0.00095125026 0.0016353293 0.0016320045 0.00148207 0.0007010442 0.0013918026 0.001517188 0.00188023
__global__ void values_i16x4_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float4 v = tex2D<float4>(t, i * 0.31f + 0.1f, i * 0.27f + 0.2f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run values_u16(texture(u16[9]=iota values), f32[9]) block 9
//! out = 0 1.5259022e-05 3.0518044e-05 4.5777066e-05 6.103609e-05 7.629511e-05 9.155413e-05 0.00010681315 0.00012207218
__global__ void values_u16(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 1.0f + 0.5f);
  out[i] = v;
}

//! run values_u16x4_linear(texture(u16x4[3,3]=rand:17 values linear), f32[32]) block 8
//! out = 0.0009002823 0.0009155413 0.00044251163 6.103609e-05 0.0009002823 0.0009155413 0.00044251163 6.103609e-05 0.0006153193 0.00074885064 0.0003603882 0.0001206193 0.00044618855 0.00055945397 0.00030800982 0.00018767554 0.0004889108 0.00039814648 0.00031002896 0.00024361536 0.00058398495 0.0005140187 0.0005220632 0.00043648033 0.00047561782 0.00081765227 0.0008159898 0.0007410237 0.00035051676 0.0006958907 0.00075858244 0.00094010064
__global__ void values_u16x4_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float4 v = tex2D<float4>(t, i * 0.31f + 0.1f, i * 0.27f + 0.2f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run half_point(texture(f16[9]=rand:18), f32[9]) block 9
//! out = 0.37963867 0.77246094 0.20092773 0.35327148 0.76953125 0.5102539 0.041290283 0.89746094 0.2388916
__global__ void half_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 1.0f + 0.5f);
  out[i] = v;
}

//! run half2_linear(texture(f16x2[3,3]=rand:19 linear), f32[16]) block 8
//! out = 0.734375 0.5546875 0.734375 0.5546875 0.56387633 0.51110464 0.50914735 0.44278103 0.6403317 0.38849813 0.7995338 0.46254697 0.70325637 0.6356637 0.7182694 0.72811884
__global__ void half2_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float2 v = tex2D<float2>(t, i * 0.31f + 0.1f, i * 0.27f + 0.2f);
  out[i * 2 + 0] = v.x;
  out[i * 2 + 1] = v.y;
}

//! run half4_linear(texture(f16x4[3,3]=rand:20 linear border=0.5), f32[32]) block 8
//! out = 0.5 0.5 0.5 0.5 0.5645195 0.6221784 0.5888968 0.41354823 0.6026824 0.6798382 0.64805305 0.38197556 0.5998298 0.642086 0.65868175 0.42912143 0.5303832 0.4843663 0.61541116 0.54789686 0.41840893 0.29640907 0.64839804 0.6549916 0.34875938 0.21168336 0.67631596 0.5526036 0.32578063 0.24580663 0.6368752 0.4678159
__global__ void half4_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float4 v = tex2D<float4>(t, i * 0.31f + -0.5f, i * 0.27f + 0.2f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run half_large(texture(f16[4]=65504), f32[4]) block 4
//! out = 65504 65504 65504 65504
__global__ void half_large(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 1.0f + 0.5f);
  out[i] = v;
}

//! run half_subnormal(texture(f16[4]=3e-7), f32[4]) block 4
//! out = 2.9802322e-07 2.9802322e-07 2.9802322e-07 2.9802322e-07
__global__ void half_subnormal(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 1.0f + 0.5f);
  out[i] = v;
}

//! run half_infinite(texture(f16[4]=inf), f32[4]) block 4
//! out = inf inf inf inf
__global__ void half_infinite(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, i * 1.0f + 0.5f);
  out[i] = v;
}

//! run border_of_integers(texture(u8x4[2,2]=iota border=200), i32[24]) block 6
//! out = 200 200 200 200 0 1 2 3 0 1 2 3 4 5 6 7 4 5 6 7 200 200 200 200
__global__ void border_of_integers(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  uchar4 v = tex2D<uchar4>(t, i * 0.5f + -0.5f, i * 0.0f + 0.5f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run not_finite_clamp_point(texture(f32[5]=rand:21 point clamp), f32[8]) block 8
//! out = 0.28535065 0.53201747 0.28535065 0.53201747 0.28535065 0.53201747 0.28535065 0.28535065
__global__ void not_finite_clamp_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, coordinate(i));
  out[i] = v;
}

//! run not_finite_clamp_linear(texture(f32[5]=rand:21 linear clamp), f32[8]) block 8
//! out = 0.28535065 0.53201747 0.28535065 0.53201747 0.28535065 0.53201747 0.28535065 0.28535065
__global__ void not_finite_clamp_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, coordinate(i));
  out[i] = v;
}

//! run not_finite_border_point(texture(f32[5]=rand:21 point border=7), f32[8]) block 8
//! out = 0.28535065 7 7 7 7 7 7 0.28535065
__global__ void not_finite_border_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, coordinate(i));
  out[i] = v;
}

//! run not_finite_border_linear(texture(f32[5]=rand:21 linear border=7), f32[8]) block 8
//! out = 0.28535065 7 7 7 7 7 7 3.6426754
__global__ void not_finite_border_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, coordinate(i));
  out[i] = v;
}

//! run not_finite_wrap_point(texture(f32[5]=rand:21 point wrap normalized), f32[8]) block 8
//! out = 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065
__global__ void not_finite_wrap_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, coordinate(i));
  out[i] = v;
}

//! run not_finite_wrap_linear(texture(f32[5]=rand:21 linear wrap normalized), f32[8]) block 8
//! out = 0.28535065 0.28535065 0.28535065 0.40868407 0.40868407 0.40868407 0.40868407 0.40868407
__global__ void not_finite_wrap_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, coordinate(i));
  out[i] = v;
}

//! run not_finite_mirror_point(texture(f32[5]=rand:21 point mirror normalized), f32[8]) block 8
//! out = 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065
__global__ void not_finite_mirror_point(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, coordinate(i));
  out[i] = v;
}

//! run not_finite_mirror_linear(texture(f32[5]=rand:21 linear mirror normalized), f32[8]) block 8
//! out = 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065 0.28535065
__global__ void not_finite_mirror_linear(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1D<float>(t, coordinate(i));
  out[i] = v;
}

//! run fetch(texture(f32[6]=rand:22), f32[10]) block 10
//! out = 0 0 0.8559619 0.46623638 0.036088765 0.4539825 0.87198234 0.671396 0 0
__global__ void fetch(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1Dfetch<float>(t, i - 2);
  out[i] = v;
}

//! run fetch_uchar4(texture(u8x4[6]=iota), i32[40]) block 10
//! out = 0 0 0 0 0 0 0 0 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 0 0 0 0 0 0 0 0
__global__ void fetch_uchar4(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  uchar4 v = tex1Dfetch<uchar4>(t, i - 2);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run fetch_values(texture(i16[6]=rand:23 values), f32[6]) block 6
//! out = 0.0007019257 6.103702e-05 0.00015259255 0.0027771844 0.00039674062 0.002990814
__global__ void fetch_values(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex1Dfetch<float>(t, i);
  out[i] = v;
}

//! run gather(texture(f32[4,5]=iota), f32[32]) block 8
//! out = 0 0 0 0 0 0 0 0 0 1 1 0 5 6 1 0 6 7 2 1 7 8 3 2 12 13 8 7 13 14 9 8
__global__ void gather(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float4 v = tex2Dgather<float4>(t, i * 0.7f - 0.9f, i * 0.4f - 0.6f);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run gather_channel(texture(f32x4[3,3]=iota), f32[32]) block 8
//! out = 2 2 2 2 2 2 2 2 2 6 6 2 14 18 6 2 18 22 10 6 22 22 10 10 34 34 22 22 34 34 22 22
__global__ void gather_channel(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float4 v = tex2Dgather<float4>(t, i * 0.7f - 0.9f, i * 0.4f - 0.6f, 2);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run gather_border(texture(f32x2[3,3]=iota border=-1), f32[32]) block 8
//! out = -1 -1 -1 -1 -1 1 -1 -1 1 3 -1 -1 7 9 3 1 9 11 5 3 11 -1 -1 5 17 -1 -1 11 -1 -1 -1 -1
__global__ void gather_border(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float4 v = tex2Dgather<float4>(t, i * 0.7f - 0.9f, i * 0.4f - 0.6f, 1);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run gather_integers(texture(u16x4[3,5]=iota), i32[32]) block 8
//! out = 3 3 3 3 3 3 3 3 3 7 7 3 23 27 7 3 27 31 11 7 31 35 15 11 51 55 35 31 55 59 39 35
__global__ void gather_integers(cudaTextureObject_t t, int* out) {
  int i = threadIdx.x;
  ushort4 v = tex2Dgather<ushort4>(t, i * 0.7f - 0.9f, i * 0.4f - 0.6f, 3);
  out[i * 4 + 0] = v.x;
  out[i * 4 + 1] = v.y;
  out[i * 4 + 2] = v.z;
  out[i * 4 + 3] = v.w;
}

//! run level_of_detail(texture(f32[3,4]=rand:24 linear), f32[8]) block 8
//! out = 0.5849609 0.5998338 0.70186234 0.6635025 0.6719574 0.92320323 0.84056103 0.70096153
__global__ void level_of_detail(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex2DLod<float>(t, i * 0.6f, i * 0.3f, 0.0f);
  out[i] = v;
}

//! run gradients(texture(f32[3,4]=rand:24 linear), f32[8]) block 8
//! out = 0.5849609 0.5998338 0.70186234 0.6635025 0.6719574 0.92320323 0.84056103 0.70096153
__global__ void gradients(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = tex2DGrad<float>(t, i * 0.6f, i * 0.3f, make_float2(0.5f, 0.0f), make_float2(0.0f, 0.5f));
  out[i] = v;
}

//! run through_a_function(texture(f32[3,4]=rand:24 linear), f32[8]) block 8
//! out = 0.5849609 0.5998338 0.70186234 0.6635025 0.6719574 0.92320323 0.84056103 0.70096153
__global__ void through_a_function(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = at(t, i * 0.6f, i * 0.3f);
  out[i] = v;
}

//! run into_a_variable(texture(f32[3,4]=rand:24 linear), f32[8]) block 8
//! out = 0.5849609 0.5998338 0.70186234 0.6635025 0.6719574 0.92320323 0.84056103 0.70096153
__global__ void into_a_variable(cudaTextureObject_t t, float* out) {
  int i = threadIdx.x;
  float v = [&] { float f; tex2D(&f, t, i * 0.6f, i * 0.3f); return f; }();
  out[i] = v;
}

