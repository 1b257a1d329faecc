// Misuse of malloc, free, new and delete.

//! run reads_after_free(i32[1])
//! report use after free @
__global__ void reads_after_free(int* out) {
  int* p = (int*)malloc(16);
  p[0] = 3;
  free(p);
  out[0] = p[0];  //@
}

//! run writes_after_delete(i32[1])
//! report use after free @
__global__ void writes_after_delete(int* out) {
  int* p = new int(3);
  out[0] = *p;
  delete p;
  *p = 4;  //@
}

//! run frees_before_use(i32[1])
//! out = 3
__global__ void frees_before_use(int* out) {
  int* p = (int*)malloc(16);
  p[0] = 3;
  out[0] = p[0];
  free(p);
}

//! run frees_twice(i32[1])
//! report invalid free @
__global__ void frees_twice(int* out) {
  int* p = (int*)malloc(16);
  free(p);
  free(p);  //@
  out[0] = 1;
}

//! run frees_an_argument(i32[1])
//! report invalid free @
__global__ void frees_an_argument(int* out) {
  free(out);  //@
  out[0] = 1;
}

//! run frees_the_middle(i32[1])
//! report invalid free @
__global__ void frees_the_middle(int* out) {
  int* p = (int*)malloc(64);
  free(p + 4);  //@
  out[0] = 1;
}

//! run past_the_block(i32[1])
//! report out of bounds @
__global__ void past_the_block(int* out) {
  int* p = new int[5];
  for (int i = 0; i < 6; ++i) {
    p[i] = i;  //@
  }
  out[0] = p[0];
  delete[] p;
}

//! run before_the_block(i32[1])
//! report out of bounds @
__global__ void before_the_block(int* out) {
  int* first = new int[4];
  int* p = new int[4];
  p[-1] = 1;  //@
  out[0] = 1;
  delete[] p;
  delete[] first;
}

//! run never_written(i32[1])
//! report uninitialized @
__global__ void never_written(int* out) {
  int* p = new int[4];
  p[0] = 1;
  out[0] = p[0] + p[1];  //@
  delete[] p;
}

//! run null_is_not_checked(i32[1])
//! report out of bounds @
__global__ void null_is_not_checked(int* out) {
  int* p = (int*)malloc(1ull << 40);
  p[0] = 1;  //@
  out[0] = 1;
}
