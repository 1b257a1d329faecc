#include "suite/random_program.hpp"

#include <random>

#include "base/text.hpp"

namespace quern::test {

namespace {

using base::format;

enum class Type : uint8_t { kInt, kUnsigned, kLong, kUlong, kShort, kUchar, kBool, kFloat, kDouble };
constexpr const char* kTypeNames[] = {"int",   "unsigned",      "long long", "unsigned long long",
                                      "short", "unsigned char", "bool",      "float",
                                      "double"};

const char* spell(Type t) { return kTypeNames[static_cast<size_t>(t)]; }
bool is_float(Type t) { return t >= Type::kFloat; }

struct Variable {
  std::string name;
  Type type;
  bool assignable = true;
};

// A seed must give the same program with every compiler: calls that draw numbers are never arguments of the
// same call, whose evaluation order is unspecified.
class Generator {
 public:
  Generator(uint64_t seed, const RandomFeatures& features) : random_(seed), features_(features) {}

  RandomProgram make(uint64_t seed) {
    RandomProgram p;
    p.seed = seed;
    constexpr uint32_t kBlocks[] = {32, 64, 96, 128, 256};
    constexpr uint32_t kOddBlocks[] = {1, 7, 33, 100};
    whole_warps_ = chance(75);
    p.block = whole_warps_ ? kBlocks[below(5)] : kOddBlocks[below(4)];
    p.grid = 1 + below(3);
    block_ = p.block;
    p.prelude = prelude();
    variables_ = {
        {"i", Type::kInt, false}, {"vi", Type::kInt}, {"vf", Type::kFloat}, {"tid", Type::kUnsigned, false}};
    p.body.push_back(simple("unsigned tid = threadIdx.x"));
    p.body.push_back(simple("int i = blockIdx.x * blockDim.x + threadIdx.x"));
    p.body.push_back(simple("int vi = in_i[i]"));
    p.body.push_back(simple("float vf = in_f[i]"));
    if (chance(50)) p.body.push_back(guard());
    // Many small programs find more than few large ones: each costs a compilation.
    const bool is_large = chance(15);
    const uint32_t count = is_large ? 4 + below(8) : 2 + below(4);
    const int depth = is_large ? 3 : 2;
    for (uint32_t k = 0; k < count; ++k) p.body.push_back(statement(depth, true));
    if (std::mt19937_64 own(~seed); features_.long_loops && own() % kLongLoopEvery == 0)
      p.body.push_back(long_loop(own, p));
    if (std::mt19937_64 own(seed + kCallSeed); features_.calls && own() % kCallsEvery == 0)
      p.body.push_back(calls(own, p));
    finish(p.body);
    return p;
  }

 private:
  static constexpr uint64_t kLongLoopEvery = 16;
  static constexpr uint64_t kCallsEvery = 6;
  static constexpr uint64_t kCallSeed = 0x9e3779b97f4a7c15;

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  int tree() { return chance(25) ? 3 : 2; }  // levels of an expression
  bool chance(uint32_t percent) { return below(100) < percent; }
  static Statement simple(std::string text) { return {std::move(text) + ";", {}, {}, {}}; }
  std::string fresh(const char* stem) { return format("%s%u", stem, next_++); }

  std::string prelude() {
    std::string out;
    if (features_.structs) {
      out +=
          "struct Pair {\n  int a; float b; short c;\n"
          "  __device__ Pair(int x, float y) : a(x), b(y), c((short)(x & 255)) {}\n"
          "  __device__ int sum() const { return a + c; }\n"
          "  __device__ Pair operator+(const Pair& o) const { Pair r(a + o.a, b + o.b); r.c = c ^ o.c; "
          "return r; }\n};\n";
    }
    if (features_.templates) {
      out += "template <typename T> __device__ T pick(T x, T y, int k) { return (k & 1) ? x : y; }\n";
      out += "template <int N> __device__ unsigned turn(unsigned x) { return (x << N) | (x >> (32 - N)); }\n";
    }
    out +=
        "__device__ int clampi(int x, int lo, int hi) { if (x < lo) return lo; if (x > hi) return hi; return "
        "x; }\n";
    if (!features_.specials) {
      out += "__device__ float tame(float x) { return fminf(fmaxf(x, -4096.0f), 4096.0f); }\n";
      if (features_.doubles)
        out += "__device__ double tame(double x) { return fmin(fmax(x, -4096.0), 4096.0); }\n";
    }
    if (features_.pointers) out += "__device__ void bump(int* p, int by) { *p += by; }\n";
    return out;
  }

