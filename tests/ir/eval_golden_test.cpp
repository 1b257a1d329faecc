// Functions that no C library has, compared with values computed with 400 bits and rounded once, over all
// their range.
#include <cmath>

#include <gtest/gtest.h>

#include "ir/eval_case.hpp"

namespace quern::ir {
namespace {

struct Golden {
  Op op;
  double x, value;
};

constexpr Golden kGolden[] = {
    {Op::kErfcinv, 0x0.0000000000001p-1022, 0x1.b369a6244e684p+4},
    {Op::kErfcinv, 0x0.0000000000002p-1022, 0x1.b33581eec0c84p+4},
    {Op::kErfcinv, 0x0.00000000007e8p-1022, 0x1.b12ba33c2597dp+4},
    {Op::kErfcinv, 0x1.0000000000000p-1022, 0x1.a8b12fc6e4892p+4},
    {Op::kErfcinv, 0x1.56e1fc2f8f359p-997, 0x1.a359fd2c5e942p+4},
    {Op::kErfcinv, 0x1.8f2b061aea072p-964, 0x1.9c44c5bbab4dfp+4},
    {Op::kErfcinv, 0x1.87e92154ef7acp-665, 0x1.55ff1c82aa9b7p+4},
    {Op::kErfcinv, 0x1.bff2ee48e0530p-333, 0x1.e219301e62922p+3},
    {Op::kErfcinv, 0x1.4484bfeebc2a0p-100, 0x1.04c176cf456d7p+3},
    {Op::kErfcinv, 0x1.b7cdfd9d7bdbbp-34, 0x1.24a92a0d51497p+2},
    {Op::kErfcinv, 0x1.a36e2eb1c432dp-14, 0x1.6022dcb01ea25p+1},
    {Op::kErfcinv, 0x1.47ae147ae147bp-7, 0x1.d2466082bb20fp+0},
    {Op::kErfcinv, 0x1.999999999999ap-4, 0x1.29c0146770650p+0},
    {Op::kErfcinv, 0x1.3333333333333p-2, 0x1.773a9da42b450p-1},
    {Op::kErfcinv, 0x1.0000000000000p-1, 0x1.e861fbb24c00ap-2},
    {Op::kErfcinv, 0x1.6666666666666p-1, 0x1.1700774485ed3p-2},
    {Op::kErfcinv, 0x1.8000000000000p+0, -0x1.e861fbb24c00ap-2},
    {Op::kErfcx, -0x1.aa0c49ba5e354p+4, 0x1.ec53af3fdb166p+1023},
    {Op::kErfcx, -0x1.a000000000000p+4, 0x1.32f288d4422dap+976},
    {Op::kErfcx, -0x1.4800000000000p+4, 0x1.398efb7df8feap+607},
    {Op::kErfcx, -0x1.5333333333333p+2, 0x1.7071cdf2ceab8p+41},
    {Op::kErfcx, -0x1.0000000000000p+0, 0x1.409321304c1fep+2},
    {Op::kErfcx, -0x1.12e0be826d695p-30, 0x1.00000004d8aa8p+0},
    {Op::kErfcx, 0x1.0000000000000p-1, 0x1.3b3bc3c98b0f3p-1},
    {Op::kErfcx, 0x1.b333333333333p+0, 0x1.2aa9c889874ddp-2},
    {Op::kErfcx, 0x1.a666666666666p+1, 0x1.4fe30edb0c76cp-3},
    {Op::kErfcx, 0x1.3fae147ae147bp+3, 0x1.cc5ce5bf64861p-5},
    {Op::kErfcx, 0x1.4000000000000p+3, 0x1.cbe831f997124p-5},
    {Op::kErfcx, 0x1.9000000000000p+3, 0x1.7093453935bbap-5},
    {Op::kErfcx, 0x1.9000000000000p+6, 0x1.71ba92b1d1777p-8},
    {Op::kErfcx, 0x1.86a0000000000p+16, 0x1.7a9f084b432a7p-18},
    {Op::kErfcx, 0x1.249ad2594c37dp+332, 0x1.f974cd8b00f7dp-334},
    {Op::kErfcx, 0x1.7dddf6b095ff1p+511, 0x1.834e0300693d3p-513},
    {Op::kErfcx, 0x1.4e718d7d7625ap+664, 0x1.ba394ce53f796p-666},
    {Op::kErfcx, 0x1.7e43c8800759cp+996, 0x1.82e6d98711d39p-998},
    {Op::kErfcx, 0x1.fffffffffffffp+1023, 0x0.241baea08536ep-1022},
    {Op::kNormcdf, -0x1.0000000000000p-1, 0x1.3bf143b9aa712p-2},
    {Op::kNormcdf, -0x1.0000000000000p+0, 0x1.44ed0bb7cb20bp-3},
    {Op::kNormcdf, -0x1.8000000000000p+0, 0x1.11a46d89647efp-4},
    {Op::kNormcdf, -0x1.a666666666666p+1, 0x1.fae82e1b2d7b6p-12},
    {Op::kNormcdf, -0x1.4333333333333p+3, 0x1.ab6a6dd6960a7p-79},
    {Op::kNormcdf, -0x1.4b33333333333p+4, 0x1.27efe2b38a1a8p-315},
    {Op::kNormcdf, -0x1.de66666666666p+4, 0x1.d6b3e4f702c31p-652},
    {Op::kNormcdf, -0x1.e4ccccccccccdp+4, 0x1.676969d381f81p-669},
    {Op::kNormcdf, -0x1.0d9999999999ap+5, 0x1.4b1ab797397d2p-826},
    {Op::kNormcdf, -0x1.20ccccccccccdp+5, 0x1.5959c1af60fcbp-947},
    {Op::kNormcdf, -0x1.2b33333333333p+5, 0x1.5f36452e2b553p-1016},
    {Op::kNormcdf, -0x1.2f33333333333p+5, 0x0.000009b3cc044p-1022},
    {Op::kNormcdf, -0x1.319999999999ap+5, 0x0.0000000006f53p-1022},
    {Op::kNormcdf, -0x1.3333333333333p+5, 0x0.000000000000dp-1022},
    {Op::kNormcdf, -0x1.33ae147ae147bp+5, 0x0.0000000000001p-1022},
    {Op::kNormcdf, 0x1.0000000000000p+0, 0x1.aec4bd120d37dp-1},
    {Op::kNormcdf, 0x1.6000000000000p+2, 0x1.ffffff5ce182bp-1},
};

int64_t ulps_apart(double a, double b) {
  const auto place = [](double v) {
    const auto bits = std::bit_cast<int64_t>(v);
    return bits < 0 ? INT64_MIN - bits : bits;
  };
  return std::abs(place(a) - place(b));
}

TEST(EvalGolden, WithinFourUnitsInTheLastPlace) {
  for (const Golden& golden : kGolden) {
    const double got = eval_f64(golden.op, golden.x);
    EXPECT_LE(ulps_apart(got, golden.value), 4)
        << info(golden.op).name << "(" << golden.x << ") is " << got << ", not " << golden.value;
  }
}

TEST(EvalGolden, BeyondTheRange) {
  EXPECT_EQ(eval_f64(Op::kNormcdf, -38.6), 0.0);
  EXPECT_EQ(eval_f64(Op::kNormcdf, -1e300), 0.0);
  EXPECT_EQ(eval_f64(Op::kNormcdf, -HUGE_VAL), 0.0);
  EXPECT_EQ(eval_f64(Op::kNormcdf, HUGE_VAL), 1.0);
  EXPECT_TRUE(std::isnan(eval_f64(Op::kNormcdf, std::nan(""))));
  EXPECT_EQ(eval_f64(Op::kErfcx, -26.65), HUGE_VAL);
}

}  // namespace
}  // namespace quern::ir
