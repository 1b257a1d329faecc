//! run lost_update(i32[1]=0) block 2
//! report race @
__global__ void lost_update(int* out) {
  out[0] += 1;  //@
}