  Type random_type() {
    for (;;) {
      const auto t = static_cast<Type>(below(9));
      if (t == Type::kDouble && !features_.doubles) continue;
      if ((t == Type::kLong || t == Type::kUlong) && !features_.int64) continue;
      if ((t == Type::kShort || t == Type::kUchar) && !features_.narrow) continue;
      return t;
    }
  }

  // ---- expressions
  // --------------------------------------------------------------------------------------------------

  std::string literal(Type t) {
    switch (t) {
      case Type::kBool: return chance(50) ? "true" : "false";
      case Type::kFloat: {
        const int whole = static_cast<int>(below(8)) - 3;
        return format("%d.%df", whole, 25 * static_cast<int>(below(4)));
      }
      case Type::kDouble: {
        const int whole = static_cast<int>(below(8)) - 3;
        return format("%d.%d", whole, 125 * static_cast<int>(below(8)));
      }
      case Type::kUlong: {
        const uint32_t some = below(1000);
        return format("%uull", some * below(100000));
      }
      case Type::kLong: return format("%dll", static_cast<int>(below(2000)) - 1000);
      case Type::kUnsigned: return format("%uu", below(5000));
      default: return format("%d", static_cast<int>(below(200)) - 100);
    }
  }

  std::string leaf(Type t) {
    std::vector<const Variable*> same;
    for (const Variable& v : variables_) {
      if (v.type == t) same.push_back(&v);
    }
    if (!same.empty() && chance(75)) return same[below(static_cast<uint32_t>(same.size()))]->name;
    if (!variables_.empty() && chance(60)) {
      const Variable& v = variables_[below(static_cast<uint32_t>(variables_.size()))];
      const bool is_large = !is_float(v.type) && v.type != Type::kBool;
      if (is_float(t) && is_large && !features_.specials)
        return format("(%s)((short)%s / 8)", spell(t), v.name.c_str());
      return format("(%s)%s", spell(t), v.name.c_str());
    }
    return literal(t);
  }

  std::string integer(Type t, int depth) {
    const std::string a = expression(t, depth - 1), b = expression(t, depth - 1);
    switch (below(15)) {
      case 0: return format("(%s)(%s + %s)", spell(t), a.c_str(), b.c_str());
      case 1: return format("(%s)(%s - %s)", spell(t), a.c_str(), b.c_str());
      case 2: return format("(%s)(%s * %s)", spell(t), a.c_str(), b.c_str());
      case 3: return format("(%s)(%s / %s)", spell(t), a.c_str(), b.c_str());
      case 4: return format("(%s)(%s %% %s)", spell(t), a.c_str(), b.c_str());
      case 5: return format("(%s)(%s & %s)", spell(t), a.c_str(), b.c_str());
      case 6: return format("(%s)(%s | %s)", spell(t), a.c_str(), b.c_str());
      case 7: return format("(%s)(%s ^ %s)", spell(t), a.c_str(), b.c_str());
      case 8: return format("(%s)(%s << %u)", spell(t), a.c_str(), below(12));
      case 9: return format("(%s)(%s >> %u)", spell(t), a.c_str(), below(12));
      case 10: return format("(%s)~%s", spell(t), a.c_str());
      case 11: return format("(%s)min(%s, %s)", spell(t), a.c_str(), b.c_str());
      case 12:
        if (features_.templates && t == Type::kUnsigned)
          return format("turn<%u>(%s)", 1 + below(30), a.c_str());
        if (t == Type::kInt) {
          const uint32_t low = below(50);
          return format("clampi(%s, -%u, %u)", a.c_str(), low, 50 + below(500));
        }
        return format("(%s)__popc((unsigned)%s)", spell(t), a.c_str());
      case 13: return format("(%s)max(%s, %s)", spell(t), a.c_str(), b.c_str());
      default:
        if (features_.templates && t == Type::kInt)
          return format("pick<int>(%s, %s, %s)", a.c_str(), b.c_str(), leaf(Type::kInt).c_str());
        return format("(%s ? %s : %s)", condition(depth - 1).c_str(), a.c_str(), b.c_str());
    }
  }

