// Templates of functions, classes, aliases and variables.

template <typename T>
__device__ T square(T x) { return x * x; }
//! run deduced(f32[2])
//! out = 9 6.25
__global__ void deduced(float* out) {
  out[0] = square(3);
  out[1] = square(2.5f);
}

//! run explicit_argument(f32[1])
//! out = 4
__global__ void explicit_argument(float* out) { out[0] = square<int>(2.9f); }

template <typename T, int N>
__device__ T sum(const T (&a)[N]) {
  T s = 0;
  for (int i = 0; i < N; ++i) s += a[i];
  return s;
}
//! run array_extent(i32[1])
//! out = 10
__global__ void array_extent(int* out) {
  int a[] = {1, 2, 3, 4};
  out[0] = sum(a);
}

template <typename T, int N = 3>
struct Array {
  T data[N];
  static constexpr int size = N;
  __device__ T& operator[](int i) { return data[i]; }
  __device__ const T& operator[](int i) const { return data[i]; }
  template <typename F>
  __device__ void each(F f) {
    for (int i = 0; i < N; ++i) data[i] = f(data[i]);
  }
};
template <typename T, int N>
__device__ T total(const Array<T, N>& a) {
  T s{};
  for (int i = 0; i < N; ++i) s += a[i];
  return s;
}
//! run class_template(i32[4])
//! out = 6 3 12 2
__global__ void class_template(int* out) {
  Array<int> a = {{1, 2, 3}};
  out[0] = total(a);
  out[1] = a.size;
  a.each([](int v) { return 2 * v; });
  out[2] = total(a);
  out[3] = Array<float, 2>::size;
}

template <typename T>
struct Traits {
  static constexpr int id = 0;
  using Wide = T;
};
template <>
struct Traits<float> {
  static constexpr int id = 1;
  using Wide = double;
};
template <typename T>
struct Traits<T*> {
  static constexpr int id = 2;
  using Wide = typename Traits<T>::Wide;
};
template <typename T, int N>
struct Traits<T[N]> {
  static constexpr int id = 3 + N;
};
//! run specialisations(i32[5])
//! out = 0 1 2 8 8
__global__ void specialisations(int* out) {
  out[0] = Traits<int>::id;
  out[1] = Traits<float>::id;
  out[2] = Traits<const char*>::id;
  out[3] = Traits<int[5]>::id;
  out[4] = sizeof(Traits<float*>::Wide);
}

template <typename T>
__device__ int kind(T) { return 0; }
template <>
__device__ int kind(float) { return 1; }
template <>
__device__ int kind<double>(double) { return 2; }
//! run function_specialisations(i32[3])
//! out = 0 1 2
__global__ void function_specialisations(int* out) {
  out[0] = kind(3);
  out[1] = kind(3.0f);
  out[2] = kind(3.0);
}

__device__ int which(int) { return 1; }
__device__ int which(float) { return 2; }
template <typename T>
__device__ int which(T*) { return 3; }
template <typename T>
__device__ int which(T) { return 4; }
//! run overloads(i32[4])
//! out = 1 2 3 4
__global__ void overloads(int* out) {
  out[0] = which(1);
  out[1] = which(1.0f);
  out[2] = which(out);
  out[3] = which(1.0);
}

template <int N>
struct Factorial {
  static constexpr int value = N * Factorial<N - 1>::value;
};
template <>
struct Factorial<0> {
  static constexpr int value = 1;
};
//! run recursive_template(i32[1])
//! out = 120
__global__ void recursive_template(int* out) { out[0] = Factorial<5>::value; }

template <typename... Ts>
__device__ int count(Ts... args) { return sizeof...(args); }
template <typename T>
__device__ T add_all(T a) { return a; }
template <typename T, typename... Rest>
__device__ T add_all(T a, Rest... rest) { return a + add_all(rest...); }
//! run packs(i32[3])
//! out = 3 0 10
__global__ void packs(int* out) {
  out[0] = count(1, 2.0f, 'c');
  out[1] = count();
  out[2] = add_all(1, 2, 3, 4);
}

template <typename... Ts>
__device__ int fold(Ts... v) { return (v + ...); }
template <typename... Ts>
__device__ bool all(Ts... v) { return (... && (v > 0)); }
template <int... Is>
__device__ int weights() { return (0 + ... + Is); }
//! run folds(i32[4])
//! out = 6 1 0 9
__global__ void folds(int* out) {
  out[0] = fold(1, 2, 3);
  out[1] = all(1, 2);
  out[2] = all(1, -2);
  out[3] = weights<2, 3, 4>();
}

template <typename T>
using Pointer = T*;
template <typename T>
constexpr bool is_small = sizeof(T) <= 2;
//! run alias_and_variable_templates(i32[3])
//! out = 1 1 0
__global__ void alias_and_variable_templates(int* out) {
  Pointer<int> p = out;
  p[0] = 1;
  out[1] = is_small<short>;
  out[2] = is_small<int>;
}

