// Bessel functions in double: compared with values of 40 digits, also next to their zeros, within CUDA's
// documented bounds. The float versions through double are those, rounded.
#include <cmath>
#include <span>

#include <gtest/gtest.h>

#include "run_expression.hpp"

namespace quern::expand::test {
namespace {

struct Sample {
  double x, exact;
};
constexpr Sample kJ0[] = {
    {0x1.56e1fc2f8f359p-997, 0x1.0000000000000p+0}, {0x1.4f8b588e368f1p-17, 0x1.ffffffffc9064p-1},
    {0x1.0000000000000p-2, 0x1.f807fc72aa864p-1},   {0x1.8000000000000p-1, 0x1.ba7df6a752a19p-1},
    {0x1.8000000000000p+0, 0x1.060e46ce9651bp-1},   {0x1.399999999999ap+1, -0x1.7c8c05b8bfa87p-6},
    {0x1.4cccccccccccdp+1, -0x1.8c835a139de78p-4},  {0x1.a666666666666p+1, -0x1.608f32ea31780p-2},
    {0x1.feb851eb851ecp+1, -0x1.9756928b3e268p-2},  {0x1.0666666666666p+2, -0x1.8dff6caf5dfc3p-2},
    {0x1.2cccccccccccdp+2, -0x1.13cb7351746e1p-2},  {0x1.3fef9db22d0e5p+2, -0x1.6c63928b5c088p-3},
    {0x1.4666666666666p+2, -0x1.2798f9d26906cp-3},  {0x1.5333333333333p+2, -0x1.367d52d31f394p-4},
    {0x1.9333333333333p+2, 0x1.ca5df2f651bd5p-3},   {0x1.e000000000000p+2, 0x1.10bb57e0e56e6p-2},
    {0x1.fffe5c91d14e4p+2, 0x1.5f96c27bcc9edp-3},   {0x1.33d152e971b40p+1, -0x1.19b7921f03c8ep-54},
    {0x1.33d152e973068p+1, -0x1.5f7ae493bf8a3p-40}, {0x1.33d13ebd1edf1p+1, 0x1.4f2180f6ac6f1p-20},
    {0x1.3420200d016ecp+1, -0x1.471cbb83f3fe3p-10}, {0x1.6148f5b2c2e45p+2, -0x1.fbb40985f6e34p-56},
    {0x1.6148f5b2c468dp+2, 0x1.0861c2f7d5a23p-39},  {0x1.6148de8b9f5ffp+2, -0x1.f8330dec2ac1ep-20},
    {0x1.61a366958003cp+2, 0x1.ec222c0a62ba3p-10}};
constexpr Sample kJ1[] = {
    {0x1.56e1fc2f8f359p-997, 0x1.56e1fc2f8f359p-998}, {0x1.4f8b588e368f1p-17, 0x1.4f8b588e248b6p-18},
    {0x1.0000000000000p-2, 0x1.fc02a9c749ee9p-4},     {0x1.8000000000000p-1, 0x1.65a01d66b68bcp-2},
    {0x1.8000000000000p+0, 0x1.1da9da9d6fc81p-1},     {0x1.399999999999ap+1, 0x1.04a278f814824p-1},
    {0x1.4cccccccccccdp+1, 0x1.e21e2f0435ab8p-2},     {0x1.a666666666666p+1, 0x1.c3eb334ff3cd8p-3},
    {0x1.feb851eb851ecp+1, -0x1.fdc7f3d88bc27p-5},    {0x1.0666666666666p+2, -0x1.a701dc09381b3p-4},
    {0x1.2cccccccccccdp+2, -0x1.1dc75725901e4p-2},    {0x1.3fef9db22d0e5p+2, -0x1.4f537add832c4p-2},
    {0x1.4666666666666p+2, -0x1.59300248f7346p-2},    {0x1.5333333333333p+2, -0x1.62438e8b7df01p-2},
    {0x1.9333333333333p+2, -0x1.aa297c5751899p-3},    {0x1.e000000000000p+2, 0x1.14fd20aa5273ap-3},
    {0x1.fffe5c91d14e4p+2, 0x1.e0818f02a6221p-3},     {0x1.ea75575af6f09p+1, -0x1.1b9c1c3fb286fp-54},
    {0x1.ea75575af90bep+1, -0x1.b27193ebfe395p-40},   {0x1.ea753736704e3p+1, 0x1.9e43c4decffafp-20},
    {0x1.eaf2e608e12bap+1, -0x1.945a24ef377a9p-10},   {0x1.c0ff5f3b47250p+2, 0x1.049770ce74c2ep-55},
    {0x1.c0ff5f3b4912cp+2, 0x1.285e47b981e96p-39},    {0x1.c0ff41ce595d6p+2, -0x1.1a980e349344ap-19},
    {0x1.c17250bc1aed7p+2, 0x1.13d49693300e9p-9}};
constexpr Sample kY0[] = {
    {0x1.56e1fc2f8f359p-997, -0x1.b7d5cd487e960p+8}, {0x1.4f8b588e368f1p-17, -0x1.d9cd60ca62f26p+2},
    {0x1.0000000000000p-2, -0x1.dcf723b7d21f4p-1},   {0x1.8000000000000p-1, -0x1.18ee09734f23cp-3},
    {0x1.8000000000000p+0, 0x1.87a0b0d068368p-2},    {0x1.399999999999ap+1, 0x1.027684a585ff9p-1},
    {0x1.4cccccccccccdp+1, 0x1.ece1ed248a975p-2},    {0x1.a666666666666p+1, 0x1.138cda197f9b8p-2},
    {0x1.feb851eb851ecp+1, -0x1.a88871a56a5fep-7},   {0x1.0666666666666p+2, -0x1.cb86f5582db84p-5},
    {0x1.2cccccccccccdp+2, -0x1.febef3678c5e7p-3},   {0x1.3fef9db22d0e5p+2, -0x1.3bc53d1550e7ap-2},
    {0x1.4666666666666p+2, -0x1.495227053816fp-2},   {0x1.5333333333333p+2, -0x1.598929f2976c0p-2},
    {0x1.9333333333333p+2, -0x1.cced2cb179f11p-3},   {0x1.e000000000000p+2, 0x1.e083e5764918cp-4},
    {0x1.fffe5c91d14e4p+2, 0x1.c9bd58d993b78p-3},    {0x1.c982eb8d417eap-1, -0x1.af74bfa0f1304p-56},
    {0x1.c982eb8d4375bp-1, 0x1.ba63f53784220p-41},   {0x1.c982cd917cf71p-1, -0x1.a5e3bb061ef1dp-21},
    {0x1.c9f80b04f2f7dp-1, 0x1.9bcba014b23b9p-11},   {0x1.fa9534d98569cp+1, -0x1.8fa8956b4b481p-55},
    {0x1.fa9534d98796dp+1, -0x1.c07ebba63a747p-40},  {0x1.fa9513a678b15p+1, 0x1.aba76b8f96301p-20},
    {0x1.fb16e44335ee2p+1, -0x1.a16bbe235a6e1p-10},  {0x1.c581dc4e72103p+2, 0x1.e91b198d39ce2p-56},
    {0x1.c581dc4e7402ep+2, 0x1.2b50477367e65p-39},   {0x1.c581be95db2dep+2, -0x1.1d6a42ef03b09p-19},
    {0x1.c5f5f55bd6046p+2, 0x1.16957c3f41ce3p-9}};
constexpr Sample kY1[] = {
    {0x1.87e92154ef7acp-665, -0x1.a9d3a760747a9p+663}, {0x1.4f8b588e368f1p-17, -0x1.f15bf45d6fcbep+15},
    {0x1.0000000000000p-2, -0x1.5a201ec26d052p+1},     {0x1.8000000000000p-1, -0x1.099fcbe60fd83p+0},
    {0x1.8000000000000p+0, -0x1.a6343b92d8b0fp-2},     {0x1.399999999999ap+1, 0x1.fa1e517321a63p-4},
    {0x1.4cccccccccccdp+1, 0x1.81c4bef5f0e71p-3},      {0x1.a666666666666p+1, 0x1.8d2951999e49ap-2},
    {0x1.feb851eb851ecp+1, 0x1.98a683ed36ff4p-2},      {0x1.0666666666666p+2, 0x1.89d304c722bf1p-2},
    {0x1.2cccccccccccdp+2, 0x1.f4bd188e4de92p-3},      {0x1.3fef9db22d0e5p+2, 0x1.2f841bdf0527dp-3},
    {0x1.4666666666666p+2, 0x1.d1dd4daa8219dp-4},      {0x1.5333333333333p+2, 0x1.6cef20e311f84p-5},
    {0x1.9333333333333p+2, -0x1.f020818fb304ep-3},     {0x1.e000000000000p+2, -0x1.0958fbf7ff0a3p-2},
    {0x1.fffe5c91d14e4p+2, -0x1.43c1f536582ffp-3},     {0x1.193bed4dff243p+1, 0x1.cf9f8d5e1a475p-56},
    {0x1.193bed4e00597p+1, 0x1.421d0c6569320p-40},     {0x1.193bdadfabec6p+1, -0x1.3327b4c0a5203p-20},
    {0x1.1983ec43110f7p+1, 0x1.2bce51bd0eaebp-10},     {0x1.5b7fe4e87b02ep+2, 0x1.46a40b234169cp-53},
    {0x1.5b7fe4e87c810p+2, -0x1.041170f303dbep-39},    {0x1.5b7fce2267a6cp+2, 0x1.f0052e059cea8p-20},
    {0x1.5bd8daa41ae0dp+2, -0x1.e42672618f400p-10}};
constexpr double kFar[][5] = {
    {8.0, 0x1.5f8a7557e7025p-3, 0x1.e089056186183p-3, 0x1.c9c5a276fb82cp-3, -0x1.43b5340f69336p-3},
    {8.5, 0x1.5790fc62b10a7p-5, 0x1.17ad48b7328bap-2, 0x1.14b0a5ab087d8p-2, -0x1.acbf658c8efd5p-6},
    {12.25, 0x1.9d696a74ed788p-4, -0x1.9a54e00165848p-3, -0x1.a268e41542a8dp-3, -0x1.bfda5436a988ep-4},
    {33.3, 0x1.036f375b906c2p-4, 0x1.fb56e0272fcf0p-4, 0x1.f7635e38b907fp-4, -0x1.f7d05d2479400p-5},
    {1000.5, 0x1.3f448e76cd107p-6, 0x1.06991c56e15bbp-6, 0x1.067041a7c077fp-6, -0x1.3f22fdcab6e78p-6},
    {100000.0, -0x1.c2ada24725d10p-10, 0x1.e41dcd584a64fp-10, 0x1.e41e6105d2494p-10, 0x1.c2ae40ea0f3e2p-10},
    {300000000.0, 0x1.f5506e6d4d2c4p-17, -0x1.6d8a5f365ad52p-15, -0x1.6d8a5f39dbf82p-15,
     -0x1.f5506e962fbc9p-17},
    {1e+22, -0x1.05393befd5bf3p-39, -0x1.11076e7b1cb00p-37, -0x1.11076e7b1cb00p-37, 0x1.05393befd5bf3p-39}};

double units(double got, double want) {
  return std::fabs(got - want) / std::ldexp(1.0, std::ilogb(want) - 52);
}

void check_near(const char* name, std::span<const Sample> samples) {
  std::vector<double> in;
  for (const Sample& s : samples) in.push_back(s.x);
  const std::vector<double> out = run(name, in);
  ASSERT_EQ(out.size(), in.size());
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_LE(units(out[i], samples[i].exact), 7) << name << " of " << in[i];
}

TEST(Bessel, KeepTheirBoundsBelowEight) {
  check_near("j0(a)", kJ0);
  check_near("j1(a)", kJ1);
  check_near("y0(a)", kY0);
  check_near("y1(a)", kY1);
}

TEST(Bessel, KeepTheirBoundsFarOut) {
  std::vector<double> in;
  for (const auto& row : kFar) in.push_back(row[0]);
  const char* names[] = {"j0(a)", "j1(a)", "y0(a)", "y1(a)"};
  for (size_t f = 0; f < 4; ++f) {
    const std::vector<double> out = run(names[f], in);
    for (size_t i = 0; i < in.size(); ++i) EXPECT_NEAR(out[i], kFar[i][f + 1], 5e-12) << names[f] << in[i];
  }
}

TEST(Bessel, Ends) {
  const double infinity = HUGE_VAL;
  const std::vector<double> in = {0, -1, infinity, -infinity, NAN};
  const std::vector<double> j0 = run("j0(a)", in), j1 = run("j1(a)", in), y0 = run("y0(a)", in),
                            y1 = run("y1(a)", in);
  EXPECT_EQ(j0[0], 1);
  EXPECT_EQ(j1[0], 0);
  EXPECT_EQ(j0[2], 0);
  EXPECT_EQ(j1[3], 0);
  EXPECT_EQ(y0[0], -infinity);
  EXPECT_EQ(y1[0], -infinity);
  EXPECT_EQ(y0[2], 0);
  EXPECT_TRUE(std::isnan(y0[1]) && std::isnan(y1[1]) && std::isnan(y0[3]));
  for (const auto& out : {j0, j1, y0, y1}) EXPECT_TRUE(std::isnan(out[4]));
}

TEST(Bessel, FloatsThroughDouble) {
  std::vector<float> in;
  for (int i = 1; i < 400; ++i) in.push_back(static_cast<float>(i) * 0.02F);
  const std::vector<float> out = run("y1f(a)", in, true);
  for (size_t i = 0; i < in.size(); ++i) EXPECT_FLOAT_EQ(out[i], static_cast<float>(::y1(in[i])));
}

}  // namespace
}  // namespace quern::expand::test