  std::string real(Type t, int depth) {
    const std::string a = expression(t, depth - 1), b = expression(t, depth - 1);
    const bool single = t == Type::kFloat;
    switch (below(9)) {
      case 0: return format("(%s + %s)", a.c_str(), b.c_str());
      case 1: return format("(%s - %s)", a.c_str(), b.c_str());
      case 2: return format("(%s * %s)", a.c_str(), b.c_str());
      case 3: return format("(%s * %s)", a.c_str(), literal(t).c_str());
      case 4: return format("%s(%s)", single ? "fabsf" : "fabs", a.c_str());
      case 5: return format("%s(%s, %s, %s)", single ? "fmaf" : "fma", a.c_str(), b.c_str(), leaf(t).c_str());
      case 6: return format("%s(%s)", single ? "floorf" : "floor", a.c_str());
      case 7: return format("%s(%s, %s)", single ? "fminf" : "fmin", a.c_str(), b.c_str());
      default: return format("(%s ? %s : %s)", condition(depth - 1).c_str(), a.c_str(), b.c_str());
    }
  }

  // Conditions that are computed once and used several times, before and after barriers.
  Statement guard() {
    const std::string name = fresh("takes_part");
    variables_.push_back({name, Type::kBool, false});
    if (chance(30)) return simple(format("const bool %s = tid < %uu", name.c_str(), below(block_ + 1)));
    return simple(format("const bool %s = tid < (unsigned)n / %u", name.c_str(), 1 + below(8)));
  }

  std::vector<std::string> truths() const {
    std::vector<std::string> out;
    for (const Variable& v : variables_) {
      if (v.type == Type::kBool) out.push_back(v.name);
    }
    return out;
  }

  std::string condition(int depth) {
    if (const auto known = truths(); !known.empty() && chance(20))
      return known[below(static_cast<uint32_t>(known.size()))];
    if (depth <= 0) {
      const std::string a = leaf(Type::kInt), b = literal(Type::kInt);
      return format("(%s > %s)", a.c_str(), b.c_str());
    }
    const Type any = random_type();
    const Type t = any == Type::kBool || chance(50) ? Type::kInt : any;
    constexpr const char* kCompare[] = {"<", "<=", ">", ">=", "==", "!="};
    if (chance(36)) {
      const char* joint = chance(50) ? "&&" : "||";
      const std::string a = condition(depth - 1), b = condition(depth - 1);
      return format("(%s %s %s)", a.c_str(), joint, b.c_str());
    }
    if (chance(10)) return format("!%s", condition(depth - 1).c_str());
    const std::string a = expression(t, depth - 1), b = expression(t, depth - 1);
    return format("(%s %s %s)", a.c_str(), kCompare[below(6)], b.c_str());
  }

  std::string expression(Type t, int depth) {
    if (depth <= 0 || chance(15)) return leaf(t);
    if (t == Type::kBool) return condition(depth);
    return is_float(t) ? real(t, depth) : integer(t, depth);
  }

  // ---- statements
  // ---------------------------------------------------------------------------------------------------

  // Removes the declarations of a block after it.
  template <typename Make>
  std::vector<Statement> block(const Make& make) {
    const size_t known = variables_.size(), arrays = arrays_.size();
    std::vector<Statement> out;
    const uint32_t count = 1 + below(2);
    for (uint32_t k = 0; k < count; ++k) out.push_back(make());
    variables_.resize(known);
    arrays_.resize(arrays);
    return out;
  }

  Statement statement(int depth, bool uniform) {
    if (uniform && features_.barriers && chance(12)) return exchange();
    if (uniform && features_.warps && whole_warps_ && chance(14)) return warp();
    switch (below(depth > 0 ? 16 : 7)) {
      case 0:
      case 1: return declare();
      case 2:
      case 3: return assign();
      case 4: return features_.structs ? use_struct() : assign();
      case 5: return features_.pointers ? use_pointer() : assign();
      case 6: return features_.atomics ? atomic() : assign();
      case 7:
      case 8:
      case 9: return branch(depth);
      case 10:
      case 11: return counted_loop(depth, uniform);
      case 12: return varying_loop(depth);
      case 13: return choose(depth);
      case 14: return loop_with_exits(depth);
      default: return use_array();
    }
  }

