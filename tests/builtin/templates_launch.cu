// Uses the templates and constants for launches from kernels.
__global__ void child(int* out, int n) { out[0] = n; }
__global__ void use_launches(int* out) {
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 1);
  child<<<1, 1, 0, cudaStreamFireAndForget>>>(out, 2);
  cudaStream_t blocking, other;
  cudaStreamCreateWithFlags(&blocking, cudaStreamDefault);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  child<<<1, 1, 0, blocking>>>(out, 3);
  child<<<dim3(1), dim3(1), 0, other>>>(out, 4);
}
__global__ void use_errors(int* out) {
  const cudaError_t errors[] = {cudaSuccess,
                                cudaErrorInvalidValue,
                                cudaErrorMemoryAllocation,
                                cudaErrorInvalidConfiguration,
                                cudaErrorLaunchPendingCountExceeded,
                                cudaErrorNotSupported,
                                cudaErrorUnknown};
  for (int i = 0; i < 7; ++i) out[i] = errors[i];
  if (cudaGetLastError() != cudaSuccess || cudaPeekAtLastError() != cudaSuccess) out[7] = 1;
}
