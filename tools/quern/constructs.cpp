#include "constructs.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "lang/compile.hpp"
#include "targets.hpp"

namespace quern::tool {

namespace {

using driver::CodeKind;

struct Construct {
  std::string_view what;
  std::string_view statements;   // of a kernel that has the parameters below
  std::string_view before = {};  // declarations
  std::string_view params = "float* f, int* n, unsigned* u";
};

constexpr Construct kPlain = {
    "", "f[threadIdx.x] = f[threadIdx.x + 1]; n[blockIdx.x] = u[gridDim.x] + blockDim.x;"};

constexpr std::string_view kDouble = "double* d, int* n";
constexpr std::string_view kLong = "long long* l, float* f";
constexpr std::string_view kNarrow = "unsigned char* c, short* s";
constexpr std::string_view kHalf = "__half* h, __nv_bfloat16* b";

constexpr Construct kConstructs[] = {
    {"`float`: `+ - *`, comparisons", "f[0] = f[1] * f[2] + f[3]; n[0] = f[0] < f[1];"},
    {"`float`: `/`, `sqrtf`", "f[0] = f[1] / f[2]; f[3] = sqrtf(f[4]);"},
    {"`fmaf`", "f[0] = fmaf(f[1], f[2], f[3]);"},
    {"`floorf`, `rintf`, `truncf`", "f[0] = floorf(f[1]); f[2] = rintf(f[3]); f[4] = truncf(f[5]);"},
    {"`fmodf`, `remainderf`", "f[0] = fmodf(f[1], f[2]); f[3] = remainderf(f[4], f[5]);"},
    {"`expf`, `logf`, `powf`", "f[0] = expf(f[1]); f[2] = logf(f[3]); f[4] = powf(f[5], f[6]);"},
    {"`sinf`, `cosf`, `tanf`", "f[0] = sinf(f[1]); f[2] = cosf(f[3]); f[4] = tanf(f[5]);"},
    {"`asinf`, `atan2f`, `sinhf`, `cbrtf`",
     "f[0] = asinf(f[1]); f[2] = atan2f(f[3], f[4]); f[5] = sinhf(f[6]) + cbrtf(f[7]);"},
    {"`erff`, `erfcf`", "f[0] = erff(f[1]); f[2] = erfcf(f[3]);"},
    {"`erfinvf`, `normcdfinvf`", "f[0] = erfinvf(f[1]); f[2] = normcdfinvf(f[3]);"},
    {"`lgammaf`, `tgammaf`", "f[0] = lgammaf(f[1]); f[2] = tgammaf(f[3]);"},
    {"Bessel functions: `j0f`, `y0f`", "f[0] = j0f(f[1]); f[2] = y0f(f[3]);"},
    {"`__expf`, `__sinf`, `__fdividef`",
     "f[0] = __expf(f[1]); f[2] = __sinf(f[3]); f[4] = __fdividef(f[5], f[6]);"},
    {"rounding modes: `__fadd_ru`, `__fmul_rz`",
     "f[0] = __fadd_ru(f[1], f[2]); f[3] = __fmul_rz(f[4], f[5]);"},
    {"`double`: `+ - *`", "d[0] = d[1] * d[2] + d[3];", "", kDouble},
    {"`double`: `/`, `sqrt`, `fma`", "d[0] = d[1] / d[2]; d[3] = sqrt(d[4]); d[5] = fma(d[6], d[7], d[8]);",
     "", kDouble},
    {"`double`: `exp`, `log`, `sin`", "d[0] = exp(d[1]); d[2] = log(d[3]); d[4] = sin(d[5]);", "", kDouble},
    {"half, bfloat16", "h[0] = h[1] * h[2] + h[3]; b[0] = b[1] * b[2];", "", kHalf},
    {"half with a rounding mode: `__float2half_ru`", "h[0] = __float2half_ru(f[0]);", "",
     "__half* h, float* f"},
    {"8- and 16-bit loads and stores", "c[0] = c[1]; s[0] = s[1];", "", kNarrow},
    {"8- and 16-bit arithmetic", "c[0] = c[1] * c[2]; s[0] = s[1] / s[2];", "", kNarrow},
    {"64-bit integers", "l[0] = l[1] * l[2] / l[3]; f[0] = l[4];", "", kLong},
    {"integer division", "n[0] = n[1] / n[2]; u[0] = u[1] % u[2];"},
    {"`__popc`, `__clz`, `__brev`, `__ffs`",
     "n[0] = __popc(n[1]) + __clz(n[2]) + __brev(n[3]) + __ffs(n[4]);"},
    {"`__byte_perm`, `__funnelshift_l`, `__dp4a`",
     "n[0] = __byte_perm(n[1], n[2], n[3]) + __funnelshift_l(n[4], n[5], n[6]) + __dp4a(n[7], n[8], n[9]);"},
    {"float to integer", "n[0] = (int)f[0]; u[0] = __float2uint_rn(f[1]);"},
    {"structs and arrays in local memory",
     "P p[4]; for (int i = 0; i < 4; ++i) p[n[i] & 3].x = i; n[0] = p[n[5] & 3].x;",
     "struct P { int x, y; };"},
    {"shared memory, `__syncthreads()`",
     "__shared__ int s[64]; s[threadIdx.x] = n[0]; __syncthreads(); n[threadIdx.x] = s[63 - threadIdx.x];"},
    {"dynamic shared memory",
     "extern __shared__ int s[]; s[threadIdx.x] = n[0]; __syncthreads(); n[threadIdx.x] = s[63 - "
     "threadIdx.x];"},
    {"barriers that not all threads reach",
     "if (n[0] > 3 + (int)threadIdx.x) { n[1] = 4; __syncthreads(); n[2] += 3; }"},
    {"`__syncthreads_count`, `_or`, `_and`", "n[0] = __syncthreads_count(n[threadIdx.x]);"},
    {"`__syncwarp()`", "n[threadIdx.x] = 1; __syncwarp(); n[threadIdx.x + 1] += 1;"},
    {"`__threadfence_block()`", "n[0] = 1; __threadfence_block(); n[1] = 2;"},
    {"`__threadfence()`", "n[0] = 1; __threadfence(); n[1] = 2;"},
    {"`grid.sync()`", "cooperative_groups::this_grid().sync(); n[0] = 1;",
     "#include <cooperative_groups.h>\n"},
    {"shuffles, votes, `__match_any_sync`",
     "n[threadIdx.x] = __shfl_xor_sync(~0u, n[threadIdx.x], 1) + __ballot_sync(~0u, n[0]) + "
     "__match_any_sync(~0u, n[1]);"},
    {"warp operations by some threads of a block",
     "if (threadIdx.x / 32 == n[0]) n[threadIdx.x] = __shfl_down_sync(~0u, n[threadIdx.x], 1);"},
    {"half matrices (`wmma`)",
     "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a; wmma::fragment<wmma::matrix_b, "
     "16, "
     "16, 16, half, wmma::row_major> b; wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; "
     "wmma::load_matrix_sync(a, h, 16); wmma::load_matrix_sync(b, h, 16); wmma::fill_fragment(c, 0.0f); "
     "wmma::mma_sync(c, a, b, c); wmma::store_matrix_sync(f, c, 16, wmma::mem_row_major);",
     "#include <mma.h>\nusing namespace nvcuda;", "const __half* h, float* f"},
    {"atomics on 32-bit integers",
     "atomicAdd(n, 1); atomicMax(n + 1, 3); atomicCAS(u, 1u, 2u); atomicExch(u + 1, 3u);"},
    {"`atomicInc`, `atomicDec`", "atomicInc(u, 5u); atomicDec(u + 1, 5u);"},
    {"`atomicAdd` on `float`", "atomicAdd(f, 1.0f);"},
    {"`atomicAdd` on `double`", "atomicAdd(d, 1.0);", "", kDouble},
    {"`atomicAdd` on half", "atomicAdd(h, h[1]);", "", kHalf},
    {"16-bit atomics", "atomicCAS(s, (unsigned short)1, (unsigned short)2);", "", "unsigned short* s"},
    {"64-bit atomics", "atomicAdd(l, 1ull);", "", "unsigned long long* l"},
    {"loops that wait for another thread", "while (atomicCAS(n, 0, 1) != 0) {} n[1] += 1; atomicExch(n, 0);"},
    {"pointers in memory", "q[0] = q[1] + 1;", "", "int** q"},
    {"structs with pointers as parameters", "*s.p = s.n;", "struct S { int* p; int n; };", "S s"},
    {"alignment of a pointer: `(size_t)p % 16`", "n[0] = (size_t)n % 16;"},
    {"pointers as integers", "n[0] = (int)((size_t)n >> 4);"},
    {"generic pointers",
     "__shared__ int s[4]; int* p = n[0] ? n : s; if (n[1]) p = &s[1]; __syncthreads(); n[2] = *p;"},
    {"`__device__`, `__constant__` variables", "n[0] = v + c[n[1] & 3]; v = 3;",
     "__device__ int v; __constant__ int c[4];"},
    {"variables initialized with addresses", "n[0] = *p;", "__device__ int v[4]; __device__ int* p = v + 1;"},
    {"`printf`, `assert`, `__trap()`",
     "printf(\"%d %f\\n\", n[0], 1.5f * f[0]); assert(n[1] > 0); if (n[2]) __trap();"},
    {"`%s` of a string chosen at run time", "printf(\"%s\\n\", n[0] ? \"yes\" : \"no\");"},
    {"`clock()`", "n[0] = clock();"},
};

std::string program(const Construct& c) {
  return std::string("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n") + std::string(c.before) +
         "\n__global__ void k(" + std::string(c.params) + ") {\n" + std::string(c.statements) + "\n}\n";
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Names of our helper functions in a text; in a binary they appear unchanged.
std::set<std::string> own_names(const std::string& text) {
  std::set<std::string> out;
  for (size_t at = text.find("quern_"); at != std::string::npos; at = text.find("quern_", at)) {
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    out.insert(text.substr(at, end - at));
    at = end;
  }
  return out;
}

// A kernel alone is one function; other functions belong to our library.
size_t count_functions(const std::string& module) {
  constexpr uint32_t kFunction = 54;
  size_t count = 0;
  for (size_t at = 20; at + 4 <= module.size();) {
    uint32_t word = 0;
    std::memcpy(&word, module.data() + at, 4);
    count += (word & 0xffff) == kFunction ? 1 : 0;
    at += 4 * std::max<size_t>(word >> 16, 1);
  }
  return count;
}

struct Answer {
  bool is_told = false;
  std::string refused;  // empty: supported
  std::set<std::string> names;
  size_t functions = 0;
};

Answer ask(const Construct& c, CodeKind kind) {
  Answer out;
  lang::Compilation compiled = lang::compile("k.cu", program(c), {});
  if (!compiled.ok) return {true, "the front end rejects it: " + compiled.rendered, {}, 0};
  const ir::Function* kernel = compiled.module.find_function("k");
  auto code = emit_kernel(compiled.module, *kernel, "k.cu", kind, false);
  out.is_told = true;
  if (!code.ok()) {
    out.refused = code.error().message();
    return out;
  }
  out.names = own_names(code->bytes);
  const bool is_binary = kind == CodeKind::kSpirv || kind == CodeKind::kSpirvKernel;
  out.functions = is_binary ? count_functions(code->bytes) : 0;
  return out;
}

// Extracts the reason from "kernel 'k' does a thing (k.cu:5)".
std::string plain(std::string reason) {
  constexpr std::string_view kKernel = "kernel 'k' ";
  if (reason.starts_with(kKernel)) reason = reason.substr(kKernel.size());
  if (const size_t place = reason.find(" (k.cu:"); place != std::string::npos) reason.resize(place);
  return reason;
}

// Reasons are numbered below the table.
class Reasons {
 public:
  std::string number(const std::string& reason) {
    const auto known = std::find(all_.begin(), all_.end(), reason);
    const auto at = known - all_.begin();
    if (known == all_.end()) all_.push_back(reason);
    return std::to_string(at + 1);
  }
  std::string text() const {
    std::string out;
    for (size_t i = 0; i < all_.size(); ++i)
      out += std::to_string(i + 1) + ". a kernel that " + all_[i] + "\n";
    return out;
  }

 private:
  std::vector<std::string> all_;
};

std::string cell(const Answer& answer, const Answer& plain_answer, Reasons& reasons) {
  if (!answer.refused.empty()) return "refused (" + reasons.number(plain(answer.refused)) + ")";
  const bool has_more = !std::includes(plain_answer.names.begin(), plain_answer.names.end(),
                                       answer.names.begin(), answer.names.end());
  return has_more || answer.functions > 1 ? "ours" : "✓";
}

}  // namespace

std::string construct_table() {
  std::string out = "| |";
  std::string line = "|---|";
  std::vector<Answer> plain_answers;
  std::vector<CodeKind> kinds;
  for (const CodeKind kind : all_targets()) {
    if (kind == CodeKind::kIr) continue;
    kinds.push_back(kind);
    out += " " + std::string(driver::name(kind)) + " |";
    line += "---|";
    plain_answers.push_back(ask(kPlain, kind));
  }
  out += "\n" + line + "\n";
  Reasons reasons;
  for (const Construct& c : kConstructs) {
    out += "| " + std::string(c.what) + " |";
    for (size_t i = 0; i < kinds.size(); ++i)
      out += " " + cell(ask(c, kinds[i]), plain_answers[i], reasons) + " |";
    out += "\n";
  }
  return out + "\n" + reasons.text();
}

}  // namespace quern::tool