  Statement declare() {
    const Type t = random_type();
    const std::string name = fresh("v");
    Statement s =
        simple(format("%s %s = %s", spell(t), name.c_str(), tamed(t, expression(t, tree())).c_str()));
    variables_.push_back({name, t});
    return s;
  }

  Statement assign() {
    std::vector<const Variable*> targets;
    for (const Variable& v : variables_) {
      if (v.assignable) targets.push_back(&v);
    }
    const Variable v = *targets[below(static_cast<uint32_t>(targets.size()))];
    constexpr const char* kIntegerOps[] = {"=", "+=", "-=", "*=", "^=", "|=", "&="};
    const char* op = v.type == Type::kBool ? "=" : kIntegerOps[below(is_float(v.type) ? 4 : 7)];
    const std::string e = expression(v.type, tree());
    if (!is_float(v.type) || features_.specials)
      return simple(format("%s %s %s", v.name.c_str(), op, e.c_str()));
    const std::string whole = op[1] == 0 ? e : format("%s %c %s", v.name.c_str(), op[0], e.c_str());
    return simple(format("%s = %s", v.name.c_str(), tamed(v.type, whole).c_str()));
  }

  // Kept small enough to avoid infinities on devices that do not guarantee their behavior.
  std::string tamed(Type t, const std::string& e) const {
    return is_float(t) && !features_.specials ? "tame(" + e + ")" : e;
  }

  Statement use_struct() {
    const std::string name = fresh("p");
    const std::string a = expression(Type::kInt, 2), b = expression(Type::kFloat, 2), c = leaf(Type::kInt);
    const std::string sum = tamed(Type::kFloat, format("vf * 0.5f + %s.b", name.c_str()));
    Statement s{"", {}, {}, {}};
    s.head = format("{ Pair %s(%s, %s); %s = %s + Pair(%s, 0.5f); %s.c += 3; vi ^= %s.sum(); vf = %s; }",
                    name.c_str(), a.c_str(), b.c_str(), name.c_str(), name.c_str(), c.c_str(), name.c_str(),
                    name.c_str(), sum.c_str());
    return s;
  }

  Statement use_pointer() {
    const std::string array = fresh("a"), p = fresh("q");
    const std::string first = leaf(Type::kInt), second = leaf(Type::kInt), at = leaf(Type::kInt),
                      by = expression(Type::kInt, 1), whether = condition(1), from = leaf(Type::kInt);
    Statement s{"", {}, {}, {}};
    s.head = format(
        "{ int %s[4] = {%s, %s, 3, 4}; int* %s = &%s[%s & 3]; bump(%s, %s); if (%s) %s = &vi; *%s -= 5; vi "
        "+= "
        "%s[%s & 3]; }",
        array.c_str(), first.c_str(), second.c_str(), p.c_str(), array.c_str(), at.c_str(), p.c_str(),
        by.c_str(), whether.c_str(), p.c_str(), p.c_str(), array.c_str(), from.c_str());
    return s;
  }

  Statement use_array() {
    if (arrays_.empty() || chance(40)) {
      const std::string name = fresh("t");
      arrays_.push_back(name);
      const std::string first = leaf(Type::kInt), second = leaf(Type::kInt);
      return simple(format("int %s[8] = {%s, %s, 1}", name.c_str(), first.c_str(), second.c_str()));
    }
    const std::string& name = arrays_[below(static_cast<uint32_t>(arrays_.size()))];
    const std::string at = expression(Type::kInt, 1), by = expression(Type::kInt, 2), from = leaf(Type::kInt);
    return simple(format("%s[%s & 7] += %s; vi ^= %s[%s & 7]", name.c_str(), at.c_str(), by.c_str(),
                         name.c_str(), from.c_str()));
  }

