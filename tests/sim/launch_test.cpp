// Launches: geometry, arguments, variables, limits, and that a seed decides the order and nothing else.
#include <numeric>

#include "sim/sim_case.hpp"

namespace quern::sim {
namespace {

constexpr const char* kSaxpy = R"(
  kernel @k(%n: i32, %a: f32, %x: ptr<global> of f32, %y: ptr<global> of f32) {
    %t = thread_id.x
    %b = block_id.x
    %d = block_dim.x
    %m = mul u32 %b, %d
    %iu = add u32 %m, %t
    %i = convert i32 %iu
    %c = lt i32 %i, %n
    if %c {
      %px = offset ptr<global> %x, %i scale 4
      %py = offset ptr<global> %y, %i scale 4
      %vx = load f32 %px
      %vy = load f32 %py
      %p = mul f32 %a, %vx
      %s = add f32 %p, %vy
      store %py, %s
    }
    return
  })";

TEST(SimLaunch, Saxpy) {
  for_seeds([](const LaunchOptions& options) {
    Bench bench(kSaxpy);
    std::vector<float> x(1000), y(1000, 2.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    const Address px = bench.upload(x), py = bench.upload(y);
    const LaunchResult r = bench.run(dim(8), dim(128), {1000, 3.0f, px, py}, options);
    EXPECT_EQ(r.threads, 1024u);
    EXPECT_EQ(r.blocks, 8u);
    EXPECT_GT(r.instructions, 1024u * 5);
    const auto out = bench.download<float>(py, 1000);
    for (size_t i = 0; i < 1000; ++i) ASSERT_EQ(out[i], 3.0f * static_cast<float>(i) + 2.0f);
  });
}

}  // namespace
}  // namespace quern::sim
