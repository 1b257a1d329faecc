#include "ops_arguments.hpp"

#include <array>
#include <vector>

#include "base/text.hpp"
#include "messages.hpp"
#include "quern/error.hpp"

namespace quern::tool {

namespace {

constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 40;

struct NamedType {
  std::string_view name;
  ElementOption type;
};
constexpr std::array<NamedType, 10> kTypes = {NamedType{"f64", {ops::Element::f64}},
                                              {"f32", {ops::Element::f32}},
                                              {"tf32", {ops::Element::f32, ops::Precision::tf32}},
                                              {"f16", {ops::Element::f16}},
                                              {"bf16", {ops::Element::bf16}},
                                              {"i8", {ops::Element::i8}},
                                              {"e4m3", {ops::Element::e4m3}},
                                              {"e5m2", {ops::Element::e5m2}},
                                              {"c64", {ops::Element::c64}},
                                              {"c128", {ops::Element::c128}}};

}  // namespace

std::optional<ops::Shape> parse_shape(const std::string& text) {
  std::vector<std::int64_t> extents;
  std::uint64_t size = 1;
  for (const std::string_view part : base::split(text, 'x')) {
    const auto extent = base::parse_uint(part);
    if (!extent || *extent == 0 || *extent > kMostExtent / size || extents.size() == ops::Shape::max_rank)
      return std::nullopt;
    size *= *extent;
    extents.push_back(static_cast<std::int64_t>(*extent));
  }
  return ops::Shape(extents);
}

std::string shape_text(const ops::Shape& shape) {
  std::string out;
  for (const std::int64_t extent : shape.extents()) out += (out.empty() ? "" : "x") + std::to_string(extent);
  return out;
}

std::optional<ElementOption> parse_type(const std::string& text) {
  for (const NamedType& t : kTypes) {
    if (t.name == text) return t.type;
  }
  return std::nullopt;
}

std::string type_text(const ElementOption& type) {
  for (const NamedType& t : kTypes) {
    if (t.type == type) return std::string(t.name);
  }
  return {};
}

Outcome with_device(const std::string& which, const std::function<Outcome(const Device&)>& work) {
  const auto failed = [](int code, const Error& e) {
    base::Error error(e.kind(), e.message());
    if (!e.hint().empty()) error.add_hint(e.hint());
    return fail(code, error);
  };
  Device device;
  try {
    device = open(which);
    if (device.driver() == "cpu" && which.find("effort=") == std::string::npos) {
      device = open((which.empty() ? device.info().id() : which) + ",effort=full");
    }
  } catch (const Error& e) {
    return failed(kBadInput, e);
  }
  try {
    return work(device);
  } catch (const Error& e) {
    return failed(e.kind() == ErrorKind::invalid_use ? kUsage : kBadInput, e);
  }
}

}  // namespace quern::tool
