#include "run_expression.hpp"

#include <gtest/gtest.h>

#include "driver/sim/sim.hpp"
#include "lang/compile.hpp"
#include "lang/expand/expand.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/pass.hpp"

namespace quern::expand::test {
namespace {

bool is_basic(const ir::Inst& i) {
  using enum ir::Op;
  switch (i.op) {
    case kAdd:
    case kSub:
    case kMul:
    case kDiv:
    case kNeg:
    case kAbs:
    case kSqrt:
    case kFloor:
    case kTrunc:
    case kRint:
    case kIsNan:
    case kIsInf:
    case kSignBit:
    case kConvert: return true;
    default: return !i.operand(0)->type->is_float();
  }
}

template <class T>
std::vector<T> run_on(const std::string& type, const std::string& expression, std::vector<T> x,
                      bool has_double) {
  lang::Compilation compiled = lang::compile(
      "test.cu", "__global__ void k(const " + type + "* x, " + type + "* y) {\n  int i = blockIdx.x;\n  " +
                     type + " a = x[i], b = x[i + 1], c = x[i + 2];\n  y[i] = " + expression + ";\n}\n");
  EXPECT_TRUE(compiled.ok) << compiled.rendered;
  const auto module = std::make_shared<ir::Module>(std::move(compiled.module));
  Library library(*module);
  for (const Unlowered& u : lower_operations(*module, library, is_basic, has_double))
    ADD_FAILURE() << u.reason;
  EXPECT_EQ(library.link(), "");
  if (!has_double) {
    EXPECT_TRUE(lower_wide_integers(*module).ok());
  }
  EXPECT_EQ(pass::inline_calls(*module), "");
  EXPECT_EQ(ir::verify(*module), "");
  sim::Device device;
  auto program = device.load(module);
  EXPECT_TRUE(program.ok());
  const auto count = static_cast<uint32_t>(x.size());
  for (int k = 0; k < 2; ++k) x.push_back(T(0.5));
  const sim::Address from = *device.upload_new(std::span<const T>(x), "x");
  const sim::Address to = *device.upload_new(std::span<const T>(std::vector<T>(count)), "y");
  sim::LaunchConfig config;
  config.grid = {count, 1, 1};
  config.block = {1, 1, 1};
  config.args = {sim::Arg(from), sim::Arg(to)};
  auto launched = device.launch(**program, "k", config);
  EXPECT_TRUE(launched.ok()) << launched.error().to_string();
  if (!launched.ok()) return {};
  for (const sim::Report& report : launched->reports) ADD_FAILURE() << sim::render(report, *module);
  return *device.download_as<T>(to, count);
}

}  // namespace

std::vector<float> run(const std::string& expression, std::vector<float> x, bool has_double) {
  return run_on("float", expression, std::move(x), has_double);
}
std::vector<double> run(const std::string& expression, std::vector<double> x) {
  return run_on("double", expression, std::move(x), true);
}

}  // namespace quern::expand::test
