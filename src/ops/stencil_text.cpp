// The code of stencil kernels. It is generated: the number of parameters depends on the number of fields.
#include <array>
#include <cmath>
#include <cstdio>

#include "ops/engine.hpp"
#include "ops/stencil_plan.hpp"

namespace quern::ops {

namespace {

template <typename N>
std::string text(N n) {
  return std::to_string(n);
}

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
    out_ += std::string("using QuernIndex = ") + (plan_.is_wide ? "long long" : "int") +
            ";\nusing QuernStrides = quern_ops::Strides<QuernIndex, " + (plan_.is_unit ? "true" : "false") +
            ">;\n";
    out_ += "__global__ void __launch_bounds__(" + text(plan_.threads) +
            (plan_.resident > 1 ? ", " + text(plan_.resident) : "") + ") stencil(quern_ops::Grid g" +
            parameters() + ") {\n";
    out_ += "  const QuernFunction update{};\n";
    switch (plan_.kernel) {
      case StencilKernel::kStep: step(); break;
      case StencilKernel::kMarch: march(); break;
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

  static std::string kind_of(const Boundary& boundary) {
    static constexpr std::array<const char*, 5> kNames = {"kPeriodic", "kClamp", "kMirror", "kFixed",
                                                          "kOutside"};
    return std::string("quern_ops::") + kNames[static_cast<std::size_t>(boundary.kind())];
  }
  // The type Edges. `is_open`: values outside can be read, except those of functions.
  std::string edges(bool is_open) const {
    std::string kinds, functions;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_function = grid_.boundary[axis].kind() == BoundaryKind::function;
      kinds += (axis == 0 ? "" : ", ") +
               (is_open && !is_function ? "quern_ops::kOpen" : kind_of(grid_.boundary[axis]));
      functions += is_function ? ", QuernOutside" + std::to_string(axis) : ", quern_ops::Nothing";
    }
    return "quern_ops::Edges<" + kinds + functions + ">";
  }
  bool has(BoundaryKind kind) const {
    for (std::size_t axis = 3 - grid_.rank; axis < 3; ++axis) {
      if (grid_.boundary[axis].kind() == kind) return true;
    }
    return false;
  }
  // In a kernel that moves along an axis, places outside of the grid hold the values of boundary functions,
  // unless an axis maps places: the functions get places that are not mapped.
  bool has_ghosts() const {
    return has(BoundaryKind::function) && !has(BoundaryKind::clamp) && !has(BoundaryKind::mirror);
  }
  // Whether the update of points at the edge of the grid differs in such a kernel.
  bool has_tests() const {
    return has(BoundaryKind::fixed) || (has(BoundaryKind::function) && !has_ghosts());
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

  void march();
  std::string march_shared() const;
  std::string march_level() const;
  std::string march_point(bool is_inner) const;
  std::string ghosts(std::size_t field, const std::string& level, const std::string& plane,
                     const std::string& values) const;
  // The axis along which a block moves, and the axis of its rows.
  std::size_t march_axis() const { return grid_.rank == 2 ? 1 : 0; }
  std::size_t row_axis() const { return 1 - march_axis(); }
  // The first two positions of three, from positions along the march axis and the row axis.
  std::string place(const std::string& m, const std::string& r) const {
    return march_axis() == 0 ? m + ", " + r : r + ", " + m;
  }

  const StencilPlan& plan_;
  const StencilGrid& grid_;
  const std::vector<Element>&fields_, &coefficients_;
  std::string out_;
};

// See text/stencil_march.cuh.
void Writer::march() {
  const std::string m = text(march_axis()), r = text(row_axis());
  out_ += march_shared() + "  const int thread = static_cast<int>(threadIdx.x);\n" + tiles() +
          "    const int first_m = g.begin" + m + " + tile" + m + " * g.chunk" + m + ", first_r = g.begin" +
          r + " + tile" + r + " * g.chunk" + r +
          ", first_x = g.begin2 + tile2 * (M::kWidth - 2 * M::kHaloX);\n"
          "    const int end_m = first_m + g.chunk" +
          m + " < g.end" + m + " ? first_m + g.chunk" + m + " : g.end" + m +
          ";\n    quern_ops::Points<M> t = quern_ops::points_of<M>(thread, g.n" + r +
          ", g.n2, first_r, first_x, g.begin" + r + ", g.begin2, g.end" + r +
          ", g.end2);\n"
          "    int k = first_m - M::kSteps * M::kRadiusM;\n"
          "    constexpr int kFirst = M::Edges::kEdge0 == quern_ops::kOutside ? -M::kRadiusM : 0;\n"
          "    if (M::Edges::kEdge0 != quern_ops::kPeriodic && k < kFirst) k = kFirst;\n"
          "    int at = M::Edges::kEdge0 == quern_ops::kPeriodic ? quern_ops::home<M::Edges::kEdge0>(k, g.n" +
          m + ") : k;\n";
  if (has_tests() || has_ghosts())
    out_ +=
        "    const bool is_inner_tile = !t.is_edge_r && t.first_x >= 0 && t.first_x + M::kWidth <= g.n2;\n";
  std::string load, push, next, advance;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string n = std::to_string(f), columns = "columns" + n, plane = "plane" + n;
    out_ += "    quern_ops::Columns<" + type(f) + ", QuernIndex, M> " + columns + ";\n    " + columns +
            ".clear();\n#pragma unroll\n    for (int j = 0; j < M::kLines; ++j) " + columns + ".from[j] = a" +
            n + ".offset(" + place("0", "t.at_r(j)") + ", t.at_x(j));\n    QuernIndex " + plane + " = a" + n +
            ".offset(" + place("at", "0") + ", 0), to" + n + " = b" + n + ".offset(" +
            place("k - M::kSteps * M::kLag", "t.r(0)") + ", t.x(0));\n";
    load += columns + ".load(i, in" + n + " + a" + n + ".first, " + plane + ");\n";
    push += ghosts(f, "0", "k", columns + ".next[i]") + columns + ".push(0, " + columns + ".next[i], s" + n +
            ", t);\n";
    next += plane + " = is_last ? 0 : quern_ops::sum_of(" + plane + ", a" + n + ".s" + m + ");\n";
    advance += "to" + n + " = quern_ops::sum_of(to" + n + ", b" + n + ".s" + m + ");\n";
  }
  // Loads the next plane.
  load = "if (loaded < end_m + M::kSteps * M::kRadiusM && M::has_plane(loaded, g.n" + m + ")) {\n" + load +
         "}\nconst bool is_last = M::Edges::kEdge0 == quern_ops::kPeriodic && at + 1 == g.n" + m +
         ";\nat = is_last ? 0 : at + 1;\n++loaded;\n" + next;
  // The loop is unrolled, so that values that are still being loaded stay in their registers.
  out_ += "    int loaded = k;\n#pragma unroll\n    for (int i = 0; i < M::kAhead; ++i) {\n" + load +
          "    }\n    while (k < end_m + M::kSteps * M::kLag) {\n"
          "#pragma unroll\n      for (int i = 0; i < M::kAhead; ++i) {\n" +
          push + load + march_level() + "      __syncthreads();\n      t.advance();\n      ++k;\n" + advance +
          "      }\n    }\n  }\n";
}

// The type M, and shared memory for each field.
std::string Writer::march_shared() const {
  const std::size_t m = march_axis(), r = row_axis();
  std::string out = "  using M = quern_ops::March<quern_ops::Edges<" + kind_of(grid_.boundary[m]) + ", " +
                    kind_of(grid_.boundary[r]) + ", " + kind_of(grid_.boundary[2]) +
                    ", quern_ops::Nothing, quern_ops::Nothing, quern_ops::Nothing>, " + text(plan_.steps) +
                    ", " + text(grid_.radius[m]) + ", " + text(grid_.radius[r]) + ", " +
                    text(grid_.radius[2]) + (plan_.is_flat ? ", true, " : ", false, ") + text(plan_.rows) +
                    (grid_.rank == 3 ? ", false, " : ", true, ") + text(plan_.width) + ", " +
                    text(plan_.height) + ", " + text(plan_.ahead) + (m == 1 ? ", true>;\n" : ", false>;\n");
  std::string bytes = "0";
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string n = std::to_string(f), size = "M::kSteps * M::kSlots * M::kPlane";
    if (plan_.dynamic_bytes == 0) {
      out += "  __shared__ " + wide(f) + " s" + n + "[" + size + "];\n";
    } else {
      out += "  " + wide(f) + "* const s" + n + " = reinterpret_cast<" + wide(f) + "*>(quern_memory + " +
             bytes + ");\n";
      bytes += " + " + size + " * sizeof(" + wide(f) + ")";
    }
  }
  return (plan_.dynamic_bytes == 0 ? ""
                                   : "  extern __shared__ __align__(16) unsigned char quern_memory[];\n") +
         out;
}

