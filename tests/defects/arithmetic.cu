// Integer arithmetic that has a defined result here and none in C++.

//! run divide_by_zero(i32[1], 0)
//! report division by zero @
//! out = 0
__global__ void divide_by_zero(int* out, int zero) {
  out[0] = 5 / zero;  //@
}