  // Integer sums only: their order does not matter, and the old value is not used.
  Statement atomic() {
    const uint32_t slot = below(16);
    switch (slot % 4) {
      case 0:
        return simple(
            format("atomicMax(&acc[%u], (unsigned)%s)", slot, expression(Type::kUnsigned, 2).c_str()));
      case 1:
        return simple(
            format("atomicXor(&acc[%u], (unsigned)%s)", slot, expression(Type::kUnsigned, 2).c_str()));
      case 2: return simple(format("atomicOr(&acc[%u], 1u << (%s & 31))", slot, leaf(Type::kInt).c_str()));
      default:
        return simple(
            format("atomicAdd(&acc[%u], (unsigned)%s)", slot, expression(Type::kUnsigned, 2).c_str()));
    }
  }

  Statement branch(int depth) {
    Statement s;
    s.head = "if " + parenthesised(condition(2));
    const auto inner = [&] { return statement(depth - 1, false); };
    s.blocks.push_back(block(inner));
    if (chance(50)) {
      s.between.emplace_back("else");
      s.blocks.push_back(block(inner));
    }
    return s;
  }

  static std::string parenthesised(const std::string& text) { return "(" + text + ")"; }

  // A trip count that is the same for all threads, so that barriers may be inside.
  Statement counted_loop(int depth, bool uniform) {
    Statement s;
    const std::string k = fresh("k");
    s.head = format("for (int %s = 0; %s < %u; ++%s)", k.c_str(), k.c_str(), 1 + below(4), k.c_str());
    variables_.push_back({k, Type::kInt, false});
    s.blocks.push_back(block([&] { return statement(depth - 1, uniform); }));
    std::erase_if(variables_, [&](const Variable& v) { return v.name == k; });
    return s;
  }

  Statement varying_loop(int depth) {
    Statement s;
    const std::string k = fresh("w");
    // The bound is fixed at the start: its source may change inside.
    s.head = format("for (unsigned %s = 0, e%s = (unsigned)%s & 7; %s < e%s; ++%s)", k.c_str(), k.c_str(),
                    leaf(Type::kUnsigned).c_str(), k.c_str(), k.c_str(), k.c_str());
    variables_.push_back({k, Type::kUnsigned, false});
    s.blocks.push_back(block([&] { return statement(depth - 1, false); }));
    std::erase_if(variables_, [&](const Variable& v) { return v.name == k; });
    return s;
  }

  Statement loop_with_exits(int depth) {
    Statement s;
    const std::string k = fresh("d");
    const bool is_do = chance(40);
    s.head = format("for (int %s = 0, once%s = 1; once%s; once%s = 0)", k.c_str(), k.c_str(), k.c_str(),
                    k.c_str());
    variables_.push_back({k, Type::kInt, false});
    Statement loop;
    loop.head = is_do ? "do" : format("while (%s < %u)", k.c_str(), 2 + below(5));
    std::vector<Statement> body;
    body.push_back(simple(format("++%s", k.c_str())));
    body.push_back({"if (" + condition(1) + ") continue;", {}, {}, {}});
    for (Statement& inner : block([&] { return statement(depth - 2, false); }))
      body.push_back(std::move(inner));
    body.push_back({"if (" + condition(1) + ") break;", {}, {}, {}});
    body.push_back(simple(format("vi += %s", k.c_str())));
    loop.blocks.push_back(std::move(body));
    if (is_do) loop.tail = format("while (%s < %u);", k.c_str(), 1 + below(5));
    s.blocks.push_back({});
    s.blocks.back().push_back(std::move(loop));
    std::erase_if(variables_, [&](const Variable& v) { return v.name == k; });
    return s;
  }

