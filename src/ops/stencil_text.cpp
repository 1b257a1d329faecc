// The code of stencil kernels. It is generated: the number of parameters depends on the number of fields.
#include <array>
#include <cmath>
#include <cstdio>

#include "ops/engine.hpp"
#include "ops/stencil_plan.hpp"

namespace quern::ops {

namespace {

std::string text(int n) { return std::to_string(n); }

// A number that has the same value in the kernel language.
std::string literal(double value, bool is_double) {
  const std::string suffix = is_double ? "" : "f";
  const std::string infinity =
      is_double ? "std::numeric_limits<double>::infinity()" : "std::numeric_limits<float>::infinity()";
  const std::string nan =
      is_double ? "std::numeric_limits<double>::quiet_NaN()" : "std::numeric_limits<float>::quiet_NaN()";
  if (std::isnan(value)) return nan;
  if (std::isinf(value)) return value < 0 ? "-" + infinity : infinity;
  std::array<char, 40> digits{};
  std::snprintf(digits.data(), digits.size(), "%.17e", value);
  return digits.data() + suffix;
}

class Writer {
 public:
  Writer(const StencilPlan& plan, const StencilGrid& grid, const std::vector<Element>& fields,
         const std::vector<Element>& coefficients)
      : plan_(plan), grid_(grid), fields_(fields), coefficients_(coefficients) {}

  std::string all(const Function& update) {
    functions(update);
    out_ += "using QuernEdges = " + edges(false) + ";\nusing QuernOpen = " + edges(true) + ";\n";
    out_ += "using QuernStrides = quern_ops::Strides<" + std::string(plan_.is_wide ? "long long" : "int") +
            (plan_.is_unit ? ", true" : ", false") + ">;\n";
    out_ += "__global__ void stencil(quern_ops::Grid g" + parameters() + ") {\n";
    out_ += "  const QuernFunction update{};\n";
    switch (plan_.kernel) {
      case StencilKernel::kStep: step(); break;
      case StencilKernel::kTile: tile(); break;
      case StencilKernel::kStream: stream(); break;
    }
    out_ += "}\n";
    return out_;
  }

 private:
  std::string type(std::size_t f) const { return std::string(name_of(fields_[f])); }
  std::string wide(std::size_t f) const { return "quern_ops::Wide<" + type(f) + ">::type"; }
  static std::string number(const char* name, std::size_t f) { return name + std::to_string(f); }
  std::string radii() const {
    return text(grid_.radius[0]) + ", " + text(grid_.radius[1]) + ", " + text(grid_.radius[2]);
  }

  void functions(const Function& update) {
    bool is_double = false;
    for (const Element e : fields_) is_double = is_double || e == Element::f64;
    std::vector<std::string> codes;
    const auto add_code = [&](const Function& function) {
      for (const std::string& code : codes) {
        if (code == function.code()) return;
      }
      codes.push_back(function.code());
      out_ += function.code() + "\n";
    };
    add_code(update);
    out_ += functor_text("QuernFunction", update.lambda(), "function");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Boundary& boundary = grid_.boundary[axis];
      if (boundary.kind() != BoundaryKind::function) continue;
      add_code(boundary.function());
      const std::string lambda = boundary.is_constant()
                                     ? "[](auto) { return " + literal(boundary.value(), is_double) + "; }"
                                     : boundary.function().lambda();
      out_ += functor_text("QuernOutside" + std::to_string(axis), lambda, "boundary");
    }
  }

  // `is_open`: periodic axes continue beyond the grid.
  std::string edges(bool is_open) const {
    static constexpr std::array<const char*, 5> kNames = {"kPeriodic", "kClamp", "kMirror", "kFixed",
                                                          "kOutside"};
    std::string kinds, functions;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const BoundaryKind kind = grid_.boundary[axis].kind();
      const bool opens = is_open && kind == BoundaryKind::periodic;
      kinds += std::string(axis == 0 ? "" : ", ") +
               "quern_ops::" + (opens ? "kOpen" : kNames[static_cast<std::size_t>(kind)]);
      functions +=
          kind == BoundaryKind::function ? ", QuernOutside" + std::to_string(axis) : ", quern_ops::Nothing";
    }
    return "quern_ops::Edges<" + kinds + functions + ">";
  }
  bool has(BoundaryKind kind) const {
    for (std::size_t axis = 3 - grid_.rank; axis < 3; ++axis) {
      if (grid_.boundary[axis].kind() == kind) return true;
    }
    return false;
  }
  // Whether points at the edge of the grid read positions that a tile does not have.
  bool has_edges() const {
    return has(BoundaryKind::clamp) || has(BoundaryKind::mirror) || has(BoundaryKind::function);
  }