std::string Writer::march_level() const {
  const std::string m = text(march_axis());
  std::string out =
      "#pragma unroll\n      for (int level = 1; level <= M::kSteps; ++level) {\n"
      "        const int m = k - level * M::kLag, margin = (M::kSteps - level) * M::kRadiusM, now = g.step + "
      "level - 1;\n";
  const bool is_first = march_axis() == 0;
  std::string fill = "          const int at_m = quern_ops::home<M::Edges::kEdge0>(m, g.n" + m + ");\n", push,
              store;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string n = std::to_string(f), base = "s" + n + " + (level - 1) * (M::kSlots * M::kPlane)",
                      line = grid_.rank == 3 ? "b" + n + ".s1"
                             : plan_.is_unit ? std::string("QuernIndex{M::kLineStep}")
                                             : "M::kLineStep * b" + n + ".s2";
    out += "        " + wide(f) + " value" + n + "[M::kLines] = {};\n";
    fill += "          quern_ops::Around<" + wide(f) + ", M> around" + n + ";\n          around" + n +
            ".fill(columns" + n + ", level - 1, " + base + ", t, m, g.n" + m + ");\n";
    push += ghosts(f, "level", "m", "value" + n) + "columns" + n + ".push(level, value" + n + ", s" + n +
            " + level * (M::kSlots * M::kPlane), t);\n";
    store += "(out" + n + " + b" + n + ".first)[quern_ops::sum_of(to" + n + ", j * " + line +
             ")] = static_cast<" + type(f) + ">(value" + n + "[j]);\n";
  }
  if (has_tests())
    fill += "          const bool is_inner = is_inner_tile && m >= M::kRadiusM && m + M::kRadiusM < g.n" + m +
            ";\n";
  return out + "        if (m >= first_m - margin && m < end_m + margin && M::has_plane(m, g.n" + m +
         ")) {\n" + fill + "#pragma unroll\n          for (int j = 0; j < M::kLines; ++j) {\n" +
         "            const int at_" + (is_first ? "z" : "y") + " = at_m, at_" + (is_first ? "y" : "z") +
         " = t.at_r(j), at_x = t.at_x(j);\n" + (plan_.has_guards ? "if (t.computes(j, level)) {\n" : "{\n") +
         choice(has_tests(), "is_inner", march_point(true), march_point(false)) +
         "}\nif (level == M::kSteps && t.stores(j)) {\n" + store + "}\n          }\n        }\n" +
         "        if (level < M::kSteps) {\n" + push + "        }\n      }\n";
}