  // Functions that call themselves, and functions that a pointer selects. Drawn separately, as below.
  static Statement calls(std::mt19937_64& random, RandomProgram& p) {
    const auto some = [&] { return static_cast<unsigned>(random() % 1000 + 1); };
    constexpr const char* kOps[] = {"+", "-", "^", "*"};
    const auto op = [&] { return kOps[random() % 4]; };
    p.prelude += "typedef int (*CallOp)(int, int);\n";
    for (int f = 0; f < 3; ++f) {
      const char* first = op();
      const char* second = op();
      p.prelude += format("__device__ int call_%d(int x, int n) { return (x %s n) %s %u; }\n", f, first,
                          second, some());
    }
    p.prelude +=
        "__device__ CallOp pick_call(int k) { return (k & 1) ? call_0 : (k & 2) ? call_1 : call_2; }\n";
    const bool through_pointer = random() % 2 == 0;
    const char* first = op();
    const unsigned a = some();
    const auto skipped = static_cast<unsigned>(random() % 4), last = static_cast<unsigned>(random() % 8);
    p.prelude += format(
        "__device__ int dive(int x, int n) {\n"
        "  if (n <= 0) return x ^ %u;\n"
        "  int total = x %s n;\n"
        "  for (int r = 0; r < 2; ++r) {\n"
        "    if ((total & 3) == %u) continue;\n"
        "    total += dive(total >> 1, n - 1 - r);\n"
        "    if ((total & 7) == %u) return total;\n"
        "  }\n"
        "  return %s;\n}\n",
        a, first, skipped, last, through_pointer ? "pick_call(total)(total, x)" : "total * 3 + x");
    const unsigned depth = static_cast<unsigned>(random() % 5 + 2);
    return simple(
        format("{ CallOp op = pick_call(vi); vi = op(vi, dive(vi, %u + (i & 1))); op = pick_call(i); "
               "vi ^= op(i, vi); }",
               depth));
  }

  // More iterations than 16 bits can count, in one thread: some drivers end such loops. Its random numbers
  // are drawn separately, so that the other statements of a seed do not depend on it.
  static Statement long_loop(std::mt19937_64& random, RandomProgram& p) {
    const auto rounds = static_cast<uint32_t>(65'000 + random() % 40'000);
    const auto thread = static_cast<uint32_t>(random() % p.threads());
    constexpr uint32_t kInner = 250;
    std::string loop;
    switch (random() % 6) {
      case 0:
        loop = format("for (int r = 0; r < %u + (n & 7); ++r) x = x * 1664525u + (x >> 7);", rounds);
        break;
      case 1:
        loop = format(
            "unsigned r = 0; for (;;) { if (++r > %uu) break; if (x & 1u) { x = x * 3u + 1u; "
            "continue; } x = (x >> 1) ^ 0x9e3779b9u; }",
            rounds);
        break;
      case 2: loop = format("int r = %u; do { x = x * 69069u + r; } while (--r > 0);", rounds); break;
      case 3:
        loop = format("for (int a = 0; a < %u + (n & 1); ++a) for (int b = 0; b < %u; ++b) x = x * 5u + b;",
                      rounds / kInner, kInner);
        break;
      case 4:
        loop = format(
            "bool on = true; unsigned r = 0; while (on) { x = (x ^ (x << 5)) + r; if (++r >= %uu "
            "|| x == 77u) on = false; }",
            rounds);
        break;
      default:
        p.prelude +=
            "__device__ unsigned spin(unsigned x, unsigned n) { for (unsigned r = 0;; ++r) { x = x * "
            "22695477u "
            "+ 1u; if (r >= n) return x; if (x == 3u) return r; } }\n";
        loop = format("x = spin(x, %uu + (unsigned)(n & 3));", rounds);
    }
    return {format("if (i == %u) { unsigned x = (unsigned)vi; %s vi ^= (int)x; }", thread, loop.c_str()),
            {},
            {},
            {}};
  }

  Statement choose(int depth) {
    Statement s;
    s.head = format("switch (%s & 3)", leaf(Type::kInt).c_str());
    std::vector<Statement> body;
    for (int label : {2, 0, 1}) {
      const std::string set = assign().head;
      body.push_back({format("case %d: %s%s", label, set.c_str(), chance(60) ? " break;" : ""), {}, {}, {}});
    }
    if (chance(60)) {
      Statement last;
      last.head = "default:";
      last.blocks.push_back(block([&] { return statement(depth - 1, false); }));
      body.push_back(std::move(last));
    }
    s.blocks.push_back(std::move(body));
    return s;
  }

