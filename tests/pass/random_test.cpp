// Random kernels compute the same before and after every pass. QUERN_PASS_SEEDS=n runs n of them.
#include <cstdlib>

#include "lang/pass/limit_rounds.hpp"
#include "pass/mini_eval.hpp"
#include "pass/pass_test.hpp"
#include "pass/random_kernel.hpp"

namespace quern::pass {
namespace {

constexpr size_t kBufferBytes = 64;

std::string result_of(const ir::Module& module) {
  return MiniEval().run(module, *module.find_function("k"), kBufferBytes);
}

struct Road {
  const char* name;
  Passes passes;
};

void prepared(ir::Module& m) { EXPECT_EQ(prepare(m), ""); }

const std::vector<Road>& roads() {
  static const std::vector<Road> kRoads{
      {"simplify", [](ir::Module& m) { simplify(m); }},
      {"scalar_replace", [](ir::Module& m) { scalar_replace(m); }},
      {"nest_exits", [](ir::Module& m) { nest_exits(m); }},
      {"lower_exits", [](ir::Module& m) { lower_exits(m); }},
      {"infer_spaces", [](ir::Module& m) { infer_spaces(m); }},
      {"inline", [](ir::Module& m) { EXPECT_EQ(inline_calls(m), ""); }},
      {"inline, infer_spaces", [](ir::Module& m) { EXPECT_EQ(inline_calls(m), ""), infer_spaces(m); }},
      {"prepare", prepared},
      {"prepare, lower_exits", [](ir::Module& m) { prepared(m), lower_exits(m); }},
      {"prepare, lower_exits, simplify", [](ir::Module& m) { prepared(m), lower_exits(m), simplify(m); }},
      {"prepare, lower_pointers", [](ir::Module& m) { prepared(m), lower_pointers(m); }},
      {"inline, lower_pointers", [](ir::Module& m) { EXPECT_EQ(inline_calls(m), ""), lower_pointers(m); }},
      {"prepare, lower_pointers narrow",
       [](ir::Module& m) { prepared(m), lower_pointers(m, {.wide = false}); }},
      {"unroll_loops", [](ir::Module& m) { unroll_loops(m); }},
      {"prepare, unroll_loops", [](ir::Module& m) { prepared(m), unroll_loops(m); }},
      {"limit_rounds", [](ir::Module& m) { limit_rounds(m, 0, "too many rounds"); }},
      {"prepare, limit_rounds, lower_exits",
       [](ir::Module& m) { prepared(m), limit_rounds(m, 0, "too many rounds"), lower_exits(m); }},
      {"prepare twice", [](ir::Module& m) { prepared(m), prepared(m); }},
  };
  return kRoads;
}

// Whether all succeeded.
bool compare(const ir::Module& module, const std::string& expected, const Road& road, uint32_t seed) {
  ir::Module copy = module.clone();
  road.passes(copy);
  const std::string defect = ir::verify(copy);
  EXPECT_EQ(defect, "") << "seed " << seed << " after " << road.name << "\n"
                        << ir::print(copy, {.positions = false});
  if (!defect.empty()) return false;
  const bool is_same = result_of(copy) == expected;
  EXPECT_TRUE(is_same) << "seed " << seed << " differs after " << road.name;
  return is_same;
}

uint32_t seeds(uint32_t usual) {
  const char* requested = std::getenv("QUERN_PASS_SEEDS");
  return requested != nullptr ? static_cast<uint32_t>(std::atoi(requested)) : usual;
}

TEST(RandomKernels, PreparedOnceIsPrepared) {
  for (uint32_t seed = 1; seed <= seeds(400); ++seed) {
    ir::Module module;
    RandomKernel(module, seed).make();
    prepared(module);
    const std::string once = ir::print(module);
    simplify(module);
    EXPECT_EQ(ir::print(module), once) << "seed " << seed;
    if (HasFailure()) return;
  }
}

TEST(RandomKernels, ComputeTheSameAfterEveryPass) {
  const char* from = std::getenv("QUERN_PASS_FIRST_SEED");
  const uint32_t count = seeds(400);
  const uint32_t first = from != nullptr ? static_cast<uint32_t>(std::atoi(from)) : 1;
  uint32_t ran = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    ir::Module module;
    RandomKernel(module, seed).make();
    ASSERT_EQ(ir::verify(module), "") << "seed " << seed;
    const std::string expected = result_of(module);
    if (expected.empty()) continue;  // it runs too long
    ++ran;
    for (const Road& road : roads()) {
      if (!compare(module, expected, road, seed)) return;
    }
  }
  EXPECT_GT(ran, count / 2);
}

}  // namespace
}  // namespace quern::pass
