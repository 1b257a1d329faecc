// A library that lacks most functions: an old version of cuBLAS, cuFFT and OpenBLAS in one.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): names of the libraries
__attribute__((visibility("default"))) int cublasCreate_v2(void** /*handle*/) { return 0; }
__attribute__((visibility("default"))) int cufftCreate(int* /*plan*/) { return 0; }
__attribute__((visibility("default"))) void cblas_sgemm() {}
// NOLINTEND(readability-identifier-naming)
}