  std::string parameters() const {
    std::string list;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const std::string n = std::to_string(f);
      list += ", const " + type(f) + "* __restrict__ in" + n + ", " + type(f) + "* __restrict__ out" + n +
              ", QuernStrides a" + n + ", QuernStrides b" + n;
    }
    for (std::size_t c = 0; c < coefficients_.size(); ++c) {
      const std::string n = std::to_string(c);
      list += ", const " + std::string(name_of(coefficients_[c])) + "* __restrict__ more" + n +
              ", QuernStrides c" + n;
    }
    return list;
  }

  std::string near(const std::string& source, const std::string& values, const char* edges, bool is_inner,
                   std::size_t field) const {
    return "quern_ops::Near<" + source + ", " + std::to_string(grid_.rank) +
           (is_inner ? ", true, " : ", false, ") + edges + ">{{" + values + "}, quern_ops::place_of<" +
           std::to_string(grid_.rank) + ">(g, at_z, at_y, at_x, now, " + std::to_string(field) + ")}";
  }
  std::string global_type(Element element) const {
    return "quern_ops::Global<" + std::string(name_of(element)) + ", QuernStrides>";
  }
  // The coefficients at (at_z, at_y, at_x) of the grid.
  std::string coefficient_arguments(bool is_inner) const {
    std::string list;
    for (std::size_t c = 0; c < coefficients_.size(); ++c) {
      const std::string n = std::to_string(c);
      list += ", " + near(global_type(coefficients_[c]),
                          "more" + n + " + c" + n + ".at(at_z, at_y, at_x), c" + n + ", 0, 0", "QuernEdges",
                          is_inner, fields_.size() + c);
    }
    return list;
  }
  // Calls the update: new0, new1, …
  std::string call(const std::vector<std::string>& arguments, bool is_inner) const {
    std::string list, names;
    for (std::size_t f = 0; f < arguments.size(); ++f) {
      list += (f == 0 ? "" : ", ") + arguments[f];
      names += (f == 0 ? "" : ", ") + number("new", f);
    }
    list += coefficient_arguments(is_inner);
    return "const auto " + (fields_.size() == 1 ? names : "[" + names + "]") + " = update(" + list + ");\n";
  }
  static std::string choice(bool both, const char* condition, const std::string& yes, const std::string& no) {
    if (!both) return yes;
    return std::string("if (") + condition + ") {\n" + yes + "} else {\n" + no + "}\n";
  }

  // A tile of depth × height × width points; a thread computes depth × rows of them.
  void step() {
    std::string constants = "  constexpr int kWidth = " + text(plan_.width) +
                            ", kRows = " + text(plan_.rows) + ", kHeight = " + text(plan_.height) +
                            ", kDepth = " + text(plan_.depth) + ";\n";
    out_ += constants + "  const int now = g.step;\n" + tiles();
    out_ +=
        "    const int z = g.begin0 + tile0 * kDepth, first_y = g.begin1 + tile1 * kHeight,\n"
        "              first_x = g.begin2 + tile2 * kWidth;\n"
        "    const int y = first_y + static_cast<int>(threadIdx.y) * kRows, x = first_x + "
        "static_cast<int>(threadIdx.x);\n"
        "    const bool is_inner = " +
        inner_tile() + ";\n";
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const std::string n = std::to_string(f);
      out_ += "    const " + type(f) + "* const p" + n + " = in" + n + " + a" + n + ".at(z, y, x);\n    " +
              type(f) + "* const q" + n + " = out" + n + " + b" + n + ".at(z, y, x);\n";
    }
    out_ +=
        "    if (is_inner) {\n#pragma unroll\n      for (int i = 0; i < kDepth; ++i) {\n#pragma unroll\n"
        "        for (int j = 0; j < kRows; ++j) {\n" +
        step_point(true) +
        "        }\n      }\n    } else {\n"
        "      for (int i = 0; i < kDepth; ++i) {\n        for (int j = 0; j < kRows; ++j) {\n"
        "          if (z + i < g.end0 && y + j < g.end1 && x < g.end2) {\n" +
        choice(true, inner_point().c_str(), step_point(true), step_point(false)) +
        "          }\n        }\n      }\n    }\n  }\n";
  }
  std::string inner_point() const {
    const std::array<const char*, 3> position{"z + i", "y + j", "x"};
    std::string condition = "true";
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string p = position[axis], r = text(grid_.radius[axis]);
      if (grid_.radius[axis] != 0)
        condition += " && " + p + " >= " + r + " && " + p + " + " + r + " < g.n" + std::to_string(axis);
    }
    return condition;
  }
  std::string inner_tile() const {
    const std::array<const char*, 3> first{"z", "first_y", "first_x"}, size{"kDepth", "kHeight", "kWidth"};
    std::string condition;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string a = std::to_string(axis), from = first[axis], r = text(grid_.radius[axis]);
      const std::string to = from + " + " + size[axis];
      condition += (axis == 0 ? "" : " && ") + to + " <= g.end" + a;
      if (grid_.radius[axis] != 0)
        condition += " && " + from + " >= " + r + " && " + to + " + " + r + " <= g.n" + a;
    }
    return condition;
  }
  std::string step_point(bool is_inner) const {
    std::vector<std::string> arguments;
    std::string kept, moved;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const std::string n = std::to_string(f), to = "q" + n + "[b" + n + ".offset(i, j, 0)] = ";
      arguments.push_back(
          near(global_type(fields_[f]), "p" + n + ", a" + n + ", i, j", "QuernEdges", is_inner, f));
      kept += to + "p" + n + "[a" + n + ".offset(i, j, 0)];\n";
      moved += to + "static_cast<" + type(f) + ">(new" + n + ");\n";
    }
    const std::string update = call(arguments, is_inner) + moved;
    const std::string at = "const int at_z = z + i, at_y = y + j, at_x = x;\n";
    if (is_inner || !has(BoundaryKind::fixed)) return at + update;
    return at + choice(true,
                       ("quern_ops::is_fixed<QuernEdges, " + radii() + ">(g, at_z, at_y, at_x)").c_str(),
                       kept, update);
  }

  // The loop over tiles.
  static std::string tiles() {
    return "  const unsigned tiles = static_cast<unsigned>(g.tiles0) * g.tiles1 * g.tiles2;\n"
           "  for (unsigned w = blockIdx.x; w < tiles; w += gridDim.x) {\n"
           "    const int tile2 = static_cast<int>(w % g.tiles2), row = static_cast<int>(w / g.tiles2);\n"
           "    const int tile1 = row % g.tiles1, tile0 = row / g.tiles1;\n";
  }

  // Computes a point of a tile in shared memory. keep(f): the value of a field that does not change;
  // store(f, value): stores a value.
  template <typename Keep, typename Store>
  std::string tile_point(const std::vector<std::string>& arguments, const Keep& keep,
                         const Store& store) const {
    std::string kept, moved;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      kept += store(f, keep(f));
      moved += store(f, number("new", f));
    }
    const std::string update = call(arguments, false) + moved;
    if (!has(BoundaryKind::fixed)) return update;
    return choice(true, ("quern_ops::is_fixed<QuernOpen, " + radii() + ">(g, at_z, at_y, at_x)").c_str(),
                  kept, update);
  }
  static std::string grid_position() {
    return "const int at_z = quern_ops::mapped<QuernEdges::kEdge0>(z, g.n0), "
           "at_y = quern_ops::mapped<QuernEdges::kEdge1>(y, g.n1), "
           "at_x = quern_ops::mapped<QuernEdges::kEdge2>(x, g.n2);\n";
  }

  void tile() {
    const int halo1 = plan_.steps * grid_.radius[1], halo2 = plan_.steps * grid_.radius[2];
    out_ += "  constexpr int kHalo1 = " + text(halo1) + ", kHalo2 = " + text(halo2) +
            ", kWidth = " + text(plan_.width) + ", kHeight = " + text(plan_.height) +
            ";\n  constexpr int kW = kWidth + 2 * kHalo2, kH = kHeight + 2 * kHalo1, kSteps = " +
            text(plan_.steps) + ", kThreads = " + text(plan_.threads) + ";\n";
    for (std::size_t f = 0; f < fields_.size(); ++f)
      out_ += "  __shared__ " + wide(f) + " " + number("s", f) + "[2 * kW * kH];\n";
    std::string load, points;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const std::string n = std::to_string(f);
      load += "        s" + n + "[e] = static_cast<" + wide(f) + ">(in" + n + "[a" + n +
              ".at(0, at_y, at_x)]);\n";
    }
    out_ +=
        "  const int z = 0, thread = static_cast<int>(threadIdx.x);\n" + tiles() +
        "    const int first_y = tile1 * kHeight - kHalo1, first_x = tile2 * kWidth - kHalo2;\n"
        "    for (int e = thread; e < kW * kH; e += kThreads) {\n"
        "      const int y = first_y + e / kW, x = first_x + e % kW;\n"
        "      if (quern_ops::is_inside<QuernOpen>(g, z, y, x)) {\n" +
        grid_position() + load +
        "      }\n    }\n"
        "    __syncthreads();\n"
        "    const bool is_inner = first_y >= 0 && first_y + kH <= g.n1 && first_x >= 0 && first_x + kW <= "
        "g.n2;\n"
        "    for (int level = 1; level <= kSteps; ++level) {\n"
        "      const int from = (level - 1) % 2 * (kW * kH), to = level % 2 * (kW * kH), now = g.step + "
        "level - 1;\n"
        "      const int margin1 = level * " +
        text(grid_.radius[1]) + ", margin2 = level * " + text(grid_.radius[2]) +
        ";\n"
        "      for (int e = thread; e < kW * kH; e += kThreads) {\n"
        "        const int tile_y = e / kW, tile_x = e % kW, y = first_y + tile_y, x = first_x + tile_x;\n"
        "        if (tile_y >= margin1 && tile_y < kH - margin1 && tile_x >= margin2 && tile_x < kW - "
        "margin2 &&\n"
        "            quern_ops::is_inside<QuernOpen>(g, z, y, x)) {\n" +
        grid_position();
    out_ += choice(has_edges(), "is_inner", tile_level(true), tile_level(false)) +
            "        }\n      }\n      __syncthreads();\n    }\n  }\n";
  }
  std::string tile_level(bool is_inner) const {
    std::vector<std::string> arguments;
    for (std::size_t f = 0; f < fields_.size(); ++f)
      arguments.push_back(near("quern_ops::Tile<" + wide(f) + ", kW>", number("s", f) + " + from + e",
                               "QuernOpen", is_inner, f));
    return tile_point(
        arguments, [](std::size_t f) { return number("s", f) + "[from + e]"; },
        [&](std::size_t f, const std::string& value) {
          const std::string n = std::to_string(f);
          return "if (level < kSteps) {\ns" + n + "[to + e] = quern_ops::stored<" + type(f) + ">(" + value +
                 ");\n} else if (y < g.n1 && x < g.n2) {\nout" + n + "[b" + n +
                 ".at(0, y, x)] = static_cast<" + type(f) + ">(" + value + ");\n}\n";
        });
  }

  void stream();
  std::string stream_level(bool is_inner) const;

  const StencilPlan& plan_;
  const StencilGrid& grid_;
  const std::vector<Element>&fields_, &coefficients_;
  std::string out_;
};

