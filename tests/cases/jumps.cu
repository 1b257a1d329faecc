// Labels inside of nested blocks: case and goto in all positions that C++ allows.
__constant__ char gj_texts[4][8] = {"", "12", "-12+3", "9-4+1-2"};

__device__ int gj_duff(int count) {
  int n = (count + 3) / 4, sum = 0, i = 0;
  switch (count % 4) {
    case 0:
      do {
        sum += 10 + i++;
        case 3: sum += 20 + i++;
        case 2: sum += 30 + i++;
        case 1: sum += 40 + i++;
      } while (--n > 0);
  }
  return sum;
}

__device__ int gj_case_in_if(int n) {
  int r = 1;
  switch (n) {
    case 0: r = 10;
    case 1:
      if (r > 5) {
        r += 100;
        case 2: r += 1000;
        if (n == 2) break;
      } else {
        r += 3;
        default: r *= 2;
      }
      r += 7;
  }
  return r;
}

__device__ int gj_into_loop(int n) {
  int i = 0, sum = 0;
  if (n > 2) goto middle;
  for (i = 10; i < 14; ++i) {
    sum += 1;
  middle:
    sum += i;
    if (sum > 40) goto out;
  }
out:
  return sum * 100 + i;
}

__device__ int gj_into_if(int n) {
  int r = 0;
  if (n == 1) goto inside;
  if (n > 1) {
    r = 5;
  inside:
    r += 2;
  } else {
    r = 50;
  }
  return r;
}

__device__ int gj_between_branches(int n) {
  int r = n;
  if (n % 2) {
    r += 10;
    goto other;
  same:
    r += 100;
  } else {
    r += 1000;
    if (r < 1003) goto same;
  other:
    r += 5;
  }
  return r;
}

// Two loops that gotos form, each with an entry from the outside.
__device__ int gj_two_entries(int n) {
  int steps = 0;
  if (n % 2) goto second;
first:
  ++steps;
  if (steps > 20) goto done;
  n = n / 2;
second:
  steps += 3;
  n = n - 1;
  if (n > 0) goto first;
done:
  return steps * 10 + (n & 7);
}

__device__ int gj_state_machine(const char* s) {
  int value = 0;
start:
  switch (*s) {
    case 0: goto end;
    case '-': ++s; goto negative;
    default: goto positive;
  }
negative:
  while (*s) {
    value -= *s++ - '0';
    if (*s == '+') {
      ++s;
      goto positive;
    }
  }
  goto end;
positive:
  while (*s) {
    value += *s++ - '0';
    if (*s == '-') {
      ++s;
      goto negative;
    }
  }
  if (value > 100) goto start;
end:
  return value;
}

__device__ int gj_nested_switch(int a, int b) {
  int r = 0, i = 1;
  switch (a) {
    case 0:
      for (i = 0; i < 3; ++i) {
        r += 1;
        switch (b) {
          case 0: continue;
          case 1: r += 10; break;
          default: r += 100;
        }
        if (r > 105) break;
        case 5: r += 1000;
      }
      break;
    case 1: r = -1;
  }
  return r;
}

__device__ int gj_case_in_while(int n) {
  int i = n, r = 0;
  switch (n & 3) {
    while (i < 8) {
      case 1: r += i; ++i;
      case 2: r += 100; ++i;
      if (i == 7) continue;
      case 3: r += 10000; ++i;
    }
    default: r += 3;
  }
  return r;
}

__device__ int gj_loop_variable(int n) {
  int r = 0;
  for (int i = 0; i < 4; ++i) {
    int j = i * 2;
    if (i == n) goto add;
    j += 100;
    if (j > 103) {
    add:
      r += j;
    }
  }
  return r;
}

__device__ int gj_return_inside(int n) {
  switch (n) {
    case 0: {
      if (n) {
        case 1: return 11;
      }
      {
        case 2: n += 20;
      }
      return n;
    }
  }
  return -1;
}

__device__ int gj_recursive(int n) {
  int total = 0;
  switch (n % 2) {
    case 0:
      if (n <= 0) return 1;
      do {
        total += gj_recursive(n - 1);
        case 1: total += 2;
        n -= 2;
      } while (n > 1);
  }
  return total;
}

//! run jump_duff(i32[9]) block 9
//! out = 40 71 93 106 150 185 211 228 276
__global__ void jump_duff(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_duff(i + 1);
}

//! run jump_case_in_if(i32[4]) block 4
//! out = 1117 15 1001 9
__global__ void jump_case_in_if(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_case_in_if(i);
}

//! run jump_into_loop(i32[5]) block 5
//! out = 5013 5013 5013 4408 4408
__global__ void jump_into_loop(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_into_loop(i);
}

//! run jump_into_if(i32[3]) block 3
//! out = 50 2 7
__global__ void jump_into_if(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_into_if(i);
}

//! run jump_between_branches(i32[6]) block 6
//! out = 1100 16 1102 18 1009 20
__global__ void jump_between_branches(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_between_branches(i);
}

//! run jump_two_entries(i32[8]) block 8
//! out = 47 30 40 70 87 117 80 110
__global__ void jump_two_entries(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_two_entries(i);
}

//! run jump_state_machine(i32[4]) block 4
//! out = 0 3 0 4
__global__ void jump_state_machine(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_state_machine(gj_texts[i]);
}

//! run jump_nested_switch(i32[9]) block 9
//! out = 3 1022 1202 1001 1011 1101 -1 -1 -1
__global__ void jump_nested_switch(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_nested_switch(i < 3 ? 0 : i < 6 ? 5 : 1, i % 3);
}

//! run jump_case_in_while(i32[8]) block 8
//! out = 3 30315 30314 30214 3 10215 10210 10003
__global__ void jump_case_in_while(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_case_in_while(i);
}

//! run jump_loop_variable(i32[5]) block 5
//! out = 210 212 110 110 210
__global__ void jump_loop_variable(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_loop_variable(i);
}

//! run jump_return_inside(i32[4]) block 4
//! out = 20 11 22 -1
__global__ void jump_return_inside(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_return_inside(i);
}

//! run jump_recursive(i32[8]) block 8
//! out = 1 2 4 2 8 8 18 18
__global__ void jump_recursive(int* out) {
  const int i = threadIdx.x;
  out[i] = gj_recursive(i);
}
