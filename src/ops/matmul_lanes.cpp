// Matrix products on processors (text/matmul_lanes.cuh).
#include <algorithm>

#include "ops/linear.hpp"
#include "ops/product.hpp"
#include "quern/ops/tensor.hpp"

namespace quern::ops {

namespace {

using detail::View;

constexpr std::int64_t kLaneRows = 96, kLaneDepth = 64;  // of a tile
constexpr std::int64_t kLaneBytes = 256;                 // a row of a tile of b

// Order of text/matmul_lanes.cuh.
enum class Order { kByRow, kByColumn, kAny };

Order order_of(const Matrix& matrix) {
  if (matrix.column == 1) return Order::kByRow;
  return matrix.row == 1 ? Order::kByColumn : Order::kAny;
}

std::string number(std::int64_t value) { return ", " + std::to_string(value); }
std::string number(Order order) { return number(static_cast<std::int64_t>(order)); }

std::int64_t tiles(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

// Rows whose sums fit into the vector registers, next to four registers for a row of b.
std::int64_t rows_in_registers(const DeviceInfo& info) {
  for (const auto& [name, value] : info.details) {
    if (name == "vector registers" && (value.starts_with("512") || value.ends_with("neon"))) return 6;
  }
  return 3;  // there are 16 registers
}

// The kernels of a product, and the launches of one.
class Lanes {
 public:
  Lanes(const On& on, const Product& product)
      : stream_(on.stream()),
        device_(stream_.device()),
        p_(product),
        elements_(std::string(name_of(p_.a.element)) + ", " + std::string(name_of(p_.accumulator))),
        lanes_(kLaneBytes / static_cast<std::int64_t>(bytes_of(p_.accumulator))),
        rows_(rows_in_registers(device_.info())) {}

  Receipt run() const { return p_.m <= 2 * rows_ ? multiply_few_rows() : multiply(); }

 private:
  Kernel kernel(const std::string& name) const {
    return Engine::of(device_)->kernel(device_, {"index", "matmul", "matmul_lanes"}, {},
                                       "quern_ops::" + name);
  }
  // A processor computes adjacent blocks in sequence on one thread.
  LaunchConfig blocks(std::int64_t count) const {
    return grid({static_cast<std::uint32_t>(std::min<std::int64_t>(count, 1 << 30)), 1, 1},
                {static_cast<std::uint32_t>(lanes_), 1, 1});
  }

  Receipt multiply_few_rows() const {
    const Matrix a = matrix_of(p_.a), b = matrix_of(p_.b), c = matrix_of(p_.c);
    const std::string name = "matmul_few_rows<" + p_.types() + number(lanes_) + number(rows_) +
                             number(order_of(b)) + number(order_of(c)) + ">";
    return stream_.launch(kernel(name), blocks(p_.batches * tiles(p_.m, rows_) * tiles(p_.n, lanes_)),
                          p_.batches, p_.m, p_.n, p_.k, a, b, c, p_.bias_line(),
                          scalar_of(p_.accumulator, p_.scalars.alpha),
                          scalar_of(p_.accumulator, p_.scalars.beta), argument_of(p_.a), argument_of(p_.b),
                          argument_of(p_.c), p_.bias_argument());
  }

  // Copies an operand into tiles of `extent` rows or columns.
  void pack(const char* name, const View& operand, std::int64_t extent, std::int64_t tile,
            const Argument& out) const {
    const Matrix layout = matrix_of(operand);
    const std::int64_t tile_count = tiles(extent, tile), steps = tiles(p_.k, kLaneDepth);
    const std::string text = name + ("<" + elements_) + number(lanes_) + number(order_of(layout)) + ">";
    stream_.launch(kernel(text), blocks(batches_of(operand) * tile_count * steps), tile_count, steps, extent,
                   p_.k, layout, argument_of(operand), out);
  }

  Receipt multiply() const {
    const std::int64_t tiles_m = tiles(p_.m, kLaneRows), tiles_n = tiles(p_.n, lanes_),
                       steps = tiles(p_.k, kLaneDepth);
    const std::int64_t of_left = batches_of(p_.a) * tiles_m * steps * kLaneRows * kLaneDepth,
                       of_right = batches_of(p_.b) * tiles_n * steps * lanes_ * kLaneDepth;
    const auto bytes = [&](std::int64_t count) {
      return static_cast<std::size_t>(count) * bytes_of(p_.accumulator);
    };
    const Workspace left(device_, bytes(of_left)), right(device_, bytes(of_right));
    const Argument left_tiles = left.elements(p_.accumulator), right_tiles = right.elements(p_.accumulator);
    if (p_.k != 0) {
      pack("pack_left", p_.a, p_.m, kLaneRows, left_tiles);
      pack("pack_right", p_.b, p_.n, lanes_, right_tiles);
    }
    const Matrix c = matrix_of(p_.c);
    const std::string name = "matmul_lanes<" + p_.types() + number(lanes_) + number(rows_) +
                             (order_of(matrix_of(p_.a)) == Order::kByColumn ? ", true" : ", false") +
                             number(order_of(c)) + ">";
    const std::int64_t left_batch = batches_of(p_.a) == 1 ? 0 : tiles_m,
                       right_batch = batches_of(p_.b) == 1 ? 0 : tiles_n;
    return stream_.launch(kernel(name), blocks(p_.batches * tiles_m * tiles_n), p_.batches, p_.m, p_.n, p_.k,
                          left_batch, right_batch, c, p_.bias_line(),
                          scalar_of(p_.accumulator, p_.scalars.alpha),
                          scalar_of(p_.accumulator, p_.scalars.beta), left_tiles, right_tiles,
                          argument_of(p_.c), p_.bias_argument());
  }

  const Stream& stream_;
  Device device_;
  const Product& p_;
  std::string elements_;
  std::int64_t lanes_, rows_;
};

}  // namespace

bool has_lanes(const Device& device) { return device.info().driver == "cpu"; }

Receipt multiply_in_lanes(const On& on, const Product& product) { return Lanes(on, product).run(); }

}  // namespace quern::ops