// Level l computes the plane k - l * (radius + 1) in iteration k, from planes that level l - 1 computed
// before this iteration. Level 0 is the input.
void Writer::stream() {
  out_ += "  constexpr int kRadius0 = " + text(grid_.radius[0]) +
          ", kHalo1 = " + text(plan_.steps * grid_.radius[1]) +
          ", kHalo2 = " + text(plan_.steps * grid_.radius[2]) + ", kSteps = " + text(plan_.steps) +
          ";\n  constexpr int kW = " + text(plan_.width) + ", kH = " + text(plan_.height) +
          ", kRows = " + text(plan_.rows) + ", kPlane = kW * kH, kSlots = 2 * kRadius0 + 2;\n";
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string n = std::to_string(f);
    out_ += "  __shared__ " + wide(f) + " s" + n + "[kSteps * kSlots * kPlane];\n  " + wide(f) + " column" +
            n + "[kSteps][kRows][2 * kRadius0 + 1];\n";
  }
  out_ +=
      "  const int thread = static_cast<int>(threadIdx.x), tile_x = thread % kW, tile_y = thread / kW * "
      "kRows;\n" +
      tiles() +
      "    const int first_y = tile1 * (kH - 2 * kHalo1) - kHalo1, first_x = tile2 * (kW - 2 * kHalo2) - "
      "kHalo2;\n"
      "    const int x = first_x + tile_x, z_begin = tile0 * g.chunk;\n"
      "    const int z_end = z_begin + g.chunk < g.n0 ? z_begin + g.chunk : g.n0;\n"
      "    const int first = z_begin - kSteps * kRadius0;\n"
      "    const bool is_inner_tile = first_y >= 0 && first_y + kH <= g.n1 && first_x >= 0 && first_x + "
      "kW <= g.n2;\n"
      "    for (int k = first; k < z_end + kSteps * (kRadius0 + 1); ++k) {\n";
  std::string clear, fetch, store;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string n = std::to_string(f);
    out_ += "      " + wide(f) + " next" + n + "[kRows];\n";
    clear += "next" + n + "[j] = 0;\n";
    fetch +=
        "next" + n + "[j] = static_cast<" + wide(f) + ">(in" + n + "[a" + n + ".at(at_z, at_y, at_x)]);\n";
  }
  out_ += "#pragma unroll\n      for (int j = 0; j < kRows; ++j) {\n" + clear +
          "        const int z = k, y = first_y + tile_y + j;\n"
          "        if (k < z_end + kSteps * kRadius0 && quern_ops::is_inside<QuernOpen>(g, z, y, x)) {\n" +
          grid_position() + fetch +
          "        }\n      }\n"
          "#pragma unroll\n      for (int level = kSteps; level >= 1; --level) {\n"
          "        const int z = k - level * (kRadius0 + 1), now = g.step + level - 1, base = (level - 1) * "
          "(kSlots * kPlane);\n"
          "        const int margin0 = (kSteps - level) * kRadius0, margin1 = level * " +
          text(grid_.radius[1]) + ", margin2 = level * " + text(grid_.radius[2]) +
          ";\n"
          "        const int slot = (z - first + kSteps * kSlots) % kSlots;\n"
          "        const bool is_inner = is_inner_tile && z >= kRadius0 && z + kRadius0 < g.n0;\n"
          "#pragma unroll\n        for (int j = 0; j < kRows; ++j) {\n"
          "          const int y = first_y + tile_y + j, e = (tile_y + j) * kW + tile_x;\n";
  for (std::size_t f = 0; f < fields_.size(); ++f)
    out_ += "          " + wide(f) + " value" + std::to_string(f) + " = 0;\n";
  out_ +=
      "          if (z >= z_begin - margin0 && z < z_end + margin0 && tile_y + j >= margin1 && tile_y + j < "
      "kH - margin1 &&\n"
      "              tile_x >= margin2 && tile_x < kW - margin2 && quern_ops::is_inside<QuernOpen>(g, z, y, "
      "x)) {\n" +
      grid_position() + choice(has_edges(), "is_inner", stream_level(true), stream_level(false)) +
      "          }\n";
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string n = std::to_string(f);
    store +=
        "if (level < kSteps) {\n"
        "for (int d = 0; d < 2 * kRadius0; ++d) column" +
        n + "[level][j][d] = column" + n +
        "[level][j][d + 1];\n"
        "column" +
        n + "[level][j][2 * kRadius0] = value" + n +
        ";\n"
        "s" +
        n + "[level * (kSlots * kPlane) + slot * kPlane + e] = value" + n + ";\n}\n";
  }
  out_ += store +
          "        }\n      }\n#pragma unroll\n      for (int j = 0; j < kRows; ++j) {\n"
          "        const int e = (tile_y + j) * kW + tile_x, slot = (k - first) % kSlots;\n";
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string n = std::to_string(f);
    out_ += "#pragma unroll\n        for (int d = 0; d < 2 * kRadius0; ++d) column" + n +
            "[0][j][d] = column" + n +
            "[0][j][d + 1];\n"
            "        column" +
            n + "[0][j][2 * kRadius0] = next" + n + "[j];\n        s" + n + "[slot * kPlane + e] = next" + n +
            "[j];\n";
  }
  out_ += "      }\n      __syncthreads();\n    }\n  }\n";
}

std::string Writer::stream_level(bool is_inner) const {
  std::vector<std::string> arguments;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string n = std::to_string(f);
    arguments.push_back(near(
        "quern_ops::Planes<" + wide(f) + ", kW, kPlane, kSlots, kRadius0, " + (is_inner ? "true>" : "false>"),
        "s" + n + " + base + e, &column" + n + "[level - 1][j][0], slot", "QuernOpen", is_inner, f));
  }
  return tile_point(
      arguments, [](std::size_t f) { return "column" + std::to_string(f) + "[level - 1][j][kRadius0]"; },
      [&](std::size_t f, const std::string& value) {
        const std::string n = std::to_string(f);
        return "value" + n + " = quern_ops::stored<" + type(f) + ">(" + value +
               ");\nif (level == kSteps && z < g.n0 && y < g.n1 && x < g.n2) out" + n + "[b" + n +
               ".at(z, y, x)] = static_cast<" + type(f) + ">(value" + n + ");\n";
      });
}

}  // namespace

std::string stencil_text(const StencilPlan& plan, const StencilGrid& grid, const Function& update,
                         const std::vector<Element>& fields, const std::vector<Element>& coefficients) {
  return Writer(plan, grid, fields, coefficients).all(update);
}

}  // namespace quern::ops
