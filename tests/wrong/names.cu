__global__ void k(float* x) { x[0] = sqrtt(2.0f); }
//! 1:38: 'sqrtt' is not a function here; did you mean 'sqrt'?
//---