struct Add { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Max { template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; } };
template <typename Op, typename T>
__device__ T reduce(const T* v, int n, Op op) {
  T r = v[0];
  for (int i = 1; i < n; ++i) r = op(r, v[i]);
  return r;
}
//! run functors(i32[5]=iota, i32[2])
//! out = 10 4
__global__ void functors(const int* in, int* out) {
  out[0] = reduce(in, 5, Add());
  out[1] = reduce(in, 5, Max{});
}

template <template <typename> class Box, typename T>
__device__ T unbox(Box<T> b) { return b.v; }
template <typename T>
struct Holder { T v; };
//! run template_template(i32[1])
//! out = 9
__global__ void template_template(int* out) { out[0] = unbox(Holder<int>{9}); }

__device__ float twice(float x) { return 2 * x; }
__device__ float half_of(float x) { return x / 2; }
template <float (*F)(float)>
__device__ float apply(float x) { return F(x); }
typedef float (*Function)(float);
__device__ float call(Function f, float x) { return f(x); }
//! run function_pointers(f32[4])
//! out = 6 1.5 8 2
__global__ void function_pointers(float* out) {
  out[0] = apply<twice>(3);
  out[1] = apply<&half_of>(3);
  out[2] = call(twice, 4);
  float (*f)(float) = half_of;
  out[3] = f(4);
}

template <typename T>
class Stack {
 public:
  __device__ Stack() : n_(0) {}
  __device__ void push(const T& v);
  __device__ T pop();

 private:
  T items_[4];
  int n_;
};
template <typename T>
__device__ void Stack<T>::push(const T& v) { items_[n_++] = v; }
template <typename U>
__device__ U Stack<U>::pop() { return items_[--n_]; }
//! run members_outside(i32[2])
//! out = 8 7
__global__ void members_outside(int* out) {
  Stack<int> s;
  s.push(7);
  s.push(8);
  out[0] = s.pop();
  out[1] = s.pop();
}

template <typename T>
__global__ void kernel_template(T* out) { out[threadIdx.x] = T(threadIdx.x) / T(2); }
//! run kernel_template<float>(f32[3]) block 3
//! out = 0 0.5 1
//! run kernel_template<int>(i32[3]) block 3
//! out = 0 0 1

template <int BLOCK, bool REVERSE>
__global__ void kernel_values(int* out) {
  __shared__ int tile[BLOCK];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = REVERSE ? tile[BLOCK - 1 - threadIdx.x] : tile[threadIdx.x];
}
//! run kernel_values<4, true>(i32[4]) block 4
//! out = 3 2 1 0
//! run kernel_values<2, false>(i32[2]) block 2
//! out = 0 1

template <typename T>
struct Shared {
  __device__ operator T*() {
    extern __shared__ int raw[];
    return (T*)raw;
  }
};
//! run shared_memory_wrapper(f32[2]) block 2 shared 8
//! out = 1 0
__global__ void shared_memory_wrapper(float* out) {
  float* s = Shared<float>();
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[1 - threadIdx.x];
}

template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>>
__device__ int sort_of(T) { return 1; }
template <typename T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
__device__ int sort_of(T) { return 2; }
//! run enable_if(i32[2])
//! out = 1 2
__global__ void enable_if(int* out) {
  out[0] = sort_of(5);
  out[1] = sort_of(5.0f);
}

//! run type_traits(i32[8])
//! out = 1 0 1 1 1 1 4 1
__global__ void type_traits(int* out) {
  out[0] = std::is_same<int, int>::value;
  out[1] = std::is_same_v<int, float>;
  out[2] = std::is_pointer<int*>::value;
  out[3] = std::is_same_v<std::remove_const_t<const int>, int>;
  out[4] = std::is_same_v<std::conditional_t<true, int, float>, int>;
  out[5] = std::is_unsigned<unsigned>::value;
  out[6] = sizeof(std::decay_t<const float&>);
  out[7] = std::is_same_v<decltype(1 + 1.0f), float>;
}

//! run numeric_limits(f64[6])
//! out = 2147483647 3.4028234663852886e+38 -128 255 1.1920928955078125e-07 1
__global__ void numeric_limits(double* out) {
  out[0] = std::numeric_limits<int>::max();
  out[1] = std::numeric_limits<float>::max();
  out[2] = std::numeric_limits<signed char>::min();
  out[3] = std::numeric_limits<unsigned char>::max();
  out[4] = std::numeric_limits<float>::epsilon();
  out[5] = std::numeric_limits<float>::infinity() > 1e38f;
}

template <typename T>
__device__ auto make_pair_sum(T a, T b) -> decltype(a + b) { return a + b; }
__device__ auto deduced_result(int n) {
  if (n > 0) return 1.5f;
  return 0.5f;
}
//! run result_types(f32[2])
//! out = 7 1.5
__global__ void result_types(float* out) {
  out[0] = make_pair_sum(3, 4);
  out[1] = deduced_result(1);
}

