// __device__, __constant__ and static variables.

__device__ int counter = 5;
//! run initialised_variable(i32[2])
//! out = 5 6
__global__ void initialised_variable(int* out) {
  out[0] = counter;
  counter += 1;
  out[1] = counter;
}

__device__ float zeroed[4];
//! run zero_at_the_start(f32[4]) block 4
//! out = 0 0 0 0
__global__ void zero_at_the_start(float* out) { out[threadIdx.x] = zeroed[threadIdx.x]; }

__device__ int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
//! run two_dimensional_table(i32[6]) block 3,2
//! out = 1 2 3 4 5 6
__global__ void two_dimensional_table(int* out) {
  out[threadIdx.y * 3 + threadIdx.x] = table[threadIdx.y][threadIdx.x];
}

__constant__ float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
//! run constant_array(f32[1])
//! out = 1
__global__ void constant_array(float* out) {
  float sum = 0;
  for (int i = 0; i < 5; ++i) sum += weights[i];
  out[0] = sum;
}

struct Camera {
  float3 position;
  float zoom;
  int size[2];
};
__constant__ Camera camera = {{1, 2, 3}, 0.5f, {640, 480}};
//! run constant_struct(f32[4])
//! out = 1 3 0.5 480
__global__ void constant_struct(float* out) {
  out[0] = camera.position.x;
  out[1] = camera.position.z;
  out[2] = camera.zoom;
  out[3] = camera.size[1];
}

__constant__ int scale;
//! run uninitialized_constant_is_zero(i32[1])
//! out = 7
__global__ void uninitialized_constant_is_zero(int* out) { out[0] = 7 + scale; }

static __device__ unsigned hits;
//! run counted_by_all(i32[1]) grid 4 block 8
//! out[0:1] = 32
__global__ void counted_by_all(int* out) {
  unsigned before = atomicAdd(&hits, 1u);
  if (before == 31) out[0] = before + 1;
}

__device__ int next_ticket() {
  static int ticket = 100;
  return atomicAdd(&ticket, 1);
}
//! run static_local(i32[3])
//! out = 100 101 102
__global__ void static_local(int* out) {
  out[0] = next_ticket();
  out[1] = next_ticket();
  out[2] = next_ticket();
}

struct Physics {
  static constexpr float gravity = 9.5f;
  static const int dimensions = 3;
  static constexpr int axes[3] = {4, 5, 6};
  __device__ static float fall(float t) { return gravity * t; }
};
//! run static_members(f32[4])
//! out = 9.5 3 19 6
__global__ void static_members(float* out) {
  out[0] = Physics::gravity;
  out[1] = Physics::dimensions;
  out[2] = Physics::fall(2);
  int i = threadIdx.x + 2;
  out[3] = Physics::axes[i];
}

template <class T>
struct Traits {
  static constexpr int width = sizeof(T) * 8;
  static constexpr T half_value = T(1) / 2;
};
//! run statics_in_templates(f32[4])
//! out = 32 64 0.5 0
__global__ void statics_in_templates(float* out) {
  out[0] = Traits<float>::width;
  out[1] = Traits<double>::width;
  out[2] = Traits<float>::half_value;
  out[3] = Traits<int>::half_value;
}

template <class T> __device__ T bias = T(3);
template <int N> constexpr int squared = N * N;
//! run variable_templates(f32[3])
//! out = 3 3 49
__global__ void variable_templates(float* out) {
  out[0] = bias<float>;
  out[1] = bias<int>;
  out[2] = squared<7>;
}

const int kHostAndDevice = 12;
constexpr double kTau = 6.25;
static const float kThird = 0.25f;
enum { kAnonymous = 77 };
//! run plain_constants(f64[4])
//! out = 12 6.25 0.25 77
__global__ void plain_constants(double* out) {
  out[0] = kHostAndDevice;
  out[1] = kTau;
  out[2] = kThird;
  out[3] = kAnonymous;
}

constexpr int powers_of_two[] = {1, 2, 4, 8, 16};
//! run constant_array_indexed(i32[5]) block 5
//! out = 1 2 4 8 16
__global__ void constant_array_indexed(int* out) { out[threadIdx.x] = powers_of_two[threadIdx.x]; }

namespace lib {
__device__ int inside = 3;
__constant__ int fixed[2] = {40, 50};
namespace {
__device__ int hidden = 2;
}
__device__ int sum() { return inside + fixed[1] + hidden; }
}
//! run variables_in_namespaces(i32[2])
//! out = 55 3
__global__ void variables_in_namespaces(int* out) {
  out[0] = lib::sum();
  out[1] = lib::inside;
}

__managed__ int managed_value = 6;
//! run managed_variable(i32[1])
//! out = 6
__global__ void managed_variable(int* out) { out[0] = managed_value; }

__device__ volatile int polled = 4;
//! run volatile_variable(i32[1])
//! out = 9
__global__ void volatile_variable(int* out) {
  polled = polled + 5;
  out[0] = polled;
}

__constant__ unsigned char letters[] = "quern";
//! run constant_text(i32[6]) block 6
//! out = 113 117 101 114 110 0
__global__ void constant_text(int* out) { out[threadIdx.x] = letters[threadIdx.x]; }

constexpr int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
__constant__ int factorials[4] = {factorial(3), factorial(4), factorial(5), factorial(6)};
//! run computed_at_compile_time(i32[4]) block 4
//! out = 6 24 120 720
__global__ void computed_at_compile_time(int* out) { out[threadIdx.x] = factorials[threadIdx.x]; }

__device__ double reals[2] = {0.1, 1e300};
__device__ long long wide = -5000000000ll;
__device__ unsigned short small = 65535;
//! run other_types(f64[4])
//! out = 0.1 1e+300 -5e+09 65535
__global__ void other_types(double* out) {
  out[0] = reals[0];
  out[1] = reals[1];
  out[2] = wide;
  out[3] = small;
}

__device__ int changes = 3;
//! run variables_are_no_constants(i32[2])
//! out = 3 4
__global__ void variables_are_no_constants(int* out) {
  const int before = changes;
  out[0] = before;
  changes = 4;
  const int after = changes;
  out[1] = after;
}