// Sets the values outside of the grid in a plane of a level, which the next level reads.
std::string Writer::ghosts(std::size_t field, const std::string& level, const std::string& plane,
                           const std::string& values) const {
  if (!has_ghosts()) return {};
  return "if (!is_inner_tile || !M::has_plane(" + plane + ", g.n" + text(march_axis()) +
         ")) {\n#pragma unroll\nfor (int j = 0; j < M::kLines; ++j) " + values +
         "[j] = quern_ops::or_outside<QuernEdges>(" + values + "[j], quern_ops::place_of<" +
         text(grid_.rank) + ">(g, " + place(plane, "t.r(j)") + ", t.x(j), g.step + " + level + ", " +
         text(field) + "));\n}\n";
}

std::string Writer::march_point(bool is_inner) const {
  std::vector<std::string> arguments;
  std::string kept, moved;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string n = std::to_string(f), to = "value" + n + "[j] = ";
    arguments.push_back(near("quern_ops::Window<" + wide(f) + ", M>",
                             "&around" + n + ", &t, s" + n + " + (level - 1) * (M::kSlots * M::kPlane), j",
                             "QuernOpen", is_inner || has_ghosts(), f));
    kept += to + "columns" + n + ".values[level - 1][j][M::kRadiusM];\n";
    moved += to + "quern_ops::stored<" + type(f) + ">(new" + n + ");\n";
  }
  const std::string update = call(arguments, false) + moved;
  if (is_inner || !has(BoundaryKind::fixed)) return update;
  return choice(true, ("quern_ops::is_fixed<QuernEdges, " + radii() + ">(g, at_z, at_y, at_x)").c_str(), kept,
                update);
}

}  // namespace

std::string stencil_text(const StencilPlan& plan, const StencilGrid& grid, const Function& update,
                         const std::vector<Element>& fields, const std::vector<Element>& coefficients) {
  return Writer(plan, grid, fields, coefficients).all(update);
}

}  // namespace quern::ops
