// Integer abs, and ::min and ::max on every type for which CUDA has them. Mixed signs count as unsigned.

__device__ constexpr int abs(int x) { return __quern_abs(x); }
__device__ constexpr long abs(long x) { return __quern_abs(x); }
__device__ constexpr long long abs(long long x) { return __quern_abs(x); }
__device__ constexpr float abs(float x) { return __quern_abs(x); }
__device__ constexpr double abs(double x) { return __quern_abs(x); }
__device__ constexpr long labs(long x) { return __quern_abs(x); }
__device__ constexpr long long llabs(long long x) { return __quern_abs(x); }

__device__ constexpr int min(int a, int b) { return __quern_min(a, b); }
__device__ constexpr unsigned min(unsigned a, unsigned b) { return __quern_min(a, b); }
__device__ constexpr unsigned min(int a, unsigned b) { return __quern_min((unsigned)a, b); }
__device__ constexpr unsigned min(unsigned a, int b) { return __quern_min(a, (unsigned)b); }
__device__ constexpr long min(long a, long b) { return __quern_min(a, b); }
__device__ constexpr unsigned long min(unsigned long a, unsigned long b) { return __quern_min(a, b); }
__device__ constexpr unsigned long min(long a, unsigned long b) { return __quern_min((unsigned long)a, b); }
__device__ constexpr unsigned long min(unsigned long a, long b) { return __quern_min(a, (unsigned long)b); }
__device__ constexpr long long min(long long a, long long b) { return __quern_min(a, b); }
__device__ constexpr unsigned long long min(unsigned long long a, unsigned long long b) {
  return __quern_min(a, b);
}
__device__ constexpr unsigned long long min(long long a, unsigned long long b) {
  return __quern_min((unsigned long long)a, b);
}
__device__ constexpr unsigned long long min(unsigned long long a, long long b) {
  return __quern_min(a, (unsigned long long)b);
}
__device__ constexpr float min(float a, float b) { return __quern_min(a, b); }
__device__ constexpr double min(double a, double b) { return __quern_min(double(a), double(b)); }
__device__ constexpr double min(float a, double b) { return __quern_min(double(a), double(b)); }
__device__ constexpr double min(double a, float b) { return __quern_min(double(a), double(b)); }
__device__ constexpr __half min(__half a, __half b) { return __quern_min(a, b); }
__device__ constexpr __nv_bfloat16 min(__nv_bfloat16 a, __nv_bfloat16 b) { return __quern_min(a, b); }

__device__ constexpr int max(int a, int b) { return __quern_max(a, b); }
__device__ constexpr unsigned max(unsigned a, unsigned b) { return __quern_max(a, b); }
__device__ constexpr unsigned max(int a, unsigned b) { return __quern_max((unsigned)a, b); }
__device__ constexpr unsigned max(unsigned a, int b) { return __quern_max(a, (unsigned)b); }
__device__ constexpr long max(long a, long b) { return __quern_max(a, b); }
__device__ constexpr unsigned long max(unsigned long a, unsigned long b) { return __quern_max(a, b); }
__device__ constexpr unsigned long max(long a, unsigned long b) { return __quern_max((unsigned long)a, b); }
__device__ constexpr unsigned long max(unsigned long a, long b) { return __quern_max(a, (unsigned long)b); }
__device__ constexpr long long max(long long a, long long b) { return __quern_max(a, b); }
__device__ constexpr unsigned long long max(unsigned long long a, unsigned long long b) {
  return __quern_max(a, b);
}
__device__ constexpr unsigned long long max(long long a, unsigned long long b) {
  return __quern_max((unsigned long long)a, b);
}
__device__ constexpr unsigned long long max(unsigned long long a, long long b) {
  return __quern_max(a, (unsigned long long)b);
}
__device__ constexpr float max(float a, float b) { return __quern_max(a, b); }
__device__ constexpr double max(double a, double b) { return __quern_max(double(a), double(b)); }
__device__ constexpr double max(float a, double b) { return __quern_max(double(a), double(b)); }
__device__ constexpr double max(double a, float b) { return __quern_max(double(a), double(b)); }
__device__ constexpr __half max(__half a, __half b) { return __quern_max(a, b); }
__device__ constexpr __nv_bfloat16 max(__nv_bfloat16 a, __nv_bfloat16 b) { return __quern_max(a, b); }

__device__ constexpr unsigned umin(unsigned a, unsigned b) { return __quern_min(a, b); }
__device__ constexpr long long llmin(long long a, long long b) { return __quern_min(a, b); }
__device__ constexpr unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return __quern_min(a, b);
}
__device__ constexpr unsigned umax(unsigned a, unsigned b) { return __quern_max(a, b); }
__device__ constexpr long long llmax(long long a, long long b) { return __quern_max(a, b); }
__device__ constexpr unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return __quern_max(a, b);
}

struct div_t { int quot, rem; };
struct ldiv_t { long quot, rem; };
struct lldiv_t { long long quot, rem; };
__device__ constexpr div_t div(int a, int b) { return div_t{a / b, a % b}; }
__device__ constexpr ldiv_t div(long a, long b) { return ldiv_t{a / b, a % b}; }
__device__ constexpr lldiv_t div(long long a, long long b) { return lldiv_t{a / b, a % b}; }
