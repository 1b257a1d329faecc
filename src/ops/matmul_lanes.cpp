// Matrix products on processors (text/matmul_lanes.cuh).
#include <algorithm>

#include "ops/choice.hpp"
#include "ops/linear.hpp"
#include "ops/product.hpp"
#include "quern/ops/tensor.hpp"

namespace quern::ops {

namespace {

using detail::View;

constexpr std::int64_t kTileRows = 96;  // of a; a multiple of all numbers of rows in registers

// Order of text/matmul_lanes.cuh.
enum class Order { kByRow, kByColumn, kAny };

Order order_of(const Matrix& matrix) {
  if (matrix.column == 1) return Order::kByRow;
  return matrix.row == 1 ? Order::kByColumn : Order::kAny;
}

std::string number(std::int64_t value) { return ", " + std::to_string(value); }
std::string number(Order order) { return number(static_cast<std::int64_t>(order)); }

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
        variant_(variant_for(device_, "matmul", {{p_.m, p_.n, p_.k}, p_.a.element})),
        lanes_(variant_.at("bytes") / static_cast<std::int64_t>(bytes_of(p_.accumulator))),
        rows_(variant_.at("rows")),
        depth_(variant_.at("depth")) {}

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
    return stream_.launch(kernel(name), blocks(p_.batches * tiles_of(p_.m, rows_) * tiles_of(p_.n, lanes_)),
                          p_.batches, p_.m, p_.n, p_.k, a, b, c, p_.bias_line(),
                          scalar_of(p_.accumulator, p_.scalars.alpha),
                          scalar_of(p_.accumulator, p_.scalars.beta), argument_of(p_.a), argument_of(p_.b),
                          argument_of(p_.c), p_.bias_argument());
  }

  // Copies an operand into tiles of `extent` rows or columns. `kernel_name`: without the last argument.
  void pack(const std::string& kernel_name, const View& operand, std::int64_t extent, std::int64_t tile,
            const Argument& out) const {
    const Matrix layout = matrix_of(operand);
    const std::int64_t tile_count = tiles_of(extent, tile), steps = tiles_of(p_.k, depth_);
    const std::string text = kernel_name + number(order_of(layout)) + ">";
    stream_.launch(kernel(text), blocks(batches_of(operand) * tile_count * steps), tile_count, steps, extent,
                   p_.k, layout, argument_of(operand), out);
  }

  Receipt multiply() const {
    const std::int64_t tiles_m = tiles_of(p_.m, kTileRows), tiles_n = tiles_of(p_.n, lanes_),
                       steps = tiles_of(p_.k, depth_);
    const std::int64_t of_left = batches_of(p_.a) * tiles_m * steps * kTileRows * depth_,
                       of_right = batches_of(p_.b) * tiles_n * steps * lanes_ * depth_;
    const auto bytes = [&](std::int64_t count) {
      return static_cast<std::size_t>(count) * bytes_of(p_.accumulator);
    };
    const Workspace left(device_, bytes(of_left)), right(device_, bytes(of_right));
    const Argument left_tiles = left.elements(p_.accumulator), right_tiles = right.elements(p_.accumulator);
    if (p_.k != 0) {
      pack("pack_left<" + elements_ + number(lanes_) + number(kTileRows) + number(depth_), p_.a, p_.m,
           kTileRows, left_tiles);
      pack("pack_right<" + elements_ + number(lanes_) + number(depth_), p_.b, p_.n, lanes_, right_tiles);
    }
    const Matrix c = matrix_of(p_.c);
    const std::string name =
        "matmul_lanes<" + p_.types() + number(lanes_) + number(rows_) + number(kTileRows) + number(depth_) +
        (order_of(matrix_of(p_.a)) == Order::kByColumn ? ", true" : ", false") + number(order_of(c)) + ">";
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
  Variant variant_;
  std::int64_t lanes_, rows_, depth_;
};

}  // namespace

// `bytes`: a row of a tile of b; `rows`: of the result, in registers; `depth`: of a tile.
std::vector<Variant> lane_variants(const DeviceInfo& info, const Problem&) {
  const Variant standard{{"bytes", 256}, {"rows", rows_in_registers(info)}, {"depth", 64}};
  const auto is_sensible = [](const Variant& v) {
    const std::int64_t bytes = v.at("bytes") * v.at("rows");
    return bytes >= 256 * 3 && bytes <= 256 * 6;  // of sums in registers
  };
  return with_default(
      standard,
      variants({{"bytes", {256, 128}}, {"rows", {3, 4, 6, 8, 12}}, {"depth", {64, 128, 256}}}, is_sensible));
}

bool has_lanes(const Device& device) { return device.info().driver == "cpu"; }

Receipt multiply_in_lanes(const On& on, const Product& product) { return Lanes(on, product).run(); }

}  // namespace quern::ops
