// Copies of operands whose addresses do not fit tensor maps (text/matmul_pack.cuh).
#include "ops/engine.hpp"
#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

struct PackedLines {
  std::int64_t batches, lines, bytes, first, batch, line, pitch;
};

TEST(OpsMatmulPack, CopiesLinesFromAnyAddress) {
  const Device gpu = open("sim");
  const Kernel kernel =
      Engine::of(gpu)->kernel(gpu, {"index", "pieces", "matmul_pack"}, {}, "quern_ops::pack_lines");
  std::vector<std::uint8_t> in(2000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 7 % 251);
  const Buffer<std::uint8_t> from = gpu.upload(in);
  const PackedLines a{2, 3, 37, 5, 150, 41, 48}, b{1, 9, 70, 3, 0, 70, 128};
  Buffer<std::uint8_t> to = gpu.allocate<std::uint8_t>(2 * 3 * 48),
                       other = gpu.allocate<std::uint8_t>(9 * 128);
  gpu.launch(kernel, grid({2, 1, 1}, {256, 1, 1}), a, b, from, from, to, other);
  const auto check = [&](const PackedLines& lines, const std::vector<std::uint8_t>& got) {
    for (std::int64_t batch = 0; batch < lines.batches; ++batch) {
      for (std::int64_t line = 0; line < lines.lines; ++line) {
        for (std::int64_t at = 0; at < lines.bytes; ++at)
          EXPECT_EQ(got[static_cast<std::size_t>((batch * lines.lines + line) * lines.pitch + at)],
                    in[static_cast<std::size_t>(lines.first + batch * lines.batch + line * lines.line + at)])
              << batch << " " << line << " " << at;
      }
    }
  };
  check(a, to.download());
  check(b, other.download());
}

}  // namespace
}  // namespace quern::ops
