// Every statement of the language.

//! run if_else(i32[3])
//! out = 1 2 3
__global__ void if_else(int* out) {
  for (int i = 0; i < 3; ++i) {
    if (i == 0)
      out[i] = 1;
    else if (i == 1)
      out[i] = 2;
    else
      out[i] = 3;
  }
}

//! run dangling_else(i32[1])
//! out = 7
__global__ void dangling_else(int* out) {
  int a = 1, b = 0;
  out[0] = 5;
  if (a)
    if (b) out[0] = 6;
    else out[0] = 7;
}

//! run if_with_init(i32[2])
//! out = 4 -1
__global__ void if_with_init(int* out) {
  out[1] = -1;
  if (int n = 4; n > 3) out[0] = n;
  if (int m = 0) out[1] = m;
}

//! run while_loop(i32[1])
//! out = 10
__global__ void while_loop(int* out) {
  int sum = 0, i = 0;
  while (i < 5) sum += i++;
  out[0] = sum;
}

//! run do_loop(i32[2])
//! out = 1 6
__global__ void do_loop(int* out) {
  int n = 0;
  do ++n; while (false);
  out[0] = n;
  int i = 0, sum = 0;
  do {
    ++i;
    if (i == 4) continue;
    sum += i;
  } while (i < 4);
  out[1] = sum;
}

//! run for_forms(i32[3])
//! out = 45 3 20
__global__ void for_forms(int* out) {
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += i;
  out[0] = sum;
  int k = 0;
  for (;;) {
    if (++k == 3) break;
  }
  out[1] = k;
  sum = 0;
  for (int i = 0, j = 10; i < j; ++i, --j) sum += i * 2;
  out[2] = sum;
}

//! run continue_runs_step(i32[1])
//! out = 25
__global__ void continue_runs_step(int* out) {
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    if (i % 2 == 0) continue;
    sum += i;
  }
  out[0] = sum;
}

//! run nested_break(i32[1])
//! out = 12
__global__ void nested_break(int* out) {
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 10; ++j) {
      if (j == 3) break;
      ++count;
    }
  }
  out[0] = count;
}

//! run switch_breaks(i32[5])
//! out = 10 20 20 30 99
__global__ void switch_breaks(int* out) {
  for (int i = 0; i < 5; ++i) {
    switch (i) {
      case 0: out[i] = 10; break;
      case 1:
      case 2: out[i] = 20; break;
      case 3: {
        out[i] = 30;
        break;
      }
      default: out[i] = 99;
    }
  }
}

//! run switch_falls_through(i32[4])
//! out = 6 5 3 0
__global__ void switch_falls_through(int* out) {
  for (int i = 0; i < 4; ++i) {
    int sum = 0;
    switch (i) {
      case 0: sum += 1;
      case 1: sum += 2;
      case 2: sum += 3; break;
      default: break;
    }
    out[i] = sum;
  }
}

//! run switch_default_first(i32[3])
//! out = 7 1 7
__global__ void switch_default_first(int* out) {
  for (int i = 0; i < 3; ++i) {
    switch (i) {
      default: out[i] = 7; break;
      case 1: out[i] = 1; break;
    }
  }
}

//! run switch_break_in_if(i32[2])
//! out = 1 5
__global__ void switch_break_in_if(int* out) {
  for (int i = 0; i < 2; ++i) {
    int v = 1;
    switch (i < 5) {
      case true:
        if (i == 0) break;
        v = 5;
    }
    out[i] = v;
  }
}

//! run switch_continue(i32[1])
//! out = 6
__global__ void switch_continue(int* out) {
  int sum = 0;
  for (int i = 0; i < 5; ++i) {
    switch (i) {
      case 1: continue;
      case 3: continue;
      default: break;
    }
    sum += i;
  }
  out[0] = sum;
}

//! run switch_return(i32[2]) block 2
//! out = 3 4
__global__ void switch_return(int* out) {
  switch (threadIdx.x) {
    case 0: out[0] = 3; return;
    case 1: out[1] = 4; return;
  }
  out[threadIdx.x] = 9;
}

//! run switch_on_enum(i32[3])
//! out = 1 2 0
enum Colour { kRed, kGreen = 5, kBlue };
__device__ int code(Colour c) {
  switch (c) {
    case kRed: return 1;
    case kBlue: return 2;
    default: return 0;
  }
}
__global__ void switch_on_enum(int* out) {
  out[0] = code(kRed);
  out[1] = code(kBlue);
  out[2] = code(kGreen);
}

//! run switch_range(i32[4])
//! out = 0 1 1 0
__global__ void switch_range(int* out) {
  for (int i = 0; i < 4; ++i) {
    switch (i) {
      case 1 ... 2: out[i] = 1; break;
      default: out[i] = 0; break;
    }
  }
}

//! run early_return(i32[4]=0) block 4
//! out = 0 1 2 0
__global__ void early_return(int* out) {
  int i = threadIdx.x;
  if (i == 3) return;
  out[i] = i;
}

//! run return_in_loop(i32[2])
//! out = 3 -1
__device__ int find(int n, int wanted) {
  for (int i = 0; i < n; ++i) {
    if (i * i == wanted) return i;
  }
  return -1;
}
__global__ void return_in_loop(int* out) {
  out[0] = find(10, 9);
  out[1] = find(10, 10);
}

//! run goto_forward(i32[2])
//! out = 1 5
__global__ void goto_forward(int* out) {
  out[1] = 5;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (i * j == 1) goto done;
    }
  }
  out[1] = 6;
done:
  out[0] = 1;
}