//! run generic_lambda(f32[2])
//! out = 3 2.5
__global__ void generic_lambda(float* out) {
  auto add = [](auto a, auto b) { return a + b; };
  out[0] = add(1, 2);
  out[1] = add(1.0f, 1.5f);
}

//! run lambda_captures(i32[4])
//! out = 15 6 11 10
__global__ void lambda_captures(int* out) {
  int base = 10, step = 5;
  auto by_copy = [=](int n) { return base + n * step; };
  out[0] = by_copy(1);
  auto by_reference = [&step] { ++step; };
  by_reference();
  out[1] = step;
  auto with_init = [b = base + 1] { return b; };
  base = 0;
  out[2] = with_init();
  auto counter = [n = 9]() mutable { return ++n; };
  out[3] = counter();
}

template <typename F>
__device__ void repeat(int n, F&& f) {
  for (int i = 0; i < n; ++i) f(i);
}
//! run lambda_passed_on(i32[1])
//! out = 10
__global__ void lambda_passed_on(int* out) {
  int sum = 0;
  repeat(5, [&](int i) { sum += i; });
  out[0] = sum;
}

//! run lambda_returns_early(i32[2])
//! out = -1 4
__global__ void lambda_returns_early(int* out) {
  auto f = [](int v) -> int {
    if (v < 0) return -1;
    return v * v;
  };
  out[0] = f(-3);
  out[1] = f(2);
}

struct Acc {
  int total = 0;
  __device__ void run() {
    auto add = [this](int v) { total += v; };
    add(2);
    add(3);
  }
};
//! run lambda_captures_this(i32[1])
//! out = 5
__global__ void lambda_captures_this(int* out) {
  Acc a;
  a.run();
  out[0] = a.total;
}

#define SQUARE(x) ((x) * (x))
#define CAT(a, b) a##b
#define TEXT(x) #x
#define APPLY(f, ...) f(__VA_ARGS__)
//! run macros(i32[4])
//! out = 16 5 3 7
__global__ void macros(int* out) {
  out[0] = SQUARE(1 + 3);
  int CAT(va, lue) = 5;
  out[1] = value;
  out[2] = sizeof(TEXT(ab)) / sizeof(char);
  out[3] = APPLY(max, 3, 7);
}

#define SHARED_OF(type, name)                      \
  template <>                                      \
  struct SharedOf<type> {                          \
    __device__ type& operator[](int i) {           \
      extern __shared__ type name[];               \
      return name[i];                              \
    }                                              \
  }
template <typename T> struct SharedOf;
SHARED_OF(int, shared_int);
SHARED_OF(float, shared_float);
//! run members_made_by_a_macro(f32[2]) block 2 shared 8
//! out = 1 0
__global__ void members_made_by_a_macro(float* out) {
  SharedOf<float> s;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[1 - threadIdx.x];
}

template <class... Ts>
struct Chain;
template <>
struct Chain<> {
  static constexpr int bytes = 0;
};
template <class T, class... Rest>
struct Chain<T, Rest...> {
  static constexpr int bytes = sizeof(T) + Chain<Rest...>::bytes;
};
//! run variadic_specialisation(i32[3])
//! out = 0 4 13
__global__ void variadic_specialisation(int* out) {
  out[0] = Chain<>::bytes;
  out[1] = Chain<int>::bytes;
  out[2] = Chain<int, double, char>::bytes;
}

template <class T, class = void>
struct HasX {
  static constexpr int value = 0;
};
template <class T>
struct HasX<T, std::void_t<decltype(std::declval<T>().x)>> {
  static constexpr int value = 1;
};
struct WithX { int x; };
struct WithoutX { int y; };
//! run detection(i32[2])
//! out = 1 0
__global__ void detection(int* out) {
  out[0] = HasX<WithX>::value;
  out[1] = HasX<WithoutX>::value;
}

//! run binding_by_reference(i32[2])
//! out = 5 7
__global__ void binding_by_reference(int* out) {
  WithX w{1};
  auto& [x] = w;
  x = 5;
  out[0] = w.x;
  int a[2] = {6, 7};
  const auto& [first, second] = a;
  out[1] = second + 0 * first;
}

extern __device__ int defined_later;
//! run extern_variable(i32[1])
//! out = 21
__global__ void extern_variable(int* out) { out[0] = defined_later; }
__device__ int defined_later = 21;

struct Squares {
  int v[4];
  constexpr Squares() : v{} {
    for (int i = 0; i < 4; ++i) v[i] = i * i;
  }
};
__constant__ Squares squares_table;
//! run constructed_constant(i32[1], 3)
//! out = 9
__global__ void constructed_constant(int* out, int i) {
  if (i > 0) [[likely]] out[0] = squares_table.v[i];
}

struct Typed {
  using Value = float;
};
//! run type_of_decltype(f32[1])
//! out = 0.5
__global__ void type_of_decltype(float* out) {
  Typed t;
  decltype(t)::Value half_one = 0.5f;
  out[0] = half_one;
}
