// Uses every template of the library for textures and surfaces.
__device__ int modes() {
  cudaTextureReadMode read[] = {cudaReadModeElementType, cudaReadModeNormalizedFloat};
  cudaTextureAddressMode address[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                      cudaAddressModeBorder};
  cudaTextureFilterMode filter[] = {cudaFilterModePoint, cudaFilterModeLinear};
  cudaSurfaceBoundaryMode boundary[] = {cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap};
  return int(read[1]) + int(address[3]) + int(filter[1]) + int(boundary[2]) + cudaTextureType1D +
         cudaTextureType2D + cudaTextureType3D + cudaTextureType1DLayered + cudaTextureType2DLayered;
}
__global__ void use_textures(cudaTextureObject_t t, CUtexObject same, float* out) {
  const float2 d2{1, 1};
  const float4 d4{1, 1, 1, 1};
  float x = tex1Dfetch<float>(t, 1) + tex1D<float>(t, 0.5f) + tex2D<float>(same, 0, 1) + tex3D<float>(t, 0, 1, 2);
  x += tex1DLayered<float>(t, 0, 1) + tex2DLayered<float>(t, 0, 1, 1) + tex1DLod<float>(t, 0, 0);
  x += tex1DGrad<float>(t, 0, 1, 1) + tex2DLod<float>(t, 0, 0, 0) + tex2DGrad<float>(t, 0, 0, d2, d2);
  x += tex3DLod<float>(t, 0, 0, 0, 0) + tex3DGrad<float>(t, 0, 0, 0, d4, d4) + tex1DLayeredLod<float>(t, 0, 1, 0);
  x += tex1DLayeredGrad<float>(t, 0, 1, 1, 1) + tex2DLayeredLod<float>(t, 0, 0, 1, 0);
  x += tex2DLayeredGrad<float>(t, 0, 0, 1, d2, d2) + tex2Dgather<float4>(t, 0, 0).x;
  out[0] = x + modes();
}
__global__ void use_surfaces(cudaSurfaceObject_t s, CUsurfObject same) {
  int x = surf1Dread<int>(s, 0) + surf2Dread<int>(same, 0, 0) + surf3Dread<int>(s, 0, 0, 0);
  x += surf1DLayeredread<int>(s, 0, 1) + surf2DLayeredread<int>(s, 0, 0, 1);
  surf1Dwrite(x, s, 0);
  surf2Dwrite(x, s, 0, 0);
  surf3Dwrite(x, s, 0, 0, 0);
  surf1DLayeredwrite(x, s, 0, 1);
  surf2DLayeredwrite(x, s, 0, 0, 1);
}
texture<float, 2, cudaReadModeElementType> reference;
__global__ void use_references(float* out) { out[0] = tex2D(reference, 0.5f, 0.5f); }