  // Through shared memory: every thread writes its own element and reads another's.
  Statement exchange() {
    const std::string tile = fresh("tile"), put = expression(Type::kInt, 2);
    Statement s{"", {}, {}, {}};
    s.head = format(
        "{ __shared__ int %s[%u]; %s[tid] = %s; __syncthreads(); vi += %s[(tid + %u) %% %u]; "
        "__syncthreads(); }",
        tile.c_str(), block_, tile.c_str(), put.c_str(), tile.c_str(), below(block_), block_);
    if (chance(30)) s.head = format("vi += __syncthreads_count(%s);", condition(2).c_str());
    return s;
  }

  Statement warp() {
    switch (below(6)) {
      case 0: return simple(format("vi += __shfl_xor_sync(0xffffffffu, vi, %u)", 1 + below(31)));
      case 1: return simple(format("vi ^= __shfl_down_sync(0xffffffffu, vi, %u)", 1 + below(31)));
      case 2: {
        const std::string sum =
            format("vf + __shfl_sync(0xffffffffu, vf, %s & 31)", leaf(Type::kInt).c_str());
        return simple("vf = " + tamed(Type::kFloat, sum));
      }
      case 3: return simple(format("vi ^= (int)__ballot_sync(0xffffffffu, %s)", condition(2).c_str()));
      case 4: {
        const std::string any = condition(1), all = condition(1);
        return simple(format("vi += __any_sync(0xffffffffu, %s) + 2 * __all_sync(0xffffffffu, %s)",
                             any.c_str(), all.c_str()));
      }
      default: return simple(format("vi -= __shfl_up_sync(0xffffffffu, vi, %u, 16)", 1 + below(15)));
    }
  }

  // All computed values are stored to the outputs.
  void finish(std::vector<Statement>& body) {
    for (const Variable& v : variables_) {
      if (!v.assignable || v.name == "vi" || v.name == "vf") continue;
      body.push_back(simple(is_float(v.type) ? format("vf += (float)%s", v.name.c_str())
                                             : format("vi = vi * 31 + (int)%s", v.name.c_str())));
    }
    body.push_back(simple("out_i[i] = vi"));
    body.push_back(simple("out_f[i] = vf"));
  }

  std::mt19937_64 random_;
  RandomFeatures features_;
  bool whole_warps_ = true;
  uint32_t block_ = 32;
  uint32_t next_ = 0;
  std::vector<Variable> variables_;
  std::vector<std::string> arrays_;
};

void print(const std::vector<Statement>& body, int indent, std::string& out) {
  const std::string margin(static_cast<size_t>(indent) * 2, ' ');
  for (const Statement& s : body) {
    out += margin + s.head;
    for (size_t i = 0; i < s.blocks.size(); ++i) {
      out += i == 0 ? " {\n" : " " + s.between[i - 1] + " {\n";
      print(s.blocks[i], indent + 1, out);
      out += margin + "}";
    }
    if (!s.tail.empty()) out += " " + s.tail;
    out += "\n";
  }
}

size_t count(const std::vector<Statement>& body) {
  size_t n = body.size();
  for (const Statement& s : body) {
    for (const auto& b : s.blocks) n += count(b);
  }
  return n;
}

// Calls `visit` with a list after each way to make it smaller; `visit` sees the whole program changed.
template <typename Visit>
void each_smaller(std::vector<Statement>& body, const Visit& visit) {
  for (size_t i = 0; i < body.size(); ++i) {
    const std::vector<Statement> whole = body;
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
    visit();
    body = whole;
    for (const auto& inner : whole[i].blocks) {
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(i), inner.begin(), inner.end());
      visit();
      body = whole;
    }
    for (auto& inner : body[i].blocks) each_smaller(inner, visit);
  }
}

}  // namespace

std::string RandomProgram::text() const {
  std::string out = prelude;
  out +=
      "__global__ void k(int n, const int* in_i, const float* in_f, int* out_i, float* out_f, unsigned* acc) "
      "{\n";
  print(body, 1, out);
  return out + "}\n";
}

size_t RandomProgram::statements() const { return count(body); }

RandomProgram make_random_program(uint64_t seed, const RandomFeatures& features) {
  return Generator(seed, features).make(seed);
}

std::vector<RandomProgram> smaller(const RandomProgram& program) {
  std::vector<RandomProgram> out;
  RandomProgram work = program;
  each_smaller(work.body, [&] { out.push_back(work); });
  return out;
}

}  // namespace quern::test