//! run goto_backward(i32[1])
//! out = 5
__global__ void goto_backward(int* out) {
  int i = 0;
again:
  ++i;
  if (i < 5) goto again;
  out[0] = i;
}

//! run goto_cleanup(i32[3])
//! out = -1 10 -1
__device__ int guarded(int v) {
  int r = -1;
  if (v < 0) goto out;
  if (v > 100) goto out;
  r = v * 10;
out:
  return r;
}
__global__ void goto_cleanup(int* out) {
  out[0] = guarded(-5);
  out[1] = guarded(1);
  out[2] = guarded(101);
}

//! run range_for(i32[1])
//! out = 15
__global__ void range_for(int* out) {
  int values[] = {1, 2, 3, 4, 5};
  int sum = 0;
  for (int v : values) sum += v;
  out[0] = sum;
}

//! run range_for_reference(i32[3])
//! out = 2 4 6
__global__ void range_for_reference(int* out) {
  int values[3] = {1, 2, 3};
  for (auto& v : values) v *= 2;
  for (int i = 0; i < 3; ++i) out[i] = values[i];
}

//! run shadowing(i32[3])
//! out = 2 3 1
__global__ void shadowing(int* out) {
  int x = 1;
  {
    int x = 2;
    out[0] = x;
  }
  for (int x = 3; x < 4; ++x) out[1] = x;
  out[2] = x;
}

//! run empty_statements(i32[1])
//! out = 4
__global__ void empty_statements(int* out) {
  ;;
  for (int i = 0; i < 3; ++i);
  {}
  out[0] = 4;
}

//! run unrolled(i32[1])
//! out = 28
__global__ void unrolled(int* out) {
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += i;
#pragma unroll 4
  for (int i = 0; i < 0; ++i) sum += 100;
  out[0] = sum;
}

//! run structured_binding(i32[2])
//! out = 3 4
struct Two { int a, b; };
__device__ Two make_two() { return {3, 4}; }
__global__ void structured_binding(int* out) {
  auto [a, b] = make_two();
  out[0] = a;
  out[1] = b;
}

//! run if_constexpr(i32[2])
//! out = 4 8
template <typename T>
__device__ int width() {
  if constexpr (sizeof(T) == 4) return 4;
  else return 8;
}
__global__ void if_constexpr(int* out) {
  out[0] = width<float>();
  out[1] = width<double>();
}

//! run variable_per_iteration(i32[3])
//! out = 1 1 1
__global__ void variable_per_iteration(int* out) {
  for (int i = 0; i < 3; ++i) {
    int fresh = 0;
    ++fresh;
    out[i] = fresh;
  }
}

//! run loop_condition_declares(i32[1])
//! out = 6
__global__ void loop_condition_declares(int* out) {
  int n = 3, sum = 0;
  while (int left = n) {
    sum += left;
    --n;
  }
  out[0] = sum;
}

//! run choice_of_a_loaded_value(f32[3]=200)
//! out[0:1] = 200
__global__ void choice_of_a_loaded_value(float* out) {
  float s = 1, r = out[1];
  if (r > 4.0f) {
    s = r > 100.0f ? r : out[2] * r;
  } else {
    s = 2;
  }
  out[0] = s;
}

//! run attributes(i32[6])
//! out = 1 2 1 3 4 5
[[maybe_unused]] __device__ int attributed([[maybe_unused]] int a, int b [[maybe_unused]]) { return b; }
struct [[nodiscard]] Attributed {
  [[maybe_unused]] int x;
  int y [[maybe_unused]] = 4;
};
namespace [[deprecated]] old_names {
__device__ int five() { return 5; }
}
__global__ void attributes(int* out) {
  [[maybe_unused]] int u = 1;
  switch (u) {
    case 1: out[0] = 1; [[fallthrough]];
    case 2: out[1] = 2; break;
    [[unlikely]] default: break;
  }
  if (u) [[likely]] {
    out[2] = 1;
  } else [[unlikely]] {
    out[2] = 2;
  }
  out[3] = attributed(1, 3);
  Attributed s{1};
  out[4] = s.y;
  out[5] = old_names::five();
}

template <int N>
__device__ int skipped() {
  int r = 1;
  if constexpr (N == 0) [[likely]] {
    r = 2;
  } else
#pragma unroll
    for (int i = 0; i < N; ++i) { r += 10; }
  r += 100;
  return r;
}
//! run branches_not_taken(i32[2])
//! out = 102 121
__global__ void branches_not_taken(int* out) {
  out[0] = skipped<0>();
  out[1] = skipped<2>();
}

#define LARGER(x, y) ({ __typeof__(x) x_ = (x); __typeof__(y) y_ = (y); x_ < y_ ? y_ : x_; })
//! run blocks_in_expressions(i32[4], 30)
//! out = 31 5 7 435
__global__ void blocks_in_expressions(int* out, int n) {
  out[0] = LARGER(LARGER(n, 3), LARGER(2, LARGER(n + 1, 9)));
  ({ out[1] = 5; });
  ({
    if (n) { out[2] = 7; }
  });
  out[3] = ({
    int s = 0;
    for (int i = 0; i < n; ++i) { s += i; }
    s;
  });
}

//! run switches_without_cases(i32[2], 3)
//! out = 3 2
__global__ void switches_without_cases(int* out, int n) {
  int turns = 0;
  for (int i = 0; i < n; ++i) {
    switch (i & 3) {
    }
    turns = i;
  }
  switch (n++) {}
  out[0] = n - 1;
  out[1] = turns;
}
